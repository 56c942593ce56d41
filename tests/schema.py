"""The command of whoever adds a migration: `python -m tests.schema [NAME]`.

With a NAME (`keys_of_cards`) it begins sql/migrations/NNNN_NAME.sql for you to write. Without one, after each change of
a migration, it writes sql/schema.sql, the schema as it is by then, and sql/migrations/SHA256SUMS, by which a test sees
that no migration changes once it has landed. A migration whose number somebody else's has taken on main
meanwhile gets the next one: after a rebase, run the command again, and that is all.
"""

import argparse
import contextlib
import re
import sqlite3
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

from service.database.migrate import MigrationError, migrate, migrations
from service.database.queries import FOLDER

SCHEMA, FOLDER_OF_MIGRATIONS = FOLDER / "schema.sql", FOLDER / "migrations"
SUMS = "SHA256SUMS"  # as sha256sum writes and checks them
HEAD = (
    "-- The schema as it is today, for reading: the migrations make it, and `python -m tests.schema` writes it down.\n"
)
BEGUN = "-- What is new, and why.\nBEGIN;\n\n\n\nPRAGMA user_version = {};\nCOMMIT;\n"
# Each table with what belongs to it, by name; what SQLite makes for itself is left out.
PARTS = """
SELECT sql
FROM sqlite_schema
WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
    AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
ORDER BY tbl_name, CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END, name
"""


def schema_of(database: Path) -> str:
    """Write down the schema that a database has."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        return HEAD + "".join(f"\n{sql};\n" for (sql,) in connection.execute(PARTS))


def sums_of(folder: Path = FOLDER_OF_MIGRATIONS) -> dict[str, str]:
    """Give the hash of each migration in a folder."""
    return {file.name: sha256(file.read_bytes()).hexdigest() for file in migrations(folder)}


def pinned(text: str) -> dict[str, str]:
    """Read the hashes that a file of them holds."""
    lines = re.findall(r"^([0-9a-f]{64})  (\S+)$", text, re.MULTILINE)
    return {name: digest for digest, name in lines}


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", folder, *arguments], capture_output=True, text=True, check=False).stdout


def landed(folder: Path) -> dict[str, str]:
    """Give the hashes of the migrations that stand on main, as far as this branch knows it; all of them without git."""
    bases = [_git(folder, "merge-base", "HEAD", branch).strip() for branch in ("origin/main", "main")]
    texts = [_git(folder, "show", f"{base}:./{SUMS}") for base in bases if base]
    if not texts and (folder / SUMS).exists():
        texts = [(folder / SUMS).read_text("utf-8")]
    return {name: digest for text in texts for name, digest in pinned(text).items()}


def _refuse_changes(folder: Path, on_main: dict[str, str]) -> None:
    now = sums_of(folder)
    if wrong := [name for name, digest in on_main.items() if now.get(name) != digest]:
        raise SystemExit(
            f"{', '.join(wrong)}: landed before and not the same any more. Databases have run it as it was: "
            "bring it back (git checkout main -- FILE), and write what is to change as a new migration."
        )


def _number(folder: Path, on_main: dict[str, str]) -> None:
    """Give the migrations that have not landed the numbers after those that have."""
    fresh = [file for file in migrations(folder) if file.name not in on_main]
    for number, file in reversed([*enumerate(fresh, len(on_main) + 1)]):
        text, set_version = file.read_text("utf-8"), f"PRAGMA user_version = {number};"
        file.write_text(re.sub(r"PRAGMA user_version = \d+;", set_version, text), "utf-8")
        name = f"{number:04d}{file.name[4:]}"
        if name != file.name:
            print(f"{file.name} is {name} now")
            file.rename(file.with_name(name))


def begin(folder: Path, name: str) -> Path:
    """Begin a migration: a file that says nothing yet."""
    number = len(migrations(folder)) + 1
    file = folder / f"{number:04d}_{name}.sql"
    file.write_text(BEGUN.format(number), "utf-8")
    return file


def write(folder: Path = FOLDER_OF_MIGRATIONS, schema: Path = SCHEMA) -> None:
    """Number what has not landed, and write down what the migrations are and what they make; landed ones must stand."""
    on_main = landed(folder)
    _refuse_changes(folder, on_main)
    _number(folder, on_main)
    with tempfile.TemporaryDirectory() as place:
        database = Path(place) / "service.db"
        migrate(database, folder)
        schema.write_text(schema_of(database), "utf-8")
    lines = [f"{digest}  {name}\n" for name, digest in sums_of(folder).items()]
    (folder / SUMS).write_text("".join(lines), "utf-8")


def main(arguments: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser("python -m tests.schema", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("name", nargs="?", help="begin a migration of this name: words_with_underscores")
    name = parser.parse_args(arguments).name
    if name is not None and not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        parser.error("a name has small letters, digits and underscores")
    if name:
        print(f"Write {begin(FOLDER_OF_MIGRATIONS, name).relative_to(FOLDER.parent)}, then: python -m tests.schema")
        return
    try:
        write()
    except MigrationError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
