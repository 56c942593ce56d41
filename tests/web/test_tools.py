"""Tool servers: what agents get; secrets can be entered, and the page never shows them again."""

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from ..world import World
from .browser import visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def open_screen(page: Page) -> None:
    """Open the screen and wait until it is there."""
    await page.goto("/settings/tools")
    await expect(page.get_by_role("heading", name="Tool servers", level=2)).to_be_visible()


def row(page: Page, text: str) -> Locator:
    """Find a tool server."""
    return page.locator("li.item").filter(has_text=text)


async def test_a_token_goes_in_and_is_never_shown_again(browser: Browser, site: World) -> None:
    bot = await site.agent("tooled")
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        await page.get_by_role("button", name="New tool server…").click()
        await page.get_by_label("Name", exact=True).fill("Search <b>")
        await page.get_by_label("Address").fill("not an address")
        await page.get_by_label("Token", exact=True).fill("secret-of-search")
        await expect(page.get_by_label("Program")).to_be_hidden()
        await page.get_by_role("button", name="Create").click()
        await expect(page.get_by_text("Address must be an absolute http or https address.")).to_be_visible()
        await page.get_by_label("Address").fill("https://tools.example.test/mcp")
        await page.get_by_role("button", name="Create").click()
        await expect(row(page, "Search <b>")).to_contain_text("https://tools.example.test/mcp")
        await page.get_by_role("button", name="Edit Search <b>").click()
        await expect(page.get_by_label("Token", exact=True)).to_have_value("")
        await page.get_by_label("Name", exact=True).fill("Search")
        await page.get_by_role("button", name="Save").click()
        await expect(row(page, "Search <b>")).to_have_count(0)
        assert "secret-of-search" not in await page.content()
        (told,) = (await bot.get("/mcp-servers/mcp")).ok()
        assert (told["name"], told["auth"]["token"]) == ("Search", "secret-of-search")
        await page.get_by_role("switch", name="Agents see Search").click()
        await expect(row(page, "Search")).to_have_class("item idle")
        assert (await bot.get("/mcp-servers/mcp")).ok() == []
        await page.get_by_role("button", name="Edit Search").click()
        await page.get_by_role("switch", name="Delete the token").click()
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await page.get_by_role("button", name="Remove Search").click()
        await page.get_by_role("button", name="Remove", exact=True).click()
        await expect(row(page, "Search")).to_have_count(0)


async def test_a_variable_keeps_its_value_unless_a_new_one_is_written(browser: Browser, site: World) -> None:
    bot = await site.agent("tooled-2")
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        await page.get_by_role("button", name="New tool server…").click()
        await page.get_by_label("Name", exact=True).fill("Local")
        await page.get_by_label("How agents reach it").select_option("stdio")
        await page.get_by_label("Program").fill("searcher")
        await page.get_by_label("Arguments").fill("--fast\n--depth 3")
        await page.get_by_label("Environment").fill("KEY=first=1\nOTHER=second\nnonsense")
        await page.get_by_role("button", name="Create").click()
        await expect(page.get_by_text("has a line that is not NAME=value: nonsense")).to_be_visible()
        await page.get_by_label("Environment").fill("KEY=first=1\nOTHER=second")
        await page.get_by_role("button", name="Create").click()
        await page.get_by_role("button", name="Edit Local").click()
        await expect(page.get_by_label("Environment")).to_have_value("KEY=\nOTHER=")
        await page.get_by_label("Environment").fill("KEY=\nTHIRD=3")
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("dialog")).to_have_count(0)
    told = next(one for one in (await bot.get("/mcp-servers/mcp")).ok() if one["name"] == "Local")
    assert (told["args"], told["env"]) == (["--fast", "--depth 3"], {"KEY": "first=1", "THIRD": "3"})


async def test_members_see_the_list_and_no_buttons(browser: Browser, site: World) -> None:
    body = {"name": "Seen", "transport": "http", "url": "https://seen.example.test"}
    (await site.sa.post("/mcp-servers", body)).ok()
    async with visiting(browser, site, site.member) as page:
        await open_screen(page)
        await expect(row(page, "Seen")).to_contain_text("on")
        await expect(page.get_by_role("main").get_by_role("button")).to_have_count(0)
        await expect(page.get_by_text("Only Solution Architects can change this.")).to_be_visible()
