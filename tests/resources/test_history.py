"""History: one row for each change, none for none, and none ever changed."""

import sqlite3

import pytest

from ..builders import count_rows, database
from ..world import World


async def test_each_change_writes_one_row_by_whoever_made_it(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card, above = await world.card(board, by=agent), await world.card(board)
    path = f"/cards/{card['id']}"
    (await world.sa.patch(path, {"title": "A", "priority": "low"})).ok()
    (await agent.patch(f"{path}/mcp", {"dueDate": "2026-12-01"})).ok()
    (await world.member.patch(f"{path}/rank", {"afterCardId": above["id"]})).ok()
    comment = (await agent.post(f"{path}/comments/mcp", {"content": "C"})).ok()
    (await world.member.post(f"{path}/comments/{comment['id']}/replies", {"content": "R"})).ok()
    (await agent.patch(f"{path}/mcp/status", {"toColumnId": board.columns["In Progress"]})).ok()
    (await world.sa.delete(path)).ok()
    (await world.sa.post(f"{path}/restore")).ok()
    history = await world.history(card["id"])
    people = {world.sa.id: "Ada Architect", world.member.id: "Mo Member"}
    assert [(row["action"], row["actor"]["id"]) for row in history] == [
        ("created", "bot"),
        ("updated", world.sa.id),
        ("updated", "bot"),
        ("ranked", world.member.id),
        ("commented", "bot"),
        ("replied", world.member.id),
        ("moved", "bot"),
        ("archived", world.sa.id),
        ("restored", world.sa.id),
    ]
    for row in history:
        assert set(row) == {"id", "cardId", "cardKey", "actor", "action", "changes", "imported", "createdAt"}
        kind = "User" if row["actor"]["id"] in people else "Agent"
        assert row["actor"] == {"type": kind, "id": row["actor"]["id"], "label": people.get(row["actor"]["id"])}
        assert row["cardId"] == card["id"]
        assert row["id"].startswith("his_")
        assert all(set(change) == {"from", "to"} for change in row["changes"].values())
    assert set(history[1]["changes"]) == {"title", "priority"}
    assert history[2]["changes"] == {"dueDate": {"from": None, "to": "2026-12-01"}}
    assert [row["createdAt"] for row in history] == sorted(row["createdAt"] for row in history)


async def test_what_is_refused_or_changes_nothing_writes_no_row(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.column(board, "Review", agentPickupEnabled=False)
    card = await world.card(board, "Review")
    path = f"/cards/{card['id']}"
    (await world.sa.patch(path, {})).ok()
    (await world.sa.patch(path, {"title": card["title"], "priority": "none"})).ok()
    (await world.sa.patch(f"{path}/rank", {"afterCardId": None})).ok()
    for answer in (
        await world.sa.patch(path, {"title": "A", "assignedUserId": "usr_x"}),
        await world.sa.patch(f"{path}/status", {"toColumnId": board.columns["Backlog"]}),
        await world.sa.post(f"{path}/comments", {"content": ""}),
        await world.sa.post(f"{path}/restore"),
        await agent.patch(f"{path}/mcp", {"title": "A"}),
        await agent.post(f"{path}/comments/mcp", {"content": "A"}),
        await world.member.delete(path),
    ):
        assert answer.status in (400, 403, 409)
    assert len(await world.history(card["id"])) == 1


async def test_history_is_an_array_whole_or_in_pages_with_the_total_beside_it(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    for number in range(24):
        (await world.sa.patch(f"/cards/{card['id']}", {"title": f"T{number}"})).ok()
    whole = await world.history(card["id"])
    assert [row["changes"]["title"]["to"] for row in whole] == ["Card", *[f"T{number}" for number in range(24)]]
    for caller, path in ((world.member, "/history"), (agent, "/history/mcp")):
        for query, expected in (
            ("", whole),
            ("?page=1", whole[:20]),
            ("?page=2", whole[20:]),
            ("?pageSize=10", whole[:10]),
            ("?page=3&pageSize=10", whole[20:]),
            ("?page=4&pageSize=10", []),
            ("?pageSize=100", whole),
        ):
            answer = await caller.get(f"/cards/{card['id']}{path}{query}")
            assert answer.ok() == expected
            assert answer.headers["X-Total-Count"] == "25"


@pytest.mark.parametrize("query", ["page=0", "page=x", "pageSize=0", "pageSize=101", "pageSize=", "limit=5"])
async def test_a_wrong_page_of_history_is_refused(world: World, query: str) -> None:
    card, key = await world.card(await world.board()), await world.key()
    for caller, path in ((world.sa, "/history"), (key, "/history/mcp")):
        assert (await caller.get(f"/cards/{card['id']}{path}?{query}")).invalid() == [query.partition("=")[0]]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE history SET action = 'moved'",
        "UPDATE history SET changes = '{}' WHERE rowid = 1",
        "UPDATE OR REPLACE history SET actor_id = 'nobody'",
        "DELETE FROM history",
        "DELETE FROM history WHERE action = 'updated'",
    ],
)
async def test_the_database_itself_refuses_to_change_history(world: World, statement: str) -> None:
    card = await world.card(await world.board())
    (await world.sa.patch(f"/cards/{card['id']}", {"title": "A"})).ok()
    before = await world.history(card["id"])
    with database(world) as connection, pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)
    assert await world.history(card["id"]) == before


async def test_history_leaves_with_its_card_only(world: World) -> None:
    board = await world.board()
    card, other = await world.card(board), await world.card(board)
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    assert count_rows(world, "history", card["id"]) == 2
    (await world.sa.delete(f"/cards/{card['id']}?mode=permanent")).ok()
    assert count_rows(world, "history", card["id"]) == 0
    assert count_rows(world, "history", other["id"]) == 1
    (await world.sa.get(f"/cards/{card['id']}/history")).refused(404, "not_found")


async def test_no_route_writes_history(world: World) -> None:
    card = await world.card(await world.board())
    path = f"/cards/{card['id']}/history"
    for method in ("POST", "PATCH", "PUT", "DELETE"):
        answer = await world.sa.call(method, path, {"action": "updated"})
        answer.refused(405, "method_not_allowed")
        assert "GET" in answer.headers["Allow"]
    (await world.sa.get(path + "/mcp")).refused(401, "unauthorized")
    (await (await world.key()).get(path)).refused(401, "unauthorized")
