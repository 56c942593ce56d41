"""Rolling back to before the last migration: what it says, what it loses, what it keeps."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from service import config
from service.database.migrate import schema_version

from .. import old_schemas
from ..load import rows
from ..process import ServiceProcess, run
from ..world import World

BEFORE = schema_version() - 1


@pytest.fixture
def upgraded(settings: config.Settings, tmp_path: Path) -> Iterator[ServiceProcess]:
    """Provide a service on a database that it has brought up to date from the schema before its own."""
    settings.database.unlink()
    old_schemas.make(settings.database, BEFORE)
    with ServiceProcess(tmp_path, {"SERVICE_RATE_LIMIT_LOGIN": "1000"}) as process:
        yield process


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def the_copy(data: Path) -> Path:
    (copy,) = [path for path in data.glob("service.db.schema-*") if not path.name.endswith(("-wal", "-shm"))]
    return copy


async def test_a_rollback_names_what_is_lost_and_goes_back(upgraded: ServiceProcess, tmp_path: Path) -> None:
    data = tmp_path / "data"
    before = rows(the_copy(data))
    async with World(upgraded.url) as world:
        card = await world.card(await world.board())
        for _ in range(3):
            (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "lost"})).ok()
    upgraded.stop()
    done = run("rollback", "--yes", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "       3  comment.created" in done.stdout
    assert "       1  card.created" in done.stdout
    assert version(data / "service.db") == BEFORE
    assert rows(data / "service.db") == before
    with closing(sqlite3.connect(data / "service.db")) as connection:  # no id that a client knows is used again
        assert connection.execute("SELECT max(id), org_id FROM events").fetchone() == (1_000_000, "")
    (aside,) = data.glob("service.db.rolled-back-*")
    assert str(aside.relative_to(tmp_path)) in done.stdout
    with closing(sqlite3.connect(aside)) as connection:
        assert connection.execute("SELECT count(*) FROM comments WHERE content = 'lost'").fetchone() == (3,)
    upgraded.start()  # and forward again
    assert upgraded.stop() == 0
    assert version(data / "service.db") == schema_version()


def test_ids_go_on_after_those_of_the_newer_database_too(upgraded: ServiceProcess, tmp_path: Path) -> None:
    upgraded.stop()
    data = tmp_path / "data"
    with closing(sqlite3.connect(data / "service.db")) as connection, connection:
        connection.execute(
            "INSERT INTO events (id, org_id, type, actor_type, actor_id, created_at) "
            "VALUES (1500000, 'org_home', 'card.updated', 'System', 'system', '2026-01-02T03:04:05.678Z')"
        )
    assert run("rollback", "--yes", folder=tmp_path).returncode == 0
    with closing(sqlite3.connect(data / "service.db")) as connection:
        assert connection.execute("SELECT max(id) FROM events").fetchone() == (2_000_000,)


def test_without_a_yes_nothing_is_changed(upgraded: ServiceProcess, tmp_path: Path) -> None:
    upgraded.stop()
    done = run("rollback", folder=tmp_path)
    assert done.returncode == 1
    assert "Nothing was changed" in done.stdout
    assert version(tmp_path / "data" / "service.db") == schema_version()


def test_beside_a_running_service_it_is_refused(upgraded: ServiceProcess, tmp_path: Path) -> None:
    refused = run("rollback", "--yes", folder=tmp_path)
    assert refused.returncode == 2
    assert "in use by another running service" in refused.stderr
    assert upgraded.process.poll() is None
    assert the_copy(tmp_path / "data").exists()


def test_without_a_copy_it_says_so(service_process: ServiceProcess, tmp_path: Path) -> None:
    service_process.stop()
    refused = run("rollback", "--yes", folder=tmp_path)
    assert refused.returncode == 2
    assert "no copy of an older schema" in refused.stderr


def test_a_link_is_no_copy(upgraded: ServiceProcess, tmp_path: Path) -> None:
    upgraded.stop()
    copy = the_copy(tmp_path / "data")
    copy.rename(tmp_path / "elsewhere.db")
    copy.symlink_to(tmp_path / "elsewhere.db")
    refused = run("rollback", "--yes", folder=tmp_path)
    assert refused.returncode == 2
    assert "no copy of an older schema" in refused.stderr
    assert not (tmp_path / "data" / "service.db").is_symlink()


def test_a_damaged_copy_is_not_gone_back_to(upgraded: ServiceProcess, tmp_path: Path) -> None:
    upgraded.stop()
    copy = the_copy(tmp_path / "data")
    with copy.open("r+b") as file:
        file.seek(8192)
        file.write(os.urandom(4096))
    refused = run("rollback", "--yes", folder=tmp_path)
    assert refused.returncode == 2
    assert "damaged" in refused.stderr
    assert version(tmp_path / "data" / "service.db") == schema_version()
