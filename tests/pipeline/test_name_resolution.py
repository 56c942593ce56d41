"""Calls with very many names or values cost in proportion to them: rows are read once, and each text is folded once."""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from service.database.statement import Statement
from service.database.store import Tx
from service.pipeline import name_resolution
from service.text.comparison import fold_name
from service.tools import boards, checklist_items

from ..tools.talk import talking
from ..world import World

MANY = 300


class Costs:
    """How often texts were folded, and how often each statement listed rows."""

    def __init__(self) -> None:
        self.folded = 0
        self.lists: Counter[str] = Counter()


@pytest.fixture
def costs(monkeypatch: pytest.MonkeyPatch) -> Costs:
    found = Costs()

    def fold(text: str) -> str:
        found.folded += 1
        return fold_name(text)

    list_all: Callable[..., Any] = Tx.all

    def count_list(tx: Tx, statement: Statement, /, **parameters: Any) -> Any:
        found.lists[statement.name] += 1
        return list_all(tx, statement, **parameters)

    monkeypatch.setattr(Tx, "all", count_list)
    for module in (name_resolution, checklist_items):
        monkeypatch.setattr(module, "fold_name", fold)
    return found


async def test_options_are_compared_once_with_all_values_of_a_list(world: World, costs: Costs) -> None:
    board, agent = await world.board(), await world.agent()
    options = [f"Option {number}" for number in range(MANY)]
    await world.field(board, "choice", "multiselect", options=options)
    card = await world.card(board)
    values = [f"OPTION_{number}" for number in range(200)]
    async with talking(agent) as talk:
        costs.folded = 0
        await talk.ok("update_card", card=card["key"], fields={"choice": values})
        assert costs.folded < 2 * (MANY + len(values))
        costs.folded = 0
        many = json.dumps(["a"] * 60_000)  # in one text, as some clients send lists
        error = await talk.error("update_card", "validation_failed", card=card["key"], fields={"choice": many})
        assert "at most 200 choices" in error["message"]
        assert costs.folded < 2 * MANY
    stored = (await world.sa.get(f"/cards/{card['id']}")).ok()["fieldValues"]
    assert [row["value"] for row in stored] == [options[:200]]


async def test_fields_are_compared_once_with_all_names(world: World, costs: Costs) -> None:
    board, agent = await world.board(), await world.agent()
    for number in range(40):
        await world.field(board, f"field_{number}", "user" if number % 2 else "agent")
    card, me = await world.card(board), "Mo Member"
    people = {f"Field {number}": me for number in range(1, 40, 2)}
    agents = {f"Field {number}": agent.id for number in range(0, 40, 2)}
    async with talking(agent) as talk:
        costs.folded, costs.lists = 0, Counter()
        await talk.ok("update_card", card=card["key"], fields=people | agents)
        assert costs.folded < 300  # 46 fields by name and label, 40 names, 40 people and agents
        assert (costs.lists["members.list"], costs.lists["agents.list"]) == (1, 1)


async def test_names_of_a_filter_are_looked_up_in_one_list(world: World, costs: Costs) -> None:
    board, agent = await world.board(), await world.agent()
    await world.card(board, assignedUserId=world.member.id)
    await world.column(board, "Backlog", title="Former")
    (await world.sa.delete(world.sa.org(f"/columns/{board.columns['Backlog']}"))).ok()
    async with talking(agent) as talk:
        costs.lists = Counter()
        assert (await talk.ok("list_cards", column=["former"] * 50 + ["Todo"] * 50))["total"] == 1
        assert (costs.lists["directory.list_former"], costs.lists["columns.list"]) == (1, 1)
        names = {"assignedUserId": ["Mo Member"] * 100, "column": ["todo"] * 100, "cardType": ["task"] * 100}
        costs.lists = Counter()
        assert (await talk.ok("list_cards", **names))["total"] == 1
        lists = {name: count for name, count in costs.lists.items() if name.partition(".")[2] == "list"}
        assert lists["members.list"] == lists["columns.list"] == lists["card_types.list"] == 1
        for key in ("assignedUserId", "assignedAgentId", "column", "cardType", "project", "priority"):
            error = await talk.error("list_cards", "validation_failed", **{key: ["none"] * 101})
            assert "100" in error["message"], error


async def test_items_are_compared_once_with_all_texts(world: World, costs: Costs) -> None:
    board, agent = await world.board(), await world.agent()
    text = "\n".join(f"- [ ] Item {number}" for number in range(MANY))
    value = {"fieldId": board.field("description"), "value": text + "\n- [ ] same" * MANY}
    card = await world.card(board, fieldValues=[value])
    async with talking(agent) as talk:
        costs.folded = 0
        check = [f"item_{number}" for number in range(100)] + ["Same"] * 100
        await talk.ok("update_card", card=card["key"], check=check)
        assert costs.folded < 2 * MANY + 2 * len(check) + 50
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["checklist"] == {"done": 200, "total": 2 * MANY}


async def test_a_part_of_a_board_that_is_named_often_is_made_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    board, agent = await world.board(), await world.agent()
    await world.card(board)
    made, list_cards = 0, boards._Board.cards

    def count(found: boards._Board) -> Any:
        nonlocal made
        made += 1
        return list_cards(found)

    monkeypatch.setattr(boards._Board, "cards", count)
    async with talking(agent) as talk:
        shown = await talk.ok("get_board", project="Board", show=["cards", "columns"] * 500)
    assert (len(shown["cards"]), made) == (1, 1)
