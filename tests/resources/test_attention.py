"""Attention: one list of what waits for a person."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.clock import timestamp

from ..direct_db import execute
from ..snapshots import snapshot_of
from ..world import Board, Client, World


async def waiting(world: World, who: Client | None = None) -> list[dict[str, Any]]:
    who = who or world.sa
    items: list[dict[str, Any]] = (await who.get(world.sa.org("/attention"))).ok()
    return items


async def kinds(world: World) -> list[str]:
    return [item["kind"] for item in await waiting(world)]


def named(card: Any) -> dict[str, str]:
    """Return what an item tells of its card."""
    return {key: card[key] for key in ("id", "key", "title", "projectId", "columnId")}


def ago(**span: float) -> str:
    return timestamp(datetime.now(UTC) - timedelta(**span))


async def stood(board: Board, world: World, agent: Client) -> Any:
    """Return a card that stands in Review, where agents may work, and wants to go to Done."""
    await world.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    return await world.card(board, "Review")


async def test_nothing_waits_in_the_beginning(world: World) -> None:
    assert await waiting(world) == []


async def test_an_agent_waits_for_approval(world: World) -> None:
    await world.agent(approve=False)
    (item,) = await waiting(world)
    registered = (await world.sa.get(world.sa.org("/agents"))).ok()[0]["createdAt"]
    assert item == {
        "kind": "pending_agent",
        "since": registered,
        "agentId": "bot",
        "agent": {"id": "bot", "title": "bot"},
        "message": "The agent bot waits for approval.",
    }
    (await world.sa.patch("/agents/bot/approve")).ok()
    assert await waiting(world) == []


async def test_a_move_request_waits_for_a_decision(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await stood(board, world, agent)
    path = f"/cards/{card['id']}/move-requests/mcp"
    request = (await agent.post(path, {"toColumnId": board.columns["Done"], "note": "All is well"})).ok()
    (item,) = await waiting(world)
    assert item == {
        "kind": "move_request",
        "since": request["createdAt"],
        "cardId": card["id"],
        "cardKey": card["key"],
        "agentId": "bot",
        "message": "A move of Card to Done waits for a decision.",
        "card": named(card),
        "agent": {"id": "bot", "title": "bot"},
        "requestId": request["id"],
        "fromColumnId": board.columns["Review"],
        "toColumnId": board.columns["Done"],
        "note": "All is well",
        "allowed": True,
        "blockers": [],
    }
    (await world.member.post(f"/move-requests/{request['id']}/reject", {})).ok()
    assert await waiting(world) == []


async def test_a_claim_that_ran_out_waits_until_something_happens_to_its_card(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    claim = (await agent.post(f"/cards/{card['id']}/claim/mcp", {"leaseSeconds": 60})).ok()["claim"]
    assert await waiting(world) == []
    world.clock.forward(61)
    (item,) = await waiting(world)
    assert item == {
        "kind": "expired_claim",
        "since": claim["expiresAt"],
        "cardId": card["id"],
        "cardKey": card["key"],
        "agentId": "bot",
        "message": "The claim on Card ran out before the work was handed over.",
        "card": named(card),
        "agent": {"id": "bot", "title": "bot"},
    }
    (await world.member.post(f"/cards/{card['id']}/comments", {"content": "I look after it"})).ok()
    assert await waiting(world) == []


async def test_a_claim_that_was_given_back_does_not_wait(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    (await agent.post(f"/cards/{card['id']}/claim/mcp")).ok()
    (await agent.delete(f"/cards/{card['id']}/claim/mcp")).ok()
    world.clock.forward(3601)
    assert await waiting(world) == []


async def test_an_overdue_card_waits_until_it_is_done_or_archived(world: World) -> None:
    board = await world.board()
    late = await world.card(board, "Review", dueDate=ago(days=2), title="Late")
    await world.card(board, dueDate=timestamp(datetime.now(UTC) + timedelta(days=1)))
    assigned = await world.card(board, dueDate=ago(days=1), title="Later")
    first, second = await waiting(world)
    assert first == {
        "kind": "overdue_card",
        "since": late["dueDate"],
        "cardId": late["id"],
        "cardKey": late["key"],
        "message": "Late is overdue.",
        "card": named(late),
    }
    assert second["cardId"] == assigned["id"]
    (await world.sa.patch(f"/cards/{late['id']}/status", {"toColumnId": board.columns["Done"]})).ok()
    (await world.sa.delete(f"/cards/{assigned['id']}")).ok()
    assert await waiting(world) == []


async def test_a_stopped_agent_waits_if_cards_are_assigned_to_it(world: World) -> None:
    board = await world.board()
    await world.agent()
    card = await world.card(board, assignedAgentId="bot")
    await world.card(board, "Done", assignedAgentId="bot")
    (await world.sa.patch("/agents/bot/stop")).ok()
    (item,) = await waiting(world)
    assert (item["kind"], item["agentId"]) == ("stopped_agent", "bot")
    assert item["message"] == "The agent bot is stopped; cards assigned to it: 1."
    assert item["since"] > card["createdAt"]
    (await world.sa.patch("/agents/bot/stop")).ok()
    assert await waiting(world) == [item]  # since it was stopped first
    (await world.sa.patch(f"/cards/{card['id']}", {"assignedAgentId": None})).ok()
    assert await waiting(world) == []


async def test_a_runaway_waits_with_the_reason_until_it_is_resumed(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, by=agent)
    for title in ("In Progress", "Todo") * 20:
        path = f"/cards/{card['id']}/mcp/status"
        (await agent.patch(path, {"toColumnId": board.columns[title]})).ok()
    tripped = await agent.patch(f"/cards/{card['id']}/mcp/status", {"toColumnId": board.columns["In Progress"]})
    reason = tripped.refused(429, "circuit_open")["reason"]
    (item,) = await waiting(world)
    assert (item["kind"], item["agentId"]) == ("stopped_agent", "bot")
    assert item["message"] == f"The agent bot is stopped: {reason}."
    (await world.sa.patch("/agents/bot/resume")).ok()
    assert await waiting(world) == []


async def test_an_agent_that_is_stopped_with_a_reason_waits_with_it_until_it_is_resumed(world: World) -> None:
    await world.agent()
    assert (await world.sa.patch("/agents/bot/stop", {"reason": "two\nlines"})).invalid() == ["reason"]
    (await world.member.patch("/agents/bot/stop", {"reason": "Not yours"})).refused(403, "sa_required")
    (await world.sa.patch("/agents/bot/stop", {"reason": "It moved the wrong cards"})).ok()
    (item,) = await waiting(world)
    assert item["message"] == "The agent bot is stopped: It moved the wrong cards."
    rows = (await world.sa.get(world.sa.org("/agents"), params={"include": "work"})).ok()
    assert rows[0]["stopReason"] == "It moved the wrong cards"
    (await world.sa.patch("/agents/bot/resume")).ok()
    (await world.sa.patch("/agents/bot/stop")).ok()
    assert await waiting(world) == []


async def test_what_waits_longest_comes_first(world: World) -> None:
    board = await world.board()
    await world.agent(approve=False)
    await world.card(board, dueDate=ago(days=3))
    await world.card(board, dueDate=ago(days=5))
    items = await waiting(world)
    assert [item["kind"] for item in items] == ["overdue_card", "overdue_card", "pending_agent"]
    assert [item["since"] for item in items] == sorted(item["since"] for item in items)


async def test_titles_are_told_as_they_are(world: World) -> None:
    title = 'He said "no", \\ and <b>left</b> 🙂'
    await world.card(await world.board(), dueDate=ago(days=1), title=title)
    (item,) = await waiting(world)
    assert item["message"] == f"{title} is overdue."


async def test_archived_projects_wait_for_nobody(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await stood(board, world, agent)
    (await agent.post(f"/cards/{card['id']}/move-requests/mcp", {"toColumnId": board.columns["Done"]})).ok()
    await world.card(board, dueDate=ago(days=1))
    assert sorted(await kinds(world)) == ["move_request", "overdue_card"]
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    assert await waiting(world) == []


async def test_members_see_it_and_nobody_else_does(world: World) -> None:
    agent = await world.agent(approve=False)
    assert await waiting(world, world.member) == await waiting(world)
    (await world.outsider.get(world.sa.org("/attention"))).refused(404, "not_found")
    (await agent.get(world.sa.org("/attention"))).refused(401, "unauthorized")
    (await world.outsider.get(world.outsider.org("/attention"))).ok()
    assert (await world.outsider.get(world.outsider.org("/attention"))).body == []


@pytest.mark.parametrize("stopped_at", [None, "2026-01-02T03:04:05.000Z"])
async def test_agents_stopped_before_that_was_noted_wait_since_they_came(world: World, stopped_at: str | None) -> None:
    await world.agent()
    await world.card(await world.board(), assignedAgentId="bot")
    (await world.sa.patch("/agents/bot/stop")).ok()
    await execute(world, "UPDATE agents SET stopped_at = :at WHERE id = 'bot'", at=stopped_at)
    (item,) = await waiting(world)
    created = (await world.sa.get(world.sa.org("/agents"))).ok()[0]["createdAt"]
    assert item["since"] == (stopped_at or created)


async def test_a_move_to_a_column_that_an_import_archived_waits_for_nobody(world: World) -> None:
    board = await world.board()
    card, agent = await world.card(board, "Review"), await world.agent()
    (await agent.post(f"/cards/{card['id']}/move-requests/mcp", {"toColumnId": board.columns["Done"]})).ok()
    assert [item["kind"] for item in (await world.sa.get(world.sa.org("/attention"))).ok()] == ["move_request"]
    snapshot = await snapshot_of(world.sa)
    done = next(row for row in snapshot["columns"] if row["id"] == board.columns["Done"])
    done["archivedAt"] = "2026-01-01T00:00:00.000Z"
    (await world.sa.post("/admin/import", snapshot)).ok()
    assert (await world.sa.get(world.sa.org("/attention"))).ok() == []


async def rejected(world: World, agent: Client, card: Any, board: Board, **body: Any) -> Any:
    """Have an agent request a move to Done, and reject it."""
    path = f"/cards/{card['id']}/move-requests/mcp"
    request = (await agent.post(path, {"toColumnId": board.columns["Done"], "agentId": "bot"})).ok()
    return (await world.member.post(f"/move-requests/{request['id']}/reject", body)).ok()


async def test_a_card_that_a_rejection_leaves_where_agents_may_not_work_is_handed_over_at_once(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, "Review")
    request = await rejected(world, agent, card, board, note="Tests are missing")
    assert await waiting(world) == [
        {
            "kind": "handed_over",
            "since": request["decidedAt"],
            "cardId": card["id"],
            "cardKey": card["key"],
            "agentId": "bot",
            "message": "A move of Card was rejected; it stays in Review until a person moves it.",
            "card": named(card),
            "agent": {"id": "bot", "title": "bot"},
            "fromColumnId": board.columns["Review"],
            "toColumnId": board.columns["Done"],
            "note": "Tests are missing",
        }
    ]
    assert (await world.sa.get(world.sa.org("/attention"), params={"counts": "true"})).ok()["counts"][
        "handed_over"
    ] == 1
    (await world.sa.patch(f"/cards/{card['id']}/status", {"toColumnId": board.columns["In Progress"]})).ok()
    assert await waiting(world) == []
    (await world.sa.patch(f"/cards/{card['id']}/status", {"toColumnId": board.columns["Review"]})).ok()
    assert await waiting(world) == []


async def test_a_limit_holds_for_rejected_and_handed_over_cards_together(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    first = await world.card(board, "Review")
    await rejected(world, agent, first, board, note="Tests are missing")
    second = await world.card(board, "In Progress")
    (await agent.patch(f"/cards/{second['id']}/mcp/status", {"toColumnId": board.columns["Review"]})).ok()
    assert [item["cardId"] for item in await waiting(world)] == [first["id"], second["id"]]
    found = (await world.sa.get(world.sa.org("/attention"), params={"limit": "1"})).ok()
    assert [item["cardId"] for item in found["items"]] == [first["id"]]
    assert found["counts"]["handed_over"] == 2


async def test_an_agent_that_was_deleted_is_named_by_its_id(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, "In Progress")
    (await agent.patch(f"/cards/{card['id']}/mcp/status", {"toColumnId": board.columns["Review"]})).ok()
    await execute(world, "UPDATE agents SET title = 'Builder'")
    assert (await waiting(world))[0]["message"] == "The agent Builder has handed Card over in Review."
    await execute(world, "DELETE FROM agents")
    (item,) = await waiting(world)
    assert item["message"] == "The agent bot has handed Card over in Review."
    assert item["agentId"] == "bot"
    assert "agent" not in item


async def test_a_rejected_card_waits_once_even_if_the_agent_brought_it_there(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, "In Progress")
    (await agent.patch(f"/cards/{card['id']}/mcp/status", {"toColumnId": board.columns["Review"]})).ok()
    assert await kinds(world) == ["handed_over"]
    await rejected(world, agent, card, board)
    assert await kinds(world) == ["handed_over"]
    await rejected(world, agent, card, board)  # once more
    assert await kinds(world) == ["handed_over"]
    path = f"/cards/{card['id']}/move-requests/mcp"
    (await agent.post(path, {"toColumnId": board.columns["Done"]})).ok()
    assert await kinds(world) == ["move_request"]


async def test_a_rejected_card_does_not_wait_where_agents_may_work_or_a_person_took_care_of_it(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, "Review")
    await rejected(world, agent, card, board, toColumnId=board.columns["In Progress"])
    assert await waiting(world) == []
    card = await world.card(board, "Review")
    await rejected(world, agent, card, board)
    assert await kinds(world) == ["handed_over"]
    (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "I look after it"})).ok()
    assert await waiting(world) == []
    card = await stood(board, world, agent)
    await rejected(world, agent, card, board)
    assert await waiting(world) == []


async def test_a_rejected_card_that_is_archived_does_not_wait(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, "Review")
    await rejected(world, agent, card, board)
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    assert await waiting(world) == []
