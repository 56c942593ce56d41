"""A large import is written in batches: other requests are served in between, and nobody sees a part of it."""

import asyncio
import json
import resource
import shutil
import sqlite3
import sys
import time
import zlib
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from service import config
from service.auth import import_locks
from service.database.store import Tx
from service.operations import backup
from service.resources.imports import execution, redo_log

from ...load import SEARCH, rows
from ...process import ServiceProcess
from ...running import running
from ...snapshots import card, send, small
from ...threads import assert_lower_priority
from ...world import Answer, Client, World

CARDS = 1500  # that make more portions than are written at once
ONCE = {"Idempotency-Key": "once"}
# How far an import is, by what the database holds of it.
TRIED, PUT_DOWN, DECIDED, PARTLY = "being tried", "being put down", "decided", "partly written"


def many(title: str = "New", org_id: str = "org_small") -> dict[str, Any]:
    """Make a snapshot of a number of cards, each with a value and a comment on the first of them."""
    cards = [card(id=f"c{number}", title=title) for number in range(CARDS)]
    comment = {"id": "m1", "cardId": "c0", "content": "Hello", "actor": {"type": "User", "id": "u"}}
    return small(organization={"id": org_id, "title": title}, cards=cards, comments=[comment])


@pytest.fixture(autouse=True)
def short_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the steps of an import written in many batches, so that a test sees what is between them."""
    monkeypatch.setattr(execution, "TRANSACTION_SECONDS", 0.003)


def stage(database: Path) -> str | None:
    """Tell how far an import is; None if there is none."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        found = connection.execute("SELECT last_step FROM imports").fetchone()
        first, count = connection.execute("SELECT min(number), count(*) FROM import_steps").fetchone()
    if found is None:
        return None
    if found[0] is None:
        return PUT_DOWN if count else TRIED
    return PARTLY if first > 1 else DECIDED


def titles(database: Path) -> Counter[str]:
    """Count the cards of the small organization by their titles."""
    with closing(sqlite3.connect(database)) as connection:
        return Counter(title for (title,) in connection.execute("SELECT title FROM cards WHERE org_id = 'org_small'"))


async def reached(database: Path, task: "asyncio.Task[Answer]", *wanted: str) -> None:
    """Wait until an import is so far; fail the test if it is over before."""
    while await asyncio.to_thread(stage, database) not in wanted:
        assert not task.done(), (task.result().status, task.result().body)


@asynccontextmanager
async def importing(world: World, snapshot: Any, *wanted: str) -> AsyncIterator["asyncio.Task[Answer]"]:
    """Begin an import, and go on once it is so far."""
    task = asyncio.create_task(send(world.sa, snapshot))
    await reached(world.service.store.path, task, *wanted)
    yield task
    await task


def lasting(database: Path) -> dict[str, list[Any]]:
    """Return all rows of a database but those of the search index and of what follows by itself."""
    passing = {*SEARCH, "readiness", "sessions", "database_usage"}
    return {name: found for name, found in rows(database).items() if name not in passing}


async def test_writes_of_other_organizations_are_done_in_between(world: World) -> None:
    board = await world.board(world.outsider)
    async with importing(world, many(), DECIDED, PARTLY) as task:
        before = 0
        while not task.done():
            await world.card(board, by=world.outsider)
            before += stage(world.service.store.path) == PARTLY
    assert (await task).ok()["summary"]["imported"]["cards"] == CARDS
    assert before >= 3  # each of which came between two portions


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities of their own on Linux only")
async def test_an_import_leaves_the_core_to_what_answers_requests(world: World) -> None:
    (await send(world.sa, small())).ok()
    assert_lower_priority("import")
    assert_lower_priority("checks of imports")


async def test_an_organization_that_is_new_is_there_at_once(world: World) -> None:
    async with importing(world, many(), DECIDED, PARTLY) as task:
        seen = set()
        while not task.done():
            answer = await world.sa.get("/organizations/org_small/cards")
            seen.add(answer.status)
            assert answer.status == 404 or answer.ok()["total"] == CARDS
            there = "org_small" in [row["id"] for row in (await world.sa.get("/organizations")).ok()]
            assert there or answer.status == 404
            assert not there or stage(world.service.store.path) is None  # it is listed with the last portion
    assert 404 in seen
    assert (await world.sa.get("/organizations/org_small/cards")).ok()["total"] == CARDS
    assert titles(world.service.store.path) == {"New": CARDS}


