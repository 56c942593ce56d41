"""Titles and names: 1 to 500 characters on one line, the same for all resources."""

from typing import Any

import pytest

from service.schemas import json_text

from ..direct_db import execute
from ..tools.talk import talking
from ..world import World

RESOURCES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "organization": ("/organizations", "title", {}),
    "preset": ("/preset-fields", "presetName", {"cardTypeId": "{type}", "fieldId": "{field}", "value": ["x"]}),
    "project": ("{org}/projects", "title", {}),
    "column": ("{org}/columns", "title", {"projectId": "{board}"}),
    "card": ("{org}/cards", "title", {"projectId": "{board}", "cardTypeId": "{type}"}),
    "card type": ("{org}/card-types", "title", {}),
    "team": ("{org}/teams", "name", {}),
    "prompt category": ("/prompt-categories", "name", {}),
    "prompt": ("/prompts", "name", {"body": "Text"}),
    "API key": ("/settings/api-keys", "name", {}),
    "tool server": ("/mcp-servers", "name", {"transport": "http", "url": "https://example.com/mcp"}),
}


@pytest.mark.parametrize("resource", RESOURCES)
async def test_a_title_has_at_most_500_characters_and_no_control_characters(world: World, resource: str) -> None:
    board, (path, key, body) = await world.board(), RESOURCES[resource]
    path = path.format(org=world.sa.org())
    ids = {"board": board.id, "type": board.card_type["id"], "field": board.field("tags")}
    body = {name: text.format(**ids) if isinstance(text, str) else text for name, text in body.items()}
    for title in ("x" * 501, "a\x1fb", "a\x7f", "a\x80b", "\x9fa", "\x85", " ", ""):
        assert (await world.sa.post(path, {**body, key: title})).invalid() == [key], title
    for title in ("x" * 500, "\U0001f389\xa0\xad"):
        assert (await world.sa.post(path, {**body, key: title})).ok()[key] == title


WRONG_CHOICES = ("a\x1fb", "a\x7f", "a\x80b", "a\nb", " ", "")


async def test_the_name_of_a_person_has_no_control_characters(world: World) -> None:
    for name in ("a\x7fb", "\x9fa", " "):
        assert (await world.sa.patch("/settings/profile", {"fullName": name})).invalid() == ["fullName"]
        body = {"email": "new@example.test", "fullName": name, "role": "Member"}
        assert (await world.sa.post(world.sa.org("/members"), body)).invalid() == ["fullName"]
    for email in ("a\x7fb@example.test", "a@\x01example.test", "\x80@example.test"):
        body = {"email": email, "role": "Member"}
        assert (await world.sa.post(world.sa.org("/members"), body)).invalid() == ["email"], email


async def test_options_tags_and_answers_to_choose_from_have_no_control_characters(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.column(board, "Todo", agentPickupEnabled=True, agentCanModerate=True)
    card, fields = await world.card(board), world.sa.org(f"/card-types/{board.card_type['id']}/fields")
    for wrong in WRONG_CHOICES:
        body = {"name": "size", "kind": "select", "options": ["S", wrong]}
        assert (await world.sa.post(fields, body)).invalid() == ["options.1"], wrong
        tags = {"fieldValues": [{"fieldId": board.field("tags"), "value": ["a", wrong]}]}
        assert (await world.sa.patch(f"/cards/{card['id']}", tags)).invalid() == ["fieldValues.tags"], wrong
        question = {"content": "Which?", "asks": True, "options": ["a", wrong]}
        answer = await agent.post(f"/cards/{card['id']}/comments/mcp", question)
        assert answer.invalid() == ["options.1"], wrong
    options = {"options": ["x" * 200, "\U0001f389 \xa0"]}
    field = (await world.sa.post(fields, {"name": "size", "kind": "multiselect", **options})).ok()
    values = {"fieldValues": [{"fieldId": field["id"], "value": options["options"]}]}
    (await world.sa.patch(f"/cards/{card['id']}", values)).ok()


async def test_an_option_of_an_earlier_version_can_still_be_chosen(world: World) -> None:
    board, name = await world.board(), "a\x7fb"
    field_id = await world.field(board, "size", "multiselect", options=["S"])
    await execute(world, "UPDATE fields SET options = :options WHERE id = :id", options=json_text([name]), id=field_id)
    card = await world.card(board, fieldValues=[{"fieldId": field_id, "value": [name]}])
    assert {"fieldId": field_id, "value": [name]} in card["fieldValues"]


async def test_whatever_has_a_long_name_can_be_named_by_it(world: World) -> None:
    board, name, agent = await world.board(), "N" * 500, await world.agent()
    preset = {"cardTypeId": board.card_type["id"], "fieldId": board.field("tags"), "value": ["x"], "presetName": name}
    (await world.sa.post("/preset-fields", preset)).ok()
    (await world.sa.patch(world.sa.org(f"/projects/{board.id}"), {"title": name})).ok()
    (await world.sa.patch(world.sa.org(f"/card-types/{board.card_type['id']}"), {"title": name})).ok()
    await world.column(board, "Todo", title=name)
    card = await world.card(board, presetName=name)
    assert {"fieldId": board.field("tags"), "value": ["x"]} in card["fieldValues"]
    async with talking(agent) as talk:
        place = {"project": name, "column": name, "cardType": name, "preset": name}
        made = await talk.ok("create_card", title="By names", **place)
        await talk.ok("move_card", card=made["key"], to="In Progress")
        await talk.ok("move_card", card=made["key"], to=name)
        found = await talk.ok("list_cards", project=name, column=name, cardType=name)
        assert found["total"] == 2
