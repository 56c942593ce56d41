"""The tools that read prompts and the registry of tool servers."""

from ..world import World
from .talk import talking


async def test_a_prompt_is_read_by_id_or_name_and_marked_as_a_text_of_people(world: World) -> None:
    prompt = (await world.sa.post("/prompts", {"name": "Triage", "body": "Read the card."})).ok()
    async with talking(await world.agent()) as talk:
        expected = {"kind": "prompt by a Solution Architect", "data": "Read the card."}
        for arguments in ({"promptId": prompt["id"]}, {"name": "Triage"}):
            shown = await talk.ok("get_prompt", **arguments)
            assert shown == {"name": "Triage", "version": "v1", "body": expected}
        await talk.refused("get_prompt", "not_found", name="Nothing")
        for wrong in ({}, {"promptId": prompt["id"], "name": "Triage"}):
            await talk.refused("get_prompt", "validation_failed", **wrong)
        (await world.sa.delete(f"/prompts/{prompt['id']}")).ok()
        await talk.refused("get_prompt", "not_found", promptId=prompt["id"])


async def test_a_long_prompt_is_read_to_its_end(world: World) -> None:
    body = "".join(f'Rule {number}: "be\\brief"\n' for number in range(4000))
    prompt = (await world.sa.post("/prompts", {"name": "Long", "body": body})).ok()
    async with talking(await world.agent()) as talk:
        read = ""
        while len(read) < len(body):
            shown = await talk.ok("get_prompt", promptId=prompt["id"], offset=len(read), maxTokens=8000)
            assert shown["body"]["cut"] == len(body)
            read += shown["body"]["data"]
        assert read == body


async def test_registered_tool_servers_come_with_their_secrets(world: World) -> None:
    stdio = {"name": "git", "transport": "stdio", "command": "git-mcp", "args": ["-v"], "env": {"TOKEN": "s3cret"}}
    auth = {"kind": "bearer", "token": "t0ken"}
    http = {"name": "docs", "transport": "http", "url": "https://docs.example/mcp", "auth": auth}
    for body in (stdio, http, {"name": "off", "transport": "stdio", "command": "x", "enabled": False}):
        (await world.sa.post("/mcp-servers", body)).ok()
    foreign = {"name": "theirs", "transport": "stdio", "command": "x"}
    (await world.outsider.post("/mcp-servers", foreign)).ok()
    async with talking(await world.agent()) as talk:
        shown = await talk.ok("list_mcp_servers")
    servers = {server.pop("name"): server for server in shown["servers"]}
    assert shown["total"] == 2
    assert servers["git"].pop("id")
    assert servers["docs"].pop("id")
    assert servers == {
        "git": {"transport": "stdio", "command": "git-mcp", "args": ["-v"], "env": {"TOKEN": "s3cret"}},
        "docs": {"transport": "http", "url": "https://docs.example/mcp", "auth": auth},
    }


async def test_very_many_tool_servers_are_paged_through(world: World) -> None:
    for number in range(40):
        body = {"name": f"server {number}", "transport": "stdio", "command": "x", "env": {"KEY": "v" * 500}}
        (await world.sa.post("/mcp-servers", body)).ok()
    async with talking(await world.agent()) as talk:
        names: list[str] = []
        while len(names) < 40:
            shown = await talk.ok("list_mcp_servers", offset=len(names))
            assert shown["total"] == 40
            assert shown["servers"]
            names += [server["name"] for server in shown["servers"]]
    assert len(set(names)) == 40
