"""The database quota of an organization: beyond it, only writes that need no space are allowed."""

import asyncio
from typing import Any

import pytest

from service import config
from service.auth.authentication import API_KEY, JWT
from service.database import usage
from service.pipeline.routing import ROUTES, Route

from .. import walk
from ..direct_db import execute, rows
from ..repeated import KEY, get_first_answer, get_replay
from ..running import running
from ..snapshots import send as send_snapshot
from ..snapshots import small, snapshot_of
from ..tools.talk import talking
from ..world import Answer, Client, World

GIB = 1 << 30
# Besides everything that deletes: moving, signing in and out, changing or giving a password, freezing, stopping
# an agent, disabling a key, going on with a claim, deciding on a move, marking as seen, and links, which write nothing.
GO_ON = {
    "POST /agents/{agent_id}/offline",
    "PATCH /agents/{agent_id}/stop",
    "POST /auth/login",
    "POST /auth/logout",
    "POST /auth/refresh",
    "POST /auth/switch",
    "PATCH /cards/{card_id}/mcp/status",
    "PATCH /cards/{card_id}/rank",
    "PATCH /cards/{card_id}/status",
    "POST /cards/{card_id}/claim/renew/mcp",
    "POST /cards/{card_id}/transfer",
    "POST /files/{file_id}/link",
    "POST /move-requests/{move_request_id}/approve",
    "POST /move-requests/{move_request_id}/reject",
    "POST /organizations/{org_id}/cards/batch",  # for its moves and archivings
    "POST /organizations/{org_id}/freeze",
    "POST /organizations/{org_id}/members/{user_id}/password",
    "PUT /organizations/{org_id}/seen",
    "PATCH /settings/api-keys/{key_id}",  # to disable it
    "POST /settings/password",
}
WRITING = [route for route in ROUTES if not route.reads]


def caller(world: World, agent: Client, route: Route) -> Client:
    """Return who may call a route."""
    return {JWT: world.sa, API_KEY: agent}.get(route.policy.scheme, world.nobody)


def set_quota(world: World, quota_bytes: int) -> None:
    """Set the quota of a running service."""
    assert world.service is not None
    settings = world.service.settings.model_copy(update={"database_quota_bytes": quota_bytes})
    world.service.settings = settings
    assert settings.is_database_quota_set


def used(world: World, client: Client | None = None) -> int:
    """Return the estimate of an organization."""
    assert world.service is not None
    return world.service.database_usage.get_used_bytes((client or world.sa).org_id)


def expect_quota_exceeded(answer: Answer) -> Any:
    """Check that an answer is the refusal of the quota, and return its details."""
    details = answer.refused(409, "quota_exceeded")
    assert details["resource"] == "database"
    return details


async def comment(world: World, card: Any, size: int = 18_000, by: Client | None = None, **options: Any) -> Answer:
    return await (by or world.sa).post(f"/cards/{card['id']}/comments", {"content": "x" * size}, **options)


def test_every_route_that_writes_grows_or_is_listed() -> None:
    going_on = {walk.name(route) for route in WRITING if not route.grows}
    assert going_on == GO_ON | {walk.name(route) for route in WRITING if route.method == "DELETE"}
    assert not [walk.name(route) for route in ROUTES if route.reads and route.grows]


async def test_every_route_that_grows_is_refused_beyond_the_quota_and_changes_nothing(world: World) -> None:
    ids, agent = await walk.create_one_of_each(world, world.sa, "bot")
    await _grow(world)
    before = await walk.describe_organization(world.sa, ids)
    for route in WRITING:
        if route.grows and route.policy.requires_organization:
            answer = await walk.call(caller(world, agent, route), route, ids)
            assert (answer.status, answer.body["error"]["code"]) == (409, "quota_exceeded"), walk.name(route)
    assert await walk.describe_organization(world.sa, ids) == before


