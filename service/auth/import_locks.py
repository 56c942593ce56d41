"""Organizations that an import holds: nobody writes to them, nor sees them while they are half of what they will be.

The database tells which ones are held, so each request sees that in the very snapshot that it works on, and a service
that was killed goes on holding them. What is here wakes those who wait for the end of it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeVar

from ..database.queries import sql
from ..database.store import Tx
from ..errors import Overloaded

WAIT_SECONDS = 30.0  # that a request waits for the end of an import (contract, section 8.1, Load)
T = TypeVar("T")
MESSAGE = "A snapshot is being imported into this organization; try again in a few seconds."


class OrganizationLocked(Overloaded):
    """The organization is held by an import."""

    def __init__(self, org_id: str) -> None:
        super().__init__(None, MESSAGE)
        self.org_id = org_id


@dataclass
class ImportLocks:
    """The imports that this process is at."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)  # of imports: one of them at a time
    _organizations: dict[str, asyncio.Event] = field(default_factory=dict)

    def __contains__(self, org_id: object) -> bool:
        return org_id in self._organizations

    @contextmanager
    def of(self, org_id: str) -> Iterator[None]:
        """Wake those who wait for an organization at the end of this."""
        event = self._organizations[org_id] = asyncio.Event()
        try:
            yield
        finally:
            del self._organizations[org_id]
            event.set()

    async def with_retry(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Do something that may meet an import: then once more, when that is over or after a few seconds."""
        try:
            return await attempt()
        except OrganizationLocked as held:
            if (event := self._organizations.get(held.org_id)) is not None:
                with suppress(TimeoutError):
                    await asyncio.wait_for(event.wait(), WAIT_SECONDS)
        return await attempt()


def judge(tx: Tx, org_id: str) -> None:
    """Raise OrganizationLocked if an import denies this transaction; the dry run of the import itself may read."""
    row = None if tx.is_trial or not org_id else tx.one(sql.imports.find, org_id=org_id)
    if row is not None and (tx.writes or row["last_step"] is not None):
        raise OrganizationLocked(org_id)
