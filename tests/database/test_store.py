"""The store: units share a commit, yet each stands alone; what was acknowledged is there, what was refused is not."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from service.config import Settings
from service.database.statement import Statement
from service.database.store import Store, Tx
from service.errors import Unavailable

from ..world import World

SCHEMA = """
CREATE TABLE notes (text TEXT NOT NULL UNIQUE);
CREATE TABLE strict_notes (text TEXT REFERENCES notes (text) DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE counter (value INTEGER NOT NULL);
INSERT INTO counter VALUES (0);
"""
ADD = Statement("notes.add", "INSERT INTO notes (text) VALUES (:text)")
ALL = Statement("notes.all", "SELECT text FROM notes ORDER BY text")
# ImportLocks until the commit, which then fails: it names a note that is not there.
ADD_DANGLING = Statement("strict_notes.add", "INSERT INTO strict_notes (text) VALUES ('nowhere')")
INCREASE = Statement("counter.increase", "UPDATE counter SET value = value + 1")
COUNTER = Statement("counter.read", "SELECT value FROM counter")
FILL = Statement("notes.fill", "INSERT INTO notes (text) VALUES (hex(randomblob(1000000)))")
LIMIT = Statement("limit", "PRAGMA max_page_count = 200")


class Refused(Exception):
    """What a rule raises in the middle of a unit."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "scratch.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA)
    return path


@pytest.fixture
async def store(path: Path) -> AsyncIterator[Store]:
    store = Store(path)
    await store.open()
    yield store
    await store.close()


def stored(path: Path) -> list[str]:
    """Tell what another process would see."""
    with closing(sqlite3.connect(path)) as connection:
        return [text for (text,) in connection.execute("SELECT text FROM notes WHERE length(text) < 100 ORDER BY text")]


def add(tx: Tx, text: str) -> str:
    tx.run(ADD, text=text)
    return text


def add_and_refuse(tx: Tx, text: str) -> None:
    add(tx, text)
    raise Refused(text)


async def test_a_unit_gives_its_result_once_its_change_is_durable(store: Store, path: Path) -> None:
    assert await store.write(lambda tx: add(tx, "a")) == "a"
    assert stored(path) == ["a"]
    assert [row["text"] for row in await store.read(lambda tx: tx.all(ALL))] == ["a"]
    assert await store.read(lambda tx: (tx.one(ALL)["text"], tx.value(ALL))) == ("a", "a")


async def test_a_unit_that_fails_takes_back_only_its_own_changes(store: Store, path: Path) -> None:
    units = [store.write(lambda tx, n=n: (add_and_refuse if n % 3 == 0 else add)(tx, f"{n:03d}")) for n in range(300)]
    outcomes = await asyncio.gather(*units, return_exceptions=True)
    assert [isinstance(outcome, Refused) for outcome in outcomes] == [n % 3 == 0 for n in range(300)]
    assert stored(path) == [f"{n:03d}" for n in range(300) if n % 3]


async def test_a_statement_that_fails_takes_back_the_whole_unit(store: Store, path: Path) -> None:
    await store.write(lambda tx: add(tx, "taken"))
    with pytest.raises(sqlite3.IntegrityError):
        await store.write(lambda tx: (add(tx, "first"), add(tx, "taken")))
    assert stored(path) == ["taken"]


async def test_concurrent_units_lose_nothing(store: Store) -> None:
    await asyncio.gather(*[store.write(lambda tx: tx.run(INCREASE)) for _ in range(2000)])
    assert await store.read(lambda tx: tx.value(COUNTER)) == 2000


async def test_effects_run_after_the_commit_and_not_for_a_unit_that_failed(store: Store, path: Path) -> None:
    seen: dict[str, list[str]] = {}

    def unit(tx: Tx, text: str, refuse: bool) -> None:
        tx.on_commit(lambda: seen.update({text: stored(path)}))
        (add_and_refuse if refuse else add)(tx, text)

    units = [store.write(lambda tx, n=n: unit(tx, str(n), n % 2 == 1)) for n in range(6)]
    await asyncio.gather(*units, return_exceptions=True)
    assert seen.keys() == {"0", "2", "4"}
    assert all(text in visible for text, visible in seen.items())


