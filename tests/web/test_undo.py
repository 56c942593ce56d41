"""Undo on the page: from the history of a card, in the design of a board, and what others changed since stays."""

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from ..world import Board, World
from .axe import findings_in_both_themes
from .boards import middle, touch, touch_point
from .browser import PHONE, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")
HOSTILE = "<b onclick=alert(1)>Was</b>"


async def open_design(page: Page, board: Board) -> Locator:
    """Open the design of a board, and return the names of its columns."""
    await page.goto(f"/b/{board.id}/design")
    names = page.get_by_role("list", name="Columns").locator("li strong")
    await expect(names.first).to_be_visible()
    return names


def undo(page: Page) -> Locator:
    """Find the way back that is offered."""
    return page.locator(".toast").get_by_role("button", name="Undo")


async def test_each_change_in_the_history_is_undone_unless_somebody_changed_it_since(
    browser: Browser, site: World, axe: str
) -> None:
    board = await site.board(title="Histories")
    made = await site.card(board, "Review", title=HOSTILE)
    other = await site.card(board, title="Other end")
    path = f"/cards/{made['id']}"
    ends = {"fromCardId": made["id"], "toCardId": other["id"], "kind": "relatesTo", "comment": "kept"}
    (await site.sa.post(site.sa.org("/relationships"), ends)).ok()
    (await site.member.patch(path, {"title": "Renamed"})).ok()
    (await site.sa.patch(path, {"priority": "high"})).ok()
    await site.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    agent = await site.agent("changer", title="Helpful Kate")
    (await agent.patch(f"{path}/mcp", {"priority": "urgent"})).ok()
    (await site.sa.patch(f"{path}/status", {"toColumnId": board.columns["Done"]})).ok()
    async with visiting(browser, site, site.sa) as page:
        await page.goto(f"/b/{board.id}/c/{made['key']}")
        dialog = page.get_by_role("dialog")
        await dialog.get_by_role("button", name="Undo this: moved it from Review to Done").click()
        await expect(dialog.get_by_text("undid a change: it is in Review")).to_be_visible()
        await dialog.get_by_role("button", name="Undo this: changed the title to “Renamed”").click()
        await expect(dialog.get_by_role("heading", level=2)).to_contain_text(HOSTILE)
        await dialog.get_by_role("button", name="Undo this: changed the priority to high").click()
        told = page.get_by_role("alert").filter(has_text="This was not undone")
        await expect(told).to_contain_text(f"{made['key']}: Helpful Kate changed it since.")
        await dialog.get_by_role("button", name=f"Remove the relation to {other['key']}").click()
        await expect(dialog.locator(".relations li")).to_have_count(0)
        await page.keyboard.press("z")
        await expect(dialog.locator(".relations li")).to_have_count(1)
        assert await findings_in_both_themes(page, axe) == []
    now = (await site.sa.get(path, params={"include": "relations"})).ok()
    assert (now["columnId"], now["title"], now["priority"]) == (board.columns["Review"], HOSTILE, "urgent")
    assert now["relations"][0]["comment"] == "kept"


