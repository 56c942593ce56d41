"""A disk that fills up, for real: what takes much of it is refused, and everything else goes on."""

import asyncio
import base64
import contextlib
import io
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.auth.authentication import API_KEY, JWT, NONE
from service.auth.context import Service
from service.config import Settings
from service.database.queries import sql
from service.database.store import Tx
from service.errors import Unavailable
from service.pipeline import jobs
from service.pipeline.routing import ROUTES
from service.resources import exports
from service.resources.imports.redo_log import RedoLog
from service.runtime.disk_space import DiskSpace
from service.schemas import json_text

from .. import walk
from ..direct_db import rows
from ..forms import BOUNDARY, begin_upload, blob, find_contents, head, on_disk, send, target, upload, values
from ..repeated import KEY, get_first_answer, get_replay
from ..small_disk import MIB, SmallDisk, small_disk
from ..snapshots import NOW, small, snapshot_of
from ..snapshots import send as send_snapshot
from ..tools.talk import talking
from ..world import SA, Answer, Client, World

DISK_BYTES, MINIMUM_BYTES = 96 * MIB, 16 * MIB
RAW = {"headers": {"Content-Type": "application/octet-stream"}}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """Provide a small file system for the data folder of the service."""
    with small_disk(tmp_path / "small", DISK_BYTES) as disk:
        yield disk


@pytest.fixture
def settings(settings: Settings, disk: SmallDisk) -> Settings:
    """Provide settings of a service whose folders are on the small file system."""
    shutil.copy(settings.database, disk.folder)
    places = {"data_path": disk.folder, "files_path": disk.folder / "files"}
    return settings.model_copy(update={**places, "disk_free_min_bytes": MINIMUM_BYTES})


def _refused(answer: Answer) -> None:
    answer.refused(503, "unavailable")
    assert int(answer.headers["Retry-After"]) > 0
    assert "nearly full" in answer.body["error"]["message"]


async def _lost_file(world: World, content: bytes = b"precious") -> tuple[Any, Path]:
    """Upload a file, and lose its contents."""
    board = await world.board()
    file = await upload(world, await world.card(board), board.field("attachments"), content)
    path = find_contents(world, file)
    path.unlink()
    return file, path


async def _bring_back(client: Client, file: Any, content: bytes) -> Answer:
    return await client.call("POST", f"/files/{file['id']}/content", data=io.BytesIO(content), **RAW)


async def test_what_takes_much_disk_space_is_refused_below_the_minimum_and_taken_above(
    world: World, disk: SmallDisk
) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    where = target(card, board.field("attachments"))
    lost, path = await _lost_file(world)
    trello = {"name": "B", "lists": [], "cards": [], "labels": [], "members": [], "checklists": [], "actions": []}
    disk.leave(MINIMUM_BYTES - MIB)
    for who in (world.sa, agent):
        _refused(await send(who, where, blob()))
    _refused(await _bring_back(world.sa, lost, b"precious"))
    _refused(await send_snapshot(world.sa, small()))
    _refused(await world.sa.post("/admin/import/trello", trello))
    async with talking(agent) as talk:
        tool = {"card": card["id"], "field": "attachments", "name": "x", "text": "x"}
        await talk.refused("attach_file", "unavailable", **tool)
        assert not path.exists()
        assert await values(world, card) == {}
        disk.leave(MINIMUM_BYTES + 8 * MIB)
        await talk.ok("attach_file", **tool)
    for who in (world.sa, agent):
        (await send(who, where, blob())).ok()
    (await _bring_back(world.sa, lost, b"precious")).ok()
    (await send_snapshot(world.sa, small())).ok()


async def test_below_the_minimum_every_route_that_grows_is_refused_and_changes_nothing(
    world: World, disk: SmallDisk
) -> None:
    ids, agent = await walk.create_one_of_each(world, world.sa, "bot")
    before = await walk.describe_organization(world.sa, ids)
    disk.leave(MINIMUM_BYTES - MIB)
    callers = {JWT: world.sa, API_KEY: agent, NONE: world.nobody}
    for route in ROUTES:
        if route.grows:
            answer = await walk.call(callers[route.policy.scheme], route, ids)
            assert (answer.status, answer.body["error"]["code"]) == (503, "unavailable"), walk.name(route)
            assert int(answer.headers["Retry-After"]) > 0
    assert await walk.describe_organization(world.sa, ids) == before


