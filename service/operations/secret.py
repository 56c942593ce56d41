"""The secret of the service: its check before a start, its replacement if it is lost, and its rotation."""

import contextlib
import os
import secrets as randomness

from ..auth import reencryption
from ..auth.encryption import Encryptor
from ..config import CURRENT, PREVIOUS, ConfigError, Settings, read_secret_file, read_secrets, variable
from ..database import copies
from ..database.queries import sql
from . import folder

EMPTIES = "start once with --new-secret, which empties them"
REPLACED = "there was none, so a new one was made: everybody signs in again"


def require_matching_secret(settings: Settings) -> None:
    """Raise ConfigError if webhooks and tool servers have encrypted values, and no known secret decrypts any of them.

    A database that cannot be read is not checked: its start says why.
    """
    current, previous = read_secrets(settings)
    if not settings.database.is_file():
        return
    with contextlib.suppress(copies.Error), copies.open_for_reading(settings.database, is_live=True) as tx:
        if reencryption.has_only_lost_values(tx, Encryptor(current or "", previous)):
            raise ConfigError(describe_lost_secret(settings, current))


def is_database_used(settings: Settings) -> bool:
    """Return whether the database has had a service, so that a new secret ends the sessions of people."""
    if not settings.database.is_file():
        return False
    with contextlib.suppress(copies.Error), copies.open_for_reading(settings.database, is_live=True) as tx:
        return bool(tx.all(sql.operations.list_organizations))
    return False


def describe_lost_secret(settings: Settings, current: str | None) -> str:
    """Return a sentence that names the file or the setting of the secret, and what to do."""
    if settings.jwt_secret is not None:
        name = f"{variable('jwt_secret')} (jwt_secret)"
        advice = "set the former one"
    else:
        name = str(settings.data_path / CURRENT)
        advice = "restore the file from a backup, or set the former secret"
    problem = "is missing, and" if current is None else "is another one:"
    return f"{name}: {problem} no stored secret of webhooks and tool servers can be decrypted; {advice}, or {EMPTIES}"


def remove_unusable_secrets(settings: Settings) -> None:
    """Remove files of the data folder that cannot be secrets, so that the start makes a new one."""
    for name in (CURRENT, PREVIOUS) if settings.jwt_secret is None else ():
        try:
            read_secret_file(settings.data_path / name)
        except ConfigError:
            (settings.data_path / name).unlink()


def empty_lost_values(settings: Settings) -> int:
    """Empty the stored secrets of webhooks and tool servers that cannot be decrypted; return the number of rows.

    Raise ConfigError if the database cannot be written.
    """
    if not settings.database.is_file():
        return 0
    try:
        with copies.open_for_writing(settings.database) as tx:
            return reencryption.empty_lost_values(tx, Encryptor(settings.secret, settings.jwt_secret_previous))
    except copies.Error as error:
        raise ConfigError(f"{settings.database}: {error}; nothing was emptied") from error


def rotate_secret(settings: Settings) -> list[str]:
    """Replace the secret from the next start on, and return the lines to set if the secret is a setting.

    The old secret is kept until that start has encrypted all stored secrets with the new one.
    """
    new_secret = randomness.token_hex(32)
    if settings.jwt_secret is not None:
        return [f"SERVICE_JWT_SECRET={new_secret}", f"SERVICE_JWT_SECRET_PREVIOUS={settings.jwt_secret}"]
    require_rotatable(settings)
    current, previous = settings.data_path / CURRENT, settings.data_path / PREVIOUS
    folder.copy_file(current, previous)
    folder.flush_to_disk(settings.data_path)
    new_file = current.with_suffix(".new")
    new_file.unlink(missing_ok=True)
    folder.write_file(new_file, new_secret)
    os.replace(new_file, current)
    folder.flush_to_disk(settings.data_path)
    return []


def require_rotatable(settings: Settings) -> None:
    """Raise ConfigError if the data folder has no secret, or the last rotation is not complete."""
    current, previous = settings.data_path / CURRENT, settings.data_path / PREVIOUS
    if read_secret_file(current) is None:
        raise ConfigError(f"{current}: there is no secret yet; the first start creates one")
    if previous.exists():
        raise ConfigError(f"{previous}: the last rotation is not complete; start the service once")
