"""The roles that screen readers and tests rely on, on every screen and in every state that has such elements."""

from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from ..world import Board, World
from .boards import card, column, visit_board
from .browser import visiting
from .everything import fill
from .test_card import open_card

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
SETTINGS = {f"/settings/{name.lower()}": name for name in ("Members", "Permissions", "Data", "Prompts", "Webhooks")}
SCREENS = {
    "/": "Home",
    "/my-cards": "My cards",
    "/search?q=Archived": "Search",
    "/agents": "Agents",
    "/agents/busy-1": "Claimed cards",
    "/archive": "Archive",
    "/b/{board}/design": "Board settings",
    "/reports": "Reports",
    "/me": "Keyboard shortcuts",
    "/settings/tools": "Tool servers",
    "/settings/keys": "API keys",
    **SETTINGS,
}
# What breaks a role, among all that is shown.
VIOLATIONS = """() => {
    const shown = (selector) => [...document.querySelectorAll(selector)]
        .filter((one) => one.checkVisibility() && !one.closest("[aria-hidden=true]"));
    const texts = (nodes) => [...nodes].map((one) => one?.textContent ?? "").join(" ");
    const nameOf = (one) => (
        one.getAttribute("aria-label") ??
        texts((one.getAttribute("aria-labelledby") ?? "").split(" ").filter(Boolean)
            .map((id) => document.getElementById(id))).trim()
    ) || texts(one.labels ?? []).trim() || (one.matches("input, textarea, select") ? "" : one.textContent.trim());
    const found = [];
    const demand = (isMet, what, one) => isMet || found.push(`${what}: ${one.outerHTML.slice(0, 200)}`);
    for (const list of shown("[role=listbox]")) {
        const field = document.querySelector(`[aria-controls="${list.id}"]`);
        const active = document.getElementById(field?.getAttribute("aria-activedescendant"));
        const isLines = field?.matches("textarea:not([role])");
        demand(nameOf(list), "a listbox without a name", list);
        demand(isLines || field?.matches("[role=combobox][aria-expanded=true]"), "a listbox without its field", list);
        demand(list.querySelector("[role=option]"), "a listbox without options", list);
        demand(!active || list.contains(active), "an active option elsewhere", list);
        demand(active || list.classList.contains("completion"), "no active option", list);
    }
    for (const one of shown("input[list], input[aria-autocomplete], .menu input:not([type]), .menu [type=text]"))
        demand(one.matches("[role=combobox][aria-expanded]:not([list])"), "a field that is no combobox", one);
    for (const one of shown("textarea")) demand(!one.hasAttribute("role"), "a text with another role", one);
    for (const one of shown("[aria-activedescendant]"))
        demand(document.getElementById(one.getAttribute("aria-activedescendant")), "no such option", one);
    for (const one of shown("[type=checkbox], [role$=checkbox], [role=switch], [type=radio], [role$=radio]"))
        demand(nameOf(one), "a checkbox without a name", one);
    for (const one of shown("input:not([type=file]), select, textarea, button, a, [role=dialog], dialog, [role=menu]"))
        demand(nameOf(one) || one.querySelector("img[alt]:not([alt=''])"), "without a name", one);
    for (const one of shown(".chip-list button, button.label-chip"))
        demand(nameOf(one).startsWith("Remove "), "a chip that says not what it does", one);
    for (const one of shown(".column"))
        demand(one.matches("section[aria-labelledby]") && nameOf(one), "a column that is no region", one);
    for (const one of shown("li.card, li.item"))
        demand(!one.hasAttribute("role") && one.parentElement.matches("ul, ol"), "a card that is no list item", one);
    for (const one of shown("[role=menu]")) {
        demand(!one.querySelector("input, textarea, [role=option]"), "a field inside a menu", one);
        for (const item of one.querySelectorAll("button"))
            demand(/^menuitem/.test(item.role), "no item of a menu", item);
    }
    return found;
}"""


