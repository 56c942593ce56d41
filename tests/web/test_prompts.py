"""Prompts: versions, the difference between two, and which of them agents are handed."""

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from ..world import World
from .browser import visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")
FIRST = "Read the card.\nRun all tests.\nHand it over."
SECOND = "Read the card.\nRun <b>all</b> tests twice.\nHand it over."


async def open_screen(page: Page) -> None:
    """Open the screen and wait until it is there."""
    await page.goto("/settings/prompts")
    await expect(page.get_by_role("heading", name="Prompts", level=2)).to_be_visible()


def row(page: Page, text: str) -> Locator:
    """Find a prompt."""
    return page.get_by_role("list", name="Prompts").locator("li.item").filter(has_text=text)


async def test_a_new_version_is_compared_made_active_and_handed_to_agents(browser: Browser, site: World) -> None:
    bot = await site.agent("reader")
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        await page.get_by_role("button", name="New prompt…").click()
        await page.get_by_label("Name").fill("How to test")
        await page.get_by_label("Text").fill(FIRST)
        await page.get_by_role("button", name="Create prompt").click()
        await expect(row(page, "How to test")).to_contain_text("in use")
        await page.get_by_role("button", name="Versions How to test").click()
        await page.get_by_role("button", name="New version from this…").click()
        await page.get_by_label("Text", exact=True).fill(SECOND)
        await page.get_by_role("button", name="Create version").click()
        changes = page.get_by_role("region", name="What v2 changes in v1")
        await expect(changes.locator("del")).to_have_text("\u2212 Run all tests.")
        await expect(changes.locator("ins")).to_have_text("+ Run <b>all</b> tests twice.")
        await expect(changes.locator(".line")).to_have_count(4)
        found = {"params": {"name": "How to test"}}
        assert (await bot.get("/prompts/mcp", **found)).ok()["version"] == "v1"
        await page.get_by_role("button", name="Activate").click()
        await expect(page.get_by_label("Version", exact=True)).to_contain_text("v2 (active)")
        assert (await bot.get("/prompts/mcp", **found)).ok() == {"name": "How to test", "version": "v2", "body": SECOND}
        await page.get_by_role("button", name="Deactivate").click()
        await expect(page.get_by_role("button", name="Activate")).to_be_visible()
        await page.get_by_role("button", name="Done").click()
        await expect(row(page, "How to test")).to_contain_text("no version is active")
        await page.get_by_role("button", name="Remove How to test").click()
        await page.get_by_role("button", name="Remove", exact=True).click()
        await expect(row(page, "How to test")).to_have_count(0)


async def test_prompts_are_put_into_categories_and_members_read_them(browser: Browser, site: World) -> None:
    (await site.sa.post("/prompts", {"name": "For members", "body": FIRST})).ok()
    async with visiting(browser, site, site.sa) as page, visiting(browser, site, site.member) as other:
        await open_screen(page)
        await open_screen(other)
        await page.get_by_role("button", name="New category…").click()
        await page.get_by_label("Name").fill("Testing")
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("list", name="Categories")).to_contain_text("Testing")
        await page.get_by_role("button", name="Edit For members").click()
        await page.get_by_label("Category", exact=True).select_option("Testing")
        await page.get_by_role("button", name="Save").click()
        await expect(row(other, "For members")).to_contain_text("Testing")
        await other.get_by_role("button", name="Versions For members").click()
        await expect(other.get_by_role("region", name="Text of v1")).to_have_text(FIRST)
        await expect(other.get_by_role("button", name="Deactivate")).to_have_count(0)
        await page.get_by_role("button", name="Remove category Testing").click()
        await expect(row(other, "For members")).not_to_contain_text("Testing")
        await page.get_by_role("button", name="Undo").click()
        await expect(row(other, "For members")).to_contain_text("Testing")


COMPARED = [
    ("", "", [("same", "")]),
    ("a", "a", [("same", "a")]),
    ("a\nb\nc", "a\nc", [("same", "a"), ("gone", "b"), ("same", "c")]),
    ("a\nc", "a\nb\nc", [("same", "a"), ("new", "b"), ("same", "c")]),
    ("x\ny", "y\nx", [("gone", "x"), ("same", "y"), ("new", "x")]),
    ("a\na", "a", [("same", "a"), ("gone", "a")]),
]


async def test_the_difference_between_two_texts_is_told_line_by_line(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        for before, after, wanted in COMPARED:
            found = await page.evaluate(
                """async ([before, after]) => {
                    const { compareLines } = await import("/settings/text-difference.js");
                    return compareLines(before, after).map(({ kind, text }) => [kind, text]);
                }""",
                [before, after],
            )
            assert [tuple(one) for one in found] == wanted, (before, after)
        took = await page.evaluate("""async () => {
            const { compareLines } = await import("/settings/text-difference.js");
            const many = (sign) => Array.from({length: 60000}, (_, n) => sign + n).join("\\n");
            const began = performance.now();
            const lines = compareLines(many("a"), many("b"));
            return [lines.length, performance.now() - began];
        }""")
        assert took[0] == 120_000
        assert took[1] < 2000
