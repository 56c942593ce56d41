"""The limit on open files of the process, and the number of connections that it allows."""

import logging
import resource
from contextlib import suppress

OPEN_FILES_MAX = 1 << 16  # open files of the process, including sockets
USUAL_LIMIT = 1024
OTHER_FILES_MIN = 64  # files that are open without any connection, and some more
OPEN_FILES_LOW = 4096  # a lower limit is reported
log = logging.getLogger("service")


def raise_limit() -> None:
    """Raise the limit of open files: each listener is a socket, and the usual limit is 1,024."""
    soft, hard = _get_limits()
    if _bound(soft) < _bound(hard):
        with suppress(OSError, ValueError):  # a sandbox refuses the call: the limit stays as it is
            resource.setrlimit(resource.RLIMIT_NOFILE, (_bound(hard), hard))


def get_limit() -> int:
    """Return how many files and sockets the process may open."""
    return _bound(_get_limits()[0])


def get_attainable_limit() -> int:
    """Return how many files and sockets a process may open after `raise_limit`."""
    return _bound(_get_limits()[1])


def get_connections_max() -> int:
    """Return the maximum number of connections; the rest of the limit is for the database and other files."""
    limit = get_limit()
    return max(1, limit - max(OTHER_FILES_MIN, limit // 4))


def warn_if_low() -> None:
    """Log a warning if the limit is lower than a busy installation needs."""
    if (limit := get_limit()) < OPEN_FILES_LOW:
        log.warning(
            "the limit of open files is %d, so at most %d clients can be connected; raise it (LimitNOFILE, ulimit -n)",
            limit,
            get_connections_max(),
        )


def _get_limits() -> tuple[int, int]:
    try:
        return resource.getrlimit(resource.RLIMIT_NOFILE)
    except OSError:  # a sandbox refuses the call
        return USUAL_LIMIT, USUAL_LIMIT


def _bound(limit: int) -> int:
    return OPEN_FILES_MAX if limit == resource.RLIM_INFINITY else min(OPEN_FILES_MAX, limit)
