"""Several cards at once: selected by keys, mouse and finger, changed in one request, and put back by one undo."""

import asyncio

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from ..world import World
from .axe import findings_in_both_themes
from .boards import card, column, order, titles, visit_board
from .browser import PHONE, intercept, visiting, watch_of

pytestmark = pytest.mark.asyncio(loop_scope="session")
HOSTILE = "<img src=x onerror=alert(1)> \u202e" + "x" * 200


def bar(page: Page) -> Locator:
    """Find what says how many cards are selected."""
    return page.get_by_role("region", name="Selected cards")


async def click(page: Page, title: str, *modifiers: str) -> None:
    """Click a card with keys held."""
    await card(page, title).get_by_role("link").click(modifiers=list(modifiers))  # type: ignore[arg-type]


async def test_cards_are_selected_moved_in_one_request_and_put_back_where_they_stood(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Together")
    one, two, three, four = [await site.card(board, "Todo", title=title) for title in ("One", "Two", "Three", "Four")]
    far = await site.card(board, "Done", title="Far")
    before = await order(site, board)
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await click(page, "One", "Control")
        await click(page, "Three", "Shift")
        await expect(bar(page)).to_contain_text("3 cards selected")
        await click(page, "Far", "Control")
        assert "/c/" not in page.url
        await expect(card(page, "Two").get_by_role("link")).to_have_accessible_name(
            f"selected, Two, {two['key']}, Todo"
        )
        await bar(page).get_by_role("button", name="Move…").click()
        await page.get_by_role("menuitem", name="In Progress 3 of 4 can move there").click()
        notice = page.get_by_role("alert")
        await expect(notice).to_contain_text("3 cards moved to In Progress")
        await expect(notice).to_contain_text(f"{far['key']}: There is no transition from Done to In Progress.")
        await expect(bar(page)).to_contain_text("1 card selected")
        await expect(column(page, "In Progress").locator("li.card")).to_have_count(3)
        posts = [request for request in watch_of(page).requests if "/cards/batch" in request]
        assert len(posts) == 1
        (await site.member.patch(f"/cards/{two['id']}/status", {"toColumnId": board.columns["Review"]})).ok()
        await expect(column(page, "Review").locator("li.card")).to_have_count(1)
        await notice.get_by_role("button", name="Undo").click()
        told = page.get_by_role("alert").filter(has_text="This was not undone")
        await expect(told).to_contain_text(f"{two['key']}: Mo Member changed it since.")
        await expect(column(page, "Todo").locator("li.card")).to_have_count(3)
        assert await titles(page, "Todo") == ["One", "Three", "Four"]
    after = await order(site, board)
    home = board.columns["Todo"]
    assert after[home] == [id for id in before[home] if id != two["id"]] == [one["id"], three["id"], four["id"]]


async def test_the_keyboard_alone_selects_changes_undoes_and_deselects(browser: Browser, site: World, axe: str) -> None:
    board = await site.board(title="By keys")
    made = [await site.card(board, "Todo", title=title, priority="low") for title in ("First", "Second", "Third")]
    async with visiting(browser, site, site.member) as page:
        await visit_board(page, board)
        for key in ("j", "x", "j", "x"):
            await page.keyboard.press(key)
        await expect(bar(page)).to_contain_text("2 cards selected")
        await expect(page.locator(".visually-hidden[role=status]")).to_contain_text("2 cards selected.")
        await expect(bar(page).get_by_role("button", name="Archive")).to_be_hidden()  # a Member may not
        assert await findings_in_both_themes(page, axe) == []
        await page.keyboard.press("p")
        await page.keyboard.type("u")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("status").filter(has_text="2 cards priority urgent")).to_be_visible()
        await expect(page.locator(".priority.urgent")).to_have_count(2)
        await expect(bar(page)).to_be_hidden()
        await page.keyboard.press("z")
        await expect(page.locator(".priority.low")).to_have_count(3)
        await page.keyboard.press("z")
        await expect(page.get_by_text("There is nothing to undo")).to_be_visible()
        await card(page, "Third").get_by_role("link").focus()
        await page.keyboard.press("x")
        await page.keyboard.press("p")
        await page.keyboard.type("l")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("Nothing was changed")).to_be_visible()  # it is low, so there is nothing to undo
        await expect(page.locator(".toast").get_by_role("button", name="Undo")).to_have_count(0)
        await card(page, "Third").get_by_role("link").focus()
        await page.keyboard.press("x")
        await page.keyboard.press("a")
        await page.keyboard.type("ada")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("status").filter(has_text="1 card assigned to Ada Architect")).to_be_visible()
        await card(page, "Third").get_by_role("link").focus()
        await page.keyboard.press("x")
        await expect(bar(page)).to_contain_text("1 card selected")
        await page.keyboard.press("Escape")
        await expect(bar(page)).to_be_hidden()
        await expect(card(page, "Third").get_by_role("link")).to_be_focused()
    assert {(await site.sa.get(f"/cards/{one['id']}")).ok()["priority"] for one in made} == {"low"}


