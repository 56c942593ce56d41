"""Statements: the text of an SQL file with numbered parameters, and the loader of all files."""

import re
from collections.abc import Callable, Mapping
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Generic, TypeVar

# An installed package contains the SQL files; in a checkout they are in the folder next to `service`.
_INSTALLED = Path(__file__).parent.parent / "_sql"
FOLDER = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parents[2] / "sql"

_CHANGED = re.compile(r"\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+(?!SET\b)(\w+)")  # not DO UPDATE SET
# Comments and string literals match without a group; only a parameter has group 1.
_PARAMETER = re.compile(r"--[^\n]*|'(?:[^']|'')*'|(?<![:\w]):([a-z_][a-z0-9_]*)")


Row = Mapping[str, Any]  # read only
R_co = TypeVar("R_co", covariant=True)


class Statement(Generic[R_co]):
    """One SQL statement: its name, its text with numbered parameters, and the parameter names in that order.

    The files use named parameters. They are replaced by numbers, since sqlite3 would look up each name on each call.
    `R_co` is the type of its rows, known to mypy only: see queries.pyi.
    """

    __slots__ = ("changed", "columns", "name", "parameters", "text", "values")

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.columns: tuple[str, ...] | None = None  # set when the statement first runs, see transaction.py
        self.text, self.parameters = _number_parameters(text)
        self.changed = frozenset(_CHANGED.findall(re.sub(r"--[^\n]*", "", text)))  # tables that it writes to
        self.values = _create_value_getter(self.parameters)

    def __repr__(self) -> str:
        return f"<statement {self.name}>"


def _number_parameters(text: str) -> tuple[str, tuple[str, ...]]:
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        return f"?{numbers.setdefault(match[1], len(numbers) + 1)}" if match[1] else match[0]

    return _PARAMETER.sub(number, text), tuple(numbers)


def _create_value_getter(names: tuple[str, ...]) -> Callable[[dict[str, Any]], tuple[Any, ...]]:
    """Return a function that puts parameter values in order and raises KeyError if one is missing."""
    if len(names) > 1:
        return itemgetter(*names)
    if not names:
        return lambda parameters: ()
    (name,) = names
    return lambda parameters: (parameters[name],)


def _load_folder(path: Path) -> SimpleNamespace:
    files = sorted(path.glob("*.sql"))
    return SimpleNamespace(
        **{file.stem: Statement(f"{path.name}.{file.stem}", file.read_text("utf-8")) for file in files}
    )


def load() -> Any:
    """Return all statements, as attributes of their folders."""
    folders = sorted(path for path in FOLDER.iterdir() if path.is_dir() and path.name != "migrations")
    return SimpleNamespace(**{path.name: _load_folder(path) for path in folders})
