"""Archived organizations: gone for everybody, but for the owner who can bring them back."""

import sqlite3
from contextlib import closing
from typing import Any

from ..world import MEMBER, SA, Client, World


async def _archive(world: World, by: Client | None = None) -> None:
    removed = await (by or world.sa).delete(world.sa.org())
    assert removed.status == 204
    assert removed.body is None


async def _restore(world: World, by: Client | None = None) -> Any:
    return await (by or world.sa).post(f"/archive/organization/{world.sa.org_id}/restore")


async def _second_architect(world: World) -> None:
    (await world.sa.patch(world.sa.org(f"/members/{world.member.id}"), {"role": "SolutionArchitect"})).ok()


async def test_the_owner_finds_an_archived_organization_even_as_the_last_one(world: World) -> None:
    await _archive(world)
    assert (await world.sa.get("/organizations")).ok() == []
    for owner in (world.sa, await world.login(SA)):
        page = (await owner.get("/archive")).ok()
        assert page["total"] == 1
        (item,) = page["items"]
        assert (item["type"], item["id"], item["title"]) == ("organization", world.sa.org_id, "Home")
        assert item["archivedBy"]["id"] == world.sa.id
    assert (await _restore(world, await world.login(SA))).ok()["id"] == world.sa.org_id


async def test_a_restored_organization_is_as_it_was_for_everybody(world: World) -> None:
    board, key = await world.board(), await world.script()
    card = await world.card(board)
    organization = (await world.sa.get(world.sa.org())).ok()
    people = [world.sa, world.member]
    await _archive(world)
    assert (await _restore(world)).ok() == organization
    for person in people:
        assert (await person.get("/organizations")).ok() == [organization]
        assert (await person.get(f"/cards/{card['id']}")).ok() == card | {"watching": person is world.sa}
    assert (await key.get(f"/cards/{card['id']}/mcp")).ok() == card | {"watching": False}
    assert (await world.sa.get("/archive")).ok()["items"] == []
    (await _restore(world)).refused(404, "not_found")


async def test_an_archived_organization_vanishes_from_every_other_route(world: World) -> None:
    card = await world.card(await world.board())
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "Crew"})).ok()["id"]
    for path in ("/organizations", f"/cards/{card['id']}", world.sa.org("/cards")):
        (await world.member.get(path)).ok()  # served a moment before
    await _archive(world)
    for person in (world.sa, world.member):
        assert (await person.get("/organizations")).ok() == []
        assert (await person.get("/auth/me")).ok()["organizations"] == []
        for path in ("", "/cards", "/projects", "/columns", "/board-flow", "/members", "/relationships", "/agents"):
            (await person.get(world.sa.org(path))).refused(404, "not_found")
        for path in (f"/cards/{card['id']}", "/permissions", "/prompts", "/mcp-servers", "/preset-fields"):
            (await person.get(path)).refused(404, "not_found")
        (await person.patch(world.sa.org(), {"title": "Mine"})).refused(404, "not_found")
        assert (await person.post("/auth/switch", {"orgId": world.sa.org_id})).status in (400, 404)
    (await world.sa.delete(world.sa.org())).refused(404, "not_found")
    (await world.sa.get("/settings/api-keys")).refused(404, "not_found")
    (await world.nobody.get(f"/teams/{team}/onboarding")).refused(404, "not_found")


async def test_agent_keys_of_an_archived_organization_do_not_hold(world: World) -> None:
    agent = await world.agent()
    (await agent.get(agent.org("/cards/mcp"))).ok()
    await _archive(world)
    for path in (
        agent.org("/cards/mcp"),
        "/prompts/mcp?name=x",
        "/mcp-servers/mcp",
        "/agents/bot/status",
        "/agent/orgs",
    ):
        refused = await agent.get(path)
        assert refused.status == 401
        assert refused.headers["WWW-Authenticate"].startswith("ApiKey")
    (await _restore(world)).ok()
    (await agent.get(agent.org("/cards/mcp"))).ok()


async def test_nobody_but_the_owner_sees_or_restores_it(world: World) -> None:
    await _second_architect(world)
    await _archive(world)
    for person in (world.member, await world.login(MEMBER), world.outsider):
        assert (await person.get("/archive")).ok()["items"] == []
        (await _restore(world, person)).refused(404, "not_found")
        (await person.delete(f"/archive/organization/{world.sa.org_id}")).refused(404, "not_found")
    (await _restore(world)).ok()


