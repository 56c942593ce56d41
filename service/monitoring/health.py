"""/healthz: the process answers; /readyz: it can do its work (contract, section 6, Ops).

Both are open to anyone, so they tell what is wrong, never where, and however often one asks for readiness it is
looked at once a second.
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
LOOK_VALID_SECONDS = 1.0
CHECK_TIMEOUT_SECONDS = 5.0
OK = "ok"
PROBE = ".readiness"  # among the files that are on their way: the next start clears it away
log = logging.getLogger("service")


class Health:
    """Looks whether a service can do its work, and remembers it for a moment."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._checks: dict[str, asyncio.Task[str]] = {}
        self._found: dict[str, str] = {}
        self._looked = float("-inf")
        self._looking = asyncio.Lock()

    async def look(self) -> dict[str, str]:
        """Give what each check found: "ok", or what is wrong."""
        async with self._looking:
            if time.monotonic() - self._looked > LOOK_VALID_SECONDS:
                settings = self._service.settings
                self._found = {
                    "database": await self._checked("database", partial(_write, self._service.store)),
                    "commits": OK if self._service.store.is_committing else "the task that commits has ended",
                    "files": await self._checked("files", partial(asyncio.to_thread, _probe, settings.files)),
                    "disk": _space(self._service.disk_space),
                }
                self._looked = time.monotonic()
        return self._found

    async def _checked(self, name: str, check: Any) -> str:
        """Run a check; one that hangs is not begun a second time, so that it costs one thread at the most."""
        if name not in self._checks:
            self._checks[name] = asyncio.ensure_future(check())
        task = self._checks[name]
        done, _ = await asyncio.wait({task}, timeout=CHECK_TIMEOUT_SECONDS)
        if not done:
            return f"nothing came back within {CHECK_TIMEOUT_SECONDS:g} s"
        del self._checks[name]
        return _outcome(name, task)

    async def answer(self, request: web.Request) -> web.Response:
        """Answer 200 if every check is well, else 503 with what each found."""
        found = await self.look()
        wrong = [f"{name}: {finding}" for name, finding in found.items() if finding != OK]
        if self._service.listeners.stopped:
            wrong.append("the service is stopping")
        if wrong:
            message = f"Not ready: {'; '.join(wrong)}. Run `tandem doctor` on the machine."
            raise Unavailable(None, message, {"Retry-After": "5"}, checks=found)
        return _json({"status": "ready", "checks": found})


async def alive(request: web.Request) -> web.Response:
    """Answer that the process does; it looks at nothing else."""
    return _json({"status": OK})


def _json(body: dict[str, Any]) -> web.Response:
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    return web.Response(body=orjson.dumps(body), content_type="application/json", charset="utf-8", headers=headers)


def _outcome(name: str, task: asyncio.Task[str]) -> str:
    error = task.exception()
    if error is None:
        return task.result()
    log.error("readiness: the check of the %s failed", name, exc_info=error)
    return f"the {name} cannot be written"


async def _write(store: Store) -> str:
    await store.write(lambda tx: tx.run(sql.monitoring.check_write, now=tx.now))
    return OK


def _probe(files: Path) -> str:
    path = files / ".temporary" / PROBE
    with path.open("wb") as file:
        file.write(b"x" * 4096)
        file.flush()
        os.fsync(file.fileno())
    path.unlink()
    return OK


def _space(disk_space: DiskSpace) -> str:
    least = disk_space.minimum_bytes
    try:
        free = disk_space.get_free_bytes()
    except OSError:
        return "the free space cannot be told"
    return OK if free >= least else f"{free >> 20} MiB are free, fewer than the {least >> 20} of disk_free_min_bytes"


def register(router: web.UrlDispatcher, health: Health) -> None:
    """Add both routes."""
    router.add_get(ALIVE, alive)
    router.add_get(READY, health.answer)
