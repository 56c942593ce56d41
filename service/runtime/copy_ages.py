"""The copies of an installation: its last backup, and what Litestream has copied."""

import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..clock import now, parse_timestamp

RECORD = "last-backup"  # file in the data folder: when the last backup succeeded, and where it is
DAMAGED_MAX = 1000  # ids of damaged files in the record
LITESTREAM_SECONDS = 60  # maximum lag of Litestream that is normal
BACKUP, LITESTREAM = "backup", "litestream"


def record_backup(data_path: Path, target: Path, missing: Iterable[tuple[str, bool]] = ()) -> None:
    """Record a backup; raise OSError if the data folder cannot be written.

    `missing` has the contents that it lacks, `<organization>/<card>/<file>`, and whether they are there but damaged.
    """
    counts: dict[str, int] = {}
    damaged: list[str] = []
    for name, is_damaged in missing:
        org_id, _, rest = name.partition("/")
        counts[org_id] = counts.get(org_id, 0) + 1
        if is_damaged and len(damaged) < DAMAGED_MAX:
            damaged.append(rest.rpartition("/")[2])
    write_record(data_path, {"at": now(), "path": str(target.absolute()), "missing": counts, "damaged": damaged})


def write_record(data_path: Path, record: dict[str, Any]) -> None:
    """Write the record of the last backup; raise OSError if the data folder cannot be written."""
    new = data_path / f"{RECORD}.new"
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(record, file)
    os.replace(new, data_path / RECORD)


def record_verification(data_path: Path, target: Path, is_whole: bool) -> None:
    """Record that a backup was verified, if it is the last one; raise OSError if the data folder cannot be written."""
    record = read_record(data_path)
    if record is not None and record.get("path") == str(target.absolute()):
        verified_at = now() if is_whole else None
        write_record(data_path, {**record, "verifiedAt": verified_at, "isDamaged": not is_whole})


def read_record(data_path: Path) -> dict[str, Any] | None:
    """Return the record of the last backup, or None if there is none that can be read."""
    try:
        text = (data_path / RECORD).read_text("utf-8")
        record = json.loads(text) if text.startswith("{") else {"at": text.partition(" ")[0]}  # of an earlier version
        parse_timestamp(record["at"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return record if isinstance(record, dict) else None


def list_damaged_files(data_path: Path) -> set[str]:
    """Return the ids of the files whose contents the last backup has found damaged."""
    return set((read_record(data_path) or {}).get("damaged", ()))


def list_copy_ages(database: Path) -> dict[str, float]:
    """Return the ages in seconds of the copies of a database that are known on this machine, by kind."""
    found = {BACKUP: _find_backup_age(database.parent), LITESTREAM: _find_litestream_age(database)}
    return {kind: max(0.0, age) for kind, age in found.items() if age is not None}


def _find_backup_age(data_path: Path) -> float | None:
    record = read_record(data_path)
    return None if record is None else (parse_timestamp(now()) - parse_timestamp(record["at"])).total_seconds()


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
