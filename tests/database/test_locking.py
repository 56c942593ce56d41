"""SQLite works without its own locks where every connection has one thread."""

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import ctypes, importlib.util, sys
from service import cli
from service.database import locking
assert cli and "_sqlite3" not in sys.modules  # else it would be too late
if {unlocked}:
    locking.one_thread_each()
import sqlite3
connection = sqlite3.connect(":memory:")
connection.execute("CREATE TABLE things (text TEXT)")
connection.execute("INSERT INTO things VALUES ('kept')")
assert connection.execute("SELECT * FROM things").fetchall() == [("kept",)]
print(ctypes.CDLL(importlib.util.find_spec("_sqlite3").origin).sqlite3_memory_used())
"""


def memory_used(unlocked: bool) -> int:
    """Give what SQLite says of its memory: 0 where it does not count."""
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", SCRIPT.format(unlocked=unlocked)]
    return int(subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout)


def test_the_command_line_tells_sqlite_before_anything_imports_it() -> None:
    assert memory_used(unlocked=False) > 0
    if sys.platform == "linux":  # other systems may carry an SQLite that cannot be told
        assert memory_used(unlocked=True) == 0
