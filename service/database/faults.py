"""Translation of database faults (disk, file, memory) into 503 errors: the caller may try again."""

import logging
import sqlite3
from types import TracebackType

from ..errors import TooExpensive, Unavailable
from ..log_throttle import LogThrottle
from .transaction import TOO_LARGE

RETRY_AFTER_SECONDS = 5
CODES = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_NOTADB,
}
log = logging.getLogger("service")


def unavailable(message: str) -> Unavailable:
    """Create a 503 error with a Retry-After header."""
    return Unavailable(None, message, {"Retry-After": str(RETRY_AFTER_SECONDS)})


class TranslateErrors:
    """Context manager that logs a database fault and raises Unavailable instead; other errors pass through."""

    def __init__(self) -> None:
        self._throttle = LogThrottle()  # a fault lasts, and every request meets it

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_TOOBIG:
            raise TooExpensive(None, TOO_LARGE) from error
        if error is not None and _is_fault(error):
            if self._throttle.is_due(getattr(error, "sqlite_errorcode", None)):
                is_full = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
                log.error("the database failed: %s", error, exc_info=None if is_full else error)
            raise unavailable("The database is not available at the moment; try again in a few seconds.") from error


def _is_fault(error: BaseException) -> bool:
    # The low byte of an extended result code is the primary one.
    return isinstance(error, MemoryError) or getattr(error, "sqlite_errorcode", 0) & 0xFF in CODES
