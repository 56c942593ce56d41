"""The writer: callers are served in turn, short units share a COMMIT, and too much load is refused."""

import asyncio
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from service.database.commits import GROUP_SECONDS_MAX
from service.database.statement import Statement
from service.database.store import Share, Store, Tx
from service.database.writer import CALLER_SECONDS_MAX
from service.errors import Overloaded

LONG_SECONDS = 2 * GROUP_SECONDS_MAX
ADD = Statement("notes.add", "INSERT INTO notes (text) VALUES (:text)")


class Writing:
    """Units that wait behind one which is held, and what became of them."""

    def __init__(self, path: Path, store: Store) -> None:
        self.path, self.store = path, store
        self.done: list[str] = []
        self.groups: list[int] = []  # for each unit that was done, the number of its COMMIT
        self._hold = threading.Event()
        self._waiting: list[asyncio.Task[None]] = []

    async def hold(self) -> None:
        """Keep the writer busy, so that all that is asked from now on waits together."""
        began = threading.Event()
        self._waiting.append(asyncio.create_task(self.store.write(lambda tx: (began.set(), self._hold.wait(20)))))
        assert await asyncio.to_thread(began.wait, 20)

    async def ask(self, who: str, count: int = 1, seconds: float = 0.0) -> list[asyncio.Task[None]]:
        """Let units of somebody wait; the name is that of the organization, a dot, and that of the caller."""
        tasks = [asyncio.create_task(self.write(who, f"{who} {number:02d}", seconds)) for number in range(count)]
        self._waiting += tasks
        await asyncio.sleep(0)
        return tasks

    async def write(self, who: str, text: str, seconds: float = 0.0) -> None:
        """Store a note, which takes some time."""

        def unit(tx: Tx) -> None:
            tx.run(ADD, text=text)
            time.sleep(seconds)
            self.done.append(text)
            self.groups.append(self.store.stats.groups)

        organization, _, caller = who.partition(".")
        await self.store.write(unit, Share(organization, caller))

    async def go_on(self) -> int:
        """Let all go on until all are answered; tells how many COMMITs they took."""
        before = self.store.stats.groups
        self._hold.set()
        await asyncio.wait_for(asyncio.wait(self._waiting), 20)
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


async def test_short_units_that_wait_together_share_one_commit_in_turn(writing: Writing) -> None:
    await writing.hold()
    for who in ("one.a", "other.b"):
        await writing.ask(who, 15)
    await writing.ask("third", 1)  # the service's own work for an organization has its turn, too
    assert await writing.go_on() == 1
    pairs = [f"{who} {number:02d}" for number in range(15) for who in ("one.a", "other.b")]
    assert writing.done == [*pairs[:2], "third 00", *pairs[2:]]
    assert writing.stored() == writing.done


async def test_a_group_ends_after_its_time_and_the_other_units_keep_their_order(writing: Writing) -> None:
    await writing.hold()
    await writing.ask("one.a", 10, GROUP_SECONDS_MAX / 4)  # how long they take is not known yet
    await writing.go_on()
    assert max(Counter(writing.groups).values()) <= 5
    assert writing.stored() == writing.done == [f"one.a {number:02d}" for number in range(10)]


async def test_a_group_takes_no_unit_that_is_expected_to_end_too_late(writing: Writing) -> None:
    await writing.write("one.a", "known", GROUP_SECONDS_MAX * 0.6)
    await writing.hold()
    await writing.ask("one.a", 4, GROUP_SECONDS_MAX * 0.6)
    assert await writing.go_on() == 4


async def test_no_short_unit_waits_for_the_commit_of_one_who_sends_long_ones(writing: Writing) -> None:
    await writing.write("one.a", "known", LONG_SECONDS)
    await writing.hold()
    await writing.ask("one.a", 2, LONG_SECONDS)
    for who in ("other.b", "other.c"):
        await writing.ask(who, 3)
    await writing.go_on()
    _, first, *others, last = zip(writing.done, writing.groups, strict=True)
    assert (first[0], last[0]) == ("one.a 00", "one.a 01")
    assert sorted(text.partition(" ")[0] for text, _ in others) == ["other.b"] * 3 + ["other.c"] * 3
    assert [group - first[1] for _, group in others] == [1] * 6
    assert last[1] - first[1] == 2


async def test_no_short_unit_waits_for_the_commit_of_a_caller_in_debt(writing: Writing) -> None:
    await writing.hold()
    await writing.ask("one.a", 1, LONG_SECONDS)  # how long it takes is not known yet
    await writing.ask("one.a2", 20)
    await writing.ask("other.b", 3)
    await writing.go_on()
    assert writing.done[:4] == ["one.a 00", "other.b 00", "other.b 01", "other.b 02"]
    assert len(set(writing.groups[1:4])) == 1
    assert set(writing.groups[1:4]).isdisjoint(writing.groups[:1] + writing.groups[4:])


@pytest.mark.slow
async def test_one_who_keeps_others_waiting_is_refused_and_they_are_not(writing: Writing) -> None:
    await writing.write("one.a", "known", LONG_SECONDS)
    await writing.hold()
    count = int(CALLER_SECONDS_MAX / LONG_SECONDS) + 5
    await writing.ask("one.a", count, LONG_SECONDS)  # alone it is not refused
    await writing.ask("one", 5)  # nor beside the service's own work
    (last,) = await writing.ask("one.a")
    await writing.ask("one.colleague")
    (refused,) = await writing.ask("one.a")
    with pytest.raises(Overloaded) as error:
        await refused
    assert int(error.value.headers["Retry-After"]) > 0
    assert "wait a few seconds" in error.value.message
    others = await writing.ask("one.colleague", 3) + await writing.ask("other.b", 3) + await writing.ask("one", 3)
    await writing.go_on()
    assert all(task.exception() is None for task in [last, *others])
    assert len(writing.done) == 1 + count + 5 + 1 + 1 + 3 + 3 + 3
    assert (await asyncio.gather(writing.write("one.a", "again"), writing.write("other.b", "again"))) == [None, None]


async def test_beyond_the_bound_the_newest_unit_of_the_one_with_most_is_refused(
    writing: Writing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.database.writer.QUEUE_MAX", 8)
    await writing.hold()
    own = await writing.ask("one", 4)
    many = await writing.ask("one.a", 10)
    others = await writing.ask("other.b", 3)
    await writing.go_on()
    for task in many[-5:]:
        assert isinstance(task.exception(), Overloaded)
    assert all(task.exception() is None for task in own + many[:-5] + others)
    assert len(writing.done) == len(writing.stored()) == 12


async def test_a_unit_whose_caller_leaves_while_it_waits_is_not_done(writing: Writing) -> None:
    await writing.hold()
    first, second = await writing.ask("one.a", 2, LONG_SECONDS)
    third, fourth = await writing.ask("other.b", 2)
    for task in (second, third):
        task.cancel()
    await writing.go_on()
    assert [task.cancelled() for task in (first, second, third, fourth)] == [False, True, True, False]
    assert writing.stored() == writing.done == ["one.a 00", "other.b 01"]
    await writing.write("one.a", "again")


async def test_a_unit_whose_caller_leaves_while_its_group_is_done_is_not_begun(writing: Writing) -> None:
    await writing.hold()
    first, second = await writing.ask("one.a", 2, LONG_SECONDS)
    ending = asyncio.create_task(writing.go_on())
    await asyncio.sleep(LONG_SECONDS / 2)
    second.cancel()
    await ending
    assert writing.stored() == writing.done == ["one.a 00"]
    assert first.exception() is None