async def test_the_design_of_a_board_is_undone_as_long_as_nobody_changed_it_since(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Designs")
    one = await site.card(board, "In Progress", title="Comes along")
    async with visiting(browser, site, site.sa) as page:
        names = await open_design(page, board)
        await page.get_by_role("switch", name="Backlog: Agents may work here").click()
        await undo(page).click()
        await expect(page.get_by_role("switch", name="Backlog: Agents may work here")).not_to_be_checked()
        await page.get_by_role("button", name="Backlog → Review: no").click()
        await page.get_by_role("button", name="Backlog → Review: yes").click()
        await expect(page.get_by_role("button", name="Backlog → Review: needs approval")).to_be_visible()
        await page.keyboard.press("z")
        await expect(page.get_by_role("button", name="Backlog → Review: yes")).to_be_visible()
        await page.get_by_role("button", name="Remove In Progress").click()
        await page.get_by_label("Move its 1 card to").select_option("Todo")
        await page.get_by_role("button", name="Remove", exact=True).click()
        await expect(names).to_have_text(["Backlog", "Todo", "Review", "Done"])
        await undo(page).click()
        await expect(names).to_have_text(["Backlog", "Todo", "In Progress", "Review", "Done"])
        await expect(page.get_by_role("button", name="Review → In Progress: yes")).to_be_visible()
        await page.get_by_role("switch", name="Todo: Block cards with open blockers").click()
        await expect(undo(page)).to_be_visible()
        await site.column(board, "Todo", rejectsBlocked=False)
        await undo(page).click()
        await expect(page.get_by_role("alert")).to_contain_text("It was changed meanwhile, so nothing was changed.")
    columns = (await site.sa.get(site.sa.org("/columns"), params={"projectId": board.id})).ok()
    (again,) = [column for column in columns if column["title"] == "In Progress"]
    assert (again["agentPickupEnabled"], again["order"]) == (True, 2)
    assert (await site.sa.get(f"/cards/{one['id']}")).ok()["columnId"] == again["id"]


async def test_columns_are_dragged_by_mouse_and_finger_and_put_back(browser: Browser, site: World, axe: str) -> None:
    board = await site.board(title="Dragged")
    home = ["Backlog", "Todo", "In Progress", "Review", "Done"]
    async with visiting(browser, site, site.sa) as page:
        names = await open_design(page, board)
        grips = page.locator(".drag-handle")
        await page.mouse.move(*await middle(grips.nth(2)))
        await page.mouse.down()
        x, y = await middle(grips.nth(0))
        await page.mouse.move(x, y + 30, steps=3)
        await page.mouse.move(x, y - 8, steps=3)
        await expect(page.locator(".drop-above")).to_have_count(1)
        await page.mouse.up()
        await expect(names).to_have_text(["In Progress", "Backlog", "Todo", "Review", "Done"])
        await expect(page.locator(".drag-preview, .dragging")).to_have_count(0)
        await undo(page).click()
        await expect(names).to_have_text(home)
        await page.mouse.move(*await middle(grips.nth(1)))
        await page.mouse.down()
        await page.mouse.move(x, y - 8, steps=3)
        await page.keyboard.press("Escape")
        await page.mouse.up()
        await expect(names).to_have_text(home)
        assert await findings_in_both_themes(page, axe) == []
    async with visiting(browser, site, site.sa, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        names = await open_design(page, board)
        await page.locator(".drag-handle").nth(1).evaluate("(one) => one.scrollIntoView({block: 'center'})")
        session, (x, y) = await touch(page), await middle(page.locator(".drag-handle").nth(1))
        await touch_point(session, "touchStart", x, y)
        await expect(page.locator(".drag-preview")).to_have_count(1)
        _, top = await middle(page.locator(".drag-handle").nth(0))
        await touch_point(session, "touchMove", x, top + 4)
        await touch_point(session, "touchMove", x, top - 4)
        await expect(page.locator(".drop-above")).to_have_count(1)
        await touch_point(session, "touchEnd")
        await expect(names).to_have_text(["Todo", "Backlog", "In Progress", "Review", "Done"])
        await page.keyboard.press("z")
        await expect(names).to_have_text(home)


async def test_a_card_is_related_to_another_by_its_key_from_either_side(
    browser: Browser, site: World, axe: str
) -> None:
    board = await site.board(title="Relating")
    made, other = await site.card(board, title="This one"), await site.card(board, title=HOSTILE)
    async with visiting(browser, site, site.member) as page:
        await page.goto(f"/b/{board.id}/c/{made['key']}")
        await page.get_by_role("button", name="Relate…").click()
        asked = page.get_by_role("dialog", name=f"Relate {made['key']} to another card")
        await asked.get_by_role("combobox", name="Other card").fill("NONE-1")
        await asked.get_by_role("button", name="Relate").click()
        await expect(asked.get_by_text("Other card names no card")).to_be_visible()
        await asked.get_by_label(f"{made['key']} …").select_option("blocked by")
        await asked.get_by_role("combobox", name="Other card").fill(f" {other['key'].lower()} ")
        assert await findings_in_both_themes(page, axe) == []
        await page.keyboard.press("Enter")  # takes the card that is offered
        await asked.get_by_role("button", name="Relate").click()
        await expect(page.locator(".relations li")).to_have_text(f"blocked by {other['key']} {HOSTILE} · Todo")
        assert await findings_in_both_themes(page, axe) == []
    (found,) = (await site.sa.get(f"/cards/{made['id']}", params={"include": "relations"})).ok()["relations"]
    assert (found["kind"], found["fromCardId"], found["toCardId"]) == ("blocks", other["id"], made["id"])


async def test_a_board_is_renamed_and_put_into_the_archive_and_both_are_undone(
    browser: Browser, site: World, axe: str
) -> None:
    board = await site.board(title="Called so")
    path = site.sa.org(f"/projects/{board.id}")
    was = (await site.sa.get(path)).ok()
    async with visiting(browser, site, site.sa) as page:
        await open_design(page, board)
        own = page.get_by_role("list", name="Board", exact=True)
        await own.get_by_role("button", name="Rename the board").click()
        await page.get_by_label("Title").fill(HOSTILE)
        await page.get_by_label("Key").fill("no")
        await page.get_by_role("dialog").get_by_role("button", name="Rename").click()
        await expect(page.get_by_role("dialog")).to_contain_text("2 to 10 capital letters and digits, a letter first")
        await page.get_by_label("Key").fill("RENAMED")
        await page.get_by_role("dialog").get_by_role("button", name="Rename").click()
        await expect(own).to_contain_text(HOSTILE)
        await expect(page.get_by_role("navigation").get_by_text(HOSTILE)).to_be_visible()
        assert await findings_in_both_themes(page, axe) == []
        assert (await site.sa.get(path)).ok()["key"] == "RENAMED"
        await undo(page).click()
        await expect(own).to_contain_text(f"Card keys: {was['key']}-1")
        assert (await site.sa.get(path)).ok() == was
        await own.get_by_role("button", name="Archive the board").click()
        await page.wait_for_url("**/")
        await expect(page.get_by_role("navigation").get_by_text("Called so")).to_have_count(0)
        (await site.sa.get(path)).refused(404, "not_found")
        await undo(page).click()
        await expect(page.get_by_role("navigation").get_by_text("Called so")).to_be_visible()
        assert (await site.sa.get(path)).ok() == was
    async with visiting(browser, site, site.member) as page:
        await open_design(page, board)
        await expect(page.get_by_role("list", name="Board", exact=True).get_by_role("button")).to_have_count(0)
