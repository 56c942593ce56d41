"""The types of statements in queries.pyi: they are up to date, and mypy finds with them what is misspelled."""

import subprocess
import sys
from pathlib import Path

import pytest

from ..statement_types import FILE, write_types

ROOT = Path(__file__).parents[2]
READER = """
from service.database.queries import sql
from service.database.store import Tx

def find_title(column: "sql.columns.GetRow") -> str:
    return str(column["title"])  # as a parameter

def read(tx: Tx) -> list[str]:
    column = tx.one(sql.columns.get, column_id="col_1", org_id="org_1")
    assert column is not None
    rows = tx.all(sql.columns.list, org_id="org_1", project_id=None)
    return [
        column["created_at"],
        find_title(column),
        *(row["prompt_id"] for row in rows),
        *(row["expires_at"] for row in tx.each(sql.board.list_claims)),
    ]

def write(tx: Tx) -> int:
    return tx.run(sql.columns.clear_prompt, prompt_id="prm_1")
"""
NAMES = ("title", "created_at", "prompt_id", "expires_at", "clear_prompt")


def check_types(folder: Path, text: str) -> str:
    """Run mypy on a text as it runs on the service; return what it reports."""
    (folder / "reader.py").write_text(text)
    (folder / "mypy.ini").write_text("[mypy]\nstrict = True\nfollow_imports = silent\nplugins = pydantic.mypy\n")
    options = ["--config-file", folder / "mypy.ini", "--cache-dir", folder / "cache"]
    command = [sys.executable, "-m", "mypy", *options, folder / "reader.py"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout


def test_the_types_are_those_of_the_statements() -> None:
    assert write_types() == FILE.read_text("utf-8"), "run python -m tests.statement_types"


@pytest.mark.slow
def test_mypy_finds_misspelled_columns_and_statements(tmp_path: Path) -> None:
    assert check_types(tmp_path, READER).startswith("Success")
    text = READER
    for name in NAMES:
        text = text.replace(name, f"misspelled_{name}")
    found = check_types(tmp_path, text)
    assert [name for name in NAMES if f'has no key "misspelled_{name}"' not in found] == ["clear_prompt"], found
    assert 'has no attribute "misspelled_clear_prompt"' in found
