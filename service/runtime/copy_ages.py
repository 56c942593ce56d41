"""The ages of the copies of an installation: its last backup, and what Litestream has copied."""

import os
import time
from pathlib import Path

from ..clock import now, parse_timestamp

RECORD = "last-backup"  # file in the data folder: when the last backup succeeded, and where it is
LITESTREAM_SECONDS = 60  # maximum lag of Litestream that is normal
BACKUP, LITESTREAM = "backup", "litestream"


def record_backup(data_path: Path, target: Path) -> None:
    """Record that a backup is complete; raise OSError if the data folder cannot be written."""
    new = data_path / f"{RECORD}.new"
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", errors="backslashreplace") as file:
        file.write(f"{now()} {target.absolute()}\n")
    os.replace(new, data_path / RECORD)


def list_copy_ages(database: Path) -> dict[str, float]:
    """Return the ages in seconds of the copies of a database that are known on this machine, by kind."""
    found = {BACKUP: _find_backup_age(database.parent), LITESTREAM: _find_litestream_age(database)}
    return {kind: max(0.0, age) for kind, age in found.items() if age is not None}


def _find_backup_age(data_path: Path) -> float | None:
    try:
        created_at = (data_path / RECORD).read_text("utf-8", "replace").partition(" ")[0]
        return (parse_timestamp(now()) - parse_timestamp(created_at)).total_seconds()
    except (OSError, ValueError):
        return None


def _find_litestream_age(database: Path) -> float | None:
    """Return the age of the oldest change that Litestream may not have copied, 0 if there is none.

    Litestream keeps what it copies beside the database first; whether its target has it can only be seen there.
    """
    try:
        folder = database.with_name(f".{database.name}-litestream") / "ltx" / "0"
        copied = max((entry.stat().st_mtime for entry in os.scandir(folder) if entry.name.endswith(".ltx")), default=0)
        wal = database.with_name(f"{database.name}-wal")
        changed = max(path.stat().st_mtime for path in (database, wal) if path.exists())
    except (OSError, ValueError):
        return None
    if not copied:
        return None
    return time.time() - copied if changed > copied + LITESTREAM_SECONDS else 0.0
