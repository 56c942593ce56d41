"""How often one may try to sign in: ten times a minute from one address, unless the settings say otherwise."""

import ipaddress
from http.cookies import SimpleCookie

import pytest

from service import config
from service.http.rate_limits import Buckets
from service.resources import sessions

from ..world import PASSWORD, SA, Answer, World

DEFAULT = config.Settings().rate_limit_login
LOOPBACK = (ipaddress.ip_network("127.0.0.1/32"),)


@pytest.fixture
def settings(settings: config.Settings, request: pytest.FixtureRequest) -> config.Settings:
    """Provide settings of a service with the default limit, and with what a test adds."""
    changes = {"rate_limit_login": DEFAULT} | getattr(request, "param", {})
    return settings.model_copy(update=changes)


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(world: World) -> Clock:
    """Provide the clock of the world's buckets, which are all full."""
    clock = Clock()
    assert world.service is not None
    world.service.buckets = Buckets(clock)
    return clock


async def attempt(world: World, password: str, **headers: str) -> Answer:
    return await world.nobody.post("/auth/login", {"email": SA, "password": password}, headers=headers)


def test_the_default_is_ten_a_minute() -> None:
    assert DEFAULT == 10
    assert config.load(environment={"SERVICE_RATE_LIMIT_LOGIN": "3"}).rate_limit_login == 3


async def test_the_eleventh_attempt_in_a_minute_is_refused_even_with_the_right_password(
    world: World, clock: Clock
) -> None:
    for left in range(9, -1, -1):
        answer = await attempt(world, "wrong")
        answer.refused(401, "invalid_credentials")
        assert answer.headers["X-RateLimit-Limit"] == "10"
        assert answer.headers["X-RateLimit-Remaining"] == str(left)
        assert answer.headers["X-RateLimit-Reset"] == str(1_000_000 + (10 - left) * 6)
    refused = await attempt(world, PASSWORD)
    details = refused.refused(429, "rate_limited")
    assert refused.headers["Retry-After"] == "6"
    assert details["retryAfter"] == 6
    clock.now += 6
    (await attempt(world, PASSWORD)).ok()
    (await attempt(world, PASSWORD)).refused(429, "rate_limited")


async def test_a_minute_of_rest_brings_all_attempts_back(world: World, clock: Clock) -> None:
    for _ in range(2):
        for _ in range(DEFAULT):
            (await attempt(world, PASSWORD)).ok()
        (await attempt(world, PASSWORD)).refused(429, "rate_limited")
        clock.now += 60


@pytest.mark.usefixtures("clock")
async def test_attempts_that_are_no_sign_in_count_too(world: World) -> None:
    for _ in range(DEFAULT):
        (await world.nobody.post("/auth/login", {"email": SA})).refused(400, "validation_failed")
    (await attempt(world, PASSWORD)).refused(429, "rate_limited")


@pytest.mark.usefixtures("clock")
async def test_other_routes_go_on(world: World) -> None:
    for _ in range(DEFAULT + 1):
        last = await attempt(world, PASSWORD)
    last.refused(429, "rate_limited")
    answer = await world.sa.get("/auth/me")
    answer.ok()
    assert not [name for name in answer.headers if name.lower().startswith("x-ratelimit")]


@pytest.mark.usefixtures("clock")
async def test_a_header_makes_nobody_another_address(world: World) -> None:
    answers = [await attempt(world, PASSWORD, **{"X-Forwarded-For": f"10.0.0.{last}"}) for last in range(DEFAULT + 1)]
    answers[-1].refused(429, "rate_limited")
    for answer in answers[:-1]:
        answer.ok()


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("settings", [{"trusted_proxies": LOOPBACK}], indirect=True)
async def test_behind_a_trusted_proxy_each_address_has_its_own_attempts(world: World) -> None:
    for first in ("10.0.0.1", "10.0.0.2"):
        for _ in range(DEFAULT):
            (await attempt(world, PASSWORD, **{"X-Forwarded-For": first})).ok()
        (await attempt(world, PASSWORD, **{"X-Forwarded-For": f"192.0.2.7, {first}"})).refused(429, "rate_limited")


async def refresh(world: World, cookie: str | None = None, **headers: str) -> Answer:
    """Ask for a new token as the page does: without a body."""
    name = sessions.get_cookie_name(world.service.settings) if world.service else ""
    return await world.nobody.call(
        "POST", "/auth/refresh", headers=headers | ({"Cookie": f"{name}={cookie}"} if cookie else {})
    )


async def test_refreshes_without_a_valid_session_are_limited_as_sign_ins_are(world: World, clock: Clock) -> None:
    for number in range(DEFAULT):
        answer = await refresh(world, "nonsense" if number % 2 else None)
        answer.refused(401, "session_ended")
        assert answer.headers["X-RateLimit-Limit"] == "10"
        assert answer.headers["X-RateLimit-Remaining"] == str(DEFAULT - 1 - number)
    refused = await refresh(world, "nonsense")
    assert refused.refused(429, "rate_limited") == {"retryAfter": 6}
    assert refused.headers["Retry-After"] == "6"
    clock.now += 6
    (await refresh(world, "nonsense")).refused(401, "session_ended")
    (await refresh(world, "nonsense")).refused(429, "rate_limited")


@pytest.mark.usefixtures("clock")
async def test_a_valid_session_is_refreshed_however_many_invalid_ones_were_refused(world: World) -> None:
    signed_in = await attempt(world, PASSWORD)
    (cookie,) = SimpleCookie(signed_in.headers["Set-Cookie"]).values()
    for _ in range(DEFAULT + 1):
        last = await refresh(world, "nonsense")
    last.refused(429, "rate_limited")
    for _ in range(3 * DEFAULT):  # twelve tabs of an office behind one address
        answer = await refresh(world, cookie.value)
        answer.ok()
        assert "X-RateLimit-Limit" not in answer.headers


@pytest.mark.usefixtures("clock")
async def test_sign_ins_and_refreshes_are_counted_apart(world: World) -> None:
    for _ in range(DEFAULT + 1):
        last = await refresh(world)
    last.refused(429, "rate_limited")
    (await attempt(world, PASSWORD)).ok()


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("settings", [{"trusted_proxies": LOOPBACK}], indirect=True)
async def test_behind_a_trusted_proxy_refreshes_are_limited_by_address(world: World) -> None:
    for first in ("10.0.0.1", "10.0.0.2"):
        for _ in range(DEFAULT):
            (await refresh(world, **{"X-Forwarded-For": first})).refused(401, "session_ended")
        (await refresh(world, **{"X-Forwarded-For": first})).refused(429, "rate_limited")


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("settings", [{"rate_limits": "disabled"}], indirect=True)
async def test_no_refresh_is_limited_where_limits_are_disabled(world: World) -> None:
    for _ in range(DEFAULT + 1):
        (await refresh(world)).refused(401, "session_ended")
