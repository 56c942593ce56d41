"""Catch-up: what others did since a person last looked, one item a card, newest first."""

from typing import Any

import pytest

from .. import refusals
from ..direct_db import execute
from ..streams import position
from ..world import OUTSIDER, PASSWORD, Board, Client, World

EVENTS = """
    INSERT INTO events (org_id, type, card_id, actor_type, actor_id, created_at)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5100)
    SELECT :org, 'card.updated', :card, 'User', :user, '2026-11-26T00:00:00.000Z' FROM n
"""


async def catch_up(who: Client, **query: Any) -> Any:
    return (await who.get(who.org("/catch-up"), params=query)).ok()


async def seen(who: Client, event_id: str, **more: Any) -> Any:
    return await who.call("PUT", who.org("/seen"), {"eventId": event_id, **more})


async def test_what_others_did_is_told_newest_first_and_own_changes_are_not(world: World) -> None:
    board = await world.board()
    first, second = await world.card(board, title="First"), await world.card(board, title="Second")
    await world.card(board, title="Own", by=world.member)
    (await world.sa.post(f"/cards/{first['id']}/comments", {"content": "Look"})).ok()
    answer = await catch_up(world.member)
    assert [item["title"] for item in answer["items"]] == ["First", "Second"]
    assert [item["what"] for item in answer["items"]] == [{"created": 1, "commented": 1}, {"created": 1}]
    assert (answer["total"], answer["hasMore"]) == (2, False)
    assert answer["at"] == answer["next"] == await position(world.sa)
    assert answer["items"][1]["cardKey"] == second["key"]


async def test_catch_up_begins_at_the_last_seen_event_which_never_moves_back(world: World) -> None:
    board = await world.board()
    await world.card(board, title="Seen")
    begin, at = await position(world.sa), None
    assert (await catch_up(world.member))["total"] == 1
    answer = await seen(world.member, begin)
    assert (answer.status, answer.body) == (204, None)
    await world.card(board, title="New")
    (await seen(world.member, "0")).ok()
    at = await catch_up(world.member)
    assert ([item["title"] for item in at["items"]], at["since"]) == (["New"], begin)
    assert (await catch_up(world.member, since="0"))["total"] == 2
    assert at["at"] == await position(world.sa)


async def test_a_card_that_was_seen_returns_with_its_next_event_only(world: World) -> None:
    board = await world.board()
    card, other = await world.card(board, title="Seen"), await world.card(board, title="Other")
    (await seen(world.member, await position(world.sa), cardId=card["key"])).ok()
    found = await catch_up(world.member)
    assert ([item["cardId"] for item in found["items"]], found["total"]) == ([other["id"]], 1)
    (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "Look"})).ok()
    found = await catch_up(world.member)
    assert [(item["cardId"], item["what"]) for item in found["items"]] == [
        (card["id"], {"commented": 1}),
        (other["id"], {"created": 1}),
    ]
    everything = await catch_up(world.member, since="0")  # an explicit start also returns what was seen
    assert everything["items"][0]["what"] == {"created": 1, "commented": 1}
    for since in ("yesterday", "-1", "2w"):
        answer = await world.member.get(world.member.org("/catch-up"), params={"since": since})
        assert answer.invalid() == ["since"]
    outsider = await catch_up(world.sa, since="0")
    assert outsider["total"] == 0


NO_NEWS = ("card.ranked", "card.claimed", "card.released", "claim.ended", "agent.refused")


async def test_claims_denials_and_places_within_a_column_are_no_news(world: World) -> None:
    board, bot = await world.board(), await world.agent()
    card = await world.card(board, title="Seen", assignedAgentId=bot.id)
    seen_until = await position(world.sa)
    (await seen(world.member, seen_until)).ok()
    values = {"org": world.sa.org_id, "card": card["id"], "user": world.sa.id}
    event = EVENTS.replace("5100", "1").replace("2026-11-26", "2099-01-01")  # after the assignment of the agent
    for type_ in NO_NEWS:
        await execute(world, event.replace("card.updated", type_), **values)
    inbox = bot.org("/inbox/mcp")
    assert (await catch_up(world.member))["total"] == 0
    assert await unread_cards(world.member, board) == []
    assert (await bot.get(inbox, params={"since": seen_until})).ok()["items"] == []
    await execute(world, event, **values)
    assert (await catch_up(world.member))["items"][0]["what"] == {"updated": 1}
    assert await unread_cards(world.member, board) == ["Seen"]
    assert len((await bot.get(inbox, params={"since": seen_until})).ok()["items"]) == 1


