"""Filters of a board: several values, chips that remove them, the address, and the same cards as in lists."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from ..world import Board, World
from .boards import column, titles, visit_board, wait_until_ready
from .browser import intercept, until, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")
COUNT_CLICKS = "() => (window.clicks = 0, addEventListener('click', (event) => event.detail && clicks++, true))"
GO = "(url) => (history.replaceState(null, '', url), dispatchEvent(new PopStateEvent('popstate')))"
SHOWN = "() => [...document.querySelectorAll('li.card a.name')].map((one) => one.textContent).sort()"


async def create_board(site: World, title: str) -> Board:
    """Make a board with cards that differ in what they are filtered by."""
    board = await site.board(title=title)
    if "filterbot" not in [agent["id"] for agent in (await site.sa.get(site.sa.org("/agents"))).ok()]:
        await site.agent("filterbot")
    tags = board.field("tags")
    day = datetime.now(UTC).date()
    due = [{}, *({"dueDate": f"{day + timedelta(days=days)}"} for days in (-2, 0, 6, 7))]
    label = lambda *values: [{"fieldId": tags, "value": list(values)}]  # noqa: E731
    await site.card(board, title="A", priority="high", assignedUserId=site.sa.id, **due[1])
    await site.card(board, title="B", priority="urgent", fieldValues=label("Größe", "ui"), **due[2])
    await site.card(board, "Review", title="C", assignedAgentId="filterbot", fieldValues=label("grosse"), **due[3])
    await site.card(board, "Done", title="D", priority="high", assignedUserId=site.member.id, **due[1])
    await site.card(board, "Review", title="E", fieldValues=label("bug: late"), **due[4])
    return board


def filters(page: Page) -> Locator:
    return page.get_by_role("group", name="Filters", exact=True)


async def open_card_and_return(page: Page) -> None:
    """Check that the filter stays in the address while a card is open, however it is opened, and after it."""
    query = page.url.partition("?")[2]
    await page.get_by_role("link", name="A,").click()
    await expect(page.get_by_role("dialog", name="A")).to_be_visible()
    assert page.url.endswith(f"?{query}")
    await page.keyboard.press("Control+k")
    await page.keyboard.type("FIL-3")  # which the filter hides
    await expect(page.get_by_role("option").first).to_contain_text("C")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("dialog", name="C")).to_be_visible()
    assert page.url.endswith(f"?{query}")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_the_newest_of_several_filters_is_shown_when_matching_is_loaded_late(
    browser: Browser, site: World
) -> None:
    board = await create_board(site, "Filtered fast")
    requested = asyncio.Event()

    async def answer_late(route: Route) -> None:
        await requested.wait()
        await route.continue_()

    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await intercept(page, "**/filter-matching.js", answer_late)
        await page.get_by_role("button", name="More filters").click()
        menu = page.get_by_role("dialog", name="Filter")
        for priority in ("high", "urgent", "medium", "low", "high"):
            await menu.get_by_role("option", name=priority).click()
        requested.set()
        await expect(page.get_by_role("button", name="1 of 5")).to_be_visible()
        assert await page.evaluate(SHOWN) == ["B"]


async def test_two_values_take_three_clicks_and_chips_say_and_remove_them(browser: Browser, site: World) -> None:
    board = await create_board(site, "Filtered")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await page.evaluate(COUNT_CLICKS)
        await page.get_by_role("button", name="More filters").click()
        menu = page.get_by_role("dialog", name="Filter")
        await menu.get_by_role("option", name="high").click()
        await menu.get_by_role("option", name="urgent").click()
        await expect(page.get_by_role("button", name="3 of 5")).to_be_visible()
        assert await page.evaluate("() => clicks") <= 4
        assert await page.evaluate(SHOWN) == ["A", "B", "D"]
        await expect(menu.get_by_role("option", name="high", selected=True)).to_be_visible()
        await page.keyboard.type("nobody")  # of people, and of agents
        await expect(menu.get_by_role("option")).to_have_count(2)
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("button", name="3 of 5")).to_be_visible()
        await expect(menu.get_by_role("option", name="urgent")).to_be_visible()
        await menu.get_by_role("group", name="Assignee").get_by_role("option", name="Me", exact=True).click()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("button", name="More filters")).to_be_focused()
        names = ["Priority: high", "Priority: urgent", "Agent: Nobody", "Assignee: Me"]
        await expect(filters(page).get_by_role("listitem")).to_have_text(names)
        assert await page.evaluate(SHOWN) == ["A"]
        await page.reload()
        await wait_until_ready(page)
        await expect(filters(page).get_by_role("listitem")).to_have_text(names)
        assert await page.evaluate(SHOWN) == ["A"]
        await open_card_and_return(page)
        await expect(filters(page).get_by_role("listitem")).to_have_text(names)
        await filters(page).get_by_role("button", name="Remove Assignee: Me").press("Enter")
        await expect(filters(page).get_by_role("button", name="Clear")).to_be_focused()
        await expect(page.get_by_role("button", name="3 of 5")).to_be_visible()
        await page.go_back()
        await expect(page.get_by_role("button", name="1 of 5")).to_be_visible()
        await column(page, "Todo").get_by_role("button", name="Add a card").click()
        await page.keyboard.type("Seen !high @ada-architect")
        await page.keyboard.press("Enter")
        await expect(column(page, "Todo").get_by_role("link", name="Seen,")).to_be_visible()
        hidden = page.get_by_role("status").filter(has_text="is added, but the filter hides it")
        await expect(hidden).to_have_count(0)
        await page.keyboard.type("Unseen")
        await page.keyboard.press("Enter")
        await expect(hidden).to_contain_text("Unseen")
        await filters(page).get_by_role("button", name="Clear").click()
        await expect(page.locator("li.card")).to_have_count(7)
        await expect(filters(page)).to_be_hidden()
        await expect(page.get_by_label("Filter cards")).to_be_focused()


async def test_a_board_shows_the_cards_that_a_list_of_the_service_has(browser: Browser, site: World) -> None:
    board = await create_board(site, "As in lists")
    zone = "Pacific/Kiritimati" if datetime.now(UTC).hour >= 10 else "Pacific/Pago_Pago"  # where it is another day
    (await site.sa.patch(f"/organizations/{site.sa.org_id}", {"timezone": zone})).ok()
    ask: list[list[tuple[str, str]]] = [
        *[[("due", value)] for value in ("overdue", "today", "week", "none", "2020-01-01..2099-12-31")],
        [("due", "overdue"), ("due", "none"), ("priority", "high")],
        [("assignedUserId", "me"), ("assignedUserId", "none")],
        [("assignedUserId", site.member.id)],
        [("assignedAgentId", "filterbot"), ("assignedUserId", "none")],
        [("assignedAgentId", "none"), ("priority", "none")],
        [("field", "TAGS:größe")],
        [("field", "tags:UI"), ("field", "tags:Bug: Late")],
        [("field", "tags:ui"), ("priority", "low")],
        [("cardTypeId", board.card_type["id"]), ("updatedSince", "1h"), ("q", "b")],
        [("updatedSince", "2099-01-01")],
        [("due", "overdue")],
    ]
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        for query in ask:
            listed = (await site.sa.get(site.sa.org("/cards"), params=[("projectId", board.id), *query])).ok()["items"]
            await page.evaluate(GO, f"/b/{board.id}?{urlencode(query)}")
            await expect(filters(page).get_by_role("listitem")).to_have_count(len(query))
            expected = sorted(card["title"] for card in listed)
            assert await until(page, f"() => String(({SHOWN})()) === {','.join(expected)!r}"), (query, expected)
        for key in (listed[0]["key"], f"#{listed[0]['key'].lower()}", f" {listed[0]['key'].replace('-', '')}"):
            await page.evaluate(GO, f"/b/{board.id}?{urlencode({'q': key, 'due': 'overdue'})}")
            assert await until(page, f"() => String(({SHOWN})()) === {listed[0]['title']!r}"), key
    (await site.sa.patch(f"/organizations/{site.sa.org_id}", {"timezone": "UTC"})).ok()


async def test_links_from_before_still_filter(browser: Browser, site: World) -> None:
    board = await create_board(site, "Former links")
    cases: list[tuple[dict[str, Any], list[str], str]] = [
        ({"who": site.member.id, "prio": "high"}, ["D"], "Assignee: Mo Member"),
        ({"who": "filterbot"}, ["C"], "Agent: filterbot"),
        ({"due": "late", "type": board.card_type["id"], "q": "a"}, ["A"], "Due: Overdue"),
    ]
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        for query, expected, chip in cases:
            await page.evaluate(GO, f"/b/{board.id}?{urlencode(query)}")
            await expect(filters(page).get_by_role("button", name=f"Remove {chip}")).to_be_visible()
            assert await until(page, f"() => String(({SHOWN})()) === {','.join(expected)!r}")
        # A value in another case is the one that the menu offers, and pressing it takes it away.
        await page.evaluate(GO, f"/b/{board.id}?field=tags:UI")
        await page.get_by_role("button", name="More filters").click()
        offered = page.get_by_role("option", name="ui", exact=True)
        await expect(offered).to_have_attribute("aria-selected", "true")
        await offered.click()
        await expect(filters(page)).to_be_hidden()
        await page.keyboard.press("Escape")
        await page.evaluate(GO, f"/b/{board.id}")
        face = page.get_by_role("group", name="Filter by assignee or agent").get_by_role("button", name="Ada Architect")
        await face.click()
        await expect(filters(page).get_by_role("listitem")).to_have_text(["Assignee: Me"])
        await expect(face).to_have_attribute("aria-pressed", "true")
        await face.click()
        await expect(filters(page)).to_be_hidden()


@pytest.mark.slow
async def test_filters_fit_a_phone_and_work_by_touch(browser: Browser, site: World) -> None:
    board = await create_board(site, "Filters on a phone")
    async with visiting(browser, site, site.sa, viewport={"width": 390, "height": 844}, has_touch=True) as page:
        await visit_board(page, board)
        await page.get_by_role("button", name="More filters").tap()
        for name in ("Me", "high", "Overdue", "ui"):
            item = page.get_by_role("option", name=name, exact=True)
            await item.scroll_into_view_if_needed()
            box = await item.bounding_box()
            assert box
            assert box["height"] >= 32
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 390
            await item.tap()
        await page.touchscreen.tap(200, 720)  # beside the menu
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(page.get_by_text("No card matches the filter.")).to_be_visible()
        assert await until(page, "() => document.documentElement.scrollWidth <= innerWidth")
        await filters(page).get_by_role("button", name="Remove Tags: ui").tap()
        await expect(page.get_by_role("button", name="1 of 5")).to_be_visible()
        assert await titles(page, "Todo") == ["A"]
        await expect(column(page, "Todo")).to_be_in_viewport()
