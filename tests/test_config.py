"""Settings: file, then environment; whatever cannot be used is refused in one line that names it."""

import os
import re
import socket
import sqlite3
import stat
import sys
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from service import app, config

from .page_modules import WEB
from .process import ServiceProcess, run_process
from .world import SECRET, World

LONG = "x" * 73


def load(tmp_path: Path, text: str = "", **environment: str) -> config.Settings:
    file = tmp_path / "settings.toml"
    file.write_text(text, "utf-8")
    return config.load(str(file), environment)


def test_without_file_and_environment_every_setting_has_its_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = config.load(environment={})
    assert (settings.host, settings.port, settings.log_level) == ("127.0.0.1", 8080, "info")
    assert settings.database == Path("data/service.db")
    assert settings.files_path == Path("data/files")
    assert (settings.jwt_lifetime, settings.rate_limit_login, settings.jwt_secret) == (12 * 3600, 10, None)


def test_the_file_config_toml_in_the_working_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config.toml").write_text("port = 9001\n")
    assert config.load(environment={}).port == 9001


def test_a_named_file_is_read_instead_and_the_command_line_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(("config.toml", "one.toml", "two.toml")):
        Path(name).write_text(f"port = {9001 + number}\n")
    assert config.load(environment={"SERVICE_CONFIG": "one.toml"}).port == 9002
    assert config.load("two.toml", {"SERVICE_CONFIG": "one.toml"}).port == 9003


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    settings = load(tmp_path, 'host = "0.0.0.0"\nport = 9001\nsa_bootstrap_name = "File"', SERVICE_PORT="9002")
    assert (settings.host, settings.port) == ("0.0.0.0", 9002)  # noqa: S104  # read, not listened on
    assert load(tmp_path, 'sa_bootstrap_name = "File"', SA_BOOTSTRAP_NAME="Ada").sa_bootstrap_name == "Ada"


def test_files_lie_in_the_data_folder_unless_they_have_one_of_their_own(tmp_path: Path) -> None:
    assert load(tmp_path, SERVICE_DATA_PATH="/d").files_path == Path("/d/files")
    assert load(tmp_path, SERVICE_DATA_PATH="/d", SERVICE_FILES_PATH="/f").files_path == Path("/f")


@pytest.mark.parametrize(
    ("given", "seconds"), [("3600", 3600), ("90s", 90), ("30m", 1800), ("12h", 43200), ("7d", 604800)]
)
def test_a_lifetime_is_written_in_seconds_or_with_a_unit(tmp_path: Path, given: str, seconds: int) -> None:
    assert load(tmp_path, SERVICE_JWT_LIFETIME=given).jwt_lifetime == seconds
    assert load(tmp_path, f'jwt_lifetime = "{given}"').jwt_lifetime == seconds


def test_proxies_are_a_list_in_the_file_and_separated_by_commas_in_the_environment(tmp_path: Path) -> None:
    from_file = load(tmp_path, 'trusted_proxies = ["10.0.0.0/8", "::1"]').trusted_proxies
    assert [str(network) for network in from_file] == ["10.0.0.0/8", "::1/128"]
    assert load(tmp_path, SERVICE_TRUSTED_PROXIES="10.0.0.0/8, ::1").trusted_proxies == from_file


BAD_VALUES = {
    "SERVICE_PORT": ["x", "70000", "-1", "80.5", ""],
    "SERVICE_LOG_LEVEL": ["loud", "INFO-"],
    "SERVICE_JWT_SECRET": ["short", "x" * 31],
    "SERVICE_JWT_LIFETIME": ["soon", "5", "-1h", "1w", "9999999999"],
    "SERVICE_RATE_LIMIT_LOGIN": ["0", "-1", "many"],
    "SERVICE_RATE_LIMITS": ["off", "none"],
    "SERVICE_TRUSTED_PROXIES": ["nonsense", "10.0.0.0/33"],
    "SERVICE_PROT": ["8080"],
    "SA_BOOTSTRAP_MAIL": ["a@b.test"],
    "SA_BOOTSTRAP_EMAIL": ["nobody", "a b@c.test"],
    "SA_BOOTSTRAP_PASSWORD": ["short", LONG],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD_VALUES.items() for value in values])
