"""The person of the demo (the user), who answers questions and decides move requests, except for the last one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from ..client import Client
from .board import DemoBoard
from .turns import say

REASON = "Say in a comment how you tested it."
Request = dict[str, Any]


@dataclass(frozen=True)
class DemoState:
    """The cards of the board, and the open move requests for released cards, oldest first."""

    cards: list[dict[str, Any]]
    waiting: list[Request]


async def get_state(client: Client, board: DemoBoard) -> DemoState:
    """Return the cards and requests that the person sees; raise ApiFailure."""
    # Requests are read first: a card without a claim was then released after its request was created.
    query = {"state": "open", "pageSize": "100"}
    requests = (await client.get(f"{board.organization}/move-requests", query))["items"]
    query = {"projectId": board.project, "pageSize": "100"}
    cards = (await client.get(f"{board.organization}/cards", query))["items"]
    free = {card["id"]: card["title"] for card in cards if card["claim"] is None}
    waiting = [{**request, "title": free[request["cardId"]]} for request in requests if request["cardId"] in free]
    return DemoState(cards, waiting[::-1])


class Reviewer:
    """Rejects the first request, approves the others, and ends the demo when only one card is left."""

    def __init__(
        self, client: Client, board: DemoBoard, agent_ids: set[str], pause: float, finished: asyncio.Event
    ) -> None:
        self._client = client
        self._board = board
        self._agent_ids = agent_ids
        self._pause = pause
        self._finished = finished
        self._has_rejected = False

    async def turn(self) -> bool:
        """Answer a question, or else decide the oldest request unless only one card is left.

        Returns whether there was something to do.
        """
        if await self._answer():
            return True
        seen = await get_state(self._client, self._board)
        left = [card for card in seen.cards if card["columnId"] != self._board.columns["Done"]]
        if len(left) > 1 and seen.waiting:
            await self._decide(seen.waiting[0])
            return True
        if not left or (len(left) == 1 and seen.waiting):
            self._finished.set()
        return False

    async def _answer(self) -> bool:
        """Answer the newest question of an agent of the demo; return whether there was one."""
        page = await self._client.get(f"{self._board.organization}/questions", {"state": "open", "pageSize": "100"})
        for question in page["items"]:
            if question["agentId"] in self._agent_ids:
                path = f"/cards/{question['cardId']}/comments/{question['commentId']}/replies"
                await self._client.post(path, {"content": question["options"][0]})
                say("you", f'answered {question["agentId"]} on "{question["title"]}": "{question["options"][0]}"')
                await asyncio.sleep(self._pause)
                return True
        return False

    async def _decide(self, request: Request) -> None:
        path, asked = f"/move-requests/{request['id']}", request["requestedBy"]["id"]
        if self._has_rejected:
            await self._client.post(f"{path}/approve", {})
            say("you", f'approved what {asked} asked for: "{request["title"]}" is in Done')
        else:
            await self._client.post(f"{path}/reject", {"note": REASON})
            self._has_rejected = True
            say("you", f'rejected what {asked} asked for, so "{request["title"]}" stays in Review: "{REASON}"')
        await asyncio.sleep(self._pause)
