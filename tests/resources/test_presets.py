"""Presets: named values that a new card of a type starts with."""

from typing import Any

import pytest

from ..refusals import LEFT_OUT, NUL, change_body, expect_invalid
from ..world import Board, Client, World

PATH = "/preset-fields"


async def _field(world: World, type_id: str, name: str, kind: str, **wishes: Any) -> str:
    path = world.sa.org(f"/card-types/{type_id}/fields")
    return str((await world.sa.post(path, {"name": name, "kind": kind, **wishes})).ok()["id"])


def _body(board: Board, field: str = "description", value: Any = "Text", preset: str = "Bug") -> dict[str, Any]:
    fields = {"cardTypeId": board.card_type["id"], "fieldId": board.field(field)}
    return {**fields, "presetName": preset, "value": value}


async def _preset(world: World, board: Board, *of: Any, by: Client | None = None) -> Any:
    return (await (by or world.sa).post(PATH, _body(board, *of))).ok()


async def _values(world: World, board: Board, by: Client | None = None, **wishes: Any) -> dict[str, Any]:
    card = await world.card(board, by=by, **wishes)
    return {value["fieldId"]: value["value"] for value in card["fieldValues"]}


async def test_preset_rows_are_made_by_architects_and_read_by_members(world: World) -> None:
    board = await world.board()
    made = await _preset(world, board)
    assert set(made) == {"id", "cardTypeId", "presetName", "fieldId", "value"}
    assert made == {"id": made["id"], **_body(board)}
    tags = await _preset(world, board, "tags", ["a", "b"])
    assert tags["value"] == ["a", "b"]
    assert (await world.member.get(f"{PATH}/{made['id']}")).ok() == made
    assert (await world.member.get(PATH)).ok() == [made, tags]


async def test_the_list_can_be_narrowed_to_a_card_type(world: World) -> None:
    made = await _preset(world, await world.board())
    other = (await world.sa.post(world.sa.org("/card-types"), {"title": "Other"})).ok()
    assert (await world.sa.get(PATH, params={"cardTypeId": made["cardTypeId"]})).ok() == [made]
    assert (await world.sa.get(PATH, params={"cardTypeId": other["id"]})).ok() == []
    expect_invalid(await world.sa.get(PATH, params={"type": other["id"]}), "type")


async def test_a_new_card_takes_the_values_of_its_preset_and_explicit_ones_win(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    description, tags, url = (board.field(name) for name in ("description", "tags", "pull_request"))
    await _preset(world, board)
    await _preset(world, board, "tags", ["bug"])
    await _preset(world, board, "description", "Not this one", "Feature")
    for by in (world.member, agent):
        assert await _values(world, board, by, presetName="Bug") == {description: "Text", tags: ["bug"]}
        explicit = [{"fieldId": description, "value": "Mine"}, {"fieldId": url, "value": "https://x.test/1"}]
        values = await _values(world, board, by, presetName="Bug", fieldValues=explicit)
        assert values == {description: "Mine", tags: ["bug"], url: "https://x.test/1"}
    assert await _values(world, board, presetName="Feature") == {description: "Not this one"}
    assert await _values(world, board) == {}
    assert await _values(world, board, presetName=None) == {}


async def test_an_explicit_null_wins_over_the_preset(world: World) -> None:
    board = await world.board()
    await _preset(world, board)
    nothing = [{"fieldId": board.field("description"), "value": None}]
    assert await _values(world, board, presetName="Bug", fieldValues=nothing) == {}


async def test_values_of_a_preset_are_in_the_first_history_row(world: World) -> None:
    board = await world.board()
    await _preset(world, board)
    (row,) = await world.history((await world.card(board, presetName="Bug"))["id"])
    assert row["changes"]["fieldValues.description"] == {"from": None, "to": "Text"}


async def test_a_preset_that_the_card_type_does_not_have_makes_no_card(world: World) -> None:
    board = await world.board()
    await _preset(world, board)
    other = (await world.sa.post(world.sa.org("/card-types"), {"title": "Other"})).ok()["id"]
    for type_id, name in ((board.card_type["id"], "Bugs"), (board.card_type["id"], "bug"), (other, "Bug")):
        body = {"projectId": board.id, "cardTypeId": type_id, "title": "T", "presetName": name}
        expect_invalid(await world.member.post(world.member.org("/cards"), body), "presetName")
    assert (await world.member.get(world.member.org("/cards"))).ok()["total"] == 0


@pytest.mark.parametrize(
    ("kind", "value", "kept"),
    [
        ("text", "x", "x"),
        ("number", 12.5, "12.5"),
        ("number", "7", "7"),
        ("checkbox", True, "true"),
        ("select", "red", "red"),
        ("multiselect", ["red"], ["red"]),
        ("date", "2026-11-20", "2026-11-20"),
        ("url", "https://x.test/", "https://x.test/"),
    ],
)
async def test_a_value_is_kept_as_a_card_would_keep_it(world: World, kind: str, value: Any, kept: Any) -> None:
    type_id = (await world.board()).card_type["id"]
    options = {"options": ["red", "green"]} if "select" in kind else {}
    field = await _field(world, type_id, "f", kind, **options)
    body = {"cardTypeId": type_id, "presetName": "P", "fieldId": field, "value": value}
    made = (await world.sa.post(PATH, body)).ok()
    assert made["value"] == kept
    assert (await world.sa.get(f"{PATH}/{made['id']}")).ok() == made


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("text", ["x"]),
        ("number", "many"),
        ("checkbox", "yes"),
        ("select", "blue"),
        ("multiselect", ["blue"]),
        ("multiselect", "red"),
        ("date", "tomorrow"),
        ("url", "x.test"),
        ("agent", "nobody"),
        ("user", "usr_none"),
        ("file", ["file_1"]),
        ("text", None),
        ("text", ""),
        ("multiselect", []),
    ],
)
async def test_a_value_of_the_wrong_kind_is_refused(world: World, kind: str, value: Any) -> None:
    board = await world.board()
    type_id, options = board.card_type["id"], {"options": ["red", "green"]} if "select" in kind else {}
    field = await _field(world, type_id, "f", kind, **options)
    body = {"cardTypeId": type_id, "presetName": "P", "fieldId": field, "value": value}
    (await world.sa.post(PATH, body)).refused(400, "validation_failed")
    assert (await world.sa.get(PATH)).ok() == []


