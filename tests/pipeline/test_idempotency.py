"""Idempotency-Key: a request that is sent again is answered as before, and nothing is done twice."""

import asyncio
from typing import Any

import pytest

from service.auth.authentication import NONE
from service.config import Settings
from service.database.queries import sql
from service.database.store import Tx
from service.errors import BadRequest
from service.pipeline import jobs
from service.pipeline.idempotency import STORED_BYTES_MAX
from service.pipeline.routing import ROUTES

from .. import refusals, walk
from ..builders import permit
from ..direct_db import execute, rows
from ..forms import FORM, blob, send, target
from ..process import ServiceProcess
from ..repeated import KEY, get_first_answer, get_replay
from ..running import running
from ..world import PASSWORD, SA, Board, Client, World

FRESH = "another-secret-of-at-least-thirty-two-bytes"


def _new(board: Board, **wishes: Any) -> dict[str, Any]:
    place = {"projectId": board.id, "columnId": board.columns["Todo"], "cardTypeId": board.card_type["id"]}
    return {**place, "title": "T", **wishes}


async def _raw(who: Client, path: str, body: Any = None, **headers: str) -> tuple[bytes, dict[str, str]]:
    """Send a POST with the key and return the bytes of the answer, and those of its headers that say what it is."""
    sent = {**who.headers, "Idempotency-Key": "once", **headers}
    async with who.http.post(who.base + "/api/v1" + path, json=body, headers=sent) as response:
        raw = await response.read()
        assert response.status in (200, 204), raw
        own = ("ETag", "Content-Type", "Idempotent-Replayed", "Cache-Control")
        return raw, {name: response.headers[name] for name in own if name in response.headers}


async def _cards(world: World) -> int:
    return int((await world.sa.get(world.sa.org("/cards"))).ok()["total"])


async def _kept(world: World) -> int:
    return int((await rows(world, "SELECT count(*) AS n FROM retries"))[0]["n"])


def test_every_write_with_a_caller_takes_a_key_and_nothing_else_does() -> None:
    taking = {walk.name(route) for route in ROUTES if route.repeatable}
    assert (
        taking
        == {walk.name(route) for route in ROUTES if route.method != "GET" and route.policy.scheme != NONE}
        > {"POST /files", "POST /admin/import", "PATCH /cards/{card_id}", "DELETE /cards/{card_id}"}
    )
    assert "POST /auth/login" not in taking


async def test_a_request_sent_again_is_answered_byte_for_byte_and_done_once(world: World) -> None:
    board = await world.board()
    path, body = world.sa.org("/cards"), _new(board, title='Ünïcode \u2028 and \\ "quotes"')
    first, headers = await _raw(world.sa, path, body)
    assert headers["ETag"] == '"1"'
    (await world.sa.patch(f"/cards/{(await world.sa.get(path)).ok()['items'][0]['id']}", {"title": "Later"})).ok()
    for _ in range(2):
        again, more = await _raw(world.sa, path, body)
        assert again == first
        assert more == {**headers, "Idempotent-Replayed": "true"}
    assert await _cards(world) == 1


async def test_without_a_key_everything_is_done_each_time(world: World) -> None:
    board = await world.board()
    made = [get_first_answer(await world.sa.post(world.sa.org("/cards"), _new(board))) for _ in range(2)]
    assert made[0]["id"] != made[1]["id"]
    assert await _kept(world) == 0


async def test_every_write_is_done_once_and_replayed(world: World) -> None:
    """Each write with a JSON body twice with a key: whatever the first did, the second is a replay of it.

    But for signing out and deleting the organization, the caller's membership or API key: they end the caller's access.
    """
    ids, agent = await walk.create_one_of_each(world, world.sa, "bot")
    (await world.sa.delete(f"/cards/{ids['card_id']}")).ok()
    seen = set()
    members = "/organizations/{org_id}/members/{user_id}"
    ending = {"/auth/logout", "/organizations/{org_id}", "/settings/api-keys/{key_id}", members}
    routes = [route for route in walk.with_bodies() if route.repeatable and route.path not in ending]
    for route in sorted(routes, key=lambda route: route.method == "DELETE"):
        who = agent if route.policy.scheme == "ApiKey" else world.sa
        first = await walk.send(who, route, ids, **KEY)
        again = await walk.send(who, route, ids, **KEY)
        if first.status >= 400:
            assert (again.status, again.body["error"]["code"]) == (first.status, first.body["error"]["code"])
            continue
        assert get_replay(again) == get_first_answer(first), walk.name(route)
        seen.add(walk.name(route))
    assert len(seen) >= 50, (len(seen), seen)


