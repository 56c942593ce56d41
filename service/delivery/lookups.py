"""DNS lookups of outbound requests, on a limited number of threads.

The system resolver cannot be interrupted, so a lookup that hangs keeps its thread, and counts against the limits, until
it returns. Names whose last lookup was quick use a separate set of threads, which names that hang cannot
use up. A request that finds no free thread waits for one until its own timeout.
"""

import asyncio
import contextlib
import socket
import threading
from asyncio import AbstractEventLoop, Future, Semaphore
from collections.abc import Callable
from time import monotonic
from typing import Any
from weakref import WeakValueDictionary

LOOKUPS_MAX = 16  # concurrent lookups, one thread each, separately for quick names and for all others
ORGANIZATION_LOOKUPS_MAX = 4  # so that an organization with names that hang does not block others
QUICK_SECONDS = 2.0  # maximum duration of a lookup whose name counts as quick
QUICK_NAMES_MAX = 10_000  # cached
CACHE_SECONDS = 1.0  # so that concurrent requests share a lookup
Addresses = list[Any]
Lookup = Callable[[str, int], Addresses]
Key = tuple[str, str, int]  # organization, host, port
Release = Callable[[], None]


def look_up(host: str, port: int) -> Addresses:
    """Return the addresses of a host, in the order in which to try them."""
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)


class _Limit:
    """The limits on threads for quick or for other names: in total and per organization."""

    def __init__(self) -> None:
        self._total = Semaphore(LOOKUPS_MAX)
        self._shares: WeakValueDictionary[str, Semaphore] = WeakValueDictionary()

    async def acquire(self, org_id: str) -> Release:
        """Wait until an organization may use a thread, and return the function that releases it."""
        share = self._shares.setdefault(org_id, Semaphore(ORGANIZATION_LOOKUPS_MAX))
        # The organization's limit first, so that its excess lookups do not fill the common queue.
        await share.acquire()
        try:
            await self._total.acquire()
        except asyncio.CancelledError:
            share.release()
            raise

        def release() -> None:
            self._total.release()
            share.release()

        return release


class Lookups:
    """Runs name lookups, each on a daemon thread, within the limits."""

    def __init__(self, look_up: Lookup = look_up) -> None:
        self._look_up = look_up
        self._limits = {is_quick: _Limit() for is_quick in (False, True)}
        self._quick: dict[str, None] = {}  # names, in the order of their last lookup
        self._found: dict[Key, Future[Addresses | OSError]] = {}  # running, or finished within CACHE_SECONDS

    async def get_addresses(self, org_id: str, host: str, port: int) -> Addresses:
        """Return the addresses of a host; raise OSError if it has none. Requests of one organization share a lookup."""
        key = org_id, host, port
        if key not in self._found:
            release = await self._limits[host in self._quick].acquire(org_id)
            if key in self._found:  # another request has started it meanwhile
                release()
            else:
                self._start(key, release)
        found = await asyncio.shield(self._found[key])  # other requests may await it, too
        if isinstance(found, OSError):
            raise found
        return found

    def _start(self, key: Key, release: Release) -> None:
        loop = asyncio.get_running_loop()
        self._found[key] = loop.create_future()
        thread = threading.Thread(target=self._run, args=(key, release, loop), name="lookup", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:  # the system cannot start another thread
            self._finish(key, release, OSError(str(error)), is_quick=False)

    def _run(self, key: Key, release: Release, loop: AbstractEventLoop) -> None:
        began = monotonic()
        found: Addresses | OSError
        try:
            found = self._look_up(*key[1:])
        except (OSError, ValueError, MemoryError) as error:  # ValueError: not a valid host name
            found = OSError(str(error))
        is_quick = isinstance(found, list) and monotonic() - began < QUICK_SECONDS
        with contextlib.suppress(RuntimeError):  # the loop is closed: the service has stopped
            loop.call_soon_threadsafe(self._finish, key, release, found, is_quick)

    def _finish(self, key: Key, release: Release, found: Addresses | OSError, is_quick: bool) -> None:
        release()
        self._quick.pop(key[1], None)
        if is_quick:
            self._quick[key[1]] = None
            if len(self._quick) > QUICK_NAMES_MAX:
                del self._quick[next(iter(self._quick))]
        self._found[key].set_result(found)
        asyncio.get_running_loop().call_later(CACHE_SECONDS, self._found.pop, key)
