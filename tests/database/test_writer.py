"""The writer: units that wait share a COMMIT, in their order, and an organization leaves room for others."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from service.database.queries import Statement
from service.database.store import Store, Tx

from ..world import OUTSIDER, World

COUNT = 30
ADD = Statement("notes.add", "INSERT INTO notes (text) VALUES (:text)")


class Writing:
    """Units that wait behind one which is held, and the order in which they are done."""

    def __init__(self, path: Path, store: Store) -> None:
        self.path, self.store = path, store
        self.done: list[str] = []
        self._hold = threading.Event()
        self._waiting: list[asyncio.Task[None]] = []

    async def hold(self) -> None:
        """Keep the writer busy, so that all that is asked from now on waits together."""
        began = threading.Event()
        self._waiting.append(asyncio.create_task(self.store.write(lambda tx: (began.set(), self._hold.wait(20)))))
        assert await asyncio.to_thread(began.wait, 20)

    def ask(self, org_id: str, count: int) -> None:
        """Have units wait."""
        for number in range(count):
            name = f"{org_id} {number:02d}"
            self._waiting.append(asyncio.create_task(self._write(org_id, name), name=name))

    async def _write(self, org_id: str, text: str) -> None:
        def unit(tx: Tx) -> None:
            tx.run(ADD, text=text)
            self.done.append(text)

        await self.store.write(unit, org_id)

    async def go_on(self) -> int:
        """Let all go on until all are answered; tells how many COMMITs they took."""
        await asyncio.sleep(0)
        before = self.store.stats.groups
        self._hold.set()
        await asyncio.wait_for(asyncio.gather(*self._waiting), 20)
        return self.store.stats.groups - before - 1

    def stored(self) -> list[str]:
        """Tell what another process would see."""
        with closing(sqlite3.connect(self.path)) as connection:
            return [text for (text,) in connection.execute("SELECT text FROM notes ORDER BY rowid")]


@pytest.fixture
async def writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Writing]:
    monkeypatch.setattr("service.database.deadline.UNIT_SECONDS_MAX", 30)  # for the unit that holds the writer
    with closing(sqlite3.connect(path := tmp_path / "scratch.db")) as connection:
        connection.execute("CREATE TABLE notes (text TEXT NOT NULL)")
    store = Store(path)
    await store.open()
    yield Writing(path, store)
    await store.close()


async def test_units_that_wait_together_share_one_commit_in_the_order_in_which_they_came(writing: Writing) -> None:
    await writing.hold()
    writing.ask("one", COUNT)
    writing.ask("other", COUNT)
    writing.ask("", 1)
    assert await writing.go_on() == 1
    assert writing.done == [f"{name} {n:02d}" for name in ("one", "other") for n in range(COUNT)] + [" 00"]
    assert writing.stored() == writing.done


async def test_a_group_has_a_bound(writing: Writing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.database.writer.GROUP_MAX", 8)
    await writing.hold()
    writing.ask("one", 3 * 8 + 1)
    assert await writing.go_on() == 4
    assert writing.stored() == writing.done


async def test_the_writes_of_one_organization_leave_room_for_those_of_others(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.database.writer.ORGANIZATION_QUEUE_MAX", 3)
    monkeypatch.setattr("service.database.deadline.UNIT_SECONDS_MAX", 30)  # for the unit that holds the writer
    other, hold = await world.login(OUTSIDER), threading.Event()
    card, theirs = await world.card(await world.board()), await world.card(await world.board(other), by=other)
    held = asyncio.create_task(world.service.store.write(lambda tx: hold.wait(20)))
    await asyncio.sleep(0.1)
    path = f"/cards/{card['id']}"
    waiting = [asyncio.create_task(world.sa.patch(path, {"title": str(number)})) for number in range(3)]
    await asyncio.sleep(0.5)
    (await world.member.patch(path, {"title": "One too many"})).refused(503, "overloaded")
    taken = asyncio.create_task(other.patch(f"/cards/{theirs['id']}", {"title": "Theirs"}))
    await asyncio.sleep(0.5)
    assert not taken.done(), taken.result()
    hold.set()
    await held
    assert (await taken).ok()["title"] == "Theirs"
    assert [(await each).status for each in waiting] == [200] * 3
