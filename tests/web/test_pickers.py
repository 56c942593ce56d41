"""Menus with a text field: long lists of people, agents, columns, boards and filters, by keyboard, mouse and finger."""

import asyncio
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from ..direct_db import execute
from ..world import Board, World
from .axe import findings_in_both_themes
from .boards import card, visit_board
from .browser import PHONE, intercept, until, visiting
from .geometry import layout_problems
from .looks import FRAMES
from .measures import get_time_spent, meter

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
PEOPLE = 300
OPENING_MILLISECONDS_MAX = 100
MANY = "WITH RECURSIVE many (n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM many WHERE n < 99 + :count) "
USERS = """INSERT INTO users (id, email, email_key, full_name, handle, password_hash, tokens_valid_from, created_at)
SELECT 'usr_' || n, n || '@example.test', n || '@example.test', 'Person ' || n, 'p' || n, '', :at, :at FROM many"""
MEMBERS = """INSERT INTO memberships (org_id, user_id, role, created_at)
SELECT :org_id, 'usr_' || n, 'Member', :at FROM many"""
AT = "2026-01-01T00:00:00.000Z"


async def crowd(site: World, title: str) -> tuple[Board, Any]:
    """Make a board with a card, in an organization of 300 people and an agent."""
    people = (await site.sa.get(site.sa.org("/members"))).ok()
    if len(people) < PEOPLE:
        await site.agent("finder")
        await execute(site, MANY + USERS, count=PEOPLE, at=AT)
        await execute(site, MANY + MEMBERS, count=PEOPLE, at=AT, org_id=site.sa.org_id)
    board = await site.board(title=title)
    return board, await site.card(board, title="One", assignedUserId="usr_350")


def picker(page: Page, name: str) -> tuple[Locator, Locator, Locator]:
    """Find an open menu with its text field and its options."""
    menu = page.get_by_role("dialog", name=name, exact=True)
    return menu, menu.get_by_role("combobox", name="Type to find", expanded=True), menu.get_by_role("option")


async def opened_soon(page: Page, key: str, name: str) -> tuple[Locator, Locator, Locator]:
    """Open a menu with a key, check how long the page works on it, and return its parts."""
    session = await meter(page)
    before = await get_time_spent(session)
    await page.keyboard.press(key)
    menu, field, options = picker(page, name)
    await expect(field).to_be_focused()
    assert await get_time_spent(session) - before < OPENING_MILLISECONDS_MAX
    return menu, field, options


async def expect_current(field: Locator, options: Locator, name: str) -> None:
    """Check which option the keys would choose."""
    await expect(options.and_(field.page.locator(".current"))).to_contain_text(name)
    active = await field.get_attribute("aria-activedescendant")
    await expect(field.page.locator(f"[id='{active}']")).to_contain_text(name)


async def slow(route: Route) -> None:
    await asyncio.sleep(0.3)
    await route.continue_()


async def assignee(site: World, one: Any) -> Any:
    return (await site.sa.get(f"/cards/{one['id']}")).ok()["assignedUserId"]


