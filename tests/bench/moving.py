"""Measure `export` and `import` of an organization that no single import takes: time, parts, waits of others meanwhile.

    python -m tests.bench.moving [cards] [history]

It leaves one service and arrives in another; the export of the copy is compared with the first.
"""

import asyncio
import hashlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from service.clients.transfer.parts import ORDER, index_snapshot, split
from service.database.migrate import migrate

from . import yardstick
from .transfer import PASSWORD, Bench, fill


async def command(bench: Bench, *arguments: str) -> float:
    """Run a command against a service and give the seconds that it took."""
    account = {"SERVICE_API_URL": bench.url, "SERVICE_EMAIL": "a@example.test", "SERVICE_PASSWORD": PASSWORD}
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "run.py", *arguments, env={**os.environ, **account}, stdout=asyncio.subprocess.DEVNULL
    )
    assert await process.wait() == 0
    return time.perf_counter() - began


def digests(file: Path) -> dict[str, Any]:
    """Return for each group of a snapshot how many rows it has, and a digest of all of them."""
    with file.open("rb") as source:
        found = index_snapshot(source)
        sums = {key: hashlib.sha256() for key in ORDER}
        for part in split(source, found):
            rows = json.loads(part.body.read())
            for key in sums.keys() & rows.keys():
                for row in rows[key]:
                    sums[key].update(json.dumps(row, sort_keys=True).encode())
            part.body.close()
    return {key: (found.counts[key], digest.hexdigest()) for key, digest in sums.items()}


def _size(file: Path) -> int:
    return file.stat().st_size


async def measured(bench: Bench, what: str, *arguments: str) -> None:
    """Run a command with small requests watched."""

    async def work() -> int:
        await command(bench, *arguments)
        return _size(Path(arguments[-1]))

    await bench.measured(what, work)


async def main(cards: int, history: int) -> None:
    """Measure everything once."""
    with tempfile.TemporaryDirectory() as name:
        one, other, file, copy = (Path(name, part) for part in ("one", "other", "home.json", "copy.json"))
        for data in (one, other):
            data.mkdir()  # the bench's own process
            async with Bench(data):
                pass  # makes the database and the administrator
        migrate(one / "service.db")
        fill(one / "service.db", cards, history)
        async with Bench(one) as bench:
            await measured(bench, "export", "export", "--organization", "org_bench", str(file))
        async with Bench(other) as bench:
            await measured(bench, "import in parts", "import", str(file))
            await command(bench, "export", "--organization", "org_bench", str(copy))
        before, after = digests(file), digests(copy)
        other_groups = [key for key in ORDER if before[key] != after[key]]
        print(
            f"{cards} cards, {before['history'][0]} history rows; what the copy has otherwise: {other_groups}",
            flush=True,
        )


if __name__ == "__main__":
    asyncio.run(main(*yardstick.numbers(__doc__, cards=100_000, history=500_000)))
