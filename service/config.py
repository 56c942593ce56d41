"""Settings from a TOML file and from environment variables, which take precedence."""

import contextlib
import errno
import ipaddress
import os
import secrets
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from .schemas import Email, Password, Title
from .setting_values import (
    blank_is_unset,
    check_cpu_affinity,
    check_host,
    check_path,
    check_time_of_day,
    check_timezone,
    parse_boolean,
    parse_duration,
    parse_networks,
    parse_number,
    parse_public_url,
    parse_word,
)
from .text.problem_texts import describe_problem

FILE = "config.toml"  # default settings file, in the working folder
SYSTEM_FILE = Path("/etc/tandem/config.toml")  # the default of an installed service, if FILE does not exist
SECRETS = ("jwt_secret", "jwt_secret_previous", "metrics_token", "sa_bootstrap_password")  # can be read from files
PREFIX = "SERVICE_"
DEFAULT_DATABASE_QUOTA_BYTES = 10 << 30
SECRET_BYTES_MIN = 32
_CREATE = "create one with: openssl rand -hex 32"
_LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # instead of all addresses of the machine
_BOUNDS = {"files_max_bytes": "files_quota_bytes", "caller_listeners_max": "organization_listeners_max"}
_RESTORE = "restore it from a backup, or start once with --new-secret"
CURRENT = "jwt-secret"  # in the data folder: the secret, unless it is a setting
PREVIOUS = "jwt-secret-previous"  # in the data folder: the secret before a rotation, kept until the next start
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
# Read by the client commands, or before the settings are loaded.
_OTHER_VARIABLES = {
    "SERVICE_CONFIG", "SERVICE_API_URL", "SERVICE_API_KEY", "SERVICE_AGENT_ID", "SERVICE_EMAIL", "SERVICE_PASSWORD",
    "SERVICE_TOKEN",
}  # fmt: skip


class ConfigError(Exception):
    """An invalid setting; the message is one line that names it."""


Optional = BeforeValidator(blank_is_unset)
Number = BeforeValidator(parse_number)
Word = BeforeValidator(parse_word)


MetricsToken = Annotated[str, StringConstraints(pattern=r"^[!-~]{16,200}$")]


class Settings(BaseModel):
    """All settings with their defaults; immutable."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    host: Annotated[str, BeforeValidator(check_host)] = "127.0.0.1"
    port: Annotated[int, Number, Field(ge=0, le=65535)] = 8080
    data_path: Annotated[Path, BeforeValidator(check_path)] = Path("data")
    files_path: Annotated[Annotated[Path, BeforeValidator(check_path)] | None, Optional] = None
    disk_free_min_bytes: Annotated[int, Number, Field(ge=0, le=1 << 50)] = 256 << 20
    files_max_bytes: Annotated[int, Number, Field(ge=1, le=1 << 40)] = 50 << 20
    import_max_bytes: Annotated[int, Number, Field(ge=64 << 20, le=1 << 40)] = 64 << 20
    files_quota_bytes: Annotated[int, Number, Field(ge=0, le=1 << 50)] = 10 << 30
    database_quota_bytes: Annotated[int, Number, Field(ge=0, le=1 << 50)] = DEFAULT_DATABASE_QUOTA_BYTES
    backup_dir: Annotated[Annotated[Path, BeforeValidator(check_path)] | None, Optional] = None
    backup_at: Annotated[Annotated[str, BeforeValidator(check_time_of_day)] | None, Optional] = None
    backup_timezone: Annotated[str, BeforeValidator(check_timezone)] = "UTC"
    backup_keep: Annotated[int, Number, Field(ge=1, le=10_000)] = 14
    public_url: Annotated[Annotated[str, BeforeValidator(parse_public_url)] | None, Optional] = None
    cpu_affinity: Annotated[str, BeforeValidator(check_cpu_affinity)] = "auto"
    log_level: Annotated[Literal["debug", "info", "warning", "error"], Word] = "info"
    jwt_secret: Annotated[str | None, Optional] = None
    jwt_secret_previous: Annotated[str | None, Optional] = None
    jwt_lifetime: Annotated[int, BeforeValidator(parse_duration), Field(ge=60, le=3650 * 86400)] = 12 * 3600
    metrics_token: Annotated[MetricsToken | None, Optional] = None
    rate_limits: Annotated[Literal["enabled", "disabled"], Word] = "enabled"
    rate_limit_login: Annotated[int, Number, Field(ge=1, le=1_000_000)] = 10
    organization_creators: Annotated[Literal["everyone", "architects"], Word] = "everyone"
    guard_cards_per_hour: Annotated[int, Number, Field(ge=0, le=1_000_000)] = 500
    guard_comments_per_hour: Annotated[int, Number, Field(ge=0, le=1_000_000)] = 200
    guard_returns: Annotated[int, Number, Field(ge=0, le=1_000_000)] = 20
    agent_creates_per_hour: Annotated[int, Number, Field(ge=0, le=1_000_000)] = 100
    agent_claims_max: Annotated[int, Number, Field(ge=0, le=1_000_000)] = 5
    events_kept: Annotated[int, BeforeValidator(parse_duration), Field(ge=60, le=3650 * 86400)] = 30 * 86400
    organization_listeners_max: Annotated[int, Number, Field(ge=1, le=100_000)] = 500
    caller_listeners_max: Annotated[int, Number, Field(ge=1, le=100_000)] = 100
    webhooks_allow_private: Annotated[bool, BeforeValidator(parse_boolean)] = False
    trusted_proxies: Annotated[tuple[Network, ...], BeforeValidator(parse_networks)] = ()
    sa_bootstrap_email: Annotated[Email | None, Optional] = None
    sa_bootstrap_password: Annotated[Password | None, Optional] = None
    sa_bootstrap_name: Annotated[Title | None, Optional] = None
    sa_bootstrap_organization: Annotated[Title | None, Optional] = None

    @property
    def database(self) -> Path:
        """Return the path of the database file."""
        return self.data_path / "service.db"

    @property
    def files(self) -> Path:
        """Return the folder of uploaded files."""
        assert self.files_path is not None
        return self.files_path

    @property
    def base_path(self) -> str:
        """Return the path of public_url, without a slash at its end: `/tandem`, or empty."""
        return urlsplit(self.public_url or "").path

    def external_path(self, path: str) -> str:
        """Return the path by which browsers and other clients reach a path of the service.

        Use it for everything that leaves the service: links, redirects, paths of cookies.
        """
        return self.base_path + path

    @property
    def local_host(self) -> str:
        """Return the host by which programs on this machine reach the service."""
        return _LOOPBACK.get(self.host, self.host)

    @property
    def is_files_quota_set(self) -> bool:
        """Return whether files_quota_bytes was set explicitly.

        The default limit does not apply to an organization that already stores more.
        """
        return "files_quota_bytes" in self.model_fields_set

    @property
    def is_database_quota_set(self) -> bool:
        """Return whether database_quota_bytes was set explicitly; see is_files_quota_set."""
        return "database_quota_bytes" in self.model_fields_set

    @property
    def secret(self) -> str:
        """Return the secret that signs tokens; `prepare` sets one if the settings have none."""
        assert self.jwt_secret is not None
        return self.jwt_secret


def format_address(host: str, port: int) -> str:
    """Return the HTTP address of a host and a port."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def variable(key: str) -> str:
    """Return the name of the environment variable of a setting."""
    return key.upper() if key.startswith("sa_bootstrap_") else PREFIX + key.upper()