async def choose_by_mouse(site: World, page: Page, one: Any) -> None:
    """Assign the open card to another one, and open the menu again while somebody else changes the card."""
    opened = page.get_by_role("dialog", name=one["key"])
    await opened.get_by_role("button", name="Assignee: ").click()
    menu, field, options = picker(page, "Assignee")
    await expect(field).to_be_focused()
    await expect(menu.get_by_role("group", name="Assignee, 101 of 303")).to_be_visible()
    await options.get_by_text("Person 101").click()
    await expect(opened.get_by_role("button", name="Assignee: ")).to_contain_text("Person 101")
    await opened.get_by_role("button", name="Assignee: ").press("Enter")
    await expect(field).to_be_focused()
    (await site.member.patch(f"/cards/{one['id']}", {"priority": "high"})).ok()  # which draws the card again
    await expect(opened.get_by_role("button", name="Priority: high")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(menu).to_have_count(0)
    await expect(opened.get_by_role("button", name="Assignee: ")).to_be_focused()


async def test_one_of_300_people_is_found_by_keyboard_and_chosen_by_mouse(
    browser: Browser, site: World, axe: str
) -> None:
    board, one = await crowd(site, "At a desk")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await card(page, "One").get_by_role("link").focus()
        menu, field, options = await opened_soon(page, "a", "Assign")
        # Each group shows its first ones, and says so; the chosen one is among them.
        await expect(menu.get_by_role("group", name="People, 34 of 302").get_by_role("option")).to_have_count(34)
        await expect(menu.get_by_role("option", selected=True)).to_have_text(["P3Person 350"])
        await expect(menu.get_by_role("group", name="Agents").get_by_role("option", name="finder")).to_have_count(1)
        assert await findings_in_both_themes(page, axe) == []
        for width in (720, 1024, 1440):
            await page.set_viewport_size({"width": width, "height": 900})
            await page.evaluate(FRAMES)  # the menu follows
            assert await layout_problems(page, by_touch=False) == []
        await expect_current(field, options, "Nobody")
        for key, name in (("ArrowDown", "Ada"), ("End", "finder"), ("ArrowDown", "Nobody"), ("ArrowUp", "finder")):
            await page.keyboard.press(key)
            await expect_current(field, options, name)
        await page.keyboard.type("PERSON 39")
        best = [f"P3Person {number}" for number in range(390, 400)]
        await expect(options).to_have_text([*best, *(f"P{number}Person {number}39" for number in (1, 2, 3))])
        await expect_current(field, options, "Person 390")
        await page.keyboard.type("x")
        await expect(menu.get_by_role("status")).to_have_text("Nothing matches \u201cPERSON 39x\u201d.")
        await page.keyboard.press("Enter")
        await expect(menu).to_be_visible()
        for key in ("Backspace", "End", "Home", "ArrowDown", "Enter"):
            await page.keyboard.press(key)
        await expect(menu).to_have_count(0)
        await expect(page.get_by_text("assigned to Person 391")).to_be_visible()
        assert await assignee(site, one) == "usr_391"
        for leaving in ("Escape", "Tab"):
            await page.keyboard.press("a")
            await expect(field).to_be_focused()
            await page.keyboard.press(leaving)
            await expect(menu).to_have_count(0)
            await expect(card(page, "One").get_by_role("link")).to_be_focused()
        await page.keyboard.press("Enter")
        await choose_by_mouse(site, page, one)
        assert await assignee(site, one) == "usr_101"


async def expect_to_stay_scrolled(site: World, page: Page, one: Any) -> None:
    """Check that a change of somebody else leaves the list of labels where it was scrolled to."""
    await page.keyboard.press("l")
    labels = page.get_by_role("listbox", name="Labels")
    await labels.hover()
    await page.mouse.wheel(0, 500)
    await until(page, "() => document.querySelector('.options').scrollTop > 400")
    place = await labels.evaluate("(list) => list.scrollTop")
    (await site.member.patch(f"/cards/{one['id']}", {"title": "One of many"})).ok()
    await expect(card(page, "One of many")).to_be_visible()
    assert await labels.evaluate("(list) => list.scrollTop") == place
    await page.keyboard.press("Escape")
    await expect(labels).to_have_count(0)


async def test_several_filters_of_long_lists_are_chosen_by_keyboard(browser: Browser, site: World) -> None:
    board, one = await crowd(site, "Many filters")
    label = {"fieldId": board.field("tags"), "value": [f"label {number}" for number in range(60)]}
    (await site.sa.patch(f"/cards/{one['id']}", {"fieldValues": [label]})).ok()
    for number in range(9):
        options = [f"option {at}" for at in range(12)]
        await site.field(
            board, f"choice_{number}", "select", label=f"Choice {number}", options=options, showOnCard=True
        )
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await card(page, "One").get_by_role("link").focus()
        await intercept(page, "**/picker.js*", slow)
        for key in ("a", *"person 201", "Enter"):  # what is typed meanwhile is not lost
            await page.keyboard.press(key)
        await expect(page.get_by_text("assigned to Person 201")).to_be_visible()
        await expect_to_stay_scrolled(site, page, one)
        menu, field, options = await opened_soon(page, "f", "Filter")
        await expect(page.get_by_role("button", name="More filters", expanded=True)).to_be_visible()
        await expect(menu.get_by_role("listbox", name="Filter")).to_have_attribute("aria-multiselectable", "true")
        assert await options.count() <= 120
        for name in ("Assignee, 8 of 303", "Tags, 8 of 60", "Choice 8, 8 of 12", "Priority"):
            await expect(menu.get_by_role("group", name=name, exact=True)).to_be_visible()
        assert await layout_problems(page, by_touch=False) == []
        await page.keyboard.type("person")
        await expect(options).to_have_count(100)
        await page.keyboard.type(" 350")
        await page.keyboard.press("Enter")
        await expect(options.and_(page.get_by_role("option", selected=True))).to_have_text("Person 350")
        await expect(field).to_have_value("")
        await expect_current(field, options, "Person 350")
        for key in (*"label ", "ArrowDown", " ", "ArrowDown", " ", " "):  # a blank is a letter until an arrow
            await page.keyboard.press(key)
        await page.keyboard.press("Escape")
        chips = page.get_by_role("group", name="Filters", exact=True).get_by_role("listitem")
        await expect(chips).to_have_text(["Assignee: Person 350", "Tags: label 1"])
        await expect(page.get_by_role("button", name="More filters")).to_be_focused()
        await expect(page.get_by_role("button", name="More filters")).not_to_have_attribute("aria-expanded", "true")


async def many_columns(site: World, title: str) -> tuple[Board, Any]:
    """Make a board from whose first card nine more columns can be reached, the last of which is full."""
    board, one = await crowd(site, title)
    for number in range(9):
        column = {"projectId": board.id, "title": f"Step {number}"}
        added = (await site.sa.post(site.sa.org("/columns"), column)).ok()
        way = {"fromColumnId": board.columns["Todo"], "toColumnId": added["id"]}
        (await site.sa.post(site.sa.org("/transitions"), way)).ok()
    full = {"wipLimit": 1, "title": "Full"}
    (await site.sa.patch(site.sa.org(f"/columns/{added['id']}"), full)).ok()
    await site.card(Board(board.id, {"Full": added["id"]}, {}, board.card_type), "Full", title="Other")
    return board, one


async def use_an_open_card(page: Page, board: Board, one: Any) -> None:
    """Assign and move a card by finger."""
    await page.goto(f"/b/{board.id}/c/{one['key']}")
    opened = page.get_by_role("dialog", name=one["key"])
    await intercept(page, "**/picker.js*", lambda route: route.abort())
    await opened.get_by_role("button", name="Assignee: ").tap()
    await expect(page.get_by_role("menu", name="Assignee").get_by_role("menuitemradio")).to_have_count(PEOPLE + 3)
    await page.unroute("**/picker.js*")
    await page.keyboard.press("Escape")
    await opened.get_by_role("button", name="Assignee: ").tap()
    menu, field, options = picker(page, "Assignee")
    await expect(options.first).to_be_visible()
    await expect(menu).to_be_focused()
    assert await layout_problems(page, by_touch=True) == []
    await field.tap()
    await page.keyboard.insert_text("person 28")
    await options.get_by_text("Person 288").tap()
    await expect(opened.get_by_role("button", name="Assignee: ")).to_contain_text("Person 288")
    await opened.get_by_role("button", name="Move to …").tap()
    menu, field, options = picker(page, "Move to")
    await expect(options.get_by_text("The column is full (limit 1).")).to_have_count(1)
    await page.keyboard.type("ll")  # on a keyboard that a tablet has; it is no shortcut
    await expect(field).to_have_value("ll")
    await expect(options).to_have_count(1)
    await options.tap(force=True)  # is refused
    await expect(options).to_be_disabled()
    await field.fill("step 3")
    await options.tap()
    await expect(menu).to_have_count(0)
    await opened.get_by_role("button", name="Close").tap()


async def use_a_board(page: Page) -> None:
    """Change to another board, and filter it, by finger."""
    await page.get_by_role("button", name="Boards").tap()
    menu, field, options = picker(page, "Boards")
    assert await layout_problems(page, by_touch=True) == []
    await options.get_by_text("Garden 7").tap()
    await expect(page.get_by_role("heading", name="Garden 7", level=1)).to_be_visible()
    await expect(page.get_by_role("button", name="Boards", expanded=True)).to_have_count(0)
    assert await page.get_by_role("button", name="Boards").get_attribute("aria-haspopup") == "dialog"
    await page.get_by_role("button", name="More filters").tap()
    menu, field, options = picker(page, "Filter")
    await expect(menu).to_be_focused()
    assert await layout_problems(page, by_touch=True) == []
    for name in ("Me", "urgent"):
        await options.get_by_text(name, exact=True).tap()
    await expect(menu.get_by_role("option", selected=True)).to_have_text(["Me", "urgent"])
    await field.tap()
    await page.keyboard.insert_text("288")
    await options.tap()
    await expect(field).to_be_focused()  # the next one can be typed
    await expect(menu.get_by_role("option", selected=True)).to_have_text(["Me", "Person 288", "urgent"])


async def test_a_finger_finds_people_boards_and_columns_and_no_keyboard_covers_them(
    browser: Browser, site: World
) -> None:
    board, one = await many_columns(site, "Many on a phone")
    for number in range(9):
        await site.board(title=f"Garden {number}")
    async with visiting(browser, site, site.sa, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        await use_an_open_card(page, board, one)
        await use_a_board(page)
    moved = (await site.sa.get(f"/cards/{one['id']}")).ok()
    columns = (await site.sa.get(site.sa.org("/columns"), params={"projectId": board.id})).ok()
    assert moved["assignedUserId"] == "usr_288"
    assert {column["id"]: column["title"] for column in columns}[moved["columnId"]] == "Step 3"
