"""Execution of an import: in one transaction if it is small, else in batches between which other requests are served.

The order of the steps makes an import atomic:
1. Lock the organization (auth/import_locks.py), so that nobody changes the rows on which the dry run was based.
2. Store the redo log of the import in the database.
3. Mark it as committed, in one transaction.
4. Apply the redo log batch by batch. Nothing else is needed from here on, so a crash or an error only delays it: the
   import is completed at the next start, or by `retry_interrupted_imports`.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path
from time import monotonic

from ...auth.context import CREDENTIAL_TABLES, Call, Service
from ...clock import Clock
from ...database.queries import sql
from ...database.store import Effect, Share, Store, Tx
from ...errors import Unavailable
from ...pipeline import growth
from ...pipeline.pipeline import Operation
from . import redo_log
from .people import require_import_permission
from .redo_log import RedoLog

SINGLE_TRANSACTION_BATCHES_MAX = 8  # such a transaction takes about 0.02 s
TRANSACTION_SECONDS = 0.02  # spent on batches in one transaction, without its COMMIT
GROWTH_FACTOR = 2  # bytes by which the database grows per byte of the redo log, with the search index; measured: 1.1
STORED_BYTES_MAX = 256 << 10  # of batches that are stored in one transaction
BATCHES_DELETED_MAX = 50  # in one transaction
INTERVAL_SECONDS = 5.0  # between two searches for interrupted imports
BATCHES_PER_LOG_LINE = 400
COMMITTED = "The import continues by itself as soon as the database can be written; do not send it again."
log = logging.getLogger("service")


@contextlib.asynccontextmanager
async def lock_organization(operation: Operation[Call], org_id: str, placed: list[Path]) -> AsyncIterator[None]:
    """Lock an organization while an import is tried and written.

    An import that was not committed leaves nothing behind: its redo log and the `placed` file contents are deleted.
    """
    service = operation.service
    async with service.import_locks.import_mutex:
        with service.import_locks.hold(org_id):
            await operation.prepare(partial(_begin, org_id))
            try:
                yield
            finally:
                with contextlib.suppress(Unavailable):  # then retry_interrupted_imports does it later
                    if await _discard_uncommitted(service.store, org_id):
                        _delete_contents(placed)


def _begin(org_id: str, call: Call) -> None:
    require_import_permission(call, org_id)
    if call.tx.one(sql.imports.find, org_id=org_id) is not None:
        raise Unavailable(None, "Another import into this organization is in progress; try again later.")
    call.tx.run(sql.imports.create, org_id=org_id, now=call.now)


async def write(service: Service, org_id: str, prepared: RedoLog, effects: Sequence[Effect]) -> None:
    """Apply the redo log of an import into a locked organization; the effects run after the last commit.

    Raise quota_exceeded if what it writes does not fit into the database quota of the organization.
    """
    growth.require_quota(service, org_id, prepared.uncompressed_bytes)
    if len(prepared) <= SINGLE_TRANSACTION_BATCHES_MAX:
        await service.store.write(partial(_apply_all, org_id, prepared, service.clock, effects), Share(org_id))
        return
    await _store_redo_log(service, org_id, prepared)
    try:
        values = {"org_id": org_id, "last_step": len(prepared)}
        await service.store.write(lambda tx: tx.run(sql.imports.commit, **values), Share(org_id))
        await _apply_stored(service.store, org_id, service.clock, effects)
    except Unavailable as error:
        raise Unavailable(None, COMMITTED) from error


def _apply_all(org_id: str, prepared: RedoLog, clock: Clock, effects: Sequence[Effect], tx: Tx) -> None:
    tx.clock, tx.org_id = clock, org_id
    for batch in prepared.batches():
        redo_log.apply_batch(tx, batch)
    tx.run(sql.imports.delete, org_id=org_id)
    _add_effects(tx, effects)


def _add_effects(tx: Tx, effects: Sequence[Effect]) -> None:
    for effect in effects:
        tx.on_commit(effect)


async def _store_redo_log(service: Service, org_id: str, prepared: RedoLog) -> None:
    # An import can fail for lack of disk space only here: once committed, it is completed whatever space is left.
    await asyncio.to_thread(service.disk_space.require_in_data_folder, GROWTH_FACTOR * prepared.uncompressed_bytes)
    pending: list[tuple[int, bytes]] = []
    for number, batch in enumerate(prepared.batches(), 1):
        pending.append((number, batch))
        if sum(len(content) for _, content in pending) >= STORED_BYTES_MAX or number == len(prepared):
            await service.store.write(partial(_store_batches, org_id, pending), Share(org_id))
            pending = []


def _store_batches(org_id: str, pending: list[tuple[int, bytes]], tx: Tx) -> None:
    tx.org_id = org_id
    for number, batch in pending:
        tx.run(sql.imports.create_batch, org_id=org_id, number=number, steps=batch)


async def _apply_stored(store: Store, org_id: str, clock: Clock, effects: Sequence[Effect]) -> None:
    """Apply the remaining batches of a committed import."""
    remaining = 1
    while remaining:
        before, remaining = remaining, await store.write(partial(_apply_some, org_id, clock, effects), Share(org_id))
        if before // BATCHES_PER_LOG_LINE != remaining // BATCHES_PER_LOG_LINE:
            log.info("import into %s: %d batches are still to be written", org_id, remaining)


def _apply_some(org_id: str, clock: Clock, effects: Sequence[Effect], tx: Tx) -> int:
    """Apply stored batches for 20 ms; return the number of remaining batches."""
    tx.clock, tx.org_id = clock, org_id
    started, remaining = monotonic(), 1
    # The last batch makes the import visible and never has a transaction of its own.
    while remaining == 1 or (remaining and monotonic() - started < TRANSACTION_SECONDS):
        row = tx.one(sql.imports.next_batch, org_id=org_id)
        assert row is not None
        redo_log.apply_batch(tx, row["steps"])
        tx.run(sql.imports.delete_batches, org_id=org_id, number=row["number"])
        remaining = int(row["further"])
    if not remaining:
        tx.run(sql.imports.delete, org_id=org_id)
        _add_effects(tx, effects)
    return remaining


async def _discard_uncommitted(store: Store, org_id: str) -> bool:
    """Delete an import that was not committed and unlock its organization; return whether there was one."""
    outcome = None
    while outcome is None:
        outcome = await store.write(partial(_delete_some, org_id), Share(org_id))
    return outcome


def _delete_some(org_id: str, tx: Tx) -> bool | None:
    """Delete some batches of an uncommitted import, or the import if none is left; return None if batches are left."""
    tx.org_id = org_id
    row = tx.one(sql.imports.find, org_id=org_id)
    if row is None or row["last_step"] is not None:
        return False
    first = tx.value(sql.imports.first_batch, org_id=org_id)
    if first is None:
        tx.run(sql.imports.delete, org_id=org_id)
        return True
    tx.run(sql.imports.delete_batches, org_id=org_id, number=first + BATCHES_DELETED_MAX)
    return None


def _delete_contents(placed: list[Path]) -> None:
    for path in placed:
        path.unlink(missing_ok=True)


async def recover(store: Store, clock: Clock) -> None:
    """Complete the committed imports that a stop has interrupted, and discard the others.

    Runs at startup, before the first request. If the database cannot be written, the organizations stay locked.
    """
    try:
        for row in await store.read(lambda tx: tx.all(sql.imports.list_in_progress)):
            await _finish(store, clock, row["org_id"], row["last_step"] is not None, ())
    except Unavailable:
        log.error("an interrupted import cannot be completed at the moment; its organization stays locked until then")
    except Exception:  # must not prevent the start
        log.exception("an interrupted import could not be completed; its organization stays locked")


async def _finish(store: Store, clock: Clock, org_id: str, is_committed: bool, effects: Sequence[Effect]) -> None:
    if is_committed:
        log.warning("completing the interrupted import into %s", org_id)
        await _apply_stored(store, org_id, clock, effects)
    else:
        await _discard_uncommitted(store, org_id)


async def retry_interrupted_imports(service: Service) -> None:
    """Complete imports that an error, such as a full disk, has interrupted. Runs until cancelled."""
    while True:
        await asyncio.sleep(INTERVAL_SECONDS)
        try:
            for row in service.store.read_inline(lambda tx: tx.all(sql.imports.list_in_progress)):
                if row["org_id"] not in service.import_locks:
                    await _resume(service, row["org_id"])
        except Unavailable:
            pass  # the store has logged the reason
        except Exception:
            log.exception("an interrupted import could not be completed; it is tried again in %g s", INTERVAL_SECONDS)


async def _resume(service: Service, org_id: str) -> None:
    async with service.import_locks.import_mutex:
        row = service.store.read_inline(lambda tx: tx.one(sql.imports.find, org_id=org_id))
        if row is not None:
            with service.import_locks.hold(org_id):
                effects = [partial(service.on_commit, CREDENTIAL_TABLES, org_id)]
                await _finish(service.store, service.clock, org_id, row["last_step"] is not None, effects)
