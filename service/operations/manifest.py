"""Manifest of a backup: its files with their SHA-256, and the file contents that are missing."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .. import PRODUCT, VERSION
from ..clock import now
from ..config import ConfigError
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
    """Return the manifest of a backup; raise ConfigError if it is missing or damaged."""
    path = backup / NAME
    try:
        is_whole = (backup / SUM).read_text("utf-8").split()[:1] == [folder.hash_file(path)]
        found: dict[str, Any] = json.loads(path.read_text("utf-8")) if is_whole else {}
        manifest = Manifest(found["schemaVersion"], found["product"], found["version"], found["madeAt"])
        manifest.entries += [Entry(**row) for row in found["entries"]]
        manifest.missing += [Missing(**row) for row in found["missing"]]
    except FileNotFoundError as error:
        raise ConfigError(f"{backup}: is no whole backup, {Path(str(error.filename)).name} is missing") from None
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(f"{backup}: its {NAME} is damaged; take another backup") from None
    return _check_paths(backup, manifest)


def _check_paths(backup: Path, manifest: Manifest) -> Manifest:
    """Raise ConfigError if a path leads out of the backup."""
    for entry in manifest.entries:
        parts = Path(entry.name).parts
        if Path(entry.name).is_absolute() or ".." in parts or not parts:
            raise ConfigError(f"{backup}: its {NAME} names {entry.name!r}, which is outside of it")
    return manifest
