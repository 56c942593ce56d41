"""Undo: what one agent did within a span is taken back on all cards at once, but for what others changed since."""

from typing import Any

import pytest

from service.resources.undo import undo

from ...direct_db import execute, rows
from ...forms import blob, send, target
from ...snapshots import snapshot_of
from ...streams import changes, position
from ...world import Board, Client, World

LONG_AGO = "2026-01-01T00:00:00.000Z"


async def undone(world: World, agent: Client | str, since: str = LONG_AGO, **wishes: Any) -> Any:
    """Undo what an agent did, as the SA."""
    agent_id = agent if isinstance(agent, str) else agent.id
    return (await world.sa.post(world.sa.org("/undo"), {"agentId": agent_id, "from": since, **wishes})).ok()


async def read(world: World, card: Any) -> Any:
    return (await world.sa.get(f"/cards/{card['id']}")).ok()


async def move_card(who: Client, board: Board, card: Any, *columns: str) -> None:
    path = (
        f"/cards/{card['id']}/status" if "Bearer" in who.headers["Authorization"] else f"/cards/{card['id']}/mcp/status"
    )
    for column in columns:
        (await who.patch(path, {"toColumnId": board.columns[column]})).ok()


async def edit_card(who: Client, card: Any, **changes: Any) -> Any:
    path = f"/cards/{card['id']}" if "Bearer" in who.headers["Authorization"] else f"/cards/{card['id']}/mcp"
    return (await who.patch(path, changes)).ok()


@pytest.fixture
async def board(world: World) -> Board:
    return await world.board()


@pytest.fixture
async def agent(world: World, board: Board) -> Client:
    for column in board.columns:
        await world.column(board, column, agentPickupEnabled=True, agentCanModerate=True)
    return await world.agent()


async def test_moves_and_changes_of_values_go_back_to_what_was_before(
    world: World, board: Board, agent: Client
) -> None:
    tags, notes = board.field("tags"), board.field("description")
    before = [{"fieldId": tags, "value": ["a"]}]
    card = await world.card(board, title="Before", priority="low", fieldValues=before)
    await move_card(agent, board, card, "In Progress", "Review")
    await edit_card(agent, card, title="During", priority="urgent", dueDate="2027-01-01T00:00:00Z")
    values = [{"fieldId": tags, "value": ["b"]}, {"fieldId": notes, "value": "x" * 300}]
    await edit_card(agent, card, title="After", fieldValues=values, assignedAgentId="bot")
    spoiled = await read(world, card)

    answer = await undone(world, agent)

    back = await read(world, card)
    same = ("title", "priority", "dueDate", "columnId", "assignedAgentId", "fieldValues")
    assert {key: back[key] for key in same} == {key: card[key] for key in same}
    assert back["version"] == spoiled["version"] + 1
    row = (await world.history(card["id"]))[-1]
    assert (row["action"], row["actor"]["id"]) == ("undone", world.sa.id)
    assert row["changes"] == {
        "title": {"from": "After", "to": "Before"},
        "priority": {"from": "urgent", "to": "low"},
        "dueDate": {"from": "2027-01-01T00:00:00.000Z", "to": None},
        "columnId": {"from": board.columns["Review"], "to": board.columns["Todo"]},
        "assignedAgentId": {"from": "bot", "to": None},
        "fieldValues.tags": {"from": ["b"], "to": ["a"]},
        "fieldValues.description": {"from": "x" * 300, "to": None},
    }
    (item,) = answer.pop("items")
    assert answer == {"agentId": "bot", "from": LONG_AGO, "to": None, "dryRun": False, "cards": 1, "kept": 0}
    assert item["changes"].keys() == row["changes"].keys()
    assert len(item["changes"]["fieldValues.description"]["from"]) == undo.SHOWN_CHARACTERS_MAX
    assert (item["cardId"], item["cardKey"], item["title"], item["kept"]) == (card["id"], card["key"], "After", [])


