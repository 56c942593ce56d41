"""Arguments of tools as clients really send them, and schemas that strict clients accept."""

from collections.abc import Iterator
from typing import Any

import pytest

from service.tools import server
from service.tools.registry import TOOLS

from ..world import World
from .talk import talking

assert server  # importing it fills the registry
UNSUPPORTED = {"$ref", "anyOf", "oneOf", "allOf", "$defs"}
DOCUMENTED_MAX = 10  # of the fields of cards, which are different in each organization


def walk(schema: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a schema and all schemas inside it, each with its path."""
    yield path, schema
    for name, inner in schema.get("properties", {}).items():
        yield from walk(inner, f"{path}.{name}")
    if "items" in schema:
        yield from walk(schema["items"], f"{path}[]")


async def test_strict_clients_accept_every_schema(world: World) -> None:
    async with talking(await world.agent()) as talk:
        listed = {tool.name: tool.input_schema for tool in (await talk.client.list_tools()).tools}
    schemas = listed | {name: tool.input_schema for name, tool in TOOLS.items()}
    for path, schema in (found for name in schemas for found in walk(schemas[name], name)):
        assert not UNSUPPORTED & schema.keys(), path
        assert isinstance(schema.get("type"), str), path
        assert schema["type"] != "object" or "properties" in schema, path
        assert schema["type"] != "array" or "type" in schema["items"], path
        assert not path.endswith(".fields") or len(schema["properties"]) <= DOCUMENTED_MAX, path


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_json_text_is_taken_for_the_type_that_is_declared(world: World, mode: str) -> None:
    board = await world.board()
    for _ in range(3):
        await world.card(board)
    async with talking(await world.agent(), mode) as talk:
        for size in (2, "2", 2.0, "2.0", " 2 "):
            assert len((await talk.ok("list_cards", pageSize=size))["items"]) == 2
        shown = await talk.ok("get_board", show='["columns", "Card Types"]')
        assert {"columns", "cardTypes"} <= shown.keys()
        assert "transitions" not in shown
        await talk.ok("claim", card="BOA-1", leaseSeconds="60", takeOver="false")
        parts = '[{"title": "One", "priority": "HIGH", "fields": "{\\"tags\\": [\\"api\\"]}"}, {"title": "[1]"}]'
        made = (await talk.ok("split_card", card="BOA-1", parts=parts))["parts"]
        assert [part["title"] for part in made] == ["One", "[1]"]
        card = (await world.sa.get(f"/cards/{made[0]['key']}")).ok()
        assert card["priority"] == "high"
        assert {"fieldId": board.field("tags"), "value": ["api"]} in card["fieldValues"]


@pytest.mark.parametrize("wrong", ["two", "2.5", 2.5, "true", "[2]", "", "null", True])
async def test_a_text_of_another_type_is_refused(world: World, wrong: Any) -> None:
    async with talking(await world.agent()) as talk:
        assert (await talk.refused("list_cards", "validation_failed", pageSize=wrong))["fields"][0][
            "path"
        ] == "pageSize"
        if wrong not in ("true", True):
            await talk.refused("claim_next", "validation_failed", takeOver=wrong)


FIELDS: list[Any] = [
    {"description": '{"a": 1}', "tags": ["api", "web"]},
    {"Description": '{"a": 1}', " TAGS ": '["api", "web"]'},
    '{"description": "{\\"a\\": 1}", "tags": ["api", "web"]}',
    [{"name": "description", "value": '{"a": 1}'}, {"name": "tags", "value": ["api", "web"]}],
    '[{"name": "description", "value": "{\\"a\\": 1}"}, {"name": "tags", "value": "[\\"api\\", \\"web\\"]"}]',
]


@pytest.mark.parametrize("fields", FIELDS)
async def test_fields_are_an_object_or_a_list_and_texts_stay_texts(world: World, fields: Any) -> None:
    board = await world.board()
    async with talking(await world.agent()) as talk:
        await talk.ok("create_card", title='["title"]', fields=fields)
    card = (await world.sa.get("/cards/BOA-1")).ok()
    assert card["title"] == '["title"]'
    values = {item["fieldId"]: item["value"] for item in card["fieldValues"]}
    assert values == {board.field("description"): '{"a": 1}', board.field("tags"): ["api", "web"]}


@pytest.mark.parametrize(
    "wrong",
    ["x", "5", [{"name": "tags"}], ["tags"], [{"name": "tags", "value": []}] * 2, '["tags"]', '{"tags": "\\u0000"}'],
)
async def test_wrong_fields_are_refused(world: World, wrong: Any) -> None:
    await world.board()
    async with talking(await world.agent()) as talk:
        details = await talk.refused("create_card", "validation_failed", title="New", fields=wrong)
        assert details["fields"][0]["path"] == "fields"
        deep = "[" * 200 + "]" * 200
        await talk.refused("create_card", "invalid_json", title="New", fields=f'{{"tags": {deep}}}')
    assert (await world.sa.get(world.sa.org("/cards"))).ok()["total"] == 0


async def test_words_and_names_are_understood_in_any_spelling(world: World) -> None:
    board = await world.board()
    await world.card(board)
    await world.card(board)
    async with talking(await world.agent()) as talk:
        assert (await talk.ok("update_card", card="#boa-1", priority="High"))["column"] == "Todo"
        assert (await talk.ok("move_card", card="BOA1", to=" in_progress "))["column"] == "In Progress"
        assert (await talk.ok("list_cards", column="IN-PROGRESS", priority=" high "))["total"] == 1
        assert (await talk.ok("list_cards", project="board", column=" Todo ", cardType="TASK"))["total"] == 1
        assert (await talk.ok("relate", card="BOA1", kind="Depends_On", other="boa2"))["kind"] == "dependsOn"
        assert (await talk.ok("update_card", card="BOA-1", priority="NONE"))["key"] == "BOA-1"
    assert (await world.sa.get("/cards/BOA-1")).ok()["priority"] == "none"


async def test_people_and_agents_are_named_by_name_or_e_mail(world: World) -> None:
    board = await world.board()
    await world.card(board)
    agent = await world.agent("bot")
    name = (await world.member.get("/auth/me")).ok()["fullName"]
    async with talking(agent) as talk:
        for named in (world.member.id, name.upper(), "Member@Example.test", f" {name} "):
            await talk.ok("update_card", card="BOA-1", assignedUserId=named, assignedAgentId="BOT")
            card = (await world.sa.get("/cards/BOA-1")).ok()
            assert (card["assignedUserId"], card["assignedAgentId"]) == (world.member.id, "bot")
            await talk.ok("update_card", card="BOA-1", assignedUserId="none", assignedAgentId="None", dueDate="none")
            assert (await world.sa.get("/cards/BOA-1")).ok()["assignedUserId"] is None
        await talk.ok("create_card", title="Mine", assignedUserId=name)
        assert (await talk.ok("list_cards", assignedUserId="member@example.test"))["total"] == 1
        parts = [{"title": "Part", "assignedAgentId": "nobody"}]
        details = await talk.refused("split_card", "validation_failed", card="BOA-1", parts=parts)
        assert (details["fields"][0]["path"], details["options"]) == ("parts.0.assignedAgentId", ["bot"])


async def test_a_handle_names_one_of_several_people_of_the_same_name_with_its_at_sign_too(world: World) -> None:
    board, named = await world.board(), (await world.member.get("/auth/me")).ok()
    (await world.sa.patch("/settings/profile", {"fullName": named["fullName"], "handle": "zz"})).ok()
    await world.field(board, "reviewer", "user")
    card = await world.card(board)
    async with talking(await world.agent()) as talk:
        for written, person in (("mo-member", world.member), ("@Mo-Member", world.member), ("@zz", world.sa)):
            await talk.ok("update_card", card="BOA-1", assignedUserId=written, fields={"reviewer": written})
            assert (await world.sa.get(f"/cards/{card['id']}")).ok()["assignedUserId"] == person.id
            for filter in ({"assignedUserId": written}, {"fields": {"reviewer": written}}):
                assert (await talk.ok("list_cards", **filter))["total"] == 1
        assert (await talk.ok("list_cards", fields={"reviewer": [world.member.id, "nobody"]}))["total"] == 0
        for filter in ({"assignedUserId": "Mo Member"}, {"fields": {"reviewer": "Mo Member"}}):
            error = await talk.error("list_cards", "validation_failed", **filter)
            assert "names several members" in error["message"]
        (await world.member.patch("/settings/profile", {"fullName": "ZZ"})).ok()
        for written, person in (("zz", world.member), ("@zz", world.sa)):  # a name comes before a handle
            await talk.ok("update_card", card="BOA-1", assignedUserId=written)
            assert (await world.sa.get(f"/cards/{card['id']}")).ok()["assignedUserId"] == person.id


async def test_an_unknown_or_ambiguous_person_is_an_error_with_names_and_without_e_mails(world: World) -> None:
    await world.board()
    named = (await world.member.get("/auth/me")).ok()["fullName"]
    (await world.sa.patch("/settings/profile", {"fullName": named})).ok()
    async with talking(await world.agent()) as talk:
        for name in (named, "Nobody", "nobody@example.test", "outsider@example.test", world.outsider.id):
            error = await talk.error("list_cards", "validation_failed", assignedUserId=name)
            assert len(error["details"]["options"]) == 2
            assert "@example.test" not in str(error).replace(name, "")
        assert all(option.startswith(f"{named} (usr_") for option in error["details"]["options"])
        assert (await talk.refused("list_cards", "validation_failed", assignedAgentId="nobody"))["options"] == ["bot"]
