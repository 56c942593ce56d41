"""Custom fields: made, listed, changed, deleted; their order and their patterns."""

from typing import Any

import pytest

from ..builders import permit
from ..forms import upload
from ..world import Board, World

KINDS = ["text", "richtext", "number", "checkbox", "select", "multiselect", "date", "url", "agent", "user", "file"]
KEYS = {"id", "name", "label", "kind", "required", "options", "order", "validation", "multiple", "showOnCard"}


def _path(world: World, board: Board, field_id: str = "") -> str:
    tail = f"/{field_id}" if field_id else ""
    return world.sa.org(f"/card-types/{board.card_type['id']}/fields{tail}")


async def _names(world: World, board: Board) -> list[str]:
    """Return the names by position, after a look at the positions."""
    fields = (await world.sa.get(_path(world, board))).ok()
    assert [field["order"] for field in fields] == list(range(len(fields)))
    return [field["name"] for field in fields]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_field_of_each_kind_is_made_and_listed_last(world: World, kind: str) -> None:
    board = await world.board()
    body = {"name": "extra", "label": "Extra", "kind": kind, "required": True}
    field = (await world.sa.post(_path(world, board), body)).ok()
    assert set(field) >= KEYS
    assert {key: field[key] for key in body} == body
    assert (field["options"], field["validation"], field["multiple"], field["order"]) == ([], None, False, 5)
    assert (field["showOnCard"], field["optionColors"]) == (False, {})
    assert field["id"].startswith("fld_")
    assert (await world.member.get(_path(world, board))).ok()[-1] == field
    (card_type,) = (await world.sa.get(world.sa.org("/card-types"))).ok()
    assert card_type["fields"][-1] == field


async def test_a_field_keeps_its_options_pattern_and_multiplicity(world: World) -> None:
    board = await world.board()
    for wishes in (
        {"kind": "select", "options": ["a", "b"]},
        {"kind": "text", "validation": "^[A-Z]+$"},
        {"kind": "file", "multiple": True},
        {"kind": "number", "showOnCard": True},
        {"kind": "multiselect", "showOnCard": True, "optionColors": {"Any value": "#12abEF"}},
    ):
        body = {"name": str(wishes["kind"]), **wishes}
        field = (await world.sa.post(_path(world, board), body)).ok()
        assert {key: field[key] for key in wishes} == wishes


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"name": None}, "name"),
        ({"name": ""}, "name"),
        ({"name": 1}, "name"),
        ({"name": "x" * 501}, "name"),
        ({"label": 1}, "label"),
        ({"label": "a\0"}, "label"),
        ({"required": None}, "required"),
        ({"required": "true"}, "required"),
        ({"options": None}, "options"),
        ({"options": "a"}, "options"),
        ({"options": [1]}, "options.0"),
        ({"order": -1}, "order"),
        ({"order": "0"}, "order"),
        ({"validation": 1}, "validation"),
        ({"multiple": None}, "multiple"),
        ({"showOnCard": None}, "showOnCard"),
        ({"showOnCard": "true"}, "showOnCard"),
        ({"optionColors": None}, "optionColors"),
        ({"optionColors": ["a"]}, "optionColors"),
        ({"optionColors": {"a": "red"}}, "optionColors.a"),
        ({"optionColors": {"a": "#123"}}, "optionColors.a"),
        ({"optionColors": {str(n): "#123456" for n in range(501)}}, "optionColors"),
        ({"cardTypeId": "x"}, "cardTypeId"),
    ],
)
async def test_a_wrong_field_is_refused_when_made_and_when_changed(world: World, wrong: Any, path: str) -> None:
    board = await world.board()
    body = {"name": "extra", "kind": "text", **wrong}
    assert (await world.sa.post(_path(world, board), body)).invalid() == [path]
    assert (await world.sa.patch(_path(world, board, board.field("tags")), wrong)).invalid() == [path]
    assert (await world.sa.get(_path(world, board))).ok() == board.card_type["fields"]


@pytest.mark.parametrize("kind", ["Text", "json", "", None, 1])
async def test_an_unknown_kind_is_refused(world: World, kind: Any) -> None:
    board = await world.board()
    assert (await world.sa.post(_path(world, board), {"name": "extra", "kind": kind})).invalid() == ["kind"]
    assert sorted((await world.sa.post(_path(world, board), {})).invalid()) == ["kind", "name"]


