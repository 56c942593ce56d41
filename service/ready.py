"""The health check `doctor --ready` without the imports of the program: one request to the running service.

It runs every half minute in a container. Whatever is unusual is left to the complete command, which explains it.
"""

import os
import socket
from collections.abc import Sequence

FILES = ("config.toml", "/etc/tandem/config.toml")
LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # instead of all addresses of the machine
TIMEOUT_SECONDS = 5.0


def is_ready(arguments: Sequence[str]) -> bool:
    """Return whether these are the arguments of the health check, and the service is ready."""
    rest = list(arguments)
    if "doctor" not in rest or "--ready" not in rest:
        return False
    rest.remove("doctor")
    rest.remove("--ready")
    if rest and not (len(rest) == 2 and rest[0] == "--config"):
        return False
    try:
        host, port = _find_address(rest[1] if rest else os.environ.get("SERVICE_CONFIG"))
        return _ask(LOOPBACK.get(host, host), port)
    except (OSError, ValueError):
        return False


def _find_address(file: str | None) -> tuple[str, int]:
    values = _read(file or next((path for path in FILES if os.access(path, os.R_OK)), None))
    host = os.environ.get("SERVICE_HOST", values.get("host", "127.0.0.1"))
    port = os.environ.get("SERVICE_PORT", values.get("port", 8080))
    return str(host), int(str(port))


def _read(file: str | None) -> dict[str, object]:
    if file is None:
        return {}
    import tomllib  # most containers have no file

    with open(file, "rb") as source:
        return tomllib.load(source)


def _ask(host: str, port: int) -> bool:
    with socket.create_connection((host, port), TIMEOUT_SECONDS) as connection:
        name = f"[{host}]" if ":" in host else host
        connection.sendall(f"GET /readyz HTTP/1.1\r\nHost: {name}:{port}\r\nConnection: close\r\n\r\n".encode("ascii"))
        return connection.recv(1024).startswith(b"HTTP/1.1 200 ")
