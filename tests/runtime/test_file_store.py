"""Contents on disk: kept and removed, and refused while their folder is gone."""

import os
import tempfile
from pathlib import Path

import pytest

from service.errors import Unavailable
from service.runtime.disk_space import DiskSpace
from service.runtime.file_store import CHUNK_BYTES, Blobs

ORG = "org_" + "0" * 26
KEY = (ORG, "card_1", "file_1")


@pytest.fixture
async def blobs(tmp_path: Path) -> Blobs:
    """An empty files folder."""
    blobs = _blobs(tmp_path)
    await blobs.begin()
    return blobs


def _blobs(path: Path) -> Blobs:
    return Blobs(path / "files", DiskSpace(0, path, path / "files"))


async def _keep(blobs: Blobs, org_id: str, card_id: str, file_id: str, content: bytes = b"content") -> Path:
    async with blobs.incoming(file_id) as incoming:
        await incoming.write(content)
        await blobs.keep(incoming, org_id, card_id)
    return blobs.path(org_id, card_id, file_id)


def _there(path: Path) -> set[str]:
    return {str(entry.relative_to(path / "files")) for entry in (path / "files").rglob("*")} - {".temporary"}


async def test_contents_arrive_whole_whatever_the_pieces(blobs: Blobs) -> None:
    for size in (0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES):
        content = os.urandom(size)
        async with blobs.incoming(f"file_{size}") as incoming:
            for start in range(0, size, 70_000):
                await incoming.write(content[start : start + 70_000])
            assert incoming.size == size
            await blobs.keep(incoming, ORG, "card_1")
        path = blobs.path(ORG, "card_1", f"file_{size}")
        assert path.read_bytes() == content
        assert await blobs.size(path) == size