async def test_members_begin_when_they_joined_however_they_did(world: World) -> None:
    board = await world.board()
    await world.card(board, title="Before")
    body = {"email": "new@example.test", "password": PASSWORD, "role": "Member"}
    (await world.sa.post(world.sa.org("/members"), body)).ok()
    new = await world.login("new@example.test")
    await world.join(world.sa, world.outsider, OUTSIDER)
    invited = world.client(world.outsider.headers, org_id=world.sa.org_id)
    for who in (new, invited):
        assert (await catch_up(who))["total"] == 0
        assert await unread_cards(who, board) == []
    world.clock.forward(6 * 86400)
    card = await world.card(board, title="After")
    for who in (new, invited):
        assert [item["title"] for item in (await catch_up(who))["items"]] == ["After"]
        assert await unread_cards(who, board) == ["After"]
    (await world.sa.delete(world.sa.org(f"/members/{new.id}"))).ok()
    (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "Meanwhile"})).ok()
    await world.join(world.sa, new, "new@example.test")
    assert ((await catch_up(new))["total"], await unread_cards(new, board)) == (0, [])


async def unread_cards(who: Client, board: Board) -> list[str]:
    """Return the titles of the cards of a board that are marked as changed."""
    found = (await who.get(who.org("/board"), params={"projectId": board.id})).ok()
    return [card["title"] for card in found["cards"] if "unread" in card]


async def test_beyond_5000_events_the_newest_are_shown_and_the_oldest_are_in_the_total(world: World) -> None:
    board = await world.board()
    await world.card(board, title="Oldest")
    archived = await world.card(board, title="Archived board")
    busy, seen_card = await world.card(board, title="Busy"), await world.card(board, title="Seen")
    other = await world.board(title="Other")
    await execute(world, "UPDATE cards SET project_id = :other WHERE id = :id", other=other.id, id=archived["id"])
    (await world.sa.delete(world.sa.org(f"/projects/{other.id}"))).ok()
    (await seen(world.member, await position(world.sa), cardId=seen_card["id"])).ok()
    await execute(world, EVENTS, org=world.sa.org_id, card=busy["id"], user=world.sa.id)
    await world.card(board, title="Newest")
    found = await catch_up(world.member)
    assert [item["title"] for item in found["items"]] == ["Newest", "Busy"]
    assert (found["total"], found["hasMore"]) == (3, True)
    assert found["next"] == found["at"] == await position(world.sa)
    everything = await catch_up(world.member, since="0")
    assert (everything["total"], everything["hasMore"]) == (4, True)
    (await seen(world.member, found["next"])).ok()
    found = await catch_up(world.member)
    assert (found["items"], found["total"], found["hasMore"]) == ([], 0, False)


async def test_a_limit_is_told(world: World) -> None:
    board = await world.board()
    for number in range(3):
        await world.card(board, title=f"Card {number}")
    answer = await catch_up(world.member, limit=2)
    assert [item["title"] for item in answer["items"]] == ["Card 2", "Card 1"]
    assert (answer["total"], answer["hasMore"]) == (3, True)
    for limit in ("0", "101", "x"):
        assert (await world.member.get(world.member.org(f"/catch-up?limit={limit}"))).invalid() == ["limit"]


@pytest.mark.parametrize("event_id", ["x", "", "-1", "99999999999", "9" * 30])
async def test_only_an_event_that_there_is_can_be_seen(world: World, event_id: str) -> None:
    assert (await seen(world.member, event_id)).invalid() == ["eventId"]


async def test_a_card_is_seen_by_id_or_key_and_only_one_of_the_organization(world: World) -> None:
    card = await world.card(await world.board())
    foreign = await world.card(await world.board(world.outsider), by=world.outsider)
    for name in (card["id"], card["key"]):
        (await seen(world.member, "1", cardId=name)).ok()
    for name in (foreign["id"], "nothing"):
        assert (await seen(world.member, "1", cardId=name)).invalid() == ["cardId"]


async def test_catch_up_is_for_members_who_may_read_cards(world: World) -> None:
    for method, path, body in (("GET", "/catch-up", None), ("PUT", "/seen", {"eventId": "1"})):
        await refusals.people_only(world, method, world.sa.org(path), body)
        await refusals.expect_hidden(world, method, world.sa.org(path), body)
