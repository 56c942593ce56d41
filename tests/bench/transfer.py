"""Measure export and import: memory, time, and how long a small request waits meanwhile.

    python -m tests.bench.transfer [cards] [history]

The service runs in a process of its own. Memory is RssAnon (page cache aside), as growth over idle.
"""

import asyncio
import base64
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp

from service.database.migrate import migrate

from . import scene, yardstick

PASSWORD, SECRET, NOW = "correct horse", "bench-secret-of-at-least-thirty-two-bytes", "2026-11-20T09:05:00.000Z"
LIMIT = 64 << 20
ACTOR, TIMES = ("User", "usr_bench", "Bench"), (NOW, NOW)


def _rows(cards: int, history: int) -> Iterator[tuple[str, Iterator[tuple[Any, ...]]]]:
    org, words = "org_bench", ["card", "board", "agent", "review", "todo", "progress", "transition", "column"]
    title = lambda: " ".join(random.choices(words, k=6))  # noqa: E731, S311
    actor = json.dumps({"type": "User", "id": "usr_bench", "label": "Bench"}, separators=(",", ":"))
    yield (
        "projects (id, org_id, title, key, last_number, color, created_at)",
        iter([("proj_b", org, "Bench", "BEN", cards, "#123456", NOW)]),
    )
    yield "project_keys (org_id, key, project_id)", iter([(org, "BEN", "proj_b")])
    yield (
        "columns (id, org_id, project_id, title, position, agent_pickup_enabled, agent_can_moderate, column_type,"
        " required_field_ids, created_at)",
        ((f"col_{n}", org, "proj_b", f"C{n}", n, 1, 1, "standard", "[]", NOW) for n in range(5)),
    )
    yield (
        "card_types (id, org_id, title, color, comments_enabled, files_enabled, created_at)",
        iter([("type_b", org, "Task", "#123456", 1, 1, NOW)]),
    )
    yield (
        "fields (id, org_id, card_type_id, name, label, kind, required, options, position, multiple, created_at)",
        iter([("fld_b", org, "type_b", "notes", "Notes", "text", 0, "[]", 0, 0, NOW)]),
    )
    yield (
        "cards (number, id, org_id, project_id, column_id, card_type_id, title, priority, rank_key, version,"
        " created_by, created_at, updated_at)",
        (
            (n + 1, f"card_{n:08}", org, "proj_b", f"col_{n % 5}", "type_b", title(), "none", n << 20, 1, actor, *TIMES)
            for n in range(cards)
        ),
    )
    yield (
        "field_values (card_id, field_id, value)",
        ((f"card_{n:08}", "fld_b", json.dumps(title())) for n in range(cards)),
    )
    changes = json.dumps({"columnId": {"from": "col_0", "to": "col_1"}, "title": {"from": None, "to": "A title"}})
    yield (
        "history (id, org_id, card_id, actor_type, actor_id, actor_label, action, changes, created_at)",
        ((f"his_{n:09}", org, f"card_{n % cards:08}", *ACTOR, "moved", changes, NOW) for n in range(history)),
    )


def fill(path: Path, cards: int, history: int) -> None:
    """Write an organization of that many cards and history rows."""
    database = sqlite3.connect(path)
    database.execute("PRAGMA synchronous = OFF")
    user = database.execute("SELECT id FROM users").fetchone()[0]
    database.execute(
        "INSERT INTO organizations (id, title, color, owner_id, created_at) VALUES ('org_bench', 'B', '#123', ?, ?)",
        (user, NOW),
    )
    database.execute("INSERT INTO memberships VALUES ('org_bench', ?, 'SolutionArchitect', ?)", (user, NOW))
    for table, rows in _rows(cards, history):
        marks = ", ".join("?" * (table.count(",") + 1))
        database.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    database.execute("INSERT INTO permissions SELECT 'x' || id, 'org_bench', role, resource, actions FROM permissions")
    scene.defer_indexing(database)
    database.commit()
    database.close()


