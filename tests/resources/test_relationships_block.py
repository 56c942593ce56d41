"""Blocked cards: what blockedBy shows, and columns that take no blocked cards."""

from typing import Any

import pytest

from ..refusals import expect_invalid
from ..world import Answer, Board, Client, World


async def _block(world: World, blocker: Any, card: Any) -> str:
    body = {"fromCardId": blocker["id"], "toCardId": card["id"], "kind": "blocks"}
    return str((await world.sa.post(world.sa.org("/relationships"), body)).ok()["id"])


async def _blocked_by(world: World, card: Any) -> list[str]:
    """Return blockedBy, which every route that shows the card must tell alike."""
    key = await world.script()
    answers = [await world.member.get(f"/cards/{card['id']}"), await key.get(f"/cards/{card['id']}/mcp")]
    lists = [await world.member.get(world.member.org("/cards")), await key.get(key.org("/cards/mcp"))]
    shown = [answer.ok() for answer in answers]
    shown += [item for answer in lists for item in answer.ok()["items"] if item["id"] == card["id"]]
    assert len(shown) == 4
    assert all(item["blockedBy"] == shown[0]["blockedBy"] for item in shown)
    blocked_by: list[str] = shown[0]["blockedBy"]
    return blocked_by


async def _column(world: World, board: Board, title: str, **wishes: Any) -> None:
    (await world.sa.patch(world.sa.org(f"/columns/{board.columns[title]}"), wishes)).ok()


async def _move(by: Client, board: Board, card: Any, title: str) -> Answer:
    path = f"/cards/{card['id']}" + ("/mcp/status" if "ApiKey" in by.headers["Authorization"] else "/status")
    return await by.patch(path, {"toColumnId": board.columns[title]})


def _codes(details: dict[str, Any]) -> list[str]:
    return [blocker["code"] for blocker in details["blockers"]]


async def _relate(world: World, origin: Any, destination: Any, kind: str) -> str:
    body = {"fromCardId": origin["id"], "toCardId": destination["id"], "kind": kind}
    return str((await world.sa.post(world.sa.org("/relationships"), body)).ok()["id"])


async def test_a_card_is_held_back_by_what_blocks_it_what_it_depends_on_and_its_parts(world: World) -> None:
    board = await world.board()
    card, other = await world.card(board), await world.card(board)
    for kind in ("duplicates", "relatesTo"):
        await _relate(world, other, card, kind)
        await _relate(world, card, other, kind)
    assert await _blocked_by(world, card) == []
    for origin, destination, kind in (
        (other, card, "blocks"),
        (card, other, "dependsOn"),
        (other, card, "partOf"),
    ):
        relation = await _relate(world, origin, destination, kind)
        assert await _blocked_by(world, card) == [other["id"]]
        assert await _blocked_by(world, other) == []
        (await world.sa.delete(world.sa.org(f"/relationships/{relation}"))).ok()
        assert await _blocked_by(world, card) == []


async def test_a_card_that_blocks_another_in_several_ways_is_listed_once(world: World) -> None:
    board = await world.board()
    card, other = await world.card(board), await world.card(board)
    await _relate(world, other, card, "blocks")
    await _relate(world, other, card, "partOf")
    await _relate(world, card, other, "dependsOn")
    assert await _blocked_by(world, card) == [other["id"]]
    found = (await world.sa.get(world.sa.org("/board"), params={"projectId": board.id})).ok()["cards"]
    assert {row["id"]: row.get("blockedBy") for row in found} == {card["id"]: [other["id"]], other["id"]: None}


@pytest.mark.parametrize("kind", ["dependsOn", "partOf"])
async def test_every_kind_keeps_a_card_from_moving_and_from_being_claimed(world: World, kind: str) -> None:
    board, agent = await world.board(), await world.agent()
    card, other = await world.card(board), await world.card(board, "Backlog")
    ends = (card, other) if kind == "dependsOn" else (other, card)
    await _relate(world, *ends, kind)
    await _column(world, board, "In Progress", rejectsBlocked=True)
    details = (await _move(world.sa, board, card, "In Progress")).refused(400, "card_blocked")
    assert details["blockedBy"] == [other["id"]]
    assert (await agent.post(agent.org("/cards/claim/mcp"))).status == 204
    (await world.sa.delete(f"/cards/{other['id']}")).ok()
    assert (await agent.post(agent.org("/cards/claim/mcp"))).ok()["id"] == card["id"]


async def test_a_blocker_counts_until_it_is_in_a_done_column(world: World) -> None:
    board = await world.board()
    card, blocker = await world.card(board), await world.card(board, "Review")
    await _block(world, blocker, card)
    assert await _blocked_by(world, card) == [blocker["id"]]
    (await _move(world.sa, board, blocker, "Done")).ok()
    assert await _blocked_by(world, card) == []
    (await _move(world.sa, board, blocker, "Todo")).ok()
    assert await _blocked_by(world, card) == [blocker["id"]]


async def test_a_column_that_becomes_a_done_column_frees_what_its_cards_block(world: World) -> None:
    board = await world.board()
    card, blocker = await world.card(board), await world.card(board, "Review")
    await _block(world, blocker, card)
    await _column(world, board, "Review", columnType="done")
    assert await _blocked_by(world, card) == []


