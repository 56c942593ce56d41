"""Rotation of the secret, which keeps the stored secrets readable."""

import os
import secrets as randomness

from ..config import ConfigError, Settings
from . import folder
from .manifest import SECRETS


def rotate_secret(settings: Settings) -> list[str]:
    """Replace the secret from the next start on, and return the lines to set if the secret is a setting.

    The old secret is kept until that start has encrypted all stored secrets with the new one.
    """
    new_secret = randomness.token_hex(32)
    if settings.jwt_secret is not None:
        return [f"SERVICE_JWT_SECRET={new_secret}", f"SERVICE_JWT_SECRET_PREVIOUS={settings.jwt_secret}"]
    current, previous = (settings.data_path / name for name in SECRETS)
    if not current.is_file():
        raise ConfigError(f"{current}: there is no secret yet; the first start creates one")
    if previous.exists():
        raise ConfigError(f"{previous}: the last rotation is not complete; start the service once")
    folder.copy_file(current, previous)
    folder.flush_to_disk(settings.data_path)
    new_file = current.with_suffix(".new")
    new_file.unlink(missing_ok=True)
    folder.write_file(new_file, new_secret)
    os.replace(new_file, current)
    folder.flush_to_disk(settings.data_path)
    return []
