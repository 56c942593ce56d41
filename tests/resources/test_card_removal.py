"""Cards that leave: archived, restored, removed for good."""

import pytest

from ..builders import count_rows, permit
from ..world import World


async def test_an_archived_card_is_out_of_the_way_but_can_be_read(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card, below = await world.card(board), await world.card(board)
    answer = await world.sa.delete(f"/cards/{card['id']}")
    assert (answer.status, answer.body) == (200, {"success": True})
    archived = (await world.sa.get(f"/cards/{card['id']}")).ok()
    assert archived["archivedAt"]
    assert archived["version"] == 2
    assert (await agent.get(f"/cards/{card['id']}/mcp")).ok() == archived | {"watching": False}
    row = (await world.history(card["id"]))[-1]
    assert (row["action"], row["actor"]["id"]) == ("archived", world.sa.id)
    assert row["changes"]["archivedAt"] == {"from": None, "to": archived["archivedAt"]}
    assert await world.above(below) is None


async def test_an_archived_card_cannot_be_written(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card, other = await world.card(board), await world.card(board)
    comment = (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "C"})).ok()["id"]
    (await world.sa.delete(f"/cards/{card['id']}?mode=archive")).ok()
    before = await world.history(card["id"])
    status = {"toColumnId": board.columns["In Progress"]}
    for caller, suffix in ((world.sa, ""), (agent, "/mcp")):
        path = f"/cards/{card['id']}"
        for answer in (
            await caller.patch(path + suffix, {"title": "A"}),
            await caller.patch(f"{path}{suffix}/status", status),
            await caller.post(f"{path}/comments{suffix}", {"content": "C"}),
            await caller.post(f"{path}/comments/{comment}/replies{suffix}", {"content": "C"}),
        ):
            answer.refused(409, "archived_parent")
    (await world.sa.patch(f"/cards/{card['id']}/rank", {"afterCardId": None})).refused(409, "archived_parent")
    after = {"afterCardId": card["id"]}
    assert (await world.sa.patch(f"/cards/{other['id']}/rank", after)).invalid() == ["afterCardId"]
    (await world.sa.delete(f"/cards/{card['id']}")).refused(409, "conflict")
    assert await world.history(card["id"]) == before


async def test_a_card_comes_back_to_the_end_of_its_column(world: World) -> None:
    board = await world.board()
    card, other = await world.card(board), await world.card(board)
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    restored = (await world.member.post(f"/cards/{card['id']}/restore")).ok()
    assert restored == {**card, "version": 3, "updatedAt": restored["updatedAt"], "watching": False}
    assert await world.above(card) == other["id"]
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == restored | {"watching": True}
    row = (await world.history(card["id"]))[-1]
    assert (row["action"], row["actor"]["id"]) == ("restored", world.member.id)
    assert row["changes"]["archivedAt"]["to"] is None
    assert "columnId" not in row["changes"]
    (await world.sa.post(f"/cards/{card['id']}/restore")).refused(409, "conflict")
    (await world.sa.post("/cards/card_x/restore")).refused(404, "not_found")


async def test_a_card_whose_column_is_gone_comes_back_to_the_first(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    (await world.sa.delete(world.sa.org(f"/columns/{board.columns['Todo']}"))).ok()
    restored = (await world.sa.post(f"/cards/{card['id']}/restore")).ok()
    assert restored["columnId"] == board.columns["Backlog"]
    changes = (await world.history(card["id"]))[-1]["changes"]
    assert changes["columnId"] == {"from": board.columns["Todo"], "to": board.columns["Backlog"]}


@pytest.mark.parametrize("archived_before", [True, False])
async def test_a_card_does_not_come_back_into_an_archived_project(world: World, archived_before: bool) -> None:
    board = await world.board()
    card = await world.card(board)
    if archived_before:
        (await world.sa.delete(f"/cards/{card['id']}")).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    (await world.member.post(f"/cards/{card['id']}/restore")).refused(409, "archived_parent")
    (await world.outsider.post(f"/cards/{card['id']}/restore")).refused(404, "not_found")
    assert count_rows(world, "history", card["id"]) == 2


async def test_a_full_column_takes_no_card_back(world: World) -> None:
    board = await world.board()
    card, _ = await world.card(board), await world.card(board)
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    await world.column(board, "Todo", wipLimit=1)
    (await world.sa.post(f"/cards/{card['id']}/restore")).refused(400, "wip_limit_reached")
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["archivedAt"]


@pytest.mark.parametrize("archived_before", [True, False])
async def test_a_card_removed_for_good_leaves_nothing(world: World, archived_before: bool) -> None:
    board = await world.board()
    card = await world.card(board, fieldValues=[{"fieldId": board.field("tags"), "value": ["a"]}])
    comment = (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "C"})).ok()
    (await world.sa.post(f"/cards/{card['id']}/comments/{comment['id']}/replies", {"content": "R"})).ok()
    if archived_before:
        (await world.sa.delete(f"/cards/{card['id']}")).ok()
    answer = await world.sa.delete(f"/cards/{card['id']}?mode=permanent")
    assert (answer.status, answer.body) == (200, {"success": True})
    (await world.sa.get(f"/cards/{card['id']}")).refused(404, "not_found")
    (await world.sa.post(f"/cards/{card['id']}/restore")).refused(404, "not_found")
    (await world.sa.delete(f"/cards/{card['id']}")).refused(404, "not_found")
    assert [count_rows(world, table, card["id"]) for table in ("history", "comments", "field_values")] == [0, 0, 0]


async def test_removing_cards_needs_the_permission(world: World) -> None:
    card = await world.card(await world.board())
    for query in ("", "?mode=archive", "?mode=permanent"):
        details = (await world.member.delete(f"/cards/{card['id']}{query}")).refused(403, "permission_denied")
        assert details == {"resource": "Card", "action": "delete"}
    assert (await world.sa.delete(f"/cards/{card['id']}?mode=forever")).invalid() == ["mode"]
    (await (await world.key()).delete(f"/cards/{card['id']}")).refused(401, "unauthorized")
    await permit(world, "Member", "Card", "delete")
    (await world.member.delete(f"/cards/{card['id']}")).ok()
    details = (await world.member.post(f"/cards/{card['id']}/restore")).refused(403, "permission_denied")
    assert details == {"resource": "Card", "action": "update"}


async def test_an_organization_removed_for_good_leaves_no_card(world: World) -> None:
    card = await world.card(await world.board())
    (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "C"})).ok()
    (await world.sa.delete(f"/organizations/{world.sa.org_id}?mode=permanent")).ok()
    (await world.sa.get(f"/cards/{card['id']}")).refused(404, "not_found")
    assert [count_rows(world, table, card["id"]) for table in ("history", "comments", "field_values")] == [0, 0, 0]


async def test_a_card_whose_type_is_gone_cannot_be_restored(world: World) -> None:
    board = await world.board()
    kind = (await world.sa.post(world.sa.org("/card-types"), {"title": "Bug"})).ok()
    card = await world.card(board, cardTypeId=kind["id"])
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    (await world.sa.delete(world.sa.org(f"/card-types/{kind['id']}"))).ok()
    (await world.sa.post(f"/cards/{card['id']}/restore")).refused(409, "archived_parent")
