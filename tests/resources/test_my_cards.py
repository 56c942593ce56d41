"""GET /me/cards: the cards of a person over all boards of the organization."""

from typing import Any

from ..builders import permit
from ..world import MEMBER, Client, World

PATH = "/me/cards"


async def list_titles(caller: Client, **params: Any) -> list[str]:
    """Return the titles of all cards of a caller."""
    page = (await caller.get(PATH, params={"pageSize": 100, **params})).ok()
    assert page["total"] == len(page["items"])
    return [card["title"] for card in page["items"]]


async def test_open_cards_of_all_boards_come_by_due_date_and_priority_with_board_and_column(world: World) -> None:
    first, second = await world.board(title="First"), await world.board(title="Second")
    mine = {"assignedUserId": world.member.id}
    await world.card(first, title="Never", **mine)
    await world.card(second, title="Urgent, never", priority="urgent", **mine)
    await world.card(first, "Review", title="Moment", dueDate="2026-11-20T15:00:00Z", **mine)
    day = await world.card(second, "Review", title="Day", dueDate="2026-11-20", **mine)
    await world.card(first, title="Same day, high", dueDate="2026-11-20", priority="high", **mine)
    done = await world.card(first, "Done", title="Done", **mine)
    await world.card(first, "Done", title="Done later", dueDate="2020-01-01", **mine)
    await world.card(first, title="Of the architect", assignedUserId=world.sa.id)
    await world.card(first, title="Of nobody")
    opened = ["Same day, high", "Day", "Moment", "Urgent, never", "Never"]
    assert await list_titles(world.member) == await list_titles(world.member, state="open") == opened
    assert await list_titles(world.member, state="done") == ["Done later", "Done"]
    assert set(await list_titles(world.member, state="all")) == {*opened, "Done", "Done later"}
    assert await list_titles(world.sa) == ["Of the architect"]
    (await world.sa.patch(f"/cards/{done['id']}", {"priority": "low"})).ok()
    newest = (await world.member.get(PATH, params={"state": "done", "pageSize": 1})).ok()["items"]
    assert [card["title"] for card in newest] == ["Done"]
    found = (await world.member.get(PATH, params={"pageSize": 1, "page": 2})).ok()
    assert (found["page"], found["pageSize"], found["total"]) == (2, 1, 5)
    key = day["key"].split("-")[0]
    listed = (await world.member.get(world.member.org("/cards"), params={"ids": day["id"]})).ok()["items"][0]
    assert found["items"] == [
        listed
        | {
            "dueComplete": False,
            "board": {"id": second.id, "key": key, "title": "Second"},
            "column": {"id": second.columns["Review"], "title": "Review", "columnType": "standard"},
        }
    ]


async def test_cards_that_are_archived_reassigned_or_elsewhere_are_left_out(world: World) -> None:
    board, gone = await world.board(), await world.board(title="Gone")
    foreign = await world.board(world.outsider)
    mine = {"assignedUserId": world.member.id}
    await world.card(board, title="Kept", **mine)
    archived = await world.card(board, title="Archived", **mine)
    (await world.sa.delete(f"/cards/{archived['id']}")).ok()
    reassigned = await world.card(board, title="Reassigned", **mine)
    (await world.sa.patch(f"/cards/{reassigned['id']}", {"assignedUserId": None})).ok()
    await world.card(gone, title="On an archived board", **mine)
    (await world.sa.delete(world.sa.org(f"/projects/{gone.id}"))).ok()
    await world.join(world.outsider, world.member, MEMBER)
    await world.card(foreign, by=world.outsider, title="In another organization", **mine)
    assert await list_titles(world.member, state="all") == ["Kept"]


async def test_a_complete_due_date_is_said(world: World) -> None:
    board = await world.board()
    field_id = await world.field(board, "due_complete", "checkbox")
    value = {"fieldId": field_id, "value": "true"}
    await world.card(board, assignedUserId=world.member.id, dueDate="2020-01-01", fieldValues=[value])
    assert (await world.member.get(PATH)).ok()["items"][0]["dueComplete"] is True


async def test_only_people_who_may_read_cards_are_answered(world: World) -> None:
    board = await world.board()
    await world.card(board, assignedUserId=world.member.id)
    (await world.client().get(PATH)).refused(401, "unauthorized")
    agent = await world.agent()
    (await agent.get(PATH)).refused(401, "unauthorized")
    assert (await world.member.get(PATH, params={"state": "closed"})).invalid() == ["state"]
    assert (await world.member.get(PATH, params={"userId": world.sa.id})).invalid() == ["userId"]
    await permit(world, "Member", "Card", "create")
    (await world.member.get(PATH)).refused(403, "permission_denied")
