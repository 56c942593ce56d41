"""The tools about the agent that is calling."""

from service.tools.registry import TOOLS

from ..walk import smallest
from ..world import World
from .talk import talking

MORE = {
    "attach_file": {"text": "contents"},
    "get_prompt": {"name": "Prompt"},
}  # what a tool asks for besides what its schema does
OPEN = {"whoami"}  # to a key with which no agent has registered


async def test_whoami_shows_agent_organization_and_what_the_columns_allow(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    async with talking(agent) as talk:
        me = await talk.ok("whoami")
    assert me["orgId"] == world.sa.org_id
    assert me["organization"] == "Home"
    assert me["agent"] | {"teamId": None} == {
        "id": "bot",
        "title": "bot",
        "teamId": None,
        "status": "approved",
        "isOnline": False,
    }
    permissions = (await agent.get("/agents/bot/permissions")).ok()
    assert {key: me[key] for key in permissions} == permissions
    assert set(me["canModerate"]) == {board.columns["Todo"], board.columns["In Progress"]}


async def test_an_agent_that_waits_or_was_stopped_learns_that_and_nothing_else(world: World) -> None:
    await world.board()
    agent = await world.agent(approve=False)
    for status in ("pending", "stopped"):
        async with talking(agent) as talk:
            me = await talk.ok("whoami")
            assert me["agent"]["status"] == status
            assert "approve" in me["note"]
            assert me.keys() == {"keyId", "orgId", "agent", "note"}
            code = {"pending": "agent_not_approved", "stopped": "agent_stopped"}[status]
            for name, arguments in (
                ("list_cards", {}),
                ("get_board", {}),
                ("list_mcp_servers", {}),
                ("set_online", {}),
            ):
                await talk.refused(name, code, **arguments)
            await talk.ok("set_offline")
        (await world.sa.patch("/agents/bot/stop")).ok()


async def test_people_see_whether_an_agent_is_online(world: World) -> None:
    async with talking(await world.agent()) as talk:
        for name, is_online in (("set_online", True), ("set_online", True), ("set_offline", False)):
            assert await talk.ok(name) == {"agentId": "bot", "isOnline": is_online}
            (shown,) = (await world.sa.get(world.sa.org("/agents"))).ok()
            assert shown["isOnline"] == is_online


async def test_whoami_of_very_many_columns_is_cut_and_says_so(world: World) -> None:
    for number in range(12):
        await world.board(title=f"Board {number}")
    async with talking(await world.agent()) as talk:
        me = await talk.ok("whoami")
        assert any("left out" in note for note in me["leftOut"])
        whole = await talk.ok("whoami", maxTokens=8000)
        assert "leftOut" not in whole
        assert len(whole["canRead"]) == 60


async def test_a_key_without_an_agent_is_told_so_by_every_tool_but_whoami(world: World) -> None:
    key = await world.key()
    async with talking(key) as talk:
        me = await talk.ok("whoami")
        assert me.keys() == {"keyId", "orgId", "organization", "note"}
        for name in talk.schemas.keys() - OPEN:
            await talk.refused(name, "agent_not_registered", **smallest(TOOLS[name].takes), **MORE.get(name, {}))
