"""The protocol's official conformance suite: what fails there is a feature that the server does not have."""

import asyncio
import contextlib
import json
import tomllib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from ..world import Client, World
from . import npm

pytestmark = pytest.mark.slow

# The first to test the era without a handshake; releases tagged as stable test the older one only.
PACKAGE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
EXPECTED = tomllib.loads((Path(__file__).parent / "expected_failures.toml").read_text("utf-8"))
HOPS = {"content-length", "transfer-encoding", "connection"}


@contextlib.asynccontextmanager
async def door(agent: Client) -> AsyncIterator[str]:
    """Open a door to the tool server that adds the key, which the suite has no way to send."""

    async def carry(request: web.Request) -> web.Response:
        headers = {name: value for name, value in request.headers.items() if name.lower() not in HOPS}
        target, body = agent.base + request.path_qs, await request.read()
        async with agent.http.request(request.method, target, headers=headers | agent.headers, data=body) as answer:
            kept = {name: value for name, value in answer.headers.items() if name.lower() not in HOPS}
            return web.Response(status=answer.status, headers=kept, body=await answer.read())

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", carry)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/mcp"
    finally:
        await runner.cleanup()


def checks(folder: Path) -> list[dict[str, Any]]:
    """Read what the suite found, one entry a check."""
    return [check for file in folder.rglob("checks.json") for check in json.loads(file.read_text("utf-8"))]


async def test_only_features_that_the_server_does_not_have_fail_the_official_suite(
    world: World, tmp_path: Path
) -> None:
    package = await asyncio.to_thread(npm.install, PACKAGE, tmp_path)
    await world.card(await world.board())
    async with door(await world.agent()) as url:
        for version in ("2025-11-25", "2026-07-28"):
            found = tmp_path / version
            arguments = ("server", "--url", url, "--suite", "all", "--spec-version", version, "-o", str(found))
            _, output, errors = await npm.run(package / "dist" / "index.js", *arguments, folder=tmp_path)
            done = await asyncio.to_thread(checks, found)
            failed = {check["id"] for check in done if check["status"] == "FAILURE"}
            passed = [check["id"] for check in done if check["status"] == "SUCCESS"]
            expected = {name for reason in EXPECTED["feature"] for name in reason["checks"].get(version, [])}
            assert failed == expected, (version, output, errors)
            assert len(passed) > 10, (version, output, errors)
