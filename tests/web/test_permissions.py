"""Permissions: what each role may do, as a matrix whose changes apply at once."""

import pytest
from playwright.async_api import Browser, Page, expect

from ..world import World
from .browser import intercept, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def open_screen(page: Page) -> None:
    """Open the screen and wait until it is there."""
    await page.goto("/settings/permissions")
    await expect(page.get_by_role("region", name="What Members may do")).to_be_visible()


async def test_a_changed_permission_applies_at_once(browser: Browser, site: World) -> None:
    board = await site.board(title="Rights")
    one = await site.card(board, title="To be moved")
    goal = {"toColumnId": board.columns["In Progress"]}
    async with visiting(browser, site, site.sa) as page, visiting(browser, site, site.member) as other:
        await open_screen(page)
        await open_screen(other)
        box = page.get_by_role("checkbox", name="Members may move cards")
        there = other.get_by_role("checkbox", name="Members may move cards")
        await expect(there).to_be_disabled()
        await box.click()
        await expect(there).not_to_be_checked()
        (await site.member.patch(f"/cards/{one['id']}/status", goal)).refused(403, "permission_denied")
        await expect(box).to_be_enabled()
        await box.press("Space")
        await expect(there).to_be_checked()
        (await site.member.patch(f"/cards/{one['id']}/status", goal)).ok()


async def test_what_only_architects_may_is_no_box_of_members(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        await expect(page.get_by_role("checkbox", name="Members may create columns")).to_have_count(0)
        await expect(page.get_by_role("checkbox", name="Solution Architects may create columns")).to_be_checked()
        await expect(page.get_by_role("checkbox", name="Members may move boards")).to_have_count(0)
        await intercept(page, "**/permissions/*", lambda route: route.abort())
        await page.get_by_role("checkbox", name="Members may see reports").click()
        await expect(page.get_by_role("alert").filter(has_text="Nothing was changed").first).to_be_visible()
        await expect(page.get_by_role("checkbox", name="Members may see reports")).to_be_checked()


async def test_whoever_loses_the_right_to_see_prompts_is_told(browser: Browser, site: World) -> None:
    rows = (await site.sa.get("/permissions")).ok()
    right = next(one for one in rows if one["role"] == "Member" and one["resource"] == "Prompt")
    async with visiting(browser, site, site.member) as page:
        await page.goto("/settings/prompts")
        await expect(page.get_by_role("heading", name="Prompts", level=2)).to_be_visible()
        (await site.sa.patch(f"/permissions/{right['id']}", {"actions": []})).ok()
        (await site.sa.post("/prompts", {"name": "Unseen", "body": "Body"})).ok()
        await expect(page.get_by_role("alert")).to_have_text("You don't have permission to see this.")
        (await site.sa.patch(f"/permissions/{right['id']}", {"actions": ["read"]})).ok()
