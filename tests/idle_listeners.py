"""Streams of events as a browser opens them, which nobody reads otherwise."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from .bench import yardstick
from .process import ServiceProcess
from .world import Client

ROOM = {"SERVICE_ORGANIZATION_LISTENERS_MAX": "2500", "SERVICE_CALLER_LISTENERS_MAX": "2500"}
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
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def listen(service: ServiceProcess, who: Client) -> Streams:
    """Open a stream of events and wait for its first message."""
    reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
    lines = [f"GET /api/v1{who.org('/events')} HTTP/1.1", "Host: tandem"]
    lines += [f"{name}: {value}" for name, value in {**HEADERS, **who.headers}.items()]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
    await reader.readuntil(b'"}\n\n')
    return reader, writer


async def measure_memory(service: ServiceProcess, who: Client, count: int) -> float:
    """Return how many bytes of memory each of a number of listeners takes."""
    early = [await listen(service, who) for _ in range(50)]  # what the first ones load belongs to no single one
    before = yardstick.resident(service.process.pid)
    listeners = [await listen(service, who) for _ in range(count)]
    after = yardstick.resident(service.process.pid)
    for _, writer in early + listeners:
        writer.close()
    return (after - before) / count


@contextmanager
def drained(streams: list[Streams]) -> Iterator[None]:
    """Read what listeners are sent, at little cost: it is the service that is measured."""
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
