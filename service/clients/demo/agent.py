"""Simulated agent, which uses the same routes as a real one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

from ..client import ApiFailure, Client
from .board import OPEN_ITEM, DemoBoard
from .turns import say

LEASE_SECONDS = 60
QUESTION, ANSWERS = "Which browsers does it have to work in?", ["All that we support", "The newest ones"]
HALVES = ("First half", "Second half")
Card = dict[str, Any]


class DemoAgent:
    """One agent with its own API key, which works on one card at a time."""

    def __init__(self, name: str, agent_id: str, client: Client, board: DemoBoard, pause: float) -> None:
        self.name = name
        self.id = agent_id
        self._client = client
        self._board = board
        self._pause = pause
        self._first: Card | None = None  # claimed before the first turn
        self._answered: set[str] = set()  # rejected requests that were requested again

    async def turn(self) -> bool:
        """Work on a rejected move request, or else on the next free card; return whether there was work."""
        if first := self._first:
            self._first = None
            await self._work_on(first, show_approval=True)
        elif request := await self._rejected():
            await self._ask_again(request)
        elif card := await self._claim_next():
            await self._work_on(card)
        else:
            return False
        return True

    async def claim_first(self) -> Card | None:
        """Claim the card for the first turn; raise ApiFailure."""
        self._first = await self._claim_next()
        return self._first

    async def start_again(self) -> None:
        """Show that an agent finds its claims after a restart; raise ApiFailure."""
        for held in (await self._client.get("/agent/mcp"))["claims"]:
            self._first = await self._client.get(f"/cards/{held['cardId']}/mcp")
            await self._said(f'started again and found that it still holds "{held["title"]}"')

    async def split_next(self) -> None:
        """Show how a large card is split: claim the next card, create two parts, release it; raise ApiFailure."""
        if card := await self._claim_next():
            parts = [{"title": f"{half}: {card['title']}", "priority": card["priority"]} for half in HALVES]
            created = (await self._act("POST", card, "split/mcp", {"parts": parts}))["items"]
            await self._said(
                f"found {_quote_title(card)} too much, and split it into {' and '.join(map(_quote_title, created))}"
            )
            await self._release(card)

    async def _claim_next(self) -> Card | None:
        body = {
            "projectId": self._board.project,
            "columnId": self._board.columns["Todo"],
            "leaseSeconds": LEASE_SECONDS,
        }
        card: Card | None = await self._client.post(f"{self._board.organization}/cards/claim/mcp", body)
        if card:
            due = f", due {card['dueDate'][:10]}" if card["dueDate"] else ""
            await self._said(f"claimed {_quote_title(card)} for {LEASE_SECONDS} s (priority {card['priority']}{due})")
        return card

    async def _work_on(self, card: Card, show_approval: bool = False) -> None:
        """Move a claimed card from Todo to Review, request the move to Done and release the card."""
        await self._comment(card, "I have read it and start now.")
        await self._list_moves(card)
        await self._move(card, "In Progress")
        if show_approval:
            await self._ask_person(card)
        steps = self._list_steps(card)
        await self._check(card, steps[:1])
        await self._comment(card, "Half of it is done.")
        await self._act("POST", card, "claim/renew/mcp", {})
        await self._said(f"renewed its claim on {_quote_title(card)} for another {LEASE_SECONDS} s")
        await self._check(card, steps[1:])
        await self._move(card, "Review")
        await self._list_moves(card)
        if show_approval:
            attempt = self._act("PATCH", card, "mcp/status", {"toColumnId": self._board.columns["Done"]})
            await self._expect(
                f"tried to move {_quote_title(card)} to Done without asking", "approval_required", attempt
            )
        await self._ask(card, "All of it is done; please look.")
        await self._comment(card, "I have asked for approval and let the card go.")
        await self._release(card)

    async def attempt_forbidden_change(self, card: Card, holder: str) -> None:
        """Show that a claim protects a card: try to rename a card that another agent has claimed; raise ApiFailure."""
        attempt = self._client.request("PATCH", f"/cards/{card['id']}/mcp", body={"title": "Mine"})
        await self._expect(f"tried to rename {_quote_title(card)}, which {holder} holds", "already_claimed", attempt)

    async def _rejected(self) -> dict[str, Any] | None:
        """Return a move request of this agent that a person has rejected and that was not requested again."""
        query = {"state": "rejected", "pageSize": "100"}
        page = await self._client.get(f"{self._board.organization}/move-requests/mcp", query)
        own = [request for request in page["items"] if request["requestedBy"]["id"] == self.id]
        return next((request for request in own if request["id"] not in self._answered), None)

    async def _ask_again(self, request: dict[str, Any]) -> None:
        self._answered.add(request["id"])
        card: Card = await self._client.get(f"/cards/{request['cardId']}/mcp")
        note = request["decisionNote"] or "no note"
        await self._said(f'read why {_quote_title(card)} was rejected ("{note}")')
        await self._comment(card, f"You wrote: {note} I have tried it by hand, twice.")
        await self._ask(card, "Please look again.")

    async def _ask_person(self, card: Card) -> None:
        body = {"content": QUESTION, "asks": True, "options": ANSWERS, "keepClaim": True}
        await self._act("POST", card, "comments/mcp", body)
        await self._said(f'asked a person about {_quote_title(card)}: "{QUESTION}"')

    async def _ask(self, card: Card, note: str) -> None:
        body = {"toColumnId": self._board.columns["Done"], "note": note}
        await self._act("POST", card, "move-requests/mcp", body)
        await self._said(f'asked a person to approve the move of {_quote_title(card)} to Done: "{note}"')

    async def _list_moves(self, card: Card) -> None:
        moves = await self._client.get(f"/cards/{card['id']}/moves/mcp")
        targets = ", ".join(_describe_move(move) for move in moves)
        await self._said(f"asked where {_quote_title(card)} can go: {targets or 'nowhere'}")

    async def _move(self, card: Card, column: str) -> None:
        await self._act("PATCH", card, "mcp/status", {"toColumnId": self._board.columns[column]})
        await self._said(f"moved {_quote_title(card)} to {column}")

    def _list_steps(self, card: Card) -> list[tuple[int, str]]:
        """Return the open items of the card's checklist, with their numbers."""
        field = self._board.fields["description"]
        texts = [value["value"] for value in card["fieldValues"] if value["fieldId"] == field and value["value"]]
        lines = enumerate(line for text in texts for line in text.splitlines())
        return [(item, line.removeprefix(OPEN_ITEM)) for item, line in lines if line.startswith(OPEN_ITEM)]

    async def _check(self, card: Card, steps: list[tuple[int, str]]) -> None:
        """Check items of the checklist."""
        for item, text in steps:
            body = {"fieldId": self._board.fields["description"], "item": item, "text": text, "done": True}
            await self._act("PATCH", card, "checklist/mcp", body)
        if steps:
            checked = ", ".join(f'"{text}"' for _, text in steps)
            await self._said(f"checked {checked} in the checklist of {_quote_title(card)}")

    async def _comment(self, card: Card, content: str) -> None:
        await self._act("POST", card, "comments/mcp", {"content": content})
        await self._said(f'commented on {_quote_title(card)}: "{content}"')

    async def _release(self, card: Card) -> None:
        await self._act("DELETE", card, "claim/mcp", None)
        await self._said(f"released {_quote_title(card)}")

    async def _act(self, method: str, card: Card, path: str, body: Any) -> Any:
        """Send a write for a card with the claim token, so that it fails if the claim has ended."""
        token = {"X-Claim-Token": card["claim"]["token"]} if card["claim"] else {}
        return await self._client.request(method, f"/cards/{card['id']}/{path}", body=body, headers=token)

    async def _expect(self, what: str, code: str, attempt: Awaitable[Any]) -> None:
        try:
            await attempt
        except ApiFailure as refusal:
            if refusal.code != code:
                raise
            await self._said(f"{what}. Refused, as it should be: {refusal}")
        else:
            await self._said(f"{what}, and was not refused")

    async def _said(self, what: str) -> None:
        say(self.name, what)
        await asyncio.sleep(self._pause)


def _quote_title(card: Card) -> str:
    return f'"{card["title"]}"'


def _describe_move(move: dict[str, Any]) -> str:
    codes = [blocker["code"] for blocker in move["blockers"]]
    return move["title"] if move["allowed"] else f"{move['title']} (not by itself: {', '.join(codes)})"