async def test_a_text_that_fits_is_shown_whole_and_a_longer_one_cut(world: World, board: Board, agent: Client) -> None:
    card, most = await world.card(board), undo.SHOWN_CHARACTERS_MAX
    for length, shown in ((most, "x" * most), (most + 1, "x" * (most - 1) + "…")):
        await edit_card(agent, card, fieldValues=[{"fieldId": board.field("description"), "value": "x" * length}])
        (item,) = (await undone(world, agent, dryRun=True))["items"]
        assert item["changes"]["fieldValues.description"]["from"] == shown


async def test_a_dry_run_tells_exactly_what_would_happen_and_changes_nothing(
    world: World, board: Board, agent: Client
) -> None:
    cards = [await world.card(board) for _ in range(3)]
    for card in cards:
        await move_card(agent, board, card, "In Progress")
    await edit_card(world.member, cards[1], title="A person's")
    await move_card(world.member, board, cards[2], "Review")
    before, place = await snapshot_of(world.sa), await position(world.sa)

    told = await undone(world, agent, dryRun=True)

    after = await snapshot_of(world.sa)
    assert [after[key] for key in ("cards", "history")] == [before[key] for key in ("cards", "history")]
    assert await position(world.sa) == place
    assert told == await undone(world, agent) | {"dryRun": True}
    assert (told["cards"], told["kept"]) == (2, 1)


async def test_what_a_person_changed_since_is_left_alone_and_listed(world: World, board: Board, agent: Client) -> None:
    card = await world.card(board, title="Before", priority="low")
    await edit_card(agent, card, title="Agent's", priority="high")
    await edit_card(world.member, card, title="Person's")

    (item,) = (await undone(world, agent))["items"]

    assert item["changes"] == {"priority": {"from": "high", "to": "low"}}
    (kept,) = item["kept"]
    assert kept["message"]
    assert (kept["name"], kept["reason"], kept["by"]["id"]) == ("title", "changed_since", world.member.id)
    back = await read(world, card)
    assert (back["title"], back["priority"]) == ("Person's", "low")


async def test_a_value_goes_back_no_further_than_to_what_a_person_chose_in_between(
    world: World, board: Board, agent: Client
) -> None:
    card = await world.card(board, title="First")
    await edit_card(agent, card, title="Second")
    await edit_card(world.member, card, title="Third")
    await edit_card(agent, card, title="Fourth")
    await edit_card(agent, card, title="Fifth")
    assert (await undone(world, agent))["cards"] == 1
    assert (await read(world, card))["title"] == "Third"


async def test_a_value_that_is_not_what_the_agents_last_row_says_stays(
    world: World, board: Board, agent: Client
) -> None:
    card = await world.card(board, title="Before")
    values = [{"fieldId": board.field("description"), "value": "agent's"}]
    await edit_card(agent, card, title="After", fieldValues=values)
    await execute(world, "UPDATE cards SET title = 'Behind its back' WHERE id = :card_id", card_id=card["id"])
    await execute(world, "UPDATE field_values SET value = '\"x\"' WHERE card_id = :card_id", card_id=card["id"])
    (item,) = (await undone(world, agent))["items"]
    assert item["changes"] == {}
    assert {(kept["name"], kept["reason"], kept["by"]) for kept in item["kept"]} == {
        ("title", "changed_since", None),
        ("fieldValues.description", "changed_since", None),
    }
    assert (await read(world, card))["title"] == "Behind its back"


async def test_only_what_was_done_within_the_span_goes_back(world: World, board: Board, agent: Client) -> None:
    card = await world.card(board, title="0")
    other = await world.card(board)
    for title in ("1", "2", "3"):
        await edit_card(agent, card, title=title)
    await move_card(agent, board, other, "In Progress")
    moments = [row["createdAt"] for row in await world.history(card["id"])]
    later = await undone(world, agent, moments[1], to=moments[2], dryRun=True)
    assert [(kept["name"], kept["by"]["id"]) for kept in later["items"][0]["kept"]] == [("title", "bot")]
    assert [item["cardId"] for item in later["items"]] == [card["id"]]
    await undone(world, agent, moments[2], to=moments[3])
    assert (await read(world, card))["title"] == "1"
    assert (await read(world, other))["columnId"] == board.columns["In Progress"]


