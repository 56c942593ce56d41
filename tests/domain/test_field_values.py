"""Values of custom fields: what each kind takes, keeps and refuses."""

from typing import Any

import pytest

from ..world import Answer, Board, World

OPTIONS = {"options": ["red", "green"]}
LONG_LINE = "x" * 250

GOOD: list[tuple[str, dict[str, Any], Any, Any]] = [
    ("text", {}, "Äpfel 🍎", "Äpfel 🍎"),
    ("richtext", {}, "# Title\n\n* one", "# Title\n\n* one"),
    ("number", {}, "12.50", "12.50"),
    ("number", {}, "-3", "-3"),
    ("number", {}, 7, "7"),
    ("number", {}, 1.5, "1.5"),
    ("checkbox", {}, "true", "true"),
    ("checkbox", {}, "false", "false"),
    ("checkbox", {}, True, "true"),
    ("checkbox", {}, False, "false"),
    ("select", OPTIONS, "green", "green"),
    ("multiselect", OPTIONS, ["green", "red"], ["green", "red"]),
    ("multiselect", {}, ["anything", "goes"], ["anything", "goes"]),
    ("date", {}, "2026-11-20", "2026-11-20"),
    ("date", {}, "2026-11-20T10:05:00+01:00", "2026-11-20T09:05:00.000Z"),
    ("url", {}, "https://example.test/a?b=c#d", "https://example.test/a?b=c#d"),
    ("url", {}, "http://localhost:8080", "http://localhost:8080"),
]
WRONG: list[tuple[str, dict[str, Any], Any]] = [
    ("text", {}, 5),
    ("text", {}, True),
    ("text", {}, ["a"]),
    ("text", {}, {"a": "b"}),
    ("richtext", {}, 1.5),
    ("number", {}, "twelve"),
    ("number", {}, "1,5"),
    ("number", {}, "1e5"),
    ("number", {}, "Infinity"),
    ("number", {}, "NaN"),
    ("number", {}, "٤٢"),
    ("number", {}, " 1"),
    ("number", {}, 1e308),
    ("number", {}, 1e21),
    ("number", {}, 1e-300),
    ("number", {}, True),
    ("number", {}, ["1"]),
    ("checkbox", {}, "yes"),
    ("checkbox", {}, "True"),
    ("checkbox", {}, 1),
    ("checkbox", {}, 0),
    ("checkbox", {}, ["true"]),
    ("select", OPTIONS, "blue"),
    ("select", OPTIONS, "Red"),
    ("select", OPTIONS, ["red"]),
    ("select", {}, "red"),
    ("multiselect", OPTIONS, ["red", "blue"]),
    ("multiselect", OPTIONS, "red"),
    ("multiselect", {}, [1]),
    ("multiselect", {}, [None]),
    ("multiselect", {}, [["a"]]),
    ("date", {}, "tomorrow"),
    ("date", {}, "2026-02-30"),
    ("date", {}, 20261120),
    ("url", {}, "example.test"),
    ("url", {}, "/path"),
    ("url", {}, "ftp://example.test/"),
    ("url", {}, "javascript:alert(1)"),
    ("url", {}, "https://"),
    ("url", {}, "http://["),
    ("url", {}, "https://example.test/a b"),
    ("url", {}, ["https://example.test"]),
    ("agent", {}, "nobody"),
    ("agent", {}, 1),
    ("agent", {}, ["bot"]),
    ("user", {}, "usr_x"),
    ("user", {}, "member@example.test"),
    ("user", {}, True),
    ("file", {}, "file_x"),
    ("file", {}, ["file_x"]),
]


async def _write(world: World, board: Board, field_id: str, value: Any) -> tuple[Any, Answer]:
    """Make a card and write one value to it."""
    card = await world.card(board)
    values = [{"fieldId": field_id, "value": value}]
    return card, await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": values})


@pytest.mark.parametrize(("kind", "wishes", "given", "kept"), GOOD)
async def test_a_valid_value_is_stored_in_normal_form(
    world: World, kind: str, wishes: Any, given: Any, kept: Any
) -> None:
    board = await world.board()
    field_id = await world.field(board, "extra", kind, **wishes)
    card, answer = await _write(world, board, field_id, given)
    assert answer.ok()["fieldValues"] == [{"fieldId": field_id, "value": kept}]
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == answer.body
    row = (await world.history(card["id"]))[-1]
    assert row["changes"] == {"fieldValues.extra": {"from": None, "to": kept}}
    made = await world.card(board, fieldValues=[{"fieldId": field_id, "value": given}])
    assert made["fieldValues"] == answer.body["fieldValues"]


