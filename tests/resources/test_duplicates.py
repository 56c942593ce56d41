"""Duplicating a card: all that was planned, nothing of what has happened to it."""

from typing import Any

from ..builders import permit
from ..direct_db import execute
from ..forms import upload
from ..refusals import hidden, people_only
from ..streams import changes, position
from ..world import Answer, Client, World


async def duplicate(who: Client, card: Any, **wishes: Any) -> Answer:
    return await who.post(f"/cards/{card['id']}/duplicate", wishes)


async def test_a_copy_has_what_was_planned_and_nothing_of_what_has_happened(world: World) -> None:
    board, agent = await world.board(title="Release"), await world.agent()
    notes, plan = await world.field(board, "notes"), await world.field(board, "plan", "file")
    values = [{"fieldId": notes, "value": "Look"}, {"fieldId": board.field("tags"), "value": ["a", "b, c"]}]
    people = {"assignedUserId": world.member.id, "assignedAgentId": "bot"}
    wishes = {"title": "Plan", "priority": "high", "dueDate": "2027-01-05T12:00:00.000Z", "fieldValues": values}
    card = await world.card(board, columnId=board.columns["In Progress"], **wishes, **people)
    await upload(world, card, plan)
    (await world.member.post(f"/cards/{card['id']}/comments", {"content": "Well"})).ok()
    (await agent.post(f"/cards/{card['id']}/claim/mcp")).ok()
    start = await position(world.sa)
    copy = (await duplicate(world.member, card)).ok()
    assert (copy["key"], copy["title"], copy["version"]) == ("REL-2", "Plan (copy)", 1)
    same = {"projectId", "columnId", "cardTypeId", "priority", "dueDate", "assignedUserId", "assignedAgentId"}
    assert {key: copy[key] for key in same} == {key: card[key] for key in same}
    assert sorted(copy["fieldValues"], key=str) == sorted(values, key=str)
    assert (copy["claim"], copy["createdBy"]["id"]) == (None, world.member.id)
    assert (await world.member.get(f"/cards/{copy['id']}/comments")).ok()["total"] == 0
    (row,) = await world.history(copy["id"])
    assert (row["action"], row["changes"]["title"]) == ("created", {"from": None, "to": "Plan (copy)"})
    assert row["changes"]["fieldValues.notes"] == {"from": None, "to": "Look"}
    (event,) = (await changes(world.sa, since=start))["items"]
    assert (event["type"], event["cardId"]) == ("card.created", copy["id"])


async def test_a_copy_comes_to_the_end_of_its_column_or_of_another_one(world: World) -> None:
    board = await world.board()
    first, second = await world.card(board), await world.card(board)
    assert await world.above((await duplicate(world.sa, first)).ok()) == second["id"]
    there = (await duplicate(world.sa, first, columnId=board.columns["Done"], title="Mine")).ok()
    assert (there["columnId"], there["title"]) == (board.columns["Done"], "Mine")
    other = await world.board(title="Other")
    assert (await duplicate(world.sa, first, columnId=other.columns["Todo"])).invalid() == ["columnId"]
    (await world.sa.patch(world.sa.org(f"/columns/{board.columns['Todo']}"), {"wipLimit": 3})).ok()
    (await duplicate(world.sa, first)).refused(400, "wip_limit_reached")


async def test_a_day_stays_a_day_in_the_copy_and_its_history_and_a_moment_a_moment(world: World) -> None:
    board = await world.board()
    for due in ("2027-01-05", "2027-01-05T00:00:00.000Z"):
        card = await world.card(board, dueDate=due)
        copy = (await duplicate(world.sa, card)).ok()
        assert (copy["dueDate"], copy["dueAllDay"]) == ("2027-01-05T00:00:00.000Z", card["dueAllDay"])
        (row,) = await world.history(copy["id"])
        assert row["changes"]["dueDate"] == {"from": None, "to": due}


async def test_a_long_title_stays_within_its_limit(world: World) -> None:
    card = await world.card(await world.board(), title="t" * 500)
    assert (await duplicate(world.sa, card)).ok()["title"] == "t" * 493 + " (copy)"


async def test_parts_are_copied_if_that_is_asked_for(world: World) -> None:
    board = await world.board(title="Release")
    card = await world.card(board)
    (await world.sa.post(f"/cards/{card['id']}/split", {"parts": [{"title": title} for title in "ABC"]})).ok()
    (await world.sa.delete("/cards/REL-3")).ok()
    assert (await duplicate(world.sa, card)).ok()["parts"] is None
    copy = (await duplicate(world.member, card, withParts=True)).ok()
    assert copy["parts"] == {"done": 0, "total": 2}
    relations = (await world.sa.get(world.sa.org("/relationships"), params={"cardId": copy["id"]})).ok()
    parts = [(await world.sa.get(f"/cards/{row['fromCardId']}")).ok() for row in relations]
    assert [(part["title"], part["key"]) for part in parts] == [("A", "REL-7"), ("C", "REL-8")]
    (await world.sa.patch(world.sa.org(f"/columns/{board.columns['Todo']}"), {"wipLimit": 9})).ok()
    (await duplicate(world.sa, card, withParts=True)).refused(400, "wip_limit_reached")
    assert (await world.sa.get(world.sa.org("/cards"))).ok()["total"] == 7  # nothing of it was created


async def test_more_than_fifty_parts_are_not_copied(world: World) -> None:
    card = await world.card(await world.board())
    for count in (50, 1):
        (await world.sa.post(f"/cards/{card['id']}/split", {"parts": [{"title": "P"}] * count})).ok()
    assert (await duplicate(world.sa, card, withParts=True)).invalid() == ["withParts"]
    (await duplicate(world.sa, card)).ok()


async def test_values_that_are_no_longer_valid_are_left_out(world: World) -> None:
    board = await world.board()
    who = await world.field(board, "reviewer", "user")
    card = await world.card(board, fieldValues=[{"fieldId": who, "value": world.member.id}])
    card = (await world.sa.patch(f"/cards/{card['id']}", {"assignedUserId": world.member.id})).ok()
    await execute(world, "DELETE FROM memberships WHERE user_id = :id", id=world.member.id)  # before the cards follow
    copy = (await duplicate(world.sa, card)).ok()
    assert (copy["assignedUserId"], copy["fieldValues"]) == (None, [])


async def test_who_may_not_create_cards_or_see_the_card_duplicates_nothing(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    path = f"/cards/{card['id']}/duplicate"
    await people_only(world, "POST", path, {})
    await hidden(world, "POST", path, {})
    await permit(world, "Member", "Relationship", "read")
    (await duplicate(world.member, card)).ok()
    (await duplicate(world.member, card, withParts=True)).refused(403, "permission_denied")
    await permit(world, "Member", "Card", "read", "update")
    (await duplicate(world.member, card)).refused(403, "permission_denied")
    for body in ({"title": ""}, {"title": 1}, {"withParts": "yes"}, {"columnId": ""}, {"more": 1}):
        (await world.sa.post(path, body)).refused(400, "validation_failed")
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    (await duplicate(world.sa, card)).refused(409, "archived_parent")
    another = await world.card(board)
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    (await duplicate(world.sa, another)).refused(404, "not_found")
