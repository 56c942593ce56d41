"""What people do in the jobs of the scripted agent, and what must be true at their end."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..world import Board, World
from .scripted_agent import Figures

PERFORMANCE = Path(__file__).parents[2] / "docs" / "performance.md"
GROWTH_MAX = 1.5  # of a figure beyond the documented one


@dataclass
class Job:
    """The figures of a job, which the test run prints at its end."""

    record: Callable[[str, object], None]
    figures: Figures = field(default_factory=Figures)

    def check(self, title: str) -> None:
        """Record the figures of the job; fail the test if they are far above those in docs/performance.md."""
        used = (self.figures.calls, self.figures.sent, self.figures.received)
        self.record("job", (title, *used))
        row = re.search(rf"^\| {re.escape(title)} \|(.*)\|$", PERFORMANCE.read_text("utf-8"), re.MULTILINE)
        assert row, f"docs/performance.md has no figures of {title!r}: {used}"
        documented = [int(figure.replace(",", "")) for figure in row[1].split("|")]
        assert all(one <= other * GROWTH_MAX for one, other in zip(used, documented, strict=True)), (used, documented)


async def list_open_requests(world: World) -> list[Any]:
    """Return the open move requests."""
    found: list[Any] = (await world.sa.get(world.sa.org("/move-requests"), params={"state": "open"})).ok()["items"]
    return found


async def approve(world: World, note: str | None = None) -> None:
    """Approve all open move requests as a person."""
    for request in await list_open_requests(world):
        (await world.sa.post(f"/move-requests/{request['id']}/approve", {"note": note})).ok()


async def reject(world: World, board: Board, note: str) -> None:
    """Reject the open move request as a person, and send the card back to work."""
    (request,) = await list_open_requests(world)
    body = {"note": note, "toColumnId": board.columns["In Progress"]}
    (await world.sa.post(f"/move-requests/{request['id']}/reject", body)).ok()


async def answer(world: World, content: str) -> None:
    """Answer the open question as a person."""
    (question,) = (await world.sa.get(world.sa.org("/questions"), params={"state": "open"})).ok()["items"]
    path = f"/cards/{question['cardKey']}/comments/{question['commentId']}/replies"
    (await world.sa.post(path, {"content": content})).ok()


async def column_of(world: World, board: Board, key: str) -> str:
    """Return the column of a card."""
    card = (await world.sa.get(f"/cards/{key}")).ok()
    return next(title for title, column_id in board.columns.items() if column_id == card["columnId"])


async def count_actions(world: World, key: str, action: str) -> int:
    """Return how often something happened to a card."""
    return [row["action"] for row in await world.history(key)].count(action)


async def require_done(world: World, board: Board, *keys: str) -> None:
    """Fail the test unless cards are done, claimed by nobody, moved step by step, with nothing left to decide."""
    for key in keys:
        assert await column_of(world, board, key) == "Done"
        assert (await world.sa.get(f"/cards/{key}")).ok()["claim"] is None
        moved = [row for row in await world.history(key) if row["action"] in ("moved", "approved")]
        assert len(moved) >= 3, moved
    assert await list_open_requests(world) == []
    assert (await world.sa.get(world.sa.org("/attention"))).ok() == []