async def counted(client: Client, title: str) -> int | None:
    """Count the cards with a title; None if that is not told at the moment."""
    answer = await client.get("/organizations/org_small/cards", params={"q": title})
    if answer.status == 503:
        answer.refused(503, "overloaded")
        assert int(answer.headers["Retry-After"]) > 0
        return None
    return int(answer.ok()["total"])


@pytest.mark.parametrize("patience", [0.0, 5.0])
async def test_members_see_all_or_nothing_of_what_changes_and_lose_no_write(
    world: World, monkeypatch: pytest.MonkeyPatch, patience: float
) -> None:
    monkeypatch.setattr(import_locks, "WAIT_SECONDS", patience)
    (await send(world.sa, many("Old"))).ok()
    seen: set[int | None] = set()
    async with importing(world, many("New"), TRIED, PUT_DOWN, DECIDED, PARTLY) as task:
        title = (await world.sa.get("/cards/c7")).ok()["title"]
        assert title == ("Old" if patience == 0 else title)
        while not task.done():
            written = await world.sa.post("/cards/c7/comments", {"content": "Meanwhile"})
            assert written.status in (200, 503), written.body
            seen.add(await counted(world.sa, "Old"))
    assert seen <= {CARDS, 0, None}
    assert (None in seen) == (patience == 0)
    (await task).ok()
    assert titles(world.service.store.path) == {"New": CARDS}
    (await world.sa.post("/cards/c7/comments", {"content": "Afterwards"})).ok()
    assert len((await world.sa.get("/cards/c7/comments")).ok()) >= 1


async def test_nothing_leaves_an_organization_of_which_half_is_written(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_locks, "WAIT_SECONDS", 0.0)
    (await send(world.sa, many("Old"))).ok()
    small_sa = world.client({**world.sa.headers, "X-Organization-Id": "org_small"})
    async with importing(world, many("New"), PARTLY) as task:
        for path in ("/admin/export", "/organizations/org_small/search?q=New", "/organizations/org_small/events"):
            answer = await small_sa.get(path)
            if not task.done():
                answer.refused(503, "overloaded")
        (await world.sa.get("/organizations")).ok()
        (await world.outsider.get(world.outsider.org("/cards"))).ok()


REFUSED: dict[str, tuple[dict[str, Any], int, str]] = {
    "a circle": (
        {
            "relationships": [
                {"id": "r1", "fromCardId": "c0", "toCardId": "c1", "kind": "blocks"},
                {"id": "r2", "fromCardId": "c1", "toCardId": "c0", "kind": "blocks"},
            ]
        },
        400,
        "InvalidSnapshotShape",
    ),
    "a file without its field": (
        {"files": [{"id": "a", "cardId": "c0", "fieldId": "f1", "name": "n", "mimeType": "a/b", "sizeBytes": 5}]},
        400,
        "InvalidSnapshotShape",
    ),
    "history of no card": (
        {"history": [{"id": "h", "cardId": "nobody", "action": "a", "actor": {"type": "User", "id": "u"}}]},
        400,
        "InvalidSnapshotShape",
    ),
    "the same card twice": ({"cards": [card(id="c0"), card(id="c0")]}, 400, "InvalidSnapshotShape"),
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("is_new", [True, False])
async def test_an_import_that_is_refused_late_leaves_every_row_as_it_was(world: World, kind: str, is_new: bool) -> None:
    groups, status, code = REFUSED[kind]
    if not is_new:
        (await send(world.sa, many("Old"))).ok()
    database = world.service.store.path
    before = lasting(database)
    (await send(world.sa, many("New") | groups)).refused(status, code)
    assert lasting(database) == before
    (await world.card(await world.board()))  # and nobody is held


@pytest.mark.slow
async def test_a_disk_that_is_full_in_the_middle_is_503_and_the_import_goes_on_when_there_is_room(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "INTERVAL_SECONDS", 0.1)
    monkeypatch.setattr(import_locks, "WAIT_SECONDS", 0.0)
    (await send(world.sa, many("Old"))).ok()
    database = world.service.store.path
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    task = asyncio.create_task(send(world.sa, many("New"), headers=ONCE))
    await reached(database, task, DECIDED, PARTLY)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, limits[1]))
    try:
        (await task).refused(503, "unavailable")
        assert stage(database) in (DECIDED, PARTLY)
        (await world.sa.get("/cards/c7")).refused(503, "overloaded")
        (await world.outsider.get(world.outsider.org("/cards"))).ok()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    while stage(database) is not None:  # noqa: ASYNC110  # there is nothing that would tell
        await asyncio.sleep(0.05)
    assert titles(database) == {"New": CARDS}
    assert (await world.sa.get("/cards/c7")).ok()["title"] == "New"
    again = await send(world.sa, many("New"), headers=ONCE)
    assert again.ok()["summary"]["imported"]["cards"] == CARDS
    assert again.headers["Idempotent-Replayed"] == "true"


