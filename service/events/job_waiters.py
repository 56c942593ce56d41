"""Waiting for background jobs (see pipeline/jobs.py)."""

import asyncio

from ..database.queries import sql
from ..database.store import Store


class JobWaiters:
    """The requests of this process that wait for a job."""

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Future[None]] = {}
        self.wake = asyncio.Event()

    async def wait(self, store: Store, job_id: str) -> None:
        """Return when a job is done; raise the error that stopped it."""
        future = self._waiting[job_id] = asyncio.get_running_loop().create_future()
        self.wake.set()
        try:
            if store.read_inline(lambda tx: tx.one(sql.jobs.get, job_id=job_id)):
                await future
        finally:
            del self._waiting[job_id]

    def finish(self, job_id: str, error: Exception | None = None) -> None:
        """Resume the request that waits for a job, if any; it raises `error` if one is given."""
        future = self._waiting.get(job_id)
        if future is None or future.done():
            return
        if error is None:
            future.set_result(None)
        else:
            future.set_exception(error)
