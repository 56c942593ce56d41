"""Titles and names: 1 to 500 characters on one line, the same for all resources."""

from typing import Any

import pytest

from ..world import World

RESOURCES: dict[str, tuple[str, str, dict[str, Any]]] = {
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
    body = {name: text.format(board=board.id, type=board.card_type["id"]) for name, text in body.items()}
    for title in ("x" * 501, "a\x1fb", "a\x7f", "a\x80b", "\x9fa", "\x85", " ", ""):
        assert (await world.sa.post(path, {**body, key: title})).invalid() == [key], title
    for title in ("x" * 500, "\U0001f389\xa0\xad"):
        assert (await world.sa.post(path, {**body, key: title})).ok()[key] == title
