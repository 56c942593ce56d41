"""What every bench stands on: the service on the first core, and a bare aiohttp "hello" there to measure it by.

Absolute figures say more of the machine than of the code, so what is measured stands beside hello in the same run.
"""

import argparse
import asyncio
import os
import platform
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pydantic

from service import config
from service.database.migrate import migrate

from ..conftest import make
from ..process import ServiceProcess
from ..running import running
from ..world import SECRET, World

SERVICE_CORE, DRIVER_CORE = 0, 1  # what is asked, and what asks
SETTINGS = {
    "SERVICE_JWT_SECRET": SECRET,
    "SERVICE_RATE_LIMITS": "disabled",
    "SERVICE_CPU_AFFINITY": "0",
    "SERVICE_GUARD_CARDS_PER_HOUR": "0",
    "SERVICE_GUARD_COMMENTS_PER_HOUR": "0",
    "SERVICE_GUARD_RETURNS": "0",
    "SERVICE_AGENT_CREATES_PER_HOUR": "0",
    "SERVICE_AGENT_CLAIMS_MAX": "0",
    "PYTHONDONTWRITEBYTECODE": "",
}
HELLO = """
import asyncio
from aiohttp import web

async def hello(request):
    return web.json_response({"hello": "world"})

async def main():
    app = web.Application()
    app.router.add_get("/", hello)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@dataclass
class Hello:
    """The yardstick: where it answers, and its process."""

    url: str
    pid: int


def numbers(text: str | None, **defaults: int) -> list[int]:
    """Read from the command line the numbers that a bench takes, each with what it is if it is left out."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in defaults.items():
        parser.add_argument(name, type=int, nargs="?", default=default, help=f"default {default:,}")
    return list(vars(parser.parse_args()).values())


def describe() -> None:
    """Say on what was measured."""
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    print(f"machine: {model[1] if model else platform.machine()}, {os.cpu_count()} cores, {platform.platform()}")
    versions = f"Python {platform.python_version()}, aiohttp {aiohttp.__version__}, pydantic {pydantic.VERSION}"
    print(f"versions: {versions}, SQLite {sqlite3.sqlite_version}, synchronous=FULL", flush=True)


def tasks(pid: int) -> Iterator[int]:
    """Name the threads of a process."""
    return (int(name) for name in os.listdir(f"/proc/{pid}/task"))


def pin(pid: int, core: int) -> None:
    """Keep all threads of a process, and those that it begins, on one core, if there are two."""
    if core < (os.cpu_count() or 1):
        for task in tasks(pid):
            with suppress(ProcessLookupError):  # it has ended meanwhile
                os.sched_setaffinity(task, {core})


def cpu(pid: int) -> float:
    """Return the CPU time of all threads of a process so far, in µs."""
    return sum(int(Path(f"/proc/{pid}/task/{task}/schedstat").read_text().split()[0]) for task in tasks(pid)) / 1000


def resident(pid: int) -> int:
    """Return the resident memory of a process in bytes."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) * 1024 if found else 0


@contextmanager
def service(prepare: Callable[[Path], None] = lambda _: None, **settings: str) -> Iterator[ServiceProcess]:
    """Run a service of its own for a bench, with the people of the tests, without limits, on the first core.

    `prepare` writes to the database before the start.
    """
    with tempfile.TemporaryDirectory() as folder:
        (data := Path(folder) / "data").mkdir(mode=0o700)
        migrate(data / "service.db")
        asyncio.run(make(data / "service.db"))
        prepare(data / "service.db")
        with ServiceProcess(Path(folder), SETTINGS | settings) as process:
            process.stop()  # it has compiled the program, as an installation does, and is looked at without that
            process.start()
            pin(process.process.pid, SERVICE_CORE)
            pin(os.getpid(), DRIVER_CORE)
            cores = [sorted(os.sched_getaffinity(pid)) for pid in (process.process.pid, 0)]
            print(f"cores: service {cores[0]}, driver {cores[1]}", flush=True)
            yield process


@asynccontextmanager
async def world(folder: Path) -> AsyncIterator[World]:
    """Run a service inside the bench's own process, for what looks at no more than how long answers take."""
    environment = {"SERVICE_DATA_PATH": str(folder), "SERVICE_JWT_SECRET": SECRET, "SERVICE_PORT": "0"}
    settings = config.load(environment=environment)
    migrate(settings.database)
    await make(settings.database)
    async with running(settings) as found:
        yield found


@contextmanager
def hello() -> Iterator[Hello]:
    """Run the yardstick, on the same core as the service."""
    command = [sys.executable, "-c", HELLO]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline())
            pin(process.pid, SERVICE_CORE)
            yield Hello(f"http://127.0.0.1:{port}", process.pid)
        finally:
            process.kill()


def quantile(taken: Sequence[float], share: float) -> float:
    """Return what so large a share of some figures does not exceed."""
    return sorted(taken)[min(len(taken) - 1, int(len(taken) * share))]


def spread(figures: Sequence[float], form: str = ",.0f") -> str:
    """Tell the median of some figures, and between which they lie."""
    return f"{statistics.median(figures):{form}} ({min(figures):{form}} to {max(figures):{form}})"
