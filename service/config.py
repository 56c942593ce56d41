"""Settings from a TOML file and from environment variables, which take precedence."""

import ipaddress
import os
import re
import secrets
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from .schemas import Email, Password, Title

FILE = "config.toml"  # default settings file, in the working folder
SYSTEM_FILE = Path("/etc/tandem/config.toml")  # the default of an installed service, if FILE does not exist
SECRETS = ("jwt_secret", "jwt_secret_previous", "metrics_token", "sa_bootstrap_password")  # can be read from files
PREFIX = "SERVICE_"
PREVIOUS = "jwt-secret-previous"  # in the data folder: the secret before a rotation, kept until the next start
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
# Read by the client commands, or before the settings are loaded.
_OTHER_VARIABLES = {
    "SERVICE_CONFIG", "SERVICE_API_URL", "SERVICE_API_KEY", "SERVICE_AGENT_ID", "SERVICE_EMAIL", "SERVICE_PASSWORD",
    "SERVICE_TOKEN",
}  # fmt: skip
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


class ConfigError(Exception):
    """An invalid setting; the message is one line that names it."""


def _parse_duration(value: Any) -> Any:
    match = re.fullmatch(r"(\d{1,9})([smhd]?)", str(value))
    if not match:
        raise ValueError("must be a number of seconds, or like 30m, 12h, 7d")
    return int(match[1]) * _UNITS[match[2]]


def _parse_networks(value: Any) -> Any:
    names = value.split(",") if isinstance(value, str) else value
    try:
        return tuple(ipaddress.ip_network(str(name).strip(), strict=False) for name in names if str(name).strip())
    except (TypeError, ValueError):
        raise ValueError("must be addresses or networks, for example 10.0.0.0/8, 192.168.1.5") from None


def _blank_is_unset(value: Any) -> Any:
    return None if value == "" else value


def _reject_boolean(value: Any) -> Any:
    if isinstance(value, bool):  # pydantic would read true as 1
        raise ValueError("must be a whole number")
    return value


def _check_cpu_affinity(value: Any) -> Any:
    if not re.fullmatch(r"auto|off|[0-9]{1,4}", str(value)):
        raise ValueError("must be auto, off or the number of a core")
    return str(value)


Optional = BeforeValidator(_blank_is_unset)
Number = BeforeValidator(_reject_boolean)


MetricsToken = Annotated[str, StringConstraints(pattern=r"^[!-~]{16,200}$")]


class Settings(BaseModel):
    """All settings with their defaults; immutable."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    host: str = "127.0.0.1"
    port: Annotated[int, Number, Field(ge=0, le=65535)] = 8080
    data_path: Path = Path("data")
    files_path: Annotated[Path | None, Optional] = None
    disk_free_min_bytes: Annotated[int, Number, Field(ge=0, le=1 << 50)] = 256 << 20
    files_max_bytes: Annotated[int, Field(ge=1, le=1 << 40)] = 50 << 20
    import_max_bytes: Annotated[int, Number, Field(ge=64 << 20, le=1 << 40)] = 64 << 20
    files_quota_bytes: Annotated[int, Number, Field(ge=0, le=1 << 50)] = 10 << 30
    public_url: Annotated[str | None, Optional] = None
    cpu_affinity: Annotated[str, BeforeValidator(_check_cpu_affinity)] = "auto"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    jwt_secret: Annotated[str | None, Optional] = None
    jwt_secret_previous: Annotated[str | None, Optional] = None
    jwt_lifetime: Annotated[int, BeforeValidator(_parse_duration), Field(ge=60)] = 12 * 3600
    metrics_token: Annotated[MetricsToken | None, Optional] = None
    rate_limits: Literal["enabled", "disabled"] = "enabled"
    rate_limit_login: Annotated[int, Number, Field(ge=1, le=1_000_000)] = 10
    organization_creators: Literal["everyone", "architects"] = "everyone"
    guard_cards_per_hour: Annotated[int, Number, Field(ge=0, le=1_000_000)] = 500
    guard_comments_per_hour: Annotated[int, Number, Field(ge=0, le=1_000_000)] = 200
    guard_returns: Annotated[int, Number, Field(ge=0, le=1_000_000)] = 20
    agent_claims_max: Annotated[int, Number, Field(ge=0, le=1_000_000)] = 5
    events_kept: Annotated[int, BeforeValidator(_parse_duration), Field(ge=60, le=3650 * 86400)] = 30 * 86400
    organization_listeners_max: Annotated[int, Number, Field(ge=1, le=100_000)] = 500
    caller_listeners_max: Annotated[int, Number, Field(ge=1, le=100_000)] = 100
    webhooks_allow_private: bool = False
    trusted_proxies: Annotated[tuple[Network, ...], BeforeValidator(_parse_networks)] = ()
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
    def is_files_quota_set(self) -> bool:
        """Return whether files_quota_bytes was set explicitly.

        The default limit does not apply to an organization that already stores more.
        """
        return "files_quota_bytes" in self.model_fields_set

    @property
    def secret(self) -> str:
        """Return the secret that signs tokens; `prepare` sets one if the settings have none."""
        assert self.jwt_secret is not None
        return self.jwt_secret


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
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
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


def _format_error(error: ValidationError, sources: Mapping[str, str]) -> str:
    first = error.errors()[0]
    key = str(first["loc"][0])
    name = variable(key) if sources.get(key) == "environment" else key
    message = "does not have the required form" if first["type"] == "string_pattern_mismatch" else str(first["msg"])
    return f"{sources.get(key, 'settings')}: {name}: {message.removeprefix('Value error, ')}"


def _check(settings: Settings) -> Settings:
    if settings.jwt_secret is not None and len(settings.jwt_secret.encode()) < 32:
        raise ConfigError(
            "SERVICE_JWT_SECRET (jwt_secret) has fewer than 32 bytes; create one with: openssl rand -hex 32"
        )
    if settings.files_path is None:
        settings = settings.model_copy(update={"files_path": settings.data_path / "files"})
    return settings


def prepare(settings: Settings) -> Settings:
    """Create the folders, and a secret if none is set; raise ConfigError if a folder cannot be written."""
    try:
        settings.data_path.mkdir(mode=0o700, parents=True, exist_ok=True)
        secret = settings.jwt_secret or _get_or_create_secret(settings.data_path / "jwt-secret")
    except OSError as error:
        raise ConfigError(f"data_path: {settings.data_path} cannot be written ({error.strerror})") from None
    try:
        settings.files.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"files_path: {settings.files} cannot be written ({error.strerror})") from None
    previous = settings.jwt_secret_previous
    if settings.jwt_secret is None and (file := settings.data_path / PREVIOUS).is_file():
        previous = previous or file.read_text("utf-8").strip()
    return _check(settings.model_copy(update={"jwt_secret": secret, "jwt_secret_previous": previous}))


def forget_previous(settings: Settings) -> None:
    """Delete the secret before the last rotation; call this once everything is encrypted with the new one."""
    (settings.data_path / PREVIOUS).unlink(missing_ok=True)


def _get_or_create_secret(path: Path) -> str:
    if not path.exists():
        # A temporary file that is renamed: an interrupted start leaves no truncated secret.
        temporary = path.with_suffix(".new")
        temporary.unlink(missing_ok=True)
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)
    return path.read_text("utf-8").strip()
