"""Manifest of a backup: its files with their SHA-256, and the file contents that are missing."""

import json
from collections import Counter
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from .. import PRODUCT, VERSION
from ..clock import now
from ..config import ConfigError
from ..schemas import is_external_id
from . import folder

NAME, SUM = "manifest.json", "manifest.json.sha256"
DATABASE, SECRETS, FILES = "service.db", ("jwt-secret", "jwt-secret-previous"), "files"
REMOVED, LOST, DAMAGED = "removed while the backup ran", "lost before", "damaged before"


@dataclass(frozen=True)
class Entry:
    """One file of a backup."""

    name: str  # its path inside the backup
    size: int
    sha256: str


@dataclass(frozen=True)
class Missing:
    """A file content to which the database refers and that is missing or damaged in the backup."""

    name: str
    reason: str


@dataclass
class Manifest:
    """The contents of a backup."""

    schema: int = 0
    product: str = PRODUCT
    version: str = VERSION
    created_at: str = field(default_factory=now)
    entries: list[Entry] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)

    @property
    def lost(self) -> list[Missing]:
        """Return the contents that were missing or damaged before the backup; a complete backup has none."""
        return [row for row in self.missing if row.reason != REMOVED]

    @property
    def has_secret(self) -> bool:
        """Return whether the backup contains the generated secret."""
        return any(entry.name in SECRETS for entry in self.entries)

    def write(self, backup: Path) -> None:
        """Write the manifest with one line for each file, and a file with the SHA-256 of the manifest."""
        head = {
            "product": self.product,
            "version": self.version,
            "schemaVersion": self.schema,
            "madeAt": self.created_at,
        }
        missing = [json.dumps(asdict(row)) for row in self.missing]
        text = (
            json.dumps(head)[:-1]
            + f',\n"entries": [\n{_lines([json.dumps(asdict(row)) for row in self.entries])}],\n'
            + f'"missing": [\n{_lines(missing)}]}}\n'
        )
        folder.write_file(backup / NAME, text)
        folder.write_file(backup / SUM, f"{folder.hash_file(backup / NAME)}  {NAME}\n")


def _lines(rows: list[str]) -> str:
    return ",\n".join(rows) + "\n" if rows else ""


def read_manifest(backup: Path) -> Manifest:
    """Return the manifest of a backup; raise ConfigError if it is missing or damaged, or names what no backup has."""
    path = backup / NAME
    try:
        for file in (backup / SUM, path):
            if file.is_symlink() or (file.exists() and not file.is_file()):
                raise ConfigError(f"{backup}: its {file.name} is no regular file; take another backup")
        is_whole = (backup / SUM).read_text("utf-8").split()[:1] == [folder.hash_file(path)]
        manifest = _parse(json.loads(path.read_text("utf-8")) if is_whole else {})
    except FileNotFoundError as error:
        raise ConfigError(f"{backup}: is no whole backup, {Path(str(error.filename)).name} is missing") from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise ConfigError(f"{backup}: its {NAME} is damaged; take another backup") from None
    return _check_names(backup, manifest)


def _parse(found: dict[str, Any]) -> Manifest:
    """Return the manifest in a JSON object; raise KeyError or TypeError if it has another shape."""
    manifest = Manifest(found["schemaVersion"], found["product"], found["version"], found["madeAt"])
    manifest.entries += [Entry(**row) for row in found["entries"]]
    manifest.missing += [Missing(**row) for row in found["missing"]]
    rows: list[Manifest | Entry | Missing] = [manifest, *manifest.entries, *manifest.missing]
    for row in rows:
        _require_types(row)
    return manifest


def _require_types(row: Manifest | Entry | Missing) -> None:
    """Raise TypeError for a number or text of another type, and for a text that cannot be printed."""
    for attribute in fields(row):
        value = getattr(row, attribute.name)
        is_wrong = attribute.type in (int, str) and type(value) is not attribute.type
        if is_wrong or (isinstance(value, str) and not value.isprintable()):
            raise TypeError(attribute.name)


def _check_names(backup: Path, manifest: Manifest) -> Manifest:
    """Raise ConfigError for a name that no backup has, such as one that leads out of it, or that is repeated."""
    names = Counter(entry.name for entry in manifest.entries)
    for name in (*names, *(row.name for row in manifest.missing)):
        if name not in (DATABASE, *SECRETS) and not _is_content(name):
            raise ConfigError(f"{backup}: its {NAME} names {name[:200]!r}, which is outside of its {FILES} folder")
    if repeated := [name for name, count in names.items() if count > 1]:
        raise ConfigError(f"{backup}: its {NAME} names {repeated[0]!r} twice; take another backup")
    return manifest


def _is_content(name: str) -> bool:
    """Return whether a name is that of file contents: files/<organization>/<card>/<file>."""
    parts = name.split("/")
    return len(parts) == 4 and parts[0] == FILES and all(is_external_id(part) for part in parts[1:])
