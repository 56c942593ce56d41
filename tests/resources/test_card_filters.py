"""Filters of lists of cards: values of one mean any of them, several filters all of them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ..tools.talk import talking
from ..world import Answer, Board, Client, World


async def _list(caller: Client, *filters: tuple[str, str]) -> Answer:
    path = caller.org("/cards/mcp" if "ApiKey" in caller.headers["Authorization"] else "/cards")
    return await caller.get(path, params=[("pageSize", "100"), *filters])


async def _find(caller: Client, *filters: tuple[str, str]) -> list[str]:
    """Return the titles of the cards that are found, in alphabetical order."""
    page = (await _list(caller, *filters)).ok()
    assert page["total"] == len(page["items"])
    return sorted(card["title"] for card in page["items"])


async def _refused(caller: Client, key: str, *values: str) -> Any:
    """Return the details of the refusal of the values of a filter."""
    answer = await _list(caller, *((key, value) for value in values))
    assert answer.invalid() == [key]
    return answer.body["error"]["details"]


@pytest.fixture
async def board(world: World) -> Board:
    """Four cards that differ in what lists filter by."""
    board = await world.board()
    for agent in ("bot", "other"):
        await world.agent(agent)
    bug = (await world.sa.post(world.sa.org("/card-types"), {"title": "Bug"})).ok()
    fields = world.sa.org(f"/card-types/{bug['id']}/fields")
    tags = (await world.sa.post(fields, {"name": "Tags", "kind": "multiselect"})).ok()["id"]
    (await world.sa.post(fields, {"name": "severity", "kind": "select", "options": ["Low", "High"]})).ok()
    await world.field(board, "link", "text")
    await world.card(board, title="A", priority="low", assignedUserId=world.sa.id)
    await world.card(board, "Review", title="B", priority="high", assignedAgentId="bot")
    labels = [
        {"fieldId": board.field("tags"), "value": ["Größe", "ui"]},
        {"fieldId": await world.field(board, "when"), "value": "at 10:30"},
    ]
    await world.card(board, "Done", title="C", priority="high", assignedAgentId="other", fieldValues=labels)
    values = [{"fieldId": tags, "value": ["GROSSE"]}]
    await world.card(board, title="D", cardTypeId=bug["id"], assignedUserId=world.member.id, fieldValues=values)
    return board


async def test_values_of_one_filter_mean_any_and_several_filters_all(world: World, board: Board) -> None:
    other = await world.board(title="Other")
    await world.card(other, title="E", assignedUserId=world.member.id, priority="urgent")
    todo, done = ("columnId", board.columns["Todo"]), ("columnId", board.columns["Done"])
    high, none, bot = ("priority", "high"), ("priority", "none"), ("assignedAgentId", "bot")
    for caller in (world.member, await world.script()):
        assert await _find(caller, todo, done) == ["A", "C", "D"]
        assert await _find(caller, todo, done, high) == ["C"]
        assert await _find(caller, high, ("priority", "low")) == ["A", "B", "C"]
        assert await _find(caller, high, none) == ["B", "C", "D"]
        assert await _find(caller, bot, ("assignedAgentId", "other")) == ["B", "C"]
        assert await _find(caller, ("projectId", board.id), ("projectId", other.id)) == ["A", "B", "C", "D", "E"]
        assert await _find(caller, ("projectId", other.id), high) == []
        assert await _find(caller, bot, bot) == ["B"]
        for sort in ("-updatedAt", "dueDate", "priority"):
            assert await _find(caller, high, ("priority", "urgent"), ("sort", sort)) == ["B", "C", "E"]
    details = await _refused(world.sa, "assignedAgentId", "bot", "nobody")
    assert details["options"] == ["bot", "other"]
    (await world.sa.delete("/agents/other")).ok()
    assert await _find(world.sa, ("assignedAgentId", "other"), bot) == ["B"]
    assert await _find(world.sa, ("assignedAgentId", "other")) == []


async def test_assignees_can_be_nobody_and_the_caller(world: World, board: Board) -> None:
    agent, script = await world.agent("third"), await world.script()
    nobody, own = ("assignedUserId", "none"), ("assignedUserId", "me")
    assert await _find(world.sa, nobody) == ["B", "C"]
    assert await _find(world.sa, own) == ["A"]
    assert await _find(world.member, own) == ["D"]
    assert await _find(world.member, own, nobody) == ["B", "C", "D"]
    assert await _find(world.member, ("assignedAgentId", "none"), nobody) == []
    assert await _find(world.member, ("assignedAgentId", "none"), own) == ["D"]
    assert await _find(agent, ("assignedAgentId", "me")) == []
    await world.card(board, title="E", assignedAgentId="third")
    assert await _find(agent, ("assignedAgentId", "me")) == ["E"]
    assert await _find(agent, ("assignedAgentId", "me"), ("assignedAgentId", "bot")) == ["B", "E"]
    await _refused(world.sa, "assignedUserId", "")
    for caller, key in ((world.sa, "assignedAgentId"), (script, "assignedAgentId"), (agent, "assignedUserId")):
        await _refused(caller, key, "me")


async def test_values_of_fields_are_compared_as_names_are(world: World, board: Board) -> None:
    for caller in (world.member, await world.script()):
        assert await _find(caller, ("field", "tags:größe")) == ["C", "D"]
        assert await _find(caller, ("field", "TAGS:grosse"), ("priority", "high")) == ["C"]
        assert await _find(caller, ("field", "tags:UI"), ("field", "tags:nothing")) == ["C"]
        assert await _find(caller, ("field", "tags:ui"), ("field", "when:AT 10:30")) == ["C"]
        assert await _find(caller, ("field", "tags:grosse"), ("field", "when:at 10:30")) == ["C"]
        assert await _find(caller, ("field", "tags:grosse"), ("field", "severity:High")) == []
        assert await _find(caller, ("field", "tags:u")) == []
        assert await _find(caller, ("field", "tags:")) == []
        assert await _find(caller, ("field", "tags:ui"), ("q", "c"), ("sort", "priority")) == ["C"]
        details = await _refused(caller, "field", "tags:ui", "nothing:x")
        assert {"tags", "severity", "when", "link"} <= set(details["options"])
        for wrong in ("tags", "", ":ui", " :ui", "tags:" + "x" * 500):
            assert "options" not in await _refused(caller, "field", wrong)
    same = await world.field(board, "TAGS", "multiselect")  # another field whose name is compared as equal
    (card,) = [item for item in (await _list(world.sa)).ok()["items"] if item["title"] == "C"]
    edit = {"fieldValues": [{"fieldId": same, "value": ["GROSSE"]}]}
    (await world.sa.patch(f"/cards/{card['id']}", edit)).ok()
    assert await _find(world.sa, ("field", "tags:grosse")) == ["C", "D"]
    assert "severity" not in (await _refused(world.outsider, "field", "severity:High"))["options"]


async def test_due_dates_are_those_of_the_zone_of_the_organization(world: World) -> None:
    board = await world.board()
    day = datetime.now(UTC).date() + timedelta(days=1)
    world.clock.stop(f"{day}T12:30:00Z")  # in Auckland, in the first two hours of the next day
    (await world.sa.patch(f"/organizations/{world.sa.org_id}", {"timezone": "Pacific/Auckland"})).ok()
    today = day + timedelta(days=1)
    late = {"dueDate": f"{today - timedelta(days=1)}"}
    await world.card(board, title="Yesterday", **late)
    await world.card(board, "Done", title="Yesterday, done", **late)
    checked = {"fieldId": await world.field(board, "due_complete", "checkbox"), "value": "true"}
    await world.card(board, title="Yesterday, met", fieldValues=[checked], **late)
    await world.card(board, title="Today", dueDate=f"{today}")
    await world.card(board, title="Passed today", dueDate=f"{day}T12:01:00Z")
    await world.card(board, title="Before midnight", dueDate=f"{day}T10:30:00Z")
    await world.card(board, title="Later today", dueDate=f"{today}T10:30:00Z")
    await world.card(board, title="Sixth day", dueDate=f"{today + timedelta(days=6)}")
    await world.card(board, title="Seventh day", dueDate=f"{today + timedelta(days=7)}")
    await world.card(board, title="Without")
    overdue = ["Before midnight", "Passed today", "Yesterday"]
    yesterday = ["Yesterday", "Yesterday, done", "Yesterday, met"]
    of_today = ["Later today", "Passed today", "Today"]
    for caller in (world.member, await world.script()):
        assert await _find(caller, ("due", "overdue")) == overdue
        assert await _find(caller, ("due", "today")) == of_today
        assert await _find(caller, ("due", "week")) == sorted([*of_today, "Sixth day"])
        assert await _find(caller, ("due", "none")) == ["Without"]
        assert await _find(caller, ("due", "none"), ("due", "today")) == sorted([*of_today, "Without"])
        assert await _find(caller, ("due", "overdue"), ("due", "today")) == sorted({*overdue, *of_today})
        assert await _find(caller, ("due", f"{day}..{day}")) == ["Before midnight", *yesterday]
        assert len(await _find(caller, ("due", "1000-01-01..9999-12-31"))) == 9
        assert await _find(caller, ("due", "0001-01-01..1999-12-31")) == []
    for wrong in ("late", "", f"{day}", f"{today}..{day}", "2026-02-30..2026-03-01", "2026-1-1..2026-2-1"):
        await _refused(world.sa, "due", wrong)
    world.clock.stop(f"{today}T12:00:00Z")  # a day later, without a change: no page from before is shown
    assert "Today" in await _find(world.sa, ("due", "overdue"))


async def test_the_overdue_cards_are_those_that_need_attention(world: World) -> None:
    board = await world.board()
    for column in ("Todo", "Done"):
        await world.card(board, column, dueDate="2020-01-01")
    await world.card(board, dueDate="2020-01-01T10:00:00Z")
    items = (await world.sa.get(world.sa.org("/attention"))).ok()
    ids = {item["cardId"] for item in items if item["kind"] == "overdue_card"}
    listed = (await _list(world.sa, ("due", "overdue"))).ok()["items"]
    assert {card["id"] for card in listed} == ids
    assert len(ids) == 2


async def test_cards_are_found_by_the_time_of_their_last_change(world: World) -> None:
    board = await world.board()
    await world.card(board, title="Old")
    world.clock.forward(7200)
    assert await _find(world.sa, ("updatedSince", "1h")) == []
    card = await world.card(board, title="New")
    assert await _find(world.sa, ("updatedSince", "1h")) == ["New"]
    assert await _find(world.sa, ("updatedSince", "3h"), ("sort", "priority")) == ["New", "Old"]
    assert await _find(world.sa, ("updatedSince", card["updatedAt"])) == ["New"]
    world.clock.forward(7200)
    assert await _find(world.sa, ("updatedSince", "1h")) == []
    for wrong in ("yesterday", "12", "1w"):
        await _refused(world.sa, "updatedSince", wrong)


async def test_archived_cards_are_listed_on_request_unless_their_board_is_archived(world: World) -> None:
    board, gone = await world.board(), await world.board(title="Gone")
    kept, left = await world.card(board, title="Kept"), await world.card(board, title="Left", priority="high")
    for card in (left, await world.card(gone, title="Before")):
        (await world.sa.delete(f"/cards/{card['id']}")).ok()
    await world.card(gone, title="With its board")
    archived = ("archived", "true")
    for caller in (world.member, await world.script()):
        assert await _find(caller, archived) == ["Before", "Left"]
    (await world.sa.delete(world.sa.org(f"/projects/{gone.id}"))).ok()
    high = ("priority", "high")
    for caller in (world.member, await world.script()):
        assert await _find(caller, archived) == ["Left"]
        assert await _find(caller, archived, ("q", "left"), high, ("sort", "-updatedAt")) == ["Left"]
        assert await _find(caller, archived, ("priority", "low")) == []
        assert await _find(caller, ("q", "left")) == await _find(caller, ("field", "tags:x")) == []
        assert await _find(caller, ("archived", "false")) == [kept["title"]]
        assert (await _list(caller, archived)).ok()["items"][0]["archivedAt"] is not None
    await _refused(world.sa, "archived", "maybe")
    (await world.sa.post(f"/archive/card/{left['id']}/restore")).ok()
    assert await _find(world.sa, archived) == []


async def test_claimed_cards_are_found_by_their_agents_and_by_title_at_once(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.column(board, "Todo", agentPickupEnabled=True)
    card = await world.card(board, title="Fetch water")
    other = await world.card(board, title="Fetch wood")
    (await agent.post(f"/cards/{card['id']}/claim/mcp", {})).ok()
    await world.agent("idle")
    claimed = ("claimedBy", "bot"), ("claimedBy", "idle")
    assert await _find(world.sa, *claimed) == ["Fetch water"]
    assert await _find(world.sa, *claimed, ("q", "fetch")) == ["Fetch water"]
    assert await _find(world.sa, ("claimedBy", "idle"), ("q", "fetch")) == []
    world.clock.forward(7200)
    assert await _find(world.sa, *claimed, ("q", "fetch")) == []
    (await agent.post(f"/cards/{other['id']}/claim/mcp", {})).ok()
    assert await _find(world.sa, *claimed, ("q", "fetch")) == ["Fetch wood"]


async def test_a_filter_takes_100_values_and_ten_due_dates(world: World, board: Board) -> None:
    limits = (
        ("priority", "high", 100),
        ("field", "tags:ui", 100),
        ("assignedAgentId", "bot", 100),
        ("due", "today", 10),
    )
    for key, value, limit in limits:
        (await _list(world.sa, *[(key, value)] * limit)).ok()
        await _refused(world.sa, key, *[value] * (limit + 1))


async def test_agents_list_cards_by_the_same_filters(world: World, board: Board) -> None:
    agent = await world.agent("third")
    await world.card(board, title="Mine", assignedAgentId="third", dueDate="2020-01-01")

    async def find(**arguments: Any) -> list[str]:
        return sorted(card["title"] for card in (await talk.ok("list_cards", **arguments))["items"])

    async with talking(agent) as talk:
        assert await find(assignedAgentId="me") == ["Mine"]
        assert await find(assignedAgentId=["Me", "bot"]) == ["B", "Mine"]
        assert await find(assignedAgentId="none", assignedUserId=["mo member", "none"]) == ["D"]
        assert await find(column=["todo", "Review"], project="board") == ["A", "B", "D", "Mine"]
        assert await find(priority=["low", "high"]) == ["A", "B", "C"]
        assert await find(fields={"Tags": ["GRÖSSE", "x"]}) == ["C", "D"]
        assert await find(fields=[{"name": "tags", "value": "ui"}, {"name": "when", "value": "at 10:30"}]) == ["C"]
        assert await find(due="overdue", updatedSince="1h") == ["Mine"]
        assert await find(archived=True) == []
        error = await talk.error("list_cards", "validation_failed", fields={"nothing": "x"})
        assert "tags" in error["details"]["options"]
        await talk.error("list_cards", "validation_failed", assignedUserId="me")