async def test_what_does_not_grow_goes_on_beyond_the_quota(world: World) -> None:
    board, other, agent = await world.board(), await world.board(), await world.agent()
    cards = [await world.card(board) for _ in range(8)]
    edge = {"requiresApproval": True}
    await world.edge(board, "Todo", "Done", **edge)
    asked = []
    for card in cards[:3]:
        body = {"toColumnId": board.columns["Done"]}
        asked.append((await agent.post(f"/cards/{card['id']}/move-requests/mcp", body)).ok())
    claim = (await agent.post(f"/cards/{cards[3]['id']}/claim/mcp")).ok()["claim"]
    question = (await agent.post(f"/cards/{cards[4]['id']}/comments/mcp", {"content": "?", "asks": True})).ok()
    key = (await world.sa.get("/settings/api-keys")).ok()[0]
    await _grow(world)
    expect_quota_exceeded(await comment(world, cards[0]))
    to = {"toColumnId": board.columns["In Progress"]}
    (await world.sa.patch(f"/cards/{cards[5]['id']}/status", to)).ok()
    (await agent.patch(f"/cards/{cards[3]['id']}/mcp/status", to)).ok()
    (await world.sa.patch(f"/cards/{cards[4]['id']}/rank", {"afterCardId": None})).ok()
    (await world.sa.post(f"/cards/{cards[5]['id']}/transfer", {"projectId": other.id})).ok()
    (await world.sa.post(f"/move-requests/{asked[0]['id']}/approve", {"note": "Good"})).ok()
    (await world.sa.post(f"/move-requests/{asked[1]['id']}/reject", {"note": "Not yet"})).ok()
    (await agent.delete(f"/move-requests/{asked[2]['id']}/mcp")).ok()
    (await agent.delete(f"/cards/{cards[4]['id']}/comments/{question['id']}/question/mcp")).ok()
    (await agent.post(f"/cards/{cards[3]['id']}/claim/renew/mcp", headers={"X-Claim-Token": claim["token"]})).ok()
    (await agent.delete(f"/cards/{cards[3]['id']}/claim/mcp")).ok()
    (await world.sa.delete(f"/cards/{cards[3]['id']}/claim")).ok()
    (await world.sa.call("PUT", world.sa.org("/seen"), {"eventId": "1"})).ok()
    (await world.sa.post(world.sa.org("/freeze"), {"reason": "Full"})).ok()
    (await world.sa.delete(world.sa.org("/freeze"))).ok()
    (await world.sa.patch("/agents/bot/stop")).ok()
    (await world.sa.patch(f"/settings/api-keys/{key['id']}", {"enabled": False})).ok()
    (await world.sa.delete(f"/cards/{cards[6]['id']}")).ok()
    (await world.sa.delete(f"/cards/{cards[7]['id']}", params={"mode": "permanent"})).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{other.id}"))).ok()
    change = {"currentPassword": "correct horse", "newPassword": "battery staple"}
    (await world.member.post("/settings/password", change)).ok()
    again = await world.login("member@example.test", "battery staple")
    (await again.post("/auth/logout")).ok()


async def test_a_key_is_disabled_and_not_renamed_beyond_the_quota(world: World) -> None:
    key = await world.key()
    await _grow(world)
    path = f"/settings/api-keys/{key.id}"
    for body in ({"name": "New"}, {"enabled": False, "name": "New"}, {"enabled": True}, {"actsAsItself": True}):
        expect_quota_exceeded(await world.sa.patch(path, body))
    assert (await world.sa.patch(path, {"enabled": False})).ok()["enabled"] is False


async def _grow(world: World) -> Any:
    """Have the organization use more than its quota, a byte; return one of its cards."""
    set_quota(world, 0)
    card = await world.card(await world.board())
    (await comment(world, card)).ok()
    set_quota(world, 1)
    return card


async def test_of_a_batch_edits_and_undos_are_refused_and_the_rest_goes_on(world: World) -> None:
    board = await world.board()
    one, two, three = [await world.card(board, title=title) for title in ("one", "two", "three")]
    edited = (await world.sa.patch(f"/cards/{three['id']}", {"title": "Three"})).ok()
    await _grow(world)
    operations: list[Any] = [
        {"cardId": one["id"], "move": {"toColumnId": board.columns["In Progress"]}},
        {"cardId": one["id"], "edit": {"title": "One"}},
        {"cardId": two["id"], "archive": True},
        {"cardId": three["id"], "undo": {"at": edited["updatedAt"]}},
    ]
    answer = (await world.sa.post(world.sa.org("/cards/batch"), {"operations": operations})).ok()
    codes = [result.get("error", {}).get("code") for result in answer["results"]]
    assert codes == [None, "quota_exceeded", None, "quota_exceeded"]
    assert answer["results"][1]["error"]["status"] == 409
    assert (await world.sa.get(f"/cards/{one['id']}")).ok()["title"] == "one"


