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
from typing import Any, NamedTuple, TypeVar

import orjson

from ..auth.context import Call, Service
from ..database.queries import sql
from ..database.store import Row, Share, Store, Tx
from ..errors import NotFound, ServiceError, TooExpensive, Unavailable
from ..http.responses import JobStarted, encode
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
    resource_type: str  # organization, project, column, field, agent, member or card
    resource_id: str
    parameters: dict[str, Any] = field(default_factory=dict)
    is_started: bool = False  # its first batches are stored


Batch = Callable[[Call, Job], bool]


class Kind(NamedTuple):
    """A kind of job: its state, its batch function, whether an error ends it, and whether it needs disk space."""

    state: str
    batch: Batch
    ends_with_error: bool
    grows: bool


_KINDS: dict[str, Kind] = {}


def batches(kind: str, state: str, ends_with_error: bool = False, grows: bool = False) -> Callable[[Batch], Batch]:
    """Register the decorated function for a kind of job: it changes one batch and returns whether the job is done.

    What it changes in the parameters of the job is stored with the batch. `state` is archiving, restoring, removing or
    duplicating, and is reported by the conflict that denies other writes meanwhile. An error of a batch is reported to
    the request; with `ends_with_error` the job then ends, otherwise the batch is tried again. A job that `grows` pauses
    while the disk is nearly full.
    """

    def register(batch: Batch) -> Batch:
        _KINDS[kind] = Kind(state, batch, ends_with_error, grows)
        return batch

    return register


async def run_in_batches(
    operation: Any,
    start: Callable[..., Job],
    finish: Callable[..., T] | None = None,
    is_known_at_start: bool = False,
) -> T | None:
    """Change a resource in batches, and return when the last one is committed.

    `start` checks the request and returns the job; `finish` returns the response. A short job is completed in the
    transaction of the request. Raises conflict if another job is changing the resource. With `is_known_at_start` a
    request that is repeated after an interruption gets what `finish` returns at the start, and starts no second job.
    """
    service: Service = operation.service
    work = partial(_start_job, start=start, finish=finish, is_known_at_start=is_known_at_start)
    result = await service.import_locks.with_retry(lambda: operation.write(work))
    if isinstance(result, JobStarted):
        await service.jobs.wait(service.store, result.job_id)
        result = await operation.complete(finish) if finish else None
    return result  # type: ignore[no-any-return]


def _start_job(
    call: Call, start: Callable[..., Job], finish: Callable[..., T] | None, is_known_at_start: bool
) -> T | JobStarted | None:
    job = start(call)
    if _run_batches(call, job):
        return finish(call) if finish else None
    job_id = _create_job(call, job)
    if finish is None:
        return JobStarted(job_id, encode(None))
    return JobStarted(job_id, encode(finish(call)) if is_known_at_start else None)


def _create_job(call: Call, job: Job) -> str:
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
    return job_id


def _run_batches(call: Call, job: Job) -> bool:
    """Run batches until BATCH_SECONDS have passed; return whether the job is done."""
    until, batch = monotonic() + BATCH_SECONDS, _KINDS[job.kind].batch
    while not batch(call, job):
        call.service.store.run_before_commit(call.tx)  # updates the search index, which is slower than the change
        if monotonic() > until:
            return False
    return True


async def run_jobs(service: Service) -> None:
    """Run all unfinished jobs, each in a task, so that none waits for the turn of another. Runs until cancelled."""
    running: dict[str, asyncio.Task[None]] = {}
    async with asyncio.TaskGroup() as tasks:
        while True:
            service.jobs.wake.clear()
            for row in _list_unfinished(service.store):
                if row["id"] not in running:
                    running[row["id"]] = tasks.create_task(_run_job(service, row))
                    running[row["id"]].add_done_callback(partial(_forget, running, row["id"]))
            with suppress(TimeoutError):
                await asyncio.wait_for(service.jobs.wake.wait(), INTERVAL_SECONDS)


def _forget(running: dict[str, asyncio.Task[None]], job_id: str, _: asyncio.Task[None]) -> None:
    del running[job_id]


def _list_unfinished(store: Store) -> list[Row]:
    try:
        return store.read_inline(lambda tx: tx.all(sql.jobs.list))
    except Unavailable:
        return []  # the store has logged the reason


async def _run_job(service: Service, row: Row) -> None:
    """Run the batches of a job until it is done or fails, and tell that to the request that waits for it."""
    error: Exception | None = None
    try:
        while not await service.store.write(partial(_next_batch, service, row["id"]), Share(row["org_id"])):
            pass
    except Exception as caught:
        error = await _handle_error(service, row, caught)
    service.jobs.finish(row["id"], error)


async def _handle_error(service: Service, row: Row, error: Exception) -> Exception:
    """Return the error for the request; end the job if its kind says so, else it is continued later."""
    kind = _KINDS.get(row["kind"])
    ends = kind is not None and kind.ends_with_error
    if isinstance(error, Unavailable) and not (ends and isinstance(error, TooExpensive)):
        return Unavailable(None, CONTINUES_LATER)
    if not isinstance(error, ServiceError):
        log.error("a job failed and %s", "has ended" if ends else "will be retried", exc_info=error)
    if ends:
        with suppress(Unavailable):
            await service.store.write(partial(_delete_job, row["id"]), Share(row["org_id"]))
    return error


def _delete_job(job_id: str, tx: Tx) -> None:
    tx.run(sql.jobs.delete, job_id=job_id)


def _next_batch(service: Service, job_id: str, tx: Tx) -> bool:
    row = tx.one(sql.jobs.get, job_id=job_id)
    if row is None:
        return True
    tx.org_id = row["org_id"]
    if _KINDS[row["kind"]].grows:
        service.disk_space.require_in_data_folder()
    job = Job(row["kind"], row["resource_type"], row["resource_id"], orjson.loads(row["parameters"]), is_started=True)
    try:
        is_done = _run_batches(service.create_job_call(tx, row["org_id"], Actor(**orjson.loads(row["actor"]))), job)
    except NotFound:  # the resource was removed together with its organization
        is_done = True
    if is_done:
        _delete_job(job_id, tx)
    elif (parameters := json_text(job.parameters)) != row["parameters"]:
        tx.run(sql.jobs.update_parameters, job_id=job_id, parameters=parameters)
    tx.on_commit(partial(service.on_commit, tx.changed, row["org_id"]))
    return is_done
