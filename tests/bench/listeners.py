"""What an idle listener costs: the memory of the service before and after very many of them have come.

    python -m tests.bench.listeners [COUNT]

Prints the resident memory of the service process for each listener, in KB; the goal is less than 20.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from ..process import ServiceProcess
from ..world import Client, World

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
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def resident(service: ServiceProcess) -> int:
    """Give the resident memory of a service in bytes."""
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


async def _measure(service: ServiceProcess, count: int) -> None:
    async with World(service.url).visit() as world:
        sa = await world.login(SETUP["SA_BOOTSTRAP_EMAIL"], SETUP["SA_BOOTSTRAP_PASSWORD"])
        each = await cost(service, sa, count)
        print(f"{count} idle listeners: {each / 1024:.1f} KB each")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, ServiceProcess(Path(folder), SETUP) as running:
        asyncio.run(_measure(running, int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
