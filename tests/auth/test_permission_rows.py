"""Permission rows: what each route asks of a role, and that a changed row counts at once."""

from typing import Any

import pytest

from service.pipeline.routing import ROUTES

from .. import walk
from ..builders import permit
from ..direct_db import EVERYTHING
from ..policies import GOVERNED, ORG, TYPES, Governed
from ..world import World

ROUTES_BY_NAME = {walk.name(route): route for route in ROUTES}


def needed(role: str) -> list[Governed]:
    """List what the rows of a role decide."""
    return [entry for entry in GOVERNED if role == "SolutionArchitect" or not entry.architects_besides]


@pytest.mark.parametrize("role", ["SolutionArchitect", "Member"])
async def test_no_role_gets_past_a_row_that_lacks_the_action(world: World, role: str) -> None:
    ids, _ = await walk.create_one_of_each(world, world.sa, "bot")
    before = await walk.describe_organization(world.sa, ids)
    who = world.sa if role == "SolutionArchitect" else world.member
    for entry in needed(role):
        await permit(world, role, entry.resource, *(word for word in EVERYTHING if word != entry.action))
        for name in entry.routes:
            details = (await walk.call(who, ROUTES_BY_NAME[name], ids)).refused(403, "permission_denied")
            details.pop("blockers", None)  # of a move
            assert details == {"resource": entry.resource, "action": entry.action}, name
        await permit(world, role, entry.resource, *EVERYTHING)
    assert await walk.describe_organization(world.sa, ids) == [*before[:-1], (await world.sa.get("/permissions")).ok()]


@pytest.mark.parametrize("role", ["SolutionArchitect", "Member"])
async def test_one_action_is_enough_for_its_routes_that_read(world: World, role: str) -> None:
    ids, _ = await walk.create_one_of_each(world, world.sa, "bot")
    who = world.sa if role == "SolutionArchitect" else world.member
    for entry in GOVERNED:
        if entry.action == "read":
            await permit(world, role, entry.resource, "read")
            for name in entry.routes:
                (await walk.call(who, ROUTES_BY_NAME[name], ids)).ok()


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
    ids, _ = await walk.create_one_of_each(world, world.sa, "bot")
    (await world.member.call(method, path.format(**ids), body)).refused(403, "permission_denied")
    await permit(world, "Member", resource, action)
    (await world.member.call(method, path.format(**ids), body)).ok()


async def test_no_row_lifts_the_gate_for_architects(world: World) -> None:
    ids, _ = await walk.create_one_of_each(world, world.sa, "bot")
    besides = [entry for entry in GOVERNED if entry.architects_besides]
    assert {"Column", "CardType", "Prompt", "ToolServer", "File", "Archive"} == {entry.resource for entry in besides}
    for entry in besides:
        for actions in (EVERYTHING, []):
            await permit(world, "Member", entry.resource, *actions)
            for name in entry.routes:
                (await walk.send(world.member, ROUTES_BY_NAME[name], ids)).refused(403, "sa_required")


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