@pytest.mark.parametrize(("kind", "wishes", "value"), WRONG)
async def test_a_wrong_value_is_refused_by_the_name_of_its_field(
    world: World, kind: str, wishes: Any, value: Any
) -> None:
    board = await world.board()
    field_id = await world.field(board, "extra", kind, **wishes)
    card, answer = await _write(world, board, field_id, value)
    assert "extra" in answer.invalid()[0]
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card
    body = {"projectId": board.id, "cardTypeId": board.card_type["id"], "title": "T"}
    body |= {"fieldValues": [{"fieldId": field_id, "value": value}]}
    assert "extra" in (await world.sa.post(world.sa.org("/cards"), body)).invalid()[0]


async def test_agents_and_users_are_named_by_ids_of_the_organization(world: World) -> None:
    board = await world.board()
    await world.agent("bot", approve=False)
    await world.agent("stranger", world.outsider)
    agent, user = await world.field(board, "helper", "agent"), await world.field(board, "owner", "user")
    for field_id, good, foreign in ((agent, "bot", "stranger"), (user, world.member.id, world.outsider.id)):
        card, answer = await _write(world, board, field_id, good)
        assert answer.ok()["fieldValues"] == [{"fieldId": field_id, "value": good}]
        _, answer = await _write(world, board, field_id, foreign)
        assert answer.invalid()
        assert (await world.sa.get(f"/cards/{card['id']}")).ok()["version"] == 2


@pytest.mark.parametrize("empty", [None, "", []])
@pytest.mark.parametrize(("kind", "wishes", "given", "kept"), [GOOD[0], GOOD[2], GOOD[8], GOOD[12], GOOD[14], GOOD[16]])
async def test_an_empty_value_clears_a_field(
    world: World, kind: str, wishes: Any, given: Any, kept: Any, empty: Any
) -> None:
    board = await world.board()
    field_id = await world.field(board, "extra", kind, **wishes)
    card, _ = await _write(world, board, field_id, given)
    patch = {"fieldValues": [{"fieldId": field_id, "value": empty}]}
    cleared = (await world.sa.patch(f"/cards/{card['id']}", patch)).ok()
    assert [value["value"] for value in cleared["fieldValues"] if value["value"] is not None] == []
    assert cleared["version"] == 3
    assert (await world.history(card["id"]))[-1]["changes"] == {"fieldValues.extra": {"from": kept, "to": None}}
    assert (await world.sa.patch(f"/cards/{card['id']}", patch)).ok() == cleared
    assert len(await world.history(card["id"])) == 3


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ("a", "fieldValues"),
        (None, "fieldValues"),
        ({"a": "b"}, "fieldValues"),
        ([1], "fieldValues.0"),
        ([{}], "fieldValues.0.fieldId"),
        ([{"fieldId": "fld_x", "value": "a"}], "fieldValues.0.fieldId"),
        ([{"fieldId": 5, "value": "a"}], "fieldValues.0.fieldId"),
        ([{"fieldId": "fld_x", "value": "a", "name": "b"}], "fieldValues.0.name"),
        ([{"fieldId": "fld_x", "value": ["\0"]}], "fieldValues.0.value.0"),
    ],
)
async def test_a_list_of_values_of_the_wrong_shape_is_refused(world: World, values: Any, path: str) -> None:
    card = await world.card(await world.board())
    assert path in (await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": values})).invalid()
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card


async def test_a_value_needs_a_field_of_the_cards_own_type(world: World) -> None:
    board, foreign = await world.board(), await world.board(world.outsider)
    second = (await world.sa.post(world.sa.org("/card-types"), {"title": "Second"})).ok()["id"]
    path = world.sa.org(f"/card-types/{second}/fields")
    elsewhere = (await world.sa.post(path, {"name": "extra", "kind": "text"})).ok()["id"]
    for field_id in (elsewhere, foreign.field("description")):
        _, answer = await _write(world, board, field_id, "a")
        assert answer.invalid() == ["fieldValues.0.fieldId"]


async def test_values_that_are_not_named_stay_and_all_are_refused_with_one(world: World) -> None:
    board = await world.board()
    text, tags, link = (board.field(name) for name in ("description", "tags", "pull_request"))
    card = await world.card(board, fieldValues=[{"fieldId": text, "value": "a"}, {"fieldId": tags, "value": ["b"]}])
    mixed = [{"fieldId": text, "value": "new"}, {"fieldId": link, "value": "nowhere"}]
    assert (await world.sa.patch(f"/cards/{card['id']}", {"title": "T", "fieldValues": mixed})).status == 400
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card
    changed = (await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": mixed[:1]})).ok()
    assert changed["fieldValues"] == [{"fieldId": text, "value": "new"}, {"fieldId": tags, "value": ["b"]}]
