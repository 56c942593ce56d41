"""Fifty callers at once over real sockets: what must come true however they interleave."""

import asyncio
import logging
import random
from collections import Counter
from collections.abc import Coroutine
from typing import Any

import pytest

from .world import Answer, Board, World

CALLERS = 50


async def _together(calls: list[Coroutine[Any, Any, Answer]]) -> list[Answer]:
    """Send all requests at once; none may be answered by a failure of the service."""
    answers = await asyncio.gather(*calls)
    assert [(answer.status, answer.body) for answer in answers if answer.status >= 500] == []
    return answers


async def _cards(world: World, board: Board, column: str, count: int) -> list[Any]:
    return await asyncio.gather(*[world.card(board, column, title=f"Card {number}") for number in range(count)])


async def _column(world: World, board: Board, column: str) -> list[Any]:
    """Return the cards of a column in order, after a look at some of their places."""
    query = {"columnId": board.columns[column], "pageSize": "100"}
    items: list[Any] = (await world.sa.get(world.sa.org("/cards"), params=query)).ok()["items"]
    for above, card in list(zip([None, *items], items))[::10]:
        assert await world.above(card) == (above and above["id"])
    return items


def _refusals(answers: list[Answer]) -> Counter[tuple[int, str]]:
    return Counter((answer.status, answer.body["error"]["code"]) for answer in answers if answer.status != 200)


