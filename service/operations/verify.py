"""Verifying: a backup is worth what it proves to be."""

import os
from collections.abc import Iterator
from pathlib import Path

from ..database import copies, migrate
from ..database.queries import sql
from . import folder
from .manifest import DATABASE, FILES, NAME, SUM, Manifest


def problems(backup: Path, listed: Manifest) -> Iterator[str]:
    """Tell one by one what is wrong with a backup."""
    wrong = [message for entry in listed.entries if (message := _wrong(backup, entry.name, entry.size, entry.sha256))]
    yield from wrong
    yield from _superfluous(backup, listed)
    if not any(entry.name == DATABASE for entry in listed.entries):
        yield f"{DATABASE}: is not in the {NAME}"
    elif not any(message.startswith(f"{DATABASE}:") for message in wrong):
        yield from _database(backup, listed)


def _wrong(backup: Path, name: str, size: int, sha256: str) -> str | None:
    path = backup / name
    if path.is_symlink() or not path.is_file():
        return f"{name}: is missing"
    if path.stat().st_size != size:
        return f"{name}: has {path.stat().st_size} bytes instead of {size}"
    return None if folder.hash_of(path) == sha256 else f"{name}: its contents have changed since the backup"


def _superfluous(backup: Path, listed: Manifest) -> Iterator[str]:
    known = {NAME, SUM, *(entry.name for entry in listed.entries)}
    for path, _, names in os.walk(backup):
        for name in names:
            found = str(Path(path, name).relative_to(backup))
            if found not in known:
                yield f"{found}: is not in the {NAME}"


def _database(backup: Path, listed: Manifest) -> Iterator[str]:
    path = backup / DATABASE
    if damage := copies.problems(path):
        yield from (f"{DATABASE}: {message}" for message in damage)
        return
    if copies.version(path) != listed.schema:
        yield f"{DATABASE}: has schema {copies.version(path)} instead of {listed.schema}"
    if listed.schema > migrate.schema_version():
        yield f"{DATABASE}: has schema {listed.schema}, newer than this program's; use the program that made it"
        return
    known = {entry.name for entry in listed.entries} | {row.name for row in listed.missing}
    with copies.looking(path) as tx:
        for row in tx.each(sql.operations.list_files):
            name = f"{FILES}/{row['org_id']}/{row['card_id']}/{row['id']}"
            if name not in known:
                yield f"{name}: the database names it, and it is not in the backup"
