"""Jobs: changes of very many rows, made in batches between which others write.

The first batch marks the resource: until the last one, writes to it and to its contents are denied. What is left to do
is a row of the database, so that a job goes on if its client leaves, and after a restart.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any, TypeVar

import orjson

from ..auth.context import Call, Service
from ..database.queries import sql
from ..database.store import Row, Store, Tx
from ..errors import NotFound, Unavailable
from ..http.responses import Started
from ..ids import new_id
from ..schemas import Actor, json_text

T = TypeVar("T")
BATCH_SECONDS = 0.03  # duration of a batch, without its COMMIT
INTERVAL_SECONDS = 5.0  # between two checks for interrupted jobs
GOES_ON = "This goes on by itself as soon as the database can be written; do not send it again."
log = logging.getLogger("service")


@dataclass(frozen=True, slots=True)
class Job:
    """A change of a resource: its kind names the batches, which find all that they need in the parameters."""

    kind: str
    resource_type: str  # organization, project, column, field, agent or member
    resource_id: str
    parameters: dict[str, Any] = field(default_factory=dict)


Batch = Callable[[Call, Job], bool]
_KINDS: dict[str, tuple[str, Batch]] = {}


def batches(kind: str, state: str) -> Callable[[Batch], Batch]:
    """Register the function that makes one batch of a kind of job and returns whether nothing is left to do.

    `state` is what writes to the resource are denied with: archiving, restoring or removing.
    """

    def register(batch: Batch) -> Batch:
        _KINDS[kind] = state, batch
        return batch

    return register


async def run_in_batches(operation: Any, start: Callable[..., Job], finish: Callable[..., T] | None = None) -> T | None:
    """Make a change in batches and return once the last one is committed.

    `start` checks the request and makes the job; what takes no longer than one batch is one transaction. `finish`
    makes the answer. Raises conflict if another job is at work on the resource.
    """
    service: Service = operation.service
    work = partial(_begin, start=start, finish=finish)
    result = await service.import_locks.with_retry(lambda: operation.write(work))
    if isinstance(result, Started):
        await service.jobs.wait(service.store, result.job_id)
        result = await operation.write(finish) if finish else None
    return result  # type: ignore[no-any-return]


def _begin(call: Call, start: Callable[..., Job], finish: Callable[..., T] | None) -> T | Started | None:
    job = start(call)
    if _make_batches(call, job):
        return finish(call) if finish else None
    job_id, (state, _) = new_id("job"), _KINDS[job.kind]
    is_organization = job.resource_type == "organization"
    call.tx.run(
        sql.jobs.create,
        id=job_id,
        org_id=job.resource_id if is_organization else call.org_id,
        kind=job.kind,
        resource_type=job.resource_type,
        resource_id=job.resource_id,
        state=state,
        actor=call.actor.json(),
        parameters=json_text(job.parameters),
    )
    return Started(job_id)


def _make_batches(call: Call, job: Job) -> bool:
    """Make batches for as long as others may wait; return whether nothing is left to do."""
    until, (_, batch) = monotonic() + BATCH_SECONDS, _KINDS[job.kind]
    while not batch(call, job):
        call.service.store.run_before_commit(call.tx)  # updates the search index, which is slower than the change
        if monotonic() > until:
            return False
    return True


async def run_jobs(service: Service) -> None:
    """Make a batch of each job in turn until none is left. Runs until cancelled."""
    while True:
        service.jobs.wake.clear()
        rows = _list_list_list_list_list_unfinished(service.store)
        outcomes = [await _advance(service, row) for row in rows]
        if not any(outcomes):  # no jobs, or the database cannot be written
            with suppress(TimeoutError):
                await asyncio.wait_for(service.jobs.wake.wait(), INTERVAL_SECONDS)


def _list_list_list_list_list_unfinished(store: Store) -> list[Row]:
    try:
        return store.read_inline(lambda tx: tx.all(sql.jobs.list))
    except Unavailable:
        return []  # the store has logged why


async def _advance(service: Service, row: Row) -> bool:
    """Make the next batch of a job; return whether that went well."""
    try:
        is_done = await service.store.write(partial(_next_batch, service, row["id"]), row["org_id"])
    except Unavailable:
        service.jobs.finish(row["id"], Unavailable(None, GOES_ON))
        return False
    except Exception as error:
        log.exception("a job could not go on; it is tried again")
        service.jobs.finish(row["id"], error)
        return False
    if is_done:
        service.jobs.finish(row["id"])
    return True


def _next_batch(service: Service, job_id: str, tx: Tx) -> bool:
    row = tx.one(sql.jobs.get, job_id=job_id)
    if row is None:
        return True
    job = Job(row["kind"], row["resource_type"], row["resource_id"], orjson.loads(row["parameters"]))
    try:
        is_done = _make_batches(service.create_job_call(tx, row["org_id"], Actor(**orjson.loads(row["actor"]))), job)
    except NotFound:  # the resource was removed together with its organization
        is_done = True
    if is_done:
        tx.run(sql.jobs.delete, job_id=job_id)
    tx.on_commit(partial(service.on_commit, tx.changed, row["org_id"]))
    return is_done
