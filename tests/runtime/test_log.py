"""The log: one JSON line per request, and no secret in any of them."""

import io
import json
import logging
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from service.runtime import log

from .. import raw_http
from ..process import ServiceProcess
from ..tools.talk import talking
from ..world import PASSWORD, SA, World

CALL = {"requestId", "method", "path", "status", "ms", "caller", "agent", "tool", "code", "address"}


def logged(service: ServiceProcess) -> list[dict[str, Any]]:
    """Stop the service and give all it logged; each line must be one JSON object."""
    assert service.stop() == 0
    with service.log.open() as log:
        return [json.loads(line) for line in log]


def requests(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [line for line in lines if "path" in line]


async def test_every_request_leaves_one_line_that_says_who_asked_what_and_what_came_back(
    service_process: ServiceProcess,
) -> None:
    async with World(service_process.url) as world:
        key = await world.key()
        sent = [
            (world.sa, "GET", "/auth/me", 200),
            (world.sa, "GET", "/nowhere", 404),
            (world.sa, "DELETE", "/auth/me", 405),
            (world.nobody, "GET", "/auth/me", 401),
            (key, "GET", "/agent/orgs", 200),
        ]
        for number, (who, method, path, status) in enumerate(sent):
            answer = await who.call(method, path, headers={"X-Request-Id": f"mine-{number}"})
            assert answer.status == status
    lines = {line["requestId"]: line for line in requests(logged(service_process))}
    for number, (who, method, path, status) in enumerate(sent):
        line = lines[f"mine-{number}"]
        assert line.keys() >= CALL | {"time", "level"}
        assert (line["method"], line["path"], line["status"]) == (method, "/api/v1" + path, status)
        if status == 200:
            assert line["caller"] == who.id
        assert line["address"] == "127.0.0.1"
        assert 0 <= line["ms"] < 10_000


async def test_a_line_names_the_agent_the_tool_and_the_code_of_the_error(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        agent = await world.agent("builder-1")
        (await agent.get("/agent/orgs", headers={"X-Request-Id": "fine"})).ok()
        missing = await agent.get("/cards/nothing/mcp", headers={"X-Request-Id": "refused"})
        missing.refused(404, "not_found")
        async with talking(agent, **{"X-Request-Id": "tool"}) as talk:
            await talk.ok("whoami")
            await talk.refused("get_card", "not_found", card="nothing")
    lines = requests(logged(service_process))
    by_id = {line["requestId"]: line for line in lines}
    assert (by_id["fine"]["tool"], by_id["fine"]["code"]) == (None, None)
    assert (by_id["refused"]["agent"], by_id["refused"]["code"]) == ("builder-1", "not_found")
    calls = [(line["tool"], line["code"], line["agent"]) for line in lines if line["tool"]]
    assert calls == [("whoami", None, "builder-1"), ("get_card", "not_found", "builder-1")]
    assert {line["agent"] for line in lines if line["path"] == "/api/v1/auth/login"} == {None}


async def test_a_hundred_requests_leave_a_hundred_lines(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        for _ in range(100):
            (await world.sa.get("/organizations/none")).refused(404, "not_found")
    lines = requests(logged(service_process))
    assert len([line for line in lines if line["path"].endswith("/organizations/none")]) == 100
    assert len({line["requestId"] for line in lines}) == len(lines)


async def test_no_password_key_token_query_or_body_is_ever_logged(service_process: ServiceProcess) -> None:
    service_process.stop()
    service_process.environment["SERVICE_LOG_LEVEL"] = "debug"
    service_process.start()
    async with World(service_process.url) as world:
        key = await world.key()
        token = world.sa.headers["Authorization"].removeprefix("Bearer ")
        card = await world.card(await world.board(), title="needle-in-body")
        await key.get("/agent/orgs")
        await world.nobody.post("/auth/login", {"email": SA, "password": "needle-password"})
        await world.sa.get(world.sa.org("/cards?q=needle-query"))
        await world.client({"Authorization": "Bearer needle.token.x"}).get("/auth/me")
        await world.client({"Authorization": "ApiKey tdm_needle-key"}).get("/agent/orgs")
        change = {"currentPassword": PASSWORD, "newPassword": "needle-new-password"}
        (await world.member.post("/settings/password", change)).ok()
        await world.sa.post(f"/cards/{card['id']}/comments", {"content": ["needle-wrong"]})
        with closing(sqlite3.connect(service_process.folder / "data" / "service.db")) as connection:
            connection.execute("DROP TABLE comments")
        failing = await world.sa.post(f"/cards/{card['id']}/comments", {"content": "needle-failing"})
        failing.refused(500, "internal_error")
        await raw_http.send(world.url, b"GET /needle?needle HTTP/1.1\r\nneedle\r\n\r\n")
    lines = logged(service_process)
    text = service_process.log.read_text()
    assert failing.headers["X-Request-Id"] in text
    for secret in ("needle", PASSWORD, key.secret, key.secret[-43:], token, token.split(".")[2]):
        assert secret not in text, [line for line in lines if secret in json.dumps(line)]


async def test_a_failure_of_the_service_is_logged_with_its_request_id_and_where_it_happened(
    service_process: ServiceProcess,
) -> None:
    async with World(service_process.url) as world:
        card = await world.card(await world.board())
        with closing(sqlite3.connect(service_process.folder / "data" / "service.db")) as connection:
            connection.execute("DROP TABLE comments")
        headers = {"X-Request-Id": "mine"}
        (await world.sa.get(f"/cards/{card['id']}/comments", headers=headers)).refused(500, "internal_error")
    (failure,) = [line for line in logged(service_process) if line["level"] == "error"]
    assert "mine" in failure["message"]
    assert "no such table" in failure["exception"]


@pytest.mark.parametrize("filling", ["x", "\N{PILE OF POO}", "\n", '"'])
def test_no_traceback_takes_more_than_8_kb(filling: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    monkeypatch.setattr(logging.getLogger(), "level", logging.INFO)
    output = io.StringIO()
    lines = log.start("info", output)
    try:
        raise ValueError("the beginning" + filling * 200_000 + "the end")
    except ValueError:
        logging.getLogger("service").exception("it failed")
    lines.close()
    exception = json.loads(output.getvalue())["exception"]
    assert len(exception.encode()) <= 8192
    assert "Traceback" in exception
    assert "test_log.py" in exception
    assert exception.endswith("the end")


@pytest.mark.parametrize("path", ["/a%0Ab", "/%1b[31m", "/%22%7D", "/%E2%80%A8"])
async def test_no_path_can_forge_a_line(service_process: ServiceProcess, path: str) -> None:
    async with World(service_process.url) as world:
        (await world.nobody.get(path)).refused(404, "not_found")
    assert len(requests(logged(service_process))) == 4  # three sign-ins and this one


async def test_at_level_warning_requests_leave_no_line(tmp_path: Path, service_process: ServiceProcess) -> None:
    service_process.stop()
    service_process.environment["SERVICE_LOG_LEVEL"] = "warning"
    service_process.log.write_text("")
    service_process.start()
    async with World(service_process.url) as world:
        (await world.sa.get("/auth/me")).ok()
    assert requests(logged(service_process)) == []


async def test_a_malformed_form_leaves_no_line_beside_that_of_its_request(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        body, kind = b"--x\r\nno header\r\n\r\n", {"Content-Type": "multipart/form-data; boundary=x"}
        (await world.sa.call("POST", "/files", data=body, headers=kind)).refused(400, "validation_failed")
    assert [line for line in logged(service_process) if line["level"] != "info"] == []
