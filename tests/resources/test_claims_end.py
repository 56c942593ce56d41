"""How a claim goes on and how it ends: renewed, given back, or over with the work, each told once in history."""

from typing import Any

import pytest

from service.clock import parse_timestamp

from ..direct_db import rows
from ..snapshots import send, snapshot_of
from ..world import Board, Client, World
from .test_claims import lease, take, take_next

GIVEN_BACK = {"claim": {"from": "bot", "to": None}}


async def scene(world: World, column: str = "Todo") -> tuple[Board, Any, Client]:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, column)
    (await take(agent, card)).ok()
    return board, card, agent


async def told(world: World, card: Any) -> list[tuple[str, str, Any]]:
    """Return what the history of a card says after the claim: action, actor, changes."""
    return [(row["action"], row["actor"]["id"], row["changes"]) for row in (await world.history(card["id"]))[2:]]


async def claim_of(world: World, card: Any) -> Any:
    return (await world.sa.get(f"/cards/{card['id']}")).ok()["claim"]


async def is_free(world: World, card: Any) -> None:
    """Expect that no row is left, and that another agent may claim the card."""
    assert await claim_of(world, card) is None
    assert await rows(world, "-- x\nSELECT token FROM claims") == []


async def test_renewing_moves_the_end_keeps_the_token_and_writes_no_history(world: World) -> None:
    _, card, agent = await scene(world)
    before = (await agent.get(f"/cards/{card['id']}/mcp")).ok()
    world.clock.forward(200)
    after = (await agent.post(f"/cards/{card['id']}/claim/renew/mcp", {})).ok()
    claim = after.pop("claim")
    assert after == {key: value for key, value in before.items() if key != "claim"}
    assert (claim["agentId"], claim["token"]) == ("bot", before["claim"]["token"])
    assert lease(claim) == 300
    passed = parse_timestamp(claim["renewedAt"]) - parse_timestamp(before["claim"]["renewedAt"])
    assert 200 <= passed.total_seconds() < 230
    world.clock.forward(200)
    assert await claim_of(world, card) == {key: value for key, value in claim.items() if key != "token"}
    assert await told(world, card) == []


