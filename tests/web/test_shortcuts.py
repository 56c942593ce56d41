"""Custom shortcuts: recorded by pressing keys, in effect at once everywhere, with conflicts shown."""

import asyncio

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from ..world import PASSWORD, Client, World
from .axe import findings_in_both_themes
from .boards import card, column, visit_board, wait_until_ready
from .browser import PHONE, intercept, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def somebody(site: World, email: str) -> Client:
    """Make a person whose keys no other test has."""
    body = {"email": email, "fullName": "Kim Keys", "role": "Member", "password": PASSWORD}
    (await site.sa.post(site.sa.org("/members"), body)).ok()
    return await site.login(email)


async def stored(who: Client) -> dict[str, str]:
    """Return the keys that the service keeps of somebody."""
    return {one["action"]: one["binding"] for one in (await who.get("/settings/shortcuts")).ok()}


def row(page: Page, action: str) -> Locator:
    """Find an action among the keys."""
    return page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=action, exact=False))


async def press(page: Page, action: str, *pressed: str) -> None:
    """Give an action other keys, by pressing them."""
    await page.get_by_role("button", name=f"Change the key of: {action}").click()
    await expect(page.get_by_text("Press keys…")).to_be_visible()
    for key in pressed:
        await page.keyboard.press(key)


async def test_a_key_is_changed_by_pressing_it_and_works_at_once_everywhere(
    browser: Browser, site: World, axe: str
) -> None:
    kim = await somebody(site, "keys@example.test")
    board = await site.board(title="Own keys")
    await site.card(board, "Todo", title="Target")
    async with visiting(browser, site, kim) as page:
        await page.goto("/me")
        await press(page, "Add a card", "Shift+N")
        await expect(row(page, "Add a card")).to_contain_text("shift+n")
        await press(page, "Go to the agents", "w", "a")
        await expect(row(page, "Go to the agents")).to_contain_text("w a")
        await press(page, "Change the title", "Escape")  # gives up
        await expect(row(page, "Change the title").locator("kbd")).to_have_text("e")
        assert await stored(kim) == {"card.create": "shift+n", "go.agents": "w a"}
        assert await findings_in_both_themes(page, axe) == []
        await page.keyboard.press("w")
        await page.keyboard.press("a")
        await expect(page.get_by_role("heading", name="Agents", level=1)).to_be_visible()
        await page.get_by_role("link", name="Own keys").click()
        await expect(card(page, "Target")).to_be_visible()
        await wait_until_ready(page)
        plus = page.get_by_role("button", name="New card")
        await expect(plus).to_have_attribute("aria-keyshortcuts", "Shift+n")
        await page.keyboard.press("c")
        await expect(page.get_by_label("New card in Backlog")).to_be_hidden()
        await page.keyboard.press("Shift+N")
        await expect(page.get_by_label("New card in Backlog")).to_be_focused()
        await page.keyboard.press("Escape")
        await page.keyboard.press("?")
        await expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Add a cardshift+n")
    async with visiting(browser, site, kim, viewport=PHONE) as page:
        await page.goto("/me")
        await expect(row(page, "Add a card")).to_contain_text("shift+n")
        assert await page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        await page.get_by_role("button", name="Reset the key of: Add a card").click()
        await expect(row(page, "Add a card").locator("kbd")).to_have_text("c")
        await page.get_by_role("button", name="Reset all").click()
        await expect(page.get_by_role("button", name="Reset all")).to_be_disabled()
    assert await stored(kim) == {}


@pytest.mark.slow
async def test_two_actions_on_one_key_are_told_at_both_and_not_saved_unseen(browser: Browser, site: World) -> None:
    kim = await somebody(site, "conflict@example.test")
    async with visiting(browser, site, kim) as page:
        await page.goto("/me")
        await press(page, "Change the priority", "x")
        await expect(row(page, "Change the priority")).to_contain_text(
            "Conflict: the same key would be “Select / deselect card” too."
        )
        await expect(row(page, "Select / deselect card")).to_contain_text(
            "the same key would be “Change the priority” too."
        )
        assert await stored(kim) == {}
        await page.get_by_role("button", name="Leave it: Change the priority").click()
        await expect(page.get_by_text("Conflict:")).to_have_count(0)
        await press(page, "Change the priority", "g")  # begins what goes to other screens
        await expect(row(page, "Go to Home")).to_contain_text("Conflict")
        await page.get_by_role("button", name="Save all the same: Change the priority").click()
        await expect(row(page, "Change the priority")).to_contain_text("Conflict: the same key is")
        assert await stored(kim) == {"card.priority": "g"}
        await page.reload()
        await expect(row(page, "Go to Home")).to_contain_text("Conflict: the same key is “Change the priority” too.")


