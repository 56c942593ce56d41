"""/metrics: who may see them, and that what is counted is what happened."""

import logging
import re

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from service import config

from ..raw_http import send
from ..running import running
from ..tools.talk import talking
from ..world import World

# Dashboards and alerts of others know these names: kind, labels, what it says.
METRICS = {
    "build_info": "gauge schema,version: Version of the service and its schema.",
    "ready": "gauge check: 1 if the check of /readyz succeeds.",
    "requests": "counter method,route,status: Requests answered.",
    "request_seconds": "histogram le,method,route: Seconds to answer; no streams.",
    "errors": "counter code: Errors answered, by routes and tools.",
    "tool_calls": "counter result,tool: Calls of tools; ok or the code of the error.",
    "tool_seconds": "histogram le,tool: Seconds that calls of tools took.",
    "writer_groups": "counter : Groups of writes that shared a commit.",
    "writer_units": "counter : Writes in those groups.",
    "writer_busy_seconds": "counter : Seconds that groups of writes took.",
    "writer_longest_group_seconds": "gauge : Duration of the longest group since startup.",
    "writer_queue": "gauge : Writes that wait in the queue.",
    "database_largest_organization_bytes": "gauge : Bytes of the database of the largest organization.",
    "database_quota_bytes": "gauge : Quota of each organization in the database; 0: none.",
    "reader_reads": "counter : Reads of many rows.",
    "reader_wait_seconds": "counter : Seconds that they waited for a reader.",
    "limit_refusals": "counter limit: Requests refused by a rate limit.",
    "listeners": "gauge : Open event streams and long polls.",
    "webhook_attempts": "counter : Delivery attempts.",  # and the label "outcome" once there is one
    "events": "counter : Events ever written.",
    "claims": "gauge : Live claims.",
    "webhook_deliveries_pending": "gauge : Pending webhook deliveries.",
    "search_backlog_cards": "gauge : Cards that are not yet in the search index.",
    "lost_files": "gauge : Files whose contents are missing or damaged.",
    "disk_free_bytes": "gauge folder: Free space on the disk of the folder.",
    # With the label "copy" once there is one.
    "copy_age_seconds": "gauge : Age of the last backup, and of what Litestream has not copied.",
    "database_bytes": "gauge : Size of the database.",
    "database_log_bytes": "gauge : Size of the write-ahead log.",
}
TOKEN = "a-token-for-the-metrics"


async def scrape(world: World, headers: dict[str, str] | None = None) -> tuple[int, str]:
    async with aiohttp.ClientSession() as http, http.get(world.url + "/metrics", headers=headers) as answer:
        return answer.status, await answer.text()


async def value(world: World, line: str) -> float:
    """Return the number of one line of a scrape; 0 if there is none."""
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


async def test_names_labels_and_help_of_the_metrics_stay_as_they_are(settings: config.Settings) -> None:
    async with running(settings.model_copy(update={"rate_limit_login": 3})) as world:
        await world.nobody.post("/auth/login", {"email": "nobody@example.test", "password": "wrong"})
        async with talking(await world.agent()) as talk:
            await talk.ok("get_board", show=["columns"])
        _, text = await scrape(world)
    found = {}
    for metric in text_string_to_metric_families(text):
        labels = ",".join(sorted({label for sample in metric.samples for label in sample.labels}))
        found[metric.name] = f"{metric.type} {labels}: {metric.documentation}"
    names = {name.removeprefix("tandem_") for name in found if name.startswith("tandem_")}
    assert names == METRICS.keys()
    for name, told in METRICS.items():
        assert found[f"tandem_{name}"] == told


async def test_no_caller_can_make_series_of_their_own(world: World) -> None:
    for number in range(20):
        await world.nobody.call("GET", f"/nowhere/{number}")
        await world.nobody.call(f"VERB{number}", "/auth/me")
    for method in ("PROPFIND", "SEARCH", "LOCK"):  # valid in HTTP, but no route has them
        (await world.nobody.call(method, "/auth/me")).refused(405, "method_not_allowed")
    _, text = await scrape(world)
    assert "nowhere" not in text
    assert not any(method in text for method in ("VERB", "PROPFIND", "SEARCH", "LOCK"))
    assert await value(world, 'tandem_requests_total{method="GET",route="other",status="404"}') == 20


