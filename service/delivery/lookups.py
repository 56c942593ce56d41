"""Name lookups of outbound requests, on a bounded number of threads.

The system's resolver cannot be interrupted, so a lookup that hangs keeps its thread, and its place in the limits, until
it returns. Names that were found quickly the last time have threads of their own: names that hang cannot take these. A
request that finds no free thread waits for one as long as its own timeout lets it, and is tried again like any other.
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

LOOKUPS_MAX = 16  # at a time of each kind of names; each has a thread meanwhile
ORGANIZATION_LOOKUPS_MAX = 4  # of these, so that an organization whose names hang holds up no other one
QUICK_SECONDS = 2.0  # that a lookup may take for its name to count as found quickly
QUICK_NAMES_MAX = 10_000  # that are remembered
CACHE_SECONDS = 1.0  # so that many requests ask once
Addresses = list[Any]
Lookup = Callable[[str, int], Addresses]
Key = tuple[str, str, int]  # organization, host, port
Release = Callable[[], None]


def look_up(host: str, port: int) -> Addresses:
    """Return the addresses of a host, in the order in which to try them."""
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)


class _Limit:
    """The threads for one kind of names: a number in total, and a number for each organization."""

    def __init__(self) -> None:
        self._total = Semaphore(LOOKUPS_MAX)
        self._shares: WeakValueDictionary[str, Semaphore] = WeakValueDictionary()

    async def acquire(self, org_id: str) -> Release:
        """Wait for a thread of an organization, and return the function that gives it back."""
        share = self._shares.setdefault(org_id, Semaphore(ORGANIZATION_LOOKUPS_MAX))
        # First the organization's own limit: what exceeds it takes no place among those that wait for a thread.
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
        self._quick: dict[str, None] = {}  # names, the one that was found last at the end
        self._found: dict[Key, Future[Addresses | OSError]] = {}  # under way, or a moment old

    async def get_addresses(self, org_id: str, host: str, port: int) -> Addresses:
        """Return the addresses of a host; raise OSError if it has none. Requests of one organization share a lookup."""
        key = org_id, host, port
        if key not in self._found:
            release = await self._limits[host in self._quick].acquire(org_id)
            if key in self._found:  # another request has begun it meanwhile
                release()
            else:
                self._start(key, release)
        found = await asyncio.shield(self._found[key])  # others may wait for it, too
        if isinstance(found, OSError):
            raise found
        return found

    def _start(self, key: Key, release: Release) -> None:
        loop = asyncio.get_running_loop()
        self._found[key] = loop.create_future()
        thread = threading.Thread(target=self._run, args=(key, release, loop), name="lookup", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:  # the system has no thread left
            self._end(key, release, OSError(str(error)), is_quick=False)

    def _run(self, key: Key, release: Release, loop: AbstractEventLoop) -> None:
        began = monotonic()
        found: Addresses | OSError
        try:
            found = self._look_up(*key[1:])
        except (OSError, ValueError, MemoryError) as error:  # ValueError: no name that could be asked for
            found = OSError(str(error))
        is_quick = isinstance(found, list) and monotonic() - began < QUICK_SECONDS
        with contextlib.suppress(RuntimeError):  # the loop is closed: the service has stopped
            loop.call_soon_threadsafe(self._end, key, release, found, is_quick)

    def _end(self, key: Key, release: Release, found: Addresses | OSError, is_quick: bool) -> None:
        release()
        self._quick.pop(key[1], None)
        if is_quick:
            self._quick[key[1]] = None
            if len(self._quick) > QUICK_NAMES_MAX:
                del self._quick[next(iter(self._quick))]
        self._found[key].set_result(found)
        asyncio.get_running_loop().call_later(CACHE_SECONDS, self._found.pop, key)