async def test_actions_that_never_meet_share_a_key_and_watching_gets_one(browser: Browser, site: World) -> None:
    kim = await somebody(site, "share@example.test")
    board = await site.board(title="Shared keys")
    _, _, third = [await site.card(board, "Todo", title=title) for title in ("First", "Second", "Third")]
    async with visiting(browser, site, kim) as page:
        await page.goto("/me")
        await press(page, "Move to next column", "]")  # opens the next card, in an open card
        await expect(row(page, "Move to next column").locator("kbd")).to_have_text("]")
        await press(page, "Add a card", "o")  # only on boards
        await press(page, "Mark all as seen", "o")  # only on Home
        await press(page, "Send the comment", "Control+k")  # only while a comment is written
        await press(page, "Add a column", "t")  # ticks an item, in an open card
        await press(page, "Watch / unwatch card", "w")
        await expect(row(page, "Watch / unwatch card").locator("kbd")).to_have_text("w")
        await expect(page.get_by_text("Conflict:")).to_have_count(0)
        await press(page, "Split into parts", "]")
        await expect(row(page, "Split into parts")).to_contain_text("would be “Open the next card” too.")
        await page.get_by_role("button", name="Leave it: Split into parts").click()
        await visit_board(page, board)
        await card(page, "First").get_by_role("link").focus()
        await page.keyboard.press("]")
        await expect(column(page, "In Progress").get_by_role("link", name="First")).to_be_focused()
        await card(page, "Second").get_by_role("link").focus()
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("dialog", name="Second")).to_be_visible()
        await page.keyboard.press("]")
        dialog = page.get_by_role("dialog", name="Third")
        await expect(dialog.get_by_role("button", name="Watch", exact=True)).to_have_attribute("aria-keyshortcuts", "w")
        await page.keyboard.press("w")
        await expect(dialog.get_by_role("button", name="Unwatch")).to_be_visible()
        assert (await kim.get(f"/cards/{third['id']}")).ok()["watching"] is True
        await page.keyboard.press("Control+k")
        await page.get_by_role("combobox", name="Find a board").fill("unwatch")
        await expect(page.get_by_role("option")).to_have_text(["Watch / unwatch cardw"])
        await page.keyboard.press("Enter")
        await expect(dialog.get_by_role("button", name="Watch", exact=True)).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(dialog).to_be_hidden()
        await page.keyboard.press("?")
        help_dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
        await expect(help_dialog).to_contain_text("Watch / unwatch cardw")
        await expect(help_dialog.get_by_text("has the same key")).to_have_count(0)
    assert (await kim.get(f"/cards/{third['id']}")).ok()["watching"] is False


TYPE_BETWEEN = """async ([before, after]) => {
    const { suspendShortcuts } = await import("/core/shortcuts.js");
    const { openMenu } = await import("/ui/listbox/menu.js");
    const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
    document.activeElement.blur();
    const loading = suspendShortcuts(new Promise((resolve) => setTimeout(resolve, 50)));
    if (before) press(before);
    await loading;
    const run = () => (document.title = "One is chosen");
    openMenu(document.querySelector("main a"), {label: "Late", items: [{label: "one", run}, {label: "none"}]});
    press(after); // to the menu, before it has got the first letter
}"""


async def test_keys_stay_in_order_when_a_menu_opens_between_them(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, await site.board(title="In order"))
        await page.evaluate(TYPE_BETWEEN, ["o", "n"])
        await expect(page.get_by_role("menu", name="Late").get_by_role("status")).to_have_text("on")
        await page.evaluate(TYPE_BETWEEN, ["", "Enter"])
        await expect(page).to_have_title("One is chosen")
        await expect(page.get_by_role("menu")).to_have_count(0)


