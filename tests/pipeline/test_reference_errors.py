"""An unknown id in a body is refused with the existing options, if the caller may read them."""

from typing import Any

import pytest

from ..builders import permit
from ..world import Board, Client, World

COLUMNS = ["Backlog", "Todo", "In Progress", "Review", "Done"]
FIELDS = ["description", "acceptance_criteria", "tags", "pull_request", "attachments"]


async def refused(who: Client, path: str, body: Any, named: str) -> Any:
    """Send a body that is refused for one key, and return the options."""
    answer = await (who.patch if path.endswith("/status") else who.post)(path, body)
    assert answer.invalid() == [named], answer.body
    return answer.body["error"]["details"].get("options")


def cases(who: Client, board: Board, card: Any) -> list[tuple[str, Any, str, Any]]:
    """List bodies in which one id names nothing, each with the path of the id and what there is."""
    whole = {"projectId": board.id, "cardTypeId": board.card_type["id"], "title": "New"}
    value = [{"fieldId": "none", "value": "x"}]
    move = {"toColumnId": "none"}
    return [
        (who.org("/cards"), whole | {"projectId": "none"}, "projectId", ["Board"]),
        (who.org("/cards"), whole | {"columnId": "none"}, "columnId", COLUMNS),
        (who.org("/cards"), whole | {"cardTypeId": "none"}, "cardTypeId", ["Task"]),
        (who.org("/cards"), whole | {"fieldValues": value}, "fieldValues.0.fieldId", FIELDS),
        (who.org("/cards"), whole | {"presetName": "none"}, "presetName", ["Bug"]),
        (f"/cards/{card['id']}/status", move, "toColumnId", COLUMNS),
    ]


async def scene(world: World) -> tuple[Board, Any]:
    board = await world.board()
    preset = {"cardTypeId": board.card_type["id"], "presetName": "Bug", "fieldId": board.field("tags"), "value": ["x"]}
    (await world.sa.post("/preset-fields", preset)).ok()
    await world.board(world.outsider, title="Secret")
    return board, await world.card(board)


async def test_an_error_for_an_unknown_id_lists_the_existing_ones(world: World) -> None:
    board, card = await scene(world)
    for path, body, named, options in cases(world.member, board, card):
        assert await refused(world.member, path, body, named) == options


async def test_architects_and_agents_are_told_too(world: World) -> None:
    board, _ = await scene(world)
    (await world.sa.post("/prompts", {"name": "Build", "body": "x"})).ok()
    team = (await world.sa.get(world.sa.org("/teams"))).ok()
    column = {"projectId": board.id, "title": "New"}
    todo = board.columns["Todo"]
    agent = await world.agent()
    made: list[tuple[Client, str, Any, str, Any]] = [
        (world.sa, world.sa.org("/columns"), column | {"projectId": "none"}, "projectId", ["Board"]),
        (world.sa, world.sa.org("/columns"), column | {"promptId": "none"}, "promptId", ["Build"]),
        (world.sa, world.sa.org("/transitions"), {"fromColumnId": todo, "toColumnId": "x"}, "toColumnId", COLUMNS),
        (world.sa, "/prompts", {"name": "Other", "body": "x", "categoryId": "none"}, "categoryId", []),
        (agent, agent.org("/cards/claim/mcp"), {"projectId": "none"}, "projectId", ["Board"]),
        (agent, agent.org("/cards/claim/mcp"), {"columnId": "none"}, "columnId", COLUMNS),
        (agent, agent.org("/cards/claim/mcp"), {"cardTypeId": "none"}, "cardTypeId", ["Task"]),
    ]
    for who, path, body, named, options in made:
        assert await refused(who, path, body, named) == options
    assert team == []
    assert await refused(world.sa, "/settings/api-keys", {"name": "New", "teamId": "none"}, "teamId") != []


@pytest.mark.parametrize("resource", ["Column", "Project", "CardType", "Field"])
async def test_who_may_not_read_a_thing_is_told_of_none(world: World, resource: str) -> None:
    board, card = await scene(world)
    await permit(world, "Member", resource)
    hidden = {"Column": COLUMNS, "Project": ["Board"], "CardType": ["Task"], "Field": FIELDS}[resource]
    for path, body, named, options in cases(world.member, board, card):
        told = await refused(world.member, path, body, named)
        assert told == (None if options == hidden or (options == ["Bug"] and resource == "CardType") else options)


async def test_no_more_than_twenty_are_told(world: World) -> None:
    board = await world.board()
    for number in range(25):
        body = {"projectId": board.id, "title": f"Column {number}"}
        (await world.sa.post(world.sa.org("/columns"), body)).ok()
    card = await world.card(board)
    options = await refused(world.sa, f"/cards/{card['id']}/status", {"toColumnId": "none"}, "toColumnId")
    assert options == [*COLUMNS, *(f"Column {number}" for number in range(15))]
