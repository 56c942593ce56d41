"""A simulated agent: it does on the board what a real one would, through the same routes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

from ..client import ApiFailure, Client
from .board import Board
from .turns import say

LEASE_SECONDS = 60
QUESTION, ANSWERS = "Which browsers does it have to work in?", ["All that we support", "The newest ones"]
HALVES = ("First half", "Second half")
Card = dict[str, Any]


class Agent:
    """One agent with a key of its own, which works on one card at a time."""

    def __init__(self, name: str, agent_id: str, client: Client, board: Board, pause: float) -> None:
        self.name = name
        self.id = agent_id
        self._client = client
        self._board = board
        self._pause = pause
        self._first: Card | None = None  # claimed already when the work begins
        self._answered: set[str] = set()  # rejected requests that it has asked for again

    async def turn(self) -> bool:
        """Do one thing and tell whether there was any: what a person sent back first, then the best free card."""
        if first := self._first:
            self._first = None
            await self._carry(first, show_gate=True)
        elif request := await self._rejected():
            await self._ask_again(request)
        elif card := await self._claim_next():
            await self._carry(card)
        else:
            return False
        return True

    async def claim_first(self) -> Card | None:
        """Claim the card that it begins with; raise ApiFailure."""
        self._first = await self._claim_next()
        return self._first

    async def start_again(self) -> None:
        """Show that one who starts again finds its work: ask the service what it holds; raise ApiFailure."""
        for held in (await self._client.get("/agent/mcp"))["claims"]:
            self._first = await self._client.get(f"/cards/{held['cardId']}/mcp")
            await self._said(f'started again and found that it still holds "{held["title"]}"')

    async def split_next(self) -> None:
        """Show that what is too much is split: claim the best free card, make two parts, let go; raise ApiFailure."""
        if card := await self._claim_next():
            parts = [{"title": f"{half}: {card['title']}", "priority": card["priority"]} for half in HALVES]
            made = (await self._act("POST", card, "split/mcp", {"parts": parts}))["items"]
            await self._said(f"found {_named(card)} too much, and split it into {' and '.join(map(_named, made))}")
            await self._release(card)

    async def _claim_next(self) -> Card | None:
        wishes = {
            "projectId": self._board.project,
            "columnId": self._board.columns["Todo"],
            "leaseSeconds": LEASE_SECONDS,
        }
        card: Card | None = await self._client.post(f"{self._board.organization}/cards/claim/mcp", wishes)
        if card:
            due = f", due {card['dueDate'][:10]}" if card["dueDate"] else ""
            await self._said(f"claimed {_named(card)} for {LEASE_SECONDS} s (priority {card['priority']}{due})")
        return card

    async def _carry(self, card: Card, show_gate: bool = False) -> None:
        """Take a claimed card from Todo to Review, ask for Done and give the card back."""
        await self._comment(card, "I have read it and start now.")
        await self._look(card)
        await self._move(card, "In Progress")
        if show_gate:
            await self._ask_person(card)
        await self._comment(card, "Half of it is done.")
        await self._act("POST", card, "claim/renew/mcp", {})
        await self._said(f"renewed its claim on {_named(card)} for another {LEASE_SECONDS} s")
        await self._move(card, "Review")
        await self._look(card)
        if show_gate:
            attempt = self._act("PATCH", card, "mcp/status", {"toColumnId": self._board.columns["Done"]})
            await self._expect(f"tried to move {_named(card)} to Done without asking", "approval_required", attempt)
        await self._ask(card, "All of it is done; please look.")
        await self._comment(card, "I have asked for approval and let the card go.")
        await self._release(card)

    async def trespass(self, card: Card, holder: str) -> None:
        """Show that a claim keeps others off: try to rename a card that another agent holds; raise ApiFailure."""
        attempt = self._client.request("PATCH", f"/cards/{card['id']}/mcp", body={"title": "Mine"})
        await self._expect(f"tried to rename {_named(card)}, which {holder} holds", "already_claimed", attempt)

    async def _rejected(self) -> dict[str, Any] | None:
        """Find a request of its own that a person has rejected since it last looked."""
        query = {"state": "rejected", "pageSize": "100"}
        page = await self._client.get(f"{self._board.organization}/move-requests/mcp", query)
        own = [request for request in page["items"] if request["requestedBy"]["id"] == self.id]
        return next((request for request in own if request["id"] not in self._answered), None)

    async def _ask_again(self, request: dict[str, Any]) -> None:
        self._answered.add(request["id"])
        card: Card = await self._client.get(f"/cards/{request['cardId']}/mcp")
        note = request["decisionNote"] or "no note"
        await self._said(f'read why {_named(card)} was rejected ("{note}")')
        await self._comment(card, f"You wrote: {note} I have tried it by hand, twice.")
        await self._ask(card, "Please look again.")

    async def _ask_person(self, card: Card) -> None:
        body = {"content": QUESTION, "asks": True, "options": ANSWERS, "keepClaim": True}
        await self._act("POST", card, "comments/mcp", body)
        await self._said(f'asked a person about {_named(card)}: "{QUESTION}"')

    async def _ask(self, card: Card, note: str) -> None:
        body = {"toColumnId": self._board.columns["Done"], "note": note}
        await self._act("POST", card, "move-requests/mcp", body)
        await self._said(f'asked a person to approve the move of {_named(card)} to Done: "{note}"')

    async def _look(self, card: Card) -> None:
        moves = await self._client.get(f"/cards/{card['id']}/moves/mcp")
        ways = ", ".join(_way(move) for move in moves)
        await self._said(f"asked where {_named(card)} can go: {ways or 'nowhere'}")

    async def _move(self, card: Card, column: str) -> None:
        await self._act("PATCH", card, "mcp/status", {"toColumnId": self._board.columns[column]})
        await self._said(f"moved {_named(card)} to {column}")

    async def _comment(self, card: Card, content: str) -> None:
        await self._act("POST", card, "comments/mcp", {"content": content})
        await self._said(f'commented on {_named(card)}: "{content}"')

    async def _release(self, card: Card) -> None:
        await self._act("DELETE", card, "claim/mcp", None)
        await self._said(f"released {_named(card)}")

    async def _act(self, method: str, card: Card, path: str, body: Any) -> Any:
        """Write to a card with the token of the claim, if there is one, so that an agent that is too late hears so."""
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


def _named(card: Card) -> str:
    return f'"{card["title"]}"'


def _way(move: dict[str, Any]) -> str:
    codes = [blocker["code"] for blocker in move["blockers"]]
    return move["title"] if move["allowed"] else f"{move['title']} (not by itself: {', '.join(codes)})"
