"""Sessions: a sign-in on one device, kept alive by a cookie, listed and ended by the person."""

import asyncio
import contextlib
import json
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import jwt
import pytest

from service import config
from service.auth.sessions import SESSIONS_MAX
from service.clock import parse_timestamp, timestamp
from service.resources.sessions import get_cookie_name

from .. import old_schemas, raw_http
from ..direct_db import execute, rows
from ..forms import upload
from ..running import running
from ..streams import listening
from ..world import MEMBER, PASSWORD, SA, SECRET, Answer, Client, World

COOKIE = get_cookie_name(config.Settings(jwt_secret=SECRET))
DAY = timedelta(days=1)
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


async def sign_in(world: World, email: str = MEMBER, agent: str = FIREFOX) -> tuple[Client, Any]:
    """Sign in on another device; return that client and its refresh cookie."""
    answer = await world.nobody.post(
        "/auth/login", {"email": email, "password": PASSWORD}, headers={"User-Agent": agent}
    )
    return client_of(world, answer), cookie_of(answer)


def client_of(world: World, answer: Answer) -> Client:
    body = answer.ok()
    headers = {"Authorization": f"Bearer {body['token']}"}
    return world.client(headers, id=body["user"]["id"], org_id=body["user"]["orgId"])


def cookie_of(answer: Answer) -> Any:
    (header,) = answer.headers.getall("Set-Cookie")
    (cookie,) = SimpleCookie(header).values()
    return cookie


async def refresh(world: World, cookie: Any) -> Answer:
    value = cookie if isinstance(cookie, str) else cookie.value
    return await world.nobody.post("/auth/refresh", headers={"Cookie": f"other=1; {COOKIE}={value}"})


def claims_of(client: Client) -> dict[str, Any]:
    token = client.headers["Authorization"].removeprefix("Bearer ")
    claims: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
    return claims


async def own_id(client: Client) -> str:
    (found,) = [row["id"] for row in (await client.get("/settings/sessions")).ok() if row["current"]]
    return str(found)


def without_session(client: Client) -> Client:
    """Return the same person with a token as earlier versions made them."""
    claims = {name: value for name, value in claims_of(client).items() if name != "sid"}
    token = jwt.encode(claims, SECRET, algorithm="HS256")
    return Client(client.http, client.base, {"Authorization": f"Bearer {token}"}, client.id, client.org_id)


async def test_every_sign_in_is_a_session_of_the_person_alone(world: World) -> None:
    phone, _ = await sign_in(world)
    listed = (await phone.get("/settings/sessions")).ok()
    assert [set(row) for row in listed] == [{"id", "createdAt", "lastSeenAt", "userAgent", "current"}] * 2
    (other,) = [row for row in listed if not row["current"]]
    (own,) = [row for row in listed if row["current"]]
    assert own["id"].startswith("ses_")
    assert own["userAgent"] == FIREFOX
    assert other["id"] == await own_id(world.member)
    assert len((await world.sa.get("/settings/sessions")).ok()) == 1


async def test_the_cookie_is_for_the_refresh_only_and_out_of_reach_of_scripts(world: World) -> None:
    _, cookie = await sign_in(world)
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == ("/api/v1/auth/refresh", True, "Strict")
    assert cookie["max-age"] == str(7 * 86400)
    assert cookie["secure"] == cookie["domain"] == ""
    assert len(cookie.value) == 43


@pytest.mark.parametrize(
    ("address", "path", "secure"),
    [
        ("https://board.example", "/api/v1/auth/refresh", True),
        ("https://example.test/tools/board", "/tools/board/api/v1/auth/refresh", True),
        ("http://board.example", "/api/v1/auth/refresh", ""),
    ],
)
async def test_the_cookie_belongs_to_the_public_address(
    settings: config.Settings, address: str, path: str, secure: bool
) -> None:
    async with running(settings.model_copy(update={"public_url": address})) as world:
        here, cookie = await sign_in(world)
        assert (cookie["path"], cookie["secure"]) == (path, secure)
        ended = cookie_of(await here.delete("/settings/sessions/current"))
        assert (ended["path"], ended["secure"], ended["max-age"], ended.value) == (path, secure, "0", "")