async def test_what_is_done_to_several_is_undone_also_before_the_service_has_answered(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Hasty")
    for title in ("First", "Second"):
        await site.card(board, "Todo", title=title, priority="low")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await page.keyboard.press("j")
        for priority in ("h", "u"):  # the first is answered; the second not yet when it is undone
            for key in ("x", "p", priority, "Enter"):
                await page.keyboard.press(key)
            if priority == "h":
                await expect(page.locator(".priority.high")).to_have_count(1)
                await expect(page.locator(".toast").get_by_role("button", name="Undo")).to_be_visible()
                await intercept(page, "**/cards/batch", wait)
                await card(page, "First").get_by_role("link").focus()
        await expect(page.locator(".menu")).to_have_count(0)
        await page.keyboard.press("z")
        await expect(page.get_by_text("Undone.")).to_have_count(1)
        await expect(page.locator(".priority.urgent")).to_have_count(0)
        await expect(page.locator(".priority.high")).to_have_count(1)


async def wait(route: Route) -> None:
    """Answer late."""
    await asyncio.sleep(0.5)
    await route.continue_()


async def test_a_finger_selects_from_the_columns_menu_and_undo_brings_all_back(
    browser: Browser, site: World, axe: str
) -> None:
    board = await site.board(title="By finger")
    await site.card(board, "Backlog", title=HOSTILE)
    await site.card(board, "Backlog", title="Plain")
    async with visiting(browser, site, site.sa, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        await visit_board(page, board)
        await page.get_by_role("button", name="More about Backlog").tap()
        await page.get_by_role("menuitem", name="Select cards").tap()
        await expect(bar(page)).to_contain_text("Click cards to select")
        await card(page, "Plain").get_by_role("link").tap()
        await expect(bar(page)).to_contain_text("1 card selected")
        await bar(page).get_by_role("button", name="All of Backlog").tap()
        await expect(bar(page)).to_contain_text("2 cards selected")
        assert await page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        assert await findings_in_both_themes(page, axe) == []
        await bar(page).get_by_role("button", name="Archive").tap()
        notice = page.get_by_role("status").filter(has_text="2 cards in the archive now")
        await expect(notice).to_be_visible()
        await expect(column(page, "Backlog").locator("li.card")).to_have_count(0)
        await notice.get_by_role("button", name="Undo").tap()
        await expect(column(page, "Backlog").locator("li.card")).to_have_count(2)
        assert "/c/" not in page.url
        await card(page, "Plain").get_by_role("link").tap()
        await expect(page.get_by_role("dialog")).to_be_visible()


async def test_a_single_move_and_a_key_pressed_by_mistake_are_undone_without_a_way_back(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Mistakes")
    for title in ("Top", "Oops"):
        await site.card(board, "Review", title=title)
    await site.card(board, "Review", title="Below")
    async with visiting(browser, site, site.member) as page:
        await visit_board(page, board)
        await card(page, "Oops").get_by_role("link").focus()
        await page.keyboard.press("Shift+ArrowRight")
        await expect(column(page, "Done").locator("li.card")).to_have_count(1)
        await expect(page.locator(".toast")).to_contain_text("“Oops” is in Done")
        await page.keyboard.press("z")
        await expect(column(page, "Review").locator("li.card")).to_have_count(3)
        assert await titles(page, "Review") == ["Top", "Oops", "Below"]
        await card(page, "Oops").get_by_role("link").focus()
        await page.keyboard.press("i")
        await expect(page.locator(".toast")).to_contain_text("assigned to you")
        await page.locator(".toast").get_by_role("button", name="Undo").click()
        await expect(card(page, "Oops").locator(".avatar")).to_have_count(0)
        await card(page, "Oops").get_by_role("link").focus()
        await page.keyboard.press("Shift+ArrowUp")
        await expect(column(page, "Review").locator("li.card").first).to_contain_text("Oops")
        await expect(page.locator(".toast")).to_contain_text("“Oops” has another place")  # the service has said so
        await page.keyboard.press("z")
        await expect(column(page, "Review").locator("li.card").nth(1)).to_contain_text("Oops")