async def test_contents_are_on_the_disk_before_they_have_their_name(
    blobs: Blobs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    synced = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(os.path.relpath(os.readlink(f"/proc/self/fd/{descriptor}"), tmp_path / "files"))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    await _keep(blobs, *KEY)
    assert synced == [".temporary/file_1", f"{ORG}/card_1", ".", ORG]
    synced.clear()
    await _keep(blobs, ORG, "card_1", "file_2")
    assert synced == [".temporary/file_2", f"{ORG}/card_1"]


async def test_what_is_not_kept_goes(blobs: Blobs, tmp_path: Path) -> None:
    async with blobs.incoming("file_1") as incoming:
        await incoming.write(b"x" * 2 * CHUNK_BYTES)
        assert _there(tmp_path) == {".temporary/file_1"}
    assert _there(tmp_path) == set()
    with pytest.raises(ZeroDivisionError):
        async with blobs.incoming("file_1") as incoming:
            raise ZeroDivisionError
    assert _there(tmp_path) == set()


async def test_a_disk_that_fails_is_the_services_failure(blobs: Blobs, tmp_path: Path) -> None:
    (tmp_path / "files" / ORG).write_text("a file where a folder must be")
    with pytest.raises(Unavailable):
        await _keep(blobs, *KEY)
    assert _there(tmp_path) == {ORG}


@pytest.mark.parametrize("bad", ["", ".", "..", "../x", "a/b", "/etc", "a..b", ".temporary", "a\0b", "x" * 129])
async def test_an_id_that_could_leave_the_folder_is_refused(blobs: Blobs, bad: str) -> None:
    for key in ((bad, "card", "file"), ("org", bad, "file"), ("org", "card", bad)):
        with pytest.raises(ValueError, match="must match"):
            blobs.path(*key)
        with pytest.raises(ValueError, match="must match"):
            blobs.drop(*key)
    with pytest.raises(ValueError, match="must match"):
        async with blobs.incoming(bad):
            pass


async def test_folders_go_with_their_last_contents(blobs: Blobs, tmp_path: Path) -> None:
    for key in (KEY, (ORG, "card_1", "file_2"), (ORG, "card_2", "file_3")):
        await _keep(blobs, *key)
    blobs.drop(*KEY)
    await blobs.remove(ORG, "card_2", "file_3")
    await blobs.drained()
    assert _there(tmp_path) == {ORG, f"{ORG}/card_1", f"{ORG}/card_1/file_2"}
    await blobs.remove(ORG, "card_1", "file_2")
    await blobs.remove(ORG, "card_1", "file_2")
    assert _there(tmp_path) == set()


async def test_a_card_or_an_organization_goes_as_a_whole(blobs: Blobs, tmp_path: Path) -> None:
    for key in (KEY, (ORG, "card_1", "file_2"), (ORG, "card_2", "file_3"), ("other", "card_3", "file_4")):
        await _keep(blobs, *key)
    blobs.drop_folder(ORG, "card_1")
    await blobs.drained()
    assert _there(tmp_path) >= {f"{ORG}/card_2/file_3", "other/card_3/file_4"}
    assert f"{ORG}/card_1" not in _there(tmp_path)
    blobs.drop_folder(ORG)
    blobs.drop_folder("unknown")
    blobs.drop_folder("unknown", "card")
    await blobs.drained()
    assert _there(tmp_path) == {"other", "other/card_3", "other/card_3/file_4"}


async def test_a_folder_that_is_gone_is_the_services_failure_until_it_is_back(blobs: Blobs, tmp_path: Path) -> None:
    path, folder, aside = await _keep(blobs, *KEY), tmp_path / "files", tmp_path / "aside"
    folder.rename(aside)
    for attempt in (blobs.size(path), _keep(blobs, ORG, "card_1", "file_2")):
        with pytest.raises(Unavailable):
            await attempt
    with pytest.raises(Unavailable), blobs.workplace():
        pass
    assert not folder.exists()
    aside.rename(folder)
    assert await blobs.size(path) == len(b"content")
    assert await blobs.size(blobs.path(ORG, "card_1", "file_2")) is None
    await _keep(blobs, ORG, "card_1", "file_2")
    with blobs.workplace() as place:
        assert list(place.iterdir()) == []
    assert _there(tmp_path) == {ORG, f"{ORG}/card_1", f"{ORG}/card_1/file_1", f"{ORG}/card_1/file_2"}


async def test_nothing_is_written_beneath_a_disk_that_has_gone(blobs: Blobs, tmp_path: Path) -> None:
    path, folder = await _keep(blobs, *KEY), tmp_path / "files"
    with tempfile.TemporaryDirectory(dir=_another_disk(tmp_path)) as other:
        folder.rename(tmp_path / "aside")
        folder.symlink_to(other)  # as the mount point looks from then on: an empty folder of another disk
        for attempt in (blobs.size(path), _keep(blobs, ORG, "card_1", "file_2")):
            with pytest.raises(Unavailable):
                await attempt
        assert os.listdir(other) == []


def _another_disk(path: Path) -> str:
    return next(other for other in ("/dev/shm", "/") if os.stat(other).st_dev != path.stat().st_dev)  # noqa: S108


async def test_what_was_on_its_way_is_cleared_away_at_the_start_and_imports_that_were_cut_short_too(
    blobs: Blobs, tmp_path: Path
) -> None:
    kept = await _keep(blobs, *KEY)
    (tmp_path / "files" / ".temporary" / "file_9").write_bytes(b"half")
    (tmp_path / "files" / ".temporary" / "doomed" / "card_9").mkdir(parents=True)
    (tmp_path / "files" / ".import-abc" / "rows").mkdir(parents=True)  # of an earlier version
    await _blobs(tmp_path).begin()
    assert _there(tmp_path) == {str(path.relative_to(tmp_path / "files")) for path in (kept, *kept.parents[:2])}


async def test_a_removal_that_fails_is_logged(
    blobs: Blobs, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await _keep(blobs, *KEY)

    def unlink(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", unlink)
    blobs.drop(*KEY)
    await blobs.drained()
    assert "contents could not be removed; the next start tries again" in caplog.text
