"""Archive: what was put away comes back, or goes for good once its name is typed."""

import asyncio

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from ..world import World
from .boards import visit_board
from .browser import intercept, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def open_screen(page: Page) -> None:
    """Open the screen and wait until it is there."""
    await page.goto("/archive")
    await expect(page.get_by_role("heading", name="Archive", level=2)).to_be_visible()


def row(page: Page, text: str) -> Locator:
    """Find something in the archive."""
    return page.locator("li.item").filter(has_text=text)


async def test_a_card_and_a_board_come_back(browser: Browser, site: World) -> None:
    board = await site.board(title="Put away")
    one = await site.card(board, title="Comes back")
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        (await site.sa.delete(f"/cards/{one['id']}")).ok()
        await expect(row(page, "Comes back")).to_contain_text("by Ada Architect")
        await page.get_by_role("button", name="Restore Comes back").click()
        await expect(row(page, "Comes back")).to_have_count(0)
        await page.get_by_role("button", name="Undo").click()
        await page.get_by_role("button", name="Restore Comes back").click()
        await expect(row(page, "Comes back")).to_have_count(0)
        (await site.sa.delete(site.sa.org(f"/projects/{board.id}"))).ok()
        await expect(row(page, "Put away")).to_contain_text("board")
        await expect(page.get_by_role("link", name="Put away")).to_have_count(0)
        await page.get_by_label("Kind").select_option("Boards")
        await page.get_by_role("button", name="Restore Put away").click()
        await expect(row(page, "Put away")).to_have_count(0)
        await page.keyboard.press("z")
        await page.get_by_role("button", name="Restore Put away").click()
        await expect(page.get_by_role("link", name="Put away")).to_be_visible()
    assert (await site.sa.get(f"/cards/{one['id']}")).ok()["archivedAt"] is None


async def test_a_card_goes_for_good_only_once_its_key_is_typed(browser: Browser, site: World) -> None:
    board = await site.board(title="For good")
    one = await site.card(board, title="Goes <b>away</b>")
    (await site.sa.delete(f"/cards/{one['id']}")).ok()
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        await page.get_by_role("button", name="Delete permanently Goes").click()
        await page.get_by_label(f"Type {one['key']} to continue").fill("something else")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("is not what is asked for")).to_be_visible()
        assert (await site.sa.get("/archive", params={"type": "card"})).ok()["total"] == 1
        await page.get_by_label(f"Type {one['key']} to continue").fill(one["key"])
        await page.keyboard.press("Enter")
        await expect(row(page, "Goes <b>away</b>")).to_have_count(0)
    assert (await site.sa.get("/archive", params={"type": "card"})).ok()["total"] == 0


async def test_an_architect_may_remove_for_good_also_if_the_page_learns_late_who_that_is(
    browser: Browser, site: World
) -> None:
    one = await site.card(await site.board(title="Late"), title="Known late")
    (await site.sa.delete(f"/cards/{one['id']}")).ok()

    async def wait(route: Route) -> None:
        await asyncio.sleep(0.6)
        await route.continue_()

    async with visiting(browser, site, site.sa) as page:
        await page.route("**/auth/me", wait)
        async with page.expect_response("**/archive?*"):
            await page.goto("/archive")
        await expect(page.get_by_role("button", name="Delete permanently Known late")).to_be_visible()


async def test_a_failed_restore_keeps_the_item_and_members_can_only_restore(browser: Browser, site: World) -> None:
    board = await site.board(title="Parent")
    one = await site.card(board, title="Child")
    (await site.sa.delete(f"/cards/{one['id']}")).ok()
    async with visiting(browser, site, site.member) as page:
        await open_screen(page)
        await intercept(page, "**/restore", lambda route: route.abort())
        await page.get_by_role("button", name="Restore Child").click()
        await expect(page.get_by_role("alert").filter(has_text="“Child” stays in the archive")).to_be_visible()
        await expect(row(page, "Child")).to_be_visible()
        await expect(page.get_by_role("button", name="Delete permanently")).to_have_count(0)


