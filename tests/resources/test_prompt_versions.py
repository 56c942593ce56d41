"""Versions of prompts: at most one is active, and it is the one that agents read."""

from typing import Any

import pytest

from ..refusals import LEFT_OUT, NUL, change_body, expect_hidden, expect_invalid, people_only
from ..world import World


async def _prompt(world: World) -> Any:
    return (await world.sa.post("/prompts", {"name": "Review", "body": "one"})).ok()


async def _add(world: World, prompt: Any, label: str, body: str, activate: str | None = None) -> Any:
    params = {} if activate is None else {"activate": activate}
    path = f"/prompts/{prompt['id']}/versions"
    return (await world.sa.post(path, {"label": label, "body": body}, params=params)).ok()


async def _turn(world: World, prompt: Any, version: Any, active: bool) -> Any:
    return (await world.sa.patch(f"/prompts/{prompt['id']}/versions/{version['id']}", {"active": active})).ok()


async def _state(world: World, prompt: Any) -> tuple[list[str], str | None]:
    """Return the labels of the active versions and of the current one; agents must read just that one."""
    shown = (await world.sa.get(f"/prompts/{prompt['id']}")).ok()
    labels = {version["id"]: version["label"] for version in shown["versions"]}
    current = shown["currentVersionId"] and labels[shown["currentVersionId"]]
    key = await world.script()
    answers = [
        await key.get(f"/prompts/{prompt['id']}/mcp"),
        await key.get("/prompts/mcp", params={"name": prompt["name"]}),
    ]
    for answer in answers:
        if current is None:
            answer.refused(404, "not_found")
        else:
            assert answer.ok()["version"] == current
    return [version["label"] for version in shown["versions"] if version["active"]], current


async def test_a_new_version_leaves_the_current_one_unless_it_is_activated(world: World) -> None:
    prompt = await _prompt(world)
    second = await _add(world, prompt, "v2", "two")
    assert set(second) == {"id", "label", "body", "active", "createdAt"}
    assert (second["label"], second["body"], second["active"]) == ("v2", "two", False)
    assert await _state(world, prompt) == (["v1"], "v1")
    assert (await _add(world, prompt, "v3", "three", "0"))["active"] is False
    assert await _state(world, prompt) == (["v1"], "v1")
    assert (await _add(world, prompt, "v4", "four", "1"))["active"] is True
    assert await _state(world, prompt) == (["v4"], "v4")
    shown = (await world.member.get(f"/prompts/{prompt['id']}")).ok()
    assert [version["label"] for version in shown["versions"]] == ["v4", "v3", "v2", "v1"]
    assert (await (await world.script()).get(f"/prompts/{prompt['id']}/mcp")).ok()["body"] == "four"


async def test_activating_a_version_deactivates_the_other(world: World) -> None:
    prompt = await _prompt(world)
    first, second = prompt["versions"][0], await _add(world, prompt, "v2", "two", "1")
    assert await _turn(world, prompt, first, True) == first
    assert await _state(world, prompt) == (["v1"], "v1")
    assert (await _turn(world, prompt, second, True))["active"] is True
    assert await _state(world, prompt) == (["v2"], "v2")


async def test_deactivating_the_current_version_leaves_none_until_one_is_activated(world: World) -> None:
    prompt = await _prompt(world)
    first, second = prompt["versions"][0], await _add(world, prompt, "v2", "two")
    assert (await _turn(world, prompt, first, False))["active"] is False
    assert await _state(world, prompt) == ([], None)
    (listed,) = (await world.member.get("/prompts")).ok()
    assert listed["currentVersionId"] is None
    await _turn(world, prompt, second, True)
    assert await _state(world, prompt) == (["v2"], "v2")


async def test_turning_a_version_to_what_it_is_changes_nothing(world: World) -> None:
    prompt = await _prompt(world)
    first, second = prompt["versions"][0], await _add(world, prompt, "v2", "two")
    before = (await world.sa.get(f"/prompts/{prompt['id']}")).ok()
    await _turn(world, prompt, second, False)
    await _turn(world, prompt, first, True)
    assert (await world.sa.get(f"/prompts/{prompt['id']}")).ok() == before
    assert await _state(world, prompt) == (["v1"], "v1")


