"""The tools about the calling agent."""

from datetime import timedelta

from service.clock import parse_timestamp, timestamp
from service.tools.registry import TOOLS

from ..walk import make_smallest_input
from ..world import World
from .talk import talking

# Arguments that a tool requires beyond its schema.
MORE = {"attach_file": {"text": "contents"}, "request_move": {"to": "Done"}}
OPEN = {"whoami", "register"}  # tools for a key without an agent


async def test_whoami_shows_agent_organization_and_where_agents_may_work(world: World) -> None:
    await world.board()
    async with talking(await world.agent()) as talk:
        me = await talk.ok("whoami")
    assert me["agent"] == {"id": "bot", "title": "bot", "status": "approved", "isOnline": True}
    assert me["organization"] == "Home"
    (project,) = me["projects"]
    assert project == {"key": "BOA", "title": "Board", "workIn": ["Todo", "In Progress"], "talkIn": ["Review"]}


async def test_a_restarted_agent_finds_its_open_work(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    held, asked = await world.card(board, title="Held"), await world.card(board, "Review", title="Asked")
    async with talking(agent) as talk:
        token = (await talk.ok("claim", card=held["key"]))["card"]["claim"]["token"]
        await talk.ok("request_move", card=asked["key"], to="Done", note="All of it")
        me = await talk.ok("whoami")
        (claim,) = me["claims"]
        assert claim | {"expiresAt": ""} == {
            "key": held["key"],
            "title": "Held",
            "column": "Todo",
            "expiresAt": "",
            "token": token,
        }
        assert me["openRequests"] == [{"cardKey": asked["key"], "to": "Done", "note": "All of it"}]


async def test_whoami_shows_a_freeze_and_when_claims_would_expire_after_it(world: World) -> None:
    card = await world.card(await world.board())
    async with talking(await world.agent()) as talk:
        claimed = (await talk.ok("claim", card=card["key"], leaseSeconds=600))["card"]["claim"]["expiresAt"]
        assert "frozen" not in await talk.ok("whoami")
        (await world.sa.post(world.sa.org("/freeze"), {"reason": "Release day"})).ok()
        world.clock.forward(3600)
        me = await talk.ok("whoami")
        assert me["frozen"] == {"reason": "Release day"}
        assert "write nothing" in me["note"]
        later = (parse_timestamp(me["claims"][0]["expiresAt"]) - parse_timestamp(claimed)).total_seconds()
        assert 3590 < later < 3610
        shown = (await talk.ok("get_card", card=card["key"]))["card"]["claim"]["expiresAt"]
        assert shown[:4] == me["claims"][0]["expiresAt"][:4]
        until = timestamp(parse_timestamp(world.clock()) + timedelta(hours=1))
        (await world.sa.post(world.sa.org("/freeze"), {"reason": "Until", "until": until})).ok()
        assert (await talk.ok("whoami"))["frozen"] == {"reason": "Until", "until": until}
        (await world.sa.delete(world.sa.org("/freeze"))).ok()
        assert not {"frozen", "note"} & (await talk.ok("whoami")).keys()


async def test_whoami_costs_at_most_500_tokens_with_eight_projects(world: World) -> None:
    for number in range(8):
        await world.board(title=f"A project of some length {number}")
    async with talking(await world.agent()) as talk:
        assert len((await talk.ok("whoami"))["projects"]) == 8
    assert talk.read <= 500 * 4


async def test_a_pending_or_stopped_agent_sees_only_its_status(world: World) -> None:
    await world.board()
    agent = await world.agent(approve=False)
    for status in ("pending", "stopped"):
        async with talking(agent) as talk:
            me = await talk.ok("whoami")
            assert me["agent"]["status"] == status
            assert "a solution architect has to" in me["note"].lower()
            assert me.keys() == {"agent", "note"}
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
        for name, is_online in (("set_online", True), ("set_offline", False), ("set_online", True)):
            assert await talk.ok(name) == {"agentId": "bot", "isOnline": is_online}
            (shown,) = (await world.sa.get(world.sa.org("/agents"))).ok()
            assert shown["isOnline"] == is_online


async def test_whoami_with_many_projects_is_truncated_but_keeps_the_open_work(world: World) -> None:
    boards = [await world.board(title=f"A board of some length {number}") for number in range(60)]
    for _ in range(2):
        await world.card(boards[0])
    async with talking(await world.agent()) as talk:
        held = (await talk.ok("claim_next"))["card"]
        asked = (await talk.ok("claim_next"))["card"]["key"]
        await talk.ok("ask", card=asked, content="Which?")
        me = await talk.ok("whoami", maxTokens=1000)
        assert any(note.startswith("projects: ") for note in me["leftOut"])
        assert [(claim["key"], claim["token"]) for claim in me["claims"]] == [(held["key"], held["claim"]["token"])]
        assert [question["cardKey"] for question in me["openQuestions"]] == [asked]
        whole = await talk.ok("whoami", maxTokens=8000)
        assert "leftOut" not in whole
        assert len(whole["projects"]) == 60


async def test_every_tool_but_whoami_denies_a_key_without_an_agent(world: World) -> None:
    key = await world.key()
    async with talking(key) as talk:
        me = await talk.ok("whoami")
        assert me.keys() == {"organization", "note"}
        for name in talk.tools - OPEN:
            await talk.refused(
                name, "agent_not_registered", **make_smallest_input(TOOLS[name].arguments_model), **MORE.get(name, {})
            )


async def test_an_agent_registers_with_the_team_of_its_key_or_by_team_name_and_sees_its_approval(
    world: World,
) -> None:
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "Builders"})).ok()
    (await world.sa.post(world.sa.org("/teams"), {"name": "Others"})).ok()
    bound, free = await world.key(teamId=team["id"]), await world.key()
    async with talking(bound) as talk, talking(free) as other:
        done = await talk.ok("register", id="builder-1", title="Builder", llmVersion="model 1")
        assert (done["id"], done["status"]) == ("builder-1", "pending")
        error = await other.error("register", "validation_failed", id="builder-2", title="Builder")
        assert "Builders" not in error["message"]  # a key that is nobody's yet learns nothing of the organization
        assert (await other.ok("register", id="builder-2", title="Builder", team="BÜILDERS"))["status"] == "pending"
        assert (await talk.ok("whoami"))["agent"]["status"] == "pending"
        (await world.sa.patch("/agents/builder-1/approve")).ok()
        assert (await talk.ok("whoami"))["agent"]["status"] == "approved"
    known = {agent["id"]: agent for agent in (await world.sa.get(world.sa.org("/agents"))).ok()}
    assert {agent["teamId"] for agent in known.values()} == {team["id"]}
    assert known["builder-1"]["llmVersion"] == "model 1"


async def test_people_and_agents_are_listed_by_id_and_name_without_an_e_mail(world: World) -> None:
    async with talking(await world.agent()) as talk:
        shown = await talk.ok("whoami", show="people")
    assert {person["name"]: person["id"] for person in shown["people"]}["Ada Architect"] == world.sa.id
    assert shown["agents"] == [{"id": "bot", "name": "bot", "online": True}]
    assert {person["handle"] for person in shown["people"]} == {"ada-architect", "mo-member"}
    assert "@" not in str(shown)
