"""The manifest of a backup: what is in it, each with its SHA-256, and what could not be taken along."""

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
    """A content that the database names and that is not in the backup as it should be."""

    name: str
    reason: str


@dataclass
class Manifest:
    """What a backup holds."""

    schema: int = 0
    product: str = PRODUCT
    version: str = VERSION
    made_at: str = field(default_factory=now)
    entries: list[Entry] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)

    @property
    def has_secret(self) -> bool:
        """Tell whether the secret that the service made for itself is in the backup."""
        return any(entry.name in SECRETS for entry in self.entries)

    def write(self, backup: Path) -> None:
        """Write the manifest, a line for each file, and its own SHA-256 beside it."""
        head = {"product": self.product, "version": self.version, "schemaVersion": self.schema, "madeAt": self.made_at}
        missing = [json.dumps(asdict(row)) for row in self.missing]
        text = (
            json.dumps(head)[:-1]
            + f',\n"entries": [\n{_lines([json.dumps(asdict(row)) for row in self.entries])}],\n'
            + f'"missing": [\n{_lines(missing)}]}}\n'
        )
        folder.written(backup / NAME, text)
        folder.written(backup / SUM, f"{folder.hash_of(backup / NAME)}  {NAME}\n")


def _lines(rows: list[str]) -> str:
    return ",\n".join(rows) + "\n" if rows else ""


def read(backup: Path) -> Manifest:
    """Read the manifest of a backup; raise ConfigError if there is none that can be believed."""
    path = backup / NAME
    try:
        is_whole = (backup / SUM).read_text("utf-8").split()[:1] == [folder.hash_of(path)]
        found: dict[str, Any] = json.loads(path.read_text("utf-8")) if is_whole else {}
        manifest = Manifest(found["schemaVersion"], found["product"], found["version"], found["madeAt"])
        manifest.entries += [Entry(**row) for row in found["entries"]]
        manifest.missing += [Missing(**row) for row in found["missing"]]
    except FileNotFoundError as error:
        raise ConfigError(f"{backup}: is no whole backup, {Path(str(error.filename)).name} is missing") from None
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(f"{backup}: its {NAME} is damaged; take another backup") from None
    return _safe(backup, manifest)


def _safe(backup: Path, manifest: Manifest) -> Manifest:
    """See that no name leads out of the backup."""
    for entry in manifest.entries:
        parts = Path(entry.name).parts
        if Path(entry.name).is_absolute() or ".." in parts or not parts:
            raise ConfigError(f"{backup}: its {NAME} names {entry.name!r}, which is outside of it")
    return manifest
