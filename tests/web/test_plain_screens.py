"""What holds of every plain screen: open to everybody, on a phone too, whatever people and agents call things."""

from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from ..world import World
from .axe import findings_in_both_themes
from .browser import visiting
from .everything import fill

pytestmark = pytest.mark.asyncio(loop_scope="session")
SCREENS = [
    "/settings/members",
    "/settings/keys",
    "/agents",
    "/agents/busy-1",
    "/b/{board}/design",
    "/archive",
    "/reports",
    "/settings/prompts",
    "/settings/tools",
    "/settings/permissions",
    "/settings/webhooks",
    "/settings/data",
    "/me",
]
NARROW = {"viewport": {"width": 320, "height": 700}, "has_touch": True, "is_mobile": True}

# Where one is among the settings, without a swipe.
IN_SIGHT = """() => {
    const place = document.querySelector(".settings-nav [aria-current]")?.getBoundingClientRect();
    return !place || (place.left >= 0 && place.right <= innerWidth);
}"""


async def looked_at(page: Page, address: str, axe: str) -> None:
    """Open a screen, and look for what keeps people out."""
    await page.goto(address)
    await expect(page.locator(".data-page section, .data-page form").first).to_be_visible()
    assert await findings_in_both_themes(page, axe) == [], address
    assert await page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), address
    wide = """() => [...document.querySelectorAll(".data-page *")].filter((one) =>
        !one.closest("[tabindex='0'], nav, .visually-hidden") && one.getBoundingClientRect().right > innerWidth + 1
    ).map((one) => one.outerHTML.slice(0, 200))"""
    assert await page.evaluate(wide) == [], address
    assert await page.evaluate(IN_SIGHT), address
    assert await page.locator("img:not([src^='/icon'])").count() == 0, address


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def ids(site: World) -> dict[str, str]:
    """Provide an organization with something of everything."""
    return await fill(site)


@pytest.mark.parametrize("options", [{}, NARROW], ids=["desk", "phone"])
async def test_each_screen_is_open_to_everybody(
    browser: Browser, site: World, axe: str, ids: dict[str, str], options: dict[str, Any]
) -> None:
    async with visiting(browser, site, site.sa, **options) as page:
        for address in SCREENS:
            await looked_at(page, address.format(**ids), axe)


async def test_what_a_screen_cannot_read_is_said_and_tried_again(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        broken = True

        async def answer(route: Any) -> None:
            await (route.abort() if broken else route.continue_())

        await page.route("**/organizations/*/members", answer)
        await page.goto("/settings/members")
        await expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
        broken = False
        await page.get_by_role("button", name="Try again").click()
        await expect(page.get_by_text("Ada Architect").last).to_be_visible()
        await expect(page.get_by_role("main").get_by_role("alert")).to_have_count(0)
