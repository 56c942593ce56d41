"""Notifications to systemd (sd_notify): the service is ready, is stopping, and is alive (watchdog)."""

import asyncio
import os
import socket
from collections.abc import Mapping


def notify(state: str, environment: Mapping[str, str] = os.environ) -> None:
    """Send a state such as READY=1 to systemd; do nothing if the service was not started by systemd."""
    address = environment.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
        try:
            channel.sendto(state.encode(), "\0" + address[1:] if address.startswith("@") else address)
        except OSError:  # the socket is gone
            return


async def notify_watchdog(environment: Mapping[str, str] = os.environ) -> None:
    """Notify systemd's watchdog twice per watchdog interval that the event loop runs. Runs until cancelled."""
    microseconds = environment.get("WATCHDOG_USEC", "")
    # The single executable runs as a child of the process that systemd has started.
    is_this_process = environment.get("WATCHDOG_PID", str(os.getpid())) in (str(os.getpid()), str(os.getppid()))
    if not microseconds.isdigit() or not is_this_process:
        return
    while True:
        notify("WATCHDOG=1", environment)
        await asyncio.sleep(int(microseconds) / 2_000_000)
