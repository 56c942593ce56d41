"""What a point read remembers: the same for everybody, nobody can change it, and it never grows as large as memory."""

import sqlite3
import tracemalloc
from collections.abc import AsyncIterator, Iterable
from contextlib import closing
from pathlib import Path

import pytest

from service.database.point_reader import (
    CHARACTERS_MAX,
    CHARACTERS_REMEMBERED_MAX,
    ROWS_MAX,
    ROWS_REMEMBERED_MAX,
    TEXT_BYTES_MAX,
)
from service.database.queries import Statement
from service.database.store import Abundant, Store, Tx

NOTE = Statement("notes.read", "SELECT text FROM notes WHERE number = :number")
NAMED = Statement("notes.named", "SELECT number FROM notes WHERE text = :text")
EDIT = Statement("notes.edit", "UPDATE notes SET text = 'new' WHERE number = :number")
LONG = Statement("notes.long", "SELECT :number AS number, hex(zeroblob(500000)) AS text")
MANY = Statement(
    "notes.many",
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :rows)"
    " SELECT i, hex(zeroblob(:size / 2)) AS text FROM n",
)
MB = 1 << 20


@pytest.fixture
async def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Store]:
    """A store with one note, whose snapshots last until something is written."""
    monkeypatch.setattr("service.database.point_reader.SNAPSHOT_SECONDS", 3600.0)
    path = tmp_path / "scratch.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("CREATE TABLE notes (number INTEGER, text TEXT); INSERT INTO notes VALUES (1, 'old')")
    store = Store(path)
    await store.open()
    yield store
    await store.close()


def note(tx: Tx) -> dict[str, object]:
    row = tx.one(NOTE, number=1)
    assert row is not None
    return row  # type: ignore[return-value]  # as somebody would who means to change it


async def test_what_another_program_wrote_is_there_at_once_for_whoever_looks_anew(store: Store) -> None:
    assert store.peek(note)["text"] == "old"
    with closing(sqlite3.connect(store.path)) as another, another:
        another.execute("UPDATE notes SET text = 'new'")
    assert store.peek(note)["text"] == "old"
    store.look_anew()
    assert store.peek(note)["text"] == "new"


def grown(store: Store, statement: Statement, name: str, values: Iterable[object]) -> int:
    """Tell how many bytes more are in use at the most while each of these values is asked for."""
    tracemalloc.start()
    try:
        for value in values:
            store.peek(lambda tx, value=value: tx.one(statement, **{name: value}))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


async def test_a_row_that_others_may_have_been_given_cannot_be_changed(store: Store) -> None:
    row = store.peek(note)
    with pytest.raises(TypeError):
        row["text"] = "forged"
    with pytest.raises(AttributeError):
        row.update(text="forged")
    assert store.peek(note) == {"text": "old"}


async def test_what_is_remembered_is_forgotten_with_the_next_commit(store: Store) -> None:
    assert store.peek(note) == {"text": "old"}
    assert store.peek(lambda tx: tx.one(NAMED, text="new")) is None
    await store.write(lambda tx: tx.run(EDIT, number=1))
    assert store.peek(note) == {"text": "new"}
    assert store.peek(lambda tx: tx.one(NAMED, text="new")) == {"number": 1}


async def test_very_many_rows_are_not_all_remembered(store: Store) -> None:
    some = grown(store, NOTE, "number", range(ROWS_REMEMBERED_MAX))
    assert grown(store, NOTE, "number", range(-5 * ROWS_REMEMBERED_MAX, 0)) < 2 * some


async def test_very_long_rows_are_not_all_remembered(store: Store) -> None:
    assert grown(store, LONG, "number", range(100)) < 2 * CHARACTERS_REMEMBERED_MAX + 8 * MB


async def test_very_long_questions_are_not_all_remembered(store: Store) -> None:
    questions = (f"{number:01000000d}" for number in range(60))
    assert grown(store, NAMED, "text", questions) < 2 * CHARACTERS_REMEMBERED_MAX + 8 * MB


@pytest.mark.parametrize(("rows", "size"), [(ROWS_MAX + 1, 0), (2, CHARACTERS_MAX // 2 + 2), (1, TEXT_BYTES_MAX + 2)])
async def test_more_than_others_can_be_kept_waiting_for_is_not_read_here(store: Store, rows: int, size: int) -> None:
    """Nor is it in several statements, and whoever needs all of it gets it elsewhere."""
    for statements in (1, 2):
        each = {"rows": rows // statements + 1, "size": size}
        with pytest.raises(Abundant):
            store.peek(lambda tx, n=statements, each=each: [tx.all(MANY, **each) for _ in range(n)], is_brief=True)
    assert len(await store.read(lambda tx: tx.all(MANY, rows=rows, size=size))) == rows
    little = {"rows": ROWS_MAX, "size": CHARACTERS_MAX // ROWS_MAX}
    assert len(store.peek(lambda tx: tx.all(MANY, **little), is_brief=True)) == ROWS_MAX
    assert store.peek(note) == {"text": "old"}
