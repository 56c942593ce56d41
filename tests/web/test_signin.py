"""Signing in, staying so, and what happens when a token ends while the page is open."""

import asyncio
import json
import re
import time
from typing import Any
from urllib.parse import unquote, urlsplit

import jwt
import pytest
from playwright.async_api import Browser, Page, expect

from ..world import MEMBER, PASSWORD, SA, SECRET, Client, World
from .axe import findings_in_both_themes
from .browser import intercept, until, visiting, watch_of

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def sign_in(page: Page, email: str = SA, password: str = PASSWORD) -> None:
    """Fill in the form as a person does, with the keyboard."""
    await page.get_by_label("E-mail").fill(email)
    await page.get_by_label("Password").fill(password)
    await page.keyboard.press("Enter")


async def test_whoever_is_not_signed_in_is_asked_and_then_sees_what_the_address_names(
    browser: Browser, site: World
) -> None:
    async with visiting(browser, site) as page:
        await page.goto("/")
        await expect(page.get_by_role("dialog", name="Sign in")).to_be_visible()
        await expect(page.get_by_label("E-mail")).to_be_focused()
        await sign_in(page)
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await page.reload()
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()
        assert sum("/auth/login" in request for request in watch_of(page).requests) == 1


async def test_a_wrong_password_is_said_and_the_next_try_counts(browser: Browser, site: World) -> None:
    async with visiting(browser, site) as page:
        await page.goto("/")
        await sign_in(page, password="not the password")
        await expect(page.get_by_role("alert").filter(has_text="wrong")).to_be_visible()
        await page.keyboard.press("Escape")
        await sign_in(page)
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()


NOWHERE = (
    "/sign-in?to=/me",
    "//evil.test/",
    "https://evil.test",
    "/%09/evil.test/",
    "/%5Cevil.test",
    "javascript:alert(1)",
    "/.//evil.test",
    "/.//evil.test/b/1",
    "/%252e//evil.test",
    "/..//evil.test/me",
    "/me/..//evil.test",
    "/.%5C/evil.test",
    "/.%09//evil.test",
    "/nothing",
    "/healthz",
    "/api/v1/openapi.json",
    "/api/docs/..//evil.test",
    "/api/docsuffix",
)


async def test_sign_in_goes_on_to_an_address_of_the_page_and_to_no_other(browser: Browser, site: World) -> None:
    async with visiting(browser, site) as page:
        for to, lands in [("/?x=1", "/?x=1"), *((address, "/") for address in NOWHERE)]:
            await page.goto(f"/sign-in?to={to}")
            await sign_in(page)
            await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()
            await expect(page, to).to_have_url(site.url + lands)
            await page.evaluate("() => localStorage.clear()")


SEND = """async ([url, body]) => {
    const request = {method: "POST", mode: "no-cors", credentials: "include", body: body && new Blob([body])};
    await fetch(url, request).catch(() => null);
}"""


async def test_a_page_of_another_site_can_neither_sign_in_nor_refresh(browser: Browser, site: World) -> None:
    body = json.dumps({"email": MEMBER, "password": PASSWORD})
    context = await browser.new_context()
    page, answers = await context.new_page(), []
    await page.goto(site.url.replace("127.0.0.1", "localhost") + "/healthz")  # has no policy of its own
    page.on("response", lambda answer: answers.append((urlsplit(answer.url).path, answer.status)))
    for path, sent in (("login", body), ("login", None), ("refresh", None)):
        await page.evaluate(SEND, [f"{site.url}/api/v1/auth/{path}", sent])
    prefix = "/api/v1/auth/"
    assert answers == [(prefix + "login", 403), (prefix + "login", 403), (prefix + "refresh", 403)]
    assert await context.cookies(f"{site.url}{prefix}refresh") == []
    await context.close()


