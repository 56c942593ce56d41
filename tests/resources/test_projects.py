"""Projects: made by a template, read, changed, archived, removed."""

from typing import Any

import pytest

from ..builders import count_rows, permit
from ..world import World


async def test_a_kanban_project_has_its_columns_transitions_and_card_type(world: World) -> None:
    project = (await world.sa.post(world.sa.org("/projects"), {"title": "Board"})).ok()
    assert set(project) == {"id", "title", "key", "color", "createdAt", "archivedAt", "display"}
    assert project["id"].startswith("proj_")
    assert project["archivedAt"] is None
    query = {"params": {"projectId": project["id"]}}
    columns = (await world.sa.get(world.sa.org("/columns"), **query)).ok()
    assert [(c["title"], c["order"], c["columnType"]) for c in columns] == [
        ("Backlog", 0, "standard"),
        ("Todo", 1, "standard"),
        ("In Progress", 2, "standard"),
        ("Review", 3, "standard"),
        ("Done", 4, "done"),
    ]
    agents = [c["title"] for c in columns if c["agentPickupEnabled"] and c["agentCanModerate"]]
    assert agents == ["Todo", "In Progress"]
    # In Review agents comment, answer and ask for approval, and do not move.
    flags = {c["title"]: (c["agentPickupEnabled"], c["agentCanModerate"]) for c in columns if c["title"] not in agents}
    assert flags == {"Backlog": (False, False), "Review": (True, False), "Done": (False, False)}
    titles = {c["id"]: c["title"] for c in columns}
    edges = (await world.sa.get(world.sa.org("/transitions"), **query)).ok()
    assert {(titles[e["fromColumnId"]], titles[e["toColumnId"]], e["requiresApproval"]) for e in edges} == {
        ("Backlog", "Todo", False),
        ("Todo", "In Progress", False),
        ("In Progress", "Todo", False),
        ("In Progress", "Review", False),
        ("Review", "In Progress", False),
        ("Review", "Done", True),
        ("Done", "Todo", False),
    }
    (task,) = (await world.sa.get(world.sa.org("/card-types"))).ok()
    assert (task["title"], task["projectId"]) == ("Task", None)
    assert [(f["name"], f["kind"], f["multiple"], f["options"]) for f in task["fields"]] == [
        ("description", "richtext", False, []),
        ("acceptance_criteria", "richtext", False, []),
        ("tags", "multiselect", False, []),
        ("pull_request", "url", False, []),
        ("attachments", "file", True, []),
    ]


async def test_a_second_kanban_project_uses_the_card_type_that_is_there(world: World) -> None:
    await world.board()
    await world.board(title="Second")
    assert len((await world.sa.get(world.sa.org("/card-types"))).ok()) == 1


async def test_a_kanban_project_has_a_card_type_of_its_own_if_all_others_belong_to_other_projects(world: World) -> None:
    first = (await world.sa.post(world.sa.org("/projects"), {"title": "First", "template": "blank"})).ok()
    own = (await world.sa.post(world.sa.org("/card-types"), {"title": "Own", "projectId": first["id"]})).ok()
    board = await world.board(title="Second")
    usable = (await world.sa.get(world.sa.org("/card-types"), params={"projectId": board.id})).ok()
    assert [(row["title"], row["projectId"]) for row in usable] == [("Task", None)]
    assert (await world.card(board, cardTypeId=usable[0]["id"]))["cardTypeId"] == usable[0]["id"]
    assert own["id"] not in [row["id"] for row in usable]


async def test_a_blank_project_is_empty(world: World) -> None:
    body = {"title": "Blank", "template": "blank", "color": "#abc"}
    project = (await world.sa.post(world.sa.org("/projects"), body)).ok()
    assert (project["title"], project["color"]) == ("Blank", "#abc")
    assert (await world.sa.get(world.sa.org("/columns"))).ok() == []
    assert (await world.sa.get(world.sa.org("/transitions"))).ok() == []
    assert (await world.sa.get(world.sa.org("/card-types"))).ok() == []


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "title"),
        ({"title": None}, "title"),
        ({"title": 5}, "title"),
        ({"title": ""}, "title"),
        ({"title": " "}, "title"),
        ({"title": "x" * 501}, "title"),
        ({"title": "a\0b"}, "title"),
        ({"title": "T", "color": "red"}, "color"),
        ({"title": "T", "color": None}, "color"),
        ({"title": "T", "template": "scrum"}, "template"),
        ({"title": "T", "template": None}, "template"),
        ({"title": "T", "name": "N"}, "name"),
    ],
)
async def test_a_wrong_project_is_refused(world: World, body: Any, path: str) -> None:
    assert (await world.sa.post(world.sa.org("/projects"), body)).invalid() == [path]
    assert (await world.sa.get(world.sa.org("/projects"))).ok() == []


