"""doctor: it finds the problems of an installation and says what to do; a healthy one has no problem."""

import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from service import config
from service.runtime import mounts

from ..load import fill_organization
from ..process import RUN, ServiceProcess, bare_environment, run
from ..running import running
from ..world import SECRET

ANY_PORT = {"SERVICE_JWT_SECRET": SECRET, "SERVICE_PORT": "0"}  # a service may have the usual one


@pytest.fixture
async def stopped(settings: config.Settings, tmp_path: Path) -> ServiceProcess:
    """Provide a service that has something in it and does not run."""
    async with running(settings) as world:
        await fill_organization(world)
    return ServiceProcess(tmp_path, {"SERVICE_RATE_LIMIT_LOGIN": "1000", "SERVICE_JWT_SECRET": SECRET})


def examined(folder: Path, **environment: str) -> tuple[int, list[str], str]:
    done = run("doctor", folder=folder, environment={**ANY_PORT, **environment})
    assert "Traceback" not in done.stderr
    problems = [line.removeprefix("problem").strip() for line in done.stdout.splitlines() if line.startswith("problem")]
    return done.returncode, problems, done.stdout


async def test_a_healthy_installation_has_no_problem_whether_it_runs_or_not(
    stopped: ServiceProcess, tmp_path: Path
) -> None:
    assert examined(tmp_path)[:2] == (0, [])
    stopped.start()
    try:
        code, problems, said = examined(tmp_path, SERVICE_PORT=str(stopped.port))
        assert (code, problems) == (0, [])
        assert "since the service is running" in said
    finally:
        stopped.stop()


def test_a_fresh_folder_has_no_problem_and_nothing_is_made_in_it(tmp_path: Path) -> None:
    code, problems, _ = examined(tmp_path)
    assert (code, problems) == (0, [])
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_database_is_found(stopped: ServiceProcess, tmp_path: Path) -> None:
    path = tmp_path / "data" / "service.db"
    with path.open("r+b") as file:
        file.seek(5 * 4096)
        file.write(b"\xff" * 4096)
    code, problems, said = examined(tmp_path)
    assert code == 1
    assert any(line.startswith("database: ") for line in problems)
    assert "Restore" in said


def test_a_row_that_refers_to_nothing_is_found(stopped: ServiceProcess, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "data" / "service.db")) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("UPDATE cards SET column_id = 'col_none' WHERE title = 'A card'")
        connection.commit()
    code, problems, _ = examined(tmp_path)
    assert code == 1
    assert any("cards refers to a missing row of columns" in line for line in problems)


def test_lost_contents_and_superfluous_ones_are_found(stopped: ServiceProcess, tmp_path: Path) -> None:
    (path,) = (tmp_path / "data" / "files").rglob("file_*")
    path.rename(path.with_name("stray"))
    code, problems, said = examined(tmp_path)
    assert code == 1
    assert [line for line in problems if line.startswith("contents: ") and path.name in line]
    assert "1 files on the disk belong to no row" in said


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE cards SET comment_count = comment_count + 1",
        "UPDATE cards SET reply_count = reply_count + 1",
        "UPDATE cards SET history_count = history_count - 1",
        "UPDATE cards SET file_count = file_count + 1",
        "UPDATE cards SET part_count = part_count + 1",
        "UPDATE cards SET done_part_count = done_part_count + 1",
        "UPDATE relationships SET is_open = 1 - is_open",
    ],
)
def test_a_wrong_count_is_found_with_the_cards_that_have_it(
    stopped: ServiceProcess, tmp_path: Path, change: str
) -> None:
    with closing(sqlite3.connect(tmp_path / "data" / "service.db")) as connection:
        connection.execute(change)
        connection.commit()
        keys = connection.execute("SELECT p.key || '-' || c.number FROM cards c JOIN projects p ON p.id = c.project_id")
        known = {key for (key,) in keys}
    code, (problem,), said = examined(tmp_path)
    assert code == 1
    assert re.match(r"counts: [12] cards have wrong stored counts", problem)
    assert set(problem.rpartition(": ")[2].split(", ")) <= known
    assert "counts anew" in said


