"""Keyboard shortcuts: everybody has their own."""

from typing import Any

import pytest

from ..refusals import LEFT_OUT, NUL, change_body, expect_invalid, people_only
from ..world import MEMBER, World

PATH = "/settings/shortcuts"
BODY = {"action": "card.archive", "binding": "ctrl+k"}


async def _bind(world: World, action: str = "card.archive", binding: str = "ctrl+k") -> Any:
    return (await world.member.post(PATH, {"action": action, "binding": binding})).ok()


async def test_a_shortcut_is_made_and_listed_for_its_user_alone(world: World) -> None:
    assert (await world.member.get(PATH)).ok() == []
    made = await _bind(world)
    assert set(made) == {"id", "action", "binding"}
    assert made["id"].startswith("sc_")
    assert (made["action"], made["binding"]) == ("card.archive", "ctrl+k")
    second = await _bind(world, "board.search", "/")
    assert (await world.member.get(PATH)).ok() == [made, second]
    assert (await world.sa.get(PATH)).ok() == []


async def test_an_action_is_bound_once_for_a_user(world: World) -> None:
    made = await _bind(world)
    (await world.member.post(PATH, {**BODY, "binding": "x"})).refused(409, "shortcut_exists")
    assert (await world.member.get(PATH)).ok() == [made]
    (await world.sa.post(PATH, BODY)).ok()


async def test_two_actions_may_have_the_same_binding(world: World) -> None:
    made = [await _bind(world, "card.archive", "ctrl+k"), await _bind(world, "comment.post", "Ctrl+k")]
    assert [shortcut["binding"] for shortcut in made] == ["ctrl+k", "ctrl+k"]
    third = await _bind(world, "board.search", "alt+s")
    moved = (await world.member.patch(f"{PATH}/{third['id']}", {"binding": "ctrl+k"})).ok()
    assert moved["binding"] == "ctrl+k"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("k", "k"),
        ("/", "/"),
        ("Enter", "Enter"),
        ("Ctrl+Enter", "ctrl+Enter"),
        ("SHIFT+CTRL+k", "ctrl+shift+k"),
        ("meta+shift+alt+ctrl+F5", "ctrl+alt+shift+meta+F5"),
        ("Meta + Alt + x", "alt+meta+x"),
        ("+", "+"),
        ("shift++", "shift++"),
        ("shift+Ctrl++", "ctrl+shift++"),
    ],
)
async def test_a_binding_is_kept_in_its_normal_form(world: World, given: str, kept: str) -> None:
    made = await _bind(world, binding=given)
    assert made["binding"] == kept
    other = await _bind(world, "comment.post", "q")
    assert (await world.member.patch(f"{PATH}/{other['id']}", {"binding": given})).ok()["binding"] == kept
    assert [shortcut["binding"] for shortcut in (await world.member.get(PATH)).ok()] == [kept, kept]


@pytest.mark.parametrize(
    "binding",
    ["", " ", "ctrl", "ctrl+", "ctrl+shift", "ctrl+ctrl+k", "hyper+k", "k+ctrl", "a+b", "+k", "ctrl++k", "x" * 101, 5],
)
async def test_a_binding_is_modifiers_each_once_and_then_a_key(world: World, binding: Any) -> None:
    made = await _bind(world)
    expect_invalid(await world.member.post(PATH, {"action": "comment.post", "binding": binding}), "binding")
    expect_invalid(await world.member.patch(f"{PATH}/{made['id']}", {"binding": binding}), "binding")
    assert (await world.member.get(PATH)).ok() == [made]


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"action": LEFT_OUT}, "action"),
        ({"action": None}, "action"),
        ({"action": ""}, "action"),
        ({"action": "card archive"}, "action"),
        ({"action": "x" * 201}, "action"),
        ({"action": ["card.archive"]}, "action"),
        ({"action": NUL}, "action"),
        ({"binding": LEFT_OUT}, "binding"),
        ({"binding": None}, "binding"),
        ({"key": "k"}, "key"),
    ],
)
async def test_a_wrong_body_makes_no_shortcut(world: World, change: dict[str, Any], path: str) -> None:
    expect_invalid(await world.member.post(PATH, change_body(BODY, change)), path)
    assert (await world.member.get(PATH)).ok() == []


async def test_only_the_binding_of_a_shortcut_changes(world: World) -> None:
    made = await _bind(world)
    path = f"{PATH}/{made['id']}"
    changed_one = (await world.member.patch(path, {"binding": "alt+k"})).ok()
    assert changed_one == {**made, "binding": "alt+k"}
    expect_invalid(await world.member.patch(path, {"binding": "alt+k", "action": "comment.post"}), "action")
    expect_invalid(await world.member.patch(path, {"binding": None}), "binding")
    assert (await world.member.get(PATH)).ok() == [changed_one]


async def test_a_removed_shortcut_is_gone_and_its_action_free(world: World) -> None:
    made = await _bind(world)
    assert (await world.member.delete(f"{PATH}/{made['id']}")).ok() == {"success": True}
    assert (await world.member.get(PATH)).ok() == []
    (await world.member.delete(f"{PATH}/{made['id']}")).refused(404, "not_found")
    (await world.member.patch(f"{PATH}/{made['id']}", {"binding": "x"})).refused(404, "not_found")
    await _bind(world)


async def test_the_shortcut_of_another_user_is_not_there(world: World) -> None:
    made = await _bind(world)
    path = f"{PATH}/{made['id']}"
    for caller in (world.sa, world.outsider):
        (await caller.patch(path, {"binding": "x"})).refused(404, "not_found")
        (await caller.delete(path)).refused(404, "not_found")
    assert (await world.member.get(PATH)).ok() == [made]


async def test_shortcuts_are_for_people(world: World) -> None:
    made = await _bind(world)
    await people_only(world, "GET", PATH)
    await people_only(world, "POST", PATH, BODY)
    await people_only(world, "PATCH", f"{PATH}/{made['id']}", {"binding": "x"})
    await people_only(world, "DELETE", f"{PATH}/{made['id']}")
    assert (await world.member.get(PATH)).ok() == [made]


async def test_shortcuts_stay_when_the_user_has_no_organization_left(world: World) -> None:
    made = await _bind(world)
    (await world.sa.delete(world.sa.org(f"/members/{world.member.id}"))).ok()
    again = await world.login(MEMBER)
    assert (await again.get(PATH)).ok() == [made]
    assert (await world.member.get(PATH)).ok() == [made]