async def test_an_effect_that_fails_harms_neither_its_change_nor_the_next(store: Store, path: Path) -> None:
    ran = []

    def unit(tx: Tx) -> None:
        add(tx, "a")
        tx.on_commit(lambda: 1 // 0)
        tx.on_commit(lambda: ran.append(True))

    await store.write(unit)
    assert stored(path) == ["a"]
    assert ran == [True]


async def test_readers_cannot_write(store: Store, path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        await store.read(lambda tx: add(tx, "a"))
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        store.read_inline(lambda tx: add(tx, "a"))
    await store.write(lambda tx: add(tx, "b"))
    assert stored(path) == ["b"]


async def test_a_confirmed_change_is_visible_in_every_kind_of_read(store: Store) -> None:
    async def look_after_writing() -> None:
        for _ in range(50):
            reached = await store.write(lambda tx: (tx.run(INCREASE), tx.value(COUNTER))[1])
            assert store.read_inline(lambda tx: tx.value(COUNTER)) >= reached
            assert await store.read(lambda tx: tx.value(COUNTER)) >= reached

    await asyncio.gather(*[look_after_writing() for _ in range(20)])
    assert store.read_inline(lambda tx: tx.value(COUNTER)) == 1000


async def test_a_read_sees_one_snapshot_however_long_it_takes(store: Store) -> None:
    await store.write(lambda tx: add(tx, "a"))
    began, go_on = threading.Event(), threading.Event()

    def look_twice(tx: Tx) -> tuple[int, int]:
        first = len(tx.all(ALL))
        began.set()
        assert go_on.wait(10)
        return first, len(tx.all(ALL))

    reading = asyncio.create_task(store.read(look_twice))
    assert await asyncio.to_thread(began.wait, 10)
    await store.write(lambda tx: add(tx, "b"))  # a long read holds no writer up
    go_on.set()
    assert await reading == (1, 1)
    assert len(await store.read(lambda tx: tx.all(ALL))) == 2


@pytest.mark.parametrize("parameters", [{}, {"text": "a", "color": "red"}, {"texts": "a"}])
async def test_a_statement_takes_exactly_its_parameters(store: Store, path: Path, parameters: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"notes\.add"):
        await store.write(lambda tx: tx.run(ADD, **parameters))
    assert stored(path) == []


async def test_a_unit_has_one_time(store: Store) -> None:
    first, second = await store.write(lambda tx: (tx.now, [tx.value(COUNTER) for _ in range(2000)] and tx.now))
    assert first == second


async def test_closing_finishes_the_writes_that_were_taken_and_takes_no_more(path: Path) -> None:
    store = Store(path)
    await store.open()
    writes = [asyncio.create_task(store.write(lambda tx, n=n: add(tx, f"{n:03d}"))) for n in range(600)]
    await asyncio.sleep(0)  # let them all queue
    await store.close()
    assert len(await asyncio.gather(*writes)) == 600
    assert len(stored(path)) == 600
    with pytest.raises(Unavailable):
        await store.write(lambda tx: add(tx, "late"))


async def test_a_commit_that_fails_refuses_every_unit_in_it_and_keeps_nothing(store: Store, path: Path) -> None:
    effects: list[str] = []

    def unit(tx: Tx, text: str) -> None:
        add(tx, text)
        tx.on_commit(lambda: effects.append(text))

    units = [store.write(lambda tx, n=n: unit(tx, str(n))) for n in range(5)]
    units.append(store.write(lambda tx: tx.run(ADD_DANGLING)))
    outcomes = await asyncio.gather(*units, return_exceptions=True)
    refused = {str(n) for n, outcome in enumerate(outcomes[:5]) if isinstance(outcome, Unavailable)}
    assert isinstance(outcomes[5], Unavailable)
    assert stored(path) == sorted({"0", "1", "2", "3", "4"} - refused)
    assert sorted(effects) == stored(path)
    await store.write(lambda tx: add(tx, "after"))
    assert "after" in stored(path)


async def test_a_full_disk_keeps_what_was_acknowledged_and_nothing_else(store: Store, path: Path) -> None:
    await store.write(lambda tx: tx.run(LIMIT))  # pages of this database: as good as a full disk
    units = [store.write(lambda tx, n=n: (add(tx, str(n)), n == 3 and tx.run(FILL))) for n in range(6)]
    outcomes = await asyncio.gather(*units, return_exceptions=True)
    assert isinstance(outcomes[3], Exception)
    assert stored(path) == [str(n) for n, outcome in enumerate(outcomes) if not isinstance(outcome, Exception)]
    await store.write(lambda tx: add(tx, "small"))
    assert "small" in stored(path)


async def test_a_change_that_cannot_be_stored_is_503_over_http_and_nothing_of_it_is_there(
    world: World, settings: Settings
) -> None:
    card = await world.card(await world.board())
    with closing(sqlite3.connect(settings.database)) as connection:
        connection.executescript(
            """
            CREATE TABLE trap (id TEXT REFERENCES users (id) DEFERRABLE INITIALLY DEFERRED);
            CREATE TRIGGER spring AFTER INSERT ON comments BEGIN INSERT INTO trap (id) VALUES (NEW.id); END;
            """
        )
    path = f"/cards/{card['id']}/comments"
    (await world.sa.post(path, {"content": "lost"})).refused(503, "unavailable")
    assert (await world.sa.get(path)).ok()["total"] == 0
    assert len(await world.history(card["id"])) == 1
    assert (await world.sa.patch(f"/cards/{card['id']}", {"title": "Still writable"})).ok()


async def test_so_many_changes_may_wait_to_be_stored_and_one_caller_leaves_room_for_others(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.database.writer.QUEUE_MAX", 3)
    monkeypatch.setattr("service.database.deadline.UNIT_SECONDS_MAX", 30)  # for the unit that holds the writer
    card, hold = await world.card(await world.board()), threading.Event()
    held = asyncio.create_task(world.service.store.write(lambda tx: hold.wait(20)))
    await asyncio.sleep(0.1)
    path = f"/cards/{card['id']}"
    waiting = [asyncio.create_task(world.sa.patch(path, {"title": str(number)})) for number in range(3)]
    await asyncio.sleep(0.5)
    answer = await world.sa.patch(path, {"title": "One too many"})
    answer.refused(503, "overloaded")
    assert int(answer.headers["Retry-After"]) > 0
    assert (await world.member.get(path)).ok()["title"] == "Card"
    other = asyncio.create_task(world.member.patch(path, {"title": "Theirs"}))
    await asyncio.sleep(0.5)
    hold.set()
    await held
    assert sorted([(await each).status for each in waiting]) == [200, 200, 503]
    assert (await other).status == 200
    assert (await world.sa.patch(path, {"title": "Room again"})).ok()["version"] == 5
