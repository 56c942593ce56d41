"""The archive: what is listed, for whom, and the way back or out for cards and teams."""

import asyncio
from typing import Any

import pytest

from ..builders import permit
from ..refusals import expect_hidden, expect_invalid, people_only
from ..world import PASSWORD, World


async def _archived_card(world: World, board: Any, **wishes: Any) -> Any:
    card = await world.card(board, **wishes)
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    return card


async def _listed(world: World, **params: Any) -> list[str]:
    return [item["id"] for item in (await world.sa.get("/archive", params=params)).ok()["items"]]


async def _one_of_each(world: World) -> dict[str, str]:
    """Archive a card, a project, a team and an organization, a moment apart."""
    board = await world.board()
    card = await _archived_card(world, board)
    project = (await world.sa.post(world.sa.org("/projects"), {"title": "Old", "template": "blank"})).ok()["id"]
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "Crew"})).ok()["id"]
    organization = (await world.sa.post("/organizations", {"title": "Past"})).ok()["id"]
    for path in (
        world.sa.org(f"/projects/{project}"),
        world.sa.org(f"/teams/{team}"),
        f"/organizations/{organization}",
    ):
        await asyncio.sleep(0.002)  # timestamps have milliseconds
        (await world.sa.delete(path)).ok()
    return {"card": card["id"], "project": project, "team": team, "organization": organization}


async def test_the_archive_lists_all_four_types_newest_first(world: World) -> None:
    ids = await _one_of_each(world)
    page = (await world.sa.get("/archive")).ok()
    assert (page["page"], page["pageSize"], page["total"]) == (1, 20, 4)
    expected = [(type, ids[type]) for type in ("organization", "team", "project", "card")]
    assert [(item["type"], item["id"]) for item in page["items"]] == expected
    assert [item["title"] for item in page["items"]] == ["Past", "Crew", "Old", "Card"]
    stamps = [item["archivedAt"] for item in page["items"]]
    assert stamps == sorted(stamps, reverse=True)
    for item in page["items"]:
        assert set(item) == {"type", "id", "key", "title", "archivedAt", "archivedBy"}
        assert item["archivedBy"]["type"] == "User"
        assert item["archivedBy"]["id"] == world.sa.id


@pytest.mark.parametrize("type", ["card", "project", "team", "organization"])
async def test_the_archive_can_be_narrowed_to_a_type(world: World, type: str) -> None:
    ids = await _one_of_each(world)
    page = (await world.sa.get("/archive", params={"type": type})).ok()
    assert [(item["type"], item["id"]) for item in page["items"]] == [(type, ids[type])]
    assert page["total"] == 1


async def test_the_archive_is_searched_by_titles_names_and_keys(world: World) -> None:
    board = await world.board()
    card = await _archived_card(world, board, title="Straße nach Łódź")
    await _archived_card(world, board, title="Another 100%")
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "LODZ crew"})).ok()["id"]
    (await world.sa.delete(world.sa.org(f"/teams/{team}"))).ok()
    for text, ids in (
        ("lodz", {team, card["id"]}),
        ("STRASSE", {card["id"]}),
        (card["key"].lower(), {card["id"]}),
        ("%", {(await _found(world, "another"))[0]}),
        ("nowhere", set()),
    ):
        page = (await world.sa.get("/archive", params={"q": text})).ok()
        assert ({item["id"] for item in page["items"]}, page["total"]) == (ids, len(ids)), text
    both = (await world.sa.get("/archive", params={"q": "lodz", "type": "team"})).ok()
    assert [item["id"] for item in both["items"]] == [team]


async def _found(world: World, text: str) -> list[str]:
    return [item["id"] for item in (await world.sa.get("/archive", params={"q": text})).ok()["items"]]


