"""Outbound tool servers: registered by architects, listed for people, complete for agents."""

from typing import Any

import pytest

from ..builders import permit
from ..refusals import LEFT_OUT, NUL, agents_only, change_body, expect_hidden, expect_invalid, people_only
from ..world import World

PATH = "/mcp-servers"
STDIO = {"name": "files", "transport": "stdio", "command": "npx", "args": ["-y", "files"], "env": {"TOKEN": "s3cret"}}
HTTP = {
    "name": "search",
    "transport": "http",
    "url": "https://tools.example.test/mcp",
    "auth": {"kind": "bearer", "token": "t0ken"},
}
SHOWN = {"id", "name", "transport", "command", "url", "enabled", "args", "env", "auth", "createdAt"}


async def _server(world: World, body: dict[str, Any], **wishes: Any) -> Any:
    return (await world.sa.post(PATH, {**body, **wishes})).ok()


async def test_servers_are_listed_with_what_their_transport_does_not_use_as_null(world: World) -> None:
    http, stdio = await _server(world, HTTP), await _server(world, STDIO)
    assert http["id"].startswith("srv_")
    assert set(http) == set(stdio) == SHOWN
    listed = {server["name"]: server for server in (await world.member.get(PATH)).ok()}
    common = {"enabled": True}
    expected = {"id": stdio["id"], "name": "files", "transport": "stdio", "command": "npx", "url": None}
    assert listed["files"] == expected | common
    expected = {"id": http["id"], "name": "search", "transport": "http", "command": None, "url": HTTP["url"]}
    assert listed["search"] == expected | common


async def test_an_architect_sees_the_values_of_the_environment_and_a_member_only_the_names(world: World) -> None:
    made = await _server(world, STDIO)
    assert (made["args"], made["env"], made["auth"]) == (["-y", "files"], {"TOKEN": "s3cret"}, None)
    assert (await world.sa.get(f"{PATH}/{made['id']}")).ok() == made
    seen = (await world.member.get(f"{PATH}/{made['id']}")).ok()
    assert seen == {**made, "env": {"TOKEN": None}}


async def test_no_person_is_ever_shown_a_token(world: World) -> None:
    made = await _server(world, HTTP)
    path, masked = f"{PATH}/{made['id']}", {"kind": "bearer", "token": None, "tokenSet": True}
    edited = (await world.sa.patch(path, {"auth": {"kind": "bearer", "token": "an0ther"}})).ok()
    renamed = (await world.sa.patch(path, {"name": "renamed"})).ok()
    read = [(await caller.get(path)).ok() for caller in (world.sa, world.member)]
    for shown in (made, edited, renamed, *read):
        assert shown["auth"] == masked
    for answer in [await world.sa.get(PATH), await world.member.get(PATH)]:
        assert "t0ken" not in str(answer.ok())


async def test_agents_get_the_enabled_servers_with_environment_and_token(world: World) -> None:
    stdio, http = await _server(world, STDIO), await _server(world, HTTP)
    await _server(world, STDIO, name="off", enabled=False)
    agent = await world.agent()
    servers = {server["name"]: server for server in (await agent.get(f"{PATH}/mcp")).ok()}
    assert servers == {
        "files": stdio,
        "search": {**http, "auth": {"kind": "bearer", "token": "t0ken", "tokenSet": True}},
    }
    (await world.sa.patch(f"{PATH}/{stdio['id']}", {"enabled": False})).ok()
    (await world.sa.delete(f"{PATH}/{http['id']}")).ok()
    assert (await agent.get(f"{PATH}/mcp")).ok() == []
    assert [server["name"] for server in (await world.member.get(PATH)).ok()] == ["files", "off"]


