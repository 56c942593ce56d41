"""Locks of organizations during an import: writes wait, and so do reads once the import has begun to write.

The locks are rows of the database, so a request sees them in its own snapshot and they survive a crash. This module
wakes the requests that wait for the end of an import.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeVar

from ..database.queries import sql
from ..database.store import Tx
from ..errors import Overloaded

WAIT_SECONDS = 30.0  # maximum wait of a request for the end of an import
T = TypeVar("T")
MESSAGE = "A snapshot is being imported into this organization; try again in a few seconds."


class OrganizationLocked(Overloaded):
    """The organization is locked by an import."""

    def __init__(self, org_id: str) -> None:
        super().__init__(None, MESSAGE)
        self.org_id = org_id


@dataclass
class ImportLocks:
    """The imports that run in this process."""

    import_mutex: asyncio.Lock = field(default_factory=asyncio.Lock)  # one import at a time
    _organizations: dict[str, asyncio.Event] = field(default_factory=dict)

    def __contains__(self, org_id: object) -> bool:
        return org_id in self._organizations

    @contextmanager
    def hold(self, org_id: str) -> Iterator[None]:
        """Wake the requests that wait for an organization at the end of the block."""
        event = self._organizations[org_id] = asyncio.Event()
        try:
            yield
        finally:
            del self._organizations[org_id]
            event.set()

    async def with_retry(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Await an attempt; if the organization is locked, wait for the end of the import and try once more."""
        try:
            return await attempt()
        except OrganizationLocked as error:
            if (event := self._organizations.get(error.org_id)) is not None:
                with suppress(TimeoutError):
                    await asyncio.wait_for(event.wait(), WAIT_SECONDS)
        return await attempt()


def require_unlocked(tx: Tx, org_id: str) -> None:
    """Raise OrganizationLocked if an import blocks this transaction; a dry run of an import may read."""
    row = None if tx.is_dry_run or not org_id else tx.one(sql.imports.find, org_id=org_id)
    if row is not None and (tx.writes or row["last_step"] is not None):
        raise OrganizationLocked(org_id)