async def test_projects_are_listed_oldest_first_and_changed(world: World) -> None:
    first, second = await world.board(title="First"), await world.board(title="Second")
    path = world.sa.org(f"/projects/{first.id}")
    changed = (await world.sa.patch(path, {"title": "New", "color": "#112233"})).ok()
    assert (changed["title"], changed["color"]) == ("New", "#112233")
    assert (await world.sa.patch(path, {"color": "#445566"})).ok()["title"] == "New"
    kept = (await world.sa.patch(path, {})).ok()
    assert (await world.sa.get(path)).ok() == kept
    listed = (await world.member.get(world.sa.org("/projects"))).ok()
    assert [project["id"] for project in listed] == [first.id, second.id]
    assert listed[0] == kept


@pytest.mark.parametrize("body", [{"title": None}, {"color": None}, {"title": 1}, {"template": "blank"}, {"id": "x"}])
async def test_a_wrong_change_of_a_project_is_refused(world: World, body: Any) -> None:
    board = await world.board()
    assert (await world.sa.patch(world.sa.org(f"/projects/{board.id}"), body)).invalid() == list(body)


DISPLAY = {
    "attachments": True,
    "progress": True,
    "listColumns": ["title", "key", "column", "assignee", "agent", "priority", "due", "labels"],
}


async def test_a_board_says_what_its_tiles_and_lists_show(world: World) -> None:
    board = await world.board()
    path, since = world.sa.org(f"/projects/{board.id}"), (await world.sa.get(world.sa.org("/changes"))).ok()["next"]
    assert (await world.sa.get(path)).ok()["display"] == DISPLAY
    columns = ["labels", "field:tags", "title", "type"]
    changed = (await world.sa.patch(path, {"display": {"progress": False, "listColumns": columns}})).ok()
    assert changed["display"] == {"attachments": True, "progress": False, "listColumns": columns}
    assert (await world.sa.patch(path, {"display": {}})).ok() == changed
    assert (await world.sa.patch(path, {"display": {"progress": False}, "title": changed["title"]})).ok() == changed
    await world.field(board, "size", "number")
    (await world.sa.delete(world.sa.org(f"/card-types/{board.card_type['id']}/fields/{board.field('tags')}"))).ok()
    kept = (await world.sa.patch(path, {"display": {"listColumns": ["field:size", *columns]}})).ok()
    assert kept["display"]["listColumns"] == ["field:size", *columns]  # a stored column stays valid
    shown = (await world.member.get(world.sa.org("/board"), params={"projectId": board.id})).ok()
    assert shown["project"] == kept == (await world.member.get(world.sa.org("/projects"))).ok()[0]
    events = (await world.sa.get(world.sa.org("/changes"), params={"since": since})).ok()["items"]
    assert [event["type"] for event in events if event["type"].startswith("project.")] == ["project.updated"] * 2


@pytest.mark.parametrize(
    ("display", "path"),
    [
        (None, "display"),
        ({"attachments": None}, "display.attachments"),
        ({"progress": "true"}, "display.progress"),
        ({"files": True}, "display.files"),
        ({"listColumns": None}, "display.listColumns"),
        ({"listColumns": "title"}, "display.listColumns"),
        ({"listColumns": ["title", 1]}, "display.listColumns.1"),
        ({"listColumns": ["key", "title", "key"]}, "display.listColumns.2"),
        ({"listColumns": ["title"] * 51}, "display.listColumns"),
    ],
)
async def test_a_wrong_display_is_refused(world: World, display: Any, path: str) -> None:
    board = await world.board()
    assert (await world.sa.patch(world.sa.org(f"/projects/{board.id}"), {"display": display})).invalid() == [path]
    assert (await world.sa.get(world.sa.org(f"/projects/{board.id}"))).ok()["display"] == DISPLAY


