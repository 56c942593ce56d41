"""Sign-in and refresh set or read a cookie, so a browser sends them for the page of the service only."""

import json
from typing import Any

import pytest

from service.pipeline.routing import ROUTES

from ..resources.test_sessions import COOKIE, sign_in
from ..walk import name
from ..world import MEMBER, PASSWORD, Answer, World

BODY = json.dumps({"email": MEMBER, "password": PASSWORD}).encode()
JSON = {"Content-Type": "application/json"}
SITE = "Sec-Fetch-Site"


async def log_in(world: World, headers: Any, body: bytes = BODY) -> Answer:
    """Sign in with these headers and no others."""
    return await world.nobody.post("/auth/login", data=body, headers=headers, skip_auto_headers=["Content-Type"])


@pytest.mark.parametrize("site", ["cross-site", "same-site", "something-new", "", "Same-Origin"])
async def test_a_page_of_another_site_cannot_sign_in_or_refresh(world: World, site: str) -> None:
    _, cookie = await sign_in(world)
    refused = await log_in(world, JSON | {SITE: site})
    assert refused.refused(403, "permission_denied") == {}
    assert "Set-Cookie" not in refused.headers
    headers = {"Cookie": f"{COOKIE}={cookie.value}", SITE: site}
    (await world.nobody.post("/auth/refresh", headers=headers)).refused(403, "permission_denied")


async def test_a_second_header_does_not_hide_the_first(world: World) -> None:
    both = [("Content-Type", "application/json"), (SITE, "same-origin"), (SITE, "cross-site")]
    async with world.nobody.http.post(f"{world.url}/api/v1/auth/login", data=BODY, headers=both) as response:
        assert response.status == 403


@pytest.mark.parametrize("headers", [{}, {SITE: "same-origin"}, {SITE: "none"}])
async def test_the_page_an_address_bar_and_programs_sign_in_and_refresh(world: World, headers: dict[str, str]) -> None:
    _, cookie = await sign_in(world)
    (await log_in(world, JSON | headers)).ok()
    (await world.nobody.post("/auth/refresh", headers={"Cookie": f"{COOKIE}={cookie.value}"} | headers)).ok()


@pytest.mark.parametrize(
    "kind", [None, "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "*/*"]
)
async def test_what_a_form_of_another_site_can_send_is_no_sign_in(world: World, kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    (await log_in(world, headers)).refused(415, "unsupported_media_type")


async def test_a_sign_in_is_json_itself(world: World) -> None:
    for kind in ("application/json; charset=utf-8", "Application/JSON"):
        (await log_in(world, {"Content-Type": kind})).ok()
    (await log_in(world, {"Content-Type": "application/vnd.api+json"})).refused(415, "unsupported_media_type")


async def test_another_site_cannot_use_up_the_attempts_of_an_address(world: World) -> None:
    assert world.service is not None
    for _ in range(3):
        (await log_in(world, JSON | {SITE: "cross-site"})).refused(403, "permission_denied")
    assert len(world.service.buckets) == 1  # that of the sign-ins of the tests
    limit = (await log_in(world, JSON)).headers
    assert int(limit["X-RateLimit-Limit"]) - int(limit["X-RateLimit-Remaining"]) <= 4


def test_no_other_route_sets_or_reads_a_cookie_without_a_credential() -> None:
    cookies = [name(route) for route in ROUTES if route.policy.requires_same_origin]
    assert cookies == ["POST /auth/login", "POST /auth/refresh"]
    assert all(
        route.policy.requires_same_origin for route in ROUTES if route.policy.scheme == "none" and not route.reads
    )