async def test_the_archive_comes_in_pages(world: World) -> None:
    board = await world.board()
    cards = []
    for number in range(5):
        cards.append((await _archived_card(world, board, title=f"Card {number}"))["id"])
        await asyncio.sleep(0.002)  # timestamps have milliseconds
    newest_first = cards[::-1]
    for page, expected in ((1, newest_first[:2]), (2, newest_first[2:4]), (3, newest_first[4:]), (4, [])):
        answer = (await world.sa.get("/archive", params={"page": page, "pageSize": 2})).ok()
        assert (answer["page"], answer["pageSize"], answer["total"]) == (page, 2, 5)
        assert [item["id"] for item in answer["items"]] == expected


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("page", "0"),
        ("page", "x"),
        ("pageSize", "0"),
        ("pageSize", "101"),
        ("pageSize", ""),
        ("type", "column"),
        ("q", ""),
        ("q", "x" * 201),
    ],
)
async def test_the_archive_refuses_a_wrong_query(world: World, key: str, value: str) -> None:
    expect_invalid(await world.sa.get("/archive", params={key: value}), key)
    expect_invalid(await world.sa.get("/archive", params={"kind": "card"}), "kind")


async def test_a_card_comes_back_from_the_archive(world: World) -> None:
    card = await _archived_card(world, await world.board())
    restored = (await world.member.post(f"/archive/card/{card['id']}/restore")).ok()
    assert (restored["columnId"], restored["archivedAt"]) == (card["columnId"], None)
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == restored | {"watching": True}
    assert await _listed(world) == []
    rows = await world.history(card["id"])
    assert [row["action"] for row in rows] == ["created", "archived", "restored"]
    assert rows[-1]["actor"]["id"] == world.member.id


async def test_a_card_whose_column_is_gone_comes_back_in_the_first_column(world: World) -> None:
    board = await world.board()
    card = await _archived_card(world, board, column="Review")
    (await world.sa.delete(world.sa.org(f"/columns/{board.columns['Review']}"))).ok()
    restored = (await world.sa.post(f"/archive/card/{card['id']}/restore")).ok()
    assert restored["columnId"] == board.columns["Backlog"]
    changes = (await world.history(card["id"]))[-1]["changes"]
    assert changes["columnId"] == {"from": board.columns["Review"], "to": board.columns["Backlog"]}


@pytest.mark.parametrize("path", ["/archive/card/{}/restore", "/cards/{}/restore"])
async def test_a_card_of_an_archived_project_does_not_come_back_alone(world: World, path: str) -> None:
    board = await world.board()
    earlier, cascaded = await _archived_card(world, board), await world.card(board)
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    for card in (earlier, cascaded):
        (await world.sa.post(path.format(card["id"]))).refused(409, "archived_parent")


async def test_a_team_comes_back_with_its_members_and_agents(world: World) -> None:
    await world.agent()
    (team,) = (await world.sa.get(world.sa.org("/teams"))).ok()
    path = world.sa.org(f"/teams/{team['id']}")
    before = (await world.sa.post(path + "/members", {"userId": world.member.id})).ok()
    (await world.sa.delete(path)).ok()
    (await world.sa.get(path)).refused(404, "not_found")
    (await world.nobody.get(f"/teams/{team['id']}/onboarding")).refused(404, "not_found")
    assert (await world.sa.post(f"/archive/team/{team['id']}/restore")).ok() == before
    assert (await world.sa.get(path)).ok() == before
    (await world.nobody.get(f"/teams/{team['id']}/onboarding")).ok()


async def test_a_team_removed_from_the_archive_stops_its_agents(world: World) -> None:
    agent = await world.agent()
    (team,) = (await world.sa.get(world.sa.org("/teams"))).ok()
    (await world.sa.delete(world.sa.org(f"/teams/{team['id']}"))).ok()
    assert (await world.sa.delete(f"/archive/team/{team['id']}")).status == 204
    (shown,) = (await world.sa.get(world.sa.org("/agents"))).ok()
    assert (shown["status"], shown["isOnline"], shown["teamId"]) == ("stopped", False, None)
    (await agent.get(agent.org("/cards/mcp"))).refused(403, "agent_stopped")


