"""Detection of a damaged database file."""

import sqlite3

DAMAGE_CODES = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class DatabaseOpenError(Exception):
    """The database cannot be opened; the message says why in one line."""


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether an error means that the file is damaged, rather than locked or unreadable, for example."""
    # The low byte of an extended result code is the primary one.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGE_CODES


def find_damage(connection: sqlite3.Connection) -> str | None:
    """Check all pages of a database (about 3 s per GB), and return the first problem or None.

    Raise sqlite3.Error if they cannot be checked.
    """
    try:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return str(error)
    return None if found == "ok" else str(found)
