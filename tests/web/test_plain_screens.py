"""All plain screens: accessible to everybody, on a phone too, with hostile and long names."""

from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from ..world import World
from .browser import until, visiting
from .everything import fill
from .looks import WIDTHS, looking
from .marks import MARKS_MAX, longest_run

pytestmark = pytest.mark.asyncio(loop_scope="session")
WIDTHS_OF_LAYOUT = (1600, *WIDTHS[:2], 900, WIDTHS[2], 719, 600, WIDTHS[3], 320)
# Each screen, and a text that it shows when it is there.
SCREENS = {
    "/": "Waiting for you",
    "/my-cards": "<img src=x",
    "/b/{board}": "Backlog",
    "/b/{board}/c/{card}": "History",
    "/b/{board}/design": "Transitions",
    "/agents": "Agents",
    "/agents/busy-1": "Debian",
    "/search?q=Asked": "Search",
    "/reports": "Cumulative flow",
    "/archive": "Restore",
    "/me": "Theme",
    "/settings/members": "Ada Architect",
    "/settings/permissions": "Permissions",
    "/settings/keys": "API keys",
    "/settings/webhooks": "Webhooks",
    "/settings/prompts": "Prompts",
    "/settings/tools": "Tool servers",
    "/settings/data": "Export",
}

# Where one is among the settings, without a swipe.
IN_SIGHT = """() => {
    const place = document.querySelector(".settings-nav [aria-current]")?.getBoundingClientRect();
    return place && place.left >= 0 && place.right <= innerWidth;
}"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def ids(site: World) -> dict[str, str]:
    """Provide an organization with something of everything."""
    return await fill(site)


async def test_each_screen_fits_each_width_whatever_things_are_called(
    browser: Browser, site: World, axe: str, ids: dict[str, str]
) -> None:
    async with visiting(browser, site, site.sa, reduced_motion="reduce") as page:
        looks = await looking(page, axe)
        for address, text in SCREENS.items():
            await page.goto(address.format(**ids))
            await expect(page.get_by_text(text).locator("visible=true").first).to_be_visible()
            name = address.format(board="board", card="card").replace("/", "-")
            await looks.at(f"plain{name}", WIDTHS_OF_LAYOUT)
            assert await page.locator("img:not([src^='/icon'])").count() == 0, address
            assert await longest_run(page) <= MARKS_MAX, address
        await looks.resize(320)
        for address in ("/settings/members", "/settings/data"):  # the first and the last one
            await page.goto(address)
            await expect(page.locator(".settings-nav [aria-current]")).to_be_attached()
            await until(page, IN_SIGHT)
    assert looks.problems == {}


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
