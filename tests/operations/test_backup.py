"""Backup, verify, restore: the drill, and all that can go wrong with it."""

import asyncio
import errno
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from service import config
from service.database.migrate import schema_version
from service.operations import backup, folder, manifest, restore

from .. import old_schemas
from ..load import fill_organization, hash_files, read_everything, rows
from ..process import RUN, ServiceProcess, bare_environment, run
from ..world import SECRET, World

FREE = {"SERVICE_RATE_LIMIT_LOGIN": "1000"}


@pytest.fixture
def service(settings: config.Settings, tmp_path: Path) -> Iterator[ServiceProcess]:
    """Provide a service that made its secret itself."""
    assert settings.data_path == tmp_path / "data"
    with ServiceProcess(tmp_path, FREE) as process:
        yield process


def backed_up(folder: Path, name: str = "backup") -> Path:
    done = run("backup", name, folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return folder / name


def verified(folder: Path, name: str = "backup") -> tuple[int, str]:
    done = run("backup", "--verify", name, folder=folder)
    return done.returncode, done.stderr


@pytest.mark.slow
async def test_a_restored_backup_contains_everything(service: ServiceProcess, tmp_path: Path) -> None:
    async with World(service.url) as world:
        loaded = await fill_organization(world)
        before = await read_everything(world, loaded)
        await asyncio.to_thread(backed_up, tmp_path)
    service.stop()
    data = tmp_path / "data"
    tables, files = rows(data / "service.db"), hash_files(data / "files")
    assert verified(tmp_path) == (0, "")
    shutil.rmtree(data)
    assert run("restore", "backup", folder=tmp_path).returncode == 0
    assert rows(data / "service.db") == tables
    assert hash_files(data / "files") == files
    service.start()
    async with World(service.url) as world:
        assert await read_everything(world, loaded) == before


@pytest.mark.slow
async def test_a_backup_is_of_one_moment_while_others_write(service: ServiceProcess, tmp_path: Path) -> None:
    stop = asyncio.Event()
    acknowledged: list[str] = []

    async def write_on(world: World, path: str) -> None:
        while not stop.is_set():
            acknowledged.append((await world.sa.post(path, {"content": "x" * 1000})).ok()["id"])

    async with World(service.url) as world:
        card = await world.card(await world.board())
        writers = [asyncio.create_task(write_on(world, f"/cards/{card['id']}/comments")) for _ in range(8)]
        while len(acknowledged) < 200:  # noqa: ASYNC110  # they write anyhow
            await asyncio.sleep(0.01)
        known = set(acknowledged)
        await asyncio.to_thread(backed_up, tmp_path)
        stop.set()
        await asyncio.gather(*writers)
    assert verified(tmp_path) == (0, "")
    with closing(sqlite3.connect(f"file:{tmp_path}/backup/service.db?mode=ro&immutable=1", uri=True)) as copy:
        kept = {row[0] for row in copy.execute("SELECT id FROM comments")}
        events = copy.execute("SELECT count(*) FROM events WHERE type = 'comment.created'").fetchone()[0]
    assert known <= kept
    assert kept <= set(acknowledged)
    assert events == len(kept)


async def test_a_backup_can_be_made_while_no_service_runs_and_leaves_only_its_record_in_the_data_folder(
    service: ServiceProcess, tmp_path: Path
) -> None:
    service.stop()
    before = hash_files(tmp_path / "data")
    backed_up(tmp_path)
    (tmp_path / "data" / "last-backup").unlink()
    assert hash_files(tmp_path / "data") == before
    assert verified(tmp_path) == (0, "")


@pytest.mark.parametrize("where", ["service.db", "jwt-secret", "manifest.json", "files"])
async def test_one_flipped_byte_is_found_and_nothing_is_restored(
    service: ServiceProcess, tmp_path: Path, where: str
) -> None:
    async with World(service.url) as world:
        await fill_organization(world)
    service.stop()
    target = backed_up(tmp_path)
    path = next(path for path in (target / "files").rglob("file_*")) if where == "files" else target / where
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    code, said = verified(tmp_path)
    assert code != 0
    assert path.name in said
    shutil.rmtree(tmp_path / "data")
    refused = run("restore", "backup", folder=tmp_path)
    assert refused.returncode == 2
    assert "damaged" in refused.stderr
    assert not (tmp_path / "data" / "service.db").exists()


async def test_a_file_that_is_gone_or_too_much_in_a_backup_is_found(service: ServiceProcess, tmp_path: Path) -> None:
    async with World(service.url) as world:
        await fill_organization(world)
    target = backed_up(tmp_path)
    (content,) = (target / "files").rglob("file_*")
    content.rename(target / "files" / "stray")
    code, said = verified(tmp_path)
    assert code == 1
    assert f"{content.name}: is missing" in said
    assert "stray: is not in the manifest.json" in said


async def test_a_file_removed_while_the_backup_ran_is_told_and_not_fatal(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = await fill_organization(world)
    settings, copied = world.service.settings, backup.copies.copy
    loop = asyncio.get_running_loop()

    def and_then_it_is_removed(source: Path, target: Path) -> None:
        copied(source, target)
        removal = world.sa.call("DELETE", f"/files/{loaded.file['id']}")
        assert asyncio.run_coroutine_threadsafe(removal, loop).result(10).status == 200
        asyncio.run_coroutine_threadsafe(world.service.file_store.wait_for_removals(), loop).result(10)

    monkeypatch.setattr(backup.copies, "copy", and_then_it_is_removed)
    made = await asyncio.to_thread(backup.create_backup, settings, tmp_path / "backup")
    assert [row.reason for row in made.missing] == [manifest.REMOVED]
    assert loaded.file["id"] in made.missing[0].name
    assert backup.verify_backup(tmp_path / "backup") == []


async def test_contents_that_were_lost_or_damaged_before_are_told(world: World, tmp_path: Path) -> None:
    loaded = await fill_organization(world)
    card = await world.card(await world.board())
    path = world.service.settings.files / world.sa.org_id / loaded.card["id"] / loaded.file["id"]
    path.write_bytes(b"cut short")
    made = await asyncio.to_thread(backup.create_backup, world.service.settings, tmp_path / "damaged")
    assert [row.reason for row in made.missing] == [manifest.DAMAGED]
    path.unlink()
    made = await asyncio.to_thread(backup.create_backup, world.service.settings, tmp_path / "lost")
    assert [row.reason for row in made.missing] == [manifest.LOST]
    assert card["id"]


async def test_a_backup_without_all_contents_is_told_apart_and_the_newest_complete_one_is_kept(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = await fill_organization(world)
    environment = {"SERVICE_JWT_SECRET": SECRET}
    path = world.service.settings.files / world.sa.org_id / loaded.card["id"] / loaded.file["id"]

    def back_up(day: int) -> int:
        monkeypatch.setattr(backup, "now", lambda: f"2026-11-{day:02}T03:00:00.000Z")
        done = run("backup", "--keep", "2", "--verify", "backups", folder=tmp_path, environment=environment)
        assert ("whole, but without 1 file\n" in done.stdout) == (done.returncode == 3)
        return done.returncode

    assert await asyncio.to_thread(back_up, 1) == 0
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b"?")  # of the same size
    assert await asyncio.to_thread(back_up, 2) == 3
    path.unlink()
    for day in (3, 4, 5):
        assert await asyncio.to_thread(back_up, day) == 3
    names = [f"2026-11-{day:02}T03-00-00" for day in (1, 4, 5)]
    assert sorted(found.name for found in (tmp_path / "backups").iterdir()) == names
    verified = run("backup", "--verify", "backups", folder=tmp_path)
    assert (verified.returncode, verified.stdout) == (3, f"backups/{names[2]}: whole, but without 1 file\n")
    record = json.loads((tmp_path / "data" / "last-backup").read_text())
    assert record["missing"] == {world.sa.org_id: 1}
    path.write_bytes(content)
    for day in (6, 7):
        assert await asyncio.to_thread(back_up, day) == 0
    assert len(list((tmp_path / "backups").iterdir())) == 2


async def test_a_backup_is_for_its_owner_only_and_names_the_secret(service: ServiceProcess, tmp_path: Path) -> None:
    async with World(service.url) as world:
        await fill_organization(world)
    target = backed_up(tmp_path)
    modes = {path.is_dir(): path.stat().st_mode & 0o777 for path in [target, *target.rglob("*")]}
    assert modes == {True: 0o700, False: 0o600}
    listed = manifest.read_manifest(target)
    assert {"service.db", "jwt-secret"} <= {entry.name for entry in listed.entries}
    assert (target / "jwt-secret").read_bytes() == (tmp_path / "data" / "jwt-secret").read_bytes()
    assert (listed.product, listed.schema) == ("Tandem", schema_version())


def test_a_secret_of_the_environment_is_not_in_it_and_one_is_told_to_keep_it(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    done = run("backup", "backup", folder=tmp_path, environment=service_process.environment)
    assert done.returncode == 0
    assert "SERVICE_JWT_SECRET" in done.stdout
    assert not (tmp_path / "backup" / "jwt-secret").exists()
    assert service_process.environment["SERVICE_JWT_SECRET"] not in done.stdout + done.stderr


def test_a_backup_never_takes_the_place_of_anything(service: ServiceProcess, tmp_path: Path) -> None:
    (tmp_path / "backup").mkdir()
    (tmp_path / "backup" / "mine").write_text("mine")
    refused = run("backup", "backup", folder=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert [path.name for path in (tmp_path / "backup").iterdir()] == ["mine"]
    (tmp_path / "empty").mkdir()
    backed_up(tmp_path, "empty")


def test_of_the_backups_in_a_folder_the_newest_are_kept_and_nothing_else_is_touched(
    service: ServiceProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = config.prepare(config.load(environment={"SERVICE_DATA_PATH": str(tmp_path / "data")}))
    home = tmp_path / "backups"
    (home / "0000-mine").mkdir(parents=True)
    made = []
    for day in range(1, 5):
        monkeypatch.setattr(backup, "now", lambda day=day: f"2026-11-0{day}T03:00:00.000Z")
        made.append(backup.create_in_folder(settings, home, 2)[0].name)
    assert made[0] == "2026-11-01T03-00-00"
    assert {path.name for path in home.iterdir()} == {"0000-mine", *made[2:]}
    assert backup.verify_backup(home / made[3]) == []
    monkeypatch.setattr(backup, "now", lambda: "2025-01-01T03:00:00.000Z")  # the clock has gone back
    last = backup.create_in_folder(settings, home, 2)[0].name
    assert {path.name for path in home.iterdir()} == {"0000-mine", made[3], last}
    backup.create_in_folder(settings, home / "more", 5)
    assert len(list((home / "more").iterdir())) == 1


def test_what_a_backup_that_was_cut_short_left_is_no_backup_and_in_nobodys_way(
    service: ServiceProcess, tmp_path: Path
) -> None:
    (tmp_path / "backup.part").mkdir()
    (tmp_path / "backup.part" / "service.db").write_bytes(b"half")
    code, said = verified(tmp_path, "backup.part")
    assert code == 2
    assert "no whole backup" in said
    backed_up(tmp_path)
    assert not (tmp_path / "backup.part").exists()


@pytest.mark.parametrize("beside", ["database", "files", "secret", "service"])
async def test_a_restore_refuses_to_overwrite(service: ServiceProcess, tmp_path: Path, beside: str) -> None:
    async with World(service.url) as world:
        await fill_organization(world)
    backed_up(tmp_path)
    data = tmp_path / "data"
    if beside != "service":
        service.stop()
        kept = {"database": "service.db", "files": "files", "secret": "jwt-secret"}[beside]
        for path in list(data.iterdir()):
            if path.name != kept:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        if beside == "secret":
            (data / "jwt-secret").write_text("another secret of at least thirty-two bytes")
    before = hash_files(data) if beside != "service" else {}
    refused = run("restore", "backup", folder=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "Traceback" not in refused.stderr
    if beside != "service":
        left = hash_files(data)
        left.pop("service.lock", None)
        assert left == before


def test_a_backup_of_an_older_schema_is_restored_and_brought_up_to_date_by_the_next_start(
    service: ServiceProcess, tmp_path: Path
) -> None:
    service.stop()
    data = tmp_path / "data"
    shutil.rmtree(data)
    old_schemas.settings_of(data, 9)
    backed_up(tmp_path)
    shutil.rmtree(data)
    assert run("restore", "backup", folder=tmp_path).returncode == 0
    service.start()
    service.stop()
    with closing(sqlite3.connect(data / "service.db")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (schema_version(),)


def test_a_backup_of_a_newer_program_is_refused(service: ServiceProcess, tmp_path: Path) -> None:
    service.stop()
    with closing(sqlite3.connect(tmp_path / "data" / "service.db")) as connection:
        connection.execute("PRAGMA user_version = 999")
    made = backup.create_backup(
        config.load(environment={"SERVICE_DATA_PATH": str(tmp_path / "data")}), tmp_path / "backup"
    )
    assert made.schema == 999
    code, said = verified(tmp_path)
    assert code == 1
    assert "newer than this program's" in said


@pytest.mark.slow
async def test_a_foreign_folder_is_neither_verified_nor_restored_nor_pruned_nor_counted(
    service: ServiceProcess, tmp_path: Path
) -> None:
    service.stop()
    home = tmp_path / "backups"
    foreign = [home / name for name in ("zzz", "lost+found", "2026-by-hand")]
    backed_up(tmp_path, "backups/2020-01-01T00-00-00")
    for other in foreign:
        shutil.copytree(home / "2020-01-01T00-00-00", other)
        (other / "service.db").write_bytes(b"not ours")
    for _ in range(2):
        done = run("backup", "--keep", "1", "backups", folder=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        await asyncio.sleep(1.1)  # a backup is named by its second
    assert all((other / "service.db").is_file() for other in foreign)
    (newest,) = set(home.iterdir()) - set(foreign)
    assert newest.name > "2026"
    shown = run("backup", "--verify", "backups", folder=tmp_path)
    assert (shown.returncode, shown.stdout) == (0, f"backups/{newest.name}: whole\n")
    tables = rows(tmp_path / "data" / "service.db")
    shutil.rmtree(tmp_path / "data")
    assert run("restore", "backups", folder=tmp_path).returncode == 0
    assert rows(tmp_path / "data" / "service.db") == tables


def test_a_folder_without_a_backup_is_said_to_have_none(tmp_path: Path) -> None:
    (tmp_path / "backups" / "other").mkdir(parents=True)
    done = run("restore", "backups", folder=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "tandem: backups: is no whole backup, manifest.json.sha256 is missing\n",
    )


async def test_a_restore_that_meets_a_full_disk_leaves_nothing_and_can_be_run_again(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill_organization(world)
    await asyncio.to_thread(backup.create_backup, world.service.settings, tmp_path / "backup")
    target = config.load(environment={"SERVICE_DATA_PATH": str(tmp_path / "restored"), "SERVICE_JWT_SECRET": SECRET})
    copy_file = folder.copy_file

    def fill_disk(source: Path, destination: Path) -> tuple[int, str]:
        copied = copy_file(source, destination)
        if source.name == "service.db":
            raise OSError(errno.ENOSPC, "No space left on device", str(destination))
        return copied

    monkeypatch.setattr(restore.folder, "copy_file", fill_disk)
    with pytest.raises(OSError, match="No space left"):
        restore.restore(target, tmp_path / "backup")
    left = [path.name for path in (tmp_path / "restored").rglob("*")]
    assert sorted(left) == ["files", "service.lock"]
    monkeypatch.undo()
    restore.restore(target, tmp_path / "backup")
    assert hash_files(target.files) == hash_files(world.service.settings.files)


async def test_what_a_killed_restore_has_left_is_removed_by_the_next_one(world: World, tmp_path: Path) -> None:
    await fill_organization(world)
    await asyncio.to_thread(backup.create_backup, world.service.settings, tmp_path / "backup")
    target = config.load(environment={"SERVICE_DATA_PATH": str(tmp_path / "restored"), "SERVICE_JWT_SECRET": SECRET})
    (target.files / "org_1").mkdir(parents=True)
    (target.files / "org_1" / "half").touch()
    (target.data_path / "service.db.restoring").touch()
    with pytest.raises(config.ConfigError, match="contains files already"):
        restore.restore(target, tmp_path / "backup")
    (target.data_path / restore.UNFINISHED).touch()
    restore.restore(target, tmp_path / "backup")
    assert hash_files(target.files) == hash_files(world.service.settings.files)
    assert {path.name for path in target.data_path.iterdir()} == {"files", "service.db", "service.lock"}


def test_the_drill_of_the_operations_guide_restores_the_service(service: ServiceProcess, tmp_path: Path) -> None:
    service.stop()
    text = (RUN.parent / "docs" / "operations.md").read_text("utf-8")
    (drill,) = re.findall(r"```sh\n(systemctl stop tandem\n.*?)```", text, re.DOTALL)
    root, programs = tmp_path / "root", tmp_path / "programs"
    for path in ("etc/tandem", "var/lib", "var/backups/tandem"):
        (root / path).mkdir(parents=True)
    (root / "etc/tandem/config.toml").write_text(f'data_path = "{root}/var/lib/tandem"\nport = 0\n')
    (tmp_path / "data").rename(root / "var/lib/tandem")
    tables = rows(root / "var/lib/tandem/service.db")
    programs.mkdir()
    for name, line in {
        "systemctl": "true",
        "sudo": 'shift 2; exec "$@"',
        "tandem": f'exec "{sys.executable}" "{RUN}" "$@"',
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{line}\n")
        (programs / name).chmod(0o755)
    drill = drill.replace("-o tandem -g tandem", f"-o {os.getuid()} -g {os.getgid()}")
    drill = re.sub(r"(?<= )/(?=etc/|var/)", f"{root}/", drill)
    config_file = str(root / "etc/tandem/config.toml")
    made = run("--config", config_file, "backup", "--keep", "2", str(root / "var/backups/tandem"), folder=tmp_path)
    assert made.returncode == 0
    environment = {**bare_environment(), "PATH": f"{programs}:{os.environ['PATH']}"}
    command = ["sh", "-e", "-c", drill]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no problems" in done.stdout
    assert rows(root / "var/lib/tandem/service.db") == tables
    assert (root / "var/lib/tandem.old/service.db").is_file()
