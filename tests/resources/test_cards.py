"""Cards: made, read, changed, archived, restored, removed; by people and by agents."""

from pydantic.alias_generators import to_camel

from service.resources.card_lifecycle import NewCard
from service.resources.cards import FIELDS, CardEdit

from ..builders import database
from ..world import World

# Columns that are nobody's business, or shown in another form (its place: include=place).
COUNTS = {"comment_count", "reply_count", "history_count", "file_count", "part_count", "done_part_count"}
NOT_SHOWN = {"rank_key", "archived_by", "archive_id"} | COUNTS
# Columns that the service itself writes; the others are said when a card is made.
NOT_SAID = {"id", "number", "org_id", "rank_key", "version", "created_by", "created_at", "updated_at"} | {
    *("archived_at", "archived_by", "archive_id"),
    *COUNTS,
}
NOT_EDITED = {"project_id", "column_id"}  # moves and transfers have their routes


async def test_a_card_is_made_in_the_first_column_and_reads_back(world: World) -> None:
    board = await world.board()
    body = {"projectId": board.id, "cardTypeId": board.card_type["id"], "title": "First"}
    card = (await world.member.post(world.member.org("/cards"), body)).ok()
    assert card["columnId"] == board.columns["Backlog"]
    assert (card["priority"], card["version"], card["fieldValues"]) == ("none", 1, [])
    assert card["createdBy"] == {"type": "User", "id": world.member.id, "label": "Mo Member"}
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card | {"watching": False}
    (row,) = await world.history(card["id"])
    assert row["action"] == "created"
    assert row["actor"]["id"] == world.member.id
    assert row["changes"]["title"] == {"from": None, "to": "First"}


async def test_a_patch_changes_what_it_names_and_writes_one_history_row(world: World) -> None:
    board = await world.board()
    card = await world.card(board, fieldValues=[{"fieldId": board.field("tags"), "value": ["a", "b"]}])
    patch = {"title": "New", "fieldValues": [{"fieldId": board.field("description"), "value": "**Text**"}]}
    changed = (await world.member.patch(f"/cards/{card['id']}", patch)).ok()
    assert changed["title"] == "New"
    assert changed["version"] == 2
    assert {value["fieldId"]: value["value"] for value in changed["fieldValues"]} == {
        board.field("tags"): ["a", "b"],
        board.field("description"): "**Text**",
    }
    rows = await world.history(card["id"])
    assert [row["action"] for row in rows] == ["created", "updated"]
    assert rows[1]["changes"] == {
        "title": {"from": "Card", "to": "New"},
        "fieldValues.description": {"from": None, "to": "**Text**"},
    }


async def test_a_patch_that_changes_nothing_writes_nothing(world: World) -> None:
    card = await world.card(await world.board())
    for patch in ({}, {"title": "Card"}, {"dueDate": None}, {"fieldValues": []}):
        assert (await world.sa.patch(f"/cards/{card['id']}", patch)).ok() == card
    assert len(await world.history(card["id"])) == 1


async def test_a_card_tells_its_place_only_if_asked_for_it(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    first, second = await world.card(board), await world.card(board)
    for caller, path in ((world.member, f"/cards/{second['id']}"), (agent, f"/cards/{second['id']}/mcp")):
        seen = (await caller.get(path)).ok()
        assert not {"rank", "afterCardId"} & seen.keys()
        assert (await caller.get(path, params={"include": "place"})).ok() == {**seen, "afterCardId": first["id"]}
        assert (await caller.get(path, params={"include": "rank"})).invalid() == ["include"]
    assert await world.above(first) is None


async def test_every_column_of_a_card_is_shown_said_and_edited_unless_there_is_a_reason(world: World) -> None:
    card = await world.card(await world.board())
    with database(world) as connection:
        columns = {row[1] for row in connection.execute("PRAGMA table_info(cards)")}
    listed = (await world.sa.get(world.sa.org("/cards"))).ok()["items"][0]
    for shown in (card, listed):
        assert {to_camel(name) for name in columns - NOT_SHOWN} <= shown.keys()
    assert columns - NOT_SAID <= NewCard.model_fields.keys()
    assert columns - NOT_SAID - NOT_EDITED == {*FIELDS, "due_all_day"}  # which history writes into dueDate
    assert set(FIELDS) <= CardEdit.model_fields.keys()
