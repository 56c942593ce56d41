"""Every screen by who looks at it: a member, an architect who becomes a member meanwhile, a removed member."""

import asyncio

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from ..world import World
from .browser import visiting, watch_of
from .everything import fill

pytestmark = pytest.mark.asyncio(loop_scope="session")
# What each screen offers to architects alone, and what still stands there for a member.
SCREENS = {
    "/": ("Freeze all agents…", "Waiting for you"),
    "/agents": ("New team…", "Agents"),
    "/agents/busy-1": ("Undo its changes…", "Claimed cards"),
    "/b/{board}/design": ("New column…", "Backlog"),
    "/archive": ("Delete permanently", "Archived"),
    "/settings/members": ("Add a person…", "Only Solution Architects can change this."),
    "/settings/keys": ("New API key…", "Only Solution Architects can see this."),
    "/settings/prompts": ("New prompt…", "Only Solution Architects can change this."),
    "/settings/tools": ("New tool server…", "Only Solution Architects can change this."),
    "/settings/permissions": ("Members may see cards", "Only Solution Architects can change this."),
    "/settings/webhooks": ("New webhook…", "Only Solution Architects can see this."),
    "/settings/data": ("Export", "Only Solution Architects can see this."),
}
# What a member may do on them; whatever else can be pressed or filled in there is the architects'.
OF_MEMBERS = {
    "/": ["Approve", "Reject", "Mark all as seen"],
    "/agents/busy-1": ["Since"],
    "/b/{board}/design": ["Board"],
    "/archive": ["Kind", "Restore"],
    "/settings/prompts": ["Versions"],
}
EVERYBODYS = ["/b/{board}", "/search?q=Archived", "/reports", "/me"]
OFFERED = """main => [...main.querySelectorAll("button, select, input, textarea")]
    .filter((one) => one.checkVisibility() && !one.disabled)
    .map((one) => one.getAttribute("aria-label") ?? one.textContent)"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def ids(site: World) -> dict[str, str]:
    """Provide an organization with something of everything."""
    return await fill(site)


def offer(page: Page, words: str) -> Locator:
    """Find what can be pressed or ticked by these words."""
    main = page.get_by_role("main")
    box = main.get_by_role("checkbox", name=words, disabled=False)
    return main.get_by_role("button", name=words, disabled=False).or_(box).first


@pytest.mark.slow
async def test_a_member_is_offered_what_members_may_do_and_told_who_does_the_rest(
    browser: Browser, site: World, ids: dict[str, str]
) -> None:
    async with visiting(browser, site, site.member) as page:
        for address, (_, words) in SCREENS.items():
            await page.goto(address.format(**ids))
            await expect(page.get_by_role("main").get_by_text(words).first).to_be_visible()
            offered = await page.get_by_role("main").evaluate(OFFERED)
            allowed = tuple(OF_MEMBERS.get(address, ()))
            assert [one for one in offered if not one.startswith(allowed)] == [], address
            assert all(any(one.startswith(words) for one in offered) for words in allowed), (address, offered)
        asked = [path for path in watch_of(page).requests if not path.startswith("GET ")]
        assert asked == []  # to look changes nothing


@pytest.mark.slow
async def test_whoever_loses_a_role_or_the_membership_loses_it_on_every_open_screen(
    browser: Browser, site: World, ids: dict[str, str]
) -> None:
    here = site.sa.org(f"/members/{site.member.id}")
    (await site.sa.patch(here, {"role": "SolutionArchitect"})).ok()
    async with visiting(browser, site, site.member) as first:
        pages = {address: await first.context.new_page() for address in (*SCREENS, *EVERYBODYS)}
        for address, page in pages.items():
            await page.goto(address.format(**ids))
        await asyncio.gather(*(expect(offer(pages[at], words)).to_be_visible() for at, (words, _) in SCREENS.items()))
        (await site.sa.patch(here, {"role": "Member"})).ok()
        for address, (words, remains) in SCREENS.items():
            await expect(offer(pages[address], words)).to_have_count(0)
            await expect(pages[address].get_by_role("main").get_by_text(remains).first).to_be_visible()
        (await site.sa.delete(here)).ok()
        for page in pages.values():
            await expect(page.get_by_role("heading", name="You are no longer a member")).to_be_visible()
            await expect(page.get_by_text("Archived")).to_have_count(0)
            await expect(page.get_by_text("Ada Architect")).to_have_count(0)