async def test_an_archived_blocker_does_not_count_until_it_is_restored(world: World) -> None:
    board = await world.board()
    card, blocker, elsewhere = await world.card(board), await world.card(board), await world.board(title="Elsewhere")
    far = await world.card(elsewhere)
    await _block(world, blocker, card)
    await _block(world, far, card)
    assert sorted(await _blocked_by(world, card)) == sorted([blocker["id"], far["id"]])
    (await world.sa.delete(f"/cards/{blocker['id']}")).ok()
    assert await _blocked_by(world, card) == [far["id"]]
    (await world.sa.delete(world.sa.org(f"/projects/{elsewhere.id}"))).ok()
    assert await _blocked_by(world, card) == []
    (await world.sa.post(f"/archive/project/{elsewhere.id}/restore")).ok()
    (await world.sa.post(f"/cards/{blocker['id']}/restore")).ok()
    assert sorted(await _blocked_by(world, card)) == sorted([blocker["id"], far["id"]])


async def test_a_blocked_card_moves_freely_unless_the_column_rejects_it(world: World) -> None:
    board = await world.board()
    card, blocker = await world.card(board), await world.card(board)
    await _block(world, blocker, card)
    moved = (await _move(world.member, board, card, "In Progress")).ok()
    assert moved["columnId"] == board.columns["In Progress"]
    assert moved["blockedBy"] == [blocker["id"]]


async def test_a_column_that_rejects_blocked_cards_names_the_blockers(world: World) -> None:
    board = await world.board()
    card, agent = await world.card(board), await world.agent()
    blockers = [await world.card(board), await world.card(board)]
    for blocker in blockers:
        await _block(world, blocker, card)
    await _column(world, board, "In Progress", rejectsBlocked=True)
    for caller in (world.member, agent):
        details = (await _move(caller, board, card, "In Progress")).refused(400, "card_blocked")
        assert sorted(details["blockedBy"]) == sorted(blocker["id"] for blocker in blockers)
        assert _codes(details) == ["card_blocked"]
        (blocker,) = details["blockers"]
        assert blocker["details"]["blockedBy"] == details["blockedBy"]
        assert blocker["message"]
    after = (await world.sa.get(f"/cards/{card['id']}")).ok()
    assert (after["columnId"], after["version"]) == (card["columnId"], card["version"])
    assert "moved" not in [row["action"] for row in await world.history(card["id"])]
    for blocker in blockers:
        (await world.sa.delete(f"/cards/{blocker['id']}")).ok()
    (await _move(agent, board, card, "In Progress")).ok()


async def test_required_fields_come_before_blocked_and_blocked_before_the_wip_limit(world: World) -> None:
    board = await world.board()
    card, blocker = await world.card(board), await world.card(board)
    await world.card(board, "In Progress")
    relation = await _block(world, blocker, card)
    field = board.field("description")
    await _column(world, board, "In Progress", rejectsBlocked=True, wipLimit=1, requiredFieldIds=[field])

    details = (await _move(world.sa, board, card, "In Progress")).refused(400, "required_fields_missing")
    assert details["fieldIds"] == [field]
    assert _codes(details) == ["required_fields_missing", "card_blocked", "wip_limit_reached"]
    (await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": [{"fieldId": field, "value": "x"}]})).ok()

    details = (await _move(world.sa, board, card, "In Progress")).refused(400, "card_blocked")
    assert _codes(details) == ["card_blocked", "wip_limit_reached"]
    (await world.sa.delete(world.sa.org(f"/relationships/{relation}"))).ok()

    details = (await _move(world.sa, board, card, "In Progress")).refused(400, "wip_limit_reached")
    assert _codes(details) == ["wip_limit_reached"]


async def test_a_missing_transition_and_an_approval_come_before_blocked(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card, blocker = await world.card(board, "Review"), await world.card(board)
    await _block(world, blocker, card)
    for title in ("Backlog", "Done"):
        await _column(world, board, title, rejectsBlocked=True)
    details = (await _move(world.sa, board, card, "Backlog")).refused(400, "transition_not_allowed")
    assert _codes(details) == ["transition_not_allowed", "card_blocked"]
    (await _move(agent, board, card, "Done")).refused(403, "agent_cannot_moderate")
    await _column(world, board, "Review", agentCanModerate=True)
    details = (await _move(agent, board, card, "Done")).refused(403, "approval_required")
    assert _codes(details) == ["approval_required", "card_blocked"]
    assert _codes((await _move(world.sa, board, card, "Done")).refused(400, "card_blocked")) == ["card_blocked"]


async def test_rejects_blocked_is_off_by_default_and_takes_only_a_boolean(world: World) -> None:
    board = await world.board()
    path = world.sa.org("/columns")
    columns = (await world.sa.get(path, params={"projectId": board.id})).ok()
    assert [column["rejectsBlocked"] for column in columns] == [False] * 5
    made = (await world.sa.post(path, {"projectId": board.id, "title": "Late", "rejectsBlocked": True})).ok()
    assert made["rejectsBlocked"] is True
    for wrong in ("true", 1, None):
        expect_invalid(await world.sa.patch(f"{path}/{made['id']}", {"rejectsBlocked": wrong}), "rejectsBlocked")
    assert (await world.sa.patch(f"{path}/{made['id']}", {"rejectsBlocked": False})).ok()["rejectsBlocked"] is False
