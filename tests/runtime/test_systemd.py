"""What systemd is told: when the service is ready, that it lives, and that it stops."""

import asyncio
import socket
from pathlib import Path

import pytest

from ..process import ServiceProcess


@pytest.mark.parametrize("abstract", [False, True])
async def test_systemd_hears_of_ready_of_life_and_of_the_stop(tmp_path: Path, abstract: bool) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as channel:
        name = f"@{tmp_path.name}" if abstract else str(tmp_path / "notify")
        channel.bind("\0" + name[1:] if abstract else name)
        environment = {"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "400000", "SERVICE_JWT_SECRET": "x" * 32}
        loop = asyncio.get_running_loop()
        service = ServiceProcess(tmp_path, environment)
        await asyncio.to_thread(service.start)
        try:
            heard = [await asyncio.wait_for(loop.sock_recv(channel, 100), 10) for _ in range(4)]
            assert heard == [b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1", b"WATCHDOG=1"]
        finally:
            await asyncio.to_thread(service.stop)
        rest = [await asyncio.wait_for(loop.sock_recv(channel, 100), 10)]
        while rest[-1] != b"STOPPING=1":
            rest.append(await asyncio.wait_for(loop.sock_recv(channel, 100), 10))
        assert set(rest[:-1]) <= {b"WATCHDOG=1"}


def test_a_missing_notify_socket_does_not_matter(tmp_path: Path) -> None:
    with ServiceProcess(tmp_path, {"NOTIFY_SOCKET": str(tmp_path / "nobody"), "WATCHDOG_USEC": "junk"}) as service:
        assert service.stop() == 0
