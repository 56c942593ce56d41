"""Measure a backup: its time while the service is idle and under 8 writers, and how long writes wait meanwhile.

    python -m tests.bench.backup [cards] [history]

The database has some 500 MB with the numbers it takes by itself. Each writer comments on a card of its own, one comment
after the other. The writes' waits without a backup, in the same run, are the yardstick.
"""

import asyncio
import shutil
import sys
import tempfile
import time
from pathlib import Path

from service.database.migrate import migrate

from . import yardstick
from .transfer import Bench, fill

WRITERS = 8
REST = 4.0  # seconds of writing before, between and after


class Writers:
    """Those who write all the time, and how long each write took."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.waits: list[tuple[float, float]] = []  # when it began, and milliseconds
        self._stop = asyncio.Event()

    async def write_on(self, number: int) -> None:
        """Comment on one card until told to stop."""
        headers = {**self._bench.headers, "X-Organization-Id": "org_bench"}
        path = f"{self._bench.url}/cards/card_{number:08}/comments"
        while not self._stop.is_set():
            began = time.perf_counter()
            async with self._bench.http.post(path, json={"content": "A comment"}, headers=headers) as answer:
                assert answer.status == 200, await answer.text()
                await answer.read()
            self.waits.append((began, (time.perf_counter() - began) * 1000))

    def told(self, what: str, since: float, until: float) -> None:
        """Print what the writes between two moments took."""
        waits = sorted(wait for began, wait in self.waits if since <= began < until)
        began, longest = max(self.waits, key=lambda row: row[1] if since <= row[0] < until else 0)
        print(
            f"  {what}: {len(waits) / (until - since):.0f} writes/s; median {waits[len(waits) // 2]:.1f},"
            f" 99 % {waits[len(waits) * 99 // 100]:.1f}, longest {longest:.1f} ms,"
            f" {began - since:.1f} s after it began",
            flush=True,
        )

    def stop(self) -> None:
        """Have all of them end."""
        self._stop.set()


async def backup(bench: Bench, target: Path) -> float:
    """Back up as the command does, and give the seconds that it took."""
    command = [sys.executable, "run.py", "backup", str(target)]
    began = time.perf_counter()
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, env=bench.environment, stdout=pipe, stderr=pipe)
    _, errors = await process.communicate()
    assert process.returncode == 0, errors
    return time.perf_counter() - began


async def main(cards: int, history: int) -> None:
    """Measure everything once."""
    with tempfile.TemporaryDirectory() as name:
        data, target = Path(name, "data"), Path(name, "backup")
        data.mkdir()  # noqa: ASYNC240  # the bench's own process
        async with Bench(data):
            pass  # makes the database and the administrator
        migrate(data / "service.db")
        fill(data / "service.db", cards, history)
        print(f"database of {(data / 'service.db').stat().st_size / 1e6:.0f} MB", flush=True)
        async with Bench(data) as bench:
            idle = []
            for _ in range(3):
                idle.append(await backup(bench, target))
                shutil.rmtree(target)
            print(f"idle: {', '.join(f'{seconds:.2f}' for seconds in idle)} s", flush=True)
            writers = Writers(bench)
            tasks = [asyncio.create_task(writers.write_on(number)) for number in range(WRITERS)]
            await asyncio.sleep(REST)
            began = time.perf_counter()
            await asyncio.sleep(REST)
            writers.told("without a backup", began, time.perf_counter())
            for _ in range(3):
                began = time.perf_counter()
                seconds = await backup(bench, target)
                writers.told(f"a backup of {seconds:.2f} s ({seconds / min(idle):.2f} of idle)", began, began + seconds)
                shutil.rmtree(target)
                await asyncio.sleep(REST / 2)
            writers.stop()
            await asyncio.gather(*tasks)


if __name__ == "__main__":
    asyncio.run(main(*yardstick.numbers(__doc__, cards=200_000, history=1_000_000)))
