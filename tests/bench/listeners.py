"""What listeners cost: memory while nothing happens, and the patience of whoever writes while they hear of it.

    python -m tests.bench.listeners [count]

Prints the resident memory of the service process for each listener, in KB (the goal is less than 20), and how long a
comment takes on one connection, without listeners and with them. Then how long another organization's GET of a card
takes while the listeners are woken, all together 50 ms after a commit; the promise is 100 ms for 99 of 100.
"""

import asyncio
import http.client
import json
import socket
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

from ..process import ServiceProcess
from ..world import Client, World
from . import yardstick

ROOM = {"SERVICE_ORGANIZATION_LISTENERS_MAX": "2500", "SERVICE_CALLER_LISTENERS_MAX": "2500"}
SETUP = {"SA_BOOTSTRAP_EMAIL": "sa@example.test", "SA_BOOTSTRAP_PASSWORD": "correct horse"}
# What a browser sends along.
HEADERS = {
    "Accept": "text/event-stream",
    "Accept-Encoding": "gzip, deflate, br, zstd",
    "Accept-Language": "en-US,en;q=0.9",
    "Cache-Control": "no-cache",
    "Origin": "http://127.0.0.1:8080",
    "Referer": "http://127.0.0.1:8080/",
    "Sec-Fetch-Dest": "empty",
    "Sec-Fetch-Mode": "cors",
    "Sec-Fetch-Site": "same-origin",
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Safari/537.36",
}
COMMENT = json.dumps({"content": "A comment of ordinary length."})
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Ask(NamedTuple):
    """A request that is sent again and again."""

    headers: dict[str, str]
    method: str
    path: str
    body: str | None = None


def resident(service: ServiceProcess) -> int:
    """Return the resident memory of a service in bytes."""
    lines = Path(f"/proc/{service.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) * 1024


async def listen(service: ServiceProcess, who: Client) -> Streams:
    """Open a stream of events and wait for its first message."""
    reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
    lines = [f"GET /api/v1{who.org('/events')} HTTP/1.1", "Host: tandem"]
    lines += [f"{name}: {value}" for name, value in {**HEADERS, **who.headers}.items()]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
    await reader.readuntil(b'"}\n\n')
    return reader, writer


async def cost(service: ServiceProcess, who: Client, count: int) -> float:
    """Let so many listen and give the bytes that each of them takes."""
    early = [await listen(service, who) for _ in range(50)]  # what the first ones load is nobody's own
    before = resident(service)
    listeners = [await listen(service, who) for _ in range(count)]
    after = resident(service)
    for _, writer in early + listeners:
        writer.close()
    return (after - before) / count


def asked(service: ServiceProcess, ask: Ask, seconds: float) -> list[float]:
    """Ask the same on one connection, again and again; give how many ms each took."""
    line, taken = http.client.HTTPConnection("127.0.0.1", service.port), []
    end = time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        line.request(ask.method, f"/api/v1{ask.path}", ask.body, {**ask.headers, "Content-Type": "application/json"})
        answer = line.getresponse()
        assert answer.status == 200, answer.read()
        answer.read()
        taken.append((time.perf_counter() - began) * 1000)
    line.close()
    return taken


@contextmanager
def drained(streams: list[Streams]) -> Iterator[None]:
    """Take what listeners are sent, now and then, as cheaply as can be: it is the service that is measured."""
    lines, over = [writer.transport.get_extra_info("socket")._sock for _, writer in streams], Event()
    room = bytearray(1 << 18)
    for _, writer in streams:
        writer.transport.pause_reading()  # type: ignore[attr-defined]

    def drain() -> None:
        while not over.wait(0.2):
            for line in lines:
                with suppress(BlockingIOError):
                    while line.recv_into(room, flags=socket.MSG_TRUNC) == len(room):  # which copies nothing
                        pass

    thread = Thread(target=drain)
    thread.start()
    yield
    over.set()
    thread.join()


def _told(name: str, taken: list[float], seconds: float) -> None:
    ranked = sorted(taken)
    p99 = ranked[int(len(ranked) * 0.99)]
    print(f"{name:<28} {len(taken) / seconds:7,.0f}/s   p50 {statistics.median(taken):5.2f} ms   p99 {p99:5.2f} ms")


async def _beside(service: ServiceProcess, name: str, comment: Ask, read: Ask, seconds: float) -> None:
    """Measure comments, and then how long another organization's reads take beside them."""
    _told(f"comments, {name}", await asyncio.to_thread(asked, service, comment, seconds), seconds)
    both = [asyncio.to_thread(asked, service, ask, seconds) for ask in (comment, read)]
    _told(f"others' GET, {name}", (await asyncio.gather(*both))[1], seconds)


async def _measure(service: ServiceProcess, count: int, seconds: float = 4) -> None:
    async with World(service.url).ctx() as world:
        sa = await world.login(SETUP["SA_BOOTSTRAP_EMAIL"], SETUP["SA_BOOTSTRAP_PASSWORD"])
        each = await cost(service, sa, count)
        print(f"{count} idle listeners: {each / 1024:.1f} KB each")
        world.sa = sa
        card = await world.card(await world.board())
        org_id = (await sa.post("/organizations", {"title": "Another", "color": "#123456"})).ok()["id"]
        other = world.client(sa.headers, id=sa.id, org_id=org_id)
        theirs = await world.card(await world.board(other), by=other)
        comment = Ask(sa.headers, "POST", f"/cards/{card['id']}/comments", COMMENT)
        asks = comment, Ask(sa.headers, "GET", f"/cards/{theirs['id']}"), seconds
        await _beside(service, "no listeners", *asks)
        streams = [await listen(service, sa) for _ in range(count)]
        with drained(streams):
            await _beside(service, f"{count} listeners", *asks)
        for _, writer in streams:
            writer.close()


if __name__ == "__main__":
    (number,) = yardstick.numbers(__doc__, count=500)
    with tempfile.TemporaryDirectory() as folder, ServiceProcess(Path(folder), SETUP | ROOM) as running:
        asyncio.run(_measure(running, number))
