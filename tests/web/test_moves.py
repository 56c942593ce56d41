"""Moving cards: with the mouse, a finger, keys and a menu; what is refused is said in words and put back."""

import asyncio

import pytest
from playwright.async_api import Browser, Page, Route, expect

from ..world import Board, World
from .axe import findings_in_both_themes
from .boards import card, column, drag, lift_card, middle, order, titles, touch, touch_point, visit_board
from .browser import PHONE, intercept, until, visiting, watch_of

pytestmark = pytest.mark.asyncio(loop_scope="session")
TOUCH = {"viewport": PHONE, "has_touch": True, "is_mobile": True}


async def placed(site: World, board: Board, title: str) -> list[str]:
    """Return the titles of a column's cards as the service has them."""
    answer = (await site.sa.get(site.sa.org("/board"), params={"projectId": board.id})).ok()
    return [one["title"] for one in answer["cards"] if one["columnId"] == board.columns[title]]


async def written(page: Page) -> None:
    """Wait until the service has answered all that the page shows already."""
    await until(
        page, "async () => !(await import('/board/store.js')).getBoard(location.pathname.split('/')[2]).writing.size"
    )


def writes(page: Page) -> list[str]:
    """Return the requests with which the page changed something."""
    return [request for request in watch_of(page).requests if not request.startswith("GET")]


async def test_a_card_is_dragged_to_its_place_in_another_column(browser: Browser, site: World) -> None:
    board = await site.board(title="Drag")
    for title in ("A", "B", "C"):
        await site.card(board, "Todo", title=f"Above {title}")
    await site.card(board, "Backlog", title="Traveller")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await drag(page, card(page, "Traveller"), card(page, "Above C"), 8)
        await expect(column(page, "Todo").locator("li.card")).to_have_count(4)
        await until(page, "() => !document.querySelector('.drag-preview')")
        assert await titles(page, "Todo") == ["Above A", "Above B", "Traveller", "Above C"]
        await expect(page.locator(".visually-hidden[role=status]")).to_contain_text("Traveller is now in Todo")
        assert len(writes(page)) == 1
    assert await placed(site, board, "Todo") == ["Above A", "Above B", "Traveller", "Above C"]


async def test_a_card_is_dragged_within_its_column_to_the_top_and_to_the_end(browser: Browser, site: World) -> None:
    board = await site.board(title="Ranks")
    for title in "ABC":
        await site.card(board, "Todo", title=f"Card {title}")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await drag(page, card(page, "Card C"), column(page, "Todo"), 44)
        await expect(column(page, "Todo").locator("li.card").first).to_contain_text("Card C")
        await drag(page, card(page, "Card A"), column(page, "Todo"), 500)
        await expect(column(page, "Todo").locator("li.card").last).to_contain_text("Card A")
        await written(page)
    assert await placed(site, board, "Todo") == ["Card C", "Card B", "Card A"]


