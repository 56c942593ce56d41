"""Permission rows as they are shown; what they do is tested in tests/test_permission_rows.py."""

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