async def test_two_services_on_one_host_have_cookies_of_different_names(settings: config.Settings) -> None:
    other = settings.model_copy(update={"jwt_secret": "o" * 64})
    names = set()
    for service in (settings, other):
        async with running(service) as world:
            names.add((await sign_in(world))[1].key)
    assert len(names) == 2  # a browser sends both to both: cookies do not tell ports apart


async def test_a_refresh_gives_a_new_token_of_the_same_session(world: World) -> None:
    phone, cookie = await sign_in(world)
    answer = await refresh(world, cookie)
    assert set(answer.ok()) == {"token", "expiresAt", "user"}
    renewed = client_of(world, answer)
    assert await own_id(renewed) == await own_id(phone)
    assert claims_of(renewed)["exp"] >= claims_of(phone)["exp"]
    assert cookie_of(answer).value == cookie.value
    assert claims_of(renewed)["exp"] - time.time() == pytest.approx(12 * 3600, abs=60)
    (await phone.get("/auth/me")).ok()  # the earlier token, which another tab may still use


async def test_tabs_that_refresh_at_the_same_time_all_stay_signed_in(world: World) -> None:
    _, cookie = await sign_in(world)
    answers = await asyncio.gather(*(refresh(world, cookie) for _ in range(8)))
    for answer in answers:
        (await client_of(world, answer).get("/auth/me")).ok()
    (await refresh(world, cookie)).ok()


async def test_without_a_session_nothing_is_refreshed_or_written(world: World) -> None:
    assert world.service is not None
    _, cookie = await sign_in(world)
    before = world.service.store.units_accepted
    for value in ("", "nonsense", cookie.value[:-1], cookie.value + "x", '"', "x" * 5000, "é"):
        (await refresh(world, value)).refused(401, "session_ended")
    (await world.nobody.post("/auth/refresh")).refused(401, "session_ended")
    bearer = await world.member.post("/auth/refresh")  # a token does not extend itself
    assert bearer.refused(401, "session_ended") == {}
    assert bearer.headers["WWW-Authenticate"].startswith("Bearer")
    assert world.service.store.units_accepted == before


async def test_the_database_does_not_hold_what_a_refresh_takes(world: World) -> None:
    _, cookie = await sign_in(world)
    stored = str(await rows(world, "SELECT * FROM sessions"))
    assert cookie.value not in stored


async def test_a_new_secret_ends_what_the_cookie_gives(settings: config.Settings) -> None:
    async with running(settings) as world:
        _, cookie = await sign_in(world)
        (await refresh(world, cookie)).ok()
    async with running(settings.model_copy(update={"jwt_secret": "another secret of at least 32 bytes"})) as world:
        (await refresh(world, cookie)).refused(401, "session_ended")


async def test_switching_stays_in_the_session_and_extends_nothing(world: World) -> None:
    phone, cookie = await sign_in(world, SA)
    second = (await phone.post("/organizations", {"title": "Second"})).ok()["id"]
    before = (await rows(world, "SELECT expires_at, ends_at FROM sessions WHERE id = :id", id=await own_id(phone)))[0]
    await asyncio.sleep(0.01)
    there = client_of(world, await phone.post("/auth/switch", {"orgId": second}))
    assert there.org_id == second
    assert claims_of(there)["exp"] == claims_of(phone)["exp"]
    assert await own_id(there) == await own_id(phone)
    after = (await rows(world, "SELECT expires_at, ends_at FROM sessions WHERE id = :id", id=await own_id(phone)))[0]
    assert after["ends_at"] == before["ends_at"]
    assert client_of(world, await refresh(world, cookie)).org_id == second  # the page goes on where it was
    (await phone.delete(f"/organizations/{second}")).ok()
    assert client_of(world, await refresh(world, cookie)).org_id == world.sa.org_id