async def test_moves_never_fill_a_column_past_its_limit(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    cards = await _cards(world, board, "Todo", CALLERS)
    await world.column(board, "In Progress", wipLimit=7)
    body = {"toColumnId": board.columns["In Progress"]}
    answers = await _together(
        [
            agent.patch(f"/cards/{card['id']}/mcp/status", body)
            if number % 2
            else world.member.patch(f"/cards/{card['id']}/status", body)
            for number, card in enumerate(cards)
        ]
    )
    assert _refusals(answers) == {(400, "wip_limit_reached"): CALLERS - 7}
    moved = [answer.body["id"] for answer in answers if answer.status == 200]
    assert sorted(card["id"] for card in await _column(world, board, "In Progress")) == sorted(moved)
    assert len(await _column(world, board, "Todo")) == CALLERS - 7
    for card in cards:
        assert len(await world.history(card["id"])) == (2 if card["id"] in moved else 1)


async def test_new_cards_and_moves_together_respect_the_limit(world: World) -> None:
    board = await world.board()
    cards = await _cards(world, board, "Todo", CALLERS // 2)
    await world.column(board, "In Progress", wipLimit=5)
    there = board.columns["In Progress"]
    new = {"projectId": board.id, "columnId": there, "cardTypeId": board.card_type["id"], "title": "New"}
    moves = [world.sa.patch(f"/cards/{card['id']}/status", {"toColumnId": there}) for card in cards]
    answers = await _together(moves + [world.sa.post(world.sa.org("/cards"), new) for _ in cards])
    assert _refusals(answers) == {(400, "wip_limit_reached"): CALLERS - 5 - CALLERS % 2}
    assert len(await _column(world, board, "In Progress")) == 5


@pytest.mark.parametrize("seed", range(3))
async def test_columns_put_in_moved_and_taken_out_stay_dense(world: World, seed: int) -> None:
    board, chance = await world.board(), random.Random(seed)  # noqa: S311
    path = world.sa.org("/columns")
    extra = [(await world.sa.post(path, {"projectId": board.id, "title": "X"})).ok()["id"] for _ in range(20)]
    calls = []
    for number in range(CALLERS):
        order = chance.randrange(25)
        if number % 3 == 0:
            calls.append(world.sa.post(path, {"projectId": board.id, "title": f"N{number}", "order": order}))
        elif number % 3 == 1:
            calls.append(world.sa.patch(f"{path}/{chance.choice(extra)}", {"order": order}))
        else:
            calls.append(world.sa.delete(f"{path}/{chance.choice(extra)}"))
    answers = await _together(calls)
    assert {answer.status for answer in answers} <= {200, 204, 404}
    columns = (await world.sa.get(path, params={"projectId": board.id})).ok()
    assert [column["order"] for column in columns] == list(range(len(columns)))
    removed = sum(answer.status == 204 for answer in answers)
    made = sum(number % 3 == 0 for number in range(CALLERS))
    assert len(columns) == 25 + made - removed


@pytest.mark.parametrize("seed", range(3))
async def test_ranks_and_moves_leave_a_strict_order(world: World, seed: int) -> None:
    board, chance = await world.board(), random.Random(seed)  # noqa: S311
    cards = await _cards(world, board, "Todo", 30)
    others = await _cards(world, board, "In Progress", 20)
    calls = []
    for number in range(CALLERS):
        card = chance.choice(cards)
        after = chance.choice([None, *[other["id"] for other in cards if other is not card]])
        if number % 2:
            calls.append(world.sa.patch(f"/cards/{card['id']}/rank", {"afterCardId": after}))
        else:
            mover = chance.choice(others)
            body = {"toColumnId": board.columns["Todo"], "afterCardId": after}
            calls.append(world.member.patch(f"/cards/{mover['id']}/status", body))
    answers = await _together(calls)
    assert set(_refusals(answers)) <= {(400, "transition_not_allowed")}
    here, there = await _column(world, board, "Todo"), await _column(world, board, "In Progress")
    every = [card["id"] for card in here + there]
    assert sorted(every) == sorted(card["id"] for card in cards + others)


async def test_cards_made_at_once_have_a_place_each(world: World) -> None:
    board = await world.board()
    made = await _cards(world, board, "Todo", CALLERS)
    assert len({await world.above(card) for card in made}) == CALLERS
    assert len(await _column(world, board, "Todo")) == CALLERS


async def test_patches_of_one_card_count_exactly(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card, tags = await world.card(board), board.field("tags")
    path = f"/cards/{card['id']}"
    answers = await _together(
        [
            agent.patch(f"{path}/mcp", {"title": f"T{number}"})
            if number % 2
            else world.sa.patch(path, {"fieldValues": [{"fieldId": tags, "value": [str(number)]}]})
            for number in range(CALLERS)
        ]
    )
    assert sorted(answer.ok()["version"] for answer in answers) == list(range(2, CALLERS + 2))
    last = (await world.sa.get(path)).ok()
    newest = max((answer.body for answer in answers), key=lambda body: body["version"])
    assert last == newest | {"watching": True}  # to an agent it says false
    rows = await world.history(card["id"])
    assert Counter(row["action"] for row in rows) == {"created": 1, "updated": CALLERS}
    title, values = "Card", None
    for row in rows[1:]:
        ((name, change),) = row["changes"].items()
        assert change["from"] == (title if name == "title" else values)
        title, values = (change["to"], values) if name == "title" else (title, change["to"])
    assert (last["title"], last["fieldValues"][0]["value"]) == (title, values)


async def test_the_same_patch_by_all_happens_once(world: World) -> None:
    card = await world.card(await world.board())
    answers = await _together([world.sa.patch(f"/cards/{card['id']}", {"title": "A"}) for _ in range(CALLERS)])
    assert {answer.ok()["version"] for answer in answers} == {2}
    assert len(await world.history(card["id"])) == 2


async def test_the_same_move_by_all_happens_once(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card, body = await world.card(board), {"toColumnId": board.columns["In Progress"]}
    answers = await _together(
        [
            agent.patch(f"/cards/{card['id']}/mcp/status", body)
            if number % 2
            else world.member.patch(f"/cards/{card['id']}/status", body)
            for number in range(CALLERS)
        ]
    )
    assert {answer.ok()["version"] for answer in answers} == {2}
    assert [row["action"] for row in await world.history(card["id"])] == ["created", "moved"]
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["version"] == 2


@pytest.mark.slow
async def test_readers_and_writers_never_meet_a_locked_database(world: World, caplog: pytest.LogCaptureFixture) -> None:
    board, agent = await world.board(), await world.agent()
    cards = await _cards(world, board, "Todo", 10)
    calls = []
    for number in range(CALLERS * 6):
        path = f"/cards/{cards[number % 10]['id']}"
        calls += [
            world.sa.patch(path, {"title": f"T{number}"}),
            world.member.get(world.member.org("/board-flow"), params={"projectId": board.id}),
            agent.post(f"{path}/comments/mcp", {"content": "C"}),
            world.member.get(world.member.org("/cards"), params={"include": "fieldValues"}),
            world.sa.get(f"{path}/history"),
            world.member.post(f"{path}/comments", {"content": "C"}),
        ]
    with caplog.at_level(logging.INFO):
        answers = [answer for at in range(0, len(calls), 150) for answer in await _together(calls[at : at + 150])]
    assert {answer.status for answer in answers} <= {200, 429}
    assert not any("is locked" in str(answer.body) for answer in answers)
    assert "locked" not in caplog.text
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    versions = [(await world.sa.get(f"/cards/{card['id']}")).ok()["version"] for card in cards]
    assert versions == [1 + CALLERS * 6 // len(cards)] * len(cards)


async def test_the_same_transition_is_made_once(world: World) -> None:
    board = await world.board()
    body = {"fromColumnId": board.columns["Backlog"], "toColumnId": board.columns["Done"]}
    answers = await _together([world.sa.post(world.sa.org("/transitions"), body) for _ in range(CALLERS)])
    assert _refusals(answers) == {(409, "transition_exists"): CALLERS - 1}
    assert len((await world.sa.get(world.sa.org("/transitions"))).ok()) == 8


async def test_the_same_field_is_made_once(world: World) -> None:
    board = await world.board()
    path = world.sa.org(f"/card-types/{board.card_type['id']}/fields")
    body = {"name": "extra", "kind": "text", "order": 0}
    answers = await _together([world.sa.post(path, body) for _ in range(CALLERS)])
    assert _refusals(answers) == {(409, "conflict"): CALLERS - 1}
    fields = (await world.sa.get(path)).ok()
    assert [field["order"] for field in fields] == list(range(6))
    assert [field["name"] for field in fields].count("extra") == 1


async def test_of_many_invitations_at_once_one_holds_and_lets_in_once(world: World) -> None:
    path = world.sa.org("/members")
    body = {"email": "outsider@example.test", "role": "Member"}
    codes = [answer.ok()["invitationCode"] for answer in await _together([world.sa.post(path, body) for _ in range(9)])]
    accept = [world.outsider.post("/auth/invitations/accept", {"code": code}) for code in codes * 3]
    assert _refusals(await _together(accept)) == {(404, "not_found"): 26}
    assert [member["email"] for member in (await world.sa.get(path)).ok()].count("outsider@example.test") == 1


async def test_the_same_new_user_is_made_once(world: World) -> None:
    path = world.sa.org("/members")
    bodies = [{"email": email, "role": "Member"} for email in ("New@example.test", "new@example.test") * 2]
    answers = await _together([world.sa.post(path, body) for body in bodies])
    assert _refusals(answers) == {(409, "email_exists"): 3}
    (made,) = [answer for answer in answers if answer.status == 200]
    assert made.body["initialPassword"]
    assert len((await world.sa.get(path)).ok()) == 3


async def test_a_card_is_restored_and_removed_once(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    path = f"/cards/{card['id']}"
    assert _refusals(await _together([world.sa.delete(path) for _ in range(CALLERS)])) == {
        (409, "conflict"): CALLERS - 1
    }
    answers = await _together([world.sa.post(f"{path}/restore") for _ in range(CALLERS)])
    assert _refusals(answers) == {(409, "conflict"): CALLERS - 1}
    assert [row["action"] for row in await world.history(card["id"])] == ["created", "archived", "restored"]
    answers = await _together([world.sa.delete(f"{path}?mode=permanent") for _ in range(CALLERS)])
    assert _refusals(answers) == {(404, "not_found"): CALLERS - 1}