async def test_a_patch_changes_what_it_names(world: World) -> None:
    made = await _server(world, STDIO)
    path, expected = f"{PATH}/{made['id']}", dict(made)
    for change in (
        {},
        {"name": "disk"},
        {"command": "uvx"},
        {"args": []},
        {"env": {"A": "1", "B": ""}},
        {"env": {}},
        {"enabled": False},
    ):
        expected |= change
        assert (await world.sa.patch(path, change)).ok() == expected
        assert (await world.sa.get(path)).ok() == expected


async def test_a_patch_of_an_http_server_replaces_or_clears_its_token(world: World) -> None:
    made, key = await _server(world, HTTP), await world.script()
    path = f"{PATH}/{made['id']}"

    async def token() -> Any:
        (server,) = (await key.get(f"{PATH}/mcp")).ok()
        return server["auth"] and server["auth"]["token"]

    moved = (await world.sa.patch(path, {"url": "http://localhost:9/mcp"})).ok()
    assert moved == {**made, "url": "http://localhost:9/mcp"}
    assert await token() == "t0ken"
    (await world.sa.patch(path, {"auth": {"kind": "bearer", "token": "fresh"}})).ok()
    assert await token() == "fresh"
    assert (await world.sa.patch(path, {"auth": None})).ok()["auth"] is None
    assert await token() is None


@pytest.mark.parametrize(
    ("body", "change", "path"),
    [
        (STDIO, {"command": LEFT_OUT}, "command"),
        (STDIO, {"command": None}, "command"),
        (STDIO, {"command": ""}, "command"),
        (STDIO, {"command": "x" * 10_001}, "command"),
        (STDIO, {"args": "-y"}, "args"),
        (STDIO, {"args": [1]}, "args.0"),
        (STDIO, {"args": None}, "args"),
        (STDIO, {"env": ["A=1"]}, "env"),
        (STDIO, {"env": {"TOKEN": None}}, "env.TOKEN"),
        (STDIO, {"env": {"TOKEN": 5}}, "env.TOKEN"),
        (STDIO, {"env": {"TOKEN": NUL}}, "env.TOKEN"),
        (STDIO, {"url": "https://x.test/"}, "url"),
        (STDIO, {"auth": HTTP["auth"]}, "auth"),
        (STDIO, {"name": LEFT_OUT}, "name"),
        (STDIO, {"name": None}, "name"),
        (STDIO, {"name": "x" * 1001}, "name"),
        (STDIO, {"transport": LEFT_OUT}, "transport"),
        (STDIO, {"transport": "sse"}, "transport"),
        (STDIO, {"enabled": "yes"}, "enabled"),
        (STDIO, {"token": "x"}, "token"),
        (HTTP, {"url": LEFT_OUT}, "url"),
        (HTTP, {"url": None}, "url"),
        (HTTP, {"url": "ftp://tools.example.test/"}, "url"),
        (HTTP, {"url": "tools.example.test/mcp"}, "url"),
        (HTTP, {"url": "http://"}, "url"),
        (HTTP, {"url": "http://[::1/"}, "url"),
        (HTTP, {"command": "npx"}, "command"),
        (HTTP, {"env": {"A": "1"}}, "env"),
        (HTTP, {"args": ["-y"]}, "args"),
        (HTTP, {"auth": {"kind": "basic", "token": "x"}}, "auth.kind"),
        (HTTP, {"auth": {"kind": "bearer"}}, "auth.token"),
        (HTTP, {"auth": {"kind": "bearer", "token": ""}}, "auth.token"),
        (HTTP, {"auth": {"kind": "bearer", "token": None}}, "auth.token"),
        (HTTP, {"auth": {"kind": "bearer", "token": "x", "user": "u"}}, "auth.user"),
        (HTTP, {"auth": "bearer x"}, "auth"),
    ],
)
async def test_a_wrong_body_neither_makes_nor_changes_a_server(
    world: World, body: dict[str, Any], change: dict[str, Any], path: str
) -> None:
    expect_invalid(await world.sa.post(PATH, change_body(body, change)), path)
    made = await _server(world, body)
    if LEFT_OUT not in change.values():
        expect_invalid(await world.sa.patch(f"{PATH}/{made['id']}", change), path)
    (listed,) = (await world.sa.get(PATH)).ok()
    assert (await world.sa.get(f"{PATH}/{listed['id']}")).ok() == made