async def test_many_things_come_in_pages(browser: Browser, site: World) -> None:
    board = await site.board(title="Many")
    items = [{"projectId": board.id, "cardTypeId": board.card_type["id"], "title": f"Old {n}"} for n in range(55)]
    for item in items:
        one = (await site.sa.post(site.sa.org("/cards"), item)).ok()
        (await site.sa.delete(f"/cards/{one['id']}")).ok()
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        await page.get_by_label("Kind").select_option("Cards")
        await expect(row(page, "Old 54")).to_be_visible()
        await expect(row(page, "Old 0")).to_have_count(0)
        await page.get_by_role("button", name="Show more").click()
        await expect(row(page, "Old 0")).to_be_visible()
        await expect(page.get_by_role("button", name="Show more")).to_have_count(0)


async def test_undo_is_offered_only_to_whoever_may_archive_again(browser: Browser, site: World) -> None:
    board = await site.board(title="Of others")
    one = await site.card(board, title="Of a member")
    (await site.sa.delete(f"/cards/{one['id']}")).ok()
    async with visiting(browser, site, site.member) as page:
        await open_screen(page)
        await page.get_by_role("button", name="Restore Of a member").click()
        await expect(page.get_by_text("Of a member is back")).to_be_visible()
        (await site.sa.delete(site.sa.org(f"/projects/{board.id}"))).ok()
        await page.get_by_role("button", name="Restore Of others").click()
        await expect(page.get_by_text("Of others is back")).to_be_visible()
        await expect(
            page.locator(".toast").filter(has_text="Of others is back").get_by_role("button", name="Undo")
        ).to_have_count(0)
    rights = (await site.sa.get("/permissions")).ok()
    own = next(row for row in rights if (row["role"], row["resource"]) == ("SolutionArchitect", "Archive"))
    (await site.sa.patch(f"/permissions/{own['id']}", {"actions": ["read"]})).ok()
    team = (await site.sa.post(site.sa.org("/teams"), {"name": "No way back"})).ok()
    async with visiting(browser, site, site.sa) as page:
        await page.goto("/agents")
        await page.locator("li.item").filter(has_text=team["name"]).get_by_role("button", name="Archive").click()
        await expect(page.get_by_text("is in the archive; its agents and keys go on")).to_be_visible()
        await expect(page.get_by_role("button", name="Undo")).to_have_count(0)
    (await site.sa.patch(f"/permissions/{own['id']}", {"actions": own["actions"]})).ok()


async def test_the_archive_is_searched_once_it_is_long(browser: Browser, site: World) -> None:
    board = await site.board(title="Long ago")
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        for number in range(21):
            one = await site.card(board, title=f"Äon {number}")
            (await site.sa.delete(f"/cards/{one['id']}")).ok()
        field = page.get_by_role("searchbox", name="Search the archive")
        await expect(field).to_be_visible()
        await field.press_sequentially("AON 17", delay=60)
        await expect(page.get_by_role("list", name="Archive").get_by_role("listitem")).to_have_count(1)
        await expect(row(page, "Äon 17")).to_be_visible()
        await expect(field).to_be_focused()
        await page.keyboard.type("x")
        await expect(page.get_by_text("Nothing in the archive matches.")).to_be_visible()
        await expect(field).to_have_value("AON 17x")
        await field.fill("")
        await expect(row(page, "Äon 3")).to_be_visible()


async def test_a_tab_with_an_archived_board_shows_it_again_once_it_is_restored(browser: Browser, site: World) -> None:
    board = await site.board(title="Away and back")
    await site.card(board, title="Seen again")
    async with visiting(browser, site, site.member) as page:
        await visit_board(page, board)
        await expect(page.get_by_text("Seen again")).to_be_visible()
        (await site.sa.delete(site.sa.org(f"/projects/{board.id}"))).ok()
        await expect(page.get_by_text("Seen again")).to_have_count(0)
        await expect(page.get_by_role("heading", name="Backlog")).to_have_count(0)
        async with page.expect_event("load"):  # Chromium may never close a page that is loading
            (await site.sa.post(f"/archive/project/{board.id}/restore")).ok()
        await expect(page.get_by_text("Seen again")).to_be_visible()
