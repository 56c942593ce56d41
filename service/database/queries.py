"""The statements under sql/: `sql.cards.get` is sql/cards/get.sql."""

import re
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

# An installed package carries the files inside itself, a checkout beside itself.
_INSTALLED = Path(__file__).parent.parent / "_sql"
FOLDER = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parents[2] / "sql"

# Comments and texts are passed over; what is left of this is a parameter.
_CHANGED = re.compile(r"\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+(?!SET\b)(\w+)")  # not DO UPDATE SET
_PARAMETER = re.compile(r"--[^\n]*|'(?:[^']|'')*'|(?<![:\w]):([a-z_][a-z0-9_]*)")


class Statement:
    """One SQL statement: its name, its text with numbers for parameters, and their names in that order.

    Its file has names where SQLite is given numbers: sqlite3 would look up each name each time.
    """

    __slots__ = ("changed", "columns", "name", "parameters", "text", "values")

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.columns: tuple[str, ...] | None = None  # known once it has run, see transaction.py
        self.text, self.parameters = _numbered(text)
        self.changed = frozenset(_CHANGED.findall(re.sub(r"--[^\n]*", "", text)))  # tables that it writes to
        self.values = _in_order(self.parameters)

    def __repr__(self) -> str:
        return f"<statement {self.name}>"


def _numbered(text: str) -> tuple[str, tuple[str, ...]]:
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        return f"?{numbers.setdefault(match[1], len(numbers) + 1)}" if match[1] else match[0]

    return _PARAMETER.sub(number, text), tuple(numbers)


def _in_order(names: tuple[str, ...]) -> Callable[[dict[str, Any]], tuple[Any, ...]]:
    """Make what puts parameters in order; one that is missing is a KeyError."""
    if len(names) > 1:
        return itemgetter(*names)
    if not names:
        return lambda parameters: ()
    (name,) = names
    return lambda parameters: (parameters[name],)


def _folder(path: Path) -> SimpleNamespace:
    files = sorted(path.glob("*.sql"))
    return SimpleNamespace(
        **{file.stem: Statement(f"{path.name}.{file.stem}", file.read_text("utf-8")) for file in files}
    )


def _load() -> Any:
    nouns = sorted(path for path in FOLDER.iterdir() if path.is_dir() and path.name != "migrations")
    return SimpleNamespace(**{path.name: _folder(path) for path in nouns})


sql: Any = _load()
