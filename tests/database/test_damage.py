"""A damaged, missing or foreign database is reported, never written to, and never replaced by a new one."""

import asyncio
import os
import re
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from service.config import Settings
from service.database import copies
from service.database.damage import DatabaseOpenError, find_damage
from service.database.migrate import MigrationError, migrate, schema_version
from service.database.store import Store
from service.operations import doctor

from .. import old_schemas
from ..process import ServiceProcess, run_process
from ..running import running
from ..world import MEMBER, PASSWORD, World


def damage(database: Path, table: str) -> None:
    """Overwrite a page of a table, as a failing disk may."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        question = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        (page,) = connection.execute(question, (table,)).fetchone()
    with database.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(os.urandom(size))


async def test_a_damaged_database_is_told_read_and_never_written_to(settings: Settings, tmp_path: Path) -> None:
    async with running(settings) as world:
        card = await world.card(await world.board())
    damage(settings.database, "webhooks")
    content = settings.files / world.sa.org_id / "card" / "file"
    content.parent.mkdir(parents=True)
    content.write_bytes(b"of a row that nobody can read any more")
    before = settings.database.read_bytes()
    environment = {"SERVICE_JWT_SECRET": settings.secret, "SERVICE_RATE_LIMIT_LOGIN": "1000"}
    with ServiceProcess(tmp_path, environment) as service:
        async with World(service.url) as world:
            assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card
            answer = await world.sa.patch(f"/cards/{card['id']}", {"title": "Lost"})
            answer.refused(503, "unavailable")
            assert "until an operator repairs the database" in answer.body["error"]["message"]
            async with world.client().http.get(service.url + "/readyz") as response:
                assert response.status == 503
                assert "database" in await response.text()
            (await world.sa.get("/admin/export")).ok()
            listed = (await world.member.get("/settings/sessions")).ok()
            assert [row["current"] for row in listed] == [False]  # the new one could not be written
            answer = await world.nobody.post("/auth/login", {"email": MEMBER, "password": PASSWORD})
            # An earlier session of the browser must not be left for whoever comes after the sign-out.
            cookie = r"tandem_refresh_\w+=; Max-Age=0; Path=/api/v1/auth/refresh;"
            assert re.match(cookie, answer.headers["Set-Cookie"])
        assert service.stop() == 0
        log = service.log.read_text()
    assert "service.db is damaged: " in log
    assert "restore a backup" in log
    assert settings.database.read_bytes() == before
    assert content.exists()


def test_a_damaged_database_is_not_migrated(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    old_schemas.make(path, schema_version() - 1)
    damage(path, "cards")
    before = path.read_bytes()
    with pytest.raises(MigrationError, match="is damaged and was not updated"):
        migrate(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["service.db"]


@pytest.mark.parametrize("left", ["files/org_1/card_1/file_1", "service.db-wal", "service.db.schema-0020"])
@pytest.mark.parametrize("empty", [False, True])
def test_no_empty_database_takes_the_place_of_one_that_is_missing(tmp_path: Path, left: str, empty: bool) -> None:
    data = tmp_path / "data"
    (data / left).parent.mkdir(parents=True)
    (data / left).write_bytes(b"left")
    if empty:
        (data / "service.db").touch()
    refused = run_process("serve", folder=tmp_path, environment={"SERVICE_PORT": "0"})
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "service.db: is missing, but data/" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert (data / left).read_bytes() == b"left"
    assert not (data / "service.db").exists() or (data / "service.db").stat().st_size == 0


async def test_an_installation_whose_database_was_removed_does_not_begin_anew_until_it_is_back(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    async with World(service_process.url) as world:
        card = await world.card(await world.board())
    service_process.stop()
    database, aside = tmp_path / "data" / "service.db", tmp_path / "aside.db"
    (tmp_path / "data" / "files" / world.sa.org_id).mkdir()
    database.rename(aside)
    assert run_process("serve", folder=tmp_path, environment={"SERVICE_PORT": "0"}).returncode == 2
    aside.rename(database)
    service_process.start()
    async with World(service_process.url) as world:
        assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card
    assert copies.find_problems(database, is_live=True) == []


def interrupted(path: Path, *_: str) -> sqlite3.Connection:
    """Open a database whose statements end with SQLITE_INTERRUPT, a fault that is no damage."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.set_progress_handler(lambda: 1, 100)
    return connection


def test_only_damage_is_reported_as_damage(template: Path, tmp_path: Path) -> None:
    whole, damaged, other = (tmp_path / name for name in ("whole.db", "damaged.db", "other.db"))
    for path in (whole, damaged):
        path.write_bytes(template.read_bytes())
    damage(damaged, "cards")
    other.write_bytes(b"a shopping list, surely no database\n" * 100)
    found = []
    for path in (whole, damaged, other):
        with closing(sqlite3.connect(path)) as connection:
            found.append(find_damage(connection))
    assert found[0] is None
    assert found[1]
    assert found[2] == "file is not a database"
    with closing(interrupted(whole)) as connection, pytest.raises(sqlite3.OperationalError, match="interrupted"):
        find_damage(connection)


def test_checks_of_copies_and_the_search_index_report_only_damage(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(template.read_bytes())
    damage(damaged, "cards")
    assert copies.find_problems(damaged)
    with pytest.raises(copies.Error, match="unable to open"):
        copies.find_problems(tmp_path / "nowhere" / "service.db")
    monkeypatch.setattr(copies, "_open", interrupted)
    with pytest.raises(copies.Error, match="interrupted"):
        copies.find_search_problem(template)


async def test_a_database_that_cannot_be_opened_is_not_called_damaged(tmp_path: Path) -> None:
    with pytest.raises(DatabaseOpenError, match="cannot be opened or checked: unable to open database file"):
        await Store(tmp_path / "nowhere" / "service.db").open()
    # The thread of the failed connection still reports to this event loop.
    for thread in threading.enumerate():
        if "_connection_worker" in thread.name:
            await asyncio.to_thread(thread.join, 10)


@pytest.mark.slow
def test_a_start_beside_a_lock_names_the_lock(tmp_path: Path, template: Path) -> None:
    path = tmp_path / "data" / "service.db"
    path.parent.mkdir()
    path.write_bytes(template.read_bytes())
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        refused = run_process("serve", folder=tmp_path, environment={"SERVICE_PORT": "0"})
    assert refused.returncode == 2
    assert refused.stderr.strip().endswith("database is locked")
    assert "damaged" not in refused.stderr
    assert "backup" not in refused.stderr


def test_doctor_advises_a_backup_for_damage_only(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "_open", interrupted)
    found = {finding.check: finding for finding in doctor.run_checks(settings)}["database"]
    assert (found.level, found.text) == (doctor.PROBLEM, "interrupted")
    assert "backup" not in found.advice
    monkeypatch.undo()
    settings.database.write_bytes(b"a shopping list, surely no database\n" * 100)
    damaged = [finding for finding in doctor.run_checks(settings) if finding.check == "database"]
    assert all("backup" in finding.advice.lower() for finding in damaged)
