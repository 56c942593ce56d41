"""Where presets show: to whom, on the board, and no longer than what they are about."""

from typing import Any

from ..refusals import expect_hidden, expect_invalid, people_only
from ..world import World
from .test_presets import PATH, _body, _preset


async def test_board_flow_lists_presets_as_they_are_now(world: World) -> None:
    board, key = await world.board(), await world.script()

    async def shown() -> list[Any]:
        answers = [
            (await caller.get(caller.org(path), params=params)).ok()["presets"]
            for caller, path in ((world.member, "/board-flow"), (key, "/board-flow/mcp"))
            for params in ({}, {"projectId": board.id})
        ]
        assert all(answer == answers[0] for answer in answers)
        presets: list[Any] = answers[0]
        return presets

    assert await shown() == []
    made = await _preset(world, board)
    tags = await _preset(world, board, "tags", ["a"])
    assert sorted(await shown(), key=str) == sorted([made, tags], key=str)
    edited = (await world.sa.patch(f"{PATH}/{made['id']}", {"value": "New"})).ok()
    assert edited in await shown()
    (await world.sa.delete(f"{PATH}/{made['id']}")).ok()
    assert await shown() == [tags]
    await _preset(world, await world.board(world.outsider), by=world.outsider)
    assert await shown() == [tags]


async def test_a_removed_row_is_gone_and_a_preset_without_rows_unknown(world: World) -> None:
    board = await world.board()
    made = await _preset(world, board)
    path = f"{PATH}/{made['id']}"
    removed = await world.sa.delete(path)
    assert removed.status == 204
    assert removed.body is None
    for method, body in (("GET", None), ("PATCH", {"value": "x"}), ("DELETE", None)):
        (await world.sa.call(method, path, body)).refused(404, "not_found")
    body = {"projectId": board.id, "cardTypeId": board.card_type["id"], "title": "T", "presetName": "Bug"}
    expect_invalid(await world.sa.post(world.sa.org("/cards"), body), "presetName")


async def test_a_deleted_field_takes_its_preset_rows_along(world: World) -> None:
    board = await world.board()
    gone, kept = await _preset(world, board), await _preset(world, board, "tags", ["a"])
    type_id = board.card_type["id"]
    (await world.sa.delete(world.sa.org(f"/card-types/{type_id}/fields/{gone['fieldId']}"))).ok()
    assert (await world.sa.get(PATH)).ok() == [kept]
    (await world.sa.get(f"{PATH}/{gone['id']}")).refused(404, "not_found")


async def test_presets_of_a_deleted_card_type_are_not_shown(world: World) -> None:
    board = await world.board()
    made = await _preset(world, board)
    (await world.sa.delete(world.sa.org(f"/card-types/{board.card_type['id']}"))).ok()
    assert (await world.sa.get(PATH)).ok() == []
    for params in ({}, {"projectId": board.id}):
        assert (await world.member.get(world.member.org("/board-flow"), params=params)).ok()["presets"] == []
    for method, body in (("GET", None), ("PATCH", {"value": "x"}), ("DELETE", None)):
        (await world.sa.call(method, f"{PATH}/{made['id']}", body)).refused(404, "not_found")


async def test_a_preset_is_about_a_type_and_a_field_of_the_organization(world: World) -> None:
    board, foreign = await world.board(), await world.board(world.outsider)
    expect_invalid(await world.sa.post(PATH, _body(foreign)), "cardTypeId")
    mixed = {**_body(board), "fieldId": foreign.field("description")}
    expect_invalid(await world.sa.post(PATH, mixed), "fieldId")
    other = (await world.sa.post(world.sa.org("/card-types"), {"title": "Other"})).ok()["id"]
    expect_invalid(await world.sa.post(PATH, {**_body(board), "cardTypeId": other}), "fieldId")
    assert (await world.sa.get(PATH)).ok() == []


async def test_presets_are_written_by_architects_and_hidden_from_other_organizations(world: World) -> None:
    board = await world.board()
    made = await _preset(world, board)
    path = f"{PATH}/{made['id']}"
    writes: list[tuple[str, str, Any]] = [
        ("POST", PATH, _body(board, "tags", ["a"])),
        ("PATCH", path, {"value": "x"}),
        ("DELETE", path, None),
    ]
    for method, route, body in writes:
        (await world.member.call(method, route, body)).refused(403, "sa_required")
    for method, route, body in [*writes, ("GET", PATH, None), ("GET", path, None)]:
        await people_only(world, method, route, body)
        if route == path:
            await expect_hidden(world, method, route, body)
    assert (await world.outsider.get(PATH)).ok() == []
    assert (await world.sa.get(path)).ok() == made
