"""What the end of a membership takes along, and what stays."""

from typing import Any

from ..world import MEMBER, Board, World


async def leave(world: World) -> None:
    answer = await world.sa.delete(world.sa.org(f"/members/{world.member.id}"))
    assert (answer.status, answer.body) == (204, None)


async def assigned(world: World, board: Board) -> Any:
    return await world.card(board, assignedUserId=world.member.id)


async def test_who_was_removed_is_out_at_once(world: World) -> None:
    card = await world.card(await world.board())
    (await world.member.get(f"/cards/{card['id']}")).ok()
    (await world.member.get(world.sa.org())).ok()
    await leave(world)
    (await world.member.get(f"/cards/{card['id']}")).refused(404, "not_found")
    (await world.member.get(world.sa.org())).refused(404, "not_found")
    (await world.member.get("/permissions")).refused(404, "not_found")
    assert (await world.member.get("/organizations")).ok() == []
    assert [row["userId"] for row in (await world.sa.get(world.sa.org("/members"))).ok()] == [world.sa.id]


async def test_the_account_stays_and_can_be_invited_again(world: World) -> None:
    await leave(world)
    again = await world.login(MEMBER)
    assert (again.id, again.org_id) == (world.member.id, "")
    await world.join(world.sa, again, MEMBER)
    (await world.member.get(world.sa.org())).ok()


async def test_cards_of_who_was_removed_are_unassigned_with_a_line_of_history(world: World) -> None:
    board = await world.board()
    active, archived, other = await assigned(world, board), await assigned(world, board), await world.card(board)
    (await world.sa.delete(f"/cards/{archived['id']}")).ok()
    await leave(world)
    for card in (active, archived):
        assert (await world.sa.get(f"/cards/{card['id']}")).ok()["assignedUserId"] is None
        row = (await world.history(card["id"]))[-1]
        assert (row["action"], row["actor"]["id"]) == ("updated", world.sa.id)
        assert row["changes"] == {"assignedUserId": {"from": world.member.id, "to": None}}
    assert len(await world.history(other["id"])) == 1


async def test_cards_in_other_organizations_stay_assigned(world: World) -> None:
    await world.join(world.outsider, world.member, MEMBER)
    card = await world.card(await world.board(world.outsider), by=world.outsider, assignedUserId=world.member.id)
    await leave(world)
    assert (await world.outsider.get(f"/cards/{card['id']}")).ok()["assignedUserId"] == world.member.id
    (await world.member.get(f"/cards/{card['id']}")).ok()


async def test_comments_and_history_keep_the_name_of_a_removed_member(world: World) -> None:
    board = await world.board()
    card = await world.card(board, by=world.member)
    (await world.member.post(f"/cards/{card['id']}/comments", {"content": "Bye"})).ok()
    await leave(world)
    me = {"type": "User", "id": world.member.id, "label": "Mo Member"}
    (comment,) = (await world.sa.get(f"/cards/{card['id']}/comments")).ok()["items"]
    assert comment["actor"] == me
    assert [row["actor"] for row in await world.history(card["id"])] == [me, me]
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["createdBy"] == me


async def test_who_was_removed_leaves_the_teams_for_good(world: World) -> None:
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "Team"})).ok()
    path = world.sa.org(f"/teams/{team['id']}")
    (await world.sa.post(f"{path}/members", {"userId": world.member.id})).ok()
    await leave(world)
    (await world.sa.post(world.sa.org("/members"), {"email": MEMBER, "role": "Member"})).ok()
    shown = (await world.sa.get(path)).ok()
    assert (shown["members"], shown["memberCount"]) == ([], 0)


async def test_a_card_cannot_be_assigned_to_who_was_removed(world: World) -> None:
    card = await world.card(await world.board())
    await leave(world)
    details = (await world.sa.patch(f"/cards/{card['id']}", {"assignedUserId": world.member.id})).refused(
        400, "validation_failed"
    )
    assert details["fields"][0]["path"] == "assignedUserId"


async def test_an_architect_can_leave_if_another_stays(world: World) -> None:
    (await world.sa.patch(world.sa.org(f"/members/{world.member.id}"), {"role": "SolutionArchitect"})).ok()
    (await world.sa.delete(world.sa.org(f"/members/{world.sa.id}"))).ok()
    (await world.sa.get(world.sa.org())).refused(404, "not_found")
    assert (await world.member.get(world.sa.org())).ok()["ownerId"] == world.sa.id
