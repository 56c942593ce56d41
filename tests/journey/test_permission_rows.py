"""Permission rows: what each route asks of a role, and that a changed row counts at once."""

from collections.abc import Iterator
from typing import Any

import pytest

from service.journey.table import TABLE

from .. import walk
from ..behind import EVERYTHING
from ..beside import permit
from ..world import World

ORG = "/organizations/{org_id}"
TYPES = ORG + "/card-types"
# The table of the contract, for the resources that have their routes in these modules.
GOVERNED = {
    ("Card", "read"): [
        f"GET {ORG}/cards",
        f"GET {ORG}/board-flow",
        f"GET {ORG}/move-requests",
        *(f"GET /cards/{{card_id}}{part}" for part in ("", "/comments", "/history", "/moves")),
    ],
    ("Card", "create"): [f"POST {ORG}/cards"],
    ("Card", "update"): ["PATCH /cards/{card_id}", "PATCH /cards/{card_id}/rank", "POST /cards/{card_id}/restore"],
    ("Card", "transition"): [
        "PATCH /cards/{card_id}/status",
        *(f"POST /move-requests/{{move_request_id}}/{verb}" for verb in ("approve", "reject")),
    ],
    ("Card", "delete"): ["DELETE /cards/{card_id}"],
    ("Card", "comment"): [
        "POST /cards/{card_id}/comments",
        "POST /cards/{card_id}/comments/{comment_id}/replies",
    ],
    ("Project", "read"): [f"GET {ORG}/projects", f"GET {ORG}/projects/{{project_id}}"],
    ("Project", "create"): [f"POST {ORG}/projects"],
    ("Project", "update"): [f"PATCH {ORG}/projects/{{project_id}}"],
    ("Project", "delete"): [f"DELETE {ORG}/projects/{{project_id}}"],
    ("Column", "read"): [f"GET {ORG}/columns"],
    ("Column", "create"): [f"POST {ORG}/columns"],
    ("Column", "update"): [f"PATCH {ORG}/columns/{{column_id}}"],
    ("Column", "delete"): [f"DELETE {ORG}/columns/{{column_id}}"],
    ("CardType", "read"): [f"GET {TYPES}"],
    ("CardType", "create"): [f"POST {TYPES}"],
    ("CardType", "update"): [f"PATCH {TYPES}/{{card_type_id}}"],
    ("CardType", "delete"): [f"DELETE {TYPES}/{{card_type_id}}"],
    ("Field", "read"): [f"GET {TYPES}/{{card_type_id}}/fields"],
    ("Field", "create"): [f"POST {TYPES}/{{card_type_id}}/fields"],
    ("Field", "update"): [f"PATCH {TYPES}/{{card_type_id}}/fields/{{field_id}}"],
    ("Field", "delete"): [f"DELETE {TYPES}/{{card_type_id}}/fields/{{field_id}}"],
    ("Transition", "read"): [f"GET {ORG}/transitions"],
    ("Transition", "create"): [f"POST {ORG}/transitions"],
    ("Transition", "update"): [f"PATCH {ORG}/transitions/{{transition_id}}"],
    ("Transition", "delete"): [f"DELETE {ORG}/transitions/{{transition_id}}"],
    ("Relationship", "read"): [f"GET {ORG}/relationships"],
    ("Relationship", "create"): [f"POST {ORG}/relationships"],
    ("Relationship", "delete"): [f"DELETE {ORG}/relationships/{{relationship_id}}"],
    ("Prompt", "read"): ["GET /prompts", "GET /prompts/{prompt_id}", "GET /prompt-categories"],
    ("Prompt", "create"): ["POST /prompts", "POST /prompt-categories"],
    ("Prompt", "update"): ["PATCH /prompts/{prompt_id}", "PATCH /prompt-categories/{category_id}"],
    ("Prompt", "delete"): ["DELETE /prompts/{prompt_id}", "DELETE /prompt-categories/{category_id}"],
    ("ToolServer", "read"): ["GET /mcp-servers", "GET /mcp-servers/{server_id}"],
    ("ToolServer", "create"): ["POST /mcp-servers"],
    ("ToolServer", "update"): ["PATCH /mcp-servers/{server_id}"],
    ("ToolServer", "delete"): ["DELETE /mcp-servers/{server_id}"],
    ("File", "read"): ["GET /files/card/{card_id}/field/{field_id}", "GET /files/{file_id}/content"],
    ("File", "delete"): ["DELETE /files/{file_id}"],
    ("Archive", "read"): ["GET /archive"],
    ("Archive", "update"): ["POST /archive/{type}/{id}/restore"],
    ("Archive", "delete"): ["DELETE /archive/{type}/{id}"],
}
# What stays with architects whatever the rows say.
SA_BESIDES = {("Archive", "delete"), ("File", "delete")} | {
    (resource, action)
    for resource in ("Column", "CardType", "Prompt", "ToolServer")
    for action in ("create", "update", "delete")
}
ROUTES = {walk.name(route): route for route in TABLE}


