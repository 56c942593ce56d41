"""Prompts: a library that architects write, people read, and agents read the current body of."""

from typing import Any

import pytest

from ..builders import permit
from ..refusals import LEFT_OUT, NUL, agents_only, change_body, expect_hidden, expect_invalid, people_only
from ..world import World

LISTED = {"id", "name", "categoryId", "currentVersionId", "updatedAt"}


async def _prompt(world: World, name: str = "Review", body: str = "Read it twice.", **wishes: Any) -> Any:
    return (await world.sa.post("/prompts", {"name": name, "body": body, **wishes})).ok()


async def _category(world: World, **wishes: Any) -> str:
    return str((await world.sa.post("/prompt-categories", {"name": "Code", **wishes})).ok()["id"])


async def test_a_new_prompt_has_a_first_version_that_is_active_and_current(world: World) -> None:
    category = await _category(world)
    made = await _prompt(world, categoryId=category)
    assert set(made) == LISTED | {"createdAt", "versions"}
    assert made["id"].startswith("prm_")
    assert (made["name"], made["categoryId"]) == ("Review", category)
    (version,) = made["versions"]
    assert set(version) == {"id", "label", "body", "active", "createdAt"}
    assert (version["label"], version["body"], version["active"]) == ("v1", "Read it twice.", True)
    assert made["currentVersionId"] == version["id"]
    assert (await world.member.get(f"/prompts/{made['id']}")).ok() == made
    assert (await world.member.get("/prompts")).ok() == [{key: made[key] for key in LISTED}]


async def test_an_agent_reads_the_current_version_by_id_and_by_name(world: World) -> None:
    made, agent = await _prompt(world, "Review & test"), await world.agent()
    expected = {"name": "Review & test", "version": "v1", "body": "Read it twice."}
    assert (await agent.get(f"/prompts/{made['id']}/mcp")).ok() == expected
    assert (await agent.get("/prompts/mcp", params={"name": "Review & test"})).ok() == expected


async def test_an_agent_does_not_find_a_name_that_no_prompt_has(world: World) -> None:
    await _prompt(world)
    (await world.outsider.post("/prompts", {"name": "Foreign", "body": "x"})).ok()
    key = await world.script()
    for name in ("Foreign", "Revie", "review ", "%", ""):
        (await key.get("/prompts/mcp", params={"name": name})).refused(404, "not_found")
    (await key.get("/prompts/prm_none/mcp")).refused(404, "not_found")
    expect_invalid(await key.get("/prompts/mcp"), "name")


async def test_the_body_of_a_prompt_comes_back_as_it_was_written(world: World) -> None:
    body = '  # Zeile 1\r\n\t"Anführung" \\ 🦉\n' + "x" * 100_000
    made, key = await _prompt(world, body=body), await world.script()
    assert (await key.get(f"/prompts/{made['id']}/mcp")).ok()["body"] == body


async def test_the_list_can_be_narrowed_to_a_category(world: World) -> None:
    category, other = await _category(world), await _category(world, name="Other")
    inside = await _prompt(world, "Inside", categoryId=category)
    await _prompt(world, "Outside")
    listed = (await world.member.get("/prompts", params={"categoryId": category})).ok()
    assert [prompt["id"] for prompt in listed] == [inside["id"]]
    assert (await world.member.get("/prompts", params={"categoryId": other})).ok() == []
    assert len((await world.member.get("/prompts")).ok()) == 2
    expect_invalid(await world.member.get("/prompts", params={"category": category}), "category")


async def test_a_patch_changes_name_or_category_and_nothing_else(world: World) -> None:
    made, category = await _prompt(world), await _category(world)
    path = f"/prompts/{made['id']}"
    renamed = (await world.sa.patch(path, {"name": "Check"})).ok()
    assert {**renamed, "updatedAt": ""} == {**made, "name": "Check", "updatedAt": ""}
    sorted_in = (await world.sa.patch(path, {"categoryId": category})).ok()
    assert (sorted_in["name"], sorted_in["categoryId"]) == ("Check", category)
    assert (await world.sa.patch(path, {})).ok() == sorted_in
    cleared = (await world.sa.patch(path, {"categoryId": None})).ok()
    assert cleared["categoryId"] is None
    assert (await world.sa.get(path)).ok() == cleared
    for key, value in (("body", "x"), ("currentVersionId", None), ("active", True)):
        expect_invalid(await world.sa.patch(path, {key: value}), key)
    expect_invalid(await world.sa.patch(path, {"name": None}), "name")