async def test_a_menu_gives_the_focus_back_to_a_card_that_somebody_moved_meanwhile(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Moved meanwhile")
    one = await site.card(board, "Todo", title="Moved")
    columns = ["In Progress", "Todo"] * 2
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        link, menu = card(page, "Moved").get_by_role("link"), page.locator(".menu")
        for key, title in zip(("a", "p", "m", "actions"), columns):
            await link.focus()
            if key == "actions":
                await card(page, "Moved").hover()
                await card(page, "Moved").get_by_role("button", name="Actions of").click()
            else:
                await page.keyboard.press(key)
            await expect(menu).to_be_visible()
            (await site.member.patch(f"/cards/{one['id']}/status", {"toColumnId": board.columns[title]})).ok()
            await expect(column(page, title)).to_contain_text("Moved")
            await page.keyboard.press("Escape")
            await expect(menu).to_have_count(0)
            await expect(link).to_be_focused()


EDIT_TWICE = """async () => {
    const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
    const edited = async () => {
        for (let turn = 0; turn < 100; turn += 1) await null; // no timer and no other key comes between
        return document.querySelector("dialog input[name=title]")?.value;
    };
    press("e");
    const first = await edited();
    press("Escape");
    press("e");
    return [first, await edited()];
}"""


async def test_a_key_right_after_another_one_that_opened_something_is_not_lost(browser: Browser, site: World) -> None:
    board = await site.board(title="In quick succession")
    one = await site.card(board, title="Edited twice")
    async with visiting(browser, site, site.sa) as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        await expect(page.get_by_role("button", name="Title: Edited twice")).to_be_visible()
        await page.evaluate("async () => void (await import('/ui/edit-form.js'))")  # loaded once the card is shown
        assert await page.evaluate(EDIT_TWICE) == ["Edited twice", "Edited twice"]


async def test_an_invalid_stored_binding_does_nothing(browser: Browser, site: World) -> None:
    kim = await somebody(site, "hostile@example.test")
    board = await site.board(title="Hostile keys")
    await site.card(board, "Todo", title="Safe")
    wrong = {"card.archive": "<img src=x onerror=alert(1)>", "__proto__": "x", "constructor": "j", "help": "a b c d"}
    for action, binding in wrong.items():
        answer = await kim.post("/settings/shortcuts", {"action": action, "binding": binding})
        assert answer.status in (200, 400)
    (await kim.post("/settings/shortcuts", {"action": "card.open", "binding": "meta+o"})).ok()
    async with visiting(browser, site, kim) as page:
        await visit_board(page, board)
        for key in ("j", "x"):
            await page.keyboard.press(key)
        await expect(page.get_by_role("region", name="Selected cards")).to_contain_text("1 card selected")
        await page.keyboard.press("Control+o")
        await expect(page.get_by_role("dialog")).to_be_visible()
        await page.goto("/me")
        await expect(row(page, "Archive the card").locator("kbd")).to_have_count(0)
        await page.get_by_role("button", name="Reset the key of: Archive the card").click()
        await expect(row(page, "Archive the card").locator("kbd")).to_have_text("shift+e")


async def test_what_is_typed_while_a_menu_loads_is_typed_into_it(browser: Browser, site: World) -> None:
    board = await site.board(title="Typed ahead")
    one = await site.card(board, title="Ahead")

    async def slow(route: Route) -> None:
        await asyncio.sleep(0.3)
        await route.continue_()

    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        for module in ("assignees", "due-date-dialog", "labels-menu"):
            await intercept(page, f"**/{module}.js*", slow)
        tile = card(page, "Ahead")
        for keys, text in (("amo", "MM"), ("d2031-05-04", "May 4, 2031"), ("lnew one", "new one")):
            await tile.get_by_role("link").focus()
            for key in [*keys, "Enter"]:
                await page.keyboard.press(key)
            await expect(tile).to_contain_text(text)
            await page.keyboard.press("Escape")
    stored_card = (await site.sa.get(f"/cards/{one['id']}")).ok()
    assert stored_card["dueDate"] == "2031-05-04T00:00:00.000Z"
