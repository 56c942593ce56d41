"""Freeze: no agent writes while it lasts; reads and people go on."""

from collections import Counter
from typing import Any

import pytest

from service.auth.authentication import API_KEY
from service.pipeline.routing import ROUTES

from .. import refusals, walk
from ..direct_db import execute, rows
from ..forms import blob, head, on_disk, send, target
from ..world import Client, World

PAST, FUTURE = "2020-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z"
NONE = {"frozen": False, "reason": None, "until": None, "frozenAt": None, "frozenBy": None}


async def _freeze(world: World, reason: str = "Audit", **more: Any) -> Any:
    return (await world.sa.post(world.sa.org("/freeze"), {"reason": reason, **more})).ok()


async def _comment(agent: Client, card: Any) -> Any:
    return await agent.post(f"/cards/{card['id']}/comments/mcp", {"content": "Here"})


async def test_a_freeze_is_shown_to_members_and_agents(world: World) -> None:
    agent = await world.agent()
    assert (await world.member.get(world.sa.org("/freeze"))).ok() == NONE
    made = await _freeze(world, until="2999-01-01T01:00:00+01:00")
    actor = {"type": "User", "id": world.sa.id, "label": "Ada Architect"}
    assert made == {
        "frozen": True, "reason": "Audit", "until": FUTURE, "frozenAt": made["frozenAt"], "frozenBy": actor
    }  # fmt: skip
    assert (await world.member.get(world.sa.org("/freeze"))).ok() == made
    assert (await agent.get(agent.org("/freeze/mcp"))).ok() == made


async def test_every_write_of_an_agent_is_refused_and_every_read_goes_on(world: World) -> None:
    ids, agent = await walk.create_one_of_each(world, world.sa, "bot")
    await _freeze(world, until=FUTURE)
    before = await walk.describe_organization(world.sa, ids)
    routes = [route for route in ROUTES if route.policy.scheme == API_KEY]
    writes = [
        route
        for route in routes
        if not (route.reads or route.policy.allows_during_freeze or route.path == "/files/mcp")
    ]
    assert len(writes) >= 8
    for route in writes:
        details = (await walk.send(agent, route, ids)).refused(423, "frozen")
        details.pop("blockers", None)  # of a move
        assert details == {"reason": "Audit", "until": FUTURE}, walk.name(route)
    assert await walk.describe_organization(world.sa, ids) == before
    reads = [await walk.send(agent, route, ids) for route in routes if route.reads]
    assert Counter(answer.status for answer in reads)[423] == 0
    assert len([answer for answer in reads if answer.status == 200]) >= 12


async def test_an_upload_is_refused_before_its_contents_are_taken(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    await _freeze(world)
    place = target(card, board.field("attachments"))
    for parts in ((place, blob()), (blob(), place)):
        (await send(agent, *parts)).refused(423, "frozen")
    assert await on_disk(world) == set()
    # The form is broken off inside the file: only who looks before the file can tell of the freeze.
    (await send(agent, place, head("file", "a.txt") + b"half")).refused(423, "frozen")


async def test_pending_agents_poll_but_do_not_register(world: World) -> None:
    agent = await world.agent("waiting", approve=False)
    teams = (await world.sa.get(world.sa.org("/teams"))).ok()
    await _freeze(world)
    assert (await agent.get("/agents/waiting/status")).ok()["status"] == "pending"
    answer = await agent.post(f"/teams/{teams[0]['id']}/agents/register", {"id": "waiting", "title": "W"})
    answer.refused(423, "frozen")
    (await world.sa.patch("/agents/waiting/approve")).ok()


async def test_people_write_as_before(world: World) -> None:
    board = await world.board()
    await _freeze(world)
    card = await world.card(board, by=world.member)
    (await world.member.patch(f"/cards/{card['id']}", {"title": "T"})).ok()
    (await world.member.post(f"/cards/{card['id']}/comments", {"content": "C"})).ok()


async def test_the_message_says_why_and_what_to_wait_for(world: World) -> None:
    agent, card = await world.agent(), await world.card(await world.board())
    await _freeze(world, "Stock-taking")
    message = (await _comment(agent, card)).body["error"]["message"]
    assert "Stock-taking" in message
    assert "until a Solution Architect ends the freeze" in message
    await _freeze(world, "Stock-taking", until=FUTURE)
    assert f"until {FUTURE}" in (await _comment(agent, card)).body["error"]["message"]


async def test_a_freeze_ends_by_itself_when_its_time_is_up(world: World) -> None:
    agent, card = await world.agent(), await world.card(await world.board())
    await _freeze(world, until=FUTURE)
    (await _comment(agent, card)).refused(423, "frozen")
    await execute(world, "UPDATE freezes SET until = :past", past=PAST)
    (await _comment(agent, card)).ok()
    assert (await world.sa.get(world.sa.org("/freeze"))).ok() == NONE


async def test_a_freeze_is_over_at_the_very_instant_that_it_names(world: World) -> None:
    agent, card = await world.agent(), await world.card(await world.board())
    await _freeze(world, until=FUTURE)
    assert world.clock is not None
    world.clock.stop(FUTURE, milliseconds=-1)
    (await _comment(agent, card)).refused(423, "frozen")
    world.clock.stop(FUTURE)
    (await _comment(agent, card)).ok()


async def test_a_freeze_is_ended_and_ending_none_is_fine(world: World) -> None:
    agent, card = await world.agent(), await world.card(await world.board())
    await _freeze(world)
    for _ in range(2):
        assert (await world.sa.delete(world.sa.org("/freeze"))).status == 204
        (await _comment(agent, card)).ok()
    assert (await world.sa.get(world.sa.org("/freeze"))).ok() == NONE


async def test_freezing_again_replaces(world: World) -> None:
    await _freeze(world, "First", until=FUTURE)
    second = await _freeze(world, "Second")
    assert (second["reason"], second["until"]) == ("Second", None)
    assert (await world.sa.get(world.sa.org("/freeze"))).ok() == second


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "reason"),
        ({"reason": ""}, "reason"),
        ({"reason": " "}, "reason"),
        ({"reason": 1}, "reason"),
        ({"reason": None}, "reason"),
        ({"reason": "x" * 501}, "reason"),
        ({"reason": "R", "until": PAST}, "until"),
        ({"reason": "R", "until": "soon"}, "until"),
        ({"reason": "R", "till": FUTURE}, "till"),
    ],
)
async def test_a_wrong_body_freezes_nothing(world: World, body: dict[str, Any], path: str) -> None:
    refusals.expect_invalid(await world.sa.post(world.sa.org("/freeze"), body), path)
    assert (await world.sa.get(world.sa.org("/freeze"))).ok() == NONE


