"""An import is written: in one transaction if it is small, else in portions between which others have their turn.

The order makes it all or nothing. The organization is held first (journey/holds.py), so nobody changes what the import
was tried on; then the steps are put into the database; then it is decided, in one transaction; from there on nothing
but the steps is needed, and they are done whatever happens, after the next start if need be.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path
from time import monotonic

from ...auth.context import PEOPLE, Call, Service
from ...clock import Clock
from ...database.queries import sql
from ...database.store import Effect, Store, Tx
from ...errors import Unavailable
from ...pipeline.pipeline import Operation
from . import steps
from .people import judge
from .steps import Steps

PORTIONS_AT_ONCE_MAX = 8  # that are done in one transaction, which takes some 0.02 s
BATCH_SECONDS = 0.02  # that the steps of one write take, a COMMIT aside
GROWTH_FACTOR = 2  # bytes by which the database grows, search index included, per byte of the steps; measured: 1.1
STORED_BYTES_MAX = 256 << 10  # of steps that are put down in a turn
PORTIONS_FORGOTTEN_MAX = 50  # likewise taken away
INTERVAL_SECONDS = 5.0  # between two looks for imports that were cut short
PORTIONS_PER_LOG_LINE = 400
DECIDED = "The import goes on by itself as soon as the database can be written; do not send it again."
log = logging.getLogger("service")


@contextlib.asynccontextmanager
async def held(operation: Operation[Call], org_id: str, placed: list[Path]) -> AsyncIterator[None]:
    """Hold an organization while an import is tried and written.

    What was not decided leaves nothing behind, the contents of files that have their places already included.
    """
    service = operation.service
    async with service.import_locks.turn:
        with service.import_locks.of(org_id):
            await operation.prepare(partial(_begin, org_id))
            try:
                yield
            finally:
                with contextlib.suppress(Unavailable):  # then later, see keep_up
                    if await _forget(service.store, org_id):
                        _remove(placed)


def _begin(org_id: str, call: Call) -> None:
    judge(call, org_id)
    if call.tx.one(sql.imports.find, org_id=org_id) is not None:
        raise Unavailable(None, "Another import into this organization is under way; try again later.")
    call.tx.run(sql.imports.create, org_id=org_id, now=call.now)


async def write(service: Service, org_id: str, prepared: Steps, effects: Sequence[Effect]) -> None:
    """Do the steps of an import into an organization that is held; the effects follow its last one."""
    if len(prepared) <= PORTIONS_AT_ONCE_MAX:
        await service.store.write(partial(_all, org_id, prepared, service.clock, effects))
        return
    await _put_down(service, org_id, prepared)
    try:
        await service.store.write(lambda tx: tx.run(sql.imports.commit, org_id=org_id, last_step=len(prepared)))
        await _done(service.store, org_id, service.clock, effects)
    except Unavailable as error:
        raise Unavailable(None, DECIDED) from error


def _all(org_id: str, prepared: Steps, clock: Clock, effects: Sequence[Effect], tx: Tx) -> None:
    tx.clock = clock
    for portion in prepared.portions():
        steps.do(tx, portion)
    tx.run(sql.imports.delete, org_id=org_id)
    _follow(tx, effects)


def _follow(tx: Tx, effects: Sequence[Effect]) -> None:
    for effect in effects:
        tx.on_commit(effect)


async def _put_down(service: Service, org_id: str, prepared: Steps) -> None:
    # The last moment at which an import can be refused: once it is decided, it is completed whatever the disk has left.
    await asyncio.to_thread(service.disk_space.require_in_data_folder, GROWTH_FACTOR * prepared.told_bytes)
    batch: list[tuple[int, bytes]] = []
    for number, portion in enumerate(prepared.portions(), 1):
        batch.append((number, portion))
        if sum(len(one) for _, one in batch) >= STORED_BYTES_MAX or number == len(prepared):
            await service.store.write(partial(_keep, org_id, batch))
            batch = []


def _keep(org_id: str, batch: list[tuple[int, bytes]], tx: Tx) -> None:
    for number, portion in batch:
        tx.run(sql.imports.create_batch, org_id=org_id, number=number, steps=portion)


async def _done(store: Store, org_id: str, clock: Clock, effects: Sequence[Effect]) -> None:
    """Do the steps that are left of an import that is decided."""
    further = 1
    while further:
        before, further = further, await store.write(partial(_portion, org_id, clock, effects))
        if before // PORTIONS_PER_LOG_LINE != further // PORTIONS_PER_LOG_LINE:
            log.info("import into %s: %d portions are still to be written", org_id, further)


def _portion(org_id: str, clock: Clock, effects: Sequence[Effect], tx: Tx) -> int:
    """Do some steps, for 20 ms; tell how many portions are left."""
    tx.clock = clock
    began, further = monotonic(), 1
    while further == 1 or (further and monotonic() - began < BATCH_SECONDS):  # the last one shows what is there by then
        row = tx.one(sql.imports.next_batch, org_id=org_id)
        assert row is not None
        steps.do(tx, row["steps"])
        tx.run(sql.imports.delete_batches, org_id=org_id, number=row["number"])
        further = int(row["further"])
    if not further:
        tx.run(sql.imports.delete, org_id=org_id)
        _follow(tx, effects)
    return further


async def _forget(store: Store, org_id: str) -> bool:
    """Take away what was put down of an import that was not decided, and let the organization go; tell if it was so."""
    outcome = None
    while outcome is None:
        outcome = await store.write(partial(_forgotten, org_id))
    return outcome


def _forgotten(org_id: str, tx: Tx) -> bool | None:
    row = tx.one(sql.imports.find, org_id=org_id)
    if row is None or row["last_step"] is not None:
        return False
    first = tx.value(sql.imports.first_batch, org_id=org_id)
    if first is None:
        tx.run(sql.imports.delete, org_id=org_id)
        return True
    tx.run(sql.imports.delete_batches, org_id=org_id, number=first + PORTIONS_FORGOTTEN_MAX)
    return None


def _remove(placed: list[Path]) -> None:
    for path in placed:
        path.unlink(missing_ok=True)


async def complete(store: Store, clock: Clock) -> None:
    """See to the imports that a stop has cut short: those that were decided are done, the others forgotten.

    For the start, before anybody asks. Where nothing can be written, the organizations stay held.
    """
    try:
        for row in await store.read(lambda tx: tx.all(sql.imports.list_in_progress)):
            await _finished(store, clock, row["org_id"], row["last_step"] is not None, ())
    except Unavailable:
        log.error("an import that was cut short cannot be completed at the moment; its organization is held until then")
    except Exception:  # no reason not to start
        log.exception("an import that was cut short could not be completed; its organization stays held")


async def _finished(store: Store, clock: Clock, org_id: str, is_decided: bool, effects: Sequence[Effect]) -> None:
    if is_decided:
        log.warning("completing the import into %s, which was cut short", org_id)
        await _done(store, org_id, clock, effects)
    else:
        await _forget(store, org_id)


async def keep_up(service: Service) -> None:
    """Complete what could not be completed, a full disk say, once it can be. Runs until cancelled."""
    while True:
        await asyncio.sleep(INTERVAL_SECONDS)
        try:
            for row in service.store.read_inline(lambda tx: tx.all(sql.imports.list_in_progress)):
                if row["org_id"] not in service.import_locks:
                    await _resume(service, row["org_id"])
        except Unavailable:
            pass  # the store has told why
        except Exception:
            log.exception("an import that was cut short could not be completed; the next look tries again")


async def _resume(service: Service, org_id: str) -> None:
    async with service.import_locks.turn:
        row = service.store.read_inline(lambda tx: tx.one(sql.imports.find, org_id=org_id))
        if row is not None:
            with service.import_locks.of(org_id):
                effects = [partial(service.committed, PEOPLE, org_id)]
                await _finished(service.store, service.clock, org_id, row["last_step"] is not None, effects)