async def test_cards_that_the_agent_made_go_into_the_archive(world: World, board: Board, agent: Client) -> None:
    body = {**new(board), "title": "New"}
    made, used, quiet = [(await agent.post(agent.org("/cards/mcp"), body)).ok() for _ in range(3)]
    await edit_card(agent, made, title="Newer")
    (await world.member.post(f"/cards/{used['id']}/comments", {"content": "Good"})).ok()
    await edit_card(agent, used, title="Newer")
    (await agent.post(f"/cards/{quiet['id']}/claim/mcp")).ok()

    answer = await undone(world, agent)

    assert [list(item["changes"]) for item in answer["items"]] == [["archivedAt"], ["title"], ["archivedAt"]]
    (kept,) = answer["items"][1]["kept"]
    assert (kept["name"], kept["by"]["id"]) == ("created", world.member.id)
    for card in (made, quiet):
        row = (await world.history(card["id"]))[-1]
        assert row["action"] == "undone"
        assert (await read(world, card))["archivedAt"] == row["changes"]["archivedAt"]["to"]
    assert row["changes"]["claim"] == {"from": "bot", "to": None}
    archived = (await world.sa.get("/archive?type=card")).ok()["items"]
    assert {item["id"] for item in archived} == {made["id"], quiet["id"]}
    assert archived[0]["archivedBy"]["id"] == world.sa.id
    assert (await read(world, used))["title"] == "New"
    (await world.sa.post(f"/cards/{made['id']}/restore")).ok()


async def test_who_only_placed_a_card_that_the_agent_made_has_not_worked_on_it(
    world: World, board: Board, agent: Client
) -> None:
    made = await world.card(board, by=agent)
    place = {"afterCardId": (await world.card(board))["id"]}
    (await world.member.patch(f"/cards/{made['id']}/rank", place)).ok()
    assert [row["action"] for row in await world.history(made["id"])] == ["created", "ranked"]
    answer = await undone(world, agent)
    assert (answer["cards"], answer["kept"]) == (1, 0)
    assert (await read(world, made))["archivedAt"]


async def test_what_the_agent_archived_and_brought_back_is_as_before(world: World, board: Board, agent: Client) -> None:
    away, here = [await world.card(board, "Review", title=title) for title in ("away", "here")]
    await edit_card(agent, away, title="Worse")
    (await world.sa.delete(f"/cards/{away['id']}")).ok()
    (await world.sa.delete(f"/cards/{here['id']}")).ok()
    (await world.sa.post(f"/cards/{here['id']}/restore")).ok()
    # Agents have no route that archives: rows as an import brings them.
    await as_agent(world, away, "archived")
    await as_agent(world, here, "restored")
    archived_at = (await world.history(here["id"]))[1]["changes"]["archivedAt"]["to"]

    assert (await undone(world, agent))["cards"] == 2

    back, gone = await read(world, away), await read(world, here)
    assert (back["archivedAt"], back["title"], back["columnId"]) == (None, "away", board.columns["Review"])
    assert gone["archivedAt"] == archived_at
    listed = (await world.sa.get(world.sa.org(f"/cards?columnId={board.columns['Review']}"))).ok()["items"]
    assert [card["id"] for card in listed] == [away["id"]]


async def as_agent(world: World, card: Any, action: str) -> None:
    """Make the agent the actor of the rows of an action."""
    await execute(world, "DROP TRIGGER IF EXISTS history_is_append_only")
    text = "UPDATE history SET actor_type = 'Agent', actor_id = 'bot' WHERE card_id = :card_id AND action = :action"
    await execute(world, text, card_id=card["id"], action=action)