async def test_reads_and_what_frees_space_or_ends_work_go_on_below_the_minimum(world: World, disk: SmallDisk) -> None:
    board, agent = await world.board(), await world.agent()
    cards = [await world.card(board) for _ in range(3)]
    file = await upload(world, cards[0], board.field("attachments"), b"content")
    (await agent.post(f"/cards/{cards[1]['id']}/claim/mcp")).ok()
    disk.leave(MINIMUM_BYTES - MIB)
    _refused(await world.sa.post(f"/cards/{cards[0]['id']}/duplicate", {}))
    assert (await world.sa.get(f"/files/{file['id']}/content")).ok() == b"content"
    link = (await world.sa.post(f"/files/{file['id']}/link")).ok()["url"]
    assert (await world.nobody.get(link.removeprefix("/api/v1"))).ok() == b"content"
    (await agent.patch(f"/cards/{cards[1]['id']}/mcp/status", {"toColumnId": board.columns["In Progress"]})).ok()
    (await agent.delete(f"/cards/{cards[1]['id']}/claim/mcp")).ok()
    (await world.sa.delete(f"/cards/{cards[2]['id']}")).ok()
    (await world.sa.delete(f"/files/{file['id']}")).ok()
    (await (await world.login(SA)).post("/auth/logout")).ok()


async def test_below_the_minimum_no_answer_is_kept_and_nothing_is_done_twice(world: World, disk: SmallDisk) -> None:
    board = await world.board()
    card = await world.card(board)
    path, there, back = f"/cards/{card['id']}/status", board.columns["In Progress"], board.columns["Todo"]
    disk.leave(MINIMUM_BYTES - MIB)
    get_first_answer(await world.sa.patch(path, {"toColumnId": there}, **KEY))
    get_first_answer(await world.sa.patch(path, {"toColumnId": back}))
    again = await world.sa.patch(path, {"toColumnId": there}, **KEY)
    details = again.refused(409, "conflict")
    assert (details["idempotencyKey"], details["state"]) == ("once", "done")
    (await world.sa.patch(path, {"toColumnId": back}, **KEY)).refused(422, "idempotency_key_reused")
    disk.leave(MINIMUM_BYTES + MIB)
    (await world.sa.patch(path, {"toColumnId": there}, **KEY)).refused(409, "conflict")
    other = {"headers": {"Idempotency-Key": "another"}}
    get_first_answer(await world.sa.patch(path, {"toColumnId": there}, **other))
    get_replay(await world.sa.patch(path, {"toColumnId": there}, **other))
    assert [row["action"] for row in await world.history(card["id"])] == ["created", "moved", "moved", "moved"]


