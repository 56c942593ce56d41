"""The search index of an earlier version, in which each row had up to 50 comments and all other texts of its card."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from service.resources.search import card_texts
from service.resources.search.texts import _clean

from ...old_schemas import settings_of
from ...running import running
from .test_texts import proved

BEFORE = 58  # the last schema with such an index
NOW = "2026-01-02T03:04:05.678Z"
ODD = ['She said "no\\"', "C:\\", "\\n", "a\nb\\\n", "\ue002", "見る。不具合", "x" * 20_000, '","', "é\t\x1f", "😀"]
LONG = "A sentence of ordinary length, as people write them on cards all day long."


def _add_comments(database: sqlite3.Connection, card_id: str, contents: list[str]) -> None:
    for number, content in enumerate(contents):
        row = (f"cmt_{card_id}_{number:04}", "org_home", card_id, content, "User", "usr_sa", NOW)
        names = "id, org_id, card_id, content, actor_type, actor_id, created_at"
        database.execute(f"INSERT INTO comments ({names}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)


def _index(database: sqlite3.Connection, number: int, card_id: str) -> None:
    """Index a card as it was done before."""
    ((title,),) = database.execute("SELECT title FROM cards WHERE id = ?", (card_id,))
    values = database.execute("SELECT field_id, value FROM field_values WHERE card_id = ?", (card_id,)).fetchall()
    comments = database.execute(
        "SELECT id, content FROM comments WHERE card_id = ? ORDER BY created_at, id", (card_id,)
    ).fetchall()
    database.execute("INSERT INTO search_cards VALUES (?, 1, 'proj_1', 'org_home', ?)", (number, card_id))
    database.execute("INSERT INTO search_titles (rowid, title) VALUES (?, ?)", (number, title.lower()))
    fields = [_clean(json.loads(value)) for _, value in values]
    for part, start in enumerate(range(0, len(comments) or 1, 50)):
        block = comments[start : start + 50]
        sources = json.dumps({"fields": [row[0] for row in values], "comments": [row[0] for row in block]})
        texts = [card_texts.TEXT_SEPARATOR.join(column) for column in (fields, [_clean(row[1]) for row in block])]
        row = (number << 16 | part, _clean(title), sources, *texts)
        names = "rowid, title, sources, fields, comments"
        database.execute(f"INSERT INTO search_texts ({names}) VALUES (?, ?, ?, ?, ?)", row)


@pytest.mark.parametrize(
    "comments",
    [[], ["short"], ODD, ["y"] * 51, [f"{LONG} word{number}" for number in range(120)], [*ODD, *[LONG] * 60, *ODD]],
    ids=["none", "few", "odd", "short", "many", "mixed"],
)
@pytest.mark.parametrize("note", ["a note", ODD[0] + ODD[3], LONG * 100])
async def test_the_index_is_divided_anew_with_all_its_texts(tmp_path: Path, comments: list[str], note: str) -> None:
    settings = settings_of(tmp_path / "data", BEFORE)
    with closing(sqlite3.connect(settings.database, isolation_level=None)) as database:
        database.execute("UPDATE field_values SET value = ? WHERE card_id = 'card_1'", (json.dumps(note),))
        _add_comments(database, "card_1", comments)
        for table in ("search_texts", "search_titles", "search_cards", "search_pending", "search_backlog"):
            database.execute(f"DELETE FROM {table}")
        for number, card_id in enumerate(["card_1", "card_2"], start=1 << 28):
            _index(database, number, card_id)
    async with running(settings) as world:
        await proved(world)
        words = [
            "hello",
            "yes",
            *["word3 word117 "] * (len(comments) == 120),
            *["見る 不具合"] * ("見る。不具合" in comments),
        ]
        for word in words:
            assert await _found(world, f"card {word}") == ["card_1"], word
        (await world.sa.post("/cards/card_1/comments", {"content": "after the upgrade"})).ok()
        values: list[Any] = [{"fieldId": "fld_1", "value": "another note"}]
        (await world.sa.patch("/cards/card_1", {"title": "Renamed", "fieldValues": values})).ok()
        assert await _found(world, "renamed another upgrade hello") == ["card_1"]
        await proved(world)


async def _found(world: Any, q: str) -> list[str]:
    answer = (await world.sa.get(world.sa.org("/search"), params={"q": q})).ok()
    return [item["cardId"] for item in answer["items"]]


async def test_cards_that_wait_to_be_indexed_still_do(tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "data", BEFORE)
    with closing(sqlite3.connect(settings.database, isolation_level=None)) as database:
        for table in ("search_texts", "search_titles", "search_cards", "search_pending", "search_backlog"):
            database.execute(f"DELETE FROM {table}")
        database.execute("INSERT INTO search_backlog VALUES ('org_home', 'card_1')")
        database.execute("INSERT INTO search_pending VALUES ('org_home', 'card_2')")
    async with running(settings) as world:
        (await world.sa.patch("/cards/card_2", {"title": "Renamed"})).ok()
        await _wait_until_indexed(settings.database)
        await proved(world)


async def _wait_until_indexed(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        async with asyncio.timeout(20):
            while database.execute("SELECT 1 FROM search_backlog").fetchone():  # noqa: ASYNC110  # nobody tells
                await asyncio.sleep(0.05)