async def test_while_dragging_closed_columns_say_why_and_a_drop_there_asks_for_nothing(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Closed")
    await site.card(board, "Backlog", title="Stays home")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await lift_card(page, card(page, "Stays home"))
        await expect(column(page, "Review")).to_contain_text("No transition from Backlog to this column.")
        await expect(column(page, "Todo").locator(".unavailable-reason")).to_be_hidden()
        await page.mouse.move(*await middle(column(page, "Review")), steps=5)
        await page.mouse.up()
        notice = page.get_by_role("alert").filter(has_text="stays in Backlog")
        await expect(notice).to_contain_text(
            "There is no transition from Backlog to Review. From here it can go to Todo."
        )
        await expect(column(page, "Review").locator(".unavailable-reason")).to_be_hidden()
        assert await titles(page, "Backlog") == ["Stays home"]
        assert writes(page) == []


async def test_blockers_known_to_the_service_are_shown_before_the_drop(browser: Browser, site: World) -> None:
    board = await site.board(title="Before")
    await site.column(board, "In Progress", wipLimit=1)
    await site.card(board, "In Progress", title="Takes the place")
    await site.card(board, "Todo", title="Wants in")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await lift_card(page, card(page, "Wants in"))
        await expect(column(page, "In Progress")).to_contain_text("The column is full (limit 1).")
        await page.mouse.move(*await middle(column(page, "In Progress")), steps=5)
        await page.mouse.up()
        await expect(page.get_by_role("alert").filter(has_text="stays in Todo")).to_contain_text("is full")
        assert writes(page) == []


async def test_escape_and_a_drop_outside_put_the_card_back(browser: Browser, site: World) -> None:
    board = await site.board(title="Back")
    await site.card(board, "Todo", title="Undecided")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await lift_card(page, card(page, "Undecided"))
        await page.mouse.move(*await middle(column(page, "In Progress")), steps=4)
        await page.keyboard.press("Escape")
        await expect(page.locator(".drag-preview")).to_have_count(0)
        await page.mouse.up()
        await drag(page, card(page, "Undecided"), page.get_by_role("navigation", name="Main").first)
        await expect(page.locator(".drag-preview")).to_have_count(0)
        assert await titles(page, "Todo") == ["Undecided"]
        assert writes(page) == []
        assert "/c/" not in page.url


async def test_in_a_filtered_column_a_card_goes_behind_the_visible_one_above(browser: Browser, site: World) -> None:
    board = await site.board(title="Filtered")
    for title in ("See 1", "other", "See 2"):
        await site.card(board, "Todo", title=title)
    await site.card(board, "Backlog", title="See me go")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board, "?q=see")
        await drag(page, card(page, "See me go"), card(page, "See 2"), 6)
        await expect(column(page, "Todo").locator("li.card")).to_have_count(3)
        await written(page)
    assert await placed(site, board, "Todo") == ["See 1", "See me go", "other", "See 2"]


async def test_a_move_is_shown_before_the_service_has_answered(browser: Browser, site: World) -> None:
    board = await site.board(title="Slow")
    await site.card(board, "Todo", title="Eager")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)

        async def wait(route: Route) -> None:
            await page.wait_for_timeout(600)
            await route.continue_()

        await intercept(page, "**/status", wait)
        await drag(page, card(page, "Eager"), column(page, "In Progress"))
        await expect(column(page, "In Progress").locator("li.card")).to_have_count(1, timeout=400)
        async with page.expect_response("**/status"):
            pass
        assert await titles(page, "In Progress") == ["Eager"]


async def test_a_move_is_undone_also_before_the_service_has_answered(browser: Browser, site: World) -> None:
    board = await site.board(title="Soon undone")
    await site.card(board, "Todo", title="Before")
    made = await site.card(board, "Todo", title="Hasty")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await drag(page, card(page, "Before"), column(page, "In Progress"))
        await expect(page.locator(".toast").get_by_role("button", name="Undo")).to_be_visible()

        async def wait(route: Route) -> None:
            await asyncio.sleep(0.5)
            await route.continue_()

        await intercept(page, f"**/{made['id']}/status", wait)
        await drag(page, card(page, "Hasty"), column(page, "In Progress"))
        await expect(column(page, "In Progress").locator("li.card")).to_have_count(2)
        await page.keyboard.press("z")
        await expect(column(page, "Todo").locator("li.card")).to_have_count(1)
        assert await titles(page, "Todo") == ["Hasty"]
        assert await titles(page, "In Progress") == ["Before"]


REFUSALS = {
    "required_fields_missing": "Fill in first: Pull request.",
    "card_blocked": "It is blocked by BLO-",
    "wip_limit_reached": "The column is full (limit 1).",
    "permission_denied": "You don't have permission to move cards.",
    "precondition_failed": "It was changed meanwhile.",
    "not_found": "It was archived or deleted.",
    "unreachable": "The service cannot be reached. Nothing was changed.",
}