class Bench:
    """A service in a process of its own that has indexed all cards, and an administrator."""

    def __init__(self, folder: Path) -> None:
        self._database = folder / "service.db"
        self.environment = {
            **os.environ,
            "SERVICE_DATA_PATH": str(folder),
            "SERVICE_PORT": "0",
            "SERVICE_JWT_SECRET": SECRET,
            "SA_BOOTSTRAP_EMAIL": "a@example.test",
            "SA_BOOTSTRAP_PASSWORD": PASSWORD,
        }

    async def __aenter__(self) -> "Bench":
        command = [sys.executable, "run.py"]
        pipe = subprocess.PIPE
        self.process = await asyncio.create_subprocess_exec(
            *command, stdout=pipe, stderr=subprocess.DEVNULL, env=self.environment
        )
        assert self.process.stdout
        while b"ready at" not in (line := await self.process.stdout.readline()):
            assert line
        self.url = line.split()[4].decode() + "/api/v1"
        self.http = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(3600))
        body = {"email": "a@example.test", "password": PASSWORD}
        async with self.http.post(self.url + "/auth/login", json=body) as answer:
            token = (await answer.json())["token"]
        self.headers = {"Authorization": f"Bearer {token}"}
        await asyncio.to_thread(scene.wait_until_indexed, self._database)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.http.close()
        self.process.terminate()
        await self.process.wait()

    def memory(self) -> float:
        """Return the anonymous memory of the service in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("RssAnon:")[2].split()[0]) / 1024

    async def measured(self, what: str, work: Callable[[], Awaitable[int]]) -> None:
        """Run something with memory and small requests watched, and tell what it took."""
        await self._ping()
        idle, peak, waits, stop = self.memory(), 0.0, [], asyncio.Event()

        async def watch() -> None:
            nonlocal peak
            while not stop.is_set():
                began = time.perf_counter()
                await self._ping()
                waits.append((time.perf_counter() - began) * 1000)
                peak = max(peak, self.memory())
                await asyncio.sleep(0.005)

        watching = asyncio.create_task(watch())
        began = time.perf_counter()
        size = await work()
        seconds = time.perf_counter() - began
        stop.set()
        await watching
        waits.sort()
        print(
            f"{what}: {size / 1e6:.1f} MB in {seconds:.1f} s ({size / 1e6 / seconds:.0f} MB/s); memory idle {idle:.0f},"
            f" growth {peak - idle:.1f} MB; small request: median {waits[len(waits) // 2]:.1f},"
            f" 99 % {waits[len(waits) * 99 // 100]:.1f}, longest {waits[-1]:.1f} ms of {len(waits)}",
            flush=True,
        )

    async def _ping(self) -> None:
        async with self.http.get(self.url + "/organizations", headers=self.headers) as answer:
            assert answer.status == 200
            await answer.read()

    async def export(self, target: Path | None = None, **query: str) -> int:
        """Export the filled organization, to a file or to nowhere."""
        headers = {**self.headers, "X-Organization-Id": "org_bench"}
        size = 0
        with open(target or os.devnull, "wb") as file:  # noqa: ASYNC230  # the bench's own process
            async with self.http.get(self.url + "/admin/export", headers=headers, params=query) as answer:
                assert answer.status == 200, await answer.text()
                async for chunk in answer.content.iter_chunked(1 << 20):
                    size += file.write(chunk)
        return size

    async def take_in(self, source: Path) -> int:
        """Import a file."""
        with source.open("rb") as file:  # the bench's own process
            headers = {**self.headers, "Content-Type": "application/json"}
            async with self.http.post(self.url + "/admin/import", data=file, headers=headers) as answer:
                assert answer.status == 200, await answer.text()
                print("  ", (await answer.json())["summary"]["imported"])
        return _size(source)


async def _nothing() -> int:
    await asyncio.sleep(4)
    return 0


def _size(file: Path) -> int:
    return file.stat().st_size


def one_large_file(target: Path) -> None:
    """Write a snapshot with one content of 44 MiB."""
    size = 44 << 20
    content = base64.b64encode(os.urandom(size)).decode()
    field = {"id": "f", "cardTypeId": "t", "name": "files", "label": "Files", "kind": "file"}
    file = {"id": "x", "cardId": "c", "fieldId": "f", "name": "x", "mimeType": "a/b", "sizeBytes": size}
    snapshot = {
        "meta": {"product": "Tandem"},
        "organization": {"id": "org_files", "title": "Files"},
        "projects": [{"id": "p", "title": "P"}],
        "columns": [{"id": "l", "projectId": "p", "title": "L"}],
        "cardTypes": [{"id": "t", "title": "T"}],
        "fields": [field],
        "cards": [{"id": "c", "columnId": "l", "cardTypeId": "t", "title": "C"}],
        "files": [{**file, "contentBase64": content}],
    }
    target.write_text(json.dumps(snapshot))


async def _prepared(folder: Path) -> None:
    async with Bench(folder):
        pass  # makes the database and the administrator


async def main(cards: int, history: int) -> None:
    """Measure everything once."""
    with tempfile.TemporaryDirectory() as name:
        folder, other, snapshot = Path(name, "data"), Path(name, "other"), Path(name, "snapshot.json")
        for data in (folder, other):
            data.mkdir()
            await _prepared(data)
        migrate(folder / "service.db")
        fill(folder / "service.db", cards, history)
        async with Bench(folder) as bench:
            await bench.measured("nothing, for comparison", _nothing)
            await bench.measured("export", bench.export)
            await bench.measured("export again", bench.export)
        # As much of it as an import takes.
        share = 0.24
        with sqlite3.connect(folder / "service.db") as database:
            database.execute("PRAGMA foreign_keys = ON")
            database.execute("DELETE FROM cards WHERE rank_key >= ?", (int(cards * share * 1.48) << 20,))
            database.commit()
        async with Bench(folder) as bench:
            await bench.export(snapshot)
            print(f"snapshot to import: {_size(snapshot) / (1 << 20):.1f} MiB")
            await bench.measured("import over what is there", lambda: bench.take_in(snapshot))
        with sqlite3.connect(folder / "service.db") as database:
            database.execute("UPDATE cards SET title = 'Changed'")
            scene.defer_indexing(database)
        async with Bench(folder) as bench:
            await bench.measured("import over changed cards", lambda: bench.take_in(snapshot))
        async with Bench(other) as bench:
            await bench.measured("import of a new organization", lambda: bench.take_in(snapshot))
            await bench.measured("import of the same again", lambda: bench.take_in(snapshot))
            one_large_file(snapshot)
            await bench.measured("import of one large file", lambda: bench.take_in(snapshot))


if __name__ == "__main__":
    asyncio.run(main(*yardstick.numbers(__doc__, cards=100_000, history=500_000)))
