"""Creates migrations and updates the files generated from them: `python -m tests.schema [NAME]`.

With a NAME (`keys_of_cards`), creates sql/migrations/NNNN_NAME.sql, ready to be filled in. Without one, to be run after
each edit of a migration, updates sql/schema.sql (the current schema) and sql/migrations/SHA256SUMS (hashes with which
a test detects a change of a migration that is already on main). Migrations that are not on main yet are renumbered
after those that are, so run the command again after a rebase.
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
from service.database.statement import FOLDER

from .schema_layout import lay_out_table, parse_added_comments

SCHEMA, FOLDER_OF_MIGRATIONS = FOLDER / "schema.sql", FOLDER / "migrations"
SUMS = "SHA256SUMS"  # in the format of sha256sum
HEAD = "-- The current schema, generated from the migrations by `python -m tests.schema`. Do not edit.\n"
BEGUN = "-- What changes, and why.\nBEGIN;\n\n\n\nPRAGMA user_version = {};\nCOMMIT;\n"
# Each table with its indexes, triggers and views, by name, without the internal tables of SQLite.
PARTS = """
SELECT sql
FROM sqlite_schema
WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
    AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
ORDER BY tbl_name, CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END, name
"""


def schema_of(database: Path, folder: Path = FOLDER_OF_MIGRATIONS) -> str:
    """Return the schema of a database as SQL, with the comments in a folder of migrations behind the columns."""
    added = parse_added_comments(file.read_text("utf-8") for file in migrations(folder))
    with contextlib.closing(sqlite3.connect(database)) as connection:
        texts = [sql for (sql,) in connection.execute(PARTS)]
    laid_out = (lay_out_table(text, added) if text.startswith("CREATE TABLE") else text for text in texts)
    return HEAD + "".join(f"\n{text};\n" for text in laid_out)


def hashes_of(folder: Path = FOLDER_OF_MIGRATIONS) -> dict[str, str]:
    """Return the hash of each migration in a folder."""
    return {file.name: sha256(file.read_bytes()).hexdigest() for file in migrations(folder)}


def parse_hashes(text: str) -> dict[str, str]:
    """Return the hashes in the text of a SHA256SUMS file."""
    lines = re.findall(r"^([0-9a-f]{64})  (\S+)$", text, re.MULTILINE)
    return {name: digest for digest, name in lines}


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", folder, *arguments], capture_output=True, text=True, check=False).stdout


def hashes_on_main(folder: Path) -> dict[str, str]:
    """Return the hashes of the migrations on main; without git, of all migrations."""
    bases = [_git(folder, "merge-base", "HEAD", branch).strip() for branch in ("origin/main", "main")]
    texts = [_git(folder, "show", f"{base}:./{SUMS}") for base in bases if base]
    if not texts and (folder / SUMS).exists():
        texts = [(folder / SUMS).read_text("utf-8")]
    return {name: digest for text in texts for name, digest in parse_hashes(text).items()}


def _refuse_changes(folder: Path, on_main: dict[str, str]) -> None:
    now = hashes_of(folder)
    if wrong := [name for name, digest in on_main.items() if now.get(name) != digest]:
        raise SystemExit(
            f"{', '.join(wrong)}: landed before and not the same any more. Databases have run it as it was: "
            "bring it back (git checkout main -- FILE), and write what is to change as a new migration."
        )


def _number(folder: Path, on_main: dict[str, str]) -> None:
    """Renumber the migrations that are not on main after those that are."""
    fresh = [file for file in migrations(folder) if file.name not in on_main]
    for number, file in reversed([*enumerate(fresh, len(on_main) + 1)]):
        text, set_version = file.read_text("utf-8"), f"PRAGMA user_version = {number};"
        file.write_text(re.sub(r"PRAGMA user_version = \d+;", set_version, text), "utf-8")
        name = f"{number:04d}{file.name[4:]}"
        if name != file.name:
            print(f"{file.name} is {name} now")
            file.rename(file.with_name(name))


def create_migration(folder: Path, name: str) -> Path:
    """Create an empty migration and return its path."""
    number = len(migrations(folder)) + 1
    file = folder / f"{number:04d}_{name}.sql"
    file.write_text(BEGUN.format(number), "utf-8")
    return file


def write(folder: Path = FOLDER_OF_MIGRATIONS, schema: Path = SCHEMA) -> None:
    """Renumber new migrations and update schema.sql and SHA256SUMS; exit if a migration on main was changed."""
    on_main = hashes_on_main(folder)
    _refuse_changes(folder, on_main)
    _number(folder, on_main)
    with tempfile.TemporaryDirectory() as place:
        database = Path(place) / "service.db"
        migrate(database, folder)
        schema.write_text(schema_of(database, folder), "utf-8")
    lines = [f"{digest}  {name}\n" for name, digest in hashes_of(folder).items()]
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
        file = create_migration(FOLDER_OF_MIGRATIONS, name)
        print(f"Write {file.relative_to(FOLDER.parent)}, then: python -m tests.schema")
        return
    try:
        write()
    except MigrationError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
