"""The layout of tables in sql/schema.sql: one column a line, with its comment behind it."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from service.database.migrate import migrate

from ..schema import SCHEMA
from ..schema_layout import lay_out_table, parse_added_comments

TABLES = """
SELECT name, sql
FROM sqlite_schema
WHERE type = 'table' AND sql LIKE 'CREATE TABLE %' AND name NOT LIKE 'sqlite%'
    AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
"""
MIGRATION = """
CREATE TABLE notes (     -- what people write
    id TEXT PRIMARY KEY,
    -- On a line of its own.
    size INTEGER CHECK (size IN (1, 2)),   -- of the text
    text TEXT NOT NULL,  -- in Markdown, not (HTML)
    UNIQUE (id, text)
) STRICT;
ALTER TABLE notes ADD COLUMN color TEXT DEFAULT 'red, blue'; -- of the border
ALTER TABLE notes ADD COLUMN bytes INTEGER GENERATED ALWAYS AS ( -- twice the size
    size * 2
) VIRTUAL;
"""
LAID_OUT = """CREATE TABLE notes (     -- what people write
    id TEXT PRIMARY KEY,
    -- On a line of its own.
    size INTEGER CHECK (size IN (1, 2)), -- of the text
    text TEXT NOT NULL,                  -- in Markdown, not (HTML)
    color TEXT DEFAULT 'red, blue',      -- of the border
    bytes INTEGER GENERATED ALWAYS AS (  -- twice the size
        size * 2
    ) VIRTUAL,
    UNIQUE (id, text)
) STRICT"""


def remove_comments(text: str) -> str:
    """Return a text without comments, blanks and line breaks."""
    return re.sub(r"--[^\n]*|\s+", "", text)


@pytest.mark.parametrize("added", [parse_added_comments([MIGRATION]), {}], ids=["from migrations", "from the text"])
def test_each_column_has_a_line_with_its_comment(added: dict[tuple[str, str], str]) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(MIGRATION)
        (text,) = database.execute("SELECT sql FROM sqlite_schema WHERE name = 'notes'").fetchone()
    assert text != LAID_OUT
    expected = LAID_OUT if added else re.sub(r" +-- of the border", "", LAID_OUT)
    assert lay_out_table(text, added) == expected
    assert lay_out_table(LAID_OUT, {}) == LAID_OUT


def test_every_table_keeps_its_definition_and_has_one_column_a_line(tmp_path: Path) -> None:
    migrate(tmp_path / "service.db")
    written = SCHEMA.read_text("utf-8")
    with closing(sqlite3.connect(tmp_path / "service.db")) as database:
        for table, text in database.execute(TABLES).fetchall():
            laid_out = lay_out_table(text, {})
            assert remove_comments(laid_out) == remove_comments(text)
            (in_file,) = re.findall(rf'(?ms)^CREATE TABLE "?{table}"? \(.*?^\)[^;\n]*;$', written)
            for _, column, *_ in database.execute(f"PRAGMA table_xinfo({table})").fetchall():
                assert re.search(rf"(?m)^    {column} (?!.*, \w+ (TEXT|INTEGER|BLOB|REAL)\b)", in_file), (table, column)