async def test_renewing_keeps_the_length_of_the_lease_unless_told_otherwise(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    (await take(agent, card, leaseSeconds=3600)).ok()
    path = f"/cards/{card['id']}/claim/renew/mcp"
    assert lease((await agent.post(path)).ok()["claim"]) == 3600
    assert lease((await agent.post(path, {"leaseSeconds": 45})).ok()["claim"]) == 45
    assert lease((await agent.post(path, {})).ok()["claim"]) == 45


async def test_a_claim_is_renewed_in_time_or_not_at_all(world: World) -> None:
    _, card, agent = await scene(world)
    path = f"/cards/{card['id']}/claim/renew/mcp"
    world.clock.forward(300)
    (await agent.post(path, {})).refused(409, "claim_expired")
    assert await claim_of(world, card) is None
    (await take(await world.agent("other"), card)).ok()
    (await agent.post(path, {})).refused(409, "already_claimed")


async def test_a_card_that_was_never_claimed_cannot_be_renewed(world: World) -> None:
    card, agent = await world.card(await world.board()), await world.agent()
    (await agent.post(f"/cards/{card['id']}/claim/renew/mcp", {})).refused(409, "claim_expired")


async def test_releasing_a_claim_frees_the_card_and_can_be_repeated(world: World) -> None:
    _, card, agent = await scene(world)
    for _ in range(2):
        answer = await agent.delete(f"/cards/{card['id']}/claim/mcp")
        assert (answer.status, answer.body) == (204, None)
        await is_free(world, card)
        assert await told(world, card) == [("released", "bot", GIVEN_BACK)]
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["version"] == 1
    assert (await take_next(await world.agent("other"))).ok()["id"] == card["id"]


async def test_releasing_an_expired_claim_causes_no_event(world: World) -> None:
    _, card, agent = await scene(world)
    world.clock.forward(300)
    assert (await agent.delete(f"/cards/{card['id']}/claim/mcp")).status == 204
    assert await told(world, card) == []


@pytest.mark.parametrize("by_person", [True, False])
async def test_a_claim_survives_a_move_to_a_column_where_agents_work(world: World, by_person: bool) -> None:
    board, card, agent = await scene(world)
    path = f"/cards/{card['id']}/status" if by_person else f"/cards/{card['id']}/mcp/status"
    before = await claim_of(world, card)
    who = world.member if by_person else agent
    (await who.patch(path, {"toColumnId": board.columns["In Progress"]})).ok()
    after = await claim_of(world, card)
    assert after | {key: before[key] for key in ("renewedAt", "expiresAt")} == before
    change = {"columnId": {"from": board.columns["Todo"], "to": board.columns["In Progress"]}}
    assert await told(world, card) == [("moved", who.id, change)]


@pytest.mark.parametrize("by_person", [True, False])
@pytest.mark.parametrize(
    "rules", [{"agentPickupEnabled": False}, {"agentPickupEnabled": True, "agentCanModerate": True}]
)
async def test_a_claim_ends_in_a_done_column_and_where_agents_may_not_pick_up(
    world: World, by_person: bool, rules: dict[str, bool]
) -> None:
    board, card, agent = await scene(world, "In Progress")
    await world.column(board, "Review", columnType="done" if rules["agentPickupEnabled"] else "standard", **rules)
    path = f"/cards/{card['id']}/status" if by_person else f"/cards/{card['id']}/mcp/status"
    who = world.member if by_person else agent
    moved = (await who.patch(path, {"toColumnId": board.columns["Review"]})).ok()
    assert moved["claim"] is None
    assert moved | {"watching": True} == (await world.sa.get(f"/cards/{card['id']}")).ok()
    await is_free(world, card)
    change = {"columnId": {"from": board.columns["In Progress"], "to": board.columns["Review"]}}
    assert await told(world, card) == [("moved", who.id, change | GIVEN_BACK)]


async def test_a_claim_that_has_expired_is_no_part_of_a_move(world: World) -> None:
    board, card, _ = await scene(world, "In Progress")
    world.clock.forward(300)
    (await world.sa.patch(f"/cards/{card['id']}/status", {"toColumnId": board.columns["Review"]})).ok()
    ((action, _, changes),) = await told(world, card)
    assert (action, set(changes)) == ("moved", {"columnId"})


async def test_a_refused_move_leaves_the_claim(world: World) -> None:
    board, card, agent = await scene(world, "In Progress")
    before = await claim_of(world, card)
    await world.column(board, "Review", wipLimit=1)
    await world.card(board, "Review")
    move = {"toColumnId": board.columns["Review"]}
    (await agent.patch(f"/cards/{card['id']}/mcp/status", move)).refused(400, "wip_limit_reached")
    assert await claim_of(world, card) == before


@pytest.mark.parametrize(("destination", "survives"), [("In Progress", True), ("Backlog", False)])
async def test_a_column_that_is_emptied_into_another_moves_claimed_cards_like_any_move(
    world: World, destination: str, survives: bool
) -> None:
    board, card, _ = await scene(world)
    unclaimed, before = await world.card(board), await claim_of(world, card)
    path = world.sa.org(f"/columns/{board.columns['Todo']}")
    (await world.sa.delete(path, params={"moveTo": board.columns[destination]})).ok()
    change = {"columnId": {"from": board.columns["Todo"], "to": board.columns[destination]}}
    assert await claim_of(world, card) == (before if survives else None)
    assert await told(world, card) == [("moved", world.sa.id, change | ({} if survives else GIVEN_BACK))]
    assert [row["changes"] for row in (await world.history(unclaimed["id"]))[1:]] == [change]


async def test_archiving_a_card_ends_its_claim_for_good(world: World) -> None:
    _, card, agent = await scene(world)
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    ((action, _, changes),) = await told(world, card)
    assert (action, set(changes)) == ("archived", {"archivedAt", "claim"})
    assert changes["claim"] == GIVEN_BACK["claim"]
    (await take(agent, card)).refused(409, "archived_parent")
    assert (await world.sa.post(f"/cards/{card['id']}/restore")).ok()["claim"] is None


async def test_archiving_a_project_ends_the_claims_in_it_and_no_others(world: World) -> None:
    board, card, agent = await scene(world)
    unclaimed, elsewhere = await world.card(board), await world.card(await world.board(title="Other"))
    (await take(agent, elsewhere)).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    (await world.sa.post(f"/archive/project/{board.id}/restore")).ok()
    archived, restored = await told(world, card)
    assert (archived[0], set(archived[2]), archived[2]["claim"]) == (
        "archived",
        {"archivedAt", "claim"},
        GIVEN_BACK["claim"],
    )
    assert (restored[0], set(restored[2])) == ("restored", {"archivedAt"})
    assert set((await world.history(unclaimed["id"]))[1]["changes"]) == {"archivedAt"}
    assert await claim_of(world, card) is None
    assert (await claim_of(world, elsewhere))["agentId"] == "bot"


async def test_removing_a_card_for_good_takes_its_claim_along(world: World) -> None:
    _, card, _ = await scene(world)
    (await world.sa.delete(f"/cards/{card['id']}", params={"mode": "permanent"})).ok()
    assert await rows(world, "-- x\nSELECT token FROM claims") == []


async def _stop(world: World) -> None:
    (await world.sa.patch("/agents/bot/stop")).ok()


async def _remove(world: World) -> None:
    (await world.sa.delete("/agents/bot")).ok()


async def _remove_team(world: World) -> None:
    agents = (await world.sa.get(world.sa.org("/agents"))).ok()
    team_id = next(agent["teamId"] for agent in agents if agent["id"] == "bot")
    (await world.sa.delete(world.sa.org(f"/teams/{team_id}"), params={"mode": "permanent"})).ok()


@pytest.mark.parametrize("end", [_stop, _remove, _remove_team])
async def test_the_claims_of_an_agent_that_is_stopped_or_removed_end(world: World, end: Any) -> None:
    board, card, agent = await scene(world)
    other = await world.agent("other")
    kept, late = await world.card(board), await world.card(board)
    (await take(other, kept)).ok()
    (await take(agent, late, leaseSeconds=30)).ok()
    world.clock.forward(30)
    await end(world)
    assert await told(world, card) == [("released", world.sa.id, GIVEN_BACK)]
    assert await claim_of(world, card) is None
    assert await told(world, late) == []
    assert (await claim_of(world, kept))["agentId"] == "other"
    assert (await take(other, card)).ok()["claim"]["agentId"] == "other"


async def test_resuming_an_agent_gives_it_no_claim_back(world: World) -> None:
    _, card, agent = await scene(world)
    token = (await agent.get(f"/cards/{card['id']}/mcp")).ok()["claim"]["token"]
    await _stop(world)
    (await world.sa.patch("/agents/bot/resume")).ok()
    await is_free(world, card)
    write = await agent.patch(f"/cards/{card['id']}/mcp", {"title": "Late"}, headers={"X-Claim-Token": token})
    write.refused(409, "claim_expired")


async def test_a_person_ends_a_claim_and_the_agent_is_told_at_its_next_write(world: World) -> None:
    board, card, agent = await scene(world)
    token = (await agent.get(f"/cards/{card['id']}/mcp")).ok()["claim"]["token"]
    since = (await world.member.get(world.sa.org("/changes"))).ok()["next"]
    assert (await world.member.delete(f"/cards/{card['key']}/claim")).status == 204
    assert await told(world, card) == [("released", world.member.id, GIVEN_BACK)]
    (event,) = (await world.sa.get(world.sa.org("/changes"), params={"since": since})).ok()["items"]
    about = {"type": "claim.ended", "cardId": card["id"], "cardKey": card["key"], "agentId": "bot"}
    assert about.items() <= event.items()
    assert (event["projectId"], event["actor"]["id"]) == (board.id, world.member.id)
    await is_free(world, card)
    late = {"headers": {"X-Claim-Token": token}}
    (await agent.patch(f"/cards/{card['id']}/mcp", {"title": "Late"}, **late)).refused(409, "claim_expired")
    (await take(await world.agent("other"), card)).ok()


async def test_ending_a_claim_that_is_not_there_changes_nothing(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    assert (await world.sa.delete(f"/cards/{card['id']}/claim")).status == 204
    (await take(agent, card, leaseSeconds=30)).ok()
    world.clock.forward(30)
    before = await world.history(card["id"])
    assert (await world.sa.delete(f"/cards/{card['id']}/claim")).status == 204
    assert await world.history(card["id"]) == before


async def test_a_claim_is_ended_during_a_freeze_by_people_only(world: World) -> None:
    _, card, agent = await scene(world)
    (await world.sa.post(world.sa.org("/freeze"), {"reason": "Audit"})).ok()
    (await agent.delete(f"/cards/{card['id']}/claim")).refused(401, "unauthorized")
    (await world.outsider.delete(f"/cards/{card['id']}/claim")).refused(404, "not_found")
    assert await claim_of(world, card) is not None
    assert (await world.sa.delete(f"/cards/{card['id']}/claim")).status == 204
    assert await claim_of(world, card) is None


async def test_a_repeated_end_of_a_claim_does_not_end_the_next_one(world: World) -> None:
    _, card, agent = await scene(world)
    once = {"headers": {"Idempotency-Key": "once"}}
    (await world.sa.delete(f"/cards/{card['id']}/claim", **once)).ok()
    (await take(agent, card)).ok()
    (await world.sa.delete(f"/cards/{card['id']}/claim", **once)).ok()
    assert (await claim_of(world, card))["agentId"] == "bot"


async def test_claims_are_not_exported_and_an_import_leaves_them_alone(world: World) -> None:
    _, card, agent = await scene(world)
    claim = (await agent.get(f"/cards/{card['id']}/mcp")).ok()["claim"]
    snapshot = await snapshot_of(world.sa)
    (exported,) = snapshot["cards"]
    assert "claim" not in exported
    assert claim["token"] not in str(snapshot)
    exported["title"] = "Changed elsewhere"
    (await send(world.sa, snapshot)).ok()
    after = (await agent.get(f"/cards/{card['id']}/mcp")).ok()
    assert (after["title"], after["claim"]) == ("Changed elsewhere", claim)
