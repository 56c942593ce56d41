"""Writes take turns between organizations, and a crowd of one keeps nobody waiting for all of it."""

import asyncio
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from service.database.commits import Committed
from service.database.queries import Statement
from service.database.store import Store, Tx
from service.database.write_queue import COMMITS_REMEMBERED, Group, Unit, WriteQueue

from ..world import OUTSIDER, World

CROWD = 30
WORK_SECONDS = 0.02  # of a unit: longer than a COMMIT takes
FILL = Statement("notes.fill", "INSERT INTO notes (text) VALUES (hex(randomblob(4000000)))")
ADD = Statement("notes.add", "INSERT INTO notes (text) VALUES (:text)")


class Writing:
    """Units of several organizations that wait behind one which is held, and in which order they are done."""

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

    def ask(
        self, org_id: str, count: int = 1, alone: bool = False, seconds: float = WORK_SECONDS
    ) -> "asyncio.Task[None]":
        """Have units wait; gives the last of them."""
        first = sum(task.get_name().startswith(org_id) for task in self._waiting)
        for number in range(first, first + count):
            name = f"{org_id} {number:02d}"
            self._waiting.append(asyncio.create_task(self._write(org_id, name, alone, seconds), name=name))
        return self._waiting[-1]

    async def _write(self, org_id: str, text: str, alone: bool, seconds: float) -> None:
        def unit(tx: Tx) -> None:
            time.sleep(seconds)
            tx.run(ADD, text=text)
            self.done.append(text)

        await self.store.write(unit, org_id, alone)

    async def go_on(self) -> int:
        """Let all go on until all are answered; tells how many COMMITs they took."""
        await asyncio.sleep(0)
        before = self.store.figures.groups
        self._hold.set()
        await asyncio.wait_for(asyncio.gather(*self._waiting), 20)
        return self.store.figures.groups - before - 1

    def stored(self) -> list[str]:
        """Tell what another process would see."""
        with closing(sqlite3.connect(self.path)) as connection:
            return [text for (text,) in connection.execute("SELECT text FROM notes ORDER BY rowid")]


@pytest.fixture
async def writing(tmp_path: Path) -> AsyncIterator[Writing]:
    with closing(sqlite3.connect(path := tmp_path / "scratch.db")) as connection:
        connection.execute("CREATE TABLE notes (text TEXT NOT NULL)")
    store = Store(path)
    await store.open()
    yield Writing(path, store)
    await store.close()


async def test_who_writes_once_does_not_wait_for_the_crowd_of_another_organization(writing: Writing) -> None:
    await writing.hold()
    writing.ask("large", CROWD)
    small = writing.ask("small")
    seen: list[int] = []
    small.add_done_callback(lambda _: seen.append(len(writing.done)))
    await writing.go_on()
    assert writing.done.index("small 00") <= 1
    assert seen[0] <= 5  # so many were done when it was answered: its COMMIT was not that of the crowd


async def test_what_has_to_wait_on_is_done_in_its_order_and_nothing_is_lost(writing: Writing) -> None:
    await writing.hold()
    writing.ask("large", CROWD)
    writing.ask("small", 3)
    commits = await writing.go_on()
    assert commits <= 5  # as many as the small one's, and what was there before it
    of_large = [text for text in writing.done if text.startswith("large")]
    assert of_large == [f"large {number:02d}" for number in range(CROWD)]
    assert writing.stored() == writing.done
    assert writing.done.index("small 02") <= 5  # one each in turn


async def test_who_comes_while_a_crowd_of_another_organization_is_at_it_does_not_wait_for_all_of_it(
    writing: Writing,
) -> None:
    await writing.hold()
    writing.ask("large", CROWD)
    going = asyncio.create_task(writing.go_on())
    while len(writing.done) < 3:  # noqa: ASYNC110  # nobody tells
        await asyncio.sleep(0.001)
    small = asyncio.create_task(writing.store.write(lambda tx: writing.done.append("small"), "small"))
    await small
    assert len(writing.done) <= 8  # one that was begun, its own, and one more of the crowd beside each
    assert await going <= 4  # the rest of the crowd shares one COMMIT again
    assert writing.stored() == [text for text in writing.done if text != "small"]


async def test_two_crowds_share_their_commits(writing: Writing) -> None:
    await writing.hold()
    writing.ask("one", CROWD)
    writing.ask("other", CROWD)
    assert await writing.go_on() == 1
    assert writing.done[:4] == ["one 00", "other 00", "one 01", "other 01"]


async def test_no_group_is_over_before_it_has_gone_on_for_as_long_as_a_commit_takes() -> None:
    queue, loop = WriteQueue(), asyncio.get_running_loop()
    for org_id in ("large", "large", "large", "small"):
        queue.add(Unit(lambda tx: None, org_id, False, loop.create_future()))
    queue.settle(Group([], Counter()), Committed(commit_seconds=1.6))  # a slow disk
    group = queue.next_group()
    assert [unit.org_id for unit in group.units] == ["large", "small", "large", "large"]
    assert not group.is_over(2)
    await asyncio.sleep(1.6 / COMMITS_REMEMBERED)
    assert [group.is_over(done) for done in (1, 2)] == [False, True]


async def test_the_longer_a_commit_takes_the_more_share_it(writing: Writing) -> None:
    for _ in range(8):
        await writing.store.write(lambda tx: tx.run(FILL))
    await writing.hold()
    writing.ask("large", CROWD, seconds=0)
    writing.ask("small", seconds=0)
    assert await writing.go_on() <= CROWD / 3


async def test_a_crowd_that_is_alone_shares_one_commit(writing: Writing) -> None:
    await writing.store.write(lambda tx: tx.run(ADD, text="before"), "small")
    await writing.hold()
    writing.ask("large", CROWD)
    assert await writing.go_on() == 1
    assert len(writing.stored()) == CROWD + 1


async def test_the_services_own_writes_are_no_neighbours_of_a_crowd(writing: Writing) -> None:
    await writing.hold()
    writing.ask("large", CROWD)
    writing.ask("", 1)
    assert await writing.go_on() == 1


async def test_a_unit_that_goes_alone_does_not_wait_for_the_crowd_of_another_organization(writing: Writing) -> None:
    await writing.hold()
    writing.ask("large", CROWD)
    writing.ask("small", alone=True)
    writing.ask("small")
    await writing.go_on()
    assert writing.done.index("small 00") <= 5
    assert writing.done.index("small 00") < writing.done.index("small 01") <= 8
    assert writing.stored() == writing.done
    assert len(writing.done) == CROWD + 2


async def test_a_unit_that_goes_alone_shares_no_commit(writing: Writing) -> None:
    await writing.hold()
    for alone in (False, True, False):
        writing.ask("", 1 if alone else 3, alone=alone)
    assert await writing.go_on() == 3
    assert writing.done == sorted(writing.done)
    assert len(writing.done) == 7


async def test_a_crowd_of_one_organization_leaves_room_for_the_writes_of_others(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.database.write_queue.ORGANIZATION_UNITS_MAX", 3)
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
    assert not taken.done()
    hold.set()
    await held
    assert (await taken).ok()["title"] == "Theirs"
    assert [(await each).status for each in waiting] == [200] * 3