async def test_files_comments_and_claims_stay_and_files_are_listed(world: World, board: Board, agent: Client) -> None:
    card = await world.card(board, title="Before")
    (await agent.post(f"/cards/{card['id']}/claim/mcp")).ok()
    field_id = board.field("attachments")
    file = (await send(agent, target(card, field_id), blob())).ok()
    (await agent.post(f"/cards/{card['id']}/comments/mcp", {"content": "Said"})).ok()
    await edit_card(agent, card, title="After")
    (item,) = (await undone(world, agent))["items"]
    assert [(kept["name"], kept["reason"]) for kept in item["kept"]] == [("fieldValues.attachments", "files")]
    back = await read(world, card)
    assert back["title"] == "Before"
    assert {"fieldId": field_id, "value": [file["id"]]} in back["fieldValues"]
    assert back["claim"]["agentId"] == "bot"
    assert (await world.sa.get(f"/cards/{card['id']}/comments")).ok()["total"] == 1


async def test_what_cannot_be_brought_back_is_listed_with_why(world: World, board: Board, agent: Client) -> None:
    choice = await world.field(board, "size", "select", options=["S", "M"])
    gone = await world.field(board, "gone")
    values = [{"fieldId": choice, "value": "S"}, {"fieldId": gone, "value": "x"}]
    extra = (await world.sa.post(world.sa.org("/columns"), {"projectId": board.id, "title": "Extra"})).ok()
    board.columns["Extra"] = extra["id"]
    way = {"fromColumnId": extra["id"], "toColumnId": board.columns["Todo"]}
    (await world.sa.post(world.sa.org("/transitions"), way)).ok()
    await world.column(board, "Extra", agentPickupEnabled=True, agentCanModerate=True)
    guest = (await world.sa.post(world.sa.org("/members"), {"email": "guest@example.test", "role": "Member"})).ok()
    card = await world.card(board, "Extra", fieldValues=values, assignedUserId=guest["userId"])
    await move_card(agent, board, card, "Todo")
    after = [{"fieldId": choice, "value": "M"}, {"fieldId": gone, "value": "y"}]
    await edit_card(agent, card, fieldValues=after, assignedUserId=None)
    types = world.sa.org(f"/card-types/{board.card_type['id']}/fields")
    (await world.sa.patch(f"{types}/{choice}", {"options": ["M"]})).ok()
    (await world.sa.delete(f"{types}/{gone}")).ok()
    (await world.sa.delete(world.sa.org(f"/columns/{extra['id']}"))).ok()
    (await world.sa.delete(world.sa.org(f"/members/{guest['userId']}"))).ok()

    (item,) = (await undone(world, agent))["items"]

    assert item["changes"] == {}
    assert {kept["name"]: kept["reason"] for kept in item["kept"]} == {
        "columnId": "column_gone",
        "fieldValues.size": "value_gone",
        "fieldValues.gone": "field_gone",
        "assignedUserId": "value_gone",
    }
    assert (await world.history(card["id"]))[-1]["action"] == "updated"


async def test_the_archive_keeps_what_somebody_else_put_there(world: World, board: Board, agent: Client) -> None:
    card, other = await world.card(board, title="Before"), await world.card(board, title="Before")
    for one in (card, other):
        await edit_card(agent, one, title="After")
    (await world.member.get(f"/cards/{card['id']}")).ok()
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    (item, _) = (await undone(world, agent, dryRun=True))["items"]
    assert [(kept["reason"], kept["by"]["id"]) for kept in item["kept"]] == [("archived", world.sa.id)]
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    answer = await undone(world, agent)
    assert answer["cards"] == 0
    assert {kept["reason"] for item in answer["items"] for kept in item["kept"]} == {"project_archived"}
    assert (await read_archived(world, other))["title"] == "After"


async def read_archived(world: World, card: Any) -> Any:
    return next(row for row in (await snapshot_of(world.sa))["cards"] if row["id"] == card["id"])