async def test_another_body_or_query_with_the_same_key_is_refused(world: World) -> None:
    board = await world.board()
    path = world.sa.org("/cards")
    get_first_answer(await world.sa.post(path, _new(board), **KEY))
    for body in (_new(board, title="Another"), {**_new(board), "priority": "none"}):
        assert (await world.sa.post(path, body, **KEY)).refused(422, "idempotency_key_reused") == {
            "idempotencyKey": "once"
        }
    prompt = (await world.sa.post("/prompts", {"name": "P", "body": "B"})).ok()
    versions = f"/prompts/{prompt['id']}/versions"
    get_first_answer(await world.sa.post(versions, {"label": "v2", "body": "B"}, **KEY))
    answer = await world.sa.post(versions, {"label": "v2", "body": "B"}, params={"activate": "1"}, **KEY)
    answer.refused(422, "idempotency_key_reused")
    assert await _cards(world) == 1


async def test_a_wrong_body_is_refused_as_such_with_a_used_key_too(world: World) -> None:
    board = await world.board()
    get_first_answer(await world.sa.post(world.sa.org("/cards"), _new(board), **KEY))
    refusals.expect_invalid(await world.sa.post(world.sa.org("/cards"), _new(board, title=""), **KEY), "title")


async def test_a_key_is_good_for_one_caller_one_path_and_one_organization(world: World) -> None:
    board, one = await world.board(), await world.agent("one")
    two = await world.agent("two")
    card, other = await world.card(board), await world.card(board)
    calls: list[tuple[Client, str, dict[str, str]]] = [
        (world.sa, f"/cards/{card['id']}/comments", {}),
        (world.member, f"/cards/{card['id']}/comments", {}),
        (world.sa, f"/cards/{other['id']}/comments", {}),
        (one, f"/cards/{card['id']}/comments/mcp", {}),
        (two, f"/cards/{card['id']}/comments/mcp", {}),
    ]
    made = [get_first_answer(await who.post(path, {"content": "C"}, **KEY))["id"] for who, path, _ in calls]
    assert len(set(made)) == len(made)
    assert [get_replay(await who.post(path, {"content": "C"}, **KEY))["id"] for who, path, _ in calls] == made
    elsewhere = (await world.sa.post("/organizations", {"title": "Elsewhere"})).ok()["id"]
    here = get_first_answer(await world.sa.post("/prompts", {"name": "P", "body": "B"}, **KEY))
    there = {"Idempotency-Key": "once", "X-Organization-Id": elsewhere}
    assert (
        get_first_answer(await world.sa.post("/prompts", {"name": "P", "body": "B"}, headers=there))["id"] != here["id"]
    )
    switched = (await world.sa.post("/auth/switch", {"orgId": elsewhere})).ok()["token"]
    token = {"Authorization": f"Bearer {switched}", "Idempotency-Key": "once"}
    get_replay(await world.sa.post("/prompts", {"name": "P", "body": "B"}, headers=token))


async def test_agents_that_share_a_key_are_told_apart(world: World) -> None:
    board, key = await world.board(), await world.key()
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "Shared"})).ok()
    for agent_id in ("one", "two"):
        await world.register(key, team["id"], agent_id)
        (await world.sa.patch(f"/agents/{agent_id}/approve")).ok()
    path = f"/cards/{(await world.card(board))['id']}/comments/mcp"
    made = {}
    for agent_id in ("one", "two"):
        made[agent_id] = get_first_answer(await key.post(path, {"content": "C", "agentId": agent_id}, **KEY))
        assert made[agent_id]["actor"]["id"] == agent_id
    for agent_id in ("one", "two"):
        assert get_replay(await key.post(path, {"content": "C", "agentId": agent_id}, **KEY)) == made[agent_id]
    named = {"Idempotency-Key": "by header", "X-Agent-Id": "one"}
    first = get_first_answer(await key.post(path, {"content": "C"}, headers=named))
    other = get_first_answer(await key.post(path, {"content": "C"}, headers={**named, "X-Agent-Id": "two"}))
    assert (first["actor"]["id"], other["actor"]["id"]) == ("one", "two")


