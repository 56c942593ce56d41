"""Jobs: changes of very many rows, made in batches between which others can write.

While a job runs, writes to its resource and the contents of that resource are denied. A job is stored in the database,
so it continues after its client has disconnected and after a restart.
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
from ..database.store import Row, Share, Store, Tx
from ..errors import NotFound, Unavailable
from ..http.responses import JobStarted
from ..ids import new_id
from ..schemas import Actor, json_text

T = TypeVar("T")
BATCH_SECONDS = 0.03  # of batches in one transaction, without its COMMIT
INTERVAL_SECONDS = 5.0  # between two checks for unfinished jobs
CONTINUES_LATER = "The change continues by itself once the database can be written again; do not repeat the request."
log = logging.getLogger("service")


@dataclass(frozen=True, slots=True)
class Job:
    """A change of a resource; `kind` selects the batch function, which reads its input from `parameters`."""

    kind: str
    resource_type: str  # organization, project, column, field, agent or member
    resource_id: str
    parameters: dict[str, Any] = field(default_factory=dict)


Batch = Callable[[Call, Job], bool]


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of job: the state of its resource meanwhile, its batch function, and whether it needs disk space."""

    state: str
    batch: Batch
    grows: bool


_KINDS: dict[str, _Kind] = {}


def batches(kind: str, state: str, grows: bool = False) -> Callable[[Batch], Batch]:
    """Register the decorated function for a kind of job: it changes one batch and returns whether the job is done.

    `state` is archiving, restoring or removing, and is reported by the conflict that denies other writes meanwhile. A
    job that `grows` pauses while the disk is nearly full.
    """

    def register(batch: Batch) -> Batch:
        _KINDS[kind] = _Kind(state, batch, grows)
        return batch

    return register


async def run_in_batches(operation: Any, start: Callable[..., Job], finish: Callable[..., T] | None = None) -> T | None:
    """Change a resource in batches, and return when the last one is committed.

    `start` checks the request and returns the job; `finish` returns the response. A short job is completed in the
    transaction of the request. Raises conflict if another job is changing the resource.
    """
    service: Service = operation.service
    work = partial(_start_job, start=start, finish=finish)
    result = await service.import_locks.with_retry(lambda: operation.write(work))
    if isinstance(result, JobStarted):
        await service.jobs.wait(service.store, result.job_id)
        result = await operation.complete(finish) if finish else None
    return result  # type: ignore[no-any-return]


def _start_job(call: Call, start: Callable[..., Job], finish: Callable[..., T] | None) -> T | JobStarted | None:
    job = start(call)
    if _run_batches(call, job):
        return finish(call) if finish else None
    job_id = new_id("job")
    is_organization = job.resource_type == "organization"
    call.tx.run(
        sql.jobs.create,
        id=job_id,
        org_id=job.resource_id if is_organization else call.org_id,
        kind=job.kind,
        resource_type=job.resource_type,
        resource_id=job.resource_id,
        state=_KINDS[job.kind].state,
        actor=call.actor.json(),
        parameters=json_text(job.parameters),
    )
    return JobStarted(job_id, is_answered=finish is None)


def _run_batches(call: Call, job: Job) -> bool:
    """Run batches until BATCH_SECONDS have passed; return whether the job is done."""
    until, batch = monotonic() + BATCH_SECONDS, _KINDS[job.kind].batch
    while not batch(call, job):
        call.service.store.run_before_commit(call.tx)  # updates the search index, which is slower than the change
        if monotonic() > until:
            return False
    return True


async def run_jobs(service: Service) -> None:
    """Continue each unfinished job in turn, and wait while there is none. Runs until cancelled."""
    while True:
        service.jobs.wake.clear()
        rows = _list_unfinished(service.store)
        outcomes = [await _advance(service, row) for row in rows]
        if not any(outcomes):  # no jobs, or the database cannot be written
            with suppress(TimeoutError):
                await asyncio.wait_for(service.jobs.wake.wait(), INTERVAL_SECONDS)


def _list_unfinished(store: Store) -> list[Row]:
    try:
        return store.read_inline(lambda tx: tx.all(sql.jobs.list))
    except Unavailable:
        return []  # the store has logged the reason


async def _advance(service: Service, row: Row) -> bool:
    """Run the next batches of a job; return whether they were committed."""
    try:
        is_done = await service.store.write(partial(_next_batch, service, row["id"]), Share(row["org_id"]))
    except Unavailable:
        service.jobs.finish(row["id"], Unavailable(None, CONTINUES_LATER))
        return False
    except Exception as error:
        log.exception("a job failed and will be retried")
        service.jobs.finish(row["id"], error)
        return False
    if is_done:
        service.jobs.finish(row["id"])
    return True


def _next_batch(service: Service, job_id: str, tx: Tx) -> bool:
    row = tx.one(sql.jobs.get, job_id=job_id)
    if row is None:
        return True
    tx.org_id = row["org_id"]
    if _KINDS[row["kind"]].grows:
        service.disk_space.require_in_data_folder()
    job = Job(row["kind"], row["resource_type"], row["resource_id"], orjson.loads(row["parameters"]))
    try:
        is_done = _run_batches(service.create_job_call(tx, row["org_id"], Actor(**orjson.loads(row["actor"]))), job)
    except NotFound:  # the resource was removed together with its organization
        is_done = True
    if is_done:
        tx.run(sql.jobs.delete, job_id=job_id)
    tx.on_commit(partial(service.on_commit, tx.changed, row["org_id"]))
    return is_done
