"""Prompt categories: how the prompt library is sorted."""

from typing import Any

import pytest

from ..refusals import LEFT_OUT, NUL, change_body, expect_hidden, expect_invalid, people_only
from ..world import World

BODY = {"name": "Code", "color": "#102030"}


async def test_a_category_is_made_and_listed_oldest_first(world: World) -> None:
    first = (await world.sa.post("/prompt-categories", BODY)).ok()
    assert set(first) == {"id", "name", "color"}
    assert first["id"].startswith("cat_")
    assert (first["name"], first["color"]) == ("Code", "#102030")
    second = (await world.sa.post("/prompt-categories", {"name": "A later one"})).ok()
    assert second["color"].startswith("#")
    assert (await world.member.get("/prompt-categories")).ok() == [first, second]


async def test_a_patch_changes_what_it_names(world: World) -> None:
    made = (await world.sa.post("/prompt-categories", BODY)).ok()
    path = f"/prompt-categories/{made['id']}"
    assert (await world.sa.patch(path, {"name": "Text"})).ok() == {**made, "name": "Text"}
    assert (await world.sa.patch(path, {"color": "#fff"})).ok() == {**made, "name": "Text", "color": "#fff"}
    assert (await world.sa.patch(path, {})).ok() == {**made, "name": "Text", "color": "#fff"}
    assert (await world.sa.get("/prompt-categories")).ok() == [{**made, "name": "Text", "color": "#fff"}]


async def test_a_deleted_category_leaves_its_prompts_without_one(world: World) -> None:
    gone, kept = [(await world.sa.post("/prompt-categories", {**BODY, "name": name})).ok() for name in ("A", "B")]
    prompts = [
        (await world.sa.post("/prompts", {"name": name, "body": "x", "categoryId": category["id"]})).ok()
        for name, category in (("In A", gone), ("In B", kept))
    ]
    removed = await world.sa.delete(f"/prompt-categories/{gone['id']}")
    assert removed.status == 204
    assert removed.body is None
    assert (await world.sa.get(f"/prompts/{prompts[0]['id']}")).ok() == {**prompts[0], "categoryId": None}
    assert (await world.sa.get(f"/prompts/{prompts[1]['id']}")).ok() == prompts[1]
    assert (await world.sa.get("/prompt-categories")).ok() == [kept]
    for method, body in (("PATCH", {"name": "X"}), ("DELETE", None)):
        (await world.sa.call(method, f"/prompt-categories/{gone['id']}", body)).refused(404, "not_found")


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"name": LEFT_OUT}, "name"),
        ({"name": None}, "name"),
        ({"name": " "}, "name"),
        ({"name": "x" * 1001}, "name"),
        ({"name": NUL}, "name"),
        ({"color": None}, "color"),
        ({"color": "red"}, "color"),
        ({"color": 5}, "color"),
        ({"title": "x"}, "title"),
    ],
)
async def test_a_wrong_body_neither_makes_nor_changes_a_category(
    world: World, change: dict[str, Any], path: str
) -> None:
    made = (await world.sa.post("/prompt-categories", BODY)).ok()
    expect_invalid(await world.sa.post("/prompt-categories", change_body(BODY, change)), path)
    if LEFT_OUT not in change.values():
        expect_invalid(await world.sa.patch(f"/prompt-categories/{made['id']}", change), path)
    assert (await world.sa.get("/prompt-categories")).ok() == [made]


async def test_categories_are_written_by_architects_of_the_organization(world: World) -> None:
    made = (await world.sa.post("/prompt-categories", BODY)).ok()
    path = f"/prompt-categories/{made['id']}"
    writes: list[tuple[str, str, Any]] = [
        ("POST", "/prompt-categories", BODY),
        ("PATCH", path, {"name": "Mine"}),
        ("DELETE", path, None),
    ]
    for method, route, body in writes:
        (await world.member.call(method, route, body)).refused(403, "sa_required")
        await people_only(world, method, route, body)
        if route == path:
            await expect_hidden(world, method, route, body)
    await people_only(world, "GET", "/prompt-categories")
    assert (await world.outsider.get("/prompt-categories")).ok() == []
    assert (await world.sa.get("/prompt-categories")).ok() == [made]
