"""The service behind a real nginx with the example's own settings: events come at once, and nothing inside is shown."""

import io
import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import pytest

from ..nginx import free_port, needs_nginx, proxied
from ..process import RUN, ServiceProcess
from ..world import World


@needs_nginx
@pytest.mark.slow
async def test_events_come_at_once_large_bodies_pass_and_the_inside_stays_inside(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    service_process.stop()
    service_process.environment |= {"SERVICE_TRUSTED_PROXIES": "127.0.0.1"}
    service_process.start()
    with proxied(f"127.0.0.1:{service_process.port}", tmp_path / "nginx") as url:
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
            for path, status in (("/metrics", 404), ("/readyz", 404), ("/healthz", 200), ("/tandem/metrics", 404)):
                async with http.get(url + path) as inside:
                    assert inside.status == status
                    assert "tandem_" not in await inside.text()
        assert service_process.stop() == 0
    lines = [json.loads(line) for line in service_process.log.read_text().splitlines()]
    assert "127.0.0.1" in {line.get("address") for line in lines}


@contextmanager
def behind_caddy(service: ServiceProcess, folder: Path) -> Iterator[str]:
    """Run Caddy with deploy/Caddyfile, changed for a base path as its comment says, and return its address."""
    port = free_port()
    text = (RUN.parent / "deploy" / "Caddyfile").read_text()
    text = text.replace("board.example.com {", f"http://127.0.0.1:{port} {{\n\tbind 127.0.0.1")
    text = text.replace("\treverse_proxy 127.0.0.1:8080 {", "\treverse_proxy /tandem/* 127.0.0.1:8080 {")
    (folder / "Caddyfile").write_text(
        "{\n\tadmin off\n}\n" + text.replace("127.0.0.1:8080", f"127.0.0.1:{service.port}")
    )
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]
    environment = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "PATH": "/usr/bin:/bin"}
    with (folder / "caddy-log").open("w") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=log, env=environment)
    try:
        while process.poll() is None:
            with socket.socket() as trial:
                if trial.connect_ex(("127.0.0.1", port)) == 0:
                    break
        assert process.poll() is None, (folder / "caddy-log").read_text()
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.skipif(shutil.which("caddy") is None, reason="caddy is not installed")
async def test_below_a_path_of_caddy_people_sign_in_and_the_inside_stays_inside(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    address = service_process.url
    service_process.stop()
    service_process.environment |= {
        "SERVICE_PUBLIC_URL": f"{address}/tandem",
        "SERVICE_PORT": address.rpartition(":")[2],
    }
    service_process.start()
    with behind_caddy(service_process, tmp_path) as url:
        async with World(f"{url}/tandem") as world, aiohttp.ClientSession() as http:
            (await world.sa.get("/auth/me")).ok()
            async with http.get(f"{url}/tandem/") as page:
                assert 'src="/tandem/main.js"' in await page.text()
            for path in ("/tandem/metrics", "/tandem/readyz", "/metrics"):
                async with http.get(url + path) as inside:
                    assert inside.status == 404
