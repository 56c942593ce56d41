"""Limits: how many requests a minute, what the headers say, and who counts as one caller."""

import ipaddress

import pytest

from service.config import Settings
from service.errors import RateLimited
from service.http.rate_limits import Buckets, resolve_client_address

from ..world import SA, World

LIMIT, REMAINING, RESET = "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Provide the settings, with a limit on sign-ins that is soon reached: the people of the world use three."""
    return settings.model_copy(update={"rate_limit_login": 5})


def taken(buckets: Buckets, times: int, caller: str = "key_1", per_minute: int = 60) -> int:
    """Try a number of times and tell how often it was granted."""
    granted = 0
    for _ in range(times):
        try:
            buckets.take("limit", caller, per_minute)
        except RateLimited:
            continue
        granted += 1
    return granted


def test_a_minutes_worth_is_granted_at_once_and_no_more(clock: Clock) -> None:
    assert taken(Buckets(clock), 100) == 60


def test_tokens_come_back_continuously_up_to_the_limit(clock: Clock) -> None:
    buckets = Buckets(clock)
    taken(buckets, 60)
    clock.time += 10
    assert taken(buckets, 100) == 10
    clock.time += 0.5
    assert taken(buckets, 100) == 0
    clock.time += 0.5
    assert taken(buckets, 100) == 1
    clock.time += 3600
    assert taken(buckets, 100) == 60


def test_a_clock_that_goes_back_neither_gives_nor_takes(clock: Clock) -> None:
    buckets = Buckets(clock)
    taken(buckets, 30)
    clock.time -= 3600
    assert taken(buckets, 100) == 30


def test_callers_and_limits_do_not_share_a_bucket(clock: Clock) -> None:
    buckets = Buckets(clock)
    assert taken(buckets, 100, "key_1") == 60
    assert taken(buckets, 100, "key_2") == 60
    assert buckets.take("another", "key_1", 60)[REMAINING] == "59"


def test_headers_tell_limit_rest_and_when_the_bucket_is_full_again(clock: Clock) -> None:
    buckets = Buckets(clock)
    assert buckets.take("limit", "key_1", 30) == {LIMIT: "30", REMAINING: "29", RESET: "1000002"}
    for _ in range(14):
        headers = buckets.take("limit", "key_1", 30)
    assert headers == {LIMIT: "30", REMAINING: "15", RESET: "1000030"}


def test_a_refusal_says_how_long_to_wait_and_then_it_is_granted(clock: Clock) -> None:
    buckets = Buckets(clock)
    taken(buckets, 10, per_minute=10)
    with pytest.raises(RateLimited) as caught:
        buckets.take("limit", "key_1", 10)
    headers = caught.value.headers
    assert (headers["Retry-After"], headers[REMAINING]) == ("6", "0")
    clock.time += int(headers["Retry-After"]) - 1
    assert taken(buckets, 1, per_minute=10) == 0
    clock.time += 1
    assert taken(buckets, 1, per_minute=10) == 1


def test_idle_buckets_are_dropped_and_used_ones_kept(clock: Clock) -> None:
    buckets = Buckets(clock)
    for number in range(5000):
        buckets.take("limit", f"address {number}", 10)
    clock.time += 61
    taken(buckets, 5000, "key_1")
    assert len(buckets) == 1
    assert taken(buckets, 1, "key_1") == 0


PROXIES = tuple(ipaddress.ip_network(name) for name in ("10.0.0.0/8", "::1/128"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "source"),
    [
        ("203.0.113.7", None, "203.0.113.7"),
        ("203.0.113.7", "198.51.100.1", "203.0.113.7"),  # not a trusted proxy: it can say what it likes
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("::1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "6.6.6.6, 198.51.100.1", "198.51.100.1"),  # only the last hop is known to be true
        ("10.0.0.1", "6.6.6.6, 198.51.100.1, 10.9.9.9", "198.51.100.1"),
        ("10.0.0.1", "10.1.1.1, 10.2.2.2", "10.1.1.1"),
        ("10.0.0.1", None, "10.0.0.1"),
        ("10.0.0.1", " , ,", "10.0.0.1"),
        (None, "198.51.100.1", "unknown"),
    ],
)
def test_the_client_address_is_the_peer_or_the_last_untrusted_hop(
    peer: str | None, forwarded: str | None, source: str
) -> None:
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    assert resolve_client_address(peer, headers, PROXIES) == source


def test_a_made_up_hop_takes_little_memory() -> None:
    assert len(resolve_client_address("10.0.0.1", {"X-Forwarded-For": "x" * 10_000}, PROXIES)) <= 64


async def test_sign_in_is_limited_by_address_whether_right_or_wrong(world: World) -> None:
    body = {"email": SA, "password": "wrong password"}
    for _ in range(2):
        (await world.nobody.post("/auth/login", body)).refused(401, "invalid_credentials")
    answer = await world.nobody.post("/auth/login", body)
    details = answer.refused(429, "rate_limited")
    assert 1 <= int(answer.headers["Retry-After"]) <= 12
    assert details["retryAfter"] == int(answer.headers["Retry-After"])
    forwarded = {"X-Forwarded-For": "198.51.100.1"}
    (await world.nobody.post("/auth/login", body, headers=forwarded)).refused(429, "rate_limited")


@pytest.mark.parametrize(("path", "per_minute"), [("/agents/bot/status", 60), ("board-flow/mcp", 30)])
async def test_a_limit_by_key_shows_in_the_headers_and_holds(
    world: World, clock: Clock, path: str, per_minute: int
) -> None:
    world.service.buckets = Buckets(clock)
    agent, other = await world.agent("bot"), await world.key(agentId="bot")
    path = path if path.startswith("/") else agent.org(f"/{path}")
    for left in range(per_minute - 1, -1, -1):
        answer = await agent.get(path)
        answer.ok()
        assert (answer.headers[LIMIT], answer.headers[REMAINING]) == (str(per_minute), str(left))
    assert int(answer.headers[RESET]) == clock.time + 60
    refused = await agent.get(path)
    refused.refused(429, "rate_limited")
    assert int(refused.headers["Retry-After"]) == 60 // per_minute
    (await other.get(path)).ok()
    clock.time += 60 // per_minute
    (await agent.get(path)).ok()


async def test_limits_can_be_turned_off_for_testing(world: World) -> None:
    world.service.settings = world.service.settings.model_copy(update={"rate_limits": "disabled"})
    for _ in range(10):
        body = {"email": SA, "password": "wrong password"}
        (await world.nobody.post("/auth/login", body)).refused(401, "invalid_credentials")
    agent = await world.agent("bot")
    for _ in range(70):
        (await agent.get("/agents/bot/status")).ok()


async def test_an_error_on_a_limited_route_carries_the_headers_too(world: World) -> None:
    answer = await (await world.agent("bot")).get("/agents/nobody/status")
    answer.refused(404, "not_found")
    assert answer.headers[LIMIT] == "60"


async def test_a_route_without_a_limit_says_nothing_of_limits(world: World) -> None:
    answer = await world.sa.get("/auth/me")
    assert not [name for name in answer.headers if name.lower().startswith("x-ratelimit")]