def test_a_bad_variable_is_refused_by_name_and_never_shown(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(config.ConfigError) as caught:
        load(tmp_path, **{name: value})
    (line,) = str(caught.value).splitlines()
    assert name in line
    assert value not in line.split() or name not in ("SERVICE_JWT_SECRET", "SA_BOOTSTRAP_PASSWORD")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("prot = 8080", "prot"),
        ("port = 'x'", "port"),
        ("port = true", "port"),
        ("host = 1", "host"),
        ("data_path = []", "data_path"),
        ("trusted_proxies = 10", "trusted_proxies"),
        ("trusted_proxies = [true]", "trusted_proxies"),
        ("jwt_secret = 'short'", "jwt_secret"),
        ("[server]\nport = 1", "server"),
        ("port = 1\nport = 2", "settings.toml"),
        ("port =", "settings.toml"),
    ],
)
def test_a_bad_file_is_refused_with_the_key_or_the_file_named(tmp_path: Path, text: str, word: str) -> None:
    with pytest.raises(config.ConfigError) as caught:
        load(tmp_path, text)
    (line,) = str(caught.value).splitlines()
    assert word in line


def test_a_file_that_is_missing_a_folder_or_no_text_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    for name in ("missing.toml", "folder.toml", "bytes.toml"):
        with pytest.raises(config.ConfigError, match=name):
            config.load(str(tmp_path / name), {})


def refused(folder: Path, *arguments: str, **environment: str) -> str:
    """Run the service, which must give up with exit code 2 and one line; return that line."""
    done = run_process(*arguments, folder=folder, environment={"SERVICE_PORT": "0"} | environment)
    assert (done.returncode, done.stdout) == (2, ""), done
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize(
    ("environment", "word"),
    [
        ({"SERVICE_PORT": "x"}, "SERVICE_PORT"),
        ({"SERVICE_JWT_SECRET": "short"}, "SERVICE_JWT_SECRET"),
        ({"SERVICE_NONSENSE": "1"}, "SERVICE_NONSENSE"),
        ({"SERVICE_CONFIG": "nowhere.toml"}, "nowhere.toml"),
        ({"SA_BOOTSTRAP_PASSWORD": LONG}, "SA_BOOTSTRAP_PASSWORD"),
        ({"SERVICE_DATA_PATH": "/dev/null/data"}, "data_path"),
        ({"SERVICE_DATA_PATH": "/proc/data"}, "data_path"),
    ],
)
def test_the_service_gives_up_with_exit_code_2_and_one_line(
    tmp_path: Path, environment: dict[str, str], word: str
) -> None:
    assert word in refused(tmp_path, **environment)


def test_a_bad_file_ends_the_start_with_exit_code_2_and_one_line(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("prot = 1")
    assert "prot" in refused(tmp_path)
    assert "other.toml" in refused(tmp_path, "--config", "other.toml")
    assert "other.toml" in refused(tmp_path, "serve", "--config", "other.toml")


def test_a_data_folder_that_is_a_file_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    assert "data_path" in refused(tmp_path)


def test_a_database_that_is_newer_or_none_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    database = tmp_path / "data" / "service.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA user_version = 9999")
    assert "9999" in refused(tmp_path)
    database.write_bytes(b"nonsense" * 1000)
    assert "service.db" in refused(tmp_path)


