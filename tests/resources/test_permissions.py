"""Permission rows: seeded for each new organization, changed by architects, obeyed at once."""

from typing import Any

import pytest

from ..builders import permit
from ..refusals import NUL, expect_hidden, expect_invalid, people_only
from ..world import World

FOUR = {"read", "create", "update", "delete"}
SEED: dict[tuple[str, str], set[str]] = {
    ("SolutionArchitect", "Card"): FOUR | {"transition", "comment"},
    ("SolutionArchitect", "Project"): FOUR,
    ("SolutionArchitect", "Column"): FOUR,
    ("SolutionArchitect", "CardType"): FOUR,
    ("SolutionArchitect", "Field"): FOUR,
    ("SolutionArchitect", "Transition"): FOUR,
    ("SolutionArchitect", "Relationship"): FOUR,
    ("SolutionArchitect", "File"): {"read", "create", "delete"},
    ("SolutionArchitect", "Prompt"): FOUR,
    ("SolutionArchitect", "ToolServer"): FOUR,
    ("SolutionArchitect", "Analytics"): {"read"},
    ("SolutionArchitect", "Archive"): {"read", "update", "delete"},
    ("Member", "Card"): {"read", "create", "update", "transition", "comment"},
    ("Member", "Project"): {"read"},
    ("Member", "Column"): {"read"},
    ("Member", "CardType"): {"read"},
    ("Member", "Field"): {"read"},
    ("Member", "Transition"): {"read"},
    ("Member", "Relationship"): {"read", "create", "delete"},
    ("Member", "File"): {"read", "create"},
    ("Member", "Prompt"): {"read"},
    ("Member", "ToolServer"): {"read"},
    ("Member", "Analytics"): {"read"},
    ("Member", "Archive"): {"read", "update"},
}


async def _rows(world: World) -> dict[tuple[str, str], Any]:
    rows = (await world.member.get("/permissions")).ok()
    return {(row["role"], row["resource"]): row for row in rows}


async def test_a_new_organization_has_the_rows_of_the_contract(world: World) -> None:
    (await world.sa.post("/organizations", {"title": "New"})).ok()
    new = (await world.sa.get("/organizations")).ok()[-1]["id"]
    for headers in ({}, {"X-Organization-Id": new}):
        rows = (await world.sa.get("/permissions", headers=headers)).ok()
        assert all(set(row) == {"id", "role", "resource", "actions"} for row in rows)
        assert {(row["role"], row["resource"]): set(row["actions"]) for row in rows} == SEED
        assert len(rows) == len(SEED)


async def test_an_architect_changes_the_actions_of_one_row(world: World) -> None:
    before = await _rows(world)
    row = before["Member", "Card"]
    answer = (await world.sa.patch(f"/permissions/{row['id']}", {"actions": ["read", "comment", "read"]})).ok()
    assert answer == {**row, "actions": ["read", "comment"]}
    assert await _rows(world) == {**before, ("Member", "Card"): answer}
    emptied = (await world.sa.patch(f"/permissions/{row['id']}", {"actions": []})).ok()
    assert emptied == {**row, "actions": []}


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"actions": ["read", "fly"]}, "actions.1"),
        ({"actions": ["READ"]}, "actions.0"),
        ({"actions": [None]}, "actions.0"),
        ({"actions": [5]}, "actions.0"),
        ({"actions": "read"}, "actions"),
        ({"actions": None}, "actions"),
        ({"actions": {"read": True}}, "actions"),
        ({"actions": [NUL]}, "actions.0"),
        ({"actions": ["read"], "role": "Member"}, "role"),
        ({"actions": ["read"], "resource": "Card"}, "resource"),
        ({"actions": ["read"], "id": "perm_1"}, "id"),
    ],
)
async def test_a_wrong_body_changes_no_row(world: World, body: dict[str, Any], path: str) -> None:
    before = await _rows(world)
    expect_invalid(await world.sa.patch(f"/permissions/{before['Member', 'Card']['id']}", body), path)
    assert await _rows(world) == before


async def test_permissions_are_changed_by_architects_of_the_organization_only(world: World) -> None:
    before = await _rows(world)
    path, body = f"/permissions/{before['Member', 'Card']['id']}", {"actions": ["read"]}
    (await world.member.patch(path, body)).refused(403, "sa_required")
    await people_only(world, "GET", "/permissions")
    await people_only(world, "PATCH", path, body)
    await expect_hidden(world, "PATCH", path, body)
    (await world.sa.patch("/permissions/perm_none", body)).refused(404, "not_found")
    assert await _rows(world) == before


async def test_the_rows_of_one_organization_do_not_govern_another(world: World) -> None:
    board = await world.board(world.outsider)
    card = await world.card(board, by=world.outsider)
    await permit(world, "SolutionArchitect", "Card")
    (await world.outsider.get(f"/cards/{card['id']}")).ok()
    (await world.sa.get(world.sa.org("/cards"))).refused(403, "permission_denied")


async def test_a_change_takes_effect_on_the_very_next_request(world: World) -> None:
    card, path = await world.card(await world.board()), world.member.org("/cards")
    for number in range(10):
        (await world.member.get(f"/cards/{card['id']}")).ok()
        (await world.member.get(path)).ok()
        (await world.member.patch(f"/cards/{card['id']}", {"title": f"Title {number}"})).ok()
        await permit(world, "Member", "Card", "update")
        (await world.member.get(f"/cards/{card['id']}")).refused(403, "permission_denied")
        (await world.member.get(path)).refused(403, "permission_denied")
        (await world.member.get(f"/cards/{card['id']}/history")).refused(403, "permission_denied")
        await permit(world, "Member", "Card", "read")
        (await world.member.get(f"/cards/{card['id']}")).ok()
        (await world.member.patch(f"/cards/{card['id']}", {"title": "No"})).refused(403, "permission_denied")
        await permit(world, "Member", "Card", "read", "update")


async def test_an_organization_cannot_lock_itself_out(world: World) -> None:
    for role, resource in SEED:
        await permit(world, role, resource)
    (await world.sa.get(world.sa.org("/cards"))).refused(403, "permission_denied")
    await permit(world, "SolutionArchitect", "Card", "read")
    (await world.sa.get(world.sa.org("/cards"))).ok()


async def test_a_member_who_loses_an_action_keeps_the_others(world: World) -> None:
    card = await world.card(await world.board())
    await permit(world, "Member", "Card", "read", "comment")
    (await world.member.get(f"/cards/{card['id']}")).ok()
    (await world.member.post(f"/cards/{card['id']}/comments", {"content": "Still here"})).ok()
    (await world.member.patch(f"/cards/{card['id']}", {"title": "No"})).refused(403, "permission_denied")
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card


async def test_agents_are_not_governed_by_permission_rows(world: World) -> None:
    card, agent = await world.card(await world.board()), await world.agent()
    for role in ("Member", "SolutionArchitect"):
        await permit(world, role, "Card")
    (await agent.patch(f"/cards/{card['id']}/mcp", {"title": "By the agent"})).ok()