async def _end_one(world: World, phone: Client) -> str:
    (await world.member.delete(f"/settings/sessions/{await own_id(phone)}")).ok()
    return "session_ended"


async def _sign_out(world: World, phone: Client) -> str:
    answer = await phone.delete("/settings/sessions/current")
    assert (answer.status, cookie_of(answer)["max-age"]) == (204, "0")
    return "session_ended"


async def _sign_out_everywhere(world: World, phone: Client) -> str:
    answer = await world.member.post("/auth/logout")
    assert (answer.status, cookie_of(answer)["max-age"]) == (204, "0")
    return "unauthorized"


async def _change_password(world: World, phone: Client) -> str:
    body = {"currentPassword": PASSWORD, "newPassword": "another password"}
    (await world.member.post("/settings/password", body)).ok()
    return "unauthorized"


async def _expire(world: World, phone: Client) -> str:
    long_ago = timestamp(parse_timestamp(phone_time(phone)) - DAY)
    await execute(world, "UPDATE sessions SET expires_at = :at WHERE id = :id", at=long_ago, id=claims_of(phone)["sid"])
    return "session_ended"


def phone_time(phone: Client) -> str:
    return str(time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(claims_of(phone)["iat"])))


End = Callable[[World, Client], Awaitable[str]]
ENDS: list[End] = [_end_one, _sign_out, _sign_out_everywhere, _change_password]


@pytest.mark.parametrize("end", [*ENDS, _expire])
async def test_an_ended_session_is_refused_at_once_with_all_that_it_gave(world: World, end: End) -> None:
    phone, cookie = await sign_in(world)
    switched = client_of(world, await phone.post("/auth/switch", {"orgId": phone.org_id}))
    board = await world.board()
    file = await upload(world, await world.card(board), board.field("attachments"), b"plan", file_name="plan.txt")
    link = (await phone.post(f"/files/{file['id']}/link")).ok()["url"].removeprefix("/api/v1")
    (await world.nobody.get(link)).ok()
    code = await end(world, phone)
    for client in (phone, switched):
        (await client.get("/auth/me")).refused(401, code)
        (await client.post("/auth/switch", {"orgId": phone.org_id})).refused(401, code)
    (await refresh(world, cookie)).refused(401, "session_ended")
    (await world.nobody.get(link)).refused(403, "permission_denied")


@pytest.mark.parametrize("end", [_end_one, _sign_out])
async def test_ending_a_session_leaves_the_others(world: World, end: End) -> None:
    phone, _ = await sign_in(world)
    tablet, cookie = await sign_in(world)
    await end(world, phone)
    (await tablet.get("/auth/me")).ok()
    (await refresh(world, cookie)).ok()
    assert len((await world.member.get("/settings/sessions")).ok()) == 2


@pytest.mark.parametrize("end", ENDS)
async def test_streams_of_an_ended_session_end_within_a_second(world: World, end: End) -> None:
    phone, _ = await sign_in(world)
    async with listening(phone) as listener:
        await asyncio.sleep(0.2)  # until it waits
        began = time.monotonic()
        await end(world, phone)
        ended_at = time.monotonic()
        while (message := await listener.message()) is not None:
            assert message.name == "comment" or message.data["actor"]
        assert time.monotonic() - ended_at < 1, ended_at - began


async def test_a_waiting_poll_of_an_ended_session_ends_within_a_second(world: World) -> None:
    phone, _ = await sign_in(world)
    newest = (await phone.get(phone.org("/changes"))).ok()["next"]
    poll = asyncio.create_task(phone.get(phone.org("/changes"), params={"since": newest, "wait": "20"}))
    await asyncio.sleep(0.3)
    await _end_one(world, phone)
    async with asyncio.timeout(2):
        (await poll).refused(401, "session_ended")


