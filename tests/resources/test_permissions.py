"""Permission rows as they are shown; what they do is tested in tests/test_permission_rows.py."""

from typing import Any

import pytest

from ..bodies import NO_TEXT, named
from ..world import World

FULL, READ = ("read", "create", "update", "delete"), ("read",)
ALIKE = ("Project", "Column", "CardType", "Field", "Transition", "Prompt", "ToolServer")
ARCHITECT = dict.fromkeys(ALIKE, FULL) | {
    "Card": (*FULL, "transition", "comment"),
    "Relationship": FULL,
    "File": ("read", "create", "delete"),
    "Analytics": READ,
    "Archive": ("read", "update", "delete"),
}
MEMBER = dict.fromkeys(ALIKE, READ) | {
    "Card": ("read", "create", "update", "transition", "comment"),
    "Relationship": ("read", "create", "delete"),
    "File": ("read", "create"),
    "Analytics": READ,
    "Archive": ("read", "update"),
}


async def test_a_new_organization_has_the_rows_of_the_table(world: World) -> None:
    made = (await world.member.post("/organizations", {"title": "New"})).ok()
    rows = (await world.member.get("/permissions", headers={"X-Organization-Id": made["id"]})).ok()
    assert all(set(row) == {"id", "role", "resource", "actions"} for row in rows)
    shown = {(row["role"], row["resource"]): sorted(row["actions"]) for row in rows}
    expected = {
        (role, resource): sorted(actions)
        for role, table in (("SolutionArchitect", ARCHITECT), ("Member", MEMBER))
        for resource, actions in table.items()
    }
    assert shown == expected
    assert len(rows) == len(expected)


async def test_every_member_reads_the_rows_of_the_current_organization(world: World) -> None:
    rows = (await world.sa.get("/permissions")).ok()
    assert (await world.member.get("/permissions")).ok() == rows
    others = (await world.outsider.get("/permissions")).ok()
    assert not {row["id"] for row in rows} & {row["id"] for row in others}


async def test_the_rows_stay_in_the_same_order(world: World) -> None:
    rows = (await world.sa.get("/permissions")).ok()
    assert (await world.sa.get("/permissions")).ok() == rows
    others = (await world.outsider.get("/permissions")).ok()
    assert [(row["role"], row["resource"]) for row in others] == [(row["role"], row["resource"]) for row in rows]


async def member_card(world: World) -> dict[str, Any]:
    """Give the row of members and cards."""
    rows = (await world.sa.get("/permissions")).ok()
    row: dict[str, Any] = next(row for row in rows if (row["role"], row["resource"]) == ("Member", "Card"))
    return row


async def test_an_architect_changes_the_actions_of_a_row_and_they_count_at_once(world: World) -> None:
    card = await world.card(await world.board())
    row = await member_card(world)
    (await world.member.patch(f"/cards/{card['id']}", {"title": "One"})).ok()
    changed = (await world.sa.patch(f"/permissions/{row['id']}", {"actions": ["read"]})).ok()
    assert changed == row | {"actions": ["read"]}
    assert await member_card(world) == changed
    (await world.member.patch(f"/cards/{card['id']}", {"title": "Two"})).refused(403, "permission_denied")
    (await world.member.get(f"/cards/{card['id']}")).ok()
    (await world.sa.patch(f"/permissions/{row['id']}", {"actions": ["update"]})).ok()
    (await world.member.patch(f"/cards/{card['id']}", {"title": "Two"})).ok()
    (await world.member.get(f"/cards/{card['id']}")).refused(403, "permission_denied")


async def test_an_architect_can_never_lock_everybody_out(world: World) -> None:
    rows = (await world.sa.get("/permissions")).ok()
    for row in rows:
        (await world.sa.patch(f"/permissions/{row['id']}", {"actions": []})).ok()
    assert {tuple(row["actions"]) for row in (await world.sa.get("/permissions")).ok()} == {()}
    (await world.sa.get(world.sa.org("/projects"))).refused(403, "permission_denied")
    for row in rows:
        (await world.sa.patch(f"/permissions/{row['id']}", {"actions": row["actions"]})).ok()
    assert (await world.sa.get("/permissions")).ok() == rows


WRONG = [*NO_TEXT[:-2], {}, "read", ["fly"], ["read", "Update"], [""], [None], [1], [["read"]]]


@pytest.mark.parametrize("actions", WRONG)
async def test_only_known_actions_can_be_named(world: World, actions: Any) -> None:
    row = await member_card(world)
    paths = named(await world.sa.patch(f"/permissions/{row['id']}", {"actions": actions}))
    assert {path.partition(".")[0] for path in paths} == {"actions"}
    assert await member_card(world) == row


@pytest.mark.parametrize("key", ["role", "resource", "id"])
async def test_role_and_resource_stay(world: World, key: str) -> None:
    row = await member_card(world)
    assert named(await world.sa.patch(f"/permissions/{row['id']}", {"actions": ["read"], key: row[key]})) == {key}
    assert await member_card(world) == row


async def test_members_and_strangers_change_no_row(world: World) -> None:
    row = await member_card(world)
    path, body = f"/permissions/{row['id']}", {"actions": ["read"]}
    (await world.member.patch(path, body)).refused(403, "sa_required")
    assert (await world.outsider.patch(path, body)).refused(404, "not_found") == {"resource": "permission"}
    (await world.sa.patch("/permissions/nothing", body)).refused(404, "not_found")
    assert await member_card(world) == row
