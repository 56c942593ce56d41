"""Files of operator commands: their whole content is on the disk before they count as written."""

import os
from pathlib import Path

import pytest

from service.operations import folder


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
