"""The tools that comment on cards."""

from service.http.rate_limits import Buckets

from ..world import World
from .talk import talking


async def test_comments_and_replies_have_the_agent_as_author(world: World) -> None:
    card = await world.card(await world.board())
    async with talking(await world.agent()) as talk:
        said = await talk.ok("comment", card=card["id"], content="First")
        assert said.keys() == {"comment", "at"}
        await talk.ok("comment", card=card["id"], replyTo=said["comment"], content="Second")
        await talk.refused("comment", "not_found", card=card["id"], replyTo="cmt_none", content="Third")
    (comment,) = (await world.sa.get(f"/cards/{card['id']}/comments")).ok()["items"]
    assert comment["actor"] == {"type": "Agent", "id": "bot", "label": None}
    assert (comment["content"], comment["replies"][0]["content"]) == ("First", "Second")
    assert [row["action"] for row in await world.history(card["id"])] == ["created", "commented", "replied"]


async def test_the_tool_and_its_route_share_a_rate_limit(world: World) -> None:
    world.service.buckets = Buckets(lambda: 0.0)  # nothing flows back meanwhile
    card, agent = await world.card(await world.board()), await world.agent()
    path = f"/cards/{card['id']}/comments/mcp"
    async with talking(agent) as talk:
        for _ in range(30):
            await talk.ok("comment", card=card["id"], content="By tool")
            (await agent.post(path, {"content": "By route"})).ok()
        await talk.refused("comment", "rate_limited", card=card["id"], content="Too many")
    (await agent.post(path, {"content": "Too many"})).refused(429, "rate_limited")


async def test_a_card_type_without_comments_denies_comments_of_tools(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    path = world.sa.org(f"/card-types/{board.card_type['id']}")
    (await world.sa.patch(path, {"commentsEnabled": False})).ok()
    async with talking(await world.agent()) as talk:
        await talk.refused("comment", "comments_disabled", card=card["id"], content="No")
