"""SQLite's own locks, which this program can do without."""

import ctypes
import importlib.util

_MULTITHREAD, _MEMORY_STATISTICS = 2, 9  # options of sqlite3_config


def one_thread_each() -> None:
    """Tell SQLite that no connection is used by two threads at once; before anything imports sqlite3.

    Nor may anything made of a connection, a cursor say, be freed by another thread: transaction.perform sees to that.
    Else it takes a lock for each call and each piece of memory: an eighth of what a statement costs here. A library
    that cannot be told so is left as it is.
    """
    module = importlib.util.find_spec("_sqlite3")
    try:
        library = ctypes.CDLL(module.origin if module else None)
        library.sqlite3_config(_MULTITHREAD)
        library.sqlite3_config(_MEMORY_STATISTICS, 0)
    except (OSError, AttributeError):
        return