async def test_a_value_must_match_the_pattern_of_its_field(world: World) -> None:
    type_id = (await world.board()).card_type["id"]
    field = await _field(world, type_id, "code", "text", validation="^[A-Z]+$")
    body = {"cardTypeId": type_id, "presetName": "P", "fieldId": field, "value": "abc"}
    (await world.sa.post(PATH, body)).refused(400, "field_validation_failed")
    made = (await world.sa.post(PATH, {**body, "value": "ABC"})).ok()
    (await world.sa.patch(f"{PATH}/{made['id']}", {"value": "abc"})).refused(400, "field_validation_failed")


async def test_a_preset_has_one_value_for_a_field(world: World) -> None:
    board = await world.board()
    made, other = await _preset(world, board), await _preset(world, board, "description", "Other", "Feature")
    (await world.sa.post(PATH, _body(board, "description", "Twin"))).refused(409, "conflict")
    (await world.sa.patch(f"{PATH}/{other['id']}", {"presetName": "Bug"})).refused(409, "conflict")
    assert (await world.sa.patch(f"{PATH}/{made['id']}", {"presetName": "Bug"})).ok() == made
    assert (await world.sa.get(PATH)).ok() == [made, other]


async def test_a_patch_changes_name_or_value_only(world: World) -> None:
    board = await world.board()
    made = await _preset(world, board)
    path = f"{PATH}/{made['id']}"
    expected = dict(made)
    for change in ({}, {"presetName": "Defect"}, {"value": "New"}):
        expected |= change
        assert (await world.sa.patch(path, change)).ok() == expected
        assert (await world.sa.get(path)).ok() == expected
    for key, value in (("fieldId", board.field("tags")), ("cardTypeId", "x"), ("presetName", None)):
        expect_invalid(await world.sa.patch(path, {key: value}), key)
    for value in (None, ["x"], NUL):
        (await world.sa.patch(path, {"value": value})).refused(400, "validation_failed")
    assert (await world.sa.get(path)).ok() == expected


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"cardTypeId": LEFT_OUT}, "cardTypeId"),
        ({"cardTypeId": None}, "cardTypeId"),
        ({"cardTypeId": "ctype_none"}, "cardTypeId"),
        ({"fieldId": LEFT_OUT}, "fieldId"),
        ({"fieldId": 5}, "fieldId"),
        ({"fieldId": "fld_none"}, "fieldId"),
        ({"presetName": LEFT_OUT}, "presetName"),
        ({"presetName": ""}, "presetName"),
        ({"presetName": "x" * 1001}, "presetName"),
        ({"presetName": NUL}, "presetName"),
        ({"value": LEFT_OUT}, "value"),
        ({"name": "x"}, "name"),
    ],
)
async def test_a_wrong_body_makes_no_preset_row(world: World, change: dict[str, Any], path: str) -> None:
    body = change_body(_body(await world.board()), change)
    expect_invalid(await world.sa.post(PATH, body), path)
    assert (await world.sa.get(PATH)).ok() == []
