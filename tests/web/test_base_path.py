"""The page below a path of its host: directly, and behind proxies that remove the path or pass it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, expect

from service import config

from ..nginx import needs_nginx, proxied
from ..running import started
from ..world import PASSWORD, SA, World
from .browser import visiting, watch_of

pytestmark = pytest.mark.asyncio(loop_scope="session")
BASE = "/team/tandem"
PROXIES = ("direct", pytest.param("passes", marks=needs_nginx), pytest.param("removes", marks=needs_nginx))


def below(proxy: str) -> Callable[[str], str]:
    """Return what the comment in deploy/nginx.conf says to change; with a path, `proxy_pass` removes the base path."""

    def change(text: str) -> str:
        text = text.replace("location / {", f"location {BASE}/ {{")
        return text.replace("proxy_pass http://tandem;", "proxy_pass http://tandem/;") if proxy == "removes" else text

    return change


@asynccontextmanager
async def reached(proxy: str, settings: config.Settings, folder: Path) -> AsyncIterator[World]:
    """Run a service with a base path and give it as people reach it."""
    async with started(settings.model_copy(update={"public_url": f"https://example.com{BASE}"})) as world:
        if proxy == "direct":
            async with World(world.url + BASE, world.service, world.clock) as outside:
                yield outside
            return
        with proxied(urlsplit(world.url).netloc, folder / proxy, below(proxy)) as url:
            async with World(url + BASE, world.service, world.clock) as outside:
                yield outside


async def sign_in(page: Page) -> None:
    await page.get_by_label("E-mail").fill(SA)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.keyboard.press("Enter")


def paths_of(page: Page) -> list[str]:
    """Collect the paths of everything that a page asks for from now on."""
    paths: list[str] = []
    page.on("request", lambda request: paths.append(urlsplit(request.url).path))
    return paths


@pytest.mark.parametrize("proxy", PROXIES)
async def test_page_and_reference_work_below_the_base_path_and_ask_for_nothing_else(
    browser: Browser, settings: config.Settings, tmp_path: Path, proxy: str
) -> None:
    async with reached(proxy, settings, tmp_path) as world, visiting(browser, world) as page:
        board = await world.board(title="Launch")
        card = await world.card(board, title="First card")
        paths = paths_of(page)
        await page.goto(f"{world.url}/api/docs/cards")  # the reference leads to the sign-in and back
        await page.get_by_role("button", name="Try it").first.click()
        await page.get_by_role("link", name="Sign in").click()
        await sign_in(page)
        await expect(page).to_have_url(f"{world.url}/api/docs/cards")
        await page.get_by_role("link", name="Tandem", exact=True).click()
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()
        assert urlsplit(page.url).path == f"{BASE}/"
        await page.get_by_role("navigation", name="Main").get_by_role("link", name="Launch").click()
        await expect(page).to_have_url(f"{world.url}/b/{board.id}")
        await page.get_by_role("link", name="First card").click()
        await expect(page.get_by_role("dialog")).to_contain_text("First card")
        assert urlsplit(page.url).path.startswith(f"{BASE}/b/{board.id}/c/")
        await page.reload()
        await expect(page.get_by_role("dialog")).to_contain_text("First card")
        (await world.member.post(f"/cards/{card['id']}/comments", {"content": "Seen by the stream"})).ok()
        await expect(page.get_by_role("dialog")).to_contain_text("Seen by the stream")
        await page.go_back()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await page.get_by_role("link", name="Settings", exact=True).click()
        await expect(page).to_have_url(f"{world.url}/settings/members")
        here = page.get_by_role("navigation", name="Settings").get_by_role("link", name="Members")
        await expect(here).to_have_attribute("aria-current", "page")
        await page.goto(f"{world.url}/figures?from=30d")
        await expect(page).to_have_url(f"{world.url}/reports?from=30d")
        assert [path for path in paths if not path.startswith(f"{BASE}/")] == []
        assert any(path.startswith(f"{BASE}/api/v1/organizations/") and path.endswith("/events") for path in paths)
        icon = await page.locator("link[rel=icon]").get_attribute("href")
        assert icon in (f"{BASE}/icon.svg", f"{BASE}/icon-waiting.svg")  # the number of waiting items has set it
        assert not watch_of(page).problems


async def test_what_people_copy_names_the_base_path(
    browser: Browser, settings: config.Settings, tmp_path: Path
) -> None:
    async with reached("direct", settings, tmp_path) as world, visiting(browser, world) as page:
        await page.goto(f"{world.url}/settings/data")
        await sign_in(page)
        await expect(page.get_by_text(f"--url {world.url}").first).to_be_visible()
        await page.get_by_role("button", name="You", exact=False).or_(page.locator("button.entry")).last.click()
        await page.get_by_role("menuitem", name="Sign out").click()
        await expect(page.get_by_role("dialog", name="Sign in")).to_be_visible()
        assert urlsplit(page.url).path == f"{BASE}/"


async def test_the_session_is_kept_under_the_base_path_since_another_service_may_share_the_host(
    browser: Browser, settings: config.Settings, tmp_path: Path
) -> None:
    async with reached("direct", settings, tmp_path) as world, visiting(browser, world) as page:
        await page.goto(f"{world.url}/")
        await sign_in(page)
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()
        kept = await page.evaluate("Object.keys(localStorage)")
        assert f"tandem.session{BASE}" in kept
        assert "tandem.session" not in kept
