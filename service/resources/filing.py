"""Filing: what people change is written down in one place, and filed in the history of each card a little later.

The entries of a card's history in the indexes lie somewhere on the disk; the end of a table without indexes is one
place for all cards, and to write there spares a move a fifth of its transaction. So each change is durable
at once in `new_history` and goes to `history` in portions: when nobody else has anything to write, and before anybody
reads it. What agents change is filed at once: the runaway guard looks at it with their next change.
"""

import asyncio
import logging
from typing import Any

from ..database.queries import sql
from ..database.store import Row, Store, Tx
from ..journey.route import Operation

PORTION = 1000  # changes that are filed in one write, some 10 ms
MOST = 50_000  # changes that may wait while others have something to write
PAUSE = 1.0  # seconds between two looks
log = logging.getLogger("service")


def settle(tx: Tx) -> None:
    """File all changes that wait, inside a write that reads history."""
    while _portion(tx):
        pass


async def settled(operation: Operation[Any]) -> None:
    """Admit the caller and file what waits: a read that follows sees all that anybody was told of before."""
    if operation.peek(lambda call: _waiting(call.tx)):
        await catch_up(operation.service.store)


async def catch_up(store: Store) -> None:
    """File all changes that wait, in portions, so that others can write in between."""
    while await store.write(_portion):
        pass


async def keep_up(store: Store) -> None:
    """File a portion a second; all that waits if nobody else has anything to write. Runs until cancelled."""
    while True:
        await asyncio.sleep(PAUSE)
        try:
            await _work_off(store)
        except Exception:
            log.exception("changes could not be filed in the history of their cards; they wait for the next look")


async def _work_off(store: Store) -> None:
    while store.peek(_waiting):
        taken = store.taken
        left = await store.write(_portion)
        if store.taken > taken + 1 and left < MOST:
            return


def _waiting(tx: Tx) -> Row | None:
    row = tx.one(sql.history.waiting)
    return row if row and row["first"] is not None else None


def _portion(tx: Tx) -> int:
    """File a portion; tell how many changes may be left."""
    if (waiting := _waiting(tx)) is None:
        return 0
    end = waiting["first"] + PORTION - 1
    tx.run(sql.history.file, last=end)
    tx.run(sql.history.clear, last=end)
    left: int = max(0, waiting["last"] - end)
    return left
