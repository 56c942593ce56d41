"""Measure how long writes of others wait while a snapshot of the smallest rows is imported.

    python -m tests.bench.importing [mib] [group]

The group is `cards` (the rows that cost most) or any whose rows are an id and a name (`promptCategories`, `teams`). Two
people of other organizations comment as fast as they are answered; the yardstick is how long that takes while nothing
else goes on, in the same run.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from .transfer import Bench

WRITERS, IDLE_SECONDS = 2, 8.0
REST_SECONDS = 0.01  # between two writes of one of them


def rows(group: str) -> Iterator[str]:
    """Return the smallest rows that there are of a group."""
    number = 0
    while True:
        number += 1
        if group == "cards":
            yield f'{{"id":"{number}","columnId":"l","cardTypeId":"t","title":"C"}}'
        else:
            yield f'{{"id":"{number}","name":"a"}}'


def snapshot(target: Path, size: int, group: str, org_id: str = "org_import") -> int:
    """Write a snapshot of so many bytes into a file, and tell how many rows it has."""
    board = '"projects":[{"id":"p","title":"P"}],"columns":[{"id":"l","projectId":"p","title":"L"}],'
    head = f'{{"meta":{{"product":"Tandem"}},"organization":{{"id":"{org_id}","title":"I"}},{board}'
    with target.open("w") as file:
        written = file.write(f'{head}"cardTypes":[{{"id":"t","title":"T"}}],"{group}":[')
        for count, row in enumerate(rows(group)):  # told at the end
            if written + len(row) + 3 > size:
                break
            written += file.write(("," if count else "") + row)
        file.write("]}")
    return count


class Writer:
    """Somebody in an organization of their own, who comments on a card."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._path = ""
        self.waits: list[float] = []  # milliseconds

    async def begin(self) -> "Writer":
        """Make an organization with a card."""
        org = await self._post("/organizations", {"title": "Other"})
        path = f"/organizations/{org['id']}"
        project = await self._post(f"{path}/projects", {"title": "P"})
        async with self._bench.http.get(self._bench.url + f"{path}/card-types", headers=self._bench.headers) as answer:
            kind = (await answer.json())[0]["id"]
        card = await self._post(f"{path}/cards", {"projectId": project["id"], "cardTypeId": kind, "title": "C"})
        self._path = f"/cards/{card['id']}/comments"
        return self

    async def _post(self, path: str, body: Any) -> Any:
        async with self._bench.http.post(self._bench.url + path, json=body, headers=self._bench.headers) as answer:
            assert answer.status == 200, await answer.text()
            return await answer.json()

    async def write(self, until: asyncio.Event) -> None:
        """Comment until the event."""
        while not until.is_set():
            began = time.perf_counter()
            await self._post(self._path, {"content": "A word"})
            self.waits.append((time.perf_counter() - began) * 1000)
            await asyncio.sleep(REST_SECONDS)


async def watched(writers: list[Writer], what: str, work: Any) -> None:
    """Do something while others write, and tell how long they waited."""
    until, began = asyncio.Event(), time.perf_counter()
    for writer in writers:
        writer.waits = []
    writing = [asyncio.create_task(writer.write(until)) for writer in writers]
    await work
    until.set()
    await asyncio.gather(*writing)
    waits = sorted(wait for writer in writers for wait in writer.waits)
    p50, p99 = waits[len(waits) // 2], waits[len(waits) * 99 // 100]
    print(
        f"{what} ({time.perf_counter() - began:.0f} s): {len(waits)} writes of others waited"
        f" p50 {p50:.1f}, p99 {p99:.1f}, max {waits[-1]:.1f} ms",
        flush=True,
    )


async def main(size: int, group: str) -> None:
    """Measure everything once."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        data, file = folder / "data", folder / "snapshot.json"
        data.mkdir()  # the bench's own process
        count = snapshot(file, size, group)
        bench = await stack.enter_async_context(Bench(data))
        writers = [await Writer(bench).begin() for _ in range(WRITERS)]
        await watched(writers, "idle", asyncio.sleep(IDLE_SECONDS))
        idle = bench.memory()
        print(f"{count:,} rows of {group} in {size / (1 << 20):.0f} MiB:")
        await watched(writers, "import", bench.take_in(file))
        print(f"memory: idle {idle:.0f} MB, afterwards {bench.memory():.0f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mib", type=int, nargs="?", default=64, help="size of the snapshot in MiB")
    parser.add_argument("group", nargs="?", default="cards")
    options = parser.parse_args()
    asyncio.run(main(options.mib << 20, options.group))
