"""Settings: file, then environment; whatever cannot be used is refused in one line that names it."""

import socket
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from service import config

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
    "SERVICE_LOG_LEVEL": ["loud", "INFO "],
    "SERVICE_JWT_SECRET": ["short", "x" * 31],
    "SERVICE_JWT_LIFETIME": ["soon", "5", "-1h", "1w", "9999999999"],
    "SERVICE_RATE_LIMIT_LOGIN": ["0", "-1", "many"],
    "SERVICE_RATE_LIMITS": ["off", "DISABLED"],
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
    """Run the service, which must give up with exit code 2 and one line; give that line."""
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


@pytest.mark.parametrize(("name", "value"), [("SERVICE_METRICS_TOKEN", "a b"), ("SA_BOOTSTRAP_EMAIL", "nobody")])
def test_a_value_of_the_wrong_form_is_refused_without_a_pattern(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(config.ConfigError, match=rf"{name}: does not have the required form"):
        load(tmp_path, **{name: value})


def test_no_new_database_is_made_beside_the_secret_of_another_one(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "jwt-secret").write_text("s" * 64)
    assert f"service.db: is missing, but {data.relative_to(tmp_path)}/jwt-secret exists" in refused(tmp_path)
    assert [path.name for path in data.iterdir()] == ["jwt-secret"]
