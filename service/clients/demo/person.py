"""The person of the demo: you, who answer and decide what the agents ask for, and leave the last of it open."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from ..client import Client
from .board import Board
from .turns import say

REASON = "Say in a comment how you tested it."
Request = dict[str, Any]


@dataclass(frozen=True)
class Outlook:
    """What the person sees: the cards of the board, and the open requests of those let go, oldest first."""

    cards: list[dict[str, Any]]
    waiting: list[Request]


async def look(client: Client, board: Board) -> Outlook:
    """Look at the board as the person; raise ApiFailure."""
    # Requests first: a card that is free after its request was seen has been let go after it was asked for.
    query = {"state": "open", "pageSize": "100"}
    requests = (await client.get(f"{board.organization}/move-requests", query))["items"]
    query = {"projectId": board.project, "pageSize": "100"}
    cards = (await client.get(f"{board.organization}/cards", query))["items"]
    free = {card["id"]: card["title"] for card in cards if card["claim"] is None}
    waiting = [{**request, "title": free[request["cardId"]]} for request in requests if request["cardId"] in free]
    return Outlook(cards, waiting[::-1])


class Person:
    """Reject the first request, approve the others, and end the demo when only one card is left."""

    def __init__(self, client: Client, board: Board, crew: set[str], pause: float, finished: asyncio.Event) -> None:
        self._client = client
        self._board = board
        self._crew = crew  # the ids of the agents
        self._pause = pause
        self._finished = finished
        self._has_rejected = False

    async def turn(self) -> bool:
        """Answer a question, else decide the oldest request unless it is about the last card; true if there was one."""
        if await self._answer():
            return True
        seen = await look(self._client, self._board)
        left = [card for card in seen.cards if card["columnId"] != self._board.columns["Done"]]
        if len(left) > 1 and seen.waiting:
            await self._decide(seen.waiting[0])
            return True
        if not left or (len(left) == 1 and seen.waiting):
            self._finished.set()
        return False

    async def _answer(self) -> bool:
        """Answer the newest question that an agent asks on the board; true if there was one."""
        page = await self._client.get(f"{self._board.organization}/questions", {"state": "open", "pageSize": "100"})
        for question in page["items"]:
            if question["agentId"] in self._crew:
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
