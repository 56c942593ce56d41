"""What a call of a tool costs: the CPU time of the service process, in µs, beside that of one bare answer (/healthz).

    python -m tests.bench.tools [CALLS]

Goals (per call): whoami 350, get_card 600, comment and move_card 400, claim_next with its whole context 900.
"""

import asyncio
import itertools
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from ..process import ServiceProcess
from ..world import Client, World

SETUP = {"SA_BOOTSTRAP_EMAIL": "sa@example.test", "SA_BOOTSTRAP_PASSWORD": "correct horse"}
TICKS = os.sysconf("SC_CLK_TCK")
ACCEPT = {"Accept": "application/json, text/event-stream"}


def cpu(service: ServiceProcess) -> float:
    """Give the CPU seconds that a service has used."""
    fields = Path(f"/proc/{service.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


async def call(agent: Client, tool: str, **arguments: Any) -> None:
    """Call a tool as plainly as a client does."""
    params = {"name": tool, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    async with agent.http.post(agent.base + "/mcp", json=message, headers=agent.headers | ACCEPT) as answer:
        result = (await answer.json())["result"]
        assert not result["isError"], result


async def measure(service: ServiceProcess, name: str, calls: int, once: Callable[[], Awaitable[None]]) -> None:
    """Print what one call costs, once it is warm."""
    for _ in range(calls // 10):
        await once()
    before, began = cpu(service), time.monotonic()
    for _ in range(calls):
        await once()
    used, took = cpu(service) - before, time.monotonic() - began
    print(f"{name:28}{used / calls * 1e6:8.0f} µs of CPU {took / calls * 1e6:8.0f} µs in all", flush=True)


async def bench(service: ServiceProcess, calls: int) -> None:
    """Measure the tools that agents call most."""
    async with World(service.url).visit() as world:
        world.sa = await world.login("sa@example.test", SETUP["SA_BOOTSTRAP_PASSWORD"])
        board, agent = await world.board(), await world.agent()
        cards = [(await world.card(board, title=f"Card {number}"))["key"] for number in range(200)]
        another, columns = itertools.cycle(cards), itertools.cycle(["In Progress", "Todo"])

        async def bare() -> None:
            async with agent.http.get(agent.base + "/healthz") as answer:
                await answer.read()

        async def claim() -> None:
            await call(agent, "claim_next")
            held = (await agent.get("/agent/mcp")).ok()["claims"][0]["cardKey"]
            await call(agent, "release", card=held)

        await measure(service, "bare", calls, bare)
        await measure(service, "whoami", calls, lambda: call(agent, "whoami"))
        await measure(service, "get_card", calls, lambda: call(agent, "get_card", card=next(another)))
        await measure(service, "comment", calls, lambda: call(agent, "comment", card=next(another), content="Done"))
        await measure(service, "move_card", calls, lambda: call(agent, "move_card", card=cards[0], to=next(columns)))
        await measure(service, "claim_next, whoami, release", calls, claim)


def main() -> None:
    """Measure a service of its own."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    limits = {"SERVICE_RATE_LIMITS": "disabled", "SERVICE_GUARD_COMMENTS_PER_HOUR": "0", "SERVICE_GUARD_RETURNS": "0"}
    with tempfile.TemporaryDirectory() as folder, ServiceProcess(Path(folder), SETUP | limits) as service:
        asyncio.run(bench(service, calls))


if __name__ == "__main__":
    main()