@pytest.mark.parametrize("code", REFUSALS)
async def test_each_refusal_is_a_sentence_with_names_and_the_card_goes_back(
    browser: Browser, site: World, code: str
) -> None:
    board = await site.board(title=f"Blocked {code}")
    (await site.sa.patch(site.sa.org(f"/projects/{board.id}"), {"key": f"BLO{list(REFUSALS).index(code)}"})).ok()
    made = await site.card(board, "Todo", title="Refused one")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        # Behind the back of the page, which is told nothing: its requests for news find no service.
        await intercept(page, "**/board?*", lambda route: route.abort())
        if code == "required_fields_missing":
            await site.column(board, "In Progress", requiredFieldIds=[board.field("pull_request")])
        elif code == "card_blocked":
            other = await site.card(board, title="First this")
            ends = {"fromCardId": other["id"], "toCardId": made["id"], "kind": "blocks"}
            (await site.sa.post(site.sa.org("/relationships"), ends)).ok()
            await site.column(board, "In Progress", rejectsBlocked=True)
        elif code == "wip_limit_reached":
            await site.column(board, "In Progress", wipLimit=1)
            await site.card(board, "In Progress", title="First")
        elif code == "precondition_failed":
            (await site.sa.patch(f"/cards/{made['id']}", {"priority": "high"})).ok()
        elif code == "not_found":
            (await site.sa.delete(f"/cards/{made['id']}", params={"mode": "permanent"})).ok()
        elif code == "unreachable":
            await intercept(page, "**/status", lambda route: route.abort())
        elif code == "permission_denied":
            refusal = {
                "code": code,
                "message": "The role may not do this.",
                "details": {"resource": "Card", "action": "transition"},
                "requestId": "req_1",
            }
            await intercept(page, "**/status", lambda route: route.fulfill(status=403, json={"error": refusal}))
        await intercept(page, "**/moves", lambda route: route.abort())  # so that nothing is known before the drop
        await drag(page, card(page, "Refused one"), column(page, "In Progress"))
        notice = page.get_by_role("alert").filter(has_text="“Refused one” stays in Todo")
        wanted = "a card of another board" if code == "card_blocked" else REFUSALS[code]
        await expect(notice).to_contain_text(wanted)
        await expect(notice).to_have_count(1)
        assert await titles(page, "Todo") == ["Refused one"]


async def test_keys_walk_over_the_board_and_move_cards(browser: Browser, site: World) -> None:
    board = await site.board(title="Keys")
    for title in ("One", "Two"):
        await site.card(board, "Todo", title=title)
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await page.keyboard.press("j")
        await expect(card(page, "One").get_by_role("link")).to_be_focused()
        await page.keyboard.press("Shift+ArrowDown")
        await expect(column(page, "Todo").locator("li.card").last).to_contain_text("One")
        await expect(card(page, "One").get_by_role("link")).to_be_focused()
        await page.keyboard.press("Shift+ArrowRight")
        await expect(column(page, "In Progress").locator("li.card")).to_have_count(1)
        await expect(card(page, "One").get_by_role("link")).to_be_focused()
        await page.keyboard.press("Shift+ArrowLeft")
        await expect(column(page, "Todo").locator("li.card")).to_have_count(2)
        await page.keyboard.press("Shift+ArrowRight")
        await expect(column(page, "In Progress").locator("li.card")).to_have_count(1)
        await page.keyboard.press("Shift+ArrowRight")
        await expect(column(page, "Review").locator("li.card")).to_have_count(1)
        await page.keyboard.press("ArrowLeft")
        await expect(card(page, "Two").get_by_role("link")).to_be_focused()
        await page.keyboard.press("Shift+ArrowLeft")
        await expect(page.get_by_role("alert").filter(has_text="stays in Todo")).to_contain_text(
            "no transition from Todo"
        )
        await expect(card(page, "Two").get_by_role("link")).to_be_focused()
        await written(page)
    assert await placed(site, board, "Review") == ["One"]


async def test_shortcuts_assign_prioritize_rename_and_archive_a_card(browser: Browser, site: World) -> None:
    board = await site.board(title="Changes")
    made = await site.card(board, "Todo", title="Plain")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await page.keyboard.press("j")
        await page.keyboard.press("i")
        await expect(card(page, "Plain")).to_contain_text("AA")
        await page.keyboard.press("p")
        await page.get_by_role("menuitemradio", name="urgent").click()
        await expect(card(page, "Plain")).to_contain_text("urgent")
        await expect(card(page, "Plain").get_by_role("link")).to_be_focused()
        await page.keyboard.press("e")
        await page.get_by_role("textbox", name="Title").fill("Fancy")
        await page.keyboard.press("Control+Enter")
        await expect(card(page, "Fancy").get_by_role("link")).to_be_focused()
        await page.keyboard.press("Shift+E")
        await expect(card(page, "Fancy")).to_have_count(0)
        await page.keyboard.press("z")
        await expect(card(page, "Fancy")).to_be_visible()
    now = (await site.sa.get(f"/cards/{made['id']}")).ok()
    assert (now["title"], now["priority"], now["assignedUserId"]) == ("Fancy", "urgent", site.sa.id)