async def test_a_field_name_is_there_once_per_card_type(world: World) -> None:
    board = await world.board()
    (await world.sa.post(_path(world, board), {"name": "tags", "kind": "text"})).refused(409, "conflict")
    answer = await world.sa.patch(_path(world, board, board.field("description")), {"name": "tags"})
    answer.refused(409, "conflict")
    other = (await world.sa.post(world.sa.org("/card-types"), {"title": "Other"})).ok()
    path = world.sa.org(f"/card-types/{other['id']}/fields")
    (await world.sa.post(path, {"name": "tags", "kind": "text"})).ok()


async def test_a_patch_of_a_field_changes_what_it_names(world: World) -> None:
    board = await world.board()
    path = _path(world, board, await world.field(board, "level", "select", options=["a"], validation="a"))
    before = (await world.sa.get(_path(world, board))).ok()[-1]
    changed = (await world.sa.patch(path, {"label": "Level", "required": True, "options": ["a", "b"]})).ok()
    assert changed == {**before, "label": "Level", "required": True, "options": ["a", "b"]}
    cleared = (await world.sa.patch(path, {"validation": None})).ok()
    assert cleared == {**changed, "validation": None}
    assert (await world.sa.patch(path, {})).ok() == cleared
    assert (await world.sa.get(_path(world, board))).ok()[-1] == cleared


async def test_options_have_colors_and_only_those_that_are_there(world: World) -> None:
    board = await world.board()
    red, green = {"red": "#ff0000"}, {"green": "#00ff00"}
    extra = {"name": "level", "kind": "select", "options": ["red", "green"]}
    path = _path(world, board)
    assert (await world.sa.post(path, {**extra, "optionColors": {"blue": "#0000ff"}})).invalid() == ["optionColors"]
    assert (await world.sa.post(path, {"name": "x", "kind": "text", "optionColors": red})).invalid() == ["optionColors"]
    assert (await world.sa.post(path, {"name": "x", "kind": "select", "optionColors": red})).invalid() == [
        "optionColors"
    ]
    level = _path(world, board, (await world.sa.post(path, {**extra, "optionColors": red | green})).ok()["id"])
    assert (await world.sa.patch(level, {"label": "L"})).ok()["optionColors"] == red | green
    assert (await world.sa.patch(level, {"options": ["green", "new"]})).ok()["optionColors"] == green
    assert (await world.sa.patch(level, {"optionColors": red})).invalid() == ["optionColors"]
    assert (await world.sa.patch(level, {"optionColors": {}})).ok()["optionColors"] == {}
    (card_type,) = (await world.sa.get(world.sa.org("/card-types"))).ok()
    assert card_type["fields"] == (await world.sa.get(path)).ok()
    tags = next(field for field in card_type["fields"] if field["name"] == "tags")
    assert [field["name"] for field in card_type["fields"] if field["showOnCard"]] == ["tags"]
    assert (await world.sa.patch(_path(world, board, tags["id"]), {"optionColors": {"any": "#abcdef"}})).ok()[
        "optionColors"
    ] == {"any": "#abcdef"}


@pytest.mark.parametrize(("order", "place"), [(0, 0), (3, 3), (5, 5), (50, 5), (None, 5)])
async def test_a_field_put_in_shifts_those_behind_it(world: World, order: Any, place: int) -> None:
    board = await world.board()
    names = await _names(world, board)
    (await world.sa.post(_path(world, board), {"name": "extra", "kind": "text", "order": order})).ok()
    assert await _names(world, board) == [*names[:place], "extra", *names[place:]]


@pytest.mark.parametrize(("start", "end"), [(0, 4), (4, 0), (1, 3), (3, 1), (2, 2), (0, 99)])
async def test_a_field_moved_shifts_the_others(world: World, start: int, end: int) -> None:
    board = await world.board()
    names = await _names(world, board)
    moved = names.pop(start)
    (await world.sa.patch(_path(world, board, board.field(moved)), {"order": end})).ok()
    names.insert(end, moved)
    assert await _names(world, board) == names