def load(file: str | None = None, environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings; raise ConfigError with one line that names an unknown key or an invalid value."""
    chosen = file or environment.get("SERVICE_CONFIG")
    path = Path(chosen) if chosen else find_unnamed_file()
    values = _read_file(path) if path else {}
    sources = dict.fromkeys(values, str(path))
    for key, value in _read_environment(environment).items():
        values[key], sources[key] = value, "environment"
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        raise ConfigError(_format_error(error, sources)) from None
    return _check(settings)


def find_unnamed_file() -> Path | None:
    """Return the first readable default settings file, or None."""
    return next((path for path in (Path(FILE), SYSTEM_FILE) if os.path.isfile(path) and os.access(path, os.R_OK)), None)


def _read_file(path: Path) -> dict[str, Any]:
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not text in UTF-8") from None
    except (ValueError, RecursionError) as error:  # not TOML, a number of thousands of digits
        raise ConfigError(f"{path}: is not valid TOML ({error})") from None
    for key in values:
        if key not in Settings.model_fields:
            raise ConfigError(f"{path}: unknown key {key!r}; config.example.toml lists all keys")
    return values


def _read_environment(environment: Mapping[str, str]) -> dict[str, str]:
    environment = dict(environment)
    for key in SECRETS:
        _read_secret(environment, variable(key))
    keys = {variable(key): key for key in Settings.model_fields}
    for name in environment:
        if name.startswith(("SERVICE_", "SA_BOOTSTRAP_")) and name not in keys and name not in _OTHER_VARIABLES:
            raise ConfigError(f"environment: unknown variable {name}; config.example.toml lists all settings")
    return {key: environment[name] for name, key in keys.items() if name in environment}


def _read_secret(environment: dict[str, str], name: str) -> None:
    """Replace the variable with the suffix _FILE by the content of the file that it names."""
    path = environment.pop(f"{name}_FILE", "")
    if path and environment.get(name):
        raise ConfigError(f"environment: {name} and {name}_FILE are both set; keep one of them")
    try:
        environment |= {name: Path(path).read_text("utf-8").strip()} if path else {}
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise ConfigError(f"environment: {name}_FILE: {path} cannot be read ({reason})") from None


_MESSAGES = {
    "metrics_token": "must have 16 to 200 ASCII characters without blanks; create one with: openssl rand -hex 32",
    "sa_bootstrap_email": "must be an e-mail address, like ada@example.com",
}  # for a value that does not match a pattern


def _format_error(error: ValidationError, sources: Mapping[str, str]) -> str:
    first = error.errors()[0]
    key = str(first["loc"][0])
    name = variable(key) if sources.get(key) == "environment" else key
    message = _MESSAGES.get(key) or describe_problem(first)
    return f"{sources.get(key, 'settings')}: {name}: {message}"


def _check(settings: Settings) -> Settings:
    for key in ("jwt_secret", "jwt_secret_previous"):
        if (secret := getattr(settings, key)) is not None and len(secret.encode()) < SECRET_BYTES_MIN:
            advice = "it must be the former jwt_secret" if key.endswith("previous") else _CREATE
            raise ConfigError(f"{variable(key)} ({key}) has fewer than {SECRET_BYTES_MIN} bytes; {advice}")
    if settings.files_path is None:
        settings = settings.model_copy(update={"files_path": settings.data_path / "files"})
    _check_folders(settings)
    _check_backups(settings)
    for key, bound in _BOUNDS.items():
        # Only if it was set: the default may be larger than a bound that somebody lowered.
        if key in settings.model_fields_set and 0 < getattr(settings, bound) < getattr(settings, key):
            raise ConfigError(f"{key}: is larger than {bound}; lower {key} or raise {bound}")
    return settings


def _check_folders(settings: Settings) -> None:
    """Raise ConfigError if the files folder would contain the database or be in its place."""
    data, files = Path(os.path.realpath(settings.data_path)), Path(os.path.realpath(settings.files))
    inner = files.relative_to(data).parts[:1] if files.is_relative_to(data) else ()
    if data.is_relative_to(files) or (inner and inner[0].startswith(("service.db", "jwt-secret"))):
        allowed = "choose a folder of its own, outside of data_path or below it, like the default files"
        raise ConfigError(f"files_path: {settings.files} is in the way of the database; {allowed}")


def _check_backups(settings: Settings) -> None:
    """Raise ConfigError for half a schedule, or a folder in which backups would be lost with what they back up."""
    if (settings.backup_dir is None) != (settings.backup_at is None):
        missing = "backup_at" if settings.backup_at is None else "backup_dir"
        raise ConfigError(f"{missing}: is not set; a schedule of backups needs backup_dir and backup_at")
    if settings.backup_dir is None:
        return
    home = Path(os.path.realpath(settings.backup_dir))
    for key, folder in (("data_path", settings.data_path), ("files_path", settings.files)):
        if home.is_relative_to(os.path.realpath(folder)):
            raise ConfigError(f"backup_dir: {settings.backup_dir} is in {key}; name a folder elsewhere")


def prepare(settings: Settings) -> Settings:
    """Create the folders, and a secret if none is set; raise ConfigError for what the machine does not have."""
    _check_core(settings.cpu_affinity)
    # Before the secret: a secret without a database looks like a database that was lost.
    for key, folder in (("data_path", settings.data_path), ("files_path", settings.files)):
        with _name_in_errors(key, folder):
            _create_folder(folder)
    with _name_in_errors("data_path", settings.data_path):
        if settings.jwt_secret is None:
            _create_missing_secret(settings.data_path / CURRENT)
        secret, previous = read_secrets(settings)
    return _check(settings.model_copy(update={"jwt_secret": secret, "jwt_secret_previous": previous}))


@contextlib.contextmanager
def _name_in_errors(key: str, folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.filename and Path(error.filename).parent == folder:
            raise ConfigError(f"{error.filename}: cannot be used ({error.strerror})") from None
        raise ConfigError(f"{key}: {folder} cannot be written ({error.strerror}); name a folder that can") from None


def _create_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _check_core(setting: str) -> None:
    """Raise ConfigError if the process cannot run on the core that cpu_affinity names."""
    if setting.isdigit() and sys.platform == "linux" and int(setting) not in (cores := os.sched_getaffinity(0)):
        numbers = ", ".join(map(str, sorted(cores)))
        raise ConfigError(
            f"cpu_affinity: there is no core {setting} for this process; set auto, off or one of {numbers}"
        )


def forget_previous(settings: Settings) -> None:
    """Delete the secret before the last rotation; call this once everything is encrypted with the new one."""
    (settings.data_path / PREVIOUS).unlink(missing_ok=True)


def read_secrets(settings: Settings) -> tuple[str | None, str | None]:
    """Return the current and the previous secret, from the settings or else from the data folder, or None.

    Raise ConfigError for a file that cannot be a secret.
    """
    if settings.jwt_secret is not None:
        return settings.jwt_secret, settings.jwt_secret_previous
    current = read_secret_file(settings.data_path / CURRENT)
    return current, settings.jwt_secret_previous or read_secret_file(settings.data_path / PREVIOUS)


def read_secret_file(path: Path) -> str | None:
    """Return the secret in a file, or None if there is no file; raise ConfigError if it cannot be a secret."""
    try:
        secret = path.read_text("utf-8").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not text in UTF-8; {_RESTORE}") from None
    if len(secret.encode()) < SECRET_BYTES_MIN:
        raise ConfigError(f"{path}: has fewer than {SECRET_BYTES_MIN} bytes; {_RESTORE}")
    return secret


def _create_missing_secret(path: Path) -> None:
    if not path.exists():
        # A temporary file that is renamed: an interrupted start leaves no truncated secret.
        temporary = path.with_suffix(".new")
        temporary.unlink(missing_ok=True)
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)
