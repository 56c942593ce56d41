"""Activity of one agent: what it did on cards, newest first, however much others did since."""

from typing import Any

from .. import refusals
from ..direct_db import execute
from ..streams import position
from ..world import Client, World
from .test_catch_up import EVENTS


async def activity(who: Client, agent_id: str = "bot", **query: Any) -> Any:
    return (await who.get(who.org(f"/agents/{agent_id}/activity"), params=query)).ok()


async def test_what_an_agent_did_is_listed_newest_first_behind_any_number_of_events(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    other = await world.agent("other")
    card = await world.card(board, title="Card")
    await other.post(f"/cards/{card['id']}/comments/mcp", {"content": "Not this one"})
    (await agent.post(f"/cards/{card['id']}/claim/mcp")).ok()
    between = await position(world.sa)
    (await agent.post(f"/cards/{card['id']}/comments/mcp", {"content": "Hello"})).ok()
    await execute(world, EVENTS, org=world.sa.org_id, card=card["id"], user=world.sa.id)
    found = await activity(world.member)
    assert [item["type"] for item in found["items"]] == ["comment.created", "card.claimed"]
    assert found["items"][0]["cardKey"] == card["key"]
    assert found["items"][0]["actor"] == {"type": "Agent", "id": "bot", "label": None}
    assert found["hasMore"] is False
    assert await activity(world.member, limit=2) == found  # a page that is exactly full is the last one
    shown = await activity(world.member, limit=1)
    assert ([item["type"] for item in shown["items"]], shown["hasMore"]) == (["comment.created"], True)
    assert [item["type"] for item in (await activity(world.member, since=between))["items"]] == ["comment.created"]
    world.clock.forward(7200)
    assert await activity(world.member, since="1h") == {"items": [], "hasMore": False}


async def test_the_activity_of_an_agent_is_for_members_who_may_read_cards(world: World) -> None:
    await world.agent()
    path = world.sa.org("/agents/bot/activity")
    await refusals.people_only(world, "GET", path)
    await refusals.expect_hidden(world, "GET", path)
    (await world.sa.get(world.sa.org("/agents/nobody/activity"))).refused(404, "not_found")
    assert (await world.sa.get(path, params={"since": "soon"})).invalid() == ["since"]