async def test_ordinary_writes_are_refused_at_the_quota_and_what_they_take_is_what_is_counted(world: World) -> None:
    card = await world.card(await world.board())
    before, size = used(world), await _database_bytes(world)
    set_quota(world, before + (2 << 20))
    count = 0
    while (answer := await comment(world, card)).status == 200:
        count += 1
        assert count < 500
    details = expect_quota_exceeded(answer)
    assert details == {"resource": "database", "quotaBytes": before + (2 << 20), "usedBytes": used(world)}
    assert f"{details['quotaBytes']:,}" in answer.body["error"]["message"]
    grown = await _database_bytes(world) - size
    assert used(world) - before == pytest.approx(grown, rel=0.15)
    assert count > 20
    (await world.outsider.post(world.outsider.org("/projects"), {"title": "Elsewhere"})).ok()


async def _database_bytes(world: World) -> int:
    (row,) = await rows(world, "SELECT (SELECT page_count FROM pragma_page_count) * 4096 AS bytes")
    return int(row["bytes"])


async def test_copies_without_a_body_end_at_the_quota(world: World) -> None:
    board = await world.board()
    values = [{"fieldId": board.field("description"), "value": "x" * 90_000}]
    card = await world.card(board, fieldValues=values)
    set_quota(world, used(world) + (4 << 20))
    for _ in range(200):
        answer = await world.sa.post(f"/cards/{card['id']}/duplicate", {})
        if answer.status != 200:
            break
    expect_quota_exceeded(answer)
    assert used(world) < world.service.settings.database_quota_bytes + (1 << 20)


