"""Contents on disk: kept and removed, and refused while their folder is gone."""

import os
import tempfile
from pathlib import Path

import pytest

from service.errors import Unavailable
from service.runtime.disk_space import DiskSpace
from service.runtime.file_store import CHUNK_BYTES, FileStore

ORG = "org_" + "0" * 26
KEY = (ORG, "card_1", "file_1")


@pytest.fixture
async def file_store(tmp_path: Path) -> FileStore:
    """Provide an empty files folder."""
    file_store = _create_file_store(tmp_path)
    await file_store.create_folder()
    return file_store


def _create_file_store(path: Path) -> FileStore:
    return FileStore(path / "files", DiskSpace(0, path, path / "files"))


async def _keep(file_store: FileStore, org_id: str, card_id: str, file_id: str, content: bytes = b"content") -> Path:
    async with file_store.open_incoming(file_id) as incoming:
        await incoming.write(content)
        await file_store.store(incoming, org_id, card_id)
    return file_store.get_path(org_id, card_id, file_id)


def _there(path: Path) -> set[str]:
    return {str(entry.relative_to(path / "files")) for entry in (path / "files").rglob("*")} - {".temporary"}


async def test_contents_arrive_whole_whatever_the_pieces(file_store: FileStore) -> None:
    for size in (0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES):
        content = os.urandom(size)
        async with file_store.open_incoming(f"file_{size}") as incoming:
            for start in range(0, size, 70_000):
                await incoming.write(content[start : start + 70_000])
            assert incoming.size == size
            await file_store.store(incoming, ORG, "card_1")
        path = file_store.get_path(ORG, "card_1", f"file_{size}")
        assert path.read_bytes() == content
        assert await file_store.get_size(path) == size