async def test_a_label_is_taken_once_in_a_prompt(world: World) -> None:
    prompt = await _prompt(world)
    path = f"/prompts/{prompt['id']}/versions"
    (await world.sa.post(path, {"label": "v1", "body": "x"}, params={"activate": "1"})).refused(409, "conflict")
    assert (await world.sa.get(f"/prompts/{prompt['id']}")).ok() == prompt
    other = (await world.sa.post("/prompts", {"name": "Other", "body": "x"})).ok()
    await _add(world, other, "v2", "x")
    await _add(world, prompt, "v2", "x")


async def test_a_version_without_a_label_gets_the_next_free_one(world: World) -> None:
    prompt = await _prompt(world)
    path = f"/prompts/{prompt['id']}/versions"
    assert (await world.sa.post(path, {"body": "two"})).ok()["label"] == "v2"
    await _add(world, prompt, "v4", "named")
    labels = [(await world.sa.post(path, {"body": "next"})).ok()["label"] for _ in range(2)]
    assert len({"v1", "v2", "v4", *labels}) == 5


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"label": 5}, "label"),
        ({"label": ""}, "label"),
        ({"label": "x" * 1001}, "label"),
        ({"label": NUL}, "label"),
        ({"body": LEFT_OUT}, "body"),
        ({"body": None}, "body"),
        ({"body": ["x"]}, "body"),
        ({"body": "x" * 500_001}, "body"),
        ({"active": True}, "active"),
    ],
)
async def test_a_wrong_body_makes_no_version(world: World, change: dict[str, Any], path: str) -> None:
    prompt = await _prompt(world)
    answer = await world.sa.post(f"/prompts/{prompt['id']}/versions", change_body({"label": "v2", "body": "x"}, change))
    expect_invalid(answer, path)
    assert (await world.sa.get(f"/prompts/{prompt['id']}")).ok() == prompt


async def test_activate_takes_only_yes_or_no(world: World) -> None:
    prompt = await _prompt(world)
    path = f"/prompts/{prompt['id']}/versions"
    expect_invalid(await world.sa.post(path, {"label": "v2", "body": "x"}, params={"activate": "maybe"}), "activate")
    expect_invalid(await world.sa.post(path, {"label": "v2", "body": "x"}, params={"active": "1"}), "active")
    assert (await world.sa.get(f"/prompts/{prompt['id']}")).ok() == prompt


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "active"),
        ({"active": None}, "active"),
        ({"active": "true"}, "active"),
        ({"active": 1}, "active"),
        ({"active": False, "label": "v9"}, "label"),
        ({"active": False, "body": "x"}, "body"),
    ],
)
async def test_a_version_can_only_be_turned_on_and_off(world: World, body: dict[str, Any], path: str) -> None:
    prompt = await _prompt(world)
    expect_invalid(await world.sa.patch(f"/prompts/{prompt['id']}/versions/{prompt['currentVersionId']}", body), path)
    assert (await world.sa.get(f"/prompts/{prompt['id']}")).ok() == prompt


async def test_versions_are_written_by_architects_of_the_organization(world: World) -> None:
    prompt = await _prompt(world)
    base = f"/prompts/{prompt['id']}/versions"
    version = f"{base}/{prompt['currentVersionId']}"
    for method, path, body in (("POST", base, {"label": "v2", "body": "x"}), ("PATCH", version, {"active": False})):
        (await world.member.call(method, path, body)).refused(403, "sa_required")
        await people_only(world, method, path, body)
        await expect_hidden(world, method, path, body)
    assert (await world.sa.get(f"/prompts/{prompt['id']}")).ok() == prompt


async def test_a_version_is_found_only_in_its_own_prompt(world: World) -> None:
    prompt = await _prompt(world)
    other = (await world.sa.post("/prompts", {"name": "Other", "body": "x"})).ok()
    path = f"/prompts/{other['id']}/versions"
    for version in (prompt["currentVersionId"], "ver_none"):
        (await world.sa.patch(f"{path}/{version}", {"active": False})).refused(404, "not_found")
    assert await _state(world, prompt) == (["v1"], "v1")
    assert await _state(world, other) == (["v1"], "v1")
