"""What systemd is told: that the service is ready, that it stops, and that it is alive (sd_notify, its watchdog)."""

import asyncio
import os
import socket
from collections.abc import Mapping


def tell(state: str, environment: Mapping[str, str] = os.environ) -> None:
    """Tell systemd a state, READY=1 say; nobody else listens, and then nothing happens."""
    address = environment.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
        try:
            channel.sendto(state.encode(), "\0" + address[1:] if address.startswith("@") else address)
        except OSError:  # whoever listened has gone
            return


async def keep_alive(environment: Mapping[str, str] = os.environ) -> None:
    """Tell systemd's watchdog twice in its time that the event loop turns. Runs until cancelled."""
    microseconds = environment.get("WATCHDOG_USEC", "")
    # The single executable runs as a child of what systemd has started.
    is_ours = environment.get("WATCHDOG_PID", str(os.getpid())) in (str(os.getpid()), str(os.getppid()))
    if not microseconds.isdigit() or not is_ours:
        return
    while True:
        tell("WATCHDOG=1", environment)
        await asyncio.sleep(int(microseconds) / 2_000_000)
