"""Board of the demo: a new project from the Kanban template, with cards in Todo."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from ..client import Client
from .turns import say

TITLE = "Agent demo"
COLOR = "#7c3aed"
CARDS_MAX = 50
# title, priority, due in days
WORK: tuple[tuple[str, str, int | None], ...] = (
    ("Thank the testers", "none", None),
    ("Write the release notes", "high", 3),
    ("Rename the settings page", "low", None),
    ("Repair the sign-in on phones", "urgent", 1),
    ("Draw a new icon", "low", 30),
    ("Answer the open support mail", "high", 1),
    ("Measure the start page", "medium", 7),
    ("Update the price list", "medium", 5),
)


@dataclass(frozen=True)
class DemoBoard:
    """The project, with its columns by title."""

    organization: str  # the beginning of a path
    project: str
    columns: dict[str, str]
    card_type: str

    def address(self, root: str) -> str:
        """Return the address of the project on a service."""
        return f"{root}{self.organization}/projects/{self.project}"

    def title(self, column_id: str) -> str:
        """Return the title of a column."""
        return next((title for title, known in self.columns.items() if known == column_id), column_id)


async def create_board(client: Client, organization: str) -> DemoBoard:
    """Create the project and a card type; raise ApiFailure."""
    path = f"/organizations/{quote(organization, safe='')}"
    project = (await client.post(f"{path}/projects", {"title": TITLE, "template": "default_kanban"}))["id"]
    say("you", f'created the project "{TITLE}" ({project})')
    columns = {row["title"]: row["id"] for row in await client.get(f"{path}/columns", {"projectId": project})}
    # The card types of the organization may require fields that the demo does not fill in.
    card_type = await client.post(f"{path}/card-types", {"projectId": project, "title": "Demo task", "color": COLOR})
    return DemoBoard(path, project, columns, card_type["id"])


async def create_cards(client: Client, board: DemoBoard, count: int) -> None:
    """Create cards in Todo with mixed priorities, by which the agents claim them; raise ApiFailure."""
    for number in range(count):
        await client.post(f"{board.organization}/cards", _card(board, number))
    say("you", f"put {count} card{'s' * (count > 1)} into Todo, with different priorities and due dates")


def _card(board: DemoBoard, number: int) -> dict[str, Any]:
    lap, place = divmod(number, len(WORK))
    title, priority, days = WORK[place]
    due = {} if days is None else {"dueDate": (datetime.now(UTC) + timedelta(days=days)).date().isoformat()}
    return {
        "projectId": board.project,
        "columnId": board.columns["Todo"],
        "cardTypeId": board.card_type,
        "title": f"{title} ({lap + 1})" if lap else title,
        "priority": priority,
        **due,
    }
