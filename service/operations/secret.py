"""Another secret, without losing what the old one sealed."""

import os
import secrets as randomness

from ..config import ConfigError, Settings
from . import folder
from .manifest import SECRETS


def rotate(settings: Settings) -> list[str]:
    """Take another secret from the next start on; give the lines to set where it is a setting, none where it is a file.

    Until that start has sealed everything anew, the old one stays beside it.
    """
    fresh = randomness.token_hex(32)
    if settings.jwt_secret is not None:
        return [f"SERVICE_JWT_SECRET={fresh}", f"SERVICE_JWT_SECRET_PREVIOUS={settings.jwt_secret}"]
    current, previous = (settings.data_path / name for name in SECRETS)
    if not current.is_file():
        raise ConfigError(f"{current}: there is no secret yet; the first start makes one")
    if previous.exists():
        raise ConfigError(f"{previous}: the last rotation is not done; start the service once")
    folder.copied(current, previous)
    folder.through_to_disk(settings.data_path)
    new = current.with_suffix(".new")
    new.unlink(missing_ok=True)
    folder.written(new, fresh)
    os.replace(new, current)
    folder.through_to_disk(settings.data_path)
    return []
