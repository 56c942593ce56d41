"""Search: cards of all boards by their words and by their key, with what was found marked as text."""

import re

import pytest
from playwright.async_api import Browser, expect

from ..world import World
from .axe import findings_in_both_themes
from .browser import visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_cards_are_found_by_words_and_by_key_on_every_board(browser: Browser, site: World, axe: str) -> None:
    board, other = await site.board(title="First board"), await site.board(title="Other board")
    one = await site.card(board, title="Paint the <b>shed</b>")
    two = await site.card(other, title="Sell it")
    (await site.sa.post(f"/cards/{two['id']}/comments", {"content": "The 🎨 shed <img src=x> is painted"})).ok()
    async with visiting(browser, site, site.sa) as page:
        await page.goto("/")
        await page.get_by_role("link", name="Search").first.click()
        await expect(page.get_by_label("Search all boards")).to_be_focused()
        await page.keyboard.type("shed")
        rows = page.locator("li.item")
        await expect(rows).to_have_count(2)
        await expect(rows.nth(1)).to_contain_text("Other board · Todo")
        await expect(rows.nth(1).locator("mark")).to_have_text("shed")
        await expect(rows.nth(0)).to_contain_text("Paint the <b>shed</b>")
        assert page.url.endswith("/search?q=shed")
        assert await findings_in_both_themes(page, axe) == []
        await page.get_by_label("Search all boards").fill(two["key"].lower())
        await expect(rows.first).to_contain_text(f"Sell it {two['key']} · Other board · Todo")
        await page.get_by_label("Search all boards").fill("no such words")
        await expect(page.get_by_text("No results.")).to_be_visible()
        await page.get_by_label("Search all boards").fill("#" + two["key"].replace("-", ""))
        await expect(rows.first).to_contain_text(f"Sell it {two['key']}")
        await rows.first.get_by_role("link").click()
        await expect(page.get_by_role("dialog", name=f"{two['key']} Sell it")).to_be_visible()
        await page.goto("/search?q=no+such+words")
        await expect(page.get_by_text("No results.")).to_be_visible()
        await page.goto(f"/search?q={one['key']}")
        await expect(rows.first).to_contain_text(re.compile("Paint the"))


async def test_words_that_are_not_searched_are_named(browser: Browser, site: World) -> None:
    words = [f"lengthy{letter}" for letter in "abcdefghij"]
    await site.card(await site.board(title="Many words"), title=" ".join(words))
    async with visiting(browser, site, site.sa) as page:
        await page.goto(f"/search?q=cat+dog+{'+'.join(words)}")
        await expect(page.get_by_role("status").filter(has_text="Left out")).to_have_text(
            "1 cardOnly the ten longest words are searched. Left out: cat and dog."
        )
        await page.get_by_label("Search all boards").fill("lengthya")
        await expect(page.locator("li.item")).to_have_count(1)
        await expect(page.get_by_text("Left out")).to_have_count(0)