async def test_a_field_that_goes_takes_its_values_along_and_is_required_no_more(world: World) -> None:
    board = await world.board()
    tags, text = board.field("tags"), board.field("description")
    await world.column(board, "In Progress", requiredFieldIds=[tags, text])
    values = [{"fieldId": tags, "value": ["a"]}, {"fieldId": text, "value": "b"}]
    card = await world.card(board, fieldValues=values)
    answer = await world.sa.delete(_path(world, board, tags))
    assert (answer.status, answer.body) == (204, None)
    (await world.sa.delete(_path(world, board, tags))).refused(404, "not_found")
    assert "tags" not in await _names(world, board)
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["fieldValues"] == values[1:]
    columns = (await world.sa.get(world.sa.org("/columns"))).ok()
    assert columns[2]["requiredFieldIds"] == [text]
    (await world.sa.patch(f"/cards/{card['id']}/status", {"toColumnId": columns[2]["id"]})).ok()


async def test_a_member_reads_fields_and_writes_none_unless_permitted(world: World) -> None:
    board = await world.board()
    path = _path(world, board, board.field("tags"))
    body = {"name": "extra", "kind": "text"}
    for answer, action in (
        (await world.member.post(_path(world, board), body), "create"),
        (await world.member.patch(path, {"label": "L"}), "update"),
        (await world.member.delete(path), "delete"),
    ):
        assert answer.refused(403, "permission_denied") == {"resource": "Field", "action": action}
    await permit(world, "Member", "Field", "create")
    (await world.member.post(_path(world, board), body)).ok()
    (await world.member.get(_path(world, board))).refused(403, "permission_denied")


async def test_a_field_of_another_organization_or_card_type_cannot_be_told_from_none(world: World) -> None:
    board, foreign = await world.board(), await world.board(world.outsider)
    second = (await world.sa.post(world.sa.org("/card-types"), {"title": "Second"})).ok()["id"]
    tags, types = board.field("tags"), "/card-types/"
    for caller, path in (
        (world.outsider, world.sa.org(f"{types}{board.card_type['id']}/fields/{tags}")),
        (world.outsider, world.outsider.org(f"{types}{board.card_type['id']}/fields/{tags}")),
        (world.outsider, world.outsider.org(f"{types}{foreign.card_type['id']}/fields/{tags}")),
        (world.sa, world.sa.org(f"{types}{second}/fields/{tags}")),
        (world.sa, world.sa.org(f"{types}ctype_x/fields/{tags}")),
        (world.sa, _path(world, board, "fld_x")),
    ):
        (await caller.patch(path, {"label": "L"})).refused(404, "not_found")
        (await caller.delete(path)).refused(404, "not_found")
    (await (await world.key()).get(_path(world, board))).refused(401, "unauthorized")


async def test_the_usage_of_a_field_names_each_board_that_would_lose_values_or_files(world: World) -> None:
    board, other = await world.board(title="One"), await world.board(title="Two")
    kind = (await world.sa.post(world.sa.org("/card-types"), {"title": "Shared"})).ok()["id"]
    base = world.sa.org(f"/card-types/{kind}/fields")
    text = (await world.sa.post(base, {"name": "note", "kind": "text"})).ok()["id"]
    path = f"{base}/{text}/usage"
    assert (await world.sa.get(path)).ok() == []
    values = [{"fieldId": text, "value": "kept"}]
    for place, count in ((board, 1), (other, 2)):
        for _ in range(count):
            one = await world.card(place, cardTypeId=kind, fieldValues=values)
    await world.card(board, cardTypeId=kind)
    (await world.sa.delete(f"/cards/{one['id']}")).ok()  # its value would be lost, too
    assert (await world.sa.get(path)).ok() == [
        {"id": other.id, "title": "Two", "valueCount": 2, "fileCount": 0},
        {"id": board.id, "title": "One", "valueCount": 1, "fileCount": 0},
    ]
    file = (await world.sa.post(base, {"name": "scan", "kind": "file"})).ok()["id"]
    (await world.sa.post(f"/cards/{one['id']}/restore")).ok()
    await upload(world, one, file)
    found = (await world.sa.get(f"{base}/{file}/usage")).ok()
    assert found == [{"id": other.id, "title": "Two", "valueCount": 0, "fileCount": 1}]
    (await world.member.get(path)).refused(403, "permission_denied")
    (await world.outsider.get(path)).refused(404, "not_found")
    (await world.sa.get(f"{base}/fld_unknown/usage")).refused(404, "not_found")
