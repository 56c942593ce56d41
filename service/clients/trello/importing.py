"""The writing of one board into one new project, through the service's API."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import permutations
from typing import Any
from urllib.parse import quote

from ..client import ApiFailure, Client
from .board import Board, Card, CardList
from .comment import contents
from .description import describe, shorten

CARD_TYPE_COLOR = "#2563eb"
FIELDS: tuple[dict[str, Any], ...] = (
    {"name": "description", "label": "Description", "kind": "richtext", "required": False},
    {"name": "tags", "label": "Tags", "kind": "multiselect", "required": False, "options": []},
    {"name": "members", "label": "Members", "kind": "multiselect", "required": False, "options": []},
)


class ImportFailed(Exception):
    """The import stopped; the message says at what and what was already made."""


def count_requests(board: Board) -> int:
    """Count the requests that an import makes, for the progress bar."""
    opened = sum(not card_list.closed for card_list in board.lists)
    cards = board.cards
    return (
        2
        + len(FIELDS)
        + len(board.lists)
        + opened * (opened - 1)
        + sum(1 + card.archived + sum(len(contents(one)) for one in card.comments) for card in cards)
        + (len(board.lists) - opened)
    )


class Importing:
    """One board on its way into one new project."""

    def __init__(self, client: Client, organization: str, board: Board, advance: Callable[[], Any]) -> None:
        self._client = client
        self._organization = f"/organizations/{quote(organization, safe='')}"
        self._board = board
        self._advance = advance
        self._fields: dict[str, str] = {}
        self._card_type = ""
        self.project: str | None = None

    async def write(self, title: str) -> str:
        """Write the board and return the project's id; raise ImportFailed."""
        try:
            return await self._write(title)
        except ApiFailure as failure:
            raise ImportFailed(" ".join([str(failure), *_notes(failure), self._made()])) from failure
        except asyncio.CancelledError:
            raise ImportFailed(f"Interrupted. {self._made()}") from None

    async def _write(self, title: str) -> str:
        project = await self._post(f"{self._organization}/projects", {"title": title, "template": "blank"})
        self.project = str(project["id"])
        await self._add_card_type()
        columns = [await self._add_column(order, row) for order, row in enumerate(self._board.lists)]
        filled = list(zip(self._board.lists, columns, strict=True))
        await self._add_transitions([column for row, column in filled if not row.closed])
        await self._fill(filled)
        for column in [column for row, column in filled if row.closed]:
            await self._delete(f"{self._organization}/columns/{column}")
        return self.project

    def _made(self) -> str:
        if self.project is None:
            return "Nothing was made."
        path = f"{self._client.root}{self._organization}/projects/{self.project}?mode=permanent"
        return f"Project {self.project} is incomplete: remove it (DELETE {path}), then import again."

    async def _add_card_type(self) -> None:
        body = {
            "projectId": self.project,
            "title": "Card",
            "color": CARD_TYPE_COLOR,
            "commentsEnabled": True,
            "filesEnabled": True,
        }
        card_type = await self._post(f"{self._organization}/card-types", body)
        self._card_type = str(card_type["id"])
        for field in FIELDS:
            made = await self._post(f"{self._organization}/card-types/{self._card_type}/fields", field)
            self._fields[field["name"]] = made["id"]

    async def _add_column(self, order: int, card_list: CardList) -> str:
        agents = not card_list.done and not card_list.closed
        body = {
            "projectId": self.project,
            "title": shorten(card_list.title),
            "order": order,
            "columnType": "done" if card_list.done else "standard",
            "agentPickupEnabled": agents,
            "agentCanModerate": agents,
        }
        with _naming(f"list “{body['title']}”"):
            return str((await self._post(f"{self._organization}/columns", body))["id"])

    async def _add_transitions(self, columns: list[str]) -> None:
        """Let cards move as freely as in Trello."""
        for origin, target in permutations(columns, 2):
            body = {"fromColumnId": origin, "toColumnId": target, "requiresApproval": False}
            await self._post(f"{self._organization}/transitions", body)

    async def _fill(self, filled: list[tuple[CardList, str]]) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for card_list, column in filled:
                    group.create_task(self._fill_column(group, card_list, column))
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None

    async def _fill_column(self, group: asyncio.TaskGroup, card_list: CardList, column: str) -> None:
        """Add the cards one after the other, which sets their order; what follows on each need not wait."""
        for card in card_list.cards:
            with _naming(f"card “{shorten(card.title)}”"):
                made = await self._post(f"{self._organization}/cards", self._card(card, column))
            if card.comments or card.archived:
                group.create_task(self._finish(card, str(made["id"])))

    async def _finish(self, card: Card, card_id: str) -> None:
        with _naming(f"card “{shorten(card.title)}”"):
            for comment in card.comments:
                for content in contents(comment):
                    await self._post(f"/cards/{card_id}/comments", {"content": content})
            if card.archived:
                await self._delete(f"/cards/{card_id}")

    def _card(self, card: Card, column: str) -> dict[str, Any]:
        values = {"description": describe(card), "tags": list(card.tags), "members": list(card.members)}
        return {
            "projectId": self.project,
            "columnId": column,
            "cardTypeId": self._card_type,
            "title": shorten(card.title),
            **({"dueDate": card.due.isoformat()} if card.due else {}),
            "fieldValues": [{"fieldId": self._fields[name], "value": value} for name, value in values.items() if value],
        }

    async def _post(self, path: str, body: Any) -> Any:
        answer = await self._client.post(path, body)
        self._advance()
        return answer

    async def _delete(self, path: str) -> None:
        await self._client.delete(path)
        self._advance()


@contextmanager
def _naming(what: str) -> Iterator[None]:
    try:
        yield
    except ApiFailure as failure:
        failure.add_note(f"It happened at {what}.")
        raise


def _notes(failure: ApiFailure) -> list[str]:
    return list(getattr(failure, "__notes__", []))
