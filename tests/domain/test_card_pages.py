"""Pages of cards, found by indexes: they always equal the result of reading every card."""

import asyncio
import itertools
from collections import Counter
from typing import Any

import pytest

from service.text.comparison import fold_text

from ..builders import database, permit
from ..resources.test_claims_order import PRIORITIES, TITLES, Bustle
from ..world import World

COLUMNS = "id, project_id, column_id, card_type_id, assigned_agent_id, assigned_user_id, priority, title, due_date"
KEYS = {
    "rank": lambda card: (card["rank_key"], card["id"]),
    "dueDate": lambda card: (card["due_date"] is None, card["due_date"] or "", card["rank_key"], card["id"]),
    "priority": lambda card: (-PRIORITIES.index(card["priority"]), card["rank_key"], card["id"]),
}
NAMES = {
    "projectId": "project_id",
    "columnId": "column_id",
    "cardTypeId": "card_type_id",
    "assignedAgentId": "assigned_agent_id",
    "assignedUserId": "assigned_user_id",
    "priority": "priority",
}


def active(world: World) -> list[dict[str, Any]]:
    """Read every active card of the organization."""
    names = [*COLUMNS.split(", "), "rank_key", "updated_at"]
    with database(world) as connection:
        rows = connection.execute(
            f"SELECT {', '.join(names)} FROM cards WHERE org_id = ? AND archived_at IS NULL", (world.sa.org_id,)
        )
        return [dict(zip(names, row, strict=True)) for row in rows]


def plainly(cards: list[dict[str, Any]], sort: str, filters: dict[str, list[str]]) -> list[str]:
    """Return the ids of the cards that filters leave, in order."""
    found = [card for card in cards if all((card[NAMES[name]] or "none") in any_of for name, any_of in filters.items())]
    if sort == "-updatedAt":
        by_id = sorted(found, key=lambda card: card["id"])
        return [card["id"] for card in sorted(by_id, key=lambda card: card["updated_at"], reverse=True)]
    return [card["id"] for card in sorted(found, key=KEYS[sort])]


async def page(world: World, **query: Any) -> Any:
    return (await world.sa.get(world.sa.org("/cards"), params=query)).ok()


async def busy(world: World, seed: int, count: int) -> Bustle:
    """Let anything happen to two boards."""
    boards = [await world.board(), await world.board(title="Second")]
    bustle = Bustle(world, boards, [await world.agent("bot"), await world.agent("other")], seed)
    bustle.other_type = (await world.sa.post(world.sa.org("/card-types"), {"title": "Bug"})).ok()["id"]
    await world.card(await world.board(world.outsider), by=world.outsider)  # which nobody here is to see
    for _ in range(40):
        await bustle.add()
    for _ in range(count):
        await bustle.anything()
    return bustle


