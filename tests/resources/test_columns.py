"""Columns: made, listed and changed; who may, and what is refused."""

from typing import Any

import pytest

from ..builders import permit
from ..world import World

KEYS = {
    "id",
    "projectId",
    "title",
    "order",
    "agentPickupEnabled",
    "agentCanModerate",
    "columnType",
    "wipLimit",
    "requiredFieldIds",
    "createdAt",
}


async def test_a_column_is_made_with_everything_it_can_say(world: World) -> None:
    board = await world.board()
    body = {
        "projectId": board.id,
        "title": "Blocked",
        "agentPickupEnabled": True,
        "agentCanModerate": True,
        "columnType": "done",
        "wipLimit": 3,
        "requiredFieldIds": [board.field("description")],
    }
    column = (await world.sa.post(world.sa.org("/columns"), body)).ok()
    assert set(column) >= KEYS
    assert {key: column[key] for key in body} == body
    assert column["order"] == 5
    assert column["id"].startswith("col_")
    listed = (await world.sa.get(world.sa.org("/columns"), params={"projectId": board.id})).ok()
    assert listed[-1] == column


async def test_a_column_that_says_little_is_closed_to_agents_and_unlimited(world: World) -> None:
    board = await world.board()
    column = (await world.sa.post(world.sa.org("/columns"), {"projectId": board.id, "title": "C"})).ok()
    assert (column["agentPickupEnabled"], column["agentCanModerate"]) == (False, False)
    assert (column["columnType"], column["wipLimit"], column["requiredFieldIds"]) == ("standard", None, [])


WRONG = [
    ({"title": None}, "title"),
    ({"title": 1}, "title"),
    ({"title": ""}, "title"),
    ({"title": "x" * 501}, "title"),
    ({"title": "a\0"}, "title"),
    ({"order": -1}, "order"),
    ({"order": "1"}, "order"),
    ({"order": 1.5}, "order"),
    ({"order": True}, "order"),
    ({"agentPickupEnabled": None}, "agentPickupEnabled"),
    ({"agentPickupEnabled": "true"}, "agentPickupEnabled"),
    ({"agentCanModerate": 1}, "agentCanModerate"),
    ({"columnType": "Done"}, "columnType"),
    ({"columnType": None}, "columnType"),
    ({"wipLimit": 0}, "wipLimit"),
    ({"wipLimit": "2"}, "wipLimit"),
    ({"requiredFieldIds": None}, "requiredFieldIds"),
    ({"requiredFieldIds": ["fld_x"]}, "requiredFieldIds.0"),
    ({"agentPickup": True}, "agentPickup"),
]


@pytest.mark.parametrize(("wrong", "path"), WRONG)
async def test_a_wrong_column_is_refused_when_made_and_when_changed(world: World, wrong: Any, path: str) -> None:
    board = await world.board()
    body = {"projectId": board.id, "title": "C", **wrong}
    assert (await world.sa.post(world.sa.org("/columns"), body)).invalid() == [path]
    before = (await world.sa.get(world.sa.org("/columns"))).ok()
    assert (await world.sa.patch(world.sa.org(f"/columns/{board.columns['Todo']}"), wrong)).invalid() == [path]
    assert (await world.sa.get(world.sa.org("/columns"))).ok() == before


async def test_a_column_needs_a_title_and_a_project_of_the_organization(world: World) -> None:
    board, foreign = await world.board(), await world.board(world.outsider)
    assert sorted((await world.sa.post(world.sa.org("/columns"), {})).invalid()) == ["projectId", "title"]
    for project in (foreign.id, "proj_x"):
        body = {"projectId": project, "title": "C"}
        assert (await world.sa.post(world.sa.org("/columns"), body)).invalid() == ["projectId"]
    foreign_field = {"projectId": board.id, "title": "C", "requiredFieldIds": [foreign.field("tags")]}
    assert (await world.sa.post(world.sa.org("/columns"), foreign_field)).invalid() == ["requiredFieldIds.0"]