async def test_no_transition_is_needed_but_the_rules_of_the_column_hold(
    world: World, board: Board, agent: Client
) -> None:
    cards = [await world.card(board, "Backlog", title=title) for title in ("first", "second")]
    for card in cards:
        await move_card(agent, board, card, "Todo", "In Progress", "Review")
    tags = board.field("tags")
    await world.column(board, "Backlog", wipLimit=1, requiredFieldIds=[tags])
    dry = await undone(world, agent, dryRun=True)
    assert [kept["reason"] for item in dry["items"] for kept in item["kept"]] == ["required_fields"] * 2
    for card in cards:
        await edit_card(world.sa, card, fieldValues=[{"fieldId": tags, "value": ["a"]}])
    dry = await undone(world, agent, dryRun=True)
    assert await undone(world, agent) | {"dryRun": True} == dry
    assert [[kept["reason"] for kept in item["kept"]] for item in dry["items"]] == [[], ["wip_limit"]]
    await world.column(board, "Backlog", wipLimit=None, rejectsBlocked=True)
    blocker = await world.card(board)
    edge = {"fromCardId": blocker["id"], "toCardId": cards[1]["id"], "kind": "blocks"}
    relation = (await world.sa.post(world.sa.org("/relationships"), edge)).ok()
    (item,) = (await undone(world, agent))["items"]
    assert [kept["reason"] for kept in item["kept"]] == ["blocked"]
    (await world.sa.delete(world.sa.org(f"/relationships/{relation['id']}"))).ok()
    assert (await undone(world, agent))["cards"] == 1
    listed = (await world.sa.get(world.sa.org(f"/cards?columnId={board.columns['Backlog']}"))).ok()["items"]
    assert [card["title"] for card in listed] == ["first", "second"]


async def test_each_card_has_one_event_and_a_claim_ends_where_claims_end(
    world: World, board: Board, agent: Client
) -> None:
    await world.column(board, "Backlog", agentPickupEnabled=True)
    card, other = await world.card(board, "Backlog"), await world.card(board)
    (await agent.post(f"/cards/{card['id']}/claim/mcp")).ok()
    for one in (card, other):
        await move_card(agent, board, one, *(("Todo",) if one is card else ("In Progress",)))
        await edit_card(agent, one, title="After")
    await world.column(board, "Backlog", agentPickupEnabled=False)
    place = await position(world.sa)
    await undone(world, agent)
    found = (await changes(world.sa, since=place))["items"]
    assert [(event["type"], event["cardId"]) for event in found] == [
        ("card.undone", card["id"]),
        ("card.undone", other["id"]),
    ]
    assert found[0]["fromColumnId"] == board.columns["Todo"]
    assert found[0]["toColumnId"] == board.columns["Backlog"]
    assert (await read(world, card))["claim"] is None


async def test_undo_can_be_sent_again_and_undoes_only_what_came_since(
    world: World, board: Board, agent: Client
) -> None:
    card = await world.card(board, title="Before")
    await edit_card(agent, card, title="After")
    assert (await undone(world, agent))["cards"] == 1
    again = await undone(world, agent)
    assert (again["cards"], again["kept"], again["items"]) == (0, 0, [])
    await edit_card(agent, card, title="Once more")
    await undone(world, agent)
    assert (await read(world, card))["title"] == "Before"


async def test_an_agent_that_was_removed_and_a_key_that_acts_as_itself_are_undone_too(
    world: World, board: Board, agent: Client
) -> None:
    script = await world.script()
    one, two = await world.card(board, title="Before"), await world.card(board, title="Before")
    await edit_card(agent, one, title="After")
    await edit_card(script, two, title="After")
    (await world.sa.delete("/agents/bot")).ok()
    for who in ("bot", script.id):
        assert (await undone(world, who))["cards"] == 1
    assert {(await read(world, card))["title"] for card in (one, two)} == {"Before"}


