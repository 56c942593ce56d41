"""A real nginx for as long as a test needs it, with deploy/nginx.conf but for TLS and the ports."""

import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .process import RUN

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
needs_nginx = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
_FOLDERS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


@contextmanager
def proxied(service: str, folder: Path, change: Callable[[str], str] = str) -> Iterator[str]:
    """Run nginx in front of an address like 127.0.0.1:8080 and return its own; `change` is applied to the example."""
    folder.mkdir()
    port = free_port()
    text = change((RUN.parent / "deploy" / "nginx.conf").read_text())
    text = text.replace("127.0.0.1:8080", service).replace("listen 443 ssl http2", f"listen 127.0.0.1:{port}")
    (folder / "site.conf").write_text(re.sub(r"^ *ssl_.*$", "", text, flags=re.MULTILINE))
    paths = "".join(f"{name}_temp_path {folder}/{name};" for name in _FOLDERS)
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {folder}/pid; error_log {folder}/error;"
        f" events {{}} http {{ access_log off; {paths} include {folder}/site.conf; }}"
    )
    command = [str(NGINX), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error")]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    try:
        while process.poll() is None:
            with socket.socket() as trial:
                if trial.connect_ex(("127.0.0.1", port)) == 0:
                    break
        assert process.poll() is None, (folder / "error").read_text()
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)