async def test_a_patch_of_a_column_changes_what_it_names(world: World) -> None:
    board = await world.board()
    before = (await world.sa.get(world.sa.org("/columns"))).ok()[1]
    limited = await world.column(board, "Todo", wipLimit=2, title="To do")
    assert limited == {**before, "wipLimit": 2, "title": "To do"}
    assert await world.column(board, "Todo") == limited
    cleared = await world.column(board, "Todo", wipLimit=None, agentPickupEnabled=False)
    assert cleared == {**limited, "wipLimit": None, "agentPickupEnabled": False}
    assert (await world.sa.get(world.sa.org("/columns"))).ok()[1] == cleared


async def test_a_column_cannot_change_its_project(world: World) -> None:
    board, other = await world.board(), await world.board(title="Other")
    path = world.sa.org(f"/columns/{board.columns['Todo']}")
    assert (await world.sa.patch(path, {"projectId": other.id})).invalid() == ["projectId"]


async def test_columns_are_listed_by_position_of_one_project_or_all(world: World) -> None:
    board, other = await world.board(), await world.board(title="Other")
    for project in (board, other):
        listed = (await world.member.get(world.member.org("/columns"), params={"projectId": project.id})).ok()
        assert [column["id"] for column in listed] == list(project.columns.values())
    assert len((await world.member.get(world.member.org("/columns"))).ok()) == 10
    assert (await world.sa.get(world.sa.org("/columns"), params={"project": board.id})).invalid() == ["project"]


async def test_only_architects_write_columns(world: World) -> None:
    board = await world.board()
    path = world.member.org(f"/columns/{board.columns['Done']}")
    await permit(world, "Member", "Column", "read", "create", "update", "delete")
    for answer in (
        await world.member.post(world.member.org("/columns"), {"projectId": board.id, "title": "C"}),
        await world.member.patch(path, {"title": "C"}),
        await world.member.delete(path),
    ):
        answer.refused(403, "sa_required")
    assert len((await world.member.get(world.member.org("/columns"))).ok()) == 5


async def test_architects_too_need_the_permission_row_for_columns(world: World) -> None:
    board = await world.board()
    await permit(world, "SolutionArchitect", "Column", "read", "update")
    path = world.sa.org(f"/columns/{board.columns['Done']}")
    (await world.sa.patch(path, {"title": "C"})).ok()
    details = (await world.sa.delete(path)).refused(403, "permission_denied")
    assert details == {"resource": "Column", "action": "delete"}
    await permit(world, "Member", "Column")
    (await world.member.get(world.member.org("/columns"))).refused(403, "permission_denied")


async def test_a_column_of_another_organization_cannot_be_told_from_none(world: World) -> None:
    board = await world.board()
    for org, column in (
        (world.sa.org_id, board.columns["Todo"]),
        (world.outsider.org_id, board.columns["Todo"]),
        (world.outsider.org_id, "col_x"),
    ):
        path = f"/organizations/{org}/columns/{column}"
        (await world.outsider.patch(path, {"title": "C"})).refused(404, "not_found")
        (await world.outsider.delete(path)).refused(404, "not_found")
    (await world.outsider.get(world.sa.org("/columns"))).refused(404, "not_found")
    (await (await world.key()).get(world.sa.org("/columns"))).refused(401, "unauthorized")


async def test_a_column_names_the_prompt_of_agents_who_work_there_until_it_is_deleted(world: World) -> None:
    board = await world.board()
    prompt = (await world.sa.post("/prompts", {"name": "Build", "body": "Do it"})).ok()
    foreign = (await world.outsider.post("/prompts", {"name": "Build", "body": "Do it"})).ok()
    path = world.sa.org(f"/columns/{board.columns['Todo']}")
    for strange in (foreign["id"], "nothing"):
        assert (await world.sa.patch(path, {"promptId": strange})).invalid() == ["promptId"]
    assert (await world.column(board, "Todo", promptId=prompt["id"]))["promptId"] == prompt["id"]
    made = {"projectId": board.id, "title": "More", "promptId": prompt["id"]}
    assert (await world.sa.post(world.sa.org("/columns"), made)).ok()["promptId"] == prompt["id"]
    (await world.sa.delete(f"/prompts/{prompt['id']}")).ok()
    assert {row["promptId"] for row in (await world.sa.get(world.sa.org("/columns"))).ok()} == {None}
