"""Verification of a backup."""

import os
from collections.abc import Iterator
from pathlib import Path

from ..database import copies, migrate
from ..database.queries import sql
from . import folder
from .manifest import DATABASE, FILES, NAME, SUM, Entry, Manifest


def find_problems(backup: Path, listed: Manifest) -> Iterator[str]:
    """Yield the problems of a backup."""
    damaged = [message for entry in listed.entries if (message := _check_file(backup, entry))]
    yield from damaged
    yield from _find_unlisted(backup, listed)
    if not any(entry.name == DATABASE for entry in listed.entries):
        yield f"{DATABASE}: is not in the {NAME}"
    elif not any(message.startswith(f"{DATABASE}:") for message in damaged):
        yield from _check_database(backup, listed)


def _check_file(backup: Path, entry: Entry) -> str | None:
    name, size, sha256 = entry.name, entry.size, entry.sha256
    path = backup / name
    if os.path.realpath(path) != os.path.join(os.path.realpath(backup), name):
        return f"{name}: is a symbolic link or lies behind one, which no backup contains"
    if not path.is_file():
        return f"{name}: is no regular file" if path.exists() else f"{name}: is missing"
    if path.stat().st_size != size:
        return f"{name}: has {path.stat().st_size} bytes instead of {size}"
    return None if folder.hash_file(path) == sha256 else f"{name}: its contents have changed since the backup"


def _find_unlisted(backup: Path, listed: Manifest) -> Iterator[str]:
    known = {NAME, SUM, *(entry.name for entry in listed.entries)}
    for path, folders, names in os.walk(backup):
        for name in [*names, *(name for name in folders if Path(path, name).is_symlink())]:
            found = str(Path(path, name).relative_to(backup))
            if found not in known:
                yield f"{found if found.isprintable() else repr(found)}: is not in the {NAME}"


def _check_database(backup: Path, listed: Manifest) -> Iterator[str]:
    path = backup / DATABASE
    if damage := copies.find_problems(path):
        yield from (f"{DATABASE}: {message}" for message in damage)
        return
    if copies.get_schema_version(path) != listed.schema:
        yield f"{DATABASE}: has schema {copies.get_schema_version(path)} instead of {listed.schema}"
    if listed.schema > migrate.schema_version():
        yield f"{DATABASE}: has schema {listed.schema}, newer than this program's; use the program that made it"
        return
    known = {entry.name for entry in listed.entries} | {row.name for row in listed.missing}
    with copies.open_for_reading(path) as tx:
        for row in tx.each(sql.operations.list_files):
            name = f"{FILES}/{row['org_id']}/{row['card_id']}/{row['id']}"
            if name not in known:
                yield f"{name}: the database refers to it, but it is not in the backup"
