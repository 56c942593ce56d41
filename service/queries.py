"""The statements under sql/: `sql.cards.read` is sql/cards/read.sql."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

# An installed package carries the files inside itself, a checkout beside itself.
_INSTALLED = Path(__file__).parent / "_sql"
FOLDER = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parent.parent / "sql"

_NOT_CODE = re.compile(r"--[^\n]*|'(?:[^']|'')*'")
_PARAMETER = re.compile(r"(?<![:\w]):([a-z_][a-z0-9_]*)")


class Statement:
    """One SQL statement: its name, its text and the parameters it takes."""

    __slots__ = ("columns", "name", "parameters", "text")

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self.columns: tuple[str, ...] | None = None  # known once it has run, see store.py
        self.parameters = frozenset(_PARAMETER.findall(_NOT_CODE.sub("", text)))

    def __repr__(self) -> str:
        return f"<statement {self.name}>"


def _folder(path: Path) -> SimpleNamespace:
    files = sorted(path.glob("*.sql"))
    return SimpleNamespace(
        **{file.stem: Statement(f"{path.name}.{file.stem}", file.read_text("utf-8")) for file in files}
    )


def _load() -> Any:
    nouns = sorted(path for path in FOLDER.iterdir() if path.is_dir() and path.name != "migrations")
    return SimpleNamespace(**{path.name: _folder(path) for path in nouns})


sql: Any = _load()
