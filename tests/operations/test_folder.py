"""Files of operator commands: their whole content is on the disk before they count as written."""

import os
import re
from pathlib import Path

import pytest

from service import config
from service.operations import folder

from ..process import run
from ..world import SECRET


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Provide a list of what each file contained for the file system when it was flushed to the disk."""
    contents: list[bytes] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        contents.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")).read_bytes())
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    return contents


@pytest.mark.parametrize("size", [0, 5, folder.CHUNK_BYTES, folder.CHUNK_BYTES + 5])
def test_a_copy_is_on_the_disk_to_its_last_byte(synced: list[bytes], tmp_path: Path, size: int) -> None:
    content = os.urandom(size)
    (tmp_path / "source").write_bytes(content)
    assert folder.copy_file(tmp_path / "source", tmp_path / "copy") == (size, folder.hash_file(tmp_path / "source"))
    assert synced == [content]
    assert (tmp_path / "copy").read_bytes() == content


def test_a_written_file_is_on_the_disk_to_its_last_byte(synced: list[bytes], tmp_path: Path) -> None:
    folder.write_file(tmp_path / "manifest", "äöü\n")
    assert synced == ["äöü\n".encode()]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_root_leaves_belongs_to_the_owner_of_the_folder(settings: config.Settings, tmp_path: Path) -> None:
    data, outside = settings.data_path, tmp_path / "outside"
    settings.files.mkdir()
    outside.write_text("of root")
    for path in (data, data / "service.db", settings.files):
        os.chown(path, 4321, 4321)
    (data / "linked").hardlink_to(outside)
    (data / "link").symlink_to(outside)
    environment = {"SERVICE_JWT_SECRET": SECRET}
    problems = run("doctor", folder=tmp_path, environment={**environment, "SERVICE_PORT": "0"}).stdout
    assert "data/linked belongs to another user than data" in problems
    assert run("backup", "copy", folder=tmp_path, environment=environment).returncode == 0
    owners = {path.name: path.lstat().st_uid for path in data.rglob("*")}
    assert owners.pop("linked") == outside.stat().st_uid == 0
    assert owners.keys() >= {"service.db", "last-backup", "link", "files"}
    assert set(owners.values()) == {4321}
    (data / "linked").unlink()
    done = run("doctor", folder=tmp_path, environment={**environment, "SERVICE_PORT": "0"})
    assert "belongs to another user" not in done.stdout


def test_the_start_names_the_file_that_it_cannot_read(
    settings: config.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.require_access(settings)
    database = settings.database
    monkeypatch.setattr(os, "access", lambda path, mode: path != database)
    with pytest.raises(config.ConfigError, match=re.escape(f"{database}: cannot be read and written by the user")):
        folder.require_access(settings)