async def test_a_deleted_prompt_is_gone_for_people_and_agents(world: World) -> None:
    made, key = await _prompt(world), await world.script()
    kept = await _prompt(world, "Kept")
    removed = await world.sa.delete(f"/prompts/{made['id']}")
    assert removed.status == 204
    assert removed.body is None
    (await key.get(f"/prompts/{made['id']}/mcp")).refused(404, "not_found")
    (await key.get("/prompts/mcp", params={"name": "Review"})).refused(404, "not_found")
    version = made["versions"][0]["id"]
    for method, path, body in (
        ("GET", f"/prompts/{made['id']}", None),
        ("PATCH", f"/prompts/{made['id']}", {"name": "Back"}),
        ("DELETE", f"/prompts/{made['id']}", None),
        ("POST", f"/prompts/{made['id']}/versions", {"label": "v2", "body": "x"}),
        ("PATCH", f"/prompts/{made['id']}/versions/{version}", {"active": True}),
    ):
        (await world.sa.call(method, path, body)).refused(404, "not_found")
    assert [prompt["id"] for prompt in (await world.member.get("/prompts")).ok()] == [kept["id"]]


async def test_the_name_of_a_deleted_prompt_is_free_again(world: World) -> None:
    made, key = await _prompt(world), await world.script()
    (await world.sa.delete(f"/prompts/{made['id']}")).ok()
    await _prompt(world, body="A better one.")
    assert (await key.get("/prompts/mcp", params={"name": "Review"})).ok()["body"] == "A better one."


async def test_a_category_must_be_one_of_the_organization(world: World) -> None:
    made = await _prompt(world)
    foreign = (await world.outsider.post("/prompt-categories", {"name": "Foreign"})).ok()["id"]
    for category in (foreign, "cat_none", ""):
        expect_invalid(
            await world.sa.post("/prompts", {"name": "P", "body": "x", "categoryId": category}), "categoryId"
        )
        expect_invalid(await world.sa.patch(f"/prompts/{made['id']}", {"categoryId": category}), "categoryId")
    assert len((await world.sa.get("/prompts")).ok()) == 1


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"name": LEFT_OUT}, "name"),
        ({"name": None}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x" * 1001}, "name"),
        ({"name": NUL}, "name"),
        ({"body": LEFT_OUT}, "body"),
        ({"body": None}, "body"),
        ({"body": 5}, "body"),
        ({"body": "x" * 500_001}, "body"),
        ({"categoryId": 5}, "categoryId"),
        ({"label": "v1"}, "label"),
    ],
)
async def test_a_wrong_body_makes_no_prompt(world: World, change: dict[str, Any], path: str) -> None:
    expect_invalid(await world.sa.post("/prompts", change_body({"name": "P", "body": "x"}, change)), path)
    assert (await world.sa.get("/prompts")).ok() == []


async def test_prompts_are_written_by_architects_and_hidden_from_other_organizations(world: World) -> None:
    made = await _prompt(world)
    path = f"/prompts/{made['id']}"
    writes: list[tuple[str, str, Any]] = [
        ("POST", "/prompts", {"name": "P", "body": "x"}),
        ("PATCH", path, {"name": "P"}),
        ("DELETE", path, None),
    ]
    for method, route, body in writes:
        (await world.member.call(method, route, body)).refused(403, "sa_required")
    for method, route, body in [*writes, ("GET", "/prompts", None), ("GET", path, None)]:
        await people_only(world, method, route, body)
        if route == path:
            await expect_hidden(world, method, route, body)
    assert (await world.outsider.get("/prompts")).ok() == []
    assert (await world.sa.get(path)).ok() == made


async def test_only_approved_agents_of_the_organization_read_prompts(world: World) -> None:
    path = f"/prompts/{(await _prompt(world))['id']}/mcp"
    await agents_only(world, "GET", path)
    await agents_only(world, "GET", "/prompts/mcp?name=Review")
    foreign, pending = await world.agent("far", world.outsider), await world.agent("new", approve=False)
    for route in (path, "/prompts/mcp?name=Review"):
        (await foreign.get(route)).refused(404, "not_found")
        (await pending.get(route)).refused(403, "agent_not_approved")


async def test_a_member_reads_prompts_only_as_the_permission_row_says(world: World) -> None:
    made = await _prompt(world)
    await permit(world, "Member", "Prompt")
    for path in ("/prompts", f"/prompts/{made['id']}", "/prompt-categories"):
        details = (await world.member.get(path)).refused(403, "permission_denied")
        assert details == {"resource": "Prompt", "action": "read"}