async def test_calls_of_tools_are_counted_by_tool_and_result(world: World) -> None:
    async with talking(await world.agent()) as talk:
        for _ in range(2):
            await talk.ok("get_board", show=["columns"])
        await talk.refused("get_board", "validation_failed", project="nothing")
    assert await value(world, 'tandem_tool_calls_total{result="ok",tool="get_board"}') == 2
    assert await value(world, 'tandem_tool_calls_total{result="validation_failed",tool="get_board"}') == 1
    assert await value(world, 'tandem_tool_seconds_count{tool="get_board"}') == 3
    assert await value(world, 'tandem_tool_seconds_bucket{le="10.0",tool="get_board"}') == 3


async def test_each_service_counts_by_itself(settings: config.Settings) -> None:
    for _ in range(2):  # in one process
        async with running(settings) as world:
            (await world.sa.get("/auth/me")).ok()
            labels = 'method="GET",route="/api/v1/auth/me",status="200"'
            assert await value(world, f"tandem_requests_total{{{labels}}}") == 1


async def test_a_stream_is_a_listener_and_its_length_is_no_latency(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
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
    assert [record.message for record in caplog.records if record.levelno >= logging.ERROR] == []


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


async def test_without_a_metrics_token_only_this_machine_reads_metrics(world: World) -> None:
    assert (await scrape(world))[0] == 200
    for header in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"):
        status, text = await scrape(world, {header: "127.0.0.1"})
        assert status == 404, header
        assert "tandem_" not in text


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.", "[::1", ""]
)
async def test_metrics_are_denied_to_a_foreign_host_name(world: World, host: str) -> None:
    raw = f"GET /metrics HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
    (await send(world.url, raw)).refused(421, "misdirected_request")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:99", "127.0.0.1", "[::1]:8080", "192.0.2.7:8080"])
async def test_metrics_accept_local_host_names_and_ip_addresses(world: World, host: str) -> None:
    assert (await scrape(world, {"Host": host}))[0] == 200


async def test_metrics_accept_the_public_url_and_other_clients_get_404(settings: config.Settings) -> None:
    async with running(settings.model_copy(update={"public_url": "https://board.example"})) as world:
        assert (await scrape(world, {"Host": "board.example"}))[0] == 200
        assert (await scrape(world, {"Host": "other.example"}))[0] == 421
        assert (await scrape(world, {"Host": "other.example", "Via": "1.1 proxy"}))[0] == 404


async def test_with_a_token_prometheus_may_use_any_name(settings: config.Settings) -> None:
    async with running(settings.model_copy(update={"metrics_token": TOKEN})) as world:
        headers = {"Host": "tandem.internal:8080", "Authorization": f"Bearer {TOKEN}"}
        assert (await scrape(world, headers))[0] == 200
        assert (await scrape(world, {"Host": "tandem.internal:8080"}))[0] == 401


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/api/docs", "/api/v1/openapi.json", "/"])
async def test_what_is_public_accepts_any_host(world: World, path: str) -> None:
    async with aiohttp.ClientSession() as http, http.get(world.url + path, headers={"Host": "any.example"}) as answer:
        assert answer.status == 200


async def test_a_trusted_proxy_speaks_for_whom_it_names(settings: config.Settings) -> None:
    trusting = settings.model_copy(update={"trusted_proxies": config.load(environment=_TRUST).trusted_proxies})
    async with running(trusting) as world:
        assert (await scrape(world, {"X-Forwarded-For": "203.0.113.9"}))[0] == 404
        assert (await scrape(world))[0] == 200


_TRUST = {"SERVICE_TRUSTED_PROXIES": "127.0.0.1"}


async def test_with_a_metrics_token_only_its_holder_reads_metrics(settings: config.Settings) -> None:
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


async def test_the_age_of_the_last_backup_is_told(world: World) -> None:
    assert world.service is not None
    _, text = await scrape(world)
    assert "tandem_copy_age_seconds{" not in text
    (world.service.settings.data_path / "last-backup").write_text("2020-01-01T00:00:00.000Z /somewhere\n")
    assert await value(world, 'tandem_copy_age_seconds{copy="backup"}') > 86400 * 365
    (world.service.settings.data_path / "last-backup").write_text("2999-01-01T00:00:00.000Z /somewhere\n")
    assert await value(world, 'tandem_copy_age_seconds{copy="backup"}') == 0
