"""Routes /healthz, which shows that the process responds, and /readyz, which shows that it can serve requests.

Both need no sign-in. So their messages contain no paths, and the checks of /readyz run at
most once a second.
"""

import asyncio
import logging
import os
import time
from functools import partial
from pathlib import Path
from typing import Any

import orjson
from aiohttp import web

from ..auth.context import Service
from ..database.queries import sql
from ..database.store import Store
from ..errors import Unavailable
from ..runtime.disk_space import DiskSpace

ALIVE, READY = "/healthz", "/readyz"
RESULT_VALID_SECONDS = 1.0
CHECK_TIMEOUT_SECONDS = 5.0
OK = "ok"
FAILED = {  # by check; the details are in the log only
    "database": "the database cannot be written",
    "files": "the files cannot be written",
    "account": "the accounts cannot be read",
}
PROBE = ".readiness"  # a file in the temporary folder, which each start empties
log = logging.getLogger("service")


class Health:
    """Checks whether the service can serve requests, and caches the result."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._checks: dict[str, asyncio.Task[str]] = {}
        self._results: dict[str, str] = {}
        self._checked_at = float("-inf")
        self._lock = asyncio.Lock()

    async def run_checks(self) -> dict[str, str]:
        """Return the result of each check: "ok", or a description of the problem."""
        async with self._lock:
            if time.monotonic() - self._checked_at > RESULT_VALID_SECONDS:
                settings = self._service.settings
                self._results = {
                    "database": await self._run_check("database", partial(_check_write, self._service.store)),
                    "commits": OK if self._service.store.is_committing else "the commit task has ended",
                    "files": await self._run_check("files", partial(asyncio.to_thread, _check_files, settings.files)),
                    "disk": _check_disk_space(self._service.disk_space),
                    "account": await self._run_check("account", partial(_check_account, self._service.store)),
                }
                self._checked_at = time.monotonic()
        return self._results

    async def _run_check(self, name: str, check: Any) -> str:
        """Run a check; a check that hangs is not started again, so that it blocks at most one thread."""
        if name not in self._checks:
            self._checks[name] = asyncio.ensure_future(check())
        task = self._checks[name]
        done, _ = await asyncio.wait({task}, timeout=CHECK_TIMEOUT_SECONDS)
        if not done:
            return f"no result within {CHECK_TIMEOUT_SECONDS:g} s"
        del self._checks[name]
        return _get_result(name, task)

    async def answer(self, request: web.Request) -> web.Response:
        """Return 200 if every check succeeds, else 503 with the results."""
        results = await self.run_checks()
        problems = [f"{name}: {finding}" for name, finding in results.items() if finding != OK]
        if self._service.listeners.stopped:
            problems.append("the service is stopping")
        if problems:
            message = f"Not ready: {'; '.join(problems)}. Run `tandem doctor` on the machine."
            raise Unavailable(None, message, {"Retry-After": "5"}, checks=results)
        return _json({"status": "ready", "checks": results})


async def show_liveness(request: web.Request) -> web.Response:
    """Return 200, without checks."""
    return _json({"status": OK})


def _json(body: dict[str, Any]) -> web.Response:
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    return web.Response(body=orjson.dumps(body), content_type="application/json", charset="utf-8", headers=headers)


def _get_result(name: str, task: asyncio.Task[str]) -> str:
    error = task.exception()
    if error is None:
        return task.result()
    log.error("readiness: the check of the %s failed", name, exc_info=error)
    return FAILED[name]


async def _check_write(store: Store) -> str:
    await store.write(lambda tx: tx.run(sql.monitoring.check_write, now=tx.now))
    return OK


async def _check_account(store: Store) -> str:
    exists = await store.read(lambda tx: bool(tx.value(sql.users.exists)))
    return OK if exists else "the first account does not exist yet"


def _check_files(files: Path) -> str:
    path = files / ".temporary" / PROBE
    with path.open("wb") as file:
        file.write(b"x" * 4096)
        file.flush()
        os.fsync(file.fileno())
    path.unlink()
    return OK


def _check_disk_space(disk_space: DiskSpace) -> str:
    minimum = disk_space.minimum_bytes
    try:
        free = disk_space.get_free_bytes()
    except OSError:
        return "the free space cannot be determined"
    return OK if free >= minimum else f"{free >> 20} MiB are free, less than disk_free_min_bytes ({minimum >> 20} MiB)"


def register(router: web.UrlDispatcher, health: Health) -> None:
    """Add both routes."""
    router.add_get(ALIVE, show_liveness)
    router.add_get(READY, health.answer)