async def test_an_owner_who_is_no_architect_any_more_does_not_see_it(world: World) -> None:
    await _second_architect(world)
    (await world.member.patch(world.sa.org(f"/members/{world.sa.id}"), {"role": "Member"})).ok()
    await _archive(world, world.member)
    for person in (world.sa, world.member):
        assert (await person.get("/archive")).ok()["items"] == []
        (await _restore(world, person)).refused(404, "not_found")


async def test_an_organization_archived_by_another_architect_is_its_owners_to_restore(world: World) -> None:
    await _second_architect(world)
    await _archive(world, world.member)
    (item,) = (await world.sa.get("/archive")).ok()["items"]
    assert item["archivedBy"] == {"type": "User", "id": world.member.id, "label": "Mo Member"}
    (await _restore(world)).ok()
    (await world.member.get(world.member.org())).ok()


async def test_the_owner_sees_it_from_another_organization_too(world: World) -> None:
    other = (await world.sa.post("/organizations", {"title": "Side"})).ok()["id"]
    await _archive(world)
    elsewhere = {"X-Organization-Id": other}
    (item,) = (await world.sa.get("/archive", headers=elsewhere)).ok()["items"]
    assert item["id"] == world.sa.org_id
    answer = await world.sa.post(f"/archive/organization/{world.sa.org_id}/restore", headers=elsewhere)
    assert answer.ok()["id"] == world.sa.org_id
    assert len((await world.sa.get("/organizations")).ok()) == 2


async def test_what_is_in_an_archived_organization_is_not_in_anybodys_archive(world: World) -> None:
    card = await world.card(await world.board())
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    other = (await world.sa.post("/organizations", {"title": "Side"})).ok()["id"]
    await _archive(world)
    for headers in ({}, {"X-Organization-Id": other}):
        page = (await world.sa.get("/archive", headers=headers)).ok()
        assert [item["type"] for item in page["items"]] == ["organization"]
        (await world.sa.post(f"/archive/card/{card['id']}/restore", headers=headers)).refused(404, "not_found")
        (await world.sa.delete(f"/archive/card/{card['id']}", headers=headers)).refused(404, "not_found")
    (await world.sa.post(f"/cards/{card['id']}/restore")).refused(404, "not_found")


async def test_an_organization_removed_from_the_archive_leaves_no_row_behind(world: World) -> None:
    agent, board = await world.agent(), await world.board()
    cards = [await world.card(board) for _ in range(3)]
    body = {"fromCardId": cards[0]["id"], "toCardId": cards[1]["id"], "kind": "blocks"}
    (await world.sa.post(world.sa.org("/relationships"), body)).ok()
    (await world.sa.post("/prompts", {"name": "P", "body": "x"})).ok()
    (await world.sa.post("/mcp-servers", {"name": "S", "transport": "stdio", "command": "x"})).ok()
    (await world.sa.post(f"/cards/{cards[0]['id']}/comments", {"content": "C"})).ok()
    (await world.sa.delete(f"/cards/{cards[2]['id']}")).ok()
    await _archive(world)
    removed = await world.sa.delete(f"/archive/organization/{world.sa.org_id}")
    assert removed.status == 204
    assert removed.body is None
    assert (await world.sa.get("/archive")).ok()["items"] == []
    (await _restore(world)).refused(404, "not_found")
    (await world.sa.get(world.sa.org())).refused(404, "not_found")
    (await agent.get(agent.org("/cards/mcp"))).refused(401, "unauthorized")
    with closing(sqlite3.connect(world.service.settings.database)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        owned = [
            name for name in tables if "org_id" in [row[1] for row in database.execute(f"PRAGMA table_info({name})")]
        ]
        assert {"cards", "columns", "history", "comments", "relationships", "api_keys"} <= set(owned)
        for table in owned:
            query = f"SELECT count(*) FROM {table} WHERE org_id = ?"
            assert (table, database.execute(query, [world.sa.org_id]).fetchone()) == (table, (0,))
    assert (await world.outsider.get(world.outsider.org())).ok()["title"] == "Other"