@pytest.mark.parametrize("seed", [1, 2])
async def test_every_page_is_the_one_that_a_look_at_every_card_would_show(world: World, seed: int) -> None:
    bustle = await busy(world, seed, 120)
    board, cards = bustle.boards[0], active(world)
    values: dict[str, list[str]] = {
        "projectId": [board.id],
        "columnId": [board.columns[title] for title in TITLES],
        "cardTypeId": [board.card_type["id"], bustle.other_type],
        "assignedAgentId": ["bot", "other", "none"],
        "assignedUserId": [world.member.id, "none"],
        "priority": list(PRIORITIES),
    }
    pick = lambda name, count: bustle.dice.sample(values[name], min(count, len(values[name])))  # noqa: E731
    alone = [{name: [value]} for name in values for value in values[name]] + [{name: pick(name, 2)} for name in values]
    both = [
        {first: pick(first, bustle.dice.choice([1, 2])), second: pick(second, bustle.dice.choice([1, 2]))}
        for first, second in itertools.combinations(values, 2)
    ]
    for sort, filters in itertools.product(("rank", "-updatedAt", "dueDate", "priority"), [{}, *alone, *both]):
        expected = plainly(cards, sort, filters)
        size = bustle.dice.choice([1, 3, 7, 100])
        number = bustle.dice.randint(1, max(1, -(-len(expected) // size)) + 1)
        shown = await page(world, sort=sort, page=number, pageSize=size, **filters)
        assert [card["id"] for card in shown["items"]] == expected[(number - 1) * size :][:size], (sort, filters)
        assert shown["total"] == len(expected), (sort, filters)


async def test_the_stored_counts_of_values_always_equal_counted_ones(world: World) -> None:
    bustle = await busy(world, 4, 60)
    first, second = bustle.boards
    gone = next(card for card in active(world) if card["project_id"] == first.id)
    (await world.sa.delete(f"/cards/{gone['id']}", params={"mode": "permanent"})).ok()
    (await world.sa.delete("/agents/other")).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{second.id}"))).ok()
    assert _counted(world) == _told(world)
    (await world.sa.post(f"/archive/project/{second.id}/restore")).ok()
    assert _counted(world) == _told(world)
    (await world.sa.delete(world.sa.org(f"/projects/{second.id}?mode=permanent"))).ok()
    assert _counted(world) == _told(world)


def _counted(world: World) -> dict[tuple[str, str], int]:
    """Count the active cards by each value of what they are filtered by."""
    names = ("card_type_id", "priority", "assigned_agent_id", "assigned_user_id")
    pairs = [(name, card[name]) for card in active(world) for name in names if card[name] is not None]
    return dict(Counter(pairs))


def _told(world: World) -> dict[tuple[str, str], int]:
    """Return the counts that the database keeps."""
    with database(world) as connection:
        rows = connection.execute(
            "SELECT filter, value, cards FROM card_counts WHERE org_id = ? AND cards <> 0", (world.sa.org_id,)
        )
        return {(name, value): count for name, value, count in rows}


async def test_columns_know_how_many_cards_they_hold_whatever_happens(world: World) -> None:
    bustle = await busy(world, 3, 60)
    first, second = bustle.boards
    cards = [card for card in active(world) if card["project_id"] == first.id]
    (await world.sa.delete(f"/cards/{cards[0]['id']}", params={"mode": "permanent"})).ok()
    (await world.sa.delete(world.sa.org(f"/columns/{first.columns['Todo']}?moveTo={first.columns['Backlog']}"))).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{second.id}"))).ok()
    assert (await page(world, projectId=second.id))["total"] == 0
    (await world.sa.post(f"/archive/project/{second.id}/restore")).ok()
    with database(world) as connection:
        told = dict(connection.execute("SELECT id, card_count FROM columns WHERE card_count <> 0"))
    counted: dict[str, int] = {}
    for card in active(world):
        counted[card["column_id"]] = counted.get(card["column_id"], 0) + 1
    assert {key: count for key, count in told.items() if key in counted} == counted
    assert len(told) == len(counted) + 1  # and one of others


# Letters with another case, some of them outside of ASCII, where case counts; what LIKE and the index give a meaning.
LETTERS = [
    "a",
    "A",
    "b",
    "B",
    "c",
    "é",
    "É",
    "i",
    "İ",
    "ß",
    "Σ",
    "ς",
    "画",
    "面",
    "確",
    "e\u0301",
    "%",
    "_",
    '"',
    "*",
    "'",
    "-",
    "😀",
]


@pytest.mark.parametrize("titled_max", [500, 4])
async def test_part_of_a_title_finds_what_a_look_at_every_title_would(
    world: World, monkeypatch: pytest.MonkeyPatch, titled_max: int
) -> None:
    monkeypatch.setattr("service.domain.card_pages.TITLE_CANDIDATES_MAX", titled_max)
    bustle = await busy(world, 5, 0)
    for turn in range(4):
        for card in bustle.dice.sample(bustle.cards, 25):  # noted, and by the next turn indexed by another title
            title = "x" + "".join(bustle.dice.choices([*LETTERS, " "], k=bustle.dice.randint(2, 12))) + "x"
            (await world.sa.patch(f"/cards/{card}", {"title": title})).ok()
        if turn == 2:
            (await world.sa.delete(f"/cards/{bustle.cards.pop()}", params={"mode": "permanent"})).ok()
            (await world.sa.delete(f"/cards/{bustle.cards.pop()}")).ok()
            bustle.cards.append((await world.card(bustle.boards[0], title="xaB画面x"))["id"])
        await _parts_proved(world, bustle)
        (await world.sa.get(world.sa.org("/search"), params={"q": "anything"})).ok()
        await _parts_proved(world, bustle)


async def _parts_proved(world: World, bustle: Bustle) -> None:
    """Ask for parts of titles, and for texts of the same letters that few or none have."""
    cards, dice = active(world), bustle.dice
    cut = lambda text: text[(start := dice.randrange(len(text))) : start + dice.randint(1, 6)]  # noqa: E731
    parts = [cut(dice.choice(cards)["title"]) for _ in range(12)] + [
        "".join(dice.choices(LETTERS, k=3)),
        "zzz",
        "ca",
        "a" * 5000,
    ]
    for part in parts:
        text = "".join(dice.choice([one.upper(), one.lower()]) if one.isascii() else one for one in part)
        filters = dice.choice([{}, {}, {"priority": ["high"]}, {"projectId": [bustle.boards[0].id]}])
        sort = dice.choice([*KEYS, "-updatedAt"])
        expected = plainly([card for card in cards if fold_text(text) in fold_text(card["title"])], sort, filters)
        shown = await page(world, q=text, sort=sort, pageSize=7, **filters)
        assert [card["id"] for card in shown["items"]] == expected[:7], (text, sort, filters)
        assert shown["total"] == len(expected), (text, filters)


@pytest.mark.parametrize("seed", [6, 7])
async def test_a_cached_page_always_equals_a_newly_built_one(world: World, seed: int) -> None:
    bustle = await busy(world, seed, 0)
    queries: list[dict[str, str]] = [{"pageSize": "100"}, {"claimedBy": "bot"}, {"q": "card", "sort": "priority"}]
    for number in range(60):
        await (bustle.claim() if number % 4 == 0 else bustle.pass_time() if number % 4 == 2 else bustle.anything())
        for query in queries:
            shown = await page(world, **query)
            world.service.card_page_cache.clear()
            assert await page(world, **query) == shown, query  # and that one is kept


async def test_a_cached_page_shows_no_expired_claim(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    await world.column(board, "Todo", agentPickupEnabled=True)
    (await agent.post(f"/cards/{card['id']}/claim/mcp", {"leaseSeconds": 30})).ok()
    for seconds, count in ((0, 1), (29, 1), (1, 0)):
        world.clock.forward(seconds=seconds)  # and nothing is written
        shown = await page(world)
        assert sum(item["claim"] is not None for item in shown["items"]) == count, seconds
        assert (await page(world, claimedBy=agent.id))["total"] == count, seconds


async def test_a_cached_page_is_not_shown_without_permission(world: World) -> None:
    await world.card(await world.board())
    path = world.member.org("/cards")
    for _ in range(2):
        assert (await world.member.get(path)).ok()["total"] == 1
    (await world.outsider.get(path)).refused(404, "not_found")
    await permit(world, "Member", "Card")
    (await world.member.get(path)).refused(403, "permission_denied")


async def test_a_cached_page_is_rebuilt_after_writes_of_another_program(world: World) -> None:
    card = await world.card(await world.board())
    world.service.revisions.clear()  # as after a start
    await page(world)
    with database(world) as connection:
        connection.execute("UPDATE cards SET title = 'From beside' WHERE id = ?", (card["id"],))
    async with asyncio.timeout(10):
        while (await page(world))["items"][0]["title"] != "From beside":  # noqa: ASYNC110
            await asyncio.sleep(0.1)