async def test_a_refusal_does_not_repeat_the_secret(world: World) -> None:
    for body in (
        {**HTTP, "auth": {"kind": "basic", "token": "hush-hush"}},
        {**HTTP, "auth": "hush-hush"},
        {**HTTP, "env": {"A": "hush-hush"}},
        {**STDIO, "env": {"no-name": "hush-hush"}},
    ):
        answer = await world.sa.post(PATH, body)
        answer.refused(400, "validation_failed")
        assert "hush-hush" not in str(answer.body)


async def test_the_transport_of_a_server_stays(world: World) -> None:
    made = await _server(world, STDIO)
    expect_invalid(await world.sa.patch(f"{PATH}/{made['id']}", {"transport": "http"}), "transport")
    assert (await world.sa.get(f"{PATH}/{made['id']}")).ok() == made


async def test_names_are_unique_in_an_organization(world: World) -> None:
    made, other = await _server(world, STDIO), await _server(world, HTTP)
    (await world.sa.post(PATH, {**HTTP, "name": "files"})).refused(409, "conflict")
    (await world.sa.patch(f"{PATH}/{other['id']}", {"name": "files"})).refused(409, "conflict")
    assert (await world.sa.patch(f"{PATH}/{made['id']}", {"name": "files"})).ok() == made
    assert (await world.sa.get(f"{PATH}/{other['id']}")).ok() == other
    (await world.outsider.post(PATH, STDIO)).ok()
    (await world.sa.delete(f"{PATH}/{made['id']}")).ok()
    await _server(world, HTTP, name="files")


async def test_a_removed_server_is_gone(world: World) -> None:
    path = f"{PATH}/{(await _server(world, STDIO))['id']}"
    removed = await world.sa.delete(path)
    assert removed.status == 204
    assert removed.body is None
    for method, body in (("GET", None), ("PATCH", {"name": "x"}), ("DELETE", None)):
        (await world.sa.call(method, path, body)).refused(404, "not_found")


async def test_servers_are_written_by_architects_and_hidden_from_other_organizations(world: World) -> None:
    made = await _server(world, STDIO)
    path = f"{PATH}/{made['id']}"
    writes: list[tuple[str, str, Any]] = [("POST", PATH, HTTP), ("PATCH", path, {"name": "x"}), ("DELETE", path, None)]
    for method, route, body in writes:
        (await world.member.call(method, route, body)).refused(403, "sa_required")
    for method, route, body in [*writes, ("GET", PATH, None), ("GET", path, None)]:
        await people_only(world, method, route, body)
        if route == path:
            await expect_hidden(world, method, route, body)
    assert (await world.outsider.get(PATH)).ok() == []
    assert (await world.sa.get(path)).ok() == made


async def test_only_approved_agents_of_the_organization_see_its_servers(world: World) -> None:
    await _server(world, HTTP)
    await agents_only(world, "GET", f"{PATH}/mcp")
    foreign, pending = await world.script(world.outsider), await world.agent("new", approve=False)
    assert (await foreign.get(f"{PATH}/mcp")).ok() == []
    (await pending.get(f"{PATH}/mcp")).refused(403, "agent_not_approved")
    stopped = await world.agent("old")
    (await world.sa.patch("/agents/old/stop")).ok()
    (await stopped.get(f"{PATH}/mcp")).refused(403, "agent_stopped")


async def test_a_member_reads_servers_only_as_the_permission_row_says(world: World) -> None:
    made = await _server(world, STDIO)
    await permit(world, "Member", "ToolServer")
    for path in (PATH, f"{PATH}/{made['id']}"):
        details = (await world.member.get(path)).refused(403, "permission_denied")
        assert details == {"resource": "ToolServer", "action": "read"}
