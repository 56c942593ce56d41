"""Estimate of how many bytes of the database each organization uses: the growth of used pages over its units of work.

An exact count would have to read all of its rows. A page can hold rows of several organizations, and counts for the one
whose unit took it.
"""

import asyncio
import logging
from functools import partial

from ..errors import Unavailable
from .queries import sql
from .store import Store, Tx

STORE_SECONDS = 5.0  # between two times at which the changed estimates are stored; a crash loses what came since
log = logging.getLogger("service")


class DatabaseUsage:
    """The estimates of a running service."""

    def __init__(self, default_quota_bytes: int) -> None:
        self._default_quota_bytes = default_quota_bytes
        self._used_bytes: dict[str, int] = {}  # by organization
        # Organizations that were above the default quota before there was one, until they use less than that.
        self._exempt: set[str] = set()
        self._changed: set[str] = set()  # organizations whose estimate is to be stored

    async def load(self, store: Store) -> None:
        """Read the stored estimates; a damaged database may have none."""
        try:
            rows = await store.read(lambda tx: list(tx.each(sql.database_usage.list)))
        except Unavailable:
            return  # the store has logged the reason
        for row in rows:
            self._used_bytes[row["org_id"]] = row["used_bytes"]
            if row["is_exempt"]:
                self._exempt.add(row["org_id"])

    def get_used_bytes(self, org_id: str) -> int:
        """Return the estimate of an organization."""
        return self._used_bytes.get(org_id, 0)

    def get_largest_bytes(self) -> int:
        """Return the largest estimate of any organization."""
        return max(self._used_bytes.values(), default=0)

    def is_exempt(self, org_id: str) -> bool:
        """Return whether an organization is exempt from the default quota."""
        return org_id in self._exempt

    def count_growth(self, tx: Tx) -> None:
        """Count what a unit has added for an organization, once it is committed; called before its COMMIT."""
        if tx.org_id:
            tx.on_commit(partial(self._add, tx.org_id, tx.take_growth()))

    def _add(self, org_id: str, growth: int) -> None:
        if growth:
            used_bytes = self._used_bytes[org_id] = max(0, self.get_used_bytes(org_id) + growth)
            self._changed.add(org_id)
            if used_bytes < self._default_quota_bytes:
                self._exempt.discard(org_id)

    async def keep_storing(self, store: Store) -> None:
        """Store the changed estimates every few seconds. Runs until cancelled."""
        while True:
            await asyncio.sleep(STORE_SECONDS)
            try:
                await self.store_changes(store)
            except Exception:
                log.exception("the use of the database could not be stored; the next attempt is in %g s", STORE_SECONDS)

    async def store_changes(self, store: Store) -> None:
        """Store the estimates that have changed, and forget organizations that do not exist any more."""
        changed, self._changed = self._changed, set()
        if not changed:
            return
        try:
            gone = await store.write(partial(self._store, changed))
        except BaseException:
            self._changed |= changed
            raise
        for org_id in gone - self._changed:
            self._used_bytes.pop(org_id, None)
            self._exempt.discard(org_id)

    def _store(self, org_ids: set[str], tx: Tx) -> set[str]:
        """Store estimates, and return the organizations that do not exist."""
        rows = [
            {"org_id": org_id, "used_bytes": self.get_used_bytes(org_id), "is_exempt": self.is_exempt(org_id)}
            for org_id in org_ids
        ]
        return {str(row["org_id"]) for row in rows if not tx.run(sql.database_usage.upsert, **row)}
