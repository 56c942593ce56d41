"""Files in a process of its own: what a kill leaves, and how much memory large files take."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from ..forms import END, FORM, begin_upload, blob, head, send, target
from ..process import ServiceProcess
from ..world import World

LARGE = 50_000_000
GROWTH = 8_000_000  # bytes; some 4 MB are measured, whatever the size of the file


def _on_disk(process: ServiceProcess) -> set[str]:
    folder = process.folder / "data" / "files"
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


async def _card(world: World) -> tuple[Any, bytes]:
    board = await world.board()
    card = await world.card(board)
    return card, target(card, board.field("attachments"))


async def test_a_kill_in_mid_upload_leaves_nothing_after_the_next_start(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        card, where = await _card(world)
        kept, lost = [(await send(world.sa, where, blob(content))).ok() for content in (b"kept", b"lost")]
        _, writer = await begin_upload(world.sa, where + head("file", "a") + b"x" * 5_000_000, LARGE)
        for _ in range(1000):
            if len(_on_disk(service_process)) == 3:
                break
            await asyncio.sleep(0.01)
        assert len(_on_disk(service_process)) == 3
        service_process.kill()
        writer.transport.abort()
    folder = service_process.folder / "data" / "files" / world.sa.org_id / card["id"]
    (folder / "file_orphan").write_bytes(b"no row")
    (folder / lost["id"]).unlink()
    service_process.start()
    place = f"{world.sa.org_id}/{card['id']}"
    assert _on_disk(service_process) == {f"{place}/{kept['id']}", f".unclaimed/{place}/file_orphan"}
    async with World(service_process.url) as world:
        assert (await world.sa.get(f"/files/{kept['id']}/content")).body == b"kept"
        (await world.sa.get(f"/files/{lost['id']}/content")).refused(404, "not_found")
    service_process.stop()
    assert f"the contents of 1 files are lost; restore them from a backup, or delete the files: {world.sa.org_id}" in (
        service_process.log.read_text()
    )


@pytest.mark.slow
async def test_a_kill_in_mid_export_leaves_nothing_on_the_disk(service_process: ServiceProcess) -> None:
    data = service_process.folder / "data"
    async with World(service_process.url) as world:
        _, where = await _card(world)
        (await send(world.sa, where, blob(b"x" * LARGE))).ok()
        before = {path.name for path in data.iterdir()}
        assert world.sa.http
        path = world.url + "/api/v1/admin/export?includeFiles=true"
        async with world.sa.http.get(path, headers=world.sa.headers) as response:
            await response.content.read(1)
            assert {path.name for path in data.iterdir()} == before  # what is put by has no name
            service_process.kill()
    service_process.start()
    assert {path.name for path in data.iterdir()} == before


async def test_a_removal_is_done_before_the_process_stops(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        _, where = await _card(world)
        files = [(await send(world.sa, where, blob())).ok() for _ in range(20)]
        await asyncio.gather(*[world.sa.delete(f"/files/{file['id']}") for file in files])
    assert service_process.stop() == 0
    assert _on_disk(service_process) == set()


def _peak(process: ServiceProcess) -> int:
    """Return the most memory that the process has had since the last look, in bytes."""
    status = Path(f"/proc/{process.process.pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    Path(f"/proc/{process.process.pid}/clear_refs").write_text("5")
    return int(line.split()[1]) * 1024


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the peak is read from /proc")
async def test_large_files_pass_through_in_a_few_megabytes(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        _, where = await _card(world)
        (await world.sa.get(f"/files/{(await send(world.sa, where, blob())).ok()['id']}/content")).ok()
        _peak(service_process)
        before = _peak(service_process)
        answer = await world.sa.call("POST", "/files", data=_form(where), headers={"Content-Type": FORM})
        file, after_upload = answer.ok(), _peak(service_process)
        assert file["sizeBytes"] == LARGE
        assert await _download(world, file["id"]) == LARGE
        after_download = _peak(service_process)
    print(f"peak memory: {before} bytes, upload +{after_upload - before}, download +{after_download - after_upload}")
    assert after_upload - before < GROWTH
    assert after_download - before < GROWTH


async def _form(where: bytes) -> AsyncIterator[bytes]:
    yield where + head("file", "large.bin")
    for _ in range(LARGE // 100_000):
        yield b"x" * 100_000
    yield b"\r\n" + END


async def _download(world: World, file_id: str) -> int:
    async with aiohttp.ClientSession(headers=world.sa.headers) as http:
        answer = await http.get(f"{world.url}/api/v1/files/{file_id}/content")
        return sum([len(chunk) async for chunk in answer.content.iter_chunked(1 << 16)])
