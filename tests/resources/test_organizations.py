"""Organizations: made, listed, renamed, archived and removed."""

from typing import Any

import pytest

from service import config

from .. import walk
from ..bodies import LONG_TITLE, NO_COLOR, NO_LINE, get_refused_keys
from ..direct_db import rows
from ..running import running
from ..world import MEMBER, World


async def test_whoever_makes_an_organization_is_its_owner_and_first_architect(world: World) -> None:
    made = (await world.member.post("/organizations", {"title": "Mine", "color": "#AbCdEf"})).ok()
    assert made["id"].startswith("org_")
    assert (made["title"], made["color"], made["ownerId"]) == ("Mine", "#AbCdEf", world.member.id)
    assert made["createdAt"].endswith("Z")
    path = f"/organizations/{made['id']}"
    assert (await world.member.get(path)).ok() == made
    (membership,) = (await world.member.get(f"{path}/members")).ok()
    assert (membership["userId"], membership["role"]) == (world.member.id, "SolutionArchitect")
    (await world.member.patch(path, {"title": "Still mine"})).ok()
    (await world.sa.get(path)).refused(404, "not_found")


async def test_the_event_of_a_new_organization_names_who_made_it(world: World) -> None:
    made = (await world.member.post("/organizations", {"title": "Mine"})).ok()
    owner = world.client(world.member.headers, org_id=made["id"])
    (event,) = (await owner.get(owner.org("/changes"), params={"since": "0"})).ok()["items"] or [None]
    assert event["type"] == "organization.created"
    assert event["actor"] == {"type": "User", "id": world.member.id, "label": "Mo Member"}


async def test_only_architects_make_organizations_where_that_is_set(settings: config.Settings) -> None:
    settings = settings.model_copy(update={"organization_creators": "architects"})
    async with running(settings) as world:
        refusal = await world.member.post("/organizations", {"title": "Mine"})
        assert refusal.refused(403, "permission_denied") == {"resource": "Organization", "action": "create"}
        mine = (await world.sa.post("/organizations", {"title": "Mine"})).ok()
        (await world.sa.delete(world.sa.org())).ok()
        (await world.sa.post("/organizations", {"title": "Another"})).ok()
        assert [row["title"] for row in (await world.sa.get("/organizations")).ok()] == [mine["title"], "Another"]
        for row in (await world.sa.get("/organizations")).ok():
            (await world.sa.delete(f"/organizations/{row['id']}")).ok()
        (await world.sa.post("/organizations", {"title": "Last"})).refused(403, "permission_denied")


@pytest.mark.parametrize("title", ["x", "x" * 500, "Ünïcödé 日本 🚀", "'; DROP TABLE organizations; --", " spaced "])
async def test_a_title_comes_back_as_it_was_sent(world: World, title: str) -> None:
    made = (await world.sa.post("/organizations", {"title": title})).ok()
    assert made["title"] == title
    assert (await world.sa.get(f"/organizations/{made['id']}")).ok()["title"] == title


@pytest.mark.parametrize("color", ["#abc", "#ABCDEF", "#012345"])
async def test_a_color_is_hexadecimal(world: World, color: str) -> None:
    assert (await world.sa.post("/organizations", {"title": "T", "color": color})).ok()["color"] == color


async def test_a_color_can_be_left_out(world: World) -> None:
    assert (await world.sa.post("/organizations", {"title": "T"})).ok()["color"].startswith("#")


@pytest.mark.parametrize("title", [*NO_LINE, LONG_TITLE])
async def test_a_title_is_one_line_of_text(world: World, title: Any) -> None:
    assert get_refused_keys(await world.sa.post("/organizations", {"title": title})) <= {"title", ""}
    assert get_refused_keys(await world.sa.patch(world.sa.org(), {"title": title})) <= {"title", ""}
    assert [row["title"] for row in (await world.sa.get("/organizations")).ok()] == ["Home"]


@pytest.mark.parametrize("color", NO_COLOR)
async def test_anything_else_is_no_color(world: World, color: Any) -> None:
    before = (await world.sa.get(world.sa.org())).ok()
    assert get_refused_keys(await world.sa.post("/organizations", {"title": "T", "color": color})) == {"color"}
    assert get_refused_keys(await world.sa.patch(world.sa.org(), {"color": color})) == {"color"}
    assert (await world.sa.get(world.sa.org())).ok() == before


@pytest.mark.parametrize("key", ["id", "ownerId", "createdAt"])
async def test_keys_that_the_service_sets_are_refused(world: World, key: str) -> None:
    assert get_refused_keys(await world.sa.post("/organizations", {"title": "T", key: world.member.id})) == {key}
    assert get_refused_keys(await world.sa.patch(world.sa.org(), {key: world.member.id})) == {key}


async def test_everybody_sees_their_own_organizations_oldest_first(world: World) -> None:
    for title in ("B", "A"):
        (await world.sa.post("/organizations", {"title": title})).ok()
    assert [row["title"] for row in (await world.sa.get("/organizations")).ok()] == ["Home", "B", "A"]
    assert [row["title"] for row in (await world.member.get("/organizations")).ok()] == ["Home"]
    assert [row["title"] for row in (await world.outsider.get("/organizations")).ok()] == ["Other"]