async def test_a_card_removed_from_the_archive_is_gone_for_good(world: World) -> None:
    board = await world.board()
    card, kept = await _archived_card(world, board), await _archived_card(world, board)
    removed = await world.sa.delete(f"/archive/card/{card['id']}")
    assert removed.status == 204
    assert removed.body is None
    assert await _listed(world) == [kept["id"]]
    for method, path in (
        ("GET", f"/cards/{card['id']}"),
        ("GET", f"/cards/{card['id']}/history"),
        ("POST", f"/cards/{card['id']}/restore"),
        ("POST", f"/archive/card/{card['id']}/restore"),
        ("DELETE", f"/archive/card/{card['id']}"),
    ):
        (await world.sa.call(method, path)).refused(404, "not_found")


@pytest.mark.parametrize("type", ["card", "project", "team", "organization"])
async def test_only_what_is_archived_and_of_that_type_is_found(world: World, type: str) -> None:
    ids = await _one_of_each(world)
    board = await world.board()
    active = {"card": (await world.card(board))["id"], "project": board.id, "organization": world.sa.org_id}
    active["team"] = (await world.sa.post(world.sa.org("/teams"), {"name": "Active"})).ok()["id"]
    others = [(type, id) for other, id in ids.items() if other != type]
    for wrong_type, id in [(type, active[type]), (type, "none"), ("column", ids[type]), *others]:
        (await world.sa.post(f"/archive/{wrong_type}/{id}/restore")).refused(404, "not_found")
        (await world.sa.delete(f"/archive/{wrong_type}/{id}")).refused(404, "not_found")
    assert (await world.sa.get("/archive")).ok()["total"] == 4


@pytest.mark.parametrize("type", ["card", "project", "team", "organization"])
async def test_the_archive_is_for_people_and_hidden_from_other_organizations(world: World, type: str) -> None:
    path = f"/archive/{type}/{(await _one_of_each(world))[type]}"
    for method, route in (("GET", "/archive"), ("POST", f"{path}/restore"), ("DELETE", path)):
        await people_only(world, method, route)
        if route != "/archive":
            await expect_hidden(world, method, route)
    assert (await world.outsider.get("/archive")).ok()["items"] == []
    # Only its owner may know of an archived organization, so for it a role elsewhere is not even looked at.
    refusal = (404, "not_found") if type == "organization" else (403, "sa_required")
    (await world.member.delete(path)).refused(*refusal)
    assert (await world.sa.get("/archive")).ok()["total"] == 4


async def test_an_owner_is_judged_as_owner_whatever_they_are_elsewhere(world: World) -> None:
    members = world.sa.org("/members")
    owner = (await world.sa.post(members, {"email": "owner@example.test", "role": "Member", "password": PASSWORD})).ok()
    person = await world.login("owner@example.test")
    own = (await person.post("/organizations", {"title": "Mine"})).ok()
    (await person.delete(f"/organizations/{own['id']}")).ok()
    assert person.org_id == world.sa.org_id
    assert owner["role"] == "Member"
    (await person.post(f"/archive/organization/{own['id']}/restore")).ok()
    (await person.delete(f"/organizations/{own['id']}")).ok()
    (await person.delete(f"/archive/organization/{own['id']}")).ok()
    assert (await person.get("/archive")).ok()["items"] == []


async def test_a_member_restores_only_as_the_permission_row_says(world: World) -> None:
    card = await _archived_card(world, await world.board())
    await permit(world, "Member", "Archive", "read")
    assert [item["id"] for item in (await world.member.get("/archive")).ok()["items"]] == [card["id"]]
    refusal = (await world.member.post(f"/archive/card/{card['id']}/restore")).refused(403, "permission_denied")
    assert refusal == {"resource": "Archive", "action": "update"}
    await permit(world, "Member", "Archive", "update")
    (await world.member.get("/archive")).refused(403, "permission_denied")
    (await world.member.post(f"/archive/card/{card['id']}/restore")).ok()
