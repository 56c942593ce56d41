"""Filing: a change is durable at once, and in the history of its card before anybody looks there."""

import asyncio
import sqlite3

import pytest

from service.resources import filing

from ..beside import database, rows
from ..world import World


def _waiting(world: World) -> int:
    with database(world) as connection:
        return int(connection.execute("SELECT count(*) FROM new_history").fetchone()[0])


async def _moved(world: World) -> str:
    board = await world.board()
    card = await world.card(board)
    (await world.sa.patch(f"/cards/{card['id']}/status", {"toColumnId": board.columns["In Progress"]})).ok()
    return str(card["id"])


async def test_what_a_person_changes_waits_until_somebody_reads_history(world: World) -> None:
    card = await _moved(world)
    assert rows(world, "history", card) == 2  # in the one place or the other
    assert [row["action"] for row in (await world.sa.get(f"/cards/{card}/history")).ok()] == ["created", "moved"]
    assert (rows(world, "new_history", card), rows(world, "filed_history", card)) == (0, 2)


async def test_what_waits_is_filed_though_nobody_reads_it(world: World) -> None:
    card = await _moved(world)
    for _ in range(200):
        if _waiting(world):
            await asyncio.sleep(0.05)
    assert rows(world, "filed_history", card) == 2


async def test_whoever_may_not_read_a_history_learns_nothing(world: World) -> None:
    card = await _moved(world)
    (await world.outsider.get(f"/cards/{card}/history")).refused(404, "not_found")
    (await world.nobody.get(f"/cards/{card}/history")).refused(401, "unauthorized")


ADD = """
INSERT INTO new_history (id, org_id, card_id, actor_type, actor_id, action, changes, created_at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :number)
SELECT printf('his_x%05d', i), :org_id, :card_id, 'User', :user_id, 'updated', '{}', '2030-01-01T00:00:00.000Z' FROM n
"""


def _add(connection: sqlite3.Connection, world: World, card: str, number: int) -> None:
    about = {"org_id": world.sa.org_id, "card_id": card, "user_id": world.sa.id, "number": number}
    connection.execute(ADD, about)


@pytest.mark.parametrize(
    "text",
    ["UPDATE new_history SET action = 'moved'", "DELETE FROM new_history", "DELETE FROM new_history WHERE rowid > 0"],
)
async def test_what_waits_is_append_only_too(world: World, text: str) -> None:
    card = await _moved(world)
    with database(world) as connection:
        connection.execute("BEGIN IMMEDIATE")  # so that nobody files it before the attempt
        _add(connection, world, card, 1)
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(text)
        connection.execute("ROLLBACK")


async def test_many_changes_are_filed_in_portions_and_none_is_lost(world: World) -> None:
    card = await _moved(world)
    await filing.catch_up(world.service.store)
    number = 2 * filing.PORTION + 7
    with database(world) as connection:
        _add(connection, world, card, number)
    found = (await world.sa.get(f"/cards/{card}/history")).ok()
    assert [row["id"] for row in found[2:]] == [f"his_x{i:05d}" for i in range(1, number + 1)]
    assert _waiting(world) == 0


async def test_what_waits_leaves_with_its_card(world: World) -> None:
    board = await world.board()
    card, other = await world.card(board), await world.card(board)
    (await world.sa.delete(f"/cards/{card['id']}?mode=permanent")).ok()
    assert (rows(world, "history", card["id"]), rows(world, "history", other["id"])) == (0, 1)
    (await world.sa.patch(f"/cards/{other['id']}", {"title": "Another"})).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}?mode=permanent"))).ok()
    assert rows(world, "history", other["id"]) == 0


async def test_what_agents_change_is_filed_at_once(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    await filing.catch_up(world.service.store)
    (await agent.patch(f"/cards/{card['id']}/mcp", {"title": "By an agent"})).ok()
    assert (rows(world, "new_history", card["id"]), rows(world, "filed_history", card["id"])) == (0, 2)
