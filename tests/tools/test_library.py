"""The tools that read prompts and MCP servers."""

from ..world import World
from .talk import talking


async def test_a_prompt_is_listed_and_read_by_name_or_id(world: World) -> None:
    prompt = (await world.sa.post("/prompts", {"name": "Triage", "body": "Read the card."})).ok()
    async with talking(await world.agent()) as talk:
        assert await talk.ok("whoami", show="prompts") == {"prompts": ["Triage"]}
        for name in (prompt["id"], "Triage", "TRIAGE"):
            shown = await talk.ok("get_prompt", prompt=name)
            assert shown == {"name": "Triage", "version": "v1", "length": 14, "body": "Read the card."}
        error = await talk.error("get_prompt", "validation_failed", prompt="Nothing")
        assert "no prompt 'Nothing'; the prompts are Triage" in error["message"]
        (await world.sa.delete(f"/prompts/{prompt['id']}")).ok()
        await talk.refused("get_prompt", "validation_failed", prompt=prompt["id"])
        assert await talk.ok("whoami", show="prompts") == {"prompts": []}


async def test_a_long_prompt_can_be_read_completely(world: World) -> None:
    body = "".join(f'Rule {number}: "be\\brief"\n' for number in range(4000))
    (await world.sa.post("/prompts", {"name": "Long", "body": body})).ok()
    async with talking(await world.agent()) as talk:
        read = ""
        while len(read) < len(body):
            shown = await talk.ok("get_prompt", prompt="Long", offset=len(read), maxTokens=8000)
            assert shown["length"] == len(body)
            read += shown["body"]
        assert read == body


async def test_mcp_servers_are_listed_with_their_secrets(world: World) -> None:
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


async def test_many_mcp_servers_are_paged(world: World) -> None:
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
