"""Card types: made, listed, changed, deleted."""

from typing import Any

import pytest

from ..builders import permit
from ..world import World

KEYS = {"id", "projectId", "title", "color", "commentsEnabled", "filesEnabled", "createdAt", "fields"}


async def test_a_card_type_is_made_for_the_organization_or_for_one_project(world: World) -> None:
    board, other = await world.board(), await world.board(title="Other")
    shared = (await world.sa.post(world.sa.org("/card-types"), {"title": "Bug"})).ok()
    assert set(shared) == KEYS
    assert (shared["projectId"], shared["commentsEnabled"], shared["filesEnabled"]) == (None, True, True)
    assert shared["fields"] == []
    assert shared["id"].startswith("ctype_")
    body = {
        "title": "Own",
        "color": "#ff0000",
        "commentsEnabled": False,
        "filesEnabled": False,
        "projectId": board.id,
    }
    own = (await world.sa.post(world.sa.org("/card-types"), body)).ok()
    assert {key: own[key] for key in body} == body
    listed = (await world.member.get(world.member.org("/card-types"))).ok()
    assert [row["id"] for row in listed] == [board.card_type["id"], shared["id"], own["id"]]
    usable = (await world.sa.get(world.sa.org("/card-types"), params={"projectId": other.id})).ok()
    assert [row["id"] for row in usable] == [board.card_type["id"], shared["id"]]


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"title": None}, "title"),
        ({"title": 3}, "title"),
        ({"title": ""}, "title"),
        ({"title": "x" * 501}, "title"),
        ({"title": "\0"}, "title"),
        ({"color": "blue"}, "color"),
        ({"color": None}, "color"),
        ({"commentsEnabled": None}, "commentsEnabled"),
        ({"commentsEnabled": "yes"}, "commentsEnabled"),
        ({"filesEnabled": 0}, "filesEnabled"),
        ({"fields": []}, "fields"),
    ],
)
async def test_a_wrong_card_type_is_refused_when_made_and_when_changed(world: World, wrong: Any, path: str) -> None:
    board = await world.board()
    assert (await world.sa.post(world.sa.org("/card-types"), {"title": "T", **wrong})).invalid() == [path]
    answer = await world.sa.patch(world.sa.org(f"/card-types/{board.card_type['id']}"), wrong)
    assert answer.invalid() == [path]
    assert (await world.sa.get(world.sa.org("/card-types"))).ok() == [board.card_type]


async def test_a_card_type_names_a_project_of_the_organization(world: World) -> None:
    foreign = await world.board(world.outsider)
    for project in (foreign.id, "proj_x"):
        body = {"title": "T", "projectId": project}
        assert (await world.sa.post(world.sa.org("/card-types"), body)).invalid() == ["projectId"]
    assert (await world.sa.post(world.sa.org("/card-types"), {})).invalid() == ["title"]


async def test_a_patch_of_a_card_type_changes_what_it_names(world: World) -> None:
    board = await world.board()
    path = world.sa.org(f"/card-types/{board.card_type['id']}")
    changed = (await world.sa.patch(path, {"title": "Story", "commentsEnabled": False})).ok()
    assert changed == {**board.card_type, "title": "Story", "commentsEnabled": False}
    assert (await world.sa.patch(path, {})).ok() == changed
    assert (await world.sa.get(world.sa.org("/card-types"))).ok() == [changed]


async def test_a_card_type_in_use_stays_until_its_cards_are_archived(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    path = world.sa.org(f"/card-types/{board.card_type['id']}")
    (await world.sa.delete(path)).refused(409, "card_type_in_use")
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    answer = await world.sa.delete(path)
    assert (answer.status, answer.body) == (204, None)
    assert (await world.sa.get(world.sa.org("/card-types"))).ok() == []
    (await world.sa.patch(path, {"title": "T"})).refused(404, "not_found")
    (await world.sa.delete(path)).refused(404, "not_found")
    (await world.sa.get(path + "/fields")).refused(404, "not_found")
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["cardTypeId"] == board.card_type["id"]
    body = {"projectId": board.id, "cardTypeId": board.card_type["id"], "title": "T"}
    assert (await world.sa.post(world.sa.org("/cards"), body)).invalid() == ["cardTypeId"]


async def test_only_architects_write_card_types(world: World) -> None:
    board = await world.board()
    await permit(world, "Member", "CardType", "read", "create", "update", "delete")
    path = world.member.org(f"/card-types/{board.card_type['id']}")
    (await world.member.post(world.member.org("/card-types"), {"title": "T"})).refused(403, "sa_required")
    (await world.member.patch(path, {"title": "T"})).refused(403, "sa_required")
    (await world.member.delete(path)).refused(403, "sa_required")
    await permit(world, "SolutionArchitect", "CardType", "read")
    path = world.sa.org(f"/card-types/{board.card_type['id']}")
    details = (await world.sa.patch(path, {"title": "T"})).refused(403, "permission_denied")
    assert details == {"resource": "CardType", "action": "update"}
    await permit(world, "Member", "CardType")
    (await world.member.get(world.member.org("/card-types"))).refused(403, "permission_denied")


async def test_a_card_type_of_another_organization_cannot_be_told_from_none(world: World) -> None:
    board = await world.board()
    for org, key in (
        (world.sa.org_id, board.card_type["id"]),
        (world.outsider.org_id, board.card_type["id"]),
        (world.outsider.org_id, "ctype_x"),
    ):
        path = f"/organizations/{org}/card-types/{key}"
        (await world.outsider.patch(path, {"title": "T"})).refused(404, "not_found")
        (await world.outsider.delete(path)).refused(404, "not_found")
        (await world.outsider.get(path + "/fields")).refused(404, "not_found")
    (await (await world.key()).get(world.sa.org("/card-types"))).refused(401, "unauthorized")


async def test_the_usage_of_a_card_type_names_the_boards_of_its_cards(world: World) -> None:
    board, other = await world.board(title="One"), await world.board(title="Two")
    kind = (await world.sa.post(world.sa.org("/card-types"), {"title": "Shared"})).ok()["id"]
    path = world.sa.org(f"/card-types/{kind}/usage")
    assert (await world.sa.get(path)).ok() == []
    one = await world.card(board, cardTypeId=kind)
    for _ in range(2):
        await world.card(other, cardTypeId=kind)
    (await world.sa.delete(f"/cards/{one['id']}")).ok()
    assert (await world.sa.get(path)).ok() == [
        {"id": other.id, "title": "Two", "cardCount": 2, "archivedCount": 0},
        {"id": board.id, "title": "One", "cardCount": 0, "archivedCount": 1},
    ]
    (await world.member.get(path)).refused(403, "sa_required")
    (await world.outsider.get(path)).refused(404, "not_found")
