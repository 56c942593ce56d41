"""How fast analytics is on 100,000 cards with 500,000 history rows, and by which plans.

python -m tests.bench.analytics [--cards N]
"""

import argparse
import asyncio
import json
import random
import sqlite3
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from service.clock import timestamp
from service.database import queries
from service.ids import new_id

from ..world import World
from . import yardstick

DAYS, PROJECTS, AGENTS, ROWS_A_CARD, BOUND = 365, 10, 50, 5, 300
NOW = datetime.now(UTC)


class Scenario:
    """A year of work: cards wander along their board, a quarter is archived, some come back."""

    def __init__(self, org_id: str, boards: list[tuple[str, list[str]]], type_id: str) -> None:
        self.org_id, self.boards, self.type_id = org_id, boards, type_id
        self.chance = random.Random(1)  # noqa: S311
        self.cards: list[tuple[Any, ...]] = []
        self.rows: list[dict[str, Any]] = []

    def card(self, number: int) -> None:
        """Write the life of one card."""
        project_id, columns = self.boards[number % len(self.boards)]
        card_id, place = new_id("card"), 0
        moments = self._moments()
        self._row(card_id, "created", {"columnId": {"from": None, "to": columns[0]}}, moments[0])
        archived = None
        for moment in moments[1:]:
            kind = self.chance.random()
            if archived:
                if kind < 0.2:
                    self._row(card_id, "restored", {"archivedAt": {"from": archived, "to": None}}, moment)
                    archived = None
            elif kind < 0.6:
                origin, place = place, (place + 1) % len(columns)
                changes = {"columnId": {"from": columns[origin], "to": columns[place]}}
                self._row(card_id, "moved", changes, moment)
            elif kind < 0.68:
                archived = timestamp(moment)
                self._row(card_id, "archived", {"archivedAt": {"from": None, "to": archived}}, moment)
            else:
                self._row(card_id, "commented", {"commentId": {"from": None, "to": new_id("cmt")}}, moment)
        created = timestamp(moments[0])
        self.cards.append(
            (card_id, self.org_id, project_id, columns[place], self.type_id, number, created, created, archived)
        )

    def _moments(self) -> list[datetime]:
        # A card that is archived early writes less, so a few more are drawn than the mean.
        count = self.chance.choice((2, 4, 6, 6, 9)) if self.chance.random() < 0.95 else 12
        start = self.chance.random() * DAYS
        days = sorted([start, *(min(DAYS, start + self.chance.expovariate(1 / 20)) for _ in range(count - 1))])
        return [NOW - timedelta(days=DAYS - day) for day in days]

    def _row(self, card_id: str, action: str, changes: dict[str, Any], moment: datetime) -> None:
        by_agent = self.chance.random() < 0.6
        actor = f"agent-{self.chance.randrange(AGENTS)}" if by_agent else "usr_1"
        text = json.dumps(changes, separators=(",", ":"))
        kind = "Agent" if by_agent else "User"
        who = {"actor_type": kind, "actor_id": actor, "actor_label": None, "created_at": timestamp(moment)}
        about = {"id": new_id("his"), "org_id": self.org_id, "card_id": card_id}
        self.rows.append({**about, **who, "action": action, "changes": text, "imported": 0})


CARD = """
INSERT INTO cards (
    id, org_id, project_id, column_id, card_type_id, title, priority, rank_key, version, created_by, created_at,
    updated_at, archived_at, number
)
VALUES (
    ?1, ?2, ?3, ?4, ?5, 'Card', 'none', ?6, 1, '{}', ?7, ?8, ?9,
    (SELECT coalesce(max(number), 0) + 1 FROM cards WHERE project_id = ?3)
)
"""


def fill(path: Path, scenario: Scenario, cards: int) -> None:
    """Write the cards and their history straight into the database."""
    while len(scenario.cards) < cards:
        scenario.card(len(scenario.cards))
    rows = sorted(scenario.rows, key=lambda row: str(row["created_at"]))
    with sqlite3.connect(path) as connection:
        connection.executemany(CARD, scenario.cards)
        written = queries.sql.imports.write_history
        connection.executemany(written.text, map(written.values, rows))
        connection.execute("DELETE FROM search_pending")  # no search is measured; the next write would index all
    print(f"{len(scenario.cards):,} cards, {len(rows):,} history rows", flush=True)


async def _boards(world: World) -> Scenario:
    boards = [await world.board(title=f"Board {number}") for number in range(PROJECTS)]
    places = [(board.id, list(board.columns.values())) for board in boards]
    return Scenario(world.sa.org_id, places, boards[0].card_type["id"])


async def _timed(world: World, name: str, query: dict[str, str]) -> float:
    taken = []
    for _ in range(7):
        start = time.perf_counter()
        (await world.sa.get(world.sa.org("/analytics"), params=query)).ok()
        taken.append((time.perf_counter() - start) * 1000)
    median = statistics.median(taken)
    print(f"{name:<40} median {median:6.1f} ms   worst {max(taken):6.1f} ms", flush=True)
    return median


def _plans(path: Path, span: dict[str, Any]) -> None:
    with sqlite3.connect(path) as connection:
        for name, statement in vars(queries.sql.analytics).items():
            parameters = [span.get(key) for key in statement.parameters]
            print(f"\n{name}")
            plan = connection.execute("EXPLAIN QUERY PLAN " + statement.text, parameters).fetchall()
            depth = {0: 0}
            for node, parent, _, detail in plan:
                depth[node] = depth[parent] + 1
                print("  " * depth[node] + detail)


async def main(cards: int, folder: Path) -> bool:
    """Fill a database, ask the route over HTTP, and tell whether the default window keeps the bound."""
    async with yardstick.world(folder) as world:
        scenario = await _boards(world)
        await asyncio.to_thread(fill, folder / "service.db", scenario, cards)
        year = {"from": timestamp(NOW - timedelta(days=DAYS + 1))}
        project = {"projectId": scenario.boards[0][0]}
        medians = [
            await _timed(world, "30 days, the organization", {}),
            await _timed(world, "30 days, one project", project),
            await _timed(world, "the whole year, the organization", year),
            await _timed(world, "the whole year, one project", {**year, **project}),
        ]
        span = {"org_id": world.sa.org_id, "since": 0, "until": int(NOW.timestamp() * 1000)}
        _plans(folder / "service.db", {**span, "window_from": "2000", "window_to": "3000"})
    return max(medians) < BOUND


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, default=100_000)
    with tempfile.TemporaryDirectory() as folder:
        raise SystemExit(0 if asyncio.run(main(parser.parse_args().cards, Path(folder))) else 1)
