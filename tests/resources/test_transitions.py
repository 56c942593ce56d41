"""Transitions: which moves a board allows."""

from typing import Any

import pytest

from ..builders import permit
from ..world import World


async def test_a_transition_is_made_and_listed_last(world: World) -> None:
    board = await world.board()
    edge = await world.edge(board, "Backlog", "Done")
    assert set(edge) >= {"id", "fromColumnId", "toColumnId", "requiresApproval"}
    assert edge["requiresApproval"] is False
    assert edge["id"].startswith("tr_")
    assert (edge["fromColumnId"], edge["toColumnId"]) == (board.columns["Backlog"], board.columns["Done"])
    listed = (await world.member.get(world.member.org("/transitions"), params={"projectId": board.id})).ok()
    assert listed[-1] == edge
    assert len(listed) == 8


async def test_transitions_are_listed_of_one_project_or_all(world: World) -> None:
    board, other = await world.board(), await world.board(title="Other")
    for project in (board, other):
        rows = (await world.sa.get(world.sa.org("/transitions"), params={"projectId": project.id})).ok()
        assert {row["id"] for row in rows} == set(project.transitions.values())
    assert len((await world.sa.get(world.sa.org("/transitions"))).ok()) == 14


async def test_there_is_one_transition_between_two_columns(world: World) -> None:
    board = await world.board()
    body = {"fromColumnId": board.columns["Backlog"], "toColumnId": board.columns["Todo"], "requiresApproval": True}
    (await world.sa.post(world.sa.org("/transitions"), body)).refused(409, "transition_exists")
    path = world.sa.org(f"/transitions/{board.transitions['Todo', 'In Progress']}")
    change = {key: body[key] for key in ("fromColumnId", "toColumnId")}
    (await world.sa.patch(path, change)).refused(409, "transition_exists")
    assert len((await world.sa.get(world.sa.org("/transitions"))).ok()) == 7


async def test_a_transition_joins_two_columns_of_one_project(world: World) -> None:
    board, other, foreign = await world.board(), await world.board(title="O"), await world.board(world.outsider)
    here = board.columns["Backlog"]
    edge = world.sa.org(f"/transitions/{board.transitions['Backlog', 'Todo']}")
    for there in (here, other.columns["Todo"], foreign.columns["Todo"], "col_x"):
        body = {"fromColumnId": here, "toColumnId": there}
        assert (await world.sa.post(world.sa.org("/transitions"), body)).invalid() == ["toColumnId"]
        assert (await world.sa.patch(edge, {"toColumnId": there})).invalid() == ["toColumnId"]
    for origin in (foreign.columns["Todo"], "col_x"):
        body = {"fromColumnId": origin, "toColumnId": here}
        assert (await world.sa.post(world.sa.org("/transitions"), body)).invalid() == ["fromColumnId"]
    moved = {"fromColumnId": other.columns["Backlog"], "toColumnId": other.columns["Done"]}
    assert (await world.sa.patch(edge, moved)).invalid() == ["fromColumnId"]


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"fromColumnId": None}, "fromColumnId"),
        ({"toColumnId": 4}, "toColumnId"),
        ({"toColumnId": ""}, "toColumnId"),
        ({"requiresApproval": None}, "requiresApproval"),
        ({"requiresApproval": "yes"}, "requiresApproval"),
        ({"approval": True}, "approval"),
        ({"toColumnId": "\0"}, "toColumnId"),
    ],
)
async def test_a_wrong_transition_is_refused_when_made_and_when_changed(world: World, wrong: Any, path: str) -> None:
    board = await world.board()
    body = {"fromColumnId": board.columns["Backlog"], "toColumnId": board.columns["Done"], **wrong}
    assert (await world.sa.post(world.sa.org("/transitions"), body)).invalid() == [path]
    edge = world.sa.org(f"/transitions/{board.transitions['Backlog', 'Todo']}")
    assert (await world.sa.patch(edge, wrong)).invalid() == [path]
    assert (await world.sa.post(world.sa.org("/transitions"), {})).invalid() == ["fromColumnId", "toColumnId"]


async def test_a_patch_of_a_transition_changes_what_it_names(world: World) -> None:
    board = await world.board()
    before = (await world.sa.get(world.sa.org("/transitions"))).ok()[0]
    path = world.sa.org(f"/transitions/{before['id']}")
    changed = (await world.sa.patch(path, {"requiresApproval": True})).ok()
    assert changed == {**before, "requiresApproval": True}
    assert (await world.sa.patch(path, {})).ok() == changed
    turned = (await world.sa.patch(path, {"toColumnId": board.columns["Done"]})).ok()
    assert turned == {**changed, "toColumnId": board.columns["Done"]}
    assert (await world.sa.get(world.sa.org("/transitions"))).ok()[0] == turned


async def test_without_its_transition_a_card_stays(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    path = world.sa.org(f"/transitions/{board.transitions['Todo', 'In Progress']}")
    answer = await world.sa.delete(path)
    assert (answer.status, answer.body) == (204, None)
    (await world.sa.delete(path)).refused(404, "not_found")
    move = {"toColumnId": board.columns["In Progress"]}
    (await world.sa.patch(f"/cards/{card['id']}/status", move)).refused(400, "transition_not_allowed")
    await world.edge(board, "Todo", "In Progress")
    (await world.sa.patch(f"/cards/{card['id']}/status", move)).ok()


async def test_a_member_reads_transitions_and_writes_none_unless_permitted(world: World) -> None:
    board = await world.board()
    path = world.member.org(f"/transitions/{board.transitions['Backlog', 'Todo']}")
    body = {"fromColumnId": board.columns["Backlog"], "toColumnId": board.columns["Done"]}
    for answer, action in (
        (await world.member.post(world.member.org("/transitions"), body), "create"),
        (await world.member.patch(path, {"requiresApproval": True}), "update"),
        (await world.member.delete(path), "delete"),
    ):
        assert answer.refused(403, "permission_denied") == {"resource": "Transition", "action": action}
    await permit(world, "Member", "Transition", "create")
    (await world.member.post(world.member.org("/transitions"), body)).ok()
    (await world.member.get(world.member.org("/transitions"))).refused(403, "permission_denied")


async def test_a_transition_of_another_organization_cannot_be_told_from_none(world: World) -> None:
    board = await world.board()
    edge = board.transitions["Backlog", "Todo"]
    for org, key in ((world.sa.org_id, edge), (world.outsider.org_id, edge), (world.outsider.org_id, "tr_x")):
        path = f"/organizations/{org}/transitions/{key}"
        (await world.outsider.patch(path, {"requiresApproval": True})).refused(404, "not_found")
        (await world.outsider.delete(path)).refused(404, "not_found")
    (await (await world.key()).get(world.sa.org("/transitions"))).refused(401, "unauthorized")