async def test_more_cards_than_fit_one_transaction_are_refused_as_a_whole(
    world: World, board: Board, agent: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(undo, "CARDS_MAX", 2)
    cards = [await world.card(board, title="Before") for _ in range(3)]
    for card in cards:
        await edit_card(agent, card, title="After")
    for is_dry in (True, False):
        body = {"agentId": "bot", "from": LONG_AGO, "dryRun": is_dry}
        assert (await world.sa.post(world.sa.org("/undo"), body)).invalid() == ["from"]
    since = (await world.history(cards[1]["id"]))[-1]["createdAt"]
    assert (await undone(world, agent, since))["cards"] == 2
    assert [(await read(world, card))["title"] for card in cards] == ["After", "Before", "Before"]


async def test_a_failure_in_the_middle_changes_nothing(
    world: World, board: Board, agent: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    cards = [await world.card(board, title="Before") for _ in range(2)]
    for card in cards:
        await edit_card(agent, card, title="After")
    place, record = await position(world.sa), undo.history.record

    def fail(call: Any, card_id: str, *about: Any) -> None:
        if card_id == cards[1]["id"]:
            raise RuntimeError
        record(call, card_id, *about)

    with monkeypatch.context() as patch:
        patch.setattr(undo.history, "record", fail)
        answer = await world.sa.post(world.sa.org("/undo"), {"agentId": "bot", "from": LONG_AGO})
    answer.refused(500, "internal_error")
    assert [(await read(world, card))["title"] for card in cards] == ["After", "After"]
    assert await position(world.sa) == place


async def test_only_an_architect_of_the_organization_undoes(world: World, board: Board, agent: Client) -> None:
    body = {"agentId": "bot", "from": LONG_AGO}
    path = world.sa.org("/undo")
    (await world.member.post(path, body)).refused(403, "sa_required")
    (await world.outsider.post(path, body)).refused(404, "not_found")
    (await world.nobody.post(path, body)).refused(401, "unauthorized")
    (await agent.post(path, body)).refused(401, "unauthorized")
    assert (await world.outsider.post(world.outsider.org("/undo"), body)).invalid() == ["agentId"]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"from": LONG_AGO}, "agentId"),
        ({"agentId": "bot"}, "from"),
        ({"agentId": "bot", "from": "yesterday"}, "from"),
        ({"agentId": "bot", "from": LONG_AGO, "to": "2025-12-31T00:00:00Z"}, "to"),
        ({"agentId": "bot", "from": LONG_AGO, "dryRun": "yes"}, "dryRun"),
        ({"agentId": "bot", "from": LONG_AGO, "dry_run": True}, "dry_run"),
        ({"agentId": "nobody", "from": LONG_AGO}, "agentId"),
    ],
)
async def test_a_wrong_body_is_refused(world: World, agent: Client, body: dict[str, Any], path: str) -> None:
    assert (await world.sa.post(world.sa.org("/undo"), body)).invalid() == [path]


async def test_figures_count_what_is_undone_as_the_move_that_it_is_after_an_import_too(
    world: World, board: Board, agent: Client
) -> None:
    card = await world.card(board)
    made = (await agent.post(agent.org("/cards/mcp"), {**new(board), "title": "New"})).ok()
    await move_card(agent, board, card, "In Progress")
    await undone(world, agent)
    text = "SELECT column_change, from_column_id, to_column_id FROM history WHERE action = 'undone' ORDER BY id"
    passages = await rows(world, text)
    todo, progress = board.columns["Todo"], board.columns["In Progress"]
    assert [tuple(row.values()) for row in passages] == [("archived", todo, None), ("moved", progress, todo)]
    snapshot = await snapshot_of(world.sa)
    for one in (card, made):
        (await world.sa.delete(f"/cards/{one['id']}?mode=permanent")).ok()
    assert await rows(world, text) == []
    (await world.sa.post("/admin/import", snapshot)).ok()
    assert await rows(world, text) == passages


def new(board: Board) -> dict[str, str]:
    """Return what a new card must have besides its title."""
    return {"projectId": board.id, "cardTypeId": board.card_type["id"], "columnId": board.columns["Todo"]}