async def test_only_architects_of_the_organization_freeze(world: World) -> None:
    path, body = world.sa.org("/freeze"), {"reason": "R"}
    for method, sent in (("POST", body), ("DELETE", None)):
        (await world.member.call(method, path, sent)).refused(403, "sa_required")
        await refusals.expect_hidden(world, method, path, sent)
        await refusals.people_only(world, method, path, sent)
    await refusals.expect_hidden(world, "GET", path)
    await refusals.agents_only(world, "GET", path + "/mcp")
    assert (await world.sa.get(path)).ok() == NONE


async def test_only_agents_of_the_frozen_organization_are_held(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    stranger = await world.agent("spy", world.outsider)
    foreign = await world.card(await world.board(world.outsider), by=world.outsider)
    await _freeze(world)
    (await _comment(stranger, foreign)).ok()
    (await _comment(agent, foreign)).refused(404, "not_found")
    (await stranger.post(world.sa.org("/cards/mcp"), _card(board))).refused(403, "cross_organization")
    (await agent.post(agent.org("/cards/mcp"), _card(board))).refused(423, "frozen")


def _card(board: Any) -> dict[str, str]:
    return {
        "projectId": board.id, "columnId": board.columns["Todo"], "cardTypeId": board.card_type["id"], "title": "T"
    }  # fmt: skip


async def test_a_freeze_comes_before_the_state_of_the_card(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card, away = await world.card(board, "Backlog"), await world.card(board)
    (await world.sa.delete(f"/cards/{away['id']}")).ok()
    (await _comment(agent, card)).refused(403, "agent_pickup_disabled")
    (await _comment(agent, away)).refused(409, "archived_parent")
    await _freeze(world)
    (await _comment(agent, card)).refused(423, "frozen")
    (await _comment(agent, away)).refused(423, "frozen")


async def test_a_freeze_dies_with_its_organization_and_survives_its_archiving(world: World) -> None:
    home = (await world.sa.post("/organizations", {"title": "Short-lived"})).ok()["id"]
    frozen = (await world.sa.post(f"/organizations/{home}/freeze", {"reason": "R"})).ok()
    (await world.sa.delete(f"/organizations/{home}")).ok()
    (await world.sa.get(f"/organizations/{home}/freeze")).refused(404, "not_found")
    (await world.sa.post(f"/archive/organization/{home}/restore")).ok()
    assert (await world.sa.get(f"/organizations/{home}/freeze")).ok() == frozen
    (await world.sa.delete(f"/organizations/{home}", params={"mode": "permanent"})).ok()
    (await world.sa.get(f"/organizations/{home}/freeze")).refused(404, "not_found")
    assert await _count(world) == 0


async def _count(world: World) -> int:
    return int((await rows(world, "SELECT count(*) AS n FROM freezes"))[0]["n"])
