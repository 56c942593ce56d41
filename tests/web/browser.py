"""A real browser for the tests of the page: find it, open the page as somebody, watch that nothing goes wrong."""

import asyncio
import contextlib
import json
import os
import re
import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, Request, Route, async_playwright, expect

from ..world import Client, World

# The first one is Chromium without what its windows need: a page opens in half the time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
# Without a limit each page starts two processes: one for the empty page that it begins as, one for what it shows.
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--renderer-process-limit=1"]
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
CLOSING_SECONDS = 20  # that a browser may take to close its pages
ACTION_TIMEOUT_MILLISECONDS = 20_000  # that something on the page may take, on a busy machine, before a test gives up
expect.set_options(timeout=ACTION_TIMEOUT_MILLISECONDS)


def executable() -> str:
    """Find Chromium by the variable CHROMIUM or on the path; skip the test if there is none."""
    named = os.environ.get("CHROMIUM")
    found = named if named and Path(named).exists() else next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(
            "NOT CHECKED: no Chromium here (apt-get install chromium-headless-shell, or set CHROMIUM to a path)"
        )
    return found


@contextlib.asynccontextmanager
async def launch_browser() -> AsyncIterator[Browser]:
    """Start a browser."""
    path = executable()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        await browser.close()


@dataclass
class Watch:
    """What a page said and asked for that it should not have."""

    host: str
    problems: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)  # "METHOD path" of each request to the API

    def over(self, context: BrowserContext) -> None:
        """Watch all pages of a context."""
        context.on("console", self._said)
        context.on("weberror", lambda error: self.problems.append(f"uncaught: {error.error}"))
        context.on("request", self._asked)

    def _said(self, message: ConsoleMessage) -> None:
        # A refused request always says so on the console; that is the browser's own line.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            self.problems.append(f"{message.type}: {message.text}")

    def _asked(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme in ("blob", "data"):
            return
        if address.netloc != self.host:
            self.problems.append(f"left the host: {request.url}")
        elif address.path.startswith("/api/"):
            path = address.path.removeprefix("/api/v1") + (f"?{address.query}" if address.query else "")
            self.requests.append(f"{request.method} {path}")


@contextlib.asynccontextmanager
async def visiting(browser: Browser, world: World, client: Client | None = None, **options: Any) -> AsyncIterator[Page]:
    """Open a context of its own, signed in as somebody, with one page; fail if anything goes wrong in it."""
    options = {"viewport": DESKTOP, "color_scheme": "light", "reduced_motion": "no-preference", **options}
    context = await browser.new_context(base_url=world.url, **options)
    if client is not None:
        await context.add_init_script(signing_in(world, client))
    watch = Watch(urlsplit(world.url).netloc)
    watch.over(context)
    context.set_default_timeout(ACTION_TIMEOUT_MILLISECONDS)
    page = await context.new_page()
    page.watch = watch  # type: ignore[attr-defined]
    try:
        yield page
    finally:
        await asyncio.wait_for(context.close(), CLOSING_SECONDS)  # a page that hangs would hold up all tests
    assert not watch.problems, watch.problems


def signing_in(world: World, client: Client) -> str:
    """Return what the first page of a browser runs before all else, so that somebody has signed in.

    To have the storage of a new context filled by Playwright opens a page more. A cookie says that it is filled.
    """
    session = {
        "token": client.headers["Authorization"].removeprefix("Bearer "),
        "issuedAt": "2026-01-01T00:00:00.000Z",
        "expiresAt": "2999-01-01T00:00:00.000Z",
        "orgId": client.org_id,
        "userId": client.id,
    }
    address = urlsplit(world.url)
    return f"""
        if (location.origin === "{address.scheme}://{address.netloc}" && !document.cookie.includes("filled=yes")) {{
            document.cookie = "filled=yes; path=/";
            localStorage.setItem("tandem.session", {json.dumps(json.dumps(session))});
        }}
    """


def watch_of(page: Page) -> Watch:
    """Return what was seen of a page so far."""
    watch: Watch = page.watch  # type: ignore[attr-defined]
    return watch


async def until(page: Page, condition: str, argument: Any = None, seconds: float = 10) -> Any:
    """Ask the page again and again until a function of its own gives something true; return that.

    Playwright's own waiting evaluates text inside the page, which the policy forbids.
    """
    for _ in range(int(seconds / 0.05)):
        if found := await page.evaluate(condition, argument):
            return found
        await asyncio.sleep(0.05)
    raise AssertionError(f"never came true: {condition}")


async def intercept(page: Page, address: str | re.Pattern[str], answer: Callable[[Route], Any]) -> None:
    """Have a test answer what an open page asks for, from now on.

    Chromium says that requests are intercepted a moment before they are; so one is sent until it is.
    """
    await page.route(address, answer)
    await page.route("**/is-intercepted", lambda route: route.fulfill(status=204))
    await until(page, "async () => (await fetch('/is-intercepted')).status === 204")
