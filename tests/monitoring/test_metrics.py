"""/metrics: who may see them, and that what is counted is what happened."""

import re

import aiohttp
import pytest

from service import config

from ..raw import send
from ..running import running
from ..world import World

TOKEN = "a-token-for-the-metrics"


async def scrape(world: World, headers: dict[str, str] | None = None) -> tuple[int, str]:
    async with aiohttp.ClientSession() as http, http.get(world.url + "/metrics", headers=headers) as answer:
        return answer.status, await answer.text()


async def value(world: World, line: str) -> float:
    """Give the number of one line of a scrape; 0 if there is none."""
    status, text = await scrape(world)
    assert status == 200
    found = re.search(rf"^{re.escape(line)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


async def test_requests_are_counted_by_route_and_status_and_their_time_is_spread(world: World) -> None:
    card = await world.card(await world.board())
    for _ in range(3):
        (await world.sa.get(f"/cards/{card['id']}")).ok()
    (await world.sa.get("/cards/nothing")).refused(404, "not_found")
    labels = 'method="GET",route="/api/v1/cards/{card_id}"'
    assert await value(world, f'tandem_requests_total{{{labels},status="200"}}') == 3
    assert await value(world, f'tandem_requests_total{{{labels},status="404"}}') == 1
    assert await value(world, f"tandem_request_seconds_count{{{labels}}}") == 4
    assert await value(world, f'tandem_request_seconds_bucket{{le="+Inf",{labels}}}') == 4
    assert await value(world, 'tandem_errors_total{code="not_found"}') == 1


async def test_no_caller_can_make_series_of_their_own(world: World) -> None:
    for number in range(20):
        await world.nobody.call("GET", f"/nowhere/{number}")
        await world.nobody.call(f"VERB{number}", "/auth/me")
    _, text = await scrape(world)
    assert "nowhere" not in text
    assert "VERB" not in text
    assert await value(world, 'tandem_requests_total{method="GET",route="other",status="404"}') == 20


async def test_a_stream_is_a_listener_and_its_length_is_no_latency(world: World) -> None:
    streaming = await world.agent()
    labels = 'method="GET",route="/api/v1/organizations/{org_id}/events/mcp"'
    http, url = aiohttp.ClientSession(headers=streaming.headers), f"{world.url}/api/v1{streaming.org('/events/mcp')}"
    async with http, http.get(url) as stream:
        await stream.content.readany()
        assert await value(world, "tandem_listeners") == 1
        (key,) = (await world.sa.get("/settings/api-keys")).ok()
        (await world.sa.delete(f"/settings/api-keys/{key['id']}")).ok()
        await stream.read()  # ends with the key
    assert await value(world, f'tandem_requests_total{{{labels},status="200"}}') == 1
    assert await value(world, f"tandem_request_seconds_count{{{labels}}}") == 0
    assert await value(world, "tandem_listeners") == 0


async def test_writes_reads_events_and_claims_are_told(world: World) -> None:
    card = await world.card(await world.board())
    agent = await world.agent()
    units, events = await value(world, "tandem_writer_units_total"), await value(world, "tandem_events_total")
    (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "Hello"})).ok()
    (await agent.post(f"/cards/{card['id']}/claim/mcp")).ok()
    assert await value(world, "tandem_writer_units_total") >= units + 2
    assert await value(world, "tandem_events_total") == events + 2
    assert await value(world, "tandem_claims") == 1
    reads = await value(world, "tandem_reader_reads_total")
    (await world.sa.get(world.sa.org("/cards"))).ok()
    assert await value(world, "tandem_reader_reads_total") == reads + 1
    assert await value(world, 'tandem_ready{check="database"}') == 1
    assert await value(world, 'tandem_disk_free_bytes{folder="files"}') > 0
    assert await value(world, "tandem_database_bytes") > 0
    assert await value(world, "process_resident_memory_bytes") > 0


async def test_refusals_of_a_limit_are_counted_by_limit(settings: config.Settings) -> None:
    async with running(settings.model_copy(update={"rate_limit_login": 3})) as world:
        await world.nobody.post("/auth/login", {"email": "nobody@example.test", "password": "wrong"})
        assert await value(world, 'tandem_limit_refusals_total{limit="login"}') == 1
        assert await value(world, 'tandem_errors_total{code="rate_limited"}') == 1


async def test_without_a_token_only_this_machine_may_look(world: World) -> None:
    assert (await scrape(world))[0] == 200
    for header in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"):
        status, text = await scrape(world, {header: "127.0.0.1"})
        assert status == 404, header
        assert "tandem_" not in text


async def test_a_trusted_proxy_speaks_for_whom_it_names(settings: config.Settings) -> None:
    trusting = settings.model_copy(update={"trusted_proxies": config.load(environment=_TRUST).trusted_proxies})
    async with running(trusting) as world:
        assert (await scrape(world, {"X-Forwarded-For": "203.0.113.9"}))[0] == 404
        assert (await scrape(world))[0] == 200


_TRUST = {"SERVICE_TRUSTED_PROXIES": "127.0.0.1"}


async def test_with_a_token_whoever_shows_it_may_look_and_nobody_else(settings: config.Settings) -> None:
    async with running(settings.model_copy(update={"metrics_token": TOKEN})) as world:
        for wrong in (None, {"Authorization": f"Bearer {TOKEN}x"}, {"Authorization": TOKEN}, world.sa.headers):
            status, text = await scrape(world, wrong)
            assert status == 401
            assert "tandem_" not in text
        raw = b"GET /metrics HTTP/1.1\r\nHost: tandem\r\nConnection: close\r\nAuthorization: Bearer \xff\xfe\r\n\r\n"
        (await send(world.url, raw)).refused(401, "unauthorized")
        proxied = {"Authorization": f"Bearer {TOKEN}", "X-Forwarded-For": "203.0.113.9"}
        assert (await scrape(world, proxied))[0] == 200


def test_a_token_that_is_easily_guessed_is_refused_at_the_start() -> None:
    with pytest.raises(config.ConfigError, match="METRICS_TOKEN"):
        config.load(environment={"SERVICE_METRICS_TOKEN": "short"})
