"""How fast search is on 100,000 cards with field values and 200,000 comments, beside another such organization.

python -m tests.bench.search [--cards N]
"""

import argparse
import asyncio
import itertools
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from service.database import queries
from service.ids import new_id
from service.resources.search import words as search_words
from service.schemas import json_text

from ..world import Board, Client, World
from . import scene, yardstick

AT = "2026-11-20T09:05:00.000Z"
# In ms. Where many cards have the words, all cards of the organization that a filter leaves are read, not only matches.
BOUND, FILTERED_BOUND = 50, 500
COMMON, RARE = "deploy", "zeppelin"  # in four cards of five; in one of ten thousand
CARD = """
INSERT INTO cards (
    id, org_id, project_id, column_id, card_type_id, title, priority, rank_key, version, created_by, created_at,
    updated_at, archived_at, number
)
VALUES (
    ?1, ?2, ?3, ?4, ?5, ?6, 'none', 1, 1, '{}', ?7, ?8, ?9,
    (SELECT coalesce(max(number), 0) + 1 FROM cards WHERE project_id = ?3)
)
"""
VALUE = "INSERT INTO field_values (card_id, field_id, value) VALUES (?, ?, ?)"
COMMENT = """
INSERT INTO comments (id, org_id, card_id, content, actor_type, actor_id, created_at)
VALUES (?, ?, ?, ?, 'User', 'usr_1', ?)
"""


class Writer:
    """Writes text with the frequencies of a language: few words often, most words seldom."""

    def __init__(self) -> None:
        self.chance = random.Random(1)  # noqa: S311
        letters = "etaoinshrdlucmfwypvbgkqjxz"
        heavy = [30 - place for place in range(26)]
        word = lambda: "".join(self.chance.choices(letters, heavy, k=self.chance.randint(2, 10)))  # noqa: E731
        self.words = [word() for _ in range(30_000)]
        self.weights = list(itertools.accumulate(1 / (place + 5) ** 0.9 for place in range(30_000)))

    def text(self, count: int, *more: str) -> str:
        """Write some words, and those asked for among them."""
        words = [*self.chance.choices(self.words, cum_weights=self.weights, k=count), *more]
        self.chance.shuffle(words)
        return " ".join(words)

    def often(self, chance: float) -> list[str]:
        """Return the common word, now and then."""
        return [COMMON] if self.chance.random() < chance else []


def cards(writer: Writer, org_id: str, board: Board, number: int) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Write cards with a note and two comments each; one of ten is archived."""
    columns = list(board.columns.values())
    for count in range(number):
        card_id = new_id("card")
        rare = [RARE] if count % 10_000 == 7 else []
        place = (board.id, columns[count % len(columns)], board.card_type["id"])
        title = writer.text(6, *writer.often(0.25), *rare)
        yield CARD, (card_id, org_id, *place, title, AT, AT, AT if count % 10 == 0 else None)
        yield VALUE, (card_id, board.field("notes"), json_text(writer.text(20, *writer.often(0.4))))
        for _ in range(2):
            yield COMMENT, (new_id("cmt"), org_id, card_id, writer.text(25, *writer.often(0.35)), AT)


def fill(path: Path, rows: Iterator[tuple[str, tuple[Any, ...]]]) -> None:
    """Write the rows straight into the database."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        for statement, values in rows:
            connection.execute(statement, values)
        scene.defer_indexing(connection)


async def _furnished(world: World, path: Path, number: int) -> Board:
    writer, rows = Writer(), []
    for architect in (world.outsider, world.sa):
        board = await world.board(architect)
        field = await architect.post(
            architect.org(f"/card-types/{board.card_type['id']}/fields"), {"name": "notes", "kind": "text"}
        )
        board.card_type["fields"].append(field.ok())
        rows.append(cards(writer, architect.org_id, board, number))
    await asyncio.to_thread(fill, path, itertools.chain(*rows))
    seconds = await asyncio.to_thread(scene.wait_until_indexed, path)
    print(f"{2 * number:,} cards indexed in the background: {seconds:.1f} s", flush=True)
    return board


async def _timed(client: Client, name: str, **query: Any) -> float:
    taken = []
    for _ in range(9):
        start = time.perf_counter()
        answer = (await client.get(client.org("/search"), params=query)).ok()
        taken.append((time.perf_counter() - start) * 1000)
    best, median = min(taken), statistics.median(taken)
    times = f"best {best:6.1f} ms   median {median:6.1f} ms   worst {max(taken):6.1f} ms"
    print(f"{name:<44} {answer['total']:>7,} cards   {times}", flush=True)
    return best


def _plans(path: Path, org_id: str) -> None:
    with sqlite3.connect(path) as connection:
        wanted = search_words.parse_query(COMMON)
        assert wanted
        first, last = connection.execute(queries.sql.search.number_range.text, [org_id]).fetchone()
        known = {"first": first, "last": last, "match": wanted.anywhere, "limit": 20, "offset": 0, "large": "[]"}
        known |= {"numbers": "[]", "before": "", "after": "", "org_id": org_id}
        for name in ("number_range", "count_cards", "list_cards", "list_large_numbers", "list_snippets"):
            statement = getattr(queries.sql.search, name)
            parameters = [known.get(key) for key in statement.parameters]
            print(f"\n{statement.name}")
            for *_, detail in connection.execute("EXPLAIN QUERY PLAN " + statement.text, parameters):
                print("  " + detail)


async def main(number: int, folder: Path) -> bool:
    """Fill a database, ask the route over HTTP, and tell whether every search keeps its bound at its best of nine."""
    async with yardstick.world(folder) as world:
        board = await _furnished(world, folder / "service.db", number)
        pages = number // 20
        plain = [
            await _timed(world.sa, "a rare word", q=RARE),
            await _timed(world.sa, "a common word", q=COMMON),
            await _timed(world.sa, "a common word, 100 cards", q=COMMON, pageSize=100),
            await _timed(world.sa, "a common word, the last page", q=COMMON, page=pages // 5),
            await _timed(world.sa, "two words", q=f"{COMMON} {RARE}"),
            await _timed(world.sa, "two common words", q=f"{COMMON} {Writer().words[0]} "),
            await _timed(world.sa, "the beginning of a common word", q=COMMON[:3]),
            await _timed(world.sa, "two letters", q="ta"),
            await _timed(world.sa, "a common word on one board", q=COMMON, projectId=board.id),
            await _timed(world.sa, "a rare word, cards without a priority", q=RARE, priority="none"),
            await _timed(world.sa, "a rare word, changed since", q=RARE, updatedSince="2026-01-01"),
        ]
        filtered = [
            await _timed(world.sa, "a common word, cards without a priority", q=COMMON, priority="none"),
            await _timed(world.sa, "a common word, changed since", q=COMMON, updatedSince="2026-01-01"),
            await _timed(
                world.sa, "a common word, cards of nobody, last page", q=COMMON, assignedUserId="none", page=pages // 5
            ),
            await _timed(world.sa, "a common word, cards of one column", q=COMMON, columnId=board.columns["Todo"]),
        ]
        _plans(folder / "service.db", world.sa.org_id)
    return max(plain) < BOUND and max(filtered) < FILTERED_BOUND


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, default=100_000)
    with tempfile.TemporaryDirectory() as folder:
        raise SystemExit(0 if asyncio.run(main(parser.parse_args().cards, Path(folder))) else 1)
