"""Backups that somebody else made or changed: restore reads and writes nothing outside of its folders."""

import asyncio
import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service.operations import manifest

from ..load import fill_organization, hash_files
from ..process import ServiceProcess, run
from ..world import World

HASH = hashlib.sha256(b"content").hexdigest()
Json = dict[str, Any]


@pytest.fixture(scope="module")
def backup(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Provide a backup with a file, which no test may change."""
    folder = tmp_path_factory.mktemp("backed up")
    (folder / "data").mkdir()
    shutil.copy(template, folder / "data" / "service.db")
    with ServiceProcess(folder, {"SERVICE_RATE_LIMIT_LOGIN": "1000"}) as process:
        asyncio.run(_load(process.url))
        assert run("backup", "backup", folder=folder).returncode == 0
    return folder / "backup"


async def _load(url: str) -> None:
    async with World(url) as world:
        await fill_organization(world)


@pytest.fixture
def copied(backup: Path, tmp_path: Path) -> Path:
    """Provide a copy of the backup in a folder without data."""
    return Path(shutil.copytree(backup, tmp_path / "backup"))


def edit(backup: Path, change: Callable[[Json], object]) -> None:
    """Change the manifest, and its sum with it, as somebody would who wants it to be believed."""
    found = json.loads((backup / manifest.NAME).read_text())
    change(found)
    text = json.dumps(found).encode()
    (backup / manifest.NAME).write_bytes(text)
    (backup / manifest.SUM).write_text(f"{hashlib.sha256(text).hexdigest()}  {manifest.NAME}\n")


def refused(folder: Path, why: str) -> None:
    """Expect that neither command takes the backup, each with one line, and that nothing is written."""
    before = set(folder.rglob("*"))
    for command in (("backup", "--verify", "backup"), ("restore", "backup")):
        done = run(*command, folder=folder)
        assert done.returncode in ((1, 2) if "--verify" in command else (2,))
        assert why in done.stderr
        assert "Traceback" not in done.stderr
        assert done.stderr.count("\n") == 1 or "--verify" in command
    assert set(folder.rglob("*")) == before


NAMES = [
    "/etc/passwd",
    "../outside",
    "files/../../outside",
    "files/org/../../../outside",
    "files/org/card/..",
    "files",
    "files/outside",
    "files/org/card/file/more",
    "files//org/file",
    "./files/org/card/file",
    "files/.temporary/card/file",
    "files/org/card/-file",
    "outside",
    "service.db-wal",
    "service.lock",
    "config.toml",
    "jwt-secret/outside",
    "files\\org\\card\\file",
    "files/org/card/" + "x" * 300,
    "",
    ".",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_outside_of_the_folder_of_files_are_refused(copied: Path, tmp_path: Path, name: str) -> None:
    row = {"name": name, "size": 7, "sha256": HASH}
    path = copied / name
    if len(name) < 255 and not path.exists() and path.parent.is_dir() and tmp_path in path.resolve().parents:
        path.write_bytes(b"content")
    edit(copied, lambda found: found["entries"].append(row))
    refused(tmp_path, "outside of its files folder")


@pytest.mark.parametrize("name", ["../outside", "files/../../outside", "/etc/passwd", "files/org"])
def test_names_of_missing_files_cannot_lead_out_either(copied: Path, tmp_path: Path, name: str) -> None:
    edit(copied, lambda found: found["missing"].append({"name": name, "reason": "lost before"}))
    refused(tmp_path, "outside of its files folder")


def test_a_name_that_is_there_twice_is_refused(copied: Path, tmp_path: Path) -> None:
    edit(copied, lambda found: found["entries"].append(found["entries"][-1]))
    refused(tmp_path, "twice")


SHAPES: dict[str, Callable[[Json], object]] = {
    "a name that is a number": lambda found: found["entries"].append({"name": 5, "size": 7, "sha256": HASH}),
    "a name with a NUL": lambda found: found["entries"].append({"name": "files/a/b/\0", "size": 7, "sha256": HASH}),
    "a name of two lines": lambda found: found["entries"].append({"name": "files/a/b/c\nd", "size": 7, "sha256": HASH}),
    "half a character": lambda found: found.update(madeAt="\ud800"),
    "a size that is a text": lambda found: found["entries"].append({"name": "files/a/b/c", "size": "7", "sha256": ""}),
    "a key that nobody knows": lambda found: found["entries"].append({"name": "files/a/b/c", "mode": 7}),
    "a schema that is a text": lambda found: found.update(schemaVersion="1"),
    "entries that are none": lambda found: found.update(entries=[1]),
    "no entries": lambda found: found.pop("entries"),
    "a missing file that is a list": lambda found: found["missing"].append({"name": [], "reason": "lost"}),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_manifest_of_another_shape_is_refused(copied: Path, tmp_path: Path, shape: str) -> None:
    edit(copied, SHAPES[shape])
    refused(tmp_path, "its manifest.json is damaged")


def test_a_manifest_that_is_nested_without_end_is_refused(copied: Path, tmp_path: Path) -> None:
    text = b"[" * 200_000
    (copied / manifest.NAME).write_bytes(text)
    (copied / manifest.SUM).write_text(f"{hashlib.sha256(text).hexdigest()}  {manifest.NAME}\n")
    refused(tmp_path, "its manifest.json is damaged")


def content_of(backup: Path) -> Path:
    (content,) = (backup / "files").rglob("file_*")
    return content


def moved(backup: Path, path: Path) -> Path:
    """Move something out of the backup and put a link to it in its place, so that all sums are still right."""
    target = backup.parent / "elsewhere"
    path.rename(target)
    path.symlink_to(target)
    return target


PLACES: dict[str, Callable[[Path], Path]] = {
    "the file": content_of,
    "the folder of its card": lambda backup: content_of(backup).parent,
    "the folder of files": lambda backup: backup / "files",
    "the database": lambda backup: backup / "service.db",
    "the secret": lambda backup: backup / "jwt-secret",
}


@pytest.mark.parametrize("place", PLACES)
def test_links_are_not_followed(copied: Path, tmp_path: Path, place: str) -> None:
    moved(copied, PLACES[place](copied))
    refused(tmp_path, "symbolic link")


@pytest.mark.parametrize("name", [manifest.NAME, manifest.SUM])
def test_a_manifest_that_is_a_link_or_a_pipe_is_refused(copied: Path, tmp_path: Path, name: str) -> None:
    moved(copied, copied / name)
    refused(tmp_path, f"its {name} is no regular file")
    (copied / name).unlink()
    os.mkfifo(copied / name)
    refused(tmp_path, f"its {name} is no regular file")


def test_a_pipe_or_a_folder_in_the_place_of_a_file_is_refused(copied: Path, tmp_path: Path) -> None:
    content = content_of(copied)
    content.unlink()
    os.mkfifo(content)
    refused(tmp_path, "is no regular file")
    content.unlink()
    content.mkdir()
    refused(tmp_path, "is no regular file")


def test_a_link_that_the_manifest_lacks_is_refused(copied: Path, tmp_path: Path) -> None:
    (copied / "files" / "a\nb").symlink_to("/etc", target_is_directory=True)
    refused(tmp_path, "'files/a\\nb': is not in the manifest.json")


@pytest.fixture
def by_links(copied: Path) -> Path:
    """Provide a copy that shares its files with the backup, as tools for incremental copies make it."""
    linked = copied.with_name("linked")
    shutil.copytree(copied, linked, copy_function=os.link)
    return linked


def test_a_backup_that_shares_its_files_with_another_one_is_restored_as_a_copy(by_links: Path, tmp_path: Path) -> None:
    assert run("restore", "linked", folder=tmp_path).returncode == 0
    data = tmp_path / "data"
    assert hash_files(data / "files") == hash_files(by_links / "files")
    assert all(path.stat().st_nlink == 1 for path in data.rglob("*") if path.is_file())