async def test_streams_of_other_sessions_go_on(world: World) -> None:
    phone, _ = await sign_in(world)
    async with listening(world.member) as listener:
        await _end_one(world, phone)
        (await world.sa.post(world.sa.org("/projects"), {"title": "News"})).ok()
        assert (await listener.event())["type"] == "project.created"


async def test_nobody_ends_or_finds_the_session_of_somebody_else(world: World) -> None:
    theirs = await own_id(world.member)
    for session_id in (theirs, "ses_nothing", "nothing"):
        answer = await world.sa.delete(f"/settings/sessions/{session_id}")
        assert answer.refused(404, "not_found") == {"resource": "session"}
    (await world.member.get("/auth/me")).ok()
    (await world.nobody.get("/settings/sessions")).refused(401, "unauthorized")
    (await (await world.agent()).get("/settings/sessions")).refused(401, "unauthorized")


async def test_tokens_from_before_sessions_stay_valid_and_are_extended_by_nothing(world: World) -> None:
    old = without_session(world.member)
    (await old.get("/auth/me")).ok()
    assert [row["current"] for row in (await old.get("/settings/sessions")).ok()] == [False]
    switched = client_of(world, await old.post("/auth/switch", {"orgId": old.org_id}))
    assert "sid" not in claims_of(switched)
    assert claims_of(switched)["exp"] == claims_of(old)["exp"]
    (await old.delete("/settings/sessions/current")).refused(404, "not_found")
    (await old.get("/auth/me")).ok()
    (await old.post("/auth/logout")).ok()
    (await old.get("/auth/me")).refused(401, "unauthorized")


async def test_after_an_upgrade_earlier_tokens_stay_valid_and_new_sign_ins_are_sessions(tmp_path: Path) -> None:
    settings = old_schemas.settings_of(tmp_path / "data", 40)
    async with running(settings) as world:
        old = without_session(world.member)
        (await old.get("/auth/me")).ok()
        assert [row["current"] for row in (await world.member.get("/settings/sessions")).ok()] == [True]
        await _change_password(world, old)
        (await old.get("/auth/me")).refused(401, "unauthorized")
        assert await rows(world, "SELECT 1 FROM sessions WHERE user_id = :id", id=old.id) == []


async def _wait_until_stored(world: World) -> None:
    """Wait until the times of the requests so far are stored, for which no request waits."""
    assert world.service is not None
    await asyncio.gather(*world.service.recent_requests.tasks)


async def test_a_session_ends_after_a_week_without_use_and_after_thirty_days(world: World) -> None:
    assert world.clock is not None
    phone, cookie = await sign_in(world)
    for day in range(6, 30, 6):  # each use extends it
        world.clock.forward(6 * 86400)
        answer = await refresh(world, cookie)
        await _wait_until_stored(world)
        expected = min(7, 30 - day) * 86400
        assert int(cookie_of(answer)["max-age"]) == pytest.approx(expected, abs=5)
    world.clock.forward(6 * 86400)
    (await refresh(world, cookie)).refused(401, "session_ended")
    phone, cookie = await sign_in(world)
    world.clock.forward(7 * 86400 + 1)
    (await refresh(world, cookie)).refused(401, "session_ended")
    (await phone.get("/auth/me")).refused(401, "session_ended")  # which does not bring it back
    (await refresh(world, cookie)).refused(401, "session_ended")
    current, _ = await sign_in(world)
    assert len((await current.get("/settings/sessions")).ok()) == 1


async def test_any_request_of_a_session_keeps_it_and_is_stored_once_a_minute(world: World) -> None:
    assert world.clock is not None
    assert world.service is not None
    phone, cookie = await sign_in(world)
    (await phone.get("/auth/me")).ok()
    await _wait_until_stored(world)
    seen = [row["lastSeenAt"] for row in (await phone.get("/settings/sessions")).ok() if row["current"]]
    before = world.service.store.units_accepted
    for _ in range(5):
        (await phone.get("/auth/me")).ok()
    assert world.service.store.units_accepted == before
    world.clock.forward(6 * 86400)
    (await phone.get("/auth/me")).ok()
    await _wait_until_stored(world)
    later = [row["lastSeenAt"] for row in (await phone.get("/settings/sessions")).ok() if row["current"]]
    assert parse_timestamp(later[0]) - parse_timestamp(seen[0]) > 5 * DAY
    world.clock.forward(6 * 86400)
    (await refresh(world, cookie)).ok()