async def test_the_menu_moves_a_card_and_says_why_a_way_is_closed(browser: Browser, site: World, axe: str) -> None:
    board = await site.board(title="Menu")
    await site.column(board, "Todo", wipLimit=1)
    await site.card(board, "Todo", title="Full up")
    await site.card(board, "In Progress", title="On the way")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await card(page, "On the way").get_by_role("link").focus()
        await page.keyboard.press("m")
        menu = page.get_by_role("menu", name="Move to")
        await expect(menu.get_by_role("menuitem", name="Todo")).to_contain_text("The column is full (limit 1).")
        await expect(menu.get_by_role("menuitem", name="Todo")).to_be_disabled()
        assert await findings_in_both_themes(page, axe) == []
        await menu.get_by_role("menuitem", name="Todo").press("Enter")  # which does nothing
        await menu.get_by_role("menuitem", name="Review").press("Enter")
        await expect(column(page, "Review").locator("li.card")).to_have_count(1)
        await expect(card(page, "On the way").get_by_role("link")).to_be_focused()


async def test_many_quick_moves_of_one_card_go_one_after_the_other(browser: Browser, site: World) -> None:
    board = await site.board(title="Quick")
    made = [await site.card(board, "Todo", title=f"Card {number}") for number in range(6)]
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await card(page, "Card 0").get_by_role("link").focus()
        for _ in range(5):
            await page.keyboard.press("Shift+ArrowDown")
        await expect(column(page, "Todo").locator("li.card").last).to_contain_text("Card 0")
        await written(page)
        await expect(page.get_by_role("alert")).to_have_count(0)
    assert (await order(site, board))[board.columns["Todo"]] == [one["id"] for one in [*made[1:], made[0]]]


async def test_a_swipe_scrolls_and_drags_nothing(browser: Browser, site: World) -> None:
    board = await site.board(title="Swipe")
    for number in range(30):
        await site.card(board, "Backlog", title=f"Card {number:02}")
    async with visiting(browser, site, site.sa, **TOUCH) as page:
        await visit_board(page, board)
        session = await touch(page)
        x, y = await middle(card(page, "Card 05"))
        await touch_point(session, "touchStart", x, y)
        for step in range(1, 12):
            await touch_point(session, "touchMove", x, y - 25 * step)
        await touch_point(session, "touchEnd")
        assert await until(page, "() => document.querySelector('.cards').scrollTop > 100")
        await expect(page.locator(".drag-preview")).to_have_count(0)
        assert writes(page) == []


async def test_a_finger_that_rests_drags_and_the_board_scrolls_to_columns_off_the_screen(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Finger")
    await site.card(board, "Todo", title="Goes right")
    async with visiting(browser, site, site.sa, **TOUCH) as page:
        await visit_board(page, board)
        await card(page, "Goes right").scroll_into_view_if_needed()
        await page.wait_for_timeout(300)
        session = await touch(page)
        x, y = await middle(card(page, "Goes right").locator("a.name"))
        await touch_point(session, "touchStart", x, y)
        await page.wait_for_timeout(420)
        await expect(page.locator(".drag-preview")).to_have_count(1)
        for step in range(1, 20):
            await touch_point(session, "touchMove", min(x + 20 * step, PHONE["width"] - 6), y + 40)
        under = "([x, y]) => document.elementFromPoint(x, y)?.closest('.column')?.querySelector('h2').textContent"
        await until(page, f"(at) => ({under})(at) === 'In Progress'", [PHONE["width"] / 2, y + 40])
        await touch_point(session, "touchMove", PHONE["width"] / 2, y + 40)
        await page.wait_for_timeout(80)
        await touch_point(session, "touchEnd")
        await expect(column(page, "In Progress").locator("li.card")).to_have_count(1)
        assert "/c/" not in page.url
        await written(page)
    assert await placed(site, board, "In Progress") == ["Goes right"]
