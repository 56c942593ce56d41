"""Lists of cards: filters, sorts, pages, for people and agents alike."""

from typing import Any

import pytest

from ..world import Answer, Board, Client, World


async def _list(caller: Client, **params: Any) -> Answer:
    path = caller.org("/cards/mcp" if "ApiKey" in caller.headers["Authorization"] else "/cards")
    return await caller.get(path, params=params)


async def _titles(caller: Client, **params: Any) -> list[str]:
    page = (await _list(caller, **params)).ok()
    assert page["total"] == len(page["items"])
    return [card["title"] for card in page["items"]]


@pytest.fixture
async def board(world: World) -> Board:
    """Five cards that differ in all that lists filter and sort by."""
    board = await world.board()
    await world.agent()
    bug = (await world.sa.post(world.sa.org("/card-types"), {"title": "Bug"})).ok()["id"]
    await world.card(board, title="Apple pie", priority="low", dueDate="2026-12-03")
    await world.card(board, title="apple tree", priority="urgent", assignedUserId=world.member.id)
    await world.card(board, "Review", title="Pear", assignedAgentId="bot", dueDate="2026-12-01")
    await world.card(board, "Review", title="100% plum_tree", cardTypeId=bug, priority="high", dueDate="2026-12-02")
    await world.card(board, "Done", title="Cherry", priority="medium", assignedAgentId="bot")
    return board


async def test_a_list_shows_cards_without_their_values_unless_asked_for(world: World, board: Board) -> None:
    agent = await world.script()
    value = {"fieldId": board.field("tags"), "value": ["a"]}
    card = await world.card(board, title="With values", fieldValues=[value])
    for caller in (world.member, agent):
        page = (await _list(caller, q="With values")).ok()
        assert set(page) == {"items", "page", "pageSize", "total"}
        assert (page["page"], page["pageSize"], page["total"]) == (1, 20, 1)
        whole = {key: item for key, item in card.items() if key not in ("parent", "parts", "mentions", "watching")}
        assert page["items"] == [{key: item for key, item in whole.items() if key != "fieldValues"}]
        assert (await _list(caller, q="With values", include="fieldValues")).ok()["items"] == [whole]
        assert (await _list(caller, q="Pear", include="fieldValues")).ok()["items"][0]["fieldValues"] == []


@pytest.mark.parametrize(
    ("params", "titles"),
    [
        ({"priority": "urgent"}, ["apple tree"]),
        ({"priority": "none"}, ["Pear"]),
        ({"assignedAgentId": "bot"}, ["Cherry", "Pear"]),
        ({"assignedAgentId": "bot", "priority": "medium"}, ["Cherry"]),
        ({"q": "apple p"}, ["Apple pie"]),
        ({"q": "%"}, ["100% plum_tree"]),
        ({"q": "_"}, ["100% plum_tree"]),
        ({"q": "tree"}, ["100% plum_tree", "apple tree"]),
        ({"q": "tree", "priority": "high"}, ["100% plum_tree"]),
        ({"q": "' OR 1=1 --"}, []),
    ],
)
async def test_a_list_is_filtered(world: World, board: Board, params: Any, titles: list[str]) -> None:
    for caller in (world.sa, await world.script()):
        assert sorted(await _titles(caller, **params)) == titles


async def test_a_list_is_filtered_by_ids(world: World, board: Board) -> None:
    other = await world.board(title="Other")
    await world.card(other, title="Elsewhere", assignedUserId=world.member.id)
    bug = next(t for t in (await world.sa.get(world.sa.org("/card-types"))).ok() if t["title"] == "Bug")["id"]
    for caller in (world.sa, await world.script()):
        assert await _titles(caller, projectId=other.id) == ["Elsewhere"]
        assert len(await _titles(caller, projectId=board.id)) == 5
        assert await _titles(caller, columnId=board.columns["Review"]) == ["Pear", "100% plum_tree"]
        assert await _titles(caller, columnId=board.columns["Review"], projectId=other.id) == []
        assert await _titles(caller, columnId=board.columns["Review"], assignedAgentId="bot") == ["Pear"]
        assert await _titles(caller, cardTypeId=bug) == ["100% plum_tree"]
        assert sorted(await _titles(caller, assignedUserId=world.member.id)) == ["Elsewhere", "apple tree"]
        assert await _titles(caller, assignedUserId=world.member.id, projectId=board.id) == ["apple tree"]
        assert await _titles(caller, assignedUserId=world.member.id, assignedAgentId="bot") == []


@pytest.mark.parametrize(
    ("sort", "titles"),
    [
        ("priority", ["apple tree", "100% plum_tree", "Cherry", "Apple pie", "Pear"]),
        ("dueDate", ["Pear", "100% plum_tree", "Apple pie"]),
        ("-updatedAt", ["Pear", "Cherry"]),
    ],
)
async def test_a_list_is_sorted(world: World, board: Board, sort: str, titles: list[str]) -> None:
    pear = (await _list(world.sa, q="Pear")).ok()["items"][0]
    cherry = (await _list(world.sa, q="Cherry")).ok()["items"][0]
    for card in (cherry, pear):
        (await world.sa.patch(f"/cards/{card['id']}", {"assignedUserId": world.sa.id})).ok()
    for caller in (world.sa, await world.script()):
        listed = await _titles(caller, sort=sort)
        assert listed[: len(titles)] == titles
        assert len(listed) == 5