async def sound(page: Page) -> None:
    """Check that nothing that is shown breaks a role."""
    assert await page.evaluate(VIOLATIONS) == []


async def lists(page: Page, field: Locator, name: str) -> None:
    """Check that a field has its listbox open, that an arrow chooses in it, and that Escape closes it."""
    listbox = page.get_by_role("listbox", name=name)
    await expect(listbox.get_by_role("option").first).to_be_visible()
    await page.keyboard.press("ArrowDown")
    await expect(field).to_have_attribute("aria-controls", await listbox.get_attribute("id") or "")
    current = listbox.locator(f"[id='{await field.get_attribute('aria-activedescendant')}']")
    await expect(current).to_have_role("option")
    await sound(page)


async def furnish(site: World) -> tuple[Board, Any]:
    """Make a board with a card that has labels, a checklist, fields of each kind, and another card."""
    board = await site.board(title="Roles")
    for name, options in (("Sizes", ["small", "large"]), ("Words", [])):
        await site.field(board, name.lower(), "multiselect", label=name, options=options)
    values = [
        {"fieldId": board.field("tags"), "value": ["bug", "two words"]},
        {"fieldId": board.field("description"), "value": "- [ ] Buy **paint**\n- [x] Sand"},
    ]
    one = await site.card(board, title="First", assignedUserId=site.sa.id, fieldValues=values, dueDate="2031-01-01")
    await site.card(board, "Review", title="Second")
    return board, one


async def filter_the_board(page: Page) -> None:
    """Open the menu of filters, and remove what it has chosen."""
    await page.get_by_role("button", name="More filters").click()
    field = page.get_by_role("dialog", name="Filter").get_by_role("combobox", name="Type to find")
    await expect(field).to_be_focused()
    await page.keyboard.type("overdue")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("option", name="Overdue", selected=True)).to_be_visible()
    await lists(page, field, "Filter")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("button", name="Remove Due: Overdue")).to_be_visible()
    await sound(page)
    await page.get_by_role("button", name="Remove Due: Overdue").click()


