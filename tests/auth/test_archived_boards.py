"""Resources on an archived board are 404 for everybody; only people who may restore the board are told why."""

from typing import Any

from service.auth.authentication import API_KEY, JWT
from service.pipeline.routing import ROUTES, Route

from .. import walk
from ..builders import permit
from ..world import Answer, Client, World

ON_A_BOARD = {"project_id", "column_id", "transition_id", "card_id", "move_request_id", "file_id", "relationship_id"}
RESTORE, CONTENTS = "POST /cards/{card_id}/restore", "POST /files/{file_id}/content"
LINKED = "GET /files/{file_id}/linked"


def _routes(scheme: str) -> list[Route]:
    """List the routes that name a thing on a board, in the path, in the query or (uploads) in the body."""
    found = [route for route in ROUTES if route.policy.scheme == scheme and walk.name(route) != LINKED]
    return [
        route
        for route in found
        if ON_A_BOARD & {*walk.parameters(route)}
        or route.path in ("/files", "/files/mcp")
        or "projectId" in walk.make_smallest_input(route.query)
    ]


async def _archived(world: World) -> tuple[walk.Ids, Client]:
    ids, agent = await walk.create_one_of_each(world, world.sa, "bot")
    (await world.sa.delete(world.sa.org(f"/projects/{ids['project_id']}"))).ok()
    return ids, agent


def _error(answer: Answer) -> Any:
    return answer.status, {key: value for key, value in answer.body["error"].items() if key != "requestId"}


async def test_who_may_restore_the_board_is_told_on_every_route(world: World) -> None:
    ids, _ = await _archived(world)
    routes = _routes(JWT)
    assert len(routes) > 30
    for route in routes:
        answer = await walk.call(world.sa, route, ids)
        if walk.name(route) == RESTORE:
            answer.refused(409, "archived_parent")
            continue
        if walk.name(route) == CONTENTS:  # an import brings those of archived boards too
            answer.refused(409, "conflict")
            continue
        details = answer.refused(404, "not_found")
        assert (details.keys(), details["archived"]) == ({"resource", "archived"}, True), walk.name(route)
        assert "restore it from the archive" in answer.body["error"]["message"]


async def test_without_permission_it_looks_like_an_unknown_id(world: World) -> None:
    ids, agent = await _archived(world)
    await permit(world, "Member", "Archive", "read")
    await permit(world, "Member", "Card", "read", "create")
    never = ids | dict.fromkeys(ON_A_BOARD, "never")
    for who, scheme in ((world.member, JWT), (world.outsider, JWT), (agent, API_KEY)):
        for route in _routes(scheme):
            there, not_there = [await walk.call(who, route, some) for some in (ids, never)]
            assert _error(there) == _error(not_there), walk.name(route)
            assert "archived" not in there.body["error"]["details"]


async def test_a_batch_and_a_delta_of_a_board_tell_it_too(world: World) -> None:
    ids, _ = await _archived(world)
    changes = ({"archive": True}, {"edit": {}}, {"undo": {"at": "2026-01-01"}}, {"move": {"toColumnId": "x"}})
    operations = [{"cardId": ids["card_id"], **change} for change in changes]
    for result in (await world.sa.post(world.sa.org("/cards/batch"), {"operations": operations})).ok()["results"]:
        assert result["error"]["status"] == 404
        assert result["error"]["details"] == {"resource": "card", "archived": True}
    query = {"projectId": ids["project_id"], "since": "1"}
    details = (await world.sa.get(world.sa.org("/board"), params=query)).refused(404, "not_found")
    assert details == {"resource": "project", "archived": True}


async def test_what_restoring_the_board_does_not_bring_back_is_simply_gone(world: World) -> None:
    board = await world.board()
    own = (await world.sa.post(world.sa.org("/card-types"), {"title": "Own", "projectId": board.id})).ok()
    field = {"name": "plan", "kind": "text"}
    field_id = (await world.sa.post(world.sa.org(f"/card-types/{own['id']}/fields"), field)).ok()["id"]
    preset = {"cardTypeId": own["id"], "presetName": "P", "fieldId": field_id, "value": "x"}
    preset_id = (await world.sa.post("/preset-fields", preset)).ok()["id"]
    (await world.sa.delete(world.sa.org(f"/columns/{board.columns['Review']}"))).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    gone = await world.sa.patch(world.sa.org(f"/columns/{board.columns['Review']}"), {})
    assert gone.refused(404, "not_found") == {"resource": "column"}
    for path, resource in (
        (world.sa.org(f"/columns/{board.columns['Todo']}"), "column"),
        (world.sa.org(f"/card-types/{own['id']}"), "card type"),
        (world.sa.org(f"/card-types/{own['id']}/fields/{field_id}"), "card type"),
        (f"/preset-fields/{preset_id}", "preset field"),
    ):
        details = (await world.sa.patch(path, {})).refused(404, "not_found")
        assert details == {"resource": resource, "archived": True}


async def test_a_relation_to_a_card_on_an_active_board_stays(world: World) -> None:
    archived, active = await world.board(), await world.board(title="Active")
    one, two = await world.card(archived), await world.card(active)
    relation = {"fromCardId": one["id"], "toCardId": two["id"], "kind": "relatesTo"}
    relation_id = (await world.sa.post(world.sa.org("/relationships"), relation)).ok()["id"]
    (await world.sa.delete(world.sa.org(f"/projects/{archived.id}"))).ok()
    assert (await world.sa.delete(world.sa.org(f"/relationships/{relation_id}"))).status == 204