async def test_an_unknown_column_of_lists_is_refused_with_those_that_exist(world: World) -> None:
    board, other = await world.board(), await world.board(title="Other")
    path = world.sa.org(f"/projects/{board.id}")
    own = (await world.sa.post(world.sa.org("/card-types"), {"title": "Own", "projectId": other.id})).ok()
    (await world.sa.post(world.sa.org(f"/card-types/{own['id']}/fields"), {"name": "far", "kind": "text"})).ok()
    for name in ("field:none", "field:far", "tags", "field:", "Title"):
        answer = await world.sa.patch(path, {"display": {"listColumns": ["key", name]}})
        details = answer.refused(400, "validation_failed")
        assert details["fields"][0]["path"] == "display.listColumns.1"
        assert details["options"][:3] == ["title", "key", "column"]
        assert "field:tags" in details["options"]
        assert "field:far" not in details["options"]
    await permit(world, "SolutionArchitect", "Field", "create")
    details = (await world.sa.patch(path, {"display": {"listColumns": ["x"]}})).refused(400, "validation_failed")
    assert details["options"] == ["title", "key", "column", "type", "assignee", "agent", "priority", "due", "labels"]


async def test_the_display_of_a_board_belongs_to_those_who_may_change_columns(world: World) -> None:
    board = await world.board()
    path, display = world.sa.org(f"/projects/{board.id}"), {"display": {"progress": False}}
    await permit(world, "Member", "Project", "read", "update")
    for body in (display, {**display, "title": "New"}):
        details = (await world.member.patch(path, body)).refused(403, "permission_denied")
        assert details == {"resource": "Column", "action": "update"}
    await permit(world, "Member", "Project", "read")
    await permit(world, "Member", "Column", "read", "update")
    for body in ({**display, "title": "New"}, {"title": "New"}, {}):
        details = (await world.member.patch(path, body)).refused(403, "permission_denied")
        assert details == {"resource": "Project", "action": "update"}
    assert (await world.sa.get(path)).ok()["title"] == "Board"
    assert (await world.member.patch(path, display)).ok()["display"] == {**DISPLAY, "progress": False}


async def test_a_member_reads_projects_and_writes_none(world: World) -> None:
    board = await world.board()
    path = world.member.org(f"/projects/{board.id}")
    assert (await world.member.get(path)).ok()["id"] == board.id
    for answer, action in (
        (await world.member.post(world.member.org("/projects"), {"title": "T"}), "create"),
        (await world.member.patch(path, {"title": "T"}), "update"),
        (await world.member.delete(path), "delete"),
    ):
        assert answer.refused(403, "permission_denied") == {"resource": "Project", "action": action}
    await permit(world, "Member", "Project", "create")
    assert (await world.member.post(world.member.org("/projects"), {"title": "T"})).ok()["title"] == "T"
    assert (await world.member.get(path)).refused(403, "permission_denied")["action"] == "read"


async def test_a_project_of_another_organization_cannot_be_told_from_none(world: World) -> None:
    board, key = await world.board(), await world.key()
    for org, project in ((world.sa.org_id, board.id), (world.outsider.org_id, board.id), (world.sa.org_id, "proj_x")):
        path = f"/organizations/{org}/projects/{project}"
        for method, body in (("GET", None), ("PATCH", {"title": "T"}), ("DELETE", None)):
            (await world.outsider.call(method, path, body)).refused(404, "not_found")
    (await world.outsider.get(world.sa.org("/projects"))).refused(404, "not_found")
    (await world.outsider.post(world.sa.org("/projects"), {"title": "T"})).refused(404, "not_found")
    for caller in (world.nobody, key):
        answer = await caller.get(world.sa.org("/projects"))
        answer.refused(401, "unauthorized")
        assert "WWW-Authenticate" in answer.headers


async def test_an_archived_project_takes_all_that_is_active_in_it_out_of_sight(world: World) -> None:
    board, other = await world.board(), await world.board(title="Other")
    own = {"title": "Own", "projectId": board.id}
    own_type = (await world.sa.post(world.sa.org("/card-types"), own)).ok()["id"]
    card = await world.card(board)
    answer = await world.sa.delete(world.sa.org(f"/projects/{board.id}"))
    assert (answer.status, answer.body) == (204, None)
    path = world.sa.org(f"/projects/{board.id}")
    for method, body in (("GET", None), ("PATCH", {"title": "T"}), ("DELETE", None)):
        (await world.sa.call(method, path, body)).refused(404, "not_found")
    assert [project["id"] for project in (await world.sa.get(world.sa.org("/projects"))).ok()] == [other.id]
    for noun in ("columns", "transitions"):
        left = (await world.sa.get(world.sa.org(f"/{noun}"))).ok()
        assert {row["projectId"] for row in left} == {other.id}
    assert own_type not in [row["id"] for row in (await world.sa.get(world.sa.org("/card-types"))).ok()]
    assert (await world.sa.get(world.sa.org("/cards"))).ok()["total"] == 0
    (await world.sa.get(world.sa.org("/board-flow"), params={"projectId": board.id})).refused(404, "not_found")
    assert count_rows(world, "history", card["id"]) == 2