@pytest.mark.slow
async def test_an_import_that_fails_once_it_is_decided_is_completed_all_the_same(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "INTERVAL_SECONDS", 0.1)
    do, done = redo_log.apply_batch, []

    def fail_once(tx: Tx, portion: bytes) -> None:
        done.append(portion)
        if len(done) == 30:
            raise OSError("something of the machine's")
        do(tx, portion)

    monkeypatch.setattr(redo_log, "apply_batch", fail_once)
    (await send(world.sa, many("New"))).refused(500, "internal_error")
    while stage(world.service.store.path) is not None:  # noqa: ASYNC110  # there is nothing that would tell
        await asyncio.sleep(0.05)
    assert titles(world.service.store.path) == {"New": CARDS}
    assert (await world.sa.get("/organizations/org_small/cards")).ok()["total"] == CARDS


async def test_an_import_that_an_earlier_version_began_is_completed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    former, seen = {name: before for before, name in redo_log.FORMER_NAMES.items()}, set()
    do = redo_log.apply_batch

    def do_as_before(tx: Tx, portion: bytes) -> None:
        lines = [json.loads(line) for line in zlib.decompress(portion).split(b"\n")]
        seen.update(name for name, _ in lines)
        before = [json.dumps([former.get(name, name), given]).encode() for name, given in lines]
        do(tx, zlib.compress(b"\n".join(before)))

    monkeypatch.setattr(redo_log, "apply_batch", do_as_before)
    (await send(world.sa, many("New"), headers=ONCE)).ok()
    assert titles(world.service.store.path) == {"New": CARDS}
    assert {"events.create", "imports.create_organization", "members.create", "retries.upsert"} <= seen


async def killed(process: ServiceProcess, moment: str, snapshot: Any) -> None:
    """Kill the service when an import is so far; fail the test if it was over by then."""
    database = process.folder / "data" / "service.db"
    async with World(process.url) as world:
        task = asyncio.create_task(send(world.sa, snapshot, headers=ONCE))
        await reached(database, task, moment)
        process.kill()
        await asyncio.gather(task, return_exceptions=True)
    assert await asyncio.to_thread(stage, database) is not None


def put_down(database: Path) -> None:
    """Put steps down, as an import that is tried does next: no poll hits that moment reliably."""
    with closing(sqlite3.connect(database)) as connection, connection:
        rows = [("org_small", number, b"steps") for number in range(1, 200)]
        connection.executemany("INSERT INTO import_steps (org_id, number, steps) VALUES (?, ?, ?)", rows)


@pytest.mark.slow
@pytest.mark.parametrize("moment", [TRIED, PUT_DOWN, PARTLY])
@pytest.mark.parametrize("is_new", [True, False])
async def test_after_a_kill_an_import_is_wholly_there_or_not_at_all(
    service_process: ServiceProcess, moment: str, is_new: bool
) -> None:
    database = service_process.folder / "data" / "service.db"
    if not is_new:
        async with World(service_process.url) as world:
            (await send(world.sa, many("Old"))).ok()
    await killed(service_process, TRIED if moment == PUT_DOWN else moment, many("New"))
    if moment == PUT_DOWN:
        put_down(database)
    half = titles(database)
    assert stage(database) == moment
    service_process.start()
    assert await asyncio.to_thread(stage, database) is None  # before anybody is answered
    is_there = moment == PARTLY
    async with World(service_process.url) as world:
        assert titles(database) == ({"New": CARDS} if is_there else {} if is_new else {"Old": CARDS})
        listed = [row["id"] for row in (await world.sa.get("/organizations")).ok()]
        assert ("org_small" in listed) == (is_there or not is_new)
        again = await send(world.sa, many("New"), headers=ONCE)
        assert again.ok()["summary"]["imported"]["cards"] == CARDS
        assert ("Idempotent-Replayed" in again.headers) == is_there
        assert titles(database) == {"New": CARDS}
        (await world.sa.patch("/cards/c7", {"title": "Mine"})).ok()
        actions = [row["action"] for row in await world.history("c7")]
        assert actions == ["imported"] * (1 if is_new else 2) + ["updated"]
    if moment == PARTLY and not is_new:
        assert 0 < half["New"] < CARDS  # it was half of it


