"""Validation patterns: RE2, checked when a field is written, found anywhere in a value."""

import asyncio
import threading
from typing import Any

import pytest

from service.domain import pattern_prechecks
from service.pipeline.routing import ROUTES
from service.resources import batch, cards, presets

from ..builders import database
from ..world import Answer, Board, World

LARGEST = 100_000  # characters of a rich text
# Patterns without a small automaton: 0.1 to 8 s for the longest text.
SLOW = [
    "[ab]*a[ab]{100}c",
    "(a{1,50}){1,15}b",
    ".{0,500}z{3}q",
    ".{500}$",
    r"(?:a?){1000}",
    r"[\w.+-]{1,64}@[\w-]{1,63}",
]


async def _value(world: World, board: Board, field_id: str, value: Any) -> Answer:
    body = {"projectId": board.id, "cardTypeId": board.card_type["id"], "title": "T"}
    return await world.sa.post(world.sa.org("/cards"), {**body, "fieldValues": [{"fieldId": field_id, "value": value}]})


@pytest.mark.parametrize("pattern", ["(", "[a", "*", "a{2,1}", "(?=a)", "(?<!a)b", r"(a)\1", "(?P<a>b", "a{5000}"])
async def test_a_pattern_that_re2_refuses_is_refused_with_the_field(world: World, pattern: str) -> None:
    board = await world.board()
    path = world.sa.org(f"/card-types/{board.card_type['id']}/fields")
    body = {"name": "extra", "kind": "text", "validation": pattern}
    (await world.sa.post(path, body)).refused(400, "invalid_pattern")
    answer = await world.sa.patch(f"{path}/{board.field('description')}", {"validation": pattern})
    answer.refused(400, "invalid_pattern")
    assert (await world.sa.get(path)).ok() == board.card_type["fields"]


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        ("b", "abc"),
        ("^a", "abc"),
        ("c$", "abc"),
        ("^abc$", "abc"),
        ("[0-9]{3}", "x123y"),
        ("(?i)ABC", "abc"),
        ("ü", "für"),
    ],
)
async def test_a_pattern_is_found_anywhere_unless_it_is_anchored(world: World, pattern: str, value: str) -> None:
    board = await world.board()
    field_id = await world.field(board, "extra", validation=pattern)
    assert (await _value(world, board, field_id, value)).ok()["fieldValues"][0]["value"] == value


@pytest.mark.parametrize(
    ("pattern", "value"), [("d", "abc"), ("^b", "abc"), ("b$", "abc"), ("^abc$", "abcd"), ("^[A-Z]+-[0-9]+$", "a-1")]
)
async def test_a_value_without_a_match_is_refused(world: World, pattern: str, value: str) -> None:
    board = await world.board()
    field_id = await world.field(board, "extra", validation=pattern)
    details = (await _value(world, board, field_id, value)).refused(400, "field_validation_failed")
    assert details["fieldId"] == field_id
    card = await world.card(board)
    patch = {"title": "New", "fieldValues": [{"fieldId": field_id, "value": value}]}
    (await world.sa.patch(f"/cards/{card['id']}", patch)).refused(400, "field_validation_failed")
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card


async def test_empty_and_non_string_values_skip_the_pattern(world: World) -> None:
    board = await world.board()
    text = await world.field(board, "text", validation="^x$")
    tags = await world.field(board, "labels", "multiselect", validation="^x$")
    for field_id, value in ((text, ""), (text, None), (tags, ["a", "b"]), (tags, [])):
        (await _value(world, board, field_id, value)).ok()
    (await _value(world, board, text, "y")).refused(400, "field_validation_failed")


async def test_a_wrong_kind_is_told_before_a_pattern_that_does_not_match(world: World) -> None:
    board = await world.board()
    field_id = await world.field(board, "amount", "number", validation="^9")
    (await _value(world, board, field_id, "many")).refused(400, "validation_failed")
    (await _value(world, board, field_id, "12")).refused(400, "field_validation_failed")
    (await _value(world, board, field_id, 91)).ok()


async def test_a_new_pattern_leaves_the_values_that_are_there(world: World) -> None:
    board = await world.board()
    field_id = await world.field(board, "extra")
    card = (await _value(world, board, field_id, "old")).ok()
    path = world.sa.org(f"/card-types/{board.card_type['id']}/fields/{field_id}")
    (await world.sa.patch(path, {"validation": "^new"})).ok()
    changed = (await world.sa.patch(f"/cards/{card['id']}", {"title": "Other"})).ok()
    assert changed["fieldValues"] == card["fieldValues"]
    (await _value(world, board, field_id, "old")).refused(400, "field_validation_failed")


