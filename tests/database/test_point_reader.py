"""Reads on the event loop: on a snapshot that each commit renews, and only as long as other requests can wait."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing, nullcontext
from pathlib import Path

import pytest

from service.database.point_reader import CHARACTERS_MAX, ROWS_MAX, TEXT_BYTES_MAX
from service.database.statement import Statement
from service.database.store import Store, TooManyRows, Tx

NOTE = Statement("notes.read", "SELECT text FROM notes WHERE number = :number")
NAMED = Statement("notes.named", "SELECT number FROM notes WHERE text = :text")
EDIT = Statement("notes.edit", "UPDATE notes SET text = 'new' WHERE number = :number")
MANY = Statement(
    "notes.many",
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :rows)"
    " SELECT i, hex(zeroblob(:size / 2)) AS text FROM n",
)


@pytest.fixture
async def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Store]:
    """Provide a store with one note, whose snapshots last until something is written."""
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


async def test_writes_of_another_program_are_visible_after_a_refresh(store: Store) -> None:
    assert store.read_inline(note)["text"] == "old"
    with closing(sqlite3.connect(store.path)) as another, another:
        another.execute("UPDATE notes SET text = 'new'")
    assert store.read_inline(note)["text"] == "old"
    store.refresh_snapshot()
    assert store.read_inline(note)["text"] == "new"


async def test_what_was_committed_is_seen_by_the_next_read(store: Store) -> None:
    assert store.read_inline(note) == {"text": "old"}
    assert store.read_inline(lambda tx: tx.one(NAMED, text="new")) is None
    await store.write(lambda tx: tx.run(EDIT, number=1))
    assert store.read_inline(note) == {"text": "new"}
    assert store.read_inline(lambda tx: tx.one(NAMED, text="new")) == {"number": 1}


@pytest.mark.parametrize("fails", [False, True])
async def test_a_read_on_the_event_loop_never_falls_behind_one_on_a_thread(store: Store, fails: bool) -> None:
    def read_on_thread(tx: Tx) -> None:
        assert note(tx)["text"] == "new"
        if fails:
            raise LookupError

    assert store.read_inline(note)["text"] == "old"
    with closing(sqlite3.connect(store.path)) as another, another:
        another.execute("UPDATE notes SET text = 'new'")
    with pytest.raises(LookupError) if fails else nullcontext():
        await store.read(read_on_thread)
    assert store.read_inline(note)["text"] == "new"


@pytest.mark.parametrize(("rows", "size"), [(ROWS_MAX + 1, 0), (2, CHARACTERS_MAX // 2 + 2), (1, TEXT_BYTES_MAX + 2)])
async def test_a_large_inline_read_raises_too_many_rows(store: Store, rows: int, size: int) -> None:
    """The limit counts all statements of a unit; a reader thread returns everything."""
    for statements in (1, 2):
        each = {"rows": rows // statements + 1, "size": size}
        with pytest.raises(TooManyRows):
            store.read_inline(
                lambda tx, n=statements, each=each: [tx.all(MANY, **each) for _ in range(n)], limited=True
            )
    assert len(await store.read(lambda tx: tx.all(MANY, rows=rows, size=size))) == rows
    little = {"rows": ROWS_MAX, "size": CHARACTERS_MAX // ROWS_MAX}
    assert len(store.read_inline(lambda tx: tx.all(MANY, **little), limited=True)) == ROWS_MAX
    assert store.read_inline(note) == {"text": "old"}
