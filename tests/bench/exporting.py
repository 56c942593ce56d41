"""How far the write-ahead log grows beside an export that its client takes slowly, while others write without a pause.

    python -m tests.bench.exporting [history] [seconds]

Prints the size of the export, how many writes there were, and the largest write-ahead log that was seen beside them,
without an export, then beside two that are taken slowly.
"""

import asyncio
import sqlite3
import tempfile
import time
from pathlib import Path

from service.database.migrate import migrate

from . import yardstick
from .transfer import Bench, fill

CARDS, WRITERS = 10_000, 8
SLOW_BYTES = 64 << 10  # that a slow client takes in a second
HEADERS = {"X-Organization-Id": "org_bench"}


class Beside(Bench):
    """A service, its steady writers, and a look at its write-ahead log."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.log = folder / "service.db-wal"
        self.written = 0

    async def write(self, number: int, end: float) -> None:
        """Change cards, one after the other."""
        headers = {**self.headers, **HEADERS}
        while time.monotonic() < end:
            path = f"{self.url}/cards/card_{(number := number + WRITERS) % CARDS:08}"
            values = [{"fieldId": "fld_b", "value": f"{number} " * 500}]
            async with self.http.patch(path, json={"fieldValues": values}, headers=headers) as answer:
                assert answer.status == 200, await answer.text()
            self.written += 1

    async def take_slowly(self, end: float) -> None:
        """Take an export a little at a time."""
        async with self.http.get(f"{self.url}/admin/export", headers={**self.headers, **HEADERS}) as answer:
            assert answer.status == 200, await answer.text()
            for _ in range(int(end - time.monotonic())):
                await answer.content.read(SLOW_BYTES)
                await asyncio.sleep(1)
            answer.close()

    async def watch(self, end: float) -> int:
        """Return the largest size of the write-ahead log."""
        largest = 0
        while time.monotonic() < end:
            largest = max(largest, self.log.stat().st_size)
            await asyncio.sleep(0.05)
        return largest

    async def measure(self, what: str, seconds: float, exports: int) -> None:
        """Write for some seconds, beside so many slow exports, and say what became of the log."""
        end, self.written = time.monotonic() + seconds, 0
        writers = [self.write(number, end) for number in range(WRITERS)]
        slow = [self.take_slowly(end) for _ in range(exports)]
        largest, *_ = await asyncio.gather(self.watch(end), *writers, *slow)
        print(f"{what:<28} {self.written:7,} writes, log at most {largest / 1e6:6.1f} MB", flush=True)


async def _measured(folder: Path, history: int, seconds: float) -> None:
    migrate(folder / "service.db")
    async with Bench(folder):
        pass  # makes the administrator
    fill(folder / "service.db", CARDS, history)
    async with Beside(folder) as bench:
        async with bench.http.get(f"{bench.url}/admin/export", headers={**bench.headers, **HEADERS}) as answer:
            size = sum([len(chunk) async for chunk in answer.content.iter_chunked(1 << 20)])
        print(f"the export has {size / 1e6:.0f} MB", flush=True)
        await bench.measure("no export", seconds, 0)
        await bench.measure("two that are taken slowly", seconds, 2)
    with sqlite3.connect(folder / "service.db") as database:
        assert database.execute("PRAGMA quick_check").fetchone() == ("ok",)


if __name__ == "__main__":
    numbers = yardstick.numbers(__doc__, history=300_000, seconds=40)
    with tempfile.TemporaryDirectory() as made:
        asyncio.run(_measured(Path(made), *numbers))