def test_a_port_in_use_is_told_in_one_line(service_process: ServiceProcess, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    environment = {"SERVICE_PORT": str(service_process.port), "SERVICE_JWT_SECRET": SECRET}
    done = run_process(folder=tmp_path / "other", environment=environment)
    assert done.returncode != 0
    (line,) = done.stderr.splitlines()
    assert f"127.0.0.1:{service_process.port}" in line
    assert "ready" not in done.stdout


def test_a_host_that_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    done = run_process(folder=tmp_path, environment={"SERVICE_HOST": "nowhere.invalid", "SERVICE_PORT": "0"})
    assert done.returncode != 0
    (line,) = done.stderr.splitlines()
    assert "nowhere.invalid" in line


def test_a_second_service_on_the_same_data_folder_is_refused(service_process: ServiceProcess, tmp_path: Path) -> None:
    assert "data_path" in refused(tmp_path)
    with closing(socket.create_connection(("127.0.0.1", service_process.port), 5)):
        pass  # the first one goes on


@pytest.mark.slow
async def test_a_made_secret_is_kept_for_the_owner_only_and_tokens_outlive_a_restart(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    service_process.stop()
    del service_process.environment["SERVICE_JWT_SECRET"]
    service_process.start()
    async with World(service_process.url) as world:
        headers = world.sa.headers
        kept = [file for file in (tmp_path / "data").iterdir() if "secret" in file.name]
        assert [stat.S_IMODE(file.stat().st_mode) for file in kept] == [0o600]
        assert len(kept[0].read_text().strip().encode()) >= 32
    service_process.stop()
    service_process.start()
    async with World(service_process.url) as world:
        (await world.client(headers).get("/auth/me")).ok()


def test_a_secret_is_read_from_the_file_that_a_variable_names(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s" * 40 + "\n")
    for key in config.SECRETS:
        name = config.variable(key)
        assert getattr(load(tmp_path, **{f"{name}_FILE": str(secret)}), key) == "s" * 40
        with pytest.raises(config.ConfigError, match=f"{name} and {name}_FILE are both set"):
            load(tmp_path, **{name: "t" * 40, f"{name}_FILE": str(secret)})
    with pytest.raises(config.ConfigError, match="unknown variable SERVICE_PORT_FILE"):
        load(tmp_path, SERVICE_PORT_FILE=str(secret))
    with pytest.raises(config.ConfigError, match=r"SERVICE_JWT_SECRET_FILE: .*missing cannot be read"):
        load(tmp_path, SERVICE_JWT_SECRET_FILE=str(tmp_path / "missing"))
    secret.write_text("short")
    with pytest.raises(config.ConfigError, match="fewer than 32 bytes"):
        load(tmp_path, SERVICE_JWT_SECRET_FILE=str(secret))
    secret.write_bytes(b"\xff")
    with pytest.raises(config.ConfigError, match="not text"):
        load(tmp_path, SERVICE_JWT_SECRET_FILE=str(secret))


def test_the_file_of_an_installation_is_read_if_no_other_is_named_or_lies_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(config, "SYSTEM_FILE", tmp_path / "installed.toml")
    assert config.load(None, {}).port == 8080
    for number, name in enumerate(("installed.toml", "config.toml", "named.toml")):
        (tmp_path / name).write_text(f"port = {number + 1}")
        assert config.load(None, {"SERVICE_CONFIG": name} if name == "named.toml" else {}).port == number + 1


# What cannot work, and a word of the line that says what is allowed.
IMPOSSIBLE = {
    "SERVICE_HOST": (
        ["", " ", "http://localhost", "127.0.0.1:80", "[::1]", "a b", "-a", "h\u00f6st", "\udcff"],
        "without port",
    ),
    "SERVICE_PORT": (["65536", "nan", "1e3", "0x50", "8080.0", "9" * 30, "tcp://10.0.0.1:80"], "whole number|65535"),
    "SERVICE_DATA_PATH": (["", " ", "~", "~/data", "a\nb", "\udcff"], "path of a folder"),
    "SERVICE_FILES_PATH": ([" ", "~/files", "a\tb"], "path of a folder"),
    "SERVICE_DISK_FREE_MIN_BYTES": (["-1", "1e9", "256M", str(1 << 51)], "whole number|at least|at most"),
    "SERVICE_FILES_MAX_BYTES": (["0", "-5", "true", "inf"], "whole number|at least|at most"),
    "SERVICE_IMPORT_MAX_BYTES": (["0", str((64 << 20) - 1), "true"], "whole number|at least 67108864"),
    "SERVICE_FILES_QUOTA_BYTES": (["-1", "none"], "whole number|at least 0"),
    "SERVICE_DATABASE_QUOTA_BYTES": (["-1", "none"], "whole number|at least 0"),
    "SERVICE_PUBLIC_URL": (
        [
            "board.example.com", "ftp://board.example.com", "//board.example.com", "https://", "https:///tandem",
            "https://ada@board.example.com", "https://ada:secret@board.example.com", "https://board.example.com?a=1",
            "https://board.example.com/?", "https://board.example.com#top", "https://board.example.com/#",
            "https://board.example.com:0", "https://board.example.com:65536", "https://board.example.com:x",
            "https://board.example.com:", "https://b\u00f6ard.example.com", "https://board example.com",
            "https://[::1", "https://a_b..", " https://board.example.com", "https://board.example.com/a b",
            "https://board.example.com/../a", "https://board.example.com/a//b", "https://board.example.com/./a",
            "https://board.example.com/%74", 'https://board.example.com/a"b', "https://board.example.com/a\nb",
        ],
        r"like https://",
    ),
    "SERVICE_CPU_AFFINITY": (["-1", "all", "0,1", "1.0", ""], "auto, off or"),
    "SERVICE_BACKUP_DIR": (["~/backups", "a\nb"], "path of a folder"),
    "SERVICE_BACKUP_AT": (["3:30", "24:00", "noon"], "like 03:30"),
    "SERVICE_BACKUP_TIMEZONE": (["Mars/Base", "../x", "a\nb"], "Europe/Berlin"),
    "SERVICE_BACKUP_KEEP": (["0", "10001"], "at least|at most"),
    "SERVICE_LOG_LEVEL": (["", "trace"], "'debug'"),
    "SERVICE_JWT_SECRET_PREVIOUS": (["short", "x" * 31], "32 bytes"),
    "SERVICE_JWT_LIFETIME": (["0", "0d", "59", "3651d", "999999999d", "nan", "1.5h"], "seconds|at (least|most)"),
    "SERVICE_EVENTS_KEPT": (["0", "3651d", "-1d", "inf"], "number of seconds|at least|at most"),
    "SERVICE_METRICS_TOKEN": (["a b", "short", "x" * 201, "\u00e4" * 20], "16 to 200"),
    "SERVICE_RATE_LIMIT_LOGIN": (["1000001", "true", "nan"], "whole number|1000000"),
    "SERVICE_GUARD_CARDS_PER_HOUR": (["-1", "1000001"], "at least|at most"),
    "SERVICE_GUARD_COMMENTS_PER_HOUR": (["-1", ""], "at least|at most|whole"),
    "SERVICE_GUARD_RETURNS": (["-1", "off"], "at least|at most|whole"),
    "SERVICE_AGENT_CREATES_PER_HOUR": (["-1", "1000001"], "at least|at most"),
    "SERVICE_AGENT_CLAIMS_MAX": (["-1", "none"], "at least|at most|whole"),
    "SERVICE_ORGANIZATION_CREATORS": (["", "nobody"], "'everyone'"),
    "SERVICE_ORGANIZATION_LISTENERS_MAX": (["0", "100001"], "at least|at most"),
    "SERVICE_CALLER_LISTENERS_MAX": (["0", "100001"], "at least|at most"),
    "SERVICE_WEBHOOKS_ALLOW_PRIVATE": (["2", "y", "", "maybe"], "true or false"),
    "SERVICE_TRUSTED_PROXIES": (["10.0.0.0/8,,::1", "10.0.0.1,", ",", "proxy.example.com", "::1/129"], "empty entries"),
    "SA_BOOTSTRAP_EMAIL": (["nobody", "@", "a@b@c d"], "e-mail address"),
    "SA_BOOTSTRAP_PASSWORD": (["1234567", LONG], "8 to 72"),
    "SA_BOOTSTRAP_NAME": ([" ", "a\nb", "x" * 501], "blank|control|500"),
    "SA_BOOTSTRAP_ORGANIZATION": ([" ", "\x07"], "blank|control"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, (values, _) in IMPOSSIBLE.items() for value in values]
)
def test_a_value_that_cannot_work_is_refused_in_one_line_that_says_what_is_allowed(
    tmp_path: Path, name: str, value: str
) -> None:
    with pytest.raises(config.ConfigError) as caught:
        load(tmp_path, **{name: value})
    (line,) = str(caught.value).splitlines()
    assert name in line
    assert re.search(IMPOSSIBLE[name][1], line), line


def test_every_setting_with_a_bound_is_tried() -> None:
    free = {"SERVICE_JWT_SECRET", "SERVICE_RATE_LIMITS"}  # see BAD_VALUES
    assert {config.variable(key) for key in config.Settings.model_fields} == IMPOSSIBLE.keys() | free


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("port = nan", "whole number"),
        ("port = 8080.0", "whole number"),
        ("files_max_bytes = true", "whole number"),
        ("disk_free_min_bytes = inf", "whole number"),
        (f"port = {'9' * 5000}", "settings.toml"),
        (f"port = {'[' * 5000}", "settings.toml"),
        ('trusted_proxies = ["10.0.0.1", ""]', "empty entries"),
        ('trusted_proxies = {"10.0.0.1" = 1}', "empty entries"),
        ("webhooks_allow_private = 2", "true or false"),
        ("jwt_lifetime = true", "number of seconds"),
        ("public_url = 1", "like https://"),
        ("data_path = 1979-05-27", "path of a folder"),
        ("log_level = ['info']", "log_level"),
        ('sa_bootstrap_name = "a\\u0000"', "control"),
    ],
)
def test_an_invalid_value_in_the_settings_file_is_refused(tmp_path: Path, text: str, word: str) -> None:
    with pytest.raises(config.ConfigError, match=word) as caught:
        load(tmp_path, text)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("https://board.example.com", "https://board.example.com"),
        ("https://board.example.com/", "https://board.example.com"),
        ("HTTP://Board.Example.com:8080/Tandem/", "http://board.example.com:8080/Tandem"),
        ("https://example.com/teams/a-b_c.d~e", "https://example.com/teams/a-b_c.d~e"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        ("http://192.168.1.5", "http://192.168.1.5"),
    ],
)
def test_a_public_address_is_kept_without_a_slash_at_its_end(tmp_path: Path, given: str, kept: str) -> None:
    settings = load(tmp_path, SERVICE_PUBLIC_URL=given)
    assert settings.public_url == kept
    assert settings.base_path == urlsplit(kept).path