async def test_two_keys_of_one_agent_are_two_callers(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    path = f"/cards/{(await world.card(board))['id']}/comments/mcp"
    other = await world.key(agentId="bot")
    made = [get_first_answer(await who.post(path, {"content": "C", "agentId": "bot"}, **KEY)) for who in (agent, other)]
    assert made[0]["id"] != made[1]["id"]
    assert made[0]["actor"] == made[1]["actor"]


async def test_a_new_token_of_the_same_person_is_the_same_caller(world: World) -> None:
    board = await world.board()
    first = get_first_answer(await world.sa.post(world.sa.org("/cards"), _new(board), **KEY))
    again = await world.login("sa@example.test")
    assert get_replay(await again.post(again.org("/cards"), _new(board), **KEY)) == first


async def test_refusals_are_not_kept(world: World) -> None:
    board = await world.board()
    await world.column(board, "Todo", wipLimit=1)
    blocking = await world.card(board)
    (await world.sa.post(world.sa.org("/cards"), _new(board), **KEY)).refused(400, "wip_limit_reached")
    assert await _kept(world) == 0
    (await world.sa.delete(f"/cards/{blocking['id']}")).ok()
    # The same key with another body, too: so far nothing was done with it.
    get_first_answer(await world.sa.post(world.sa.org("/cards"), _new(board, title="Another"), **KEY))


async def test_a_revoked_right_ends_replays_and_what_became_of_the_card_does_not(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    path, body = f"/cards/{card['id']}/comments", {"content": "C"}
    get_first_answer(await world.member.post(path, body, **KEY))
    get_first_answer(await agent.post(path + "/mcp", body, **KEY))
    (await world.sa.post(world.sa.org("/freeze"), {"reason": "R"})).ok()
    get_replay(await agent.post(path + "/mcp", body, **KEY))
    (await agent.post(path + "/mcp", body)).refused(423, "frozen")
    (await world.sa.delete(world.sa.org("/freeze"))).ok()
    await world.column(board, "Todo", agentPickupEnabled=False)
    get_replay(await agent.post(path + "/mcp", body, **KEY))
    await permit(world, "Member", "Card", "read")
    (await world.member.post(path, body, **KEY)).refused(403, "permission_denied")
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    get_replay(await agent.post(path + "/mcp", body, **KEY))
    (await agent.post(path + "/mcp", body)).refused(409, "archived_parent")
    (await world.sa.patch("/agents/bot/stop")).ok()
    (await agent.post(path + "/mcp", body, **KEY)).refused(403, "agent_stopped")
    (await world.sa.delete(f"/cards/{card['id']}", params={"mode": "permanent"})).ok()
    (await world.member.post(path, body, **KEY)).refused(404, "not_found")


async def test_a_replay_counts_as_a_request_and_carries_its_own_id(world: World) -> None:
    agent, card = await world.agent(), await world.card(await world.board())
    path = f"/cards/{card['id']}/comments/mcp"
    answers = [await agent.post(path, {"content": "C"}, **KEY) for _ in range(2)]
    left = [int(answer.headers["X-RateLimit-Remaining"]) for answer in answers]
    assert left[1] == left[0] - 1
    assert answers[0].headers["X-Request-Id"] != answers[1].headers["X-Request-Id"]


@pytest.mark.parametrize("key", ["", "x" * 256, "é", "tab\there"])
async def test_a_key_must_be_printable_and_not_too_long(world: World, key: str) -> None:
    board = await world.board()
    for path, options in (
        (world.sa.org("/cards"), {"json": _new(board)}),
        ("/files", {"data": b"x", "headers": {"Content-Type": FORM}}),
    ):
        headers = {**options.pop("headers", {}), "Idempotency-Key": key}
        refusals.expect_invalid(await world.sa.call("POST", path, headers=headers, **options), "Idempotency-Key")
    assert await _cards(world) == 0


async def test_a_key_may_have_any_printable_character_and_255_of_them(world: World) -> None:
    board = await world.board()
    for key in ("x" * 255, "a b", "'\"\\{}~!"):
        headers = {"headers": {"Idempotency-Key": key}}
        first = get_first_answer(await world.sa.post(world.sa.org("/cards"), _new(board), **headers))
        assert get_replay(await world.sa.post(world.sa.org("/cards"), _new(board), **headers)) == first


async def test_changes_and_deletions_are_done_once(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    path = f"/cards/{card['id']}"
    first = get_first_answer(await world.sa.patch(path, {"title": "A"}, **KEY))
    (await world.sa.patch(path, {"title": "B"})).ok()
    assert get_replay(await world.sa.patch(path, {"title": "A"}, **KEY)) == first
    assert (await world.sa.get(path)).ok()["title"] == "B"
    (await world.sa.patch(path, {"title": "C"}, **KEY)).refused(422, "idempotency_key_reused")
    seen = world.sa.org("/seen")
    assert get_first_answer(await world.sa.call("PUT", seen, {"eventId": "1"}, **KEY)) is None
    assert get_replay(await world.sa.call("PUT", seen, {"eventId": "1"}, **KEY)) is None
    gone = get_first_answer(await world.sa.delete(path, **KEY))  # the same key and path, but another method
    (await world.sa.post(f"/archive/card/{card['id']}/restore")).ok()
    assert get_replay(await world.sa.delete(path, **KEY)) == gone
    assert (await world.sa.get(path)).ok()["archivedAt"] is None


async def test_a_permanent_deletion_is_replayed_to_its_caller_only(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    file = (await send(world.sa, target(card, board.field("attachments")), blob())).ok()
    for path, query in ((f"/files/{file['id']}", {}), (f"/cards/{card['id']}", {"mode": "permanent"})):
        first = get_first_answer(await world.sa.delete(path, params=query, **KEY))
        assert get_replay(await world.sa.delete(path, params=query, **KEY)) == first
        (await world.sa.delete(path, params=query)).refused(404, "not_found")
        for who in (world.member, world.outsider):
            (await who.delete(path, params=query, **KEY)).refused(404, "not_found")
    await execute(world, "UPDATE memberships SET role = 'Member' WHERE user_id = :id", id=world.sa.id)
    (await world.sa.delete(f"/files/{file['id']}", **KEY)).refused(404, "not_found")


async def test_a_deletion_in_batches_is_replayed_too(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "BATCH_SECONDS", 0.0)
    board = await world.board()
    for _ in range(60):
        await world.card(board)
    path = world.sa.org(f"/projects/{board.id}")
    assert get_first_answer(await world.sa.delete(path, params={"mode": "permanent"}, **KEY)) is None
    assert get_replay(await world.sa.delete(path, params={"mode": "permanent"}, **KEY)) is None
    (await world.sa.delete(path, params={"mode": "permanent"})).refused(404, "not_found")


@pytest.mark.parametrize("batch_seconds", [jobs.BATCH_SECONDS, 0.0])
async def test_the_deletion_of_an_organization_is_replayed_to_its_caller_only(
    world: World, monkeypatch: pytest.MonkeyPatch, batch_seconds: float
) -> None:
    monkeypatch.setattr(jobs, "BATCH_SECONDS", batch_seconds)
    board = await world.board()
    for _ in range(60 if batch_seconds == 0 else 1):
        await world.card(board)
    path, mode = world.sa.org(), {"mode": "permanent"}
    assert get_first_answer(await world.sa.delete(path, params=mode, **KEY)) is None
    assert await rows(world, "SELECT id FROM organizations WHERE id = :id", id=world.sa.org_id) == []
    assert await rows(world, "SELECT id FROM cards") == []
    assert get_replay(await world.sa.delete(path, params=mode, **KEY)) is None
    (await world.sa.delete(path, **KEY)).refused(422, "idempotency_key_reused")
    (await world.sa.delete(path, params=mode)).refused(404, "not_found")
    (await world.sa.delete(path, params=mode, headers={"Idempotency-Key": "other"})).refused(404, "not_found")
    for who in (world.member, world.outsider):
        (await who.delete(path, params=mode, **KEY)).refused(404, "not_found")


async def test_a_repeated_deletion_is_a_conflict_until_the_last_batch(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "BATCH_SECONDS", 0.0)
    board = await world.board()
    for _ in range(60):
        await world.card(board)
    path, mode = world.sa.org(f"/projects/{board.id}"), {"mode": "permanent"}
    run_job, is_waiting, may_go_on = jobs._run_job, asyncio.Event(), asyncio.Event()

    async def run_job_later(service: Any, row: Any) -> None:
        is_waiting.set()
        await may_go_on.wait()
        await run_job(service, row)

    monkeypatch.setattr(jobs, "_run_job", run_job_later)
    first = asyncio.create_task(world.sa.delete(path, params=mode, **KEY))
    await is_waiting.wait()
    again = await world.sa.delete(path, params=mode, **KEY)
    assert again.refused(409, "conflict")["state"] == "removing"
    may_go_on.set()
    assert get_first_answer(await first) is None
    assert get_replay(await world.sa.delete(path, params=mode, **KEY)) is None


async def test_reads_and_the_sign_in_ignore_it(world: World) -> None:
    card = await world.card(await world.board())
    bad = {"headers": {"Idempotency-Key": ""}}
    (await world.sa.get(f"/cards/{card['id']}", **bad)).ok()
    login = {"email": "sa@example.test", "password": PASSWORD}
    for _ in range(2):
        get_first_answer(await world.nobody.post("/auth/login", login, **bad))
    assert await _kept(world) == 0


async def test_after_a_day_a_key_is_free_again(world: World) -> None:
    board = await world.board()
    path = world.sa.org("/cards")
    first = get_first_answer(await world.sa.post(path, _new(board), **KEY))
    await execute(world, _MOVE_BACK, hours="-23 hours")
    assert get_replay(await world.sa.post(path, _new(board), **KEY)) == first
    await execute(world, _MOVE_BACK, hours="-24 hours")
    second = get_first_answer(await world.sa.post(path, _new(board, title="Another"), **KEY))
    assert second["id"] != first["id"]
    assert get_replay(await world.sa.post(path, _new(board, title="Another"), **KEY)) == second
    assert await _kept(world) == 1


_MOVE_BACK = "UPDATE retries SET created_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', :hours)"


async def test_old_answers_leave_with_new_ones_a_few_at_a_time(world: World) -> None:
    board = await world.board()
    for number in range(30):
        headers = {"headers": {"Idempotency-Key": str(number)}}
        get_first_answer(await world.sa.post(world.sa.org("/cards"), _new(board), **headers))
    assert await _kept(world) == 30
    await execute(world, _MOVE_BACK, hours="-25 hours")
    get_first_answer(await world.sa.post(world.sa.org("/cards"), _new(board), **KEY))
    assert await _kept(world) == 11
    get_first_answer(await world.sa.post(world.sa.org("/cards"), _new(board), headers={"Idempotency-Key": "next"}))
    assert await _kept(world) == 2


async def test_fifty_at_once_with_one_key_do_the_work_once(world: World) -> None:
    board = await world.board()
    answers = await asyncio.gather(*[world.sa.post(world.sa.org("/cards"), _new(board), **KEY) for _ in range(50)])
    assert len({answer.ok()["id"] for answer in answers}) == 1
    assert sum("Idempotent-Replayed" in answer.headers for answer in answers) == 49
    assert await _cards(world) == 1
    assert len(await world.history(answers[0].body["id"])) == 1


def _write_and_fail(tx: Tx) -> None:
    tx.run(sql.organizations.create, id="org_x", title="X", color="#000000", owner_id=None, now=tx.now)
    raise BadRequest(None, "changed my mind")


async def test_work_that_is_done_again_because_a_neighbour_failed_is_kept_once(world: World) -> None:
    board = await world.board()
    posts = [world.sa.post(world.sa.org("/cards"), _new(board), **KEY) for _ in range(50)]
    failing = [world.service.store.write(_write_and_fail) for _ in range(50)]
    results = await asyncio.gather(*[call for pair in zip(posts, failing) for call in pair], return_exceptions=True)
    assert {type(result) for result in results[1::2]} == {BadRequest}
    assert len({answer.ok()["id"] for answer in results[::2]}) == 1
    assert (await _cards(world), await _kept(world)) == (1, 1)


async def test_a_kept_answer_survives_a_crash_and_so_does_the_work(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        board = await world.board()
        first, headers = await _raw(world.sa, world.sa.org("/cards"), _new(board))
        service_process.kill()
    service_process.start()
    async with World(service_process.url) as world:
        again = await _raw(world.sa, world.sa.org("/cards"), _new(board))
        assert again == (first, {**headers, "Idempotent-Replayed": "true"})
        assert await _cards(world) == 1


async def test_a_secret_that_is_shown_once_is_replayed_and_encrypted_at_rest(world: World) -> None:
    first = get_first_answer(await world.sa.post("/settings/api-keys", {"name": "K"}, **KEY))
    assert get_replay(await world.sa.post("/settings/api-keys", {"name": "K"}, **KEY)) == first
    path = f"/settings/api-keys/{first['id']}/rotate"
    rotated = get_first_answer(await world.sa.post(path, **KEY))
    assert get_replay(await world.sa.post(path, **KEY)) == rotated
    (await world.client({"Authorization": f"ApiKey {rotated['secret']}"}).get("/agent/orgs")).ok()
    kept = str(await rows(world, "SELECT * FROM retries"))
    for part in (first["secret"], rotated["secret"], first["id"], "once", "name"):
        assert part not in kept


async def test_a_rotated_secret_of_the_service_keeps_the_answers(settings: Settings) -> None:
    def rotated(secret: str, previous: str | None = None) -> Settings:
        return settings.model_copy(update={"jwt_secret": secret, "jwt_secret_previous": previous})

    async with running(settings) as world:
        first = get_first_answer(await world.sa.post("/organizations", {"title": "O"}, **KEY))
    async with running(rotated(FRESH, settings.jwt_secret)):
        pass
    async with running(rotated(FRESH)) as world:
        assert get_replay(await world.sa.post("/organizations", {"title": "O"}, **KEY)) == first
    async with running(rotated(FRESH[::-1])) as world:
        (await world.sa.post("/organizations", {"title": "O"}, **KEY)).refused(409, "conflict")
        assert len((await world.sa.get("/organizations")).ok()) == 2


async def test_kept_answers_die_with_their_organization(world: World) -> None:
    home = (await world.sa.post("/organizations", {"title": "Short-lived"})).ok()["id"]
    get_first_answer(await world.sa.post(f"/organizations/{home}/projects", {"title": "P"}, **KEY))
    get_first_answer(await world.sa.post("/organizations", {"title": "Kept"}, **KEY))
    assert await _kept(world) == 2
    (await world.sa.delete(f"/organizations/{home}", params={"mode": "permanent"})).ok()
    assert await _kept(world) == 1


async def test_an_answer_over_64_kib_is_not_kept_and_nothing_is_done_twice(world: World) -> None:
    card = await world.card(await world.board())
    path = f"/cards/{card['id']}/comments"
    long = {"content": "😀" * 17_000}  # of four bytes each
    made = get_first_answer(await world.sa.post(path, long, **KEY))
    for _ in range(2):
        again = await world.sa.post(path, long, **KEY)
        assert again.refused(409, "conflict") == {"idempotencyKey": "once", "state": "done"}
    (await world.sa.post(path, {"content": "C"}, **KEY)).refused(422, "idempotency_key_reused")
    assert [row["id"] for row in (await world.sa.get(path)).ok()["items"]] == [made["id"]]
    assert (await rows(world, "SELECT max(length(answer)) AS size FROM retries"))[0]["size"] < 100


async def test_an_answer_of_64_kib_is_kept(world: World) -> None:
    path = f"/cards/{(await world.card(await world.board()))['id']}/comments"
    short, _ = await _raw(world.sa, path, {"content": "x"}, **{"Idempotency-Key": "short"})
    number, rest = divmod(STORED_BYTES_MAX - len(short) + 1, 4)
    body = {"content": "😀" * number + "x" * rest}
    first, _ = await _raw(world.sa, path, body)
    assert len(first) == STORED_BYTES_MAX
    get_replay(await world.sa.post(path, body, **KEY))


async def test_the_same_body_written_otherwise_is_the_same(world: World) -> None:
    card = await world.card(await world.board())
    path, kind = f"/cards/{card['id']}/comments", {"Content-Type": "application/json", "Idempotency-Key": "once"}
    get_first_answer(await world.sa.call("POST", path, data=b'{"content":"C"}', headers=kind))
    get_replay(await world.sa.call("POST", path, data=b' { "content" : "C" } ', headers=kind))
    assert (await world.sa.get(path)).ok()["total"] == 1


async def test_what_is_about_the_session_of_a_request_is_done_for_each_session(world: World) -> None:
    first, second = world.sa, await world.login(SA)
    switch = {"orgId": world.sa.org_id}
    tokens = [get_first_answer(await who.post("/auth/switch", switch, **KEY))["token"] for who in (first, second)]
    assert tokens[0] != tokens[1]
    for who in (second, first):
        assert (await who.delete("/settings/sessions/current", **KEY)).status == 204
        (await who.get("/auth/me")).refused(401, "session_ended")