async def test_a_column_is_listed_by_rank(world: World) -> None:
    board = await world.board()
    cards = [await world.card(board, title=str(number)) for number in range(4)]
    (await world.sa.patch(f"/cards/{cards[3]['id']}/rank", {"afterCardId": None})).ok()
    for params in ({}, {"sort": "rank"}):
        page = (await _list(world.sa, columnId=board.columns["Todo"], **params)).ok()
        assert [card["title"] for card in page["items"]] == ["3", "0", "1", "2"]


@pytest.mark.parametrize("sort", ["rank", "-updatedAt", "dueDate", "priority"])
async def test_pages_show_every_card_once(world: World, board: Board, sort: str) -> None:
    for caller in (world.sa, await world.script()):
        pages = [(await _list(caller, sort=sort, page=page, pageSize=2)).ok() for page in (1, 2, 3, 4)]
        assert [len(page["items"]) for page in pages] == [2, 2, 1, 0]
        assert {page["total"] for page in pages} == {5}
        assert [(page["page"], page["pageSize"]) for page in pages] == [(1, 2), (2, 2), (3, 2), (4, 2)]
        whole = (await _list(caller, sort=sort, pageSize=100)).ok()["items"]
        assert [card for page in pages for card in page["items"]] == whole


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("page", "0"),
        ("page", "-1"),
        ("page", "one"),
        ("page", "1.5"),
        ("page", ""),
        ("page", "99999999999999999999"),
        ("pageSize", "0"),
        ("pageSize", "101"),
        ("pageSize", "many"),
        ("sort", "title"),
        ("sort", ""),
        ("priority", "highest"),
        ("include", "comments"),
        ("column", "col_x"),
    ],
)
async def test_a_wrong_query_is_refused(world: World, name: str, value: str) -> None:
    for caller in (world.sa, await world.key()):
        assert (await _list(caller, **{name: value})).invalid() == [name]


async def test_archived_cards_are_not_listed(world: World, board: Board) -> None:
    card = (await _list(world.sa, q="Pear")).ok()["items"][0]
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    for params in ({}, {"columnId": board.columns["Review"]}, {"assignedAgentId": "bot"}, {"projectId": board.id}):
        assert "Pear" not in await _titles(world.sa, **params)


async def test_a_list_stays_inside_the_organization(world: World, board: Board) -> None:
    stranger = await world.script(world.outsider)
    for caller in (world.outsider, stranger):
        assert await _titles(caller) == []
        for params in ({"projectId": board.id}, {"columnId": board.columns["Todo"]}, {"assignedAgentId": "bot"}):
            assert (await _list(caller, **params)).invalid() == [*params]
    (await world.outsider.get(world.sa.org("/cards"))).refused(404, "not_found")
    (await stranger.get(world.sa.org("/cards/mcp"))).refused(403, "cross_organization")
    (await world.sa.get(world.sa.org("/cards/mcp"))).refused(401, "unauthorized")
    (await stranger.get(world.outsider.org("/cards"))).refused(401, "unauthorized")


async def test_cards_are_read_by_ids_and_keys_in_the_order_given(world: World, board: Board) -> None:
    cards = {card["title"]: card for card in (await _list(world.sa, pageSize=100)).ok()["items"]}
    archived, other = await world.card(board, title="Archived"), await world.board(title="Other")
    hidden = await world.card(other, title="On an archived board")
    foreign = await world.card(await world.board(world.outsider), by=world.outsider)
    (await world.sa.delete(f"/cards/{archived['id']}")).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{other.id}"))).ok()
    cherry, pear = cards["Cherry"], cards["Pear"]
    left_out = [archived["id"], archived["key"], hidden["id"], hidden["key"], foreign["id"], foreign["key"] + "9", "no"]
    names = [cherry["key"].lower(), *left_out, pear["id"], cherry["id"]]
    for caller in (world.member, await world.script()):
        page = (await _list(caller, ids=",".join(names))).ok()
        assert page == {"items": [cherry, pear], "page": 1, "pageSize": 100, "total": 2}
        page = (await _list(caller, ids=",".join(names), archived="true")).ok()
        assert [item["id"] for item in page["items"]] == [archived["id"]]
        page = (await _list(caller, ids=f" {pear['key']} , {cherry['id']}", include="fieldValues")).ok()
        assert [item["title"] for item in page["items"]] == ["Pear", "Cherry"]
        assert page["items"][0]["fieldValues"] == []
    (await world.sa.patch(f"/cards/{pear['id']}", {"title": "Plum"})).ok()
    assert await _titles(world.member, ids=pear["key"]) == ["Plum"]


async def test_at_most_100_cards_are_named_and_nothing_else_filters_them(world: World) -> None:
    board = await world.board()
    made = [await world.card(board) for _ in range(25)]
    page = (await _list(world.sa, ids=",".join(card["id"] for card in made) + ",x" * 75)).ok()
    assert [card["id"] for card in page["items"]] == [card["id"] for card in made]
    for ids in ("", ",", "a,,b", ",".join("x" * 101)):
        assert (await _list(world.sa, ids=ids)).invalid() == ["ids"]
    for key, value in (("page", "1"), ("pageSize", "50"), ("priority", "low"), ("q", "x"), ("sort", "dueDate")):
        answer = await _list(world.sa, ids="x", **{key: value})
        assert answer.invalid() == ["ids"]
        assert key in answer.body["error"]["details"]["fields"][0]["message"]