async def test_a_person_has_a_hundred_sessions_and_the_one_unused_for_longest_ends(world: World) -> None:
    await execute(
        world,
        """
        INSERT INTO sessions (id, user_id, token_hash, created_at, last_seen_at, expires_at, ends_at)
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :count)
        SELECT 'ses_' || n, :user_id, 'hash' || n, '2026', printf('2026-%03d', n), '9999', '9999' FROM numbers
        """,
        count=SESSIONS_MAX - 1,
        user_id=world.member.id,
    )
    await sign_in(world)
    listed = [row["id"] for row in (await world.member.get("/settings/sessions")).ok()]
    assert len(listed) == SESSIONS_MAX
    assert "ses_1" not in listed
    assert "ses_2" in listed
    assert len((await world.sa.get("/settings/sessions")).ok()) == 1


@pytest.mark.parametrize(
    ("agent", "kept"),
    [(b"x" * 5000, "x" * 300), ("curl/é".encode(), "curl/é"), (b"", None), (b"curl \xff\xfe", "curl ??")],
)
async def test_a_user_agent_is_kept_as_far_as_it_is_text_of_normal_length(
    world: World, agent: bytes, kept: str | None
) -> None:
    body = json.dumps({"email": MEMBER, "password": PASSWORD}).encode()
    head = (
        b"POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nUser-Agent: %b\r\n" % agent
    )
    head += b"Content-Length: %d\r\n\r\n" % len(body)
    phone = client_of(world, await raw_http.send(world.url, head + body))
    (row,) = [row for row in (await phone.get("/settings/sessions")).ok() if row["current"]]
    assert row["userAgent"] == kept


async def test_a_password_changed_during_a_sign_in_leaves_no_session_of_the_old_one(world: World) -> None:
    """The password is checked before the transaction that begins the session."""
    assert world.service is not None
    begun, store = asyncio.Event(), world.service.store
    write, go_on = store.write, asyncio.Event()

    async def held(work: Any, org_id: str = "") -> Any:
        begun.set()
        await go_on.wait()
        return await write(work, org_id)

    store.write = held  # type: ignore[method-assign]
    attempt = asyncio.create_task(sign_in(world))
    await begun.wait()
    store.write = write  # type: ignore[method-assign]
    await _change_password(world, world.member)
    go_on.set()
    with pytest.raises(AssertionError, match="invalid_credentials"):
        await attempt
    assert await rows(world, "SELECT 1 FROM sessions WHERE user_id = :id", id=world.member.id) == []


async def test_expired_sessions_are_deleted_in_time(settings: config.Settings) -> None:
    async with running(settings) as world:
        await execute(world, "UPDATE sessions SET expires_at = '2020' WHERE user_id = :id", id=world.member.id)
    async with running(settings) as world:
        for _ in range(200):
            if not await rows(world, "SELECT 1 FROM sessions WHERE expires_at = '2020'"):
                break
            await asyncio.sleep(0.05)
        assert len(await rows(world, "SELECT 1 FROM sessions")) == 5  # of before: two; of now: three


async def test_nothing_of_a_session_is_logged(world: World, caplog: pytest.LogCaptureFixture) -> None:
    phone, cookie = await sign_in(world)
    (await refresh(world, cookie)).ok()
    with contextlib.suppress(AssertionError):
        (await refresh(world, "nonsense")).ok()
    assert cookie.value not in caplog.text
    assert phone.headers["Authorization"][7:] not in caplog.text