@pytest.mark.parametrize("pattern", [".{0,900}z{3}q", r"\p{L}{2,50}", "a{900}" * 10, r"\pL" * 300])
async def test_a_pattern_that_is_too_large_to_be_fast_is_refused_with_the_field(world: World, pattern: str) -> None:
    board = await world.board()
    path = world.sa.org(f"/card-types/{board.card_type['id']}/fields")
    body = {"name": "extra", "kind": "text", "validation": pattern}
    (await world.sa.post(path, body)).refused(400, "invalid_pattern")
    answer = await world.sa.patch(f"{path}/{board.field('description')}", {"validation": pattern})
    answer.refused(400, "invalid_pattern")


@pytest.mark.parametrize("pattern", SLOW)
async def test_the_larger_a_pattern_the_shorter_the_text_that_it_looks_through(world: World, pattern: str) -> None:
    board = await world.board()
    field_id = await world.field(board, "extra", "richtext", validation=pattern)
    longest = await _value(world, board, field_id, "ab" * (LARGEST // 2))
    longest.refused(400, "field_validation_failed")
    assert "is too long for the pattern" in longest.body["error"]["message"]
    short = await _value(world, board, field_id, "ab" * 60)
    assert short.status == 200 or "does not match" in short.body["error"]["message"]


@pytest.mark.parametrize("pattern", ["^#", "a+b", "(x+x+)+y|a", "(?i)ABAB"])
async def test_a_plain_pattern_looks_through_the_longest_text(world: World, pattern: str) -> None:
    board = await world.board()
    field_id = await world.field(board, "extra", "richtext", validation=pattern)
    (await _value(world, board, field_id, "#" + "ab" * (LARGEST // 2 - 1))).ok()


async def test_a_pattern_from_before_the_bound_still_looks_through_short_values(world: World) -> None:
    board = await world.board()
    field_id = await world.field(board, "extra", validation="x")
    with database(world) as connection:
        connection.execute("UPDATE fields SET validation = ? WHERE id = ?", (r"^\p{L}{2,50}$", field_id))
    (await _value(world, board, field_id, "a" * 250)).refused(400, "field_validation_failed")
    (await _value(world, board, field_id, "ab")).ok()


async def test_values_of_parts_and_presets_are_matched_as_those_of_cards(world: World) -> None:
    board = await world.board()
    field_id = await world.field(board, "extra", validation="^[0-9]+$")
    row = {"cardTypeId": board.card_type["id"], "presetName": "usual", "fieldId": field_id, "value": "12"}
    made = (await world.sa.post("/preset-fields", row)).ok()
    (await world.sa.patch(f"/preset-fields/{made['id']}", {"value": "13"})).ok()
    (await world.sa.patch(f"/preset-fields/{made['id']}", {"value": "x"})).refused(400, "field_validation_failed")
    card = await world.card(board, presetName="usual")
    assert card["fieldValues"] == [{"fieldId": field_id, "value": "13"}]
    for value, status in (("7", 200), ("x", 400)):
        part = {"title": "Part", "fieldValues": [{"fieldId": field_id, "value": value}]}
        assert (await world.sa.post(f"/cards/{card['id']}/split", {"parts": [part]})).status == status
    path = world.sa.org(f"/card-types/{board.card_type['id']}/fields/{field_id}")
    (await world.sa.patch(path, {"validation": "^x$"})).ok()
    body = {"projectId": board.id, "cardTypeId": board.card_type["id"], "title": "T", "presetName": "usual"}
    (await world.sa.post(world.sa.org("/cards"), body)).refused(400, "field_validation_failed")


async def test_a_pattern_that_comes_between_the_look_at_a_value_and_its_writing_is_not_passed_by(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.database.deadline.UNIT_SECONDS_MAX", 30)  # for the unit that holds the writer
    board, hold = await world.board(), threading.Event()
    field_id = await world.field(board, "extra")
    path = world.sa.org(f"/card-types/{board.card_type['id']}/fields/{field_id}")
    held = asyncio.create_task(world.service.store.write(lambda tx: hold.wait(10)))
    await asyncio.sleep(0.05)
    pattern = asyncio.create_task(world.sa.patch(path, {"validation": "^x$"}))
    await asyncio.sleep(0.2)
    card = asyncio.create_task(_value(world, board, field_id, "y"))
    await asyncio.sleep(0.2)
    hold.set()
    await held
    (await pattern).ok()
    (await card).refused(409, "conflict")


def test_every_route_that_takes_values_matches_them_before_its_transaction() -> None:
    taking = [route for route in ROUTES if route.body and "NewFieldValue" in str(route.body.model_json_schema())]
    assert {route.path for route in taking} >= {"/cards/{card_id}", "/cards/{card_id}/split"}
    # The others call the first one.
    prechecks = (pattern_prechecks.precheck_patterns, batch._precheck_patterns, cards._precheck_patterns)
    assert [route.path for route in taking if route.before not in prechecks] == []
    presetting = [route for route in ROUTES if route.body in (presets.NewPresetField, presets.PresetFieldEdit)]
    assert all(route.before is not None for route in presetting)