@pytest.mark.parametrize("index", ["search_texts", "search_parts", "search_titles"])
def test_a_search_index_that_is_not_what_its_texts_say_is_found_and_made_anew(
    stopped: ServiceProcess, tmp_path: Path, index: str
) -> None:
    stopped.start()  # what was noted is indexed within a second or two
    stopped.stop()
    with closing(sqlite3.connect(tmp_path / "data" / "service.db")) as connection:
        connection.execute(f"INSERT INTO {index} (rowid, title) VALUES (99999999, 'indexed')")
        connection.execute(f"DELETE FROM {index}_content WHERE id = 99999999")
        connection.commit()
    code, problems, _ = examined(tmp_path)
    assert code == 1
    assert any(line.startswith("search index: ") for line in problems)
    mended = run("doctor", "--rebuild-search", folder=tmp_path, environment=ANY_PORT)
    assert mended.returncode == 0
    assert examined(tmp_path)[:2] == (0, [])


def test_another_secret_than_that_of_what_is_sealed_is_found(stopped: ServiceProcess, tmp_path: Path) -> None:
    code, problems, _ = examined(tmp_path, SERVICE_JWT_SECRET="another secret of at least thirty-two bytes")
    assert code == 1
    assert any(line.startswith("secret: SERVICE_JWT_SECRET (jwt_secret): is another one") for line in problems)


def test_a_clock_that_went_back_is_found(stopped: ServiceProcess, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "data" / "service.db")) as connection:
        connection.execute(
            "INSERT INTO events (org_id, type, actor_type, actor_id, created_at)"
            " VALUES ('org', 'card.updated', 'System', 'system', '2999-01-01T00:00:00.000Z')"
        )
        connection.commit()
    code, problems, said = examined(tmp_path)
    assert code == 1
    assert any(line.startswith("clock: ") for line in problems)
    assert "Set the clock" in said


def test_too_little_space_is_found(stopped: ServiceProcess, tmp_path: Path) -> None:
    code, problems, _ = examined(tmp_path, SERVICE_DISK_FREE_MIN_BYTES=str(1 << 49))
    assert code == 1
    assert any(line.startswith("disk: ") for line in problems)


def test_an_organization_with_more_files_than_its_quota_is_named_and_no_problem(
    stopped: ServiceProcess, tmp_path: Path
) -> None:
    assert "more than files_quota_bytes" not in examined(tmp_path)[2]
    with closing(sqlite3.connect(tmp_path / "data" / "service.db")) as connection:
        connection.execute("UPDATE files SET size_bytes = 10 * 1024 * 1024 * 1024 + 1")
        connection.commit()
    for environment, uploads in (
        ({}, "go on until files_quota_bytes is set"),
        ({"SERVICE_FILES_QUOTA_BYTES": "1000"}, "are refused"),
    ):
        _, problems, said = examined(tmp_path, **environment)
        assert not [line for line in problems if line.startswith("quota")]
        assert '"Home"' in said
        assert uploads in said
    unbounded = examined(tmp_path, SERVICE_FILES_QUOTA_BYTES="0")[2]
    assert "more than files_quota_bytes" not in unbounded


def test_the_use_of_the_database_is_named_with_its_quota(stopped: ServiceProcess, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "data" / "service.db")) as connection:
        (home,) = connection.execute("SELECT id FROM organizations WHERE title = 'Home'").fetchone()
        connection.execute("INSERT OR REPLACE INTO database_usage VALUES (?, 5000000, 0)", (home,))
        connection.commit()
    code, problems, said = examined(tmp_path)
    assert (code, problems) == (0, [])
    use = f'"Home" ({home}) uses about 5000000 bytes of the database, of'
    (line,) = [line for line in said.splitlines() if use in line]
    assert line.startswith("well")
    assert line.endswith("of 10737418240 of database_quota_bytes")
    _, problems, said = examined(tmp_path, SERVICE_DATABASE_QUOTA_BYTES="4999999")
    assert problems == []
    (line,) = [line for line in said.splitlines() if use in line]
    assert line.startswith("note")
    assert "What needs space is refused" in said
    assert "database_quota_bytes is 0" in examined(tmp_path, SERVICE_DATABASE_QUOTA_BYTES="0")[2]


