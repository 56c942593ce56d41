"""Every change that others can see leaves its event, and nothing else does: a walk over all routes that write."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from service.auth.authentication import API_KEY
from service.pipeline.routing import ROUTES, Route

from . import forms, walk
from .streams import changes, position, types
from .world import OUTSIDER, Board, Client, World

ROUTES_BY_NAME = {walk.name(route): route for route in ROUTES}
ORG = "/organizations/{org_id}"
TRELLO = {"lists": [{"id": "a", "name": "A"}], "cards": []}
REQUEST = "/move-requests/{move_request_id}"
FIELDS = ORG + "/card-types/{card_type_id}/fields"
# Nobody else sees these.
SILENT = {
    "PUT /organizations/{org_id}/seen": "personal",
    "PUT /cards/{card_id}/watch": "personal: only one's own streams hear of it",
    "DELETE /cards/{card_id}/watch": "the same",
    "POST /cards/{card_id}/claim/renew/mcp": "it goes on as before",
    "POST /files/{file_id}/content": "the file was there all the time",
    "POST /files/{file_id}/link": "it is for who made it alone",
    "POST /auth/login": "a sign-in changes nothing that others see",
    "POST /auth/switch": "the same",
    "POST /auth/refresh": "the same",
    "POST /auth/logout": "the same",
    "DELETE /settings/sessions/{session_id}": "the same",
    "POST /settings/password": "personal",
    "PATCH /settings/profile": "personal",
    "PATCH /settings/theme": "personal",
    "POST /settings/shortcuts": "personal",
    "PATCH /settings/shortcuts/{shortcut_id}": "personal",
    "DELETE /settings/shortcuts/{shortcut_id}": "personal",
}


@dataclass(frozen=True)
class Deed:
    """A call that succeeds, and what it is called among events; the ids are those of the walk, changed by `on`."""

    route: str
    type: str
    body: Callable[[walk.Ids], Any] = lambda ids: {}
    on: dict[str, str] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)


def new_card(ids: walk.Ids) -> dict[str, Any]:
    return {"projectId": ids["project_id"], "columnId": ids["column_id"], "cardTypeId": ids["card_type_id"]} | {
        "title": "New"
    }


def tick(item: int) -> Callable[[walk.Ids], Any]:
    return lambda ids: {"fieldId": ids["description_id"], "item": item, "text": "Item", "done": True}


# In an order in which all of it can be done, one after the other.
DEEDS = [
    Deed("POST /organizations", "organization.created", lambda ids: {"title": "New"}),
    Deed(f"POST {REQUEST}/approve", "moveRequest.approved", on={"move_request_id": "asked_id"}),
    Deed(f"POST {REQUEST}/reject", "moveRequest.rejected", on={"move_request_id": "asked_too_id"}),
    Deed(f"DELETE {REQUEST}/mcp", "moveRequest.withdrawn"),
    Deed(
        "POST /cards/{card_id}/move-requests/mcp", "moveRequest.created", lambda ids: {"toColumnId": ids["done_id"]}
    ),
    Deed("POST /cards/{card_id}/claim/mcp", "card.claimed"),
    Deed("DELETE /cards/{card_id}/claim", "claim.ended"),
    Deed("POST /cards/{card_id}/claim/mcp", "card.claimed"),
    Deed("DELETE /cards/{card_id}/claim/mcp", "card.released"),
    Deed(f"POST {ORG}/cards/claim/mcp", "card.claimed"),
    Deed(f"POST {ORG}/freeze", "organization.frozen", lambda ids: {"reason": "New"}),
    Deed(f"DELETE {ORG}/freeze", "organization.unfrozen"),
    Deed("PATCH " + ORG, "organization.updated", lambda ids: {"title": "New"}),
    Deed(f"POST {ORG}/projects", "project.created", lambda ids: {"title": "New"}),
    Deed(f"PATCH {ORG}/projects/{{project_id}}", "project.updated", lambda ids: {"title": "New"}),
    Deed(f"POST {ORG}/columns", "column.created", lambda ids: {"projectId": ids["project_id"], "title": "New"}),
    Deed(f"PATCH {ORG}/columns/{{column_id}}", "column.updated", lambda ids: {"order": 0}),
    Deed(f"POST {ORG}/card-types", "cardType.created", lambda ids: {"title": "New"}),
    Deed(f"PATCH {ORG}/card-types/{{card_type_id}}", "cardType.updated", lambda ids: {"title": "New"}),
    Deed(f"POST {FIELDS}", "field.created", lambda ids: {"name": "new", "kind": "text"}),
    Deed(f"PATCH {FIELDS}/{{field_id}}", "field.updated", lambda ids: {"label": "New"}),
    Deed(
        f"POST {ORG}/transitions",
        "transition.created",
        lambda ids: {"fromColumnId": ids["progress_id"], "toColumnId": ids["done_id"]},
    ),
    Deed(f"PATCH {ORG}/transitions/{{transition_id}}", "transition.updated", lambda ids: {"requiresApproval": True}),
    Deed(f"PATCH {ORG}/transitions/{{transition_id}}", "transition.updated", lambda ids: {"requiresApproval": False}),
    Deed(f"POST {ORG}/cards", "card.created", new_card),
    Deed(
        f"POST {ORG}/cards/batch",
        "card.updated",
        lambda ids: {"operations": [{"cardId": ids["card_id"], "edit": {"title": "At once"}}]},
    ),
    Deed(f"POST {ORG}/cards/mcp", "card.created", new_card),
    Deed("PATCH /cards/{card_id}", "card.updated", lambda ids: {"title": "New"}),
    Deed("PATCH /cards/{card_id}/mcp", "card.updated", lambda ids: {"title": "Newer"}),
    Deed("PATCH /cards/{card_id}/checklist", "checklist.updated", tick(0), on={"card_id": "third_id"}),
    Deed("PATCH /cards/{card_id}/checklist/mcp", "checklist.updated", tick(1), on={"card_id": "third_id"}),
    Deed(
        f"POST {ORG}/undo", "card.undone", lambda ids: {"agentId": ids["agent_id"], "from": "2026-01-01T00:00:00.000Z"}
    ),
    Deed("POST /cards/{card_id}/comments", "comment.created", lambda ids: {"content": "New"}),
    Deed("POST /cards/{card_id}/comments/mcp", "comment.created", lambda ids: {"content": "New"}),
    Deed(
        "POST /cards/{card_id}/comments/{comment_id}/replies",
        "question.answered",
        lambda ids: {"content": "New"},
        on={"comment_id": "question_id"},
    ),
    Deed("POST /cards/{card_id}/comments/mcp", "question.asked", lambda ids: {"content": "New", "asks": True}),
    Deed(
        "DELETE /cards/{card_id}/comments/{comment_id}/question/mcp",
        "question.withdrawn",
        on={"card_id": "third_id", "comment_id": "question_too_id"},
    ),
    Deed(
        "POST /cards/{card_id}/comments/{comment_id}/question/answer/mcp",
        "question.answered",
        lambda ids: {"content": "New"},
        on={"card_id": "fourth_id", "comment_id": "question_told_id"},
    ),
    Deed("POST /cards/{card_id}/comments/{comment_id}/replies", "comment.replied", lambda ids: {"content": "New"}),
    Deed("POST /cards/{card_id}/comments/{comment_id}/replies/mcp", "comment.replied", lambda ids: {"content": "New"}),
    Deed("POST /files", "file.added"),
    Deed("POST /files/mcp", "file.added"),
    Deed("DELETE /files/{file_id}", "file.removed"),
    Deed(
        f"POST {ORG}/relationships",
        "relationship.created",
        lambda ids: {"fromCardId": ids["card_id"], "toCardId": ids["third_id"], "kind": "blocks"},
    ),
    Deed(f"DELETE {ORG}/relationships/{{relationship_id}}", "relationship.deleted"),
    Deed(
        f"POST {ORG}/relationships/mcp",
        "relationship.created",
        lambda ids: {"fromCardId": ids["card_id"], "toCardId": ids["third_id"], "kind": "duplicates"},
    ),
    Deed(
        f"DELETE {ORG}/relationships/{{relationship_id}}/mcp",
        "relationship.deleted",
        on={"relationship_id": "rel_too"},
    ),
    Deed("POST /cards/{card_id}/duplicate", "card.created", lambda ids: {"title": "Copy"}),
    Deed("POST /cards/{card_id}/split", "relationship.created", lambda ids: {"parts": [{"title": "New"}]}),
    Deed("POST /cards/{card_id}/split/mcp", "card.created", lambda ids: {"parts": [{"title": "New"}]}),
    Deed("PATCH /cards/{card_id}/rank", "card.ranked", lambda ids: {"afterCardId": ids["third_id"]}),
    Deed("PATCH /cards/{card_id}/status", "card.moved", lambda ids: {"toColumnId": ids["progress_id"]}),
    Deed("PATCH /cards/{card_id}/mcp/status", "card.moved", lambda ids: {"toColumnId": ids["column_id"]}),
    Deed(
        "POST /cards/{card_id}/transfer",
        "card.transferred",
        lambda ids: {"projectId": ids["other_board_id"]},
        on={"card_id": "fourth_id"},
    ),
    Deed("DELETE /cards/{card_id}", "card.archived"),
    Deed("POST /cards/{card_id}/restore", "card.restored"),
    Deed("POST /archive/{type}/{id}/restore", "card.restored"),
    Deed("DELETE /cards/{card_id}", "card.removed", query={"mode": "permanent"}),
    Deed("POST " + ORG + "/teams", "team.created", lambda ids: {"name": "New"}),
    Deed(f"PATCH {ORG}/teams/{{team_id}}", "team.updated", lambda ids: {"name": "New"}),
    Deed(f"PATCH {ORG}/teams/{{team_id}}/onboarding", "team.updated", lambda ids: {"content": "New"}),
    Deed(f"POST {ORG}/teams/{{team_id}}/members", "team.updated", lambda ids: {"userId": ids["member_id"]}),
    Deed(f"DELETE {ORG}/teams/{{team_id}}/members/{{user_id}}", "team.updated", on={"user_id": "member_id"}),
    Deed("POST /agents/{agent_id}/online", "agent.online"),
    Deed("POST /agents/{agent_id}/offline", "agent.offline"),
    Deed("PATCH /agents/{agent_id}/stop", "agent.stopped"),
    Deed("PATCH /agents/{agent_id}/resume", "agent.resumed"),
    Deed("POST /teams/{team_id}/agents/register", "agent.registered", lambda ids: {"id": "second", "title": "New"}),
    Deed("POST /teams/{team_id}/agents/register", "agent.updated", lambda ids: {"id": "second", "title": "Newer"}),
    Deed("PATCH /agents/{agent_id}/approve", "agent.approved", on={"agent_id": "second"}),
    Deed("DELETE /agents/{agent_id}", "agent.removed"),
    Deed("POST /settings/api-keys", "apiKey.created", lambda ids: {"name": "New"}),
    Deed("PATCH /settings/api-keys/{key_id}", "apiKey.updated", lambda ids: {"name": "New"}),
    Deed("POST /settings/api-keys/{key_id}/rotate", "apiKey.rotated"),
    Deed("DELETE /settings/api-keys/{key_id}", "apiKey.removed"),
    Deed(f"POST {ORG}/members", "member.added", lambda ids: {"email": "new@example.test", "role": "Member"}),
    Deed(f"POST {ORG}/members", "member.invited", lambda ids: {"email": OUTSIDER, "role": "Member"}),
    Deed("POST /auth/invitations/accept", "member.joined", lambda ids: {"email": OUTSIDER, "role": "Member"}),
    Deed(
        f"PATCH {ORG}/members/{{user_id}}",
        "member.updated",
        lambda ids: {"role": "SolutionArchitect"},
        on={"user_id": "member_id"},
    ),
    Deed(f"POST {ORG}/members/{{user_id}}/password", "member.passwordReset", on={"user_id": "member_id"}),
    Deed(f"DELETE {ORG}/members/{{user_id}}", "member.removed", on={"user_id": "member_id"}),
    Deed("PATCH /permissions/{permission_id}", "permission.updated", lambda ids: {"actions": ["read"]}),
    Deed("POST /prompts", "prompt.created", lambda ids: {"name": "New", "body": "New"}),
    Deed("PATCH /prompts/{prompt_id}", "prompt.updated", lambda ids: {"name": "New"}),
    Deed("POST /prompts/{prompt_id}/versions", "prompt.updated", lambda ids: {"body": "New"}),
    Deed("PATCH /prompts/{prompt_id}/versions/{version_id}", "prompt.updated", lambda ids: {"active": False}),
    Deed("DELETE /prompts/{prompt_id}", "prompt.removed"),
    Deed("POST /prompt-categories", "promptCategory.created", lambda ids: {"name": "New"}),
    Deed("PATCH /prompt-categories/{category_id}", "promptCategory.updated", lambda ids: {"name": "New"}),
    Deed("DELETE /prompt-categories/{category_id}", "promptCategory.removed"),
    Deed(
        "POST /mcp-servers", "toolServer.created", lambda ids: {"name": "New", "transport": "stdio", "command": "run"}
    ),
    Deed("PATCH /mcp-servers/{server_id}", "toolServer.updated", lambda ids: {"env": {"KEY": "new"}}),
    Deed("DELETE /mcp-servers/{server_id}", "toolServer.removed"),
    Deed("POST /webhooks", "webhook.created", lambda ids: {"url": "https://hooks.test", "enabled": False}),
    Deed("PATCH /webhooks/{webhook_id}", "webhook.updated", lambda ids: {"events": ["card.*"]}),
    Deed("DELETE /webhooks/{webhook_id}", "webhook.removed"),
    Deed(
        "POST /preset-fields",
        "preset.created",
        lambda ids: {"cardTypeId": ids["card_type_id"], "presetName": "N", "fieldId": ids["tags_id"], "value": ["n"]},
    ),
    Deed("PATCH /preset-fields/{preset_field_id}", "preset.updated", lambda ids: {"value": ["new"]}),
    Deed("DELETE /preset-fields/{preset_field_id}", "preset.removed"),
    Deed(f"DELETE {FIELDS}/{{field_id}}", "field.removed"),
    Deed(f"DELETE {ORG}/transitions/{{transition_id}}", "transition.removed"),
    Deed(f"DELETE {ORG}/columns/{{column_id}}", "column.removed", on={"column_id": "review_id"}),
    Deed(f"DELETE {ORG}/card-types/{{card_type_id}}", "cardType.removed", on={"card_type_id": "unused_id"}),
    Deed("POST /admin/import", "import.completed"),
    Deed("POST /admin/import/trello", "import.completed"),
    Deed(f"DELETE {ORG}/projects/{{project_id}}", "project.archived"),
    Deed("POST /archive/{type}/{id}/restore", "project.restored", on={"type": "project", "id": "project_id"}),
    Deed(f"DELETE {ORG}/projects/{{project_id}}", "project.removed", query={"mode": "permanent"}),
    Deed(f"DELETE {ORG}/teams/{{team_id}}", "team.archived"),
    Deed("POST /archive/{type}/{id}/restore", "team.restored", on={"type": "team", "id": "team_id"}),
    Deed(f"DELETE {ORG}/teams/{{team_id}}", "team.archived"),
    Deed("DELETE /archive/{type}/{id}", "team.removed", on={"type": "team", "id": "team_id"}),
    Deed("DELETE " + ORG, "organization.archived"),
    Deed(
        "POST /archive/{type}/{id}/restore", "organization.restored", on={"type": "organization", "id": "org_id"}
    ),
]  # fmt: skip


def test_the_walk_leaves_no_route_out() -> None:
    writing = {name for name, route in ROUTES_BY_NAME.items() if not route.reads}
    assert {deed.route for deed in DEEDS} | SILENT.keys() == writing


async def create_one_of_each(world: World) -> tuple[walk.Ids, Client]:
    """Put one thing of every kind into the organization, and what the deeds need besides."""
    ids, agent = await walk.create_one_of_each(world, world.sa, "bot")
    types_path, project = world.sa.org("/card-types"), {"projectId": ids["project_id"]}
    columns = {row["title"]: row["id"] for row in (await world.sa.get(world.sa.org("/columns"), params=project)).ok()}
    fields = (await world.sa.get(f"{types_path}/{ids['card_type_id']}/fields")).ok()
    kanban = {"column_id": columns["Todo"], "done_id": columns["Done"], "review_id": columns["Review"]}
    kanban["progress_id"] = columns["In Progress"]
    board = Board(ids["project_id"], columns, {}, {"id": ids["card_type_id"]})
    asked = [
        (
            await agent.post(
                f"/cards/{(await world.card(board))['id']}/move-requests/mcp", {"toColumnId": columns["Done"]}
            )
        )
        for _ in range(2)
    ]
    description = next(row["id"] for row in fields if row["name"] == "description")
    items = [{"fieldId": description, "value": "- [ ] Item\n- [ ] Item"}]
    third, fourth = [(await world.card(board, fieldValues=items))["id"] for _ in range(2)]
    asks = [f"/cards/{card_id}/comments/mcp" for card_id in (ids["card_id"], third, fourth)]
    question, other, told = [(await agent.post(path, {"content": "?", "asks": True})).ok()["id"] for path in asks]
    related = {"fromCardId": ids["card_id"], "toCardId": third, "kind": "relatesTo"}
    return ids | kanban | {
        "member_id": world.member.id,
        "tags_id": next(row["id"] for row in fields if row["name"] == "tags"),
        "unused_id": (await world.sa.post(types_path, {"title": "Unused"})).ok()["id"],
        "third_id": third,
        "description_id": description,
        "rel_too": (await world.sa.post(world.sa.org("/relationships"), related)).ok()["id"],
        "second": "second",
        "question_id": question,
        "question_too_id": other,
        "question_told_id": told,
        "fourth_id": fourth,
        "other_board_id": (await world.board(title="Elsewhere")).id,
        "asked_id": asked[0].ok()["id"],
        "asked_too_id": asked[1].ok()["id"],
    }, agent


async def do(world: World, deed: Deed, ids: walk.Ids, agent: Client, body: Any) -> Any:
    """Call a route; the bodies of uploads and imports are of their own kind."""
    who = agent if ROUTES_BY_NAME[deed.route].policy.scheme == API_KEY else world.sa
    if deed.route.startswith("POST /files"):
        return (await forms.send(who, forms.target({"id": ids["card_id"]}, ids["field_id"]), forms.blob())).ok()
    if deed.route == "POST /auth/invitations/accept":
        code = (await world.sa.post(world.sa.org("/members"), body)).ok()["invitationCode"]
        return (await world.outsider.post(deed.route.split()[1], {"code": code})).ok()
    if deed.route.startswith("POST /admin/import"):
        body = TRELLO if deed.route.endswith("trello") else (await world.sa.get("/admin/export")).ok()
    ids = ids | {name: ids.get(value, value) for name, value in deed.on.items()}
    return (await who.call(*address(ROUTES_BY_NAME[deed.route], ids), body, params=deed.query)).ok()


def address(route: Route, ids: walk.Ids) -> tuple[str, str]:
    return route.method, walk.url(route, ids)


async def list_types(world: World, deed: Deed, start: str, answer: Any) -> list[str]:
    """Name what happened in the organization that a deed was about."""
    if deed.route == "POST /organizations":
        headers = world.sa.headers
        return await types(world.client(headers, org_id=answer["id"]), start)
    if deed.type == "organization.archived":
        (await world.sa.post(f"/archive/organization/{world.sa.org_id}/restore")).ok()
        found = await types(world.sa, start)
        (await world.sa.delete(world.sa.org())).ok()
        return found
    return await types(world.sa, start)


async def test_every_route_that_writes_leaves_its_event(world: World) -> None:
    ids, agent = await create_one_of_each(world)
    for deed in DEEDS:
        start = await position(world.outsider)
        answer = await do(world, deed, ids, agent, deed.body(ids))
        assert deed.type in await list_types(world, deed, start, answer), deed


async def test_a_refused_request_leaves_no_event(world: World) -> None:
    ids, agent = await create_one_of_each(world)
    start = await position(world.sa)
    for route in walk.with_bodies():
        who = agent if route.policy.scheme == API_KEY else world.member
        if route.policy.requires_architect:
            (await walk.send(who, route, ids)).refused(403, "sa_required")
        else:
            (await walk.send(who, route, ids, {"surprise": 1})).refused(400, "validation_failed")
    assert await types(world.sa, start) == []


async def test_a_change_that_changes_nothing_leaves_no_event(world: World) -> None:
    ids, agent = await create_one_of_each(world)
    patches = [deed for deed in DEEDS if deed.route.startswith("PATCH") and deed.body(ids)]
    moves = [deed for deed in patches if deed.route.endswith(("/rank", "/status"))]
    for deed in [deed for deed in patches if deed not in moves]:
        await do(world, deed, ids, agent, deed.body(ids))
        start = await position(world.sa)
        await do(world, deed, ids, agent, deed.body(ids))
        if not deed.route.endswith(
            ("/checklist", "/checklist/mcp", "/onboarding", "/permissions/{permission_id}", "/versions/{version_id}")
        ):
            await do(world, deed, ids, agent, {})
        assert await types(world.sa, start) == [], deed


async def test_saying_the_same_again_leaves_no_event(world: World) -> None:
    ids, agent = await create_one_of_each(world)
    again = [
        (agent, "POST", "/agents/bot/online", {}),
        (agent, "POST", f"/teams/{ids['team_id']}/agents/register", {"id": "bot", "title": "bot"}),
        (world.sa, "PATCH", "/agents/bot/approve", None),
        (world.sa, "POST", world.sa.org(f"/teams/{ids['team_id']}/members"), {"userId": world.member.id}),
        (world.sa, "PATCH", f"/cards/{ids['card_id']}/rank", {"afterCardId": ids["third_id"]}),
    ]
    for who, method, path, body in again:
        (await who.call(method, path, body)).ok()
        start = await position(world.sa)
        (await who.call(method, path, body)).ok()
        assert await types(world.sa, start) == [], path


async def test_personal_settings_cause_no_events(world: World) -> None:
    ids, _ = await create_one_of_each(world)
    start = await position(world.sa)
    for name in ("PATCH /settings/profile", "PATCH /settings/theme", "PATCH /settings/shortcuts/{shortcut_id}"):
        body = {"fullName": "New"} if "profile" in name else {"theme": "dark"} if "theme" in name else {"binding": "x"}
        (await walk.send(world.sa, ROUTES_BY_NAME[name], ids, body)).ok()
    assert await types(world.sa, start) == []


async def test_a_whole_import_is_one_event(world: World) -> None:
    board = await world.board()
    for _ in range(5):
        await world.card(board)
    document = (await world.sa.get("/admin/export")).ok()
    for card in document["cards"]:
        card["title"] = "Changed"
    start = await position(world.sa)
    (await world.sa.post("/admin/import", document)).ok()
    assert await types(world.sa, start) == ["import.completed"]


async def test_a_relation_is_one_event_about_the_card_it_points_to(world: World) -> None:
    board = await world.board()
    first, second = await world.card(board), await world.card(board)
    start = await position(world.sa)
    body = {"fromCardId": first["id"], "toCardId": second["id"], "kind": "blocks"}
    relation = (await world.sa.post(world.sa.org("/relationships"), body)).ok()
    (await world.sa.delete(world.sa.org(f"/relationships/{relation['id']}"))).ok()
    made, deleted = (await changes(world.sa, since=start))["items"]
    assert [made["type"], deleted["type"]] == ["relationship.created", "relationship.deleted"]
    assert made["cardId"] == deleted["cardId"] == second["id"]
    assert made["projectId"] == board.id
