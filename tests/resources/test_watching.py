"""Watching of cards: by hand, and by what people do or is done to them; personal, and nothing for agents."""

import asyncio
from typing import Any

from ..direct_db import rows
from ..snapshots import snapshot_of
from ..streams import listening
from ..world import MEMBER, Client, World


async def watches(by: Client, card: dict[str, Any]) -> bool:
    """Return whether somebody watches a card, as its answers say."""
    plain = (await by.get(f"/cards/{card['id']}")).ok()["watching"]
    assert (await by.get(f"/cards/{card['id']}", params={"include": "moves"})).ok()["watching"] is plain
    assert isinstance(plain, bool)
    return plain


async def watchers(world: World) -> list[str]:
    """Return who watches cards, as it is stored."""
    return [row["user_id"] for row in await rows(world, "SELECT user_id FROM card_watchers")]


async def test_watching_begins_and_ends_for_oneself_only(world: World) -> None:
    card = await world.card(await world.board())
    before = (await world.member.get(f"/cards/{card['id']}")).ok()
    rows = await world.history(card["id"])
    for _ in range(2):
        assert (await world.member.call("PUT", f"/cards/{card['id']}/watch")).status == 204
        assert await watches(world.member, card)
    for _ in range(2):
        assert (await world.sa.delete(f"/cards/{card['id']}/watch")).status == 204
        assert not await watches(world.sa, card)
    assert await watches(world.member, card)
    after = (await world.member.get(f"/cards/{card['key']}")).ok()
    assert after == before | {"watching": True}  # no new version
    assert await world.history(card["id"]) == rows
    (await world.outsider.call("PUT", f"/cards/{card['id']}/watch")).refused(404, "not_found")
    (await world.outsider.delete(f"/cards/{card['id']}/watch")).refused(404, "not_found")


async def test_who_creates_is_assigned_mentioned_or_comments_watches(world: World) -> None:
    board, bot = await world.board(), await world.agent()
    made = await world.card(board, by=world.member)
    assert made["watching"] is True
    assert not await watches(world.sa, made)
    path = f"/cards/{made['id']}"
    comment = (await world.sa.post(f"{path}/comments", {"content": "Hm"})).ok()
    assert await watches(world.sa, made)
    (await world.sa.delete(f"{path}/watch")).ok()
    (await world.sa.post(f"{path}/comments/{comment['id']}/replies", {"content": "Hm"})).ok()
    assert await watches(world.sa, made)
    # Being assigned, by somebody else or at the creation, and once only.
    other = await world.card(board, assignedUserId=world.member.id)
    assert await watches(world.member, other)
    (await world.member.delete(f"/cards/{other['id']}/watch")).ok()
    (await world.sa.patch(f"/cards/{other['id']}", {"assignedUserId": world.member.id, "title": "New"})).ok()
    assert not await watches(world.member, other)
    (await world.sa.patch(f"/cards/{other['id']}", {"assignedUserId": None})).ok()
    (await world.sa.patch(f"/cards/{other['id']}", {"assignedUserId": world.member.id})).ok()
    assert await watches(world.member, other)
    # Being mentioned in a comment, or newly in a text.
    third = await world.card(board)
    (await bot.post(f"/cards/{third['id']}/comments/mcp", {"content": "@mo-member?"})).ok()
    assert await watches(world.member, third)
    (await world.member.delete(f"/cards/{third['id']}/watch")).ok()
    for text, expected in (("For @mo-member", True), ("Now for @mo-member", False)):
        values = [{"fieldId": board.field("description"), "value": text}]
        (await world.sa.patch(f"/cards/{third['id']}", {"fieldValues": values})).ok()
        assert await watches(world.member, third) is expected
        (await world.member.delete(f"/cards/{third['id']}/watch")).ok()


async def test_agents_watch_nothing(world: World) -> None:
    board, bot = await world.board(), await world.agent()
    new = {"projectId": board.id, "cardTypeId": board.card_type["id"], "title": "By an agent"}
    made = (await bot.post(world.sa.org("/cards/mcp"), new)).ok()
    assert made["watching"] is False
    (await bot.post(f"/cards/{made['id']}/comments/mcp", {"content": "@bot"})).ok()
    assert (await bot.get(f"/cards/{made['id']}/mcp")).ok()["watching"] is False
    (await bot.call("PUT", f"/cards/{made['id']}/watch")).refused(401, "unauthorized")
    assert await watchers(world) == []


async def test_only_ones_own_streams_hear_of_it(world: World) -> None:
    card = await world.card(await world.board())
    path = world.sa.org("/changes")
    position = (await world.sa.get(path)).ok()["next"]
    await world.join(world.outsider, world.member, MEMBER)
    token = (await world.member.post("/auth/switch", {"orgId": world.outsider.org_id})).ok()["token"]
    elsewhere = world.client({"Authorization": f"Bearer {token}"}, id=world.member.id, org_id=world.outsider.org_id)
    async with listening(world.member) as own, listening(world.sa) as other, listening(elsewhere) as foreign:
        for _ in range(2):
            (await world.member.call("PUT", f"/cards/{card['id']}/watch")).ok()
        for _ in range(2):
            (await world.member.delete(f"/cards/{card['id']}/watch")).ok()
        messages = [await asyncio.wait_for(own.message(), 10) for _ in range(2)]
        for message in messages:
            assert message
            assert (message.id, message.data["type"], message.data["cardId"]) == (None, "card.watched", card["id"])
            assert message.data["userId"] == message.data["actor"]["id"] == world.member.id
        # The next event that concerns all is the next one of each stream.
        (await world.sa.patch(f"/cards/{card['id']}", {"title": "New"})).ok()
        for listener in (own, other):
            found = await asyncio.wait_for(listener.message(), 10)
            assert found
            assert found.data["type"] == "card.updated"
        (await world.outsider.post(world.outsider.org("/projects"), {"title": "Next"})).ok()
        heard = await foreign.message()
        assert heard
        assert heard.data["type"] == "project.created"
    changes = (await world.member.get(path, params={"since": position})).ok()["items"]
    assert [event["type"] for event in changes] == ["card.updated"]


async def test_watching_ends_with_the_card_and_with_the_membership(world: World) -> None:
    board = await world.board()
    cards = [await world.card(board, by=world.member) for _ in range(3)]
    (await world.sa.delete(f"/cards/{cards[0]['id']}", params={"mode": "permanent"})).ok()
    assert await watchers(world) == [world.member.id] * 2
    (await world.sa.delete(world.sa.org(f"/members/{world.member.id}"))).ok()
    assert await watchers(world) == []
    # Who is no member does not begin to watch by an old assignment or mention.
    (await world.sa.post(f"/cards/{cards[1]['id']}/comments", {"content": "@mo-member"})).ok()
    assert await watchers(world) == [world.sa.id]


async def test_watching_does_not_travel(world: World) -> None:
    card = await world.card(await world.board())
    assert "watch" not in str(await snapshot_of(world.sa)).lower()
    assert await watches(world.sa, card)