def test_an_organization_that_was_above_the_default_quota_before_goes_on(
    stopped: ServiceProcess, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "data" / "service.db")) as connection:
        insert = "INSERT OR REPLACE INTO database_usage SELECT id, 20000000000, 1 FROM organizations"
        connection.execute(insert)
        connection.commit()
    assert "it goes on until the setting is set" in examined(tmp_path)[2]
    said = examined(tmp_path, SERVICE_DATABASE_QUOTA_BYTES="10737418240")[2]
    assert "What needs space is refused" in said


def ready(folder: Path, **environment: str) -> tuple[int, str]:
    done = run("doctor", "--ready", folder=folder, environment=environment)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


def test_ready_asks_only_the_running_service_at_the_port_of_the_settings(
    stopped: ServiceProcess, tmp_path: Path
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    code, said = ready(tmp_path, SERVICE_PORT=port)
    assert (code, f"no service responds at http://127.0.0.1:{port}" in said) == (1, True)
    stopped.start()
    try:
        named = {"SERVICE_HOST": "0.0.0.0", "http_proxy": f"http://127.0.0.1:{port}"}  # noqa: S104
        assert ready(tmp_path, SERVICE_PORT=str(stopped.port), **named) == (0, "well    readiness\nno problems\n")
        (tmp_path / "config.toml").write_text(f"port = {stopped.port}\n")
        assert ready(tmp_path)[0] == 0
        stopped.stop()
        stopped.environment |= {"SERVICE_DISK_FREE_MIN_BYTES": str(1 << 50)}
        stopped.start()
        code, said = ready(tmp_path, SERVICE_PORT=str(stopped.port))
        assert (code, "the running service is not ready" in said) == (1, True)
    finally:
        stopped.stop()


def test_ready_finds_a_service_on_an_address_of_version_6(stopped: ServiceProcess, tmp_path: Path) -> None:
    try:
        with socket.socket(socket.AF_INET6) as free:
            free.bind(("::1", 0))
            port = str(free.getsockname()[1])
    except OSError:
        pytest.skip("NOT CHECKED: no IPv6 here")
    for host in ("::1", "::"):
        code, said = ready(tmp_path, SERVICE_HOST=host, SERVICE_PORT=port)
        assert (code, f"no service responds at http://[::1]:{port}" in said) == (1, True)


def test_a_port_that_is_taken_is_found(stopped: ServiceProcess, tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        code, problems, _ = examined(tmp_path, SERVICE_PORT=str(other.getsockname()[1]))
    assert code == 1
    assert any(line.startswith("port: ") for line in problems)


def test_a_proxy_that_is_not_trusted_and_one_that_anybody_can_be_are_found(tmp_path: Path) -> None:
    public = {"SERVICE_PUBLIC_URL": "https://board.example.com"}
    assert any("trusted_proxies is not" in line for line in examined(tmp_path, **public)[1])
    assert examined(tmp_path, **public, SERVICE_TRUSTED_PROXIES="127.0.0.1")[:2] == (0, [])
    everybody = examined(tmp_path, **public, SERVICE_TRUSTED_PROXIES="0.0.0.0/0")
    assert everybody[0] == 1


def test_open_modes_are_told_and_are_no_problem(stopped: ServiceProcess, tmp_path: Path) -> None:
    (tmp_path / "data").chmod(0o755)
    files = [tmp_path / "data" / name for name in ("service.db", "service.db.schema-0001")]
    shutil.copy(*files)
    for file in files:
        file.chmod(0o644)
    code, problems, said = examined(tmp_path)
    assert (code, problems) == (0, [])
    assert "chmod 700" in said
    assert [f"chmod 600 data/{file.name}\n" in said for file in files] == [True, True]


def test_older_copies_of_the_database_are_counted_with_their_size(stopped: ServiceProcess, tmp_path: Path) -> None:
    assert "older copies" not in examined(tmp_path)[2]
    for name, size in (("service.db.schema-0001", 2 << 20), ("service.db.before-rollback", 3 << 20)):
        (tmp_path / "data" / name).write_bytes(bytes(size))
        (tmp_path / "data" / name).chmod(0o600)
    code, problems, said = examined(tmp_path)
    assert (code, problems) == (0, [])
    (line,) = (line for line in said.splitlines() if "older copies" in line)
    assert line.split(maxsplit=1) == ["note", "disk: 2 older copies of the database take 5 MiB"]
    assert "Delete those that you no longer need in data." in said


def test_a_database_that_is_gone_beside_files_is_a_problem(stopped: ServiceProcess, tmp_path: Path) -> None:
    (tmp_path / "data" / "service.db").unlink()
    code, problems, _ = examined(tmp_path)
    assert code == 1
    assert any(line.startswith("database: ") for line in problems)


def test_a_newer_schema_is_a_problem(stopped: ServiceProcess, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "data" / "service.db")) as connection:
        connection.execute("PRAGMA user_version = 999")
    code, problems, _ = examined(tmp_path)
    assert code == 1
    assert any("newer than schema" in line for line in problems)


def test_settings_that_cannot_be_read_end_with_exit_code_2(tmp_path: Path) -> None:
    done = run("doctor", folder=tmp_path, environment={"SERVICE_PORT": "many"})
    assert done.returncode == 2
    assert "SERVICE_PORT" in done.stderr


def test_a_low_limit_of_open_files_is_told_and_is_no_problem(tmp_path: Path) -> None:
    code = (
        "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (500, 500)); sys.argv = ['', 'doctor']"
    )
    code += f"; sys.path.insert(0, {str(RUN.parent)!r}); runpy.run_path({str(RUN)!r}, run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=bare_environment() | ANY_PORT,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "note    open files: a process of this user may open 500 files" in done.stdout
    assert "LimitNOFILE" in done.stdout


def test_the_age_of_the_last_backup_is_told(stopped: ServiceProcess, tmp_path: Path) -> None:
    assert "note    copies: no backup has been made" in examined(tmp_path)[2]
    assert run("backup", "copy", folder=tmp_path, environment=ANY_PORT).returncode == 0
    assert "well    copies: the newest backup is 0.0 hours old" in examined(tmp_path)[2]
    record = tmp_path / "data" / "last-backup"
    assert json.loads(record.read_text())["path"] == str(tmp_path / "copy")
    assert record.stat().st_mode & 0o777 == 0o600
    record.write_text("2020-01-01T00:00:00.000Z /somewhere\n")
    code, problems, said = examined(tmp_path)
    assert (code, problems) == (0, [])
    assert re.search(r"^note    copies: the newest backup is \d{5,}\.\d hours old$", said, re.MULTILINE)
    record.write_bytes(b"\xff")
    assert "no backup has been made" in examined(tmp_path)[2]


def test_a_failed_backup_is_not_recorded(stopped: ServiceProcess, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "other").touch()
    assert run("backup", "copy", folder=tmp_path, environment=ANY_PORT).returncode == 2
    assert not (tmp_path / "data" / "last-backup").exists()


def test_the_age_of_what_litestream_has_read_is_told(stopped: ServiceProcess, tmp_path: Path) -> None:
    folder = tmp_path / "data" / ".service.db-litestream" / "ltx" / "0"
    folder.mkdir(parents=True)
    assert "Litestream" not in examined(tmp_path)[2]
    file = folder / "0000000000000001-0000000000000001.ltx"
    file.touch()
    assert "well    copies: the copy of Litestream is current" in examined(tmp_path)[2]
    changed = (tmp_path / "data" / "service.db").stat().st_mtime
    os.utime(file, (changed - 48 * 3600, changed - 48 * 3600))
    assert "note    copies: the newest copy of Litestream is 48.0 hours old" in examined(tmp_path)[2]


def test_a_data_folder_on_a_network_file_system_is_a_problem(
    stopped: ServiceProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "mountinfo"
    monkeypatch.setattr(mounts, "TABLE", table)
    for kind, count in (("nfs4", 1), ("fuse.sshfs", 1), ("ext4", 0)):
        table.write_text(
            f"27 1 254:0 / / rw - ext4 /dev/vda rw\n31 27 0:40 / {tmp_path / 'data'} rw - {kind} host:/ rw\n"
        )
        code, problems, said = examined(tmp_path)
        assert (code, len(problems)) == (count, count)
        assert (f"data is on a network file system ({kind})" in said) == bool(count)
