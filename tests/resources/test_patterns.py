"""Validation patterns: RE2, checked when a field is written, found anywhere in a value."""

import time
from typing import Any

import pytest

from ..world import Answer, Board, World


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


@pytest.mark.parametrize("pattern", ["^(a+)+$", "(a|aa)+$", "(.*a){25}", "^(([a-z])+.)+[A-Z]([a-z])+$"])
async def test_a_catastrophic_pattern_answers_fast(world: World, pattern: str) -> None:
    board = await world.board()
    field_id = await world.field(board, "extra", "richtext", validation=pattern)
    begin = time.monotonic()
    answer = await _value(world, board, field_id, "a" * 20_000 + "!")
    assert answer.status in (200, 400)
    assert time.monotonic() - begin < 2