async def test_an_organization_that_is_not_visible_looks_like_one_that_is_not_there(world: World) -> None:
    answers = [await world.sa.get(f"/organizations/{org_id}") for org_id in (world.outsider.org_id, "org_nothing")]
    assert [answer.refused(404, "not_found") for answer in answers] == [{"resource": "organization"}] * 2
    assert answers[0].body["error"]["message"] == answers[1].body["error"]["message"]


async def test_an_architect_changes_what_is_named_and_nothing_else(world: World) -> None:
    before = (await world.sa.get(world.sa.org())).ok()
    assert (await world.sa.patch(world.sa.org(), {})).ok() == before
    assert (await world.sa.patch(world.sa.org(), {"title": "New"})).ok() == before | {"title": "New"}
    changed = before | {"title": "New", "color": "#000000"}
    assert (await world.sa.patch(world.sa.org(), {"color": "#000000"})).ok() == changed
    assert (await world.member.get(world.sa.org())).ok() == changed


async def test_a_member_cannot_rename_or_remove_an_organization(world: World) -> None:
    (await world.member.patch(world.sa.org(), {"title": "Mine"})).refused(403, "sa_required")
    for query in ("", "?mode=archive", "?mode=permanent"):
        (await world.member.delete(world.sa.org(query))).refused(403, "sa_required")
    assert (await world.sa.get(world.sa.org())).ok()["title"] == "Home"


async def test_a_stranger_cannot_rename_or_remove_an_organization(world: World) -> None:
    (await world.outsider.patch(world.sa.org(), {"title": "Mine"})).refused(404, "not_found")
    for query in ("", "?mode=permanent"):
        (await world.outsider.delete(world.sa.org(query))).refused(404, "not_found")
    assert (await world.sa.get(world.sa.org())).ok()["title"] == "Home"


@pytest.mark.parametrize("query", ["?mode=", "?mode=remove", "?mode=ARCHIVE", "?mode=permanent&x=1", "?force=1"])
async def test_an_unknown_deletion_mode_removes_nothing(world: World, query: str) -> None:
    get_refused_keys(await world.sa.delete(world.sa.org(query)))
    (await world.sa.get(world.sa.org())).ok()


@pytest.mark.parametrize("query", ["", "?mode=archive"])
async def test_an_archived_organization_vanishes_for_all_its_members(world: World, query: str) -> None:
    other = (await world.sa.post("/organizations", {"title": "Other one"})).ok()
    card = await world.card(await world.board())
    answer = await world.sa.delete(world.sa.org(query))
    assert (answer.status, answer.body) == (204, None)
    assert [row["id"] for row in (await world.sa.get("/organizations")).ok()] == [other["id"]]
    assert (await world.member.get("/organizations")).ok() == []
    for who in (world.sa, world.member):
        (await who.get(world.sa.org())).refused(404, "not_found")
        (await who.get(f"/cards/{card['id']}")).refused(404, "not_found")
    assert (await world.member.get("/auth/me")).ok()["organizations"] == []
    (await world.sa.delete(world.sa.org())).refused(404, "not_found")


async def test_removing_an_organization_takes_everything_in_it_and_nothing_else(world: World) -> None:
    ids, agent = await walk.create_one_of_each(world, world.sa, "bot")
    foreign, _ = await walk.create_one_of_each(world, world.outsider, "spy")
    (await agent.patch(f"/cards/{ids['card_id']}/mcp", {"title": "Touched"})).ok()
    before = await walk.describe_organization(world.outsider, foreign)
    answer = await world.sa.delete(world.sa.org("?mode=permanent"))
    assert (answer.status, answer.body) == (204, None)
    (await world.sa.get(world.sa.org())).refused(404, "not_found")
    (await world.sa.get(f"/cards/{ids['card_id']}")).refused(404, "not_found")
    (await agent.get("/agent/orgs")).refused(401, "unauthorized")
    assert await walk.describe_organization(world.outsider, foreign) == before


async def test_nothing_of_a_removed_organization_stays_in_the_database(world: World) -> None:
    await walk.create_one_of_each(world, world.sa, "bot")
    (await world.sa.delete(world.sa.org("?mode=permanent"))).ok()
    tables = await rows(
        world,
        "SELECT m.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c ON c.name = 'org_id'"
        " WHERE m.type = 'table'",
    )
    assert len(tables) >= 12
    for table in tables:
        left = await rows(world, f"SELECT * FROM {table['name']} WHERE org_id = :org_id", org_id=world.sa.org_id)
        assert left == [], table["name"]
    assert await rows(world, "PRAGMA foreign_key_check") == []


async def test_members_of_a_removed_organization_keep_their_account(world: World) -> None:
    (await world.sa.delete(world.sa.org("?mode=permanent"))).ok()
    member = await world.login(MEMBER)
    assert (await member.get("/organizations")).ok() == []
    (await member.post("/organizations", {"title": "Next"})).ok()