async def test_contents_are_on_the_disk_before_they_have_their_name(
    file_store: FileStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    synced = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(os.path.relpath(os.readlink(f"/proc/self/fd/{descriptor}"), tmp_path / "files"))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    await _keep(file_store, *KEY)
    assert synced == [".temporary/file_1", f"{ORG}/card_1", ".", ORG]
    synced.clear()
    await _keep(file_store, ORG, "card_1", "file_2")
    assert synced == [".temporary/file_2", f"{ORG}/card_1"]


async def test_an_upload_that_is_not_stored_is_removed(file_store: FileStore, tmp_path: Path) -> None:
    async with file_store.open_incoming("file_1") as incoming:
        await incoming.write(b"x" * 2 * CHUNK_BYTES)
        assert _there(tmp_path) == {".temporary/file_1"}
    assert _there(tmp_path) == set()
    with pytest.raises(ZeroDivisionError):
        async with file_store.open_incoming("file_1") as incoming:
            raise ZeroDivisionError
    assert _there(tmp_path) == set()


async def test_a_disk_that_fails_is_the_services_failure(file_store: FileStore, tmp_path: Path) -> None:
    (tmp_path / "files" / ORG).write_text("a file where a folder must be")
    with pytest.raises(Unavailable):
        await _keep(file_store, *KEY)
    assert _there(tmp_path) == {ORG}


@pytest.mark.parametrize("bad", ["", ".", "..", "../x", "a/b", "/etc", "a..b", ".temporary", "a\0b", "x" * 129])
async def test_an_id_that_could_leave_the_folder_is_refused(file_store: FileStore, bad: str) -> None:
    for key in ((bad, "card", "file"), ("org", bad, "file"), ("org", "card", bad)):
        with pytest.raises(ValueError, match="must match"):
            file_store.get_path(*key)
        with pytest.raises(ValueError, match="must match"):
            file_store.remove_later(*key)
    with pytest.raises(ValueError, match="must match"):
        async with file_store.open_incoming(bad):
            pass


async def test_folders_go_with_their_last_contents(file_store: FileStore, tmp_path: Path) -> None:
    for key in (KEY, (ORG, "card_1", "file_2"), (ORG, "card_2", "file_3")):
        await _keep(file_store, *key)
    file_store.remove_later(*KEY)
    await file_store.remove(ORG, "card_2", "file_3")
    await file_store.wait_for_removals()
    assert _there(tmp_path) == {ORG, f"{ORG}/card_1", f"{ORG}/card_1/file_2"}
    await file_store.remove(ORG, "card_1", "file_2")
    await file_store.remove(ORG, "card_1", "file_2")
    assert _there(tmp_path) == set()


async def test_a_card_or_an_organization_goes_as_a_whole(file_store: FileStore, tmp_path: Path) -> None:
    for key in (KEY, (ORG, "card_1", "file_2"), (ORG, "card_2", "file_3"), ("other", "card_3", "file_4")):
        await _keep(file_store, *key)
    file_store.remove_folder_later(ORG, "card_1")
    await file_store.wait_for_removals()
    assert _there(tmp_path) >= {f"{ORG}/card_2/file_3", "other/card_3/file_4"}
    assert f"{ORG}/card_1" not in _there(tmp_path)
    file_store.remove_folder_later(ORG)
    file_store.remove_folder_later("unknown")
    file_store.remove_folder_later("unknown", "card")
    await file_store.wait_for_removals()
    assert _there(tmp_path) == {"other", "other/card_3", "other/card_3/file_4"}


async def test_a_folder_that_is_gone_is_the_services_failure_until_it_is_back(
    file_store: FileStore, tmp_path: Path
) -> None:
    path, folder, aside = await _keep(file_store, *KEY), tmp_path / "files", tmp_path / "aside"
    folder.rename(aside)
    for attempt in (file_store.get_size(path), _keep(file_store, ORG, "card_1", "file_2")):
        with pytest.raises(Unavailable):
            await attempt
    with pytest.raises(Unavailable), file_store.temporary_folder():
        pass
    assert not folder.exists()
    aside.rename(folder)
    assert await file_store.get_size(path) == len(b"content")
    assert await file_store.get_size(file_store.get_path(ORG, "card_1", "file_2")) is None
    await _keep(file_store, ORG, "card_1", "file_2")
    with file_store.temporary_folder() as place:
        assert list(place.iterdir()) == []
    assert _there(tmp_path) == {ORG, f"{ORG}/card_1", f"{ORG}/card_1/file_1", f"{ORG}/card_1/file_2"}


async def test_nothing_is_written_beneath_a_disk_that_has_gone(file_store: FileStore, tmp_path: Path) -> None:
    path, folder = await _keep(file_store, *KEY), tmp_path / "files"
    with tempfile.TemporaryDirectory(dir=_another_disk(tmp_path)) as other:
        folder.rename(tmp_path / "aside")
        folder.symlink_to(other)  # as the mount point looks from then on: an empty folder of another disk
        for attempt in (file_store.get_size(path), _keep(file_store, ORG, "card_1", "file_2")):
            with pytest.raises(Unavailable):
                await attempt
        assert os.listdir(other) == []


def _another_disk(path: Path) -> str:
    return next(other for other in ("/dev/shm", "/") if os.stat(other).st_dev != path.stat().st_dev)  # noqa: S108


async def test_unfinished_uploads_and_imports_are_removed_at_the_start(file_store: FileStore, tmp_path: Path) -> None:
    kept = await _keep(file_store, *KEY)
    (tmp_path / "files" / ".temporary" / "file_9").write_bytes(b"half")
    (tmp_path / "files" / ".temporary" / "doomed" / "card_9").mkdir(parents=True)
    (tmp_path / "files" / ".import-abc" / "rows").mkdir(parents=True)  # of an earlier version
    await _create_file_store(tmp_path).create_folder()
    assert _there(tmp_path) == {str(path.relative_to(tmp_path / "files")) for path in (kept, *kept.parents[:2])}


async def test_a_removal_that_fails_is_logged(
    file_store: FileStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await _keep(file_store, *KEY)

    def unlink(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", unlink)
    file_store.remove_later(*KEY)
    await file_store.wait_for_removals()
    assert "contents could not be removed; the next start tries again" in caplog.text
