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
LABEL_COLORS = {"bug": "#dc2626", "docs": "#2563eb", "design": "#a855f7", "customers": "#f59e0b"}
FIELDS: tuple[dict[str, Any], ...] = (
    {"name": "description", "label": "Description", "kind": "richtext"},
    {"name": "labels", "label": "Labels", "kind": "multiselect", "showOnCard": True, "optionColors": LABEL_COLORS},
)
CARDS_MAX = 50
OPEN_ITEM = "- [ ] "  # of a checklist


@dataclass(frozen=True)
class Work:
    """One card to be created; `steps` become the checklist of its description."""

    title: str
    priority: str
    due_in_days: int | None
    labels: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()


WORK = (
    Work("Thank the testers", "none", None, ("customers",)),
    Work("Write the release notes", "high", 3, ("docs",), ("List what is new", "Name what breaks")),
    Work("Rename the settings page", "low", None, ("design",)),
    Work("Repair the sign-in on phones", "urgent", 1, ("bug", "design"), ("Reproduce it", "Fix it", "Test it twice")),
    Work("Draw a new icon", "low", 30, ("design",), ("Three drafts", "Choose one", "Export it in four sizes")),
    Work("Answer the open support mail", "high", 1, ("customers",)),
    Work("Measure the start page", "medium", 7, (), ("On a phone", "On a slow network")),
    Work("Update the price list", "medium", 5, ("docs", "customers")),
)


@dataclass(frozen=True)
class DemoBoard:
    """The project, with its columns by title."""

    organization: str  # the beginning of a path
    project: str
    columns: dict[str, str]
    card_type: str
    fields: dict[str, str]  # ids by name

    def address(self, root: str) -> str:
        """Return the address of the project on a service."""
        return f"{root}{self.organization}/projects/{self.project}"

    def title(self, column_id: str) -> str:
        """Return the title of a column."""
        return next((title for title, known in self.columns.items() if known == column_id), column_id)


async def create_board(client: Client, organization: str) -> DemoBoard:
    """Create the project, and a card type with checklists and labels; raise ApiFailure."""
    path = f"/organizations/{quote(organization, safe='')}"
    project = (await client.post(f"{path}/projects", {"title": TITLE, "template": "default_kanban"}))["id"]
    say("you", f'created the project "{TITLE}" ({project})')
    columns = {row["title"]: row["id"] for row in await client.get(f"{path}/columns", {"projectId": project})}
    # The card types of the organization may require fields that the demo does not fill in.
    card_type = await client.post(f"{path}/card-types", {"projectId": project, "title": "Demo task", "color": COLOR})
    fields = f"{path}/card-types/{card_type['id']}/fields"
    ids = {field["name"]: (await client.post(fields, field))["id"] for field in FIELDS}
    return DemoBoard(path, project, columns, card_type["id"], ids)


async def create_cards(client: Client, board: DemoBoard, count: int) -> None:
    """Create cards in Todo with mixed priorities, by which the agents claim them; raise ApiFailure."""
    for number in range(count):
        await client.post(f"{board.organization}/cards", _card(board, number))
    say("you", f"put {count} card{'s' * (count > 1)} into Todo, with different priorities and due dates")


def _card(board: DemoBoard, number: int) -> dict[str, Any]:
    lap, place = divmod(number, len(WORK))
    work = WORK[place]
    values = {"description": "\n".join(OPEN_ITEM + step for step in work.steps), "labels": list(work.labels)}
    card: dict[str, Any] = {
        "projectId": board.project,
        "columnId": board.columns["Todo"],
        "cardTypeId": board.card_type,
        "title": f"{work.title} ({lap + 1})" if lap else work.title,
        "priority": work.priority,
        "fieldValues": [{"fieldId": board.fields[name], "value": value} for name, value in values.items() if value],
    }
    if work.due_in_days is not None:
        card["dueDate"] = (datetime.now(UTC) + timedelta(days=work.due_in_days)).date().isoformat()
    return card