@pytest.mark.parametrize("moment", [TRIED, PARTLY])
async def test_a_stop_ends_an_import_soon_and_the_start_completes_what_was_decided(
    service_process: ServiceProcess, moment: str
) -> None:
    database = service_process.folder / "data" / "service.db"
    async with World(service_process.url) as world:
        task = asyncio.create_task(send(world.sa, many()))
        await reached(database, task, moment)
        assert await asyncio.to_thread(service_process.stop) == 0
        await asyncio.gather(task, return_exceptions=True)
    service_process.start()
    assert stage(database) is None
    assert titles(database) in ({"New": CARDS}, {} if moment == TRIED else None)


LEFT = (  # by an import, without the ids and times that each makes anew
    "SELECT id, title, number, column_id, version FROM cards ORDER BY id",
    "SELECT card_id, field_id, value FROM field_values ORDER BY card_id, field_id",
    "SELECT id, position, card_count FROM columns ORDER BY id",
    "SELECT card_id, action, changes FROM history ORDER BY card_id, action",
    "SELECT id, title, owner_id FROM organizations ORDER BY id",
    "SELECT org_id, role FROM memberships ORDER BY org_id, role",
    "SELECT type, org_id FROM events ORDER BY id",
    "SELECT org_id, number FROM import_steps",
)


def left(database: Path) -> list[Any]:
    """Return what an import has left in a database."""
    with closing(sqlite3.connect(database)) as connection:
        return [list(connection.execute(query)) for query in LEFT]


@pytest.mark.slow
async def test_what_a_killed_import_leaves_is_what_one_in_peace_leaves(
    service_process: ServiceProcess, settings: config.Settings, tmp_path: Path
) -> None:
    service_process.stop()
    peaceful = settings.model_copy(update={"data_path": tmp_path / "peaceful", "files_path": tmp_path / "files"})
    shutil.copytree(settings.data_path, peaceful.data_path)
    service_process.start()
    await killed(service_process, PARTLY, many())
    service_process.start()
    assert service_process.stop() == 0
    async with running(peaceful) as world:
        (await send(world.sa, many(), headers=ONCE)).ok()
    assert left(settings.database) == left(peaceful.database)


async def test_a_backup_from_the_middle_of_an_import_comes_back_with_all_of_it(
    world: World, tmp_path: Path, settings: config.Settings
) -> None:
    (await send(world.sa, many("Old"))).ok()
    target = tmp_path / "backup"
    async with importing(world, many("New"), PARTLY):
        await asyncio.to_thread(backup.create_backup, settings, target)
    assert stage(target / "service.db") == PARTLY
    restored = settings.model_copy(update={"data_path": target, "files_path": target / "files"})
    async with running(restored) as there:
        assert titles(target / "service.db") == {"New": CARDS}
        assert (await there.sa.get("/cards/c7")).ok()["title"] == "New"


async def test_two_imports_at_once_follow_each_other(world: World) -> None:
    (await send(world.sa, many("None"))).ok()  # so that the outsider never comes first, and makes the organization
    answers = await asyncio.gather(
        send(world.sa, many("One")), send(world.sa, many("Two")), send(world.outsider, small())
    )
    assert [answer.status for answer in answers[:2]] == [200, 200]
    answers[2].refused(403, "sa_required")
    assert titles(world.service.store.path) in ({"One": CARDS}, {"Two": CARDS})


def both_have_come(workplace: Path) -> None:
    """Wait until two imports are put by."""
    for _ in range(1000):
        if len([*workplace.iterdir()]) == 2:
            return
        time.sleep(0.01)


async def test_of_one_person_and_of_one_organization_only_two_imports_go_before_those_of_others(world: World) -> None:
    (await world.sa.patch(world.sa.org(f"/members/{world.member.id}"), {"role": "SolutionArchitect"})).ok()
    rest = asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        yield b"{"
        await rest.wait()
        yield json.dumps(small()).encode()[1:]

    kind = {"headers": {"Content-Type": "application/json"}}
    sending = [asyncio.create_task(world.sa.post("/admin/import", data=slowly(), **kind)) for _ in range(2)]
    await asyncio.to_thread(both_have_come, world.service.settings.files / ".temporary")
    for who in (world.sa, world.member):
        refused = await send(who, small())
        assert refused.refused(503, "overloaded") == {"limit": 2}
        assert int(refused.headers["Retry-After"]) > 0
    theirs = small(organization={"id": "org_theirs", "title": "Theirs"})
    theirs |= {key: [] for key in theirs if isinstance(theirs[key], list)}  # ids of their own
    (await send(world.outsider, theirs)).ok()
    rest.set()
    assert [answer.status for answer in await asyncio.gather(*sending)] == [200, 200]
    (await send(world.sa, small())).ok()