def needed(role: str) -> Iterator[tuple[str, str, list[str]]]:
    """Give resource, action and routes, as far as the row of a role decides."""
    for (resource, action), names in GOVERNED.items():
        if role == "SolutionArchitect" or (resource, action) not in SA_BESIDES:
            yield resource, action, names
    listed = {name for names in GOVERNED.values() for name in names}
    for route in walk.judged():
        gate = route.gate
        if gate.resource and gate.action and walk.name(route) not in listed and (role != "Member" or not gate.sa):
            yield gate.resource, gate.action, [walk.name(route)]


@pytest.mark.parametrize("role", ["SolutionArchitect", "Member"])
async def test_no_role_gets_past_a_row_that_lacks_the_action(world: World, role: str) -> None:
    ids, _ = await walk.furnish(world, world.sa, "bot")
    before = await walk.portrait(world.sa, ids)
    who = world.sa if role == "SolutionArchitect" else world.member
    for resource, action, names in needed(role):
        await permit(world, role, resource, *(word for word in EVERYTHING if word != action))
        for name in names:
            details = (await walk.send(who, ROUTES[name], ids)).refused(403, "permission_denied")
            details.pop("blockers", None)  # of a move
            assert details == {"resource": resource, "action": action}, name
        await permit(world, role, resource, *EVERYTHING)
    assert await walk.portrait(world.sa, ids) == [*before[:-1], (await world.sa.get("/permissions")).ok()]


@pytest.mark.parametrize("role", ["SolutionArchitect", "Member"])
async def test_one_action_is_enough_for_its_routes_that_read(world: World, role: str) -> None:
    ids, _ = await walk.furnish(world, world.sa, "bot")
    who = world.sa if role == "SolutionArchitect" else world.member
    for (resource, action), names in GOVERNED.items():
        if action == "read":
            await permit(world, role, resource, "read")
            for name in names:
                (await walk.send(who, ROUTES[name], ids)).ok()


MEMBERS_MAY: list[tuple[str, str, str, str, dict[str, Any] | None]] = [
    ("Project", "create", "POST", ORG + "/projects", {"title": "A member's"}),
    ("Project", "update", "PATCH", ORG + "/projects/{project_id}", {"title": "A member's"}),
    ("Project", "delete", "DELETE", ORG + "/projects/{project_id}", None),
    ("Field", "create", "POST", TYPES + "/{card_type_id}/fields", {"name": "new", "kind": "text"}),
    ("Field", "update", "PATCH", TYPES + "/{card_type_id}/fields/{field_id}", {"label": "New"}),
    ("Field", "delete", "DELETE", TYPES + "/{card_type_id}/fields/{field_id}", None),
    ("Transition", "update", "PATCH", ORG + "/transitions/{transition_id}", {"requiresApproval": True}),
    ("Transition", "delete", "DELETE", ORG + "/transitions/{transition_id}", None),
    ("Card", "delete", "DELETE", "/cards/{card_id}", None),
]


@pytest.mark.parametrize(("resource", "action", "method", "path", "body"), MEMBERS_MAY)
async def test_a_member_may_what_the_row_grants_and_may_not_before(
    world: World, resource: str, action: str, method: str, path: str, body: dict[str, Any] | None
) -> None:
    ids, _ = await walk.furnish(world, world.sa, "bot")
    (await world.member.call(method, path.format(**ids), body)).refused(403, "permission_denied")
    await permit(world, "Member", resource, action)
    (await world.member.call(method, path.format(**ids), body)).ok()


@pytest.mark.parametrize(("resource", "action"), sorted(SA_BESIDES))
async def test_no_row_lifts_the_gate_for_architects(world: World, resource: str, action: str) -> None:
    ids, _ = await walk.furnish(world, world.sa, "bot")
    for actions in (EVERYTHING, []):
        await permit(world, "Member", resource, *actions)
        for name in GOVERNED[resource, action]:
            (await walk.send(world.member, ROUTES[name], ids)).refused(403, "sa_required")


async def test_the_row_of_one_role_says_nothing_about_the_other(world: World) -> None:
    card = await world.card(await world.board())
    await permit(world, "Member", "Card")
    (await world.sa.patch(f"/cards/{card['id']}", {"title": "New"})).ok()
    await permit(world, "Member", "Card", "read")
    await permit(world, "SolutionArchitect", "Card")
    assert (await world.member.get(f"/cards/{card['id']}")).ok()["title"] == "New"
    (await world.sa.get(f"/cards/{card['id']}")).refused(403, "permission_denied")


async def test_a_stranger_learns_nothing_of_rows(world: World) -> None:
    card = await world.card(await world.board())
    for role in ("SolutionArchitect", "Member"):
        await permit(world, role, "Card")
    (await world.outsider.get(f"/cards/{card['id']}")).refused(404, "not_found")