async def test_nothing_of_an_archived_project_can_be_reached_or_named(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}?mode=archive"))).ok()
    for caller, suffix in ((world.sa, ""), (agent, "/mcp")):
        (await caller.get(f"/cards/{card['id']}{suffix}")).refused(404, "not_found")
        (await caller.get(f"/cards/{card['id']}/history{suffix}")).refused(404, "not_found")
        (await caller.get(f"/cards/{card['id']}/comments{suffix}")).refused(404, "not_found")
        (await caller.patch(f"/cards/{card['id']}{suffix}", {"title": "T"})).refused(404, "not_found")
        (await caller.post(f"/cards/{card['id']}/comments{suffix}", {"content": "C"})).refused(404, "not_found")
    (await world.sa.delete(f"/cards/{card['id']}?mode=permanent")).refused(404, "not_found")
    column = {"projectId": board.id, "title": "C"}
    assert (await world.sa.post(world.sa.org("/columns"), column)).invalid() == ["projectId"]
    assert (await world.sa.post(world.sa.org("/card-types"), column)).invalid() == ["projectId"]
    new_card = {"projectId": board.id, "cardTypeId": board.card_type["id"], "title": "T"}
    assert (await world.sa.post(world.sa.org("/cards"), new_card)).invalid() == ["projectId"]
    path = world.sa.org(f"/columns/{board.columns['Todo']}")
    (await world.sa.patch(path, {"title": "T"})).refused(404, "not_found")
    (await world.sa.delete(world.sa.org(f"/transitions/{board.transitions['Done', 'Todo']}"))).refused(404, "not_found")


async def test_a_project_removed_for_good_takes_cards_comments_and_history_along(world: World) -> None:
    board, other = await world.board(), await world.board(title="Other")
    card, stays = await world.card(board), await world.card(other)
    comment = (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "C"})).ok()
    (await world.sa.post(f"/cards/{card['id']}/comments/{comment['id']}/replies", {"content": "R"})).ok()
    answer = await world.sa.delete(world.sa.org(f"/projects/{board.id}?mode=permanent"))
    assert (answer.status, answer.body) == (204, None)
    (await world.sa.get(f"/cards/{card['id']}")).refused(404, "not_found")
    assert [count_rows(world, table, card["id"]) for table in ("history", "comments", "field_values")] == [0, 0, 0]
    assert (await world.sa.get(f"/cards/{stays['id']}")).ok() == stays
    assert {row["projectId"] for row in (await world.sa.get(world.sa.org("/columns"))).ok()} == {other.id}


async def test_a_removal_in_an_unknown_mode_is_refused(world: World) -> None:
    board = await world.board()
    assert (await world.sa.delete(world.sa.org(f"/projects/{board.id}?mode=gone"))).invalid() == ["mode"]
    assert (await world.sa.delete(world.sa.org(f"/projects/{board.id}?moed=permanent"))).invalid() == ["moed"]
    (await world.sa.get(world.sa.org(f"/projects/{board.id}"))).ok()


async def test_an_archived_organization_takes_its_boards_and_cards_out_of_sight(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    (await world.sa.delete(f"/organizations/{world.sa.org_id}")).ok()
    for caller in (world.sa, world.member):
        for path in ("/projects", "/columns", "/card-types", "/transitions", "/cards", "/board-flow"):
            (await caller.get(caller.org(path))).refused(404, "not_found")
        for path in ("", "/history", "/comments"):
            (await caller.get(f"/cards/{card['id']}{path}")).refused(404, "not_found")
        (await caller.patch(f"/cards/{card['id']}", {"title": "T"})).refused(404, "not_found")
        (await caller.post(f"/cards/{card['id']}/restore")).refused(404, "not_found")