async def test_a_board_that_is_being_restored_waits_for_space_and_goes_on(
    world: World, disk: SmallDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = await world.board()
    cards = [await world.card(board) for _ in range(60)]
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    monkeypatch.setattr(jobs, "BATCH_SECONDS", 0)
    monkeypatch.setattr(jobs, "INTERVAL_SECONDS", 0.1)
    assert world.service is not None
    next_batch = jobs._next_batch

    def fill(service: Service, job_id: str, tx: Tx) -> bool:
        disk.leave(MINIMUM_BYTES - MIB)  # after the first batch, which the request itself writes
        return next_batch(service, job_id, tx)

    monkeypatch.setattr(jobs, "_next_batch", fill)
    answer = await world.sa.post(f"/archive/project/{board.id}/restore")
    answer.refused(503, "unavailable")
    assert "continues by itself" in answer.body["error"]["message"]
    (await world.sa.get(f"/cards/{cards[0]['id']}")).refused(404, "not_found")
    monkeypatch.setattr(jobs, "_next_batch", next_batch)
    disk.leave(DISK_BYTES)
    for _ in range(200):
        if not await rows(world, "SELECT 1 FROM jobs"):
            break
        await asyncio.sleep(0.05)
    shown = (await world.sa.get(world.sa.org("/cards"), params={"pageSize": "100"})).ok()
    assert shown["total"] == 60


async def test_an_export_leaves_the_space_that_must_be_free_and_no_file(world: World, disk: SmallDisk) -> None:
    path = f"/cards/{(await world.card(await world.board()))['id']}/comments"
    for _ in range(250):
        (await world.sa.post(path, {"content": os.urandom(10_000).hex()})).ok()  # half of it, compressed
    whole = await snapshot_of(world.sa)
    before = {name.name for name in disk.folder.iterdir()} | {"ballast"}
    for minimum, room in ((MINIMUM_BYTES, -MIB), (MINIMUM_BYTES, MIB), (0, MIB)):
        world.service.disk_space.minimum_bytes = minimum
        disk.leave(minimum + room)
        with _watched(disk) as least:
            assert (await snapshot_of(world.sa))["comments"] == whole["comments"]
        assert least[0] >= minimum + min(room, 0) - MIB // 2
        assert {name.name for name in disk.folder.iterdir()} == before
        assert (await world.sa.call("HEAD", "/admin/export")).status == 200


async def test_a_minimum_of_zero_refuses_nothing(world: World, disk: SmallDisk) -> None:
    board = await world.board()
    where = target(await world.card(board), board.field("attachments"))
    disk.leave(4 * MIB)
    _refused(await send(world.sa, where, blob()))
    world.service.disk_space.minimum_bytes = 0
    (await send(world.sa, where, blob())).ok()


async def test_an_upload_that_says_it_would_go_below_the_minimum_is_refused_before_it_is_stored(
    world: World, disk: SmallDisk
) -> None:
    board = await world.board()
    where = target(await world.card(board), board.field("attachments"))
    disk.leave(MINIMUM_BYTES + 4 * MIB)
    reader, writer = await begin_upload(world.sa, where + head("file", "a"), 8 * MIB)
    assert b" 503 " in await reader.readline()
    writer.close()
    (await send(world.sa, where, blob(b"x" * 2 * MIB))).ok()


async def _status_after(reader: Any, writer: Any, rest: bytes) -> bytes:
    """Send the rest of a request and return the status line of its answer."""
    try:
        writer.write(rest)
        await writer.drain()
    except ConnectionError:
        pass  # the answer came before the end of the body
    line: bytes = await reader.readline()
    writer.close()
    return line


async def test_an_upload_during_which_the_disk_fills_up_ends_and_leaves_nothing(world: World, disk: SmallDisk) -> None:
    board = await world.board()
    card = await world.card(board)
    where = target(card, board.field("attachments"))
    end = f"\r\n--{BOUNDARY}--\r\n".encode()
    for length in (None, 6 * MIB):
        disk.leave(MINIMUM_BYTES + 16 * MIB)
        reader, writer = await begin_upload(world.sa, where + head("file", "a") + b"x" * 2 * MIB, length)
        while not list((disk.folder / "files" / ".temporary").glob("file_*")):
            await world.sa.get("/organizations")
        disk.leave(MINIMUM_BYTES - MIB)
        assert b" 503 " in await _status_after(reader, writer, b"x" * 3 * MIB + end)
        await _no_files(world)
    assert await values(world, card) == {}
    assert len(await world.history(card["id"])) == 1


async def _no_files(world: World) -> None:
    for _ in range(200):
        if not await on_disk(world):
            return
        await world.sa.get("/organizations")
    assert await on_disk(world) == set()


async def test_contents_during_which_the_disk_fills_up_end_and_leave_nothing(world: World, disk: SmallDisk) -> None:
    content = os.urandom(6 * MIB)
    file, path = await _lost_file(world, content)
    half = content[: 3 * MIB]

    async def halting() -> Any:
        yield half
        while not list((disk.folder / "files" / ".temporary").glob("file_*")):
            await world.sa.get("/organizations")
        disk.leave(MINIMUM_BYTES - MIB)
        yield content[3 * MIB :]

    answer = await world.sa.call("POST", f"/files/{file['id']}/content", data=halting(), **RAW)
    _refused(answer)
    assert not path.exists()
    disk.leave(MINIMUM_BYTES + 16 * MIB)
    (await _bring_back(world.sa, file, content)).ok()
    assert path.read_bytes() == content


@contextlib.contextmanager
def _watched(disk: SmallDisk) -> Iterator[list[int]]:
    """Note the least free space that there is meanwhile."""
    least, is_over = [disk.free_bytes()], threading.Event()

    def watch() -> None:
        while not is_over.wait(0.001):
            least[0] = min(least[0], disk.free_bytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield least
    finally:
        is_over.set()
        watcher.join()


def _with_content(size: int) -> dict[str, Any]:
    """Make a snapshot with a file of random bytes."""
    content = base64.b64encode(os.urandom(size)).decode()
    file = {"id": "file_1", "cardId": "c1", "fieldId": "f2", "name": "a", "mimeType": "text/plain"}
    field = {"id": "f2", "cardTypeId": "t1", "name": "files", "label": "F", "kind": "file"}
    files = [{**file, "uploadedAt": NOW, "sizeBytes": size, "contentBase64": content}]
    return {**small(files=files), "fields": [*small()["fields"], field]}


def _with_cards(count: int) -> dict[str, Any]:
    rows = [{"id": f"c{n}", "columnId": "l1", "cardTypeId": "t1", "title": f"{n}"} for n in range(count)]
    return small(cards=rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("snapshot", "room"),
    [
        pytest.param(_with_content(12 * MIB), -12 * MIB, id="body"),
        pytest.param(_with_content(12 * MIB), 4 * MIB, id="contents"),  # decoded they take 12
        pytest.param(_with_cards(20_000), 2 * MIB, id="rows"),  # checked they take 8
        pytest.param(_with_cards(20_000), 14 * MIB, id="database"),  # it would grow by 12, and needs twice as much
    ],
)
async def test_an_import_that_would_fill_the_disk_ends_before_and_leaves_nothing(
    world: World, disk: SmallDisk, snapshot: Any, room: int
) -> None:
    raw = json_text(snapshot).encode()
    disk.leave(MINIMUM_BYTES + len(raw) + room)

    async def chunks() -> Any:  # without a length, so that only what has come can be counted
        for start in range(0, len(raw), MIB):
            yield raw[start : start + MIB]

    with _watched(disk) as least:
        headers = {"Content-Type": "application/json"}
        _refused(await world.sa.call("POST", "/admin/import", data=chunks(), headers=headers))
    assert least[0] >= MINIMUM_BYTES - MIB
    await _no_files(world)
    assert [row["title"] for row in (await world.sa.get("/organizations")).ok()] == ["Home"]
    disk.leave(DISK_BYTES)
    (await world.sa.call("POST", "/admin/import", data=chunks(), headers=headers)).ok()


def _add_steps(steps: RedoLog) -> None:
    for _ in range(1000):
        steps.add(sql.organizations.create, {"title": os.urandom(8192).hex()})


def test_the_steps_of_an_import_stop_before_the_disk_is_too_full(disk: SmallDisk) -> None:
    disk.leave(MINIMUM_BYTES + 2 * MIB)
    with contextlib.closing(RedoLog(disk.folder, DiskSpace(MINIMUM_BYTES, disk.folder, disk.folder))) as steps:
        with pytest.raises(Unavailable):
            _add_steps(steps)
        assert disk.free_bytes() >= MINIMUM_BYTES


async def test_without_room_on_the_disk_an_export_can_still_be_taken_out(world: World, disk: SmallDisk) -> None:
    board = await world.board()
    for number in range(20):
        await world.card(board, title=f"Card {number}")
    whole = (await world.sa.get("/admin/export")).ok()
    disk.leave(MINIMUM_BYTES - MIB)
    found = (await world.sa.get("/admin/export", params={"includeFiles": "true"})).ok()
    assert {**found, "meta": 0, "exportedAt": 0} == {**whole, "meta": 0, "exportedAt": 0}
    assert world.service is not None
    assert world.service.snapshot_bounds.lock.acquire(blocking=False)  # as another export would
    try:
        _refused(await world.sa.get("/admin/export"))
        disk.leave(MINIMUM_BYTES + 8 * MIB)
        (await world.sa.get("/admin/export")).ok()
    finally:
        world.service.snapshot_bounds.lock.release()


@pytest.mark.parametrize("bound", ["time", "log"])
async def test_an_export_without_room_breaks_off_visibly(
    world: World, disk: SmallDisk, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    assert world.service is not None
    await world.card(await world.board())
    bounds = world.service.snapshot_bounds
    monkeypatch.setattr(exports, "CHUNK_BYTES", 1)
    if bound == "time":
        bounds.seconds = -1
    else:
        bounds.log_bytes = -1
        bounds.get_log_bytes = iter(range(1_000_000)).__next__
    (await world.sa.get("/admin/export")).ok()  # one that finds room has no such bounds
    disk.leave(MINIMUM_BYTES - MIB)
    with pytest.raises(Exception, match=r"payload|closed|reset|disconnect"):
        await world.sa.get("/admin/export")
    bounds.seconds, bounds.log_bytes = 600, 1 << 30
    (await world.sa.get("/admin/export")).ok()  # the place is free again