async def test_a_base_path_that_could_not_be_told_from_a_path_of_the_service_is_refused(
    tmp_path: Path, world: World
) -> None:
    assert world.service
    routes = app.create_application(world.service).router.resources()
    firsts = {resource.canonical.split("/")[1] for resource in routes} | {path.name for path in WEB.iterdir()}
    for first in firsts - {""} - {name for name in firsts if name.startswith("{")}:
        with pytest.raises(config.ConfigError, match=f"/{re.escape(first)}, which is a path of the service"):
            load(tmp_path, SERVICE_PUBLIC_URL=f"https://example.com/{first}/x")
        assert load(tmp_path, SERVICE_PUBLIC_URL=f"https://example.com/x/{first}").base_path == f"/x/{first}"
    assert {"api", "mcp", "healthz", "readyz", "metrics", "board"} <= firsts


@pytest.mark.parametrize(
    ("files", "is_allowed"),
    [
        ("data", False),
        ("data/.", False),
        ("data/../data/files/..", False),
        (".", False),
        ("/", False),
        ("link", False),
        ("data/service.db", False),
        ("data/service.db-wal", False),
        ("data/jwt-secret/files", False),
        ("data/files", True),
        ("data/uploads/files", True),
        ("data2", True),
    ],
)
def test_the_files_folder_is_never_where_the_database_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: str, is_allowed: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("link").symlink_to("data")
    if is_allowed:
        assert load(tmp_path, SERVICE_FILES_PATH=files).files_path == Path(files)
        return
    with pytest.raises(config.ConfigError, match=r"files_path: .* is in the way of the database; choose"):
        load(tmp_path, SERVICE_FILES_PATH=files)