async def walk_the_board(page: Page, board: Board) -> None:
    """Open all that the board has."""
    await visit_board(page, board)
    for title in ("Backlog", "Todo", "In Progress", "Review", "Done"):
        await expect(column(page, title)).to_be_visible()
    await expect(column(page, "Todo").get_by_role("list", name="Todo").get_by_role("listitem")).to_have_count(1)
    await sound(page)
    await column(page, "Todo").get_by_role("button", name="Add a card").click()
    field = page.get_by_role("textbox", name="New card in Todo")
    for text, name in (("A #b", "Labels"), (" @a", "People and agents"), (" !h", "Priorities"), (" ^to", "Due dates")):
        await page.keyboard.type(text)
        await lists(page, field, name)
        await page.keyboard.press("Tab")
    chips = page.get_by_role("list", name="Understood").get_by_role("button")
    await expect(chips).to_have_count(4)
    await expect(chips.first).to_have_accessible_name("Remove bug")
    await page.keyboard.press("Escape")
    await filter_the_board(page)
    await card(page, "First").get_by_role("link").focus()
    for key, name in (("a", "Assign"), ("p", "Priority"), ("m", "Move to")):
        await page.keyboard.press(key)
        await expect(page.get_by_role("menu", name=name)).to_be_visible()
        await sound(page)
        await page.keyboard.press("Escape")
    await page.keyboard.press("l")
    field = page.get_by_role("dialog", name="Labels").get_by_role("combobox", name="Find or create a label")
    await lists(page, field, "Labels")
    await page.get_by_role("button", name="Change colours").click()
    await page.keyboard.type("no such label")
    await expect(page.get_by_role("combobox", name="Find or create a label", expanded=False)).to_be_visible()
    await sound(page)
    await page.keyboard.press("Escape")
    await page.keyboard.press("d")
    await expect(page.get_by_role("textbox", name="Due date")).to_be_focused()
    await sound(page)
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Find a board")
    await lists(page, field, "Results")
    await field.fill("nothing of this name")
    await expect(page.get_by_role("combobox", name="Find a board", expanded=False)).to_be_visible()
    await sound(page)
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def walk_the_card(page: Page, board: Board, one: Any) -> None:
    """Open all that an open card has."""
    dialog = await open_card(page, board, one)
    await expect(dialog.get_by_role("checkbox", name="Buy paint")).to_be_enabled()
    await expect(dialog.get_by_role("button", name="Remove two words")).to_be_visible()
    await sound(page)
    comment = dialog.get_by_role("textbox", name="Comment")
    await comment.click()
    await expect(dialog.get_by_role("toolbar", name="Format of Comment")).to_be_visible()
    await page.keyboard.type("@a")
    await lists(page, comment, "People and agents")
    await page.keyboard.press("Escape")
    await dialog.get_by_role("button", name="Sizes: ").click()
    await expect(dialog.get_by_role("checkbox", name="small")).to_be_focused()
    await sound(page)
    await page.keyboard.press("Escape")
    await dialog.get_by_role("button", name="Words: ").click()
    await dialog.get_by_role("textbox", name="Add to Words").press_sequentially("blue")
    await page.keyboard.press("Enter")
    await expect(dialog.get_by_role("button", name="Remove blue")).to_be_visible()
    await sound(page)
    await page.keyboard.press("Escape")
    await dialog.get_by_role("button", name="Relate…").click()
    field = page.get_by_role("combobox", name="Other card", expanded=False)
    await field.press_sequentially("sec")
    await expect(page.get_by_role("combobox", name="Other card", expanded=True)).to_be_visible()
    await lists(page, page.get_by_role("combobox", name="Other card"), "Cards")
    for _ in range(2):  # the list, then the dialog
        await page.keyboard.press("Escape")
    for name, box in (("Split…", "Buy **paint**"), ("Move to another board…", None)):
        await dialog.get_by_role("button", name=name).click()
        asked = page.get_by_role("dialog", name=one["key"]).last
        if box:
            await expect(asked.get_by_role("checkbox", name=box)).to_be_checked()
        await expect(asked.get_by_role("button", name="Cancel")).to_be_visible()
        await sound(page)
        await asked.get_by_role("button", name="Cancel").click()
    await dialog.get_by_role("button", name="Due: ").click()
    await expect(dialog.get_by_role("textbox", name="Due")).to_be_focused()
    await sound(page)


async def test_every_screen_and_state_keeps_the_roles(browser: Browser, site: World) -> None:
    ids = await fill(site)
    board, one = await furnish(site)
    async with visiting(browser, site, site.sa) as page:
        await walk_the_board(page, board)
        await walk_the_card(page, board, one)
        for address, title in SCREENS.items():
            await page.goto(address.format(**ids))
            await expect(page.get_by_role("main").get_by_role("heading").first).to_be_visible()
            await expect(page.get_by_role("main")).to_contain_text(title)
            await sound(page)
        await page.goto("/search?q=first&field=tags%3Abug&priority=none")
        await expect(page.get_by_role("button", name="Remove tags: bug")).to_be_visible()
        await sound(page)
        await page.goto(f"/b/{board.id}/design")
        for name in ("New column…", "New field Task", "Colours Tags"):
            await page.get_by_role("button", name=name).first.click()
            await expect(page.get_by_role("dialog").get_by_role("button", name="Cancel")).to_be_visible()
            await sound(page)
            await page.keyboard.press("Escape")
            await expect(page.get_by_role("dialog")).to_have_count(0)
        await page.goto("/settings/members")
        await page.get_by_role("button", name="Add a person…").click()
        await expect(page.get_by_role("textbox", name="E-mail")).to_be_visible()
        await sound(page)
