"""A service below a path of its host: it answers below that path and without it, and sends only addresses with it."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from service import config
from service.http import static_files
from service.pipeline.routing import PREFIX

from ..process import run
from ..running import started
from ..world import PASSWORD, SA, World

BASE = "/team/tandem"


@pytest.fixture
async def below(settings: config.Settings) -> AsyncIterator[World]:
    """Provide a service with a base path, and people who call it below it."""
    async with started(settings.model_copy(update={"public_url": f"https://example.com{BASE}"})) as world:
        outside = World(world.url + BASE, world.service, world.clock)
        async with outside:
            yield outside


def direct(world: World) -> str:
    """Return the address of the service without the base path, as a proxy calls it that removes the path."""
    return world.url.removesuffix(BASE)


async def fetch(url: str, headers: dict[str, str] | None = None) -> tuple[int, str, str]:
    """Return status, entity tag and body."""
    async with aiohttp.ClientSession() as http, http.get(url, headers=headers, allow_redirects=False) as response:
        return response.status, response.headers.get("ETag", ""), await response.text()


async def test_the_page_links_below_the_base_path_wherever_it_is_asked_for(below: World) -> None:
    _, _, page = await fetch(below.url)
    links = re.findall(r'(?:href|src)="(/[^"]+)"', page)
    assert f"{BASE}/main.js" in links
    assert all(link.startswith(f"{BASE}/") for link in links)
    for path in (f"{BASE}/", f"{BASE}/b/one/c/two", "/", "/b/one/c/two", "/team"):
        status, tag, text = await fetch(direct(below) + path)
        assert (status, text) == (200, page), path
        assert tag.split("-")[0] == (await fetch(below.url))[1].split("-")[0], path  # without the kind of compression
    origin = direct(below)
    for link in links:
        status, tag, body = await fetch(origin + link)
        assert (status, body[:9]) != (200, "<!doctype"), link
        assert await fetch(origin + link.removeprefix(BASE)) == (status, tag, body)


async def test_only_whole_segments_are_the_base_path_and_it_is_removed_once(below: World) -> None:
    for path in (f"{BASE}s/api/v1/auth/me", f"{BASE}{BASE}/api/v1/auth/me", f"{BASE}/nothing/api/v1/auth/me"):
        assert "<!doctype html>" in (await fetch(direct(below) + path))[2], path
    assert (await fetch(f"{direct(below)}{BASE}/api/v1/nothing"))[0] == 404
    query = await below.sa.get(f"/organizations/{below.sa.org_id}/cards?pageSize=0")
    assert query.invalid() == ["pageSize"]  # the query has come through


async def test_the_page_has_another_tag_than_without_a_base_path(below: World, settings: config.Settings) -> None:
    status, tag, _ = await fetch(below.url + "/")
    assert (await fetch(below.url + "/", {"If-None-Match": tag}))[0] == 304
    async with started(settings) as plain:
        assert (await fetch(plain.url + "/", {"If-None-Match": tag}))[0] == status == 200
        assert (await fetch(plain.url + "/"))[2] == (static_files.FOLDER / "index.html").read_text("utf-8")


async def test_the_api_answers_below_the_base_path_and_without_it(below: World) -> None:
    (await below.sa.get("/auth/me")).ok()
    async with (
        aiohttp.ClientSession(headers=below.sa.headers) as http,
        http.get(f"{direct(below)}{PREFIX}/auth/me") as response,
    ):
        assert response.status == 200
    for path in ("/healthz", "/readyz", "/metrics"):
        assert (await fetch(below.url + path))[0] == (await fetch(direct(below) + path))[0] == 200


async def test_download_links_lead_below_the_base_path(below: World) -> None:
    board = await below.board()
    card = await below.card(board)
    form = aiohttp.FormData({"cardId": card["id"], "fieldId": board.field("attachments")})
    form.add_field("file", b"contents", filename="a.txt")
    file = (await below.sa.call("POST", "/files", data=form)).ok()
    url = (await below.sa.post(f"/files/{file['id']}/link")).ok()["url"]
    assert url.startswith(f"{BASE}{PREFIX}/files/")
    assert (await fetch(direct(below) + url))[2] == "contents"


async def test_the_reference_names_and_links_the_base_path(below: World) -> None:
    document = (await below.sa.get("/openapi.json")).ok()
    assert document["servers"] == [{"url": BASE + PREFIX}]
    for path in ("/api/docs", "/api/docs/cards"):
        _, _, page = await fetch(below.url + path)
        links = re.findall(r'(?:href|src)="(/[^"#]*)"', page)
        assert len(links) > 10
        assert all(link.startswith(f"{BASE}/") for link in links)
        assert (await fetch(direct(below) + links[-1]))[0] == 200
    assert f"relative to <code>{BASE}{PREFIX}</code>" in (await fetch(below.url + "/api/docs"))[2]


async def test_tools_answer_below_the_base_path(below: World) -> None:
    async with aiohttp.ClientSession() as http:
        for url in (below.url, direct(below)):
            async with http.post(f"{url}/mcp", json={}) as response:
                assert response.status == 401
                assert (await response.json())["error"]["data"]["code"] == "unauthorized"


@pytest.mark.parametrize("path", ["/.well-known/oauth-authorization-server", "/.well-known", "/.well-known/a/b"])
async def test_well_known_addresses_that_do_not_exist_are_404_in_json(below: World, path: str) -> None:
    for url in (below.url, direct(below)):
        status, _, body = await fetch(url + path)
        assert (status, '"not_found"' in body) == (404, True)


async def test_the_log_and_the_metrics_name_paths_of_the_service(below: World) -> None:
    (await below.sa.get("/auth/me")).ok()
    _, _, metrics = await fetch(below.url + "/metrics")
    assert f'route="{PREFIX}/auth/me"' in metrics
    assert BASE not in metrics


def test_whatever_writes_addresses_asks_the_settings_for_the_external_path(settings: config.Settings) -> None:
    assert settings.external_path("/api/v1/auth/refresh") == "/api/v1/auth/refresh"
    settings = settings.model_copy(update={"public_url": f"https://example.com{BASE}"})
    assert settings.external_path("/api/v1/auth/refresh") == f"{BASE}/api/v1/auth/refresh"


async def test_commands_take_an_address_with_a_base_path(below: World, tmp_path: Path) -> None:
    printed = run("connect", "claude", "--print", "--url", f"{below.url}/", folder=tmp_path, environment={})
    assert f'"SERVICE_API_URL": "{below.url}"' in printed.stdout, printed
    environment = {"SERVICE_API_URL": below.url, "SERVICE_EMAIL": SA, "SERVICE_PASSWORD": PASSWORD}
    done = await asyncio.to_thread(run, "export", "home.json", folder=tmp_path, environment=environment)
    assert done.returncode == 0, done
    assert (tmp_path / "home.json").stat().st_size > 100