@pytest.mark.parametrize(
    ("low", "high"),
    [("files_quota_bytes", "files_max_bytes"), ("organization_listeners_max", "caller_listeners_max")],
)
def test_a_part_that_is_larger_than_the_whole_is_refused_if_it_was_set(tmp_path: Path, low: str, high: str) -> None:
    with pytest.raises(config.ConfigError, match=f"{high}: is larger than {low}; lower {high} or raise {low}"):
        load(tmp_path, f"{low} = 50\n{high} = 51")
    load(tmp_path, f"{low} = 50\n{high} = 50")
    load(tmp_path, f"{low} = 50")  # below the default of the other
    load(tmp_path, "files_quota_bytes = 0\nfiles_max_bytes = 51")  # no limit


@pytest.mark.slow
def test_impossible_folders_and_cores_stop_the_start_with_exit_code_2(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "files_path: file cannot be written" in refused(tmp_path, SERVICE_FILES_PATH="file")
    assert list((tmp_path / "data").iterdir()) == []  # no secret without a database: the next start would refuse it
    assert "data_path: file cannot be written" in refused(tmp_path, SERVICE_DATA_PATH="file")
    assert "files_path: data is in the way of the database" in refused(tmp_path, SERVICE_FILES_PATH="data")
    if sys.platform == "linux":
        line = refused(tmp_path, SERVICE_CPU_AFFINITY="9999")
        assert re.search(r"cpu_affinity: there is no core 9999 for this process; set auto, off or one of \d+", line)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_folders_that_cannot_be_written_stop_the_start(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    assert "files_path: locked cannot be written (Permission denied)" in refused(tmp_path, SERVICE_FILES_PATH="locked")


@pytest.mark.parametrize("name", ["jwt-secret", "jwt-secret-previous", "last-backup", "service.db.restoring"])
def test_no_new_database_is_made_beside_what_another_one_has_left(tmp_path: Path, name: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / name).write_text("s" * 64)
    assert f"service.db: is missing, but data/{name} exists" in refused(tmp_path, SERVICE_JWT_SECRET="s" * 64)
    assert [path.name for path in data.iterdir()] == [name]


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1", True), ("0", False), ("YES", True), (" no ", False), ("On", True), ("off", False), ("TRUE", True)],
)
def test_booleans_have_the_usual_words(value: str, expected: bool) -> None:
    environment = {"SERVICE_WEBHOOKS_ALLOW_PRIVATE": value}
    assert config.load(environment=environment).webhooks_allow_private is expected


def test_words_and_numbers_may_have_any_case_and_blanks_around() -> None:
    environment = {
        "SERVICE_LOG_LEVEL": " Warning",
        "SERVICE_RATE_LIMITS": "DISABLED ",
        "SERVICE_ORGANIZATION_CREATORS": "Architects",
        "SERVICE_CPU_AFFINITY": " OFF",
        "SERVICE_PORT": " 9000 ",
        "SERVICE_JWT_LIFETIME": "2H ",
    }
    found = config.load(environment=environment)
    assert (found.log_level, found.rate_limits, found.organization_creators) == ("warning", "disabled", "architects")
    assert (found.cpu_affinity, found.port, found.jwt_lifetime) == ("off", 9000, 7200)