async def test_what_is_removed_makes_room_again(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    quota = used(world) + (1 << 20)
    set_quota(world, quota)
    while (await comment(world, card)).status == 200:
        pass
    full = used(world)
    (await world.sa.delete(f"/cards/{card['id']}", params={"mode": "permanent"})).ok()
    assert used(world) < full - (1 << 19)
    (await comment(world, await world.card(board))).ok()


async def test_the_organization_that_is_written_to_counts_and_not_that_of_the_token(world: World) -> None:
    await world.join(world.sa, world.outsider, "outsider@example.test", "SolutionArchitect")
    other = await world.board(world.outsider)
    theirs = await world.card(other, by=world.outsider)
    here = await world.card(await world.board())
    before = used(world), used(world, world.outsider)
    for _ in range(20):  # the token is of their own organization
        path = f"/cards/{here['id']}/comments"
        headers = {"X-Organization-Id": world.sa.org_id}
        (await world.outsider.post(path, {"content": "x" * 18_000}, headers=headers)).ok()
    assert used(world) > before[0] + 200_000
    assert used(world, world.outsider) == before[1]
    set_quota(world, before[0] + 1000)
    expect_quota_exceeded(await world.outsider.post(path, {"content": "x"}, headers=headers))
    set_quota(world, before[1] + 100_000)
    (await world.outsider.post(f"/cards/{theirs['id']}/comments", {"content": "x"})).ok()


async def test_failed_writes_do_not_count_against_the_quota(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    before = used(world)
    for _ in range(20):
        body = {"parts": [{"title": "x"}, {"title": "y", "cardTypeId": "nothing"}]}
        (await world.sa.post(f"/cards/{card['id']}/split", body)).invalid()
    assert used(world) == before


async def test_the_estimate_outlives_a_restart(settings: config.Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "STORE_SECONDS", 0.05)
    async with running(settings) as world:
        await _grow(world)
        stored = 0
        while stored != used(world):  # while it runs, too
            await asyncio.sleep(0.05)
            found = await rows(world, "SELECT used_bytes FROM database_usage WHERE org_id = :id", id=world.sa.org_id)
            stored = found[0]["used_bytes"] if found else 0
        monkeypatch.setattr(usage, "STORE_SECONDS", 3600)
        await asyncio.sleep(0.1)
        await _grow(world)  # stored by the stop
        last = used(world)
        assert last > stored
    async with running(settings) as world:
        assert used(world) >= last
        assert used(world) < last + (1 << 20)


async def test_nothing_is_kept_of_an_organization_that_is_gone(world: World) -> None:
    card = await world.card(await world.board(world.outsider), by=world.outsider)
    (await comment(world, card, by=world.outsider)).ok()
    assert used(world, world.outsider) > 0
    assert world.service is not None
    await world.service.database_usage.store_changes(world.service.store)
    (await world.outsider.delete(world.outsider.org(), params={"mode": "permanent"})).ok()
    await world.service.database_usage.store_changes(world.service.store)
    assert used(world, world.outsider) == 0
    assert await rows(world, "SELECT 1 FROM database_usage WHERE org_id = :id", id=world.outsider.org_id) == []


@pytest.mark.parametrize("bytes_used", [10 * GIB - 4096, 10 * GIB + 4096])
async def test_the_default_binds_an_organization_that_reaches_it_and_none_that_was_above_it_before(
    settings: config.Settings, bytes_used: int
) -> None:
    async with running(settings) as world:
        assert world.service is not None
        assert world.service.settings.database_quota_bytes == 10 * GIB
        assert not world.service.settings.is_database_quota_set
        card = await _grow_by_default(world)
        insert = "INSERT OR REPLACE INTO database_usage VALUES (:org_id, :used, :is_exempt)"
        is_exempt = bytes_used > 10 * GIB
        world.service.database_usage._changed.clear()  # what is stored here stays
        await execute(world, insert, org_id=world.sa.org_id, used=bytes_used, is_exempt=is_exempt)
    async with running(settings) as world:
        assert world.service is not None
        answers = [await comment(world, card) for _ in range(20)]
        if not is_exempt:
            expect_quota_exceeded(answers[-1])
            assert used(world) > 10 * GIB - 4096
            return
        assert {answer.status for answer in answers} == {200}
        set_quota(world, 10 * GIB)
        expect_quota_exceeded(await comment(world, card))


async def _grow_by_default(world: World) -> Any:
    card = await world.card(await world.board())
    (await comment(world, card)).ok()
    return card


async def test_an_exempt_organization_is_bound_once_it_uses_less_than_the_default() -> None:
    estimate = usage.DatabaseUsage(10 * GIB)
    estimate._used_bytes, estimate._exempt = {"org": 10 * GIB + 10}, {"org"}
    estimate._add("org", -5)
    assert estimate.is_exempt("org")
    estimate._add("org", -10)
    assert not estimate.is_exempt("org")
    estimate._add("org", 100)
    assert not estimate.is_exempt("org")


async def test_tools_say_what_to_do_and_what_ends_work_goes_on(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    async with talking(agent) as talk:
        await talk.ok("claim", card=card["key"])
        await _grow(world)
        error = await talk.error("comment", "quota_exceeded", card=card["key"], content="Hello")
        assert "Tell the person" in error["message"]
        assert "file" not in error["message"]
        await talk.refused("create_card", "quota_exceeded", title="New", project="BOA")
        await talk.ok("move_card", card=card["key"], to="In Progress")
        await talk.ok("release", card=card["key"])
    assert world.service is not None
    assert [row for row in world.service.denied_requests if row.code == "quota_exceeded"] == []


async def test_a_repeated_request_has_its_answer_beyond_the_quota(world: World) -> None:
    card = await world.card(await world.board())
    first = get_first_answer(await comment(world, card, 10, **KEY))
    await _grow(world)
    assert get_replay(await comment(world, card, 10, **KEY)) == first
    expect_quota_exceeded(await comment(world, card, 10, headers={"Idempotency-Key": "another"}))
    set_quota(world, 0)
    get_first_answer(await comment(world, card, 10, headers={"Idempotency-Key": "another"}))  # a refusal is not kept


async def test_an_import_that_does_not_fit_is_refused_before_its_first_row(world: World) -> None:
    rest = [{"id": f"c{n}", "columnId": "l1", "cardTypeId": "t1", "title": f"{n} " + "x" * 400} for n in range(3000)]
    snapshot = small(cards=rest)
    set_quota(world, 1 << 20)
    details = expect_quota_exceeded(await send_snapshot(world.sa, snapshot))
    assert details["usedBytes"] == 0
    assert [row["title"] for row in (await world.sa.get("/organizations")).ok()] == ["Home"]
    assert await rows(world, "SELECT 1 FROM imports") == []
    set_quota(world, 100 << 20)
    (await send_snapshot(world.sa, snapshot)).ok()
    assert world.service is not None
    assert 1 << 20 < world.service.database_usage.get_used_bytes("org_small") < 20 << 20


async def test_an_import_into_a_full_organization_is_refused_before_its_body_is_read(world: World) -> None:
    snapshot = await snapshot_of(world.sa)
    await _grow(world)
    expect_quota_exceeded(await send_snapshot(world.sa, snapshot))
    trello = {"name": "B", "lists": [], "cards": [], "labels": [], "members": [], "checklists": [], "actions": []}
    expect_quota_exceeded(await world.sa.post("/admin/import/trello", trello))
