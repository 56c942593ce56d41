"""The reference of the API in a browser: searched by words, and requests sent as the signed-in user."""

import json

import pytest
from playwright.async_api import Browser, Page, expect

from ..world import World
from .axe import findings_in_both_themes
from .browser import PHONE, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_route_is_found_by_the_words_of_its_path_summary_or_body(
    browser: Browser, site: World, axe: str
) -> None:
    async with visiting(browser, site) as page:
        await page.goto("/api/docs")
        field, lines = page.get_by_label("Search the reference"), page.locator(".routes li:visible")
        everything = await lines.count()
        await field.fill("keepclaim")
        await expect(page.get_by_role("status")).to_have_text("1 found")
        await field.fill("keepclaim comments")
        await expect(lines).to_have_count(1)
        assert await findings_in_both_themes(page, axe) == []
        await field.fill("zebra crossing")
        await expect(page.get_by_text("No results.")).to_be_visible()
        await field.fill("")
        await expect(lines).to_have_count(everything)
        await field.fill("too_many_claims")
        await expect(page.get_by_role("heading", name="Errors")).to_be_visible()
        await page.goto("/api/docs/webhooks")
        await field.fill("freeze reason")
        await field.press("Enter")
        await page.wait_for_url("**/api/docs?q=freeze+reason")
        await lines.first.get_by_role("link").click()
        await expect(page.get_by_role("heading", name="Freeze", level=1)).to_be_visible()
        assert await findings_in_both_themes(page, axe) == []


async def _try(page: Page, operation: str) -> None:
    section = page.locator(f'[id="{operation}"]')
    await section.get_by_role("button", name="Try it").click()


async def test_a_request_is_tried_as_who_is_signed_in(browser: Browser, site: World, axe: str) -> None:
    async with visiting(browser, site, site.sa) as page:
        await page.goto("/api/docs/projects")
        section = page.locator('[id="projects.add"]')
        await _try(page, "projects.add")
        await expect(section.get_by_label("orgId", exact=True)).to_have_value(site.sa.org_id)
        await section.get_by_label("Body").fill(json.dumps({"title": "<b>Tried</b>"}))
        await section.get_by_role("button", name="Send").click()
        answered = section.get_by_role("status")
        await expect(answered).to_contain_text('"title": "<b>Tried</b>"')
        assert await findings_in_both_themes(page, axe) == []
        titles = [project["title"] for project in (await site.sa.get(site.sa.org("/projects"))).ok()]
        assert "<b>Tried</b>" in titles
        await section.get_by_label("Body").fill('{"titel": 1}')
        await section.get_by_role("button", name="Send").click()
        await expect(answered).to_contain_text("validation_failed")
        await expect(answered).to_contain_text("400")


async def test_only_what_people_may_send_from_a_form_can_be_tried(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        await page.goto("/api/docs/files")
        for section in await page.locator(".operation").all():
            by_person = await section.get_attribute("data-scheme") != "ApiKey"
            in_form = await section.get_attribute("data-body") in ("none", "application/json")
            await expect(section.get_by_role("button", name="Try it")).to_have_count(int(by_person and in_form))


async def test_who_is_not_signed_in_is_led_to_sign_in_and_back(browser: Browser, site: World) -> None:
    async with visiting(browser, site) as page:
        await page.goto("/api/docs/settings")
        await _try(page, "settings.edit_theme")
        link = page.locator('[id="settings.edit_theme"]').get_by_role("link", name="Sign in")
        assert await link.get_attribute("href") == "/sign-in?to=%2Fapi%2Fdocs%2Fsettings"


async def test_the_api_reference_fits_a_phone(browser: Browser, site: World, axe: str) -> None:
    options = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    async with visiting(browser, site, site.member, **options) as page:
        for address in ("/api/docs", "/api/docs/cards"):
            await page.goto(address)
            await expect(page.get_by_role("heading", level=1)).to_be_visible()
            if address != "/api/docs":
                await page.get_by_role("button", name="Try it").first.click()
            assert await page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), address
            assert await findings_in_both_themes(page, axe) == []
