"""Writes service/database/queries.pyi, the types of all statements: `python -m tests.statement_types`.

For each statement it says which columns its rows have, as SQLite names them, so that mypy finds misspelled columns and
statements. Run it after each change of a statement; a test compares the file.
"""

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from service.database import queries
from service.database.connections import add_functions
from service.database.migrate import migrate
from service.database.statement import Statement

FILE = Path(queries.__file__).with_suffix(".pyi")
HEAD = '''# The types of all statements, generated from sql/ by `python -m tests.statement_types`. Do not edit.
# ruff: noqa: N801

from typing import Any, TypedDict

from .statement import Statement

class NoColumns(TypedDict):
    """No named column: the statement writes, or `Tx.value` reads the one value of each row."""

class sql:
'''
INDENT = "    "
Columns = tuple[str, ...]


def find_columns(database: sqlite3.Connection, statement: Statement) -> Columns:
    """Return the names of the columns of a statement; unnamed ones are left out."""
    if "RETURNING" in statement.text or "PRAGMA" in statement.text:
        text = statement.text
    elif not statement.changed:
        text = f"SELECT * FROM (\n{statement.text}\n) LIMIT 0"
    else:
        return ()
    database.execute("BEGIN")
    description = database.execute(text, [1] * len(statement.parameters)).description
    database.execute("ROLLBACK")
    return tuple(name for name, *_ in description if name.isidentifier())


def name_rows(statement: str, columns: Columns) -> str:
    """Return the name of the type of the rows of a statement: ListOpenRow."""
    return "".join(word.capitalize() for word in statement.split("_")) + "Row" if columns else "NoColumns"


def write_folder(name: str, statements: dict[str, Columns]) -> str:
    """Return the class of a folder of statements, with the type of the rows of each."""
    lines = [f"class {name}:"]
    for statement, columns in statements.items():
        if columns:
            lines += [f"{INDENT}class {name_rows(statement, columns)}(TypedDict):"]
            lines += [*(f"{INDENT * 2}{column}: Any" for column in columns), ""]
    lines += [f"{INDENT}{key}: Statement[{name_rows(key, columns)}]" for key, columns in statements.items()]
    return "".join(f"{INDENT}{line}".rstrip() + "\n" for line in lines)


def write_types() -> str:
    """Return the text of queries.pyi."""
    with tempfile.TemporaryDirectory() as folder:
        migrate(Path(folder) / "service.db")
        with closing(sqlite3.connect(Path(folder) / "service.db", isolation_level=None)) as database:
            database.execute("PRAGMA foreign_keys = OFF")
            add_functions(database)
            parts = [
                write_folder(name, {key: find_columns(database, statement) for key, statement in vars(noun).items()})
                for name, noun in vars(queries.sql).items()
            ]
    return HEAD + "\n".join(parts)


if __name__ == "__main__":
    FILE.write_text(write_types(), "utf-8")