async def test_when_the_token_ends_the_page_asks_again_over_what_is_there(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        await page.goto("/")
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()
        await page.evaluate("""() => {
            const session = JSON.parse(localStorage.getItem("tandem.session"));
            localStorage.setItem("tandem.session", JSON.stringify({...session, token: "ended"}));
        }""")
        await page.reload()
        await expect(page.get_by_role("dialog", name="Sign in")).to_contain_text("session has ended")
        async with page.expect_event("load"):  # Chromium may never close a page that is loading (playwright #42068)
            await sign_in(page)
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()


async def test_signing_out_in_one_tab_signs_out_the_others(browser: Browser, site: World) -> None:
    async with visiting(browser, site, await site.login(MEMBER)) as page:
        await page.goto("/")
        await expect(page.get_by_role("button", name="Mo Member")).to_be_visible()
        other = await page.context.new_page()
        await other.goto("/")
        await other.get_by_role("button", name="Mo Member").click()
        await other.get_by_role("menuitem", name="Sign out").click()
        await expect(other.get_by_role("dialog", name="Sign in")).to_be_visible()
        await expect(page.get_by_role("dialog", name="Sign in")).to_be_visible()
        await sign_in(other, MEMBER)
        await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_a_token_of_which_half_the_life_is_over_is_renewed(browser: Browser, site: World) -> None:
    async with visiting(browser, site) as page:
        await page.clock.install()
        await page.goto("/")
        await sign_in(page)
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()
        await page.evaluate("""() => {
            const session = JSON.parse(localStorage.getItem("tandem.session"));
            const [hour, now] = [3_600_000, Date.now()];
            session.issuedAt = new Date(now - 7 * hour).toISOString();
            session.expiresAt = new Date(now + 5 * hour).toISOString();
            localStorage.setItem("tandem.session", JSON.stringify(session));
        }""")
        await page.reload()
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()
        before = await page.evaluate("localStorage.getItem('tandem.session')")
        async with page.expect_response(re.compile("/auth/refresh")):
            await page.clock.run_for(61_000)
        await until(page, "(before) => localStorage.getItem('tandem.session') !== before", before)


STORED = "JSON.parse(localStorage.getItem('tandem.session'))"
REPLACE = f"(token) => localStorage.setItem('tandem.session', JSON.stringify({{...{STORED}, token}}))"


async def token_of(page: Page) -> str:
    """Return the token that a page sends."""
    return str(await page.evaluate(f"{STORED}.token"))


async def expire_token(page: Page) -> None:
    """Replace the token by one of the same session that has expired."""
    claims: dict[str, Any] = jwt.decode(await token_of(page), options={"verify_signature": False})
    expired = jwt.encode({**claims, "exp": time.time() - 1}, SECRET, algorithm="HS256")
    await page.evaluate(REPLACE, expired)


async def test_a_page_whose_token_has_expired_stays_signed_in_in_all_its_tabs(browser: Browser, site: World) -> None:
    async with visiting(browser, site) as page:
        await page.goto("/")
        await sign_in(page)
        home = page.get_by_role("heading", name="Home", level=1)
        await expect(home).to_be_visible()
        other = await page.context.new_page()
        await other.goto("/me")
        await expect(other.get_by_role("form", name="Profile")).to_be_visible()
        await expire_token(page)
        await asyncio.gather(page.reload(), other.reload())
        await expect(home).to_be_visible()
        await expect(other.get_by_role("form", name="Profile")).to_be_visible()
        for tab in (page, other):
            await expect(tab.get_by_role("button", name="Ada Architect")).to_be_visible()
            await expect(tab.get_by_role("dialog")).to_have_count(0)
        assert "POST /auth/refresh" in watch_of(page).requests
        assert sum("/auth/login" in request for request in watch_of(page).requests) == 1


async def test_a_refresh_that_cannot_reach_the_service_signs_nobody_out(browser: Browser, site: World) -> None:
    async with visiting(browser, site) as page:
        await page.goto("/")
        await sign_in(page)
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()
        await expire_token(page)
        await intercept(page, "**/auth/refresh", lambda route: route.abort())
        await page.reload()
        await expect(page.get_by_text("cannot be reached").first).to_be_visible()
        await page.unroute("**/auth/refresh")
        await page.reload()
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()


async def test_signing_out_ends_the_session_and_forgets_its_cookie(browser: Browser, site: World) -> None:
    async with visiting(browser, site) as page:
        await page.goto("/")
        await sign_in(page, MEMBER)
        await page.get_by_role("button", name="Mo Member").click()
        client = Client(site.nobody.http, site.url, {"Authorization": f"Bearer {await token_of(page)}"})
        (cookie,) = await page.context.cookies(f"{site.url}/api/v1/auth/refresh")
        assert cookie["httpOnly"]
        await page.get_by_role("menuitem", name="Sign out").click()
        await expect(page.get_by_role("dialog", name="Sign in")).to_be_visible()
        assert await page.context.cookies(f"{site.url}/api/v1/auth/refresh") == []
    (await client.get("/auth/me")).refused(401, "session_ended")
    (await site.member.get("/auth/me")).ok()  # another session of the same person


async def test_a_sign_out_that_cannot_reach_the_service_is_not_claimed(browser: Browser, site: World) -> None:
    async with visiting(browser, site) as page:
        await page.goto("/")
        await sign_in(page, MEMBER)
        await page.get_by_role("button", name="Mo Member").click()
        await intercept(page, "**/settings/sessions/current", lambda route: route.abort())
        await page.get_by_role("menuitem", name="Sign out").click()
        await expect(page.get_by_text("You are still signed in")).to_be_visible()


async def test_the_theme_is_chosen_once_for_everywhere(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        await page.goto("/")
        await page.get_by_role("button", name="Ada Architect").click()
        async with page.expect_response(re.compile("/settings/theme")):
            await page.get_by_role("menuitemradio", name="Dark").click()
        assert (await site.sa.get("/auth/me")).ok()["theme"] == "dark"
    async with visiting(browser, site, site.sa) as page:
        await page.goto("/")
        await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        (await site.sa.patch("/settings/theme", {"theme": "system"})).ok()


async def test_sign_in_menu_and_keys_are_open_to_everybody(browser: Browser, site: World, axe: str) -> None:
    async with visiting(browser, site) as page:
        await page.goto("/")
        await expect(page.get_by_label("E-mail")).to_be_focused()
        assert await findings_in_both_themes(page, axe) == []
        await sign_in(page)
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()
        await page.get_by_role("button", name="Ada Architect").click()
        await expect(page.get_by_role("menu")).to_be_visible()
        assert await findings_in_both_themes(page, axe) == []
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("button", name="Ada Architect")).to_be_focused()
        await page.keyboard.press("?")
        await expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
        assert await findings_in_both_themes(page, axe) == []


@pytest.mark.parametrize("to", ["/api/docs", "/api/docs/cards%23cards.read"])
async def test_sign_in_goes_back_to_the_api_reference(browser: Browser, site: World, to: str) -> None:
    async with visiting(browser, site) as page:
        await page.goto(f"/sign-in?to={to}")
        await sign_in(page)
        await expect(page).to_have_url(site.url + unquote(to))
        await expect(page.get_by_role("searchbox")).to_be_visible()