async def test_search_has_the_filters_of_boards_as_chips_and_in_the_address(browser: Browser, site: World) -> None:
    board, other = await site.board(title="Mills"), await site.board(title="Ports")
    tags = [{"fieldId": board.field("tags"), "value": ["wind"]}]
    await site.card(board, title="Turbine one", priority="high", assignedUserId=site.sa.id, fieldValues=tags)
    await site.card(board, title="Turbine two", priority="urgent")
    await site.card(other, title="Turbine three", priority="high")
    await site.card(other, title="Turbine four")
    phone = {"width": 390, "height": 844}
    async with visiting(browser, site, site.sa, viewport=phone, has_touch=True) as page:
        await page.goto("/search?q=turbine")
        rows, chips = page.locator("li.item"), page.get_by_role("group", name="Filters", exact=True)
        await expect(rows).to_have_count(4)
        await expect(chips).to_be_hidden()
        await page.keyboard.press("Tab")
        await expect(page.get_by_role("button", name="More filters")).to_be_focused()
        await page.keyboard.press("Enter")
        menu = page.get_by_role("dialog", name="Filter")
        await menu.get_by_role("option", name="high").tap()
        await expect(rows).to_have_count(2)
        await menu.get_by_role("option", name="urgent").tap()
        await expect(rows).to_have_count(3)
        await menu.get_by_role("group", name="Board", exact=True).get_by_text("Mills").tap()
        await expect(rows).to_have_count(2)
        await page.keyboard.press("Escape")
        names = ["Priority: high", "Priority: urgent", "Board: Mills"]
        await expect(chips.get_by_role("listitem")).to_have_text(names)
        await page.reload()
        await expect(chips.get_by_role("listitem")).to_have_text(names)
        await expect(rows).to_have_count(2)
        assert await page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        await chips.get_by_role("button", name="Remove Board: Mills").tap()
        await expect(rows).to_have_count(3)
        await page.go_back()
        await expect(rows).to_have_count(2)
        await page.get_by_label("Search all boards").fill("turbine one")
        await expect(rows).to_have_count(1)
        assert page.url.endswith(f"/search?q=turbine+one&priority=high&priority=urgent&projectId={board.id}")
        await chips.get_by_role("button", name="Clear").tap()
        await expect(chips).to_be_hidden()
        await expect(page.get_by_label("Search all boards")).to_be_focused()
        assert page.url.endswith("/search?q=turbine+one")
        await page.get_by_label("Search all boards").fill("")
        await expect(rows.first).to_be_hidden()
        await expect(page.get_by_text("Type words from the card, or its key.")).to_be_visible()
        await page.goto("/search?q=turbine&assignedUserId=me&field=tags%3Awind")
        await expect(chips.get_by_role("listitem")).to_have_text(["Assignee: Me", "Tags: wind"])
        await expect(rows).to_have_count(1)
        await page.goto("/search?q=turbine&field=nothing%3Ax")
        await expect(page.get_by_role("status").filter(has_text="there is no field")).to_be_visible()


async def test_a_key_finds_its_card_with_a_filter_and_a_board_takes_its_filter_everywhere(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Dams")
    values = [{"fieldId": board.field("tags"), "value": ["concrete"]}]
    key = (await site.card(board, title="Spillway", fieldValues=values))["key"]
    dam = (await site.sa.post(site.sa.org("/card-types"), {"title": "Dam", "projectId": board.id})).ok()
    fields, options = site.sa.org(f"/card-types/{dam['id']}/fields"), ["filling", "full"]
    state = {"name": "state", "kind": "select", "options": options, "showOnCard": True}
    state_id = (await site.sa.post(fields, state)).ok()["id"]
    values = [{"fieldId": state_id, "value": "filling"}]
    await site.card(board, title="Old dam", cardTypeId=dam["id"], fieldValues=values)
    (await site.sa.patch(f"{fields}/{state_id}", {"options": ["full"]})).ok()
    async with visiting(browser, site, site.sa) as page:
        rows, chips = page.locator("li.item"), page.get_by_role("group", name="Filters", exact=True)
        for written in (key, "%23" + key.replace("-", "").lower()):
            await page.goto(f"/search?q={written}&priority=low")
            await expect(rows).to_have_count(1)
            await expect(rows).to_contain_text(f"Spillway {key} · Dams · TodoDoes not match the filter.")
        await page.goto("/search?q=spill")
        await expect(rows).to_have_text([f"Spillway {key} · Dams · Todo"])  # the title once, with its hit
        await expect(rows.get_by_role("link").locator("mark")).to_have_text("Spillway")
        await page.get_by_label("Search all boards").fill("spillways of old")
        await expect(page.get_by_text("No results. Archived cards are not searched.")).to_be_visible()
        await expect(page.get_by_role("link", name="Archived cards")).to_have_attribute("href", "/archive")
        for address in ("/search?q=dam", f"/b/{board.id}?q=no+dam&priority=high&field=tags%3Awind&assignedUserId=me"):
            await page.goto(address)
            await page.get_by_role("button", name="More filters").click()
            for value in ("concrete", "full", "filling"):  # of cards, too, that no option of the field names
                await expect(page.get_by_role("option", name=value, exact=True)).to_be_visible()
            await page.keyboard.press("Escape")
        links = page.locator("a").filter(has_text="Search everywhere")  # in the header, and where no card is shown
        await expect(links).to_have_count(2)
        address = "/search?q=no+dam&priority=high&field=tags%3Awind&assignedUserId=me"
        assert [await link.get_attribute("href") for link in await links.all()] == [address] * 2
        await links.last.click()
        await expect(chips.get_by_role("listitem")).to_have_text(["Priority: high", "Tags: wind", "Assignee: Me"])
        await expect(page.get_by_label("Search all boards")).to_have_value("no dam")
