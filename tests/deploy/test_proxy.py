"""The service behind a real nginx with the example's own settings: events come at once, and nothing inside is shown."""

import io
import json
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import pytest

from ..process import RUN, ServiceProcess
from ..world import World

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
FOLDERS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


@contextmanager
def proxied(service: ServiceProcess, folder: Path) -> Iterator[str]:
    """Run nginx with deploy/nginx.conf, but for TLS and the ports, and give its address."""
    port = free_port()
    text = (RUN.parent / "deploy" / "nginx.conf").read_text()
    text = text.replace("127.0.0.1:8080", f"127.0.0.1:{service.port}").replace("listen 443 ssl http2", f"listen {port}")
    (folder / "site.conf").write_text(re.sub(r"^ *ssl_.*$", "", text, flags=re.MULTILINE))
    paths = "".join(f"{name}_temp_path {folder}/{name};" for name in FOLDERS)
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


@pytest.mark.slow
async def test_events_come_at_once_large_bodies_pass_and_the_inside_stays_inside(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    service_process.stop()
    service_process.environment |= {"SERVICE_TRUSTED_PROXIES": "127.0.0.1"}
    service_process.start()
    folder = tmp_path / "nginx"
    folder.mkdir()
    with proxied(service_process, folder) as url:
        async with World(url) as world, aiohttp.ClientSession(headers=world.sa.headers) as http:
            board = await world.board()
            async with http.get(f"{url}/api/v1{world.sa.org('/events')}", timeout=aiohttp.ClientTimeout(5)) as stream:
                assert b"ready" in await stream.content.readany()
                card = await world.card(board)
                assert card["id"].encode() in await stream.content.readany()
            snapshot = json.dumps({"meta": {"product": "Another"}, "padding": ["x" * 1000] * 20_000})
            answer = await world.sa.call(
                "POST",
                "/admin/import",
                data=io.BytesIO(snapshot.encode()),
                headers={"Content-Type": "application/json"},
            )
            answer.refused(400, "UnsupportedProduct")  # 20 MB have come through
            for path, status in (("/metrics", 404), ("/readyz", 404), ("/healthz", 200)):
                async with http.get(url + path) as inside:
                    assert inside.status == status
                    assert "tandem_" not in await inside.text()
        assert service_process.stop() == 0
    lines = [json.loads(line) for line in service_process.log.read_text().splitlines()]
    assert "127.0.0.1" in {line.get("address") for line in lines}
