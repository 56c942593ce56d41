"""Dialogs open at their top, with the focus on what can be seen there."""

import json
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from ..world import World
from .boards import visit_board
from .browser import until, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")
SIZES = ((1440, 900), (390, 700))

# What is wrong with how the top dialog has opened: what is scrolled, and where the focus is.
START = """() => {
    const dialog = [...document.querySelectorAll("dialog:modal")].pop();
    const focused = document.activeElement;
    const {top, bottom} = focused.getBoundingClientRect();
    const scrolled = [dialog, ...dialog.querySelectorAll("*")].filter((one) => one.scrollTop > 0 && one !== focused);
    return [
        ...scrolled.map((one) => `${one.tagName}.${one.className} is scrolled by ${one.scrollTop}`),
        focused.matches("input, select, textarea, h1, h2") ? "" : `focus on ${focused.tagName} ${focused.textContent}`,
        top >= 0 && bottom <= innerHeight ? "" : `focus at ${top} to ${bottom}`,
    ].filter(Boolean);
}"""


async def check_start(page: Page, dialog: str) -> None:
    """Check that a dialog is open at its top, with the focus there."""
    await expect(page.get_by_role("dialog", name=dialog)).to_be_visible()
    assert await page.evaluate(START) == [], dialog


def long_trello_board(tmp_path: Path) -> Path:
    """Write the export of a Trello board with a number of lists that the dialog of its import has to scroll."""
    small = json.loads((Path(__file__).parents[1] / "data" / "trello-small.json").read_text("utf-8"))
    pattern = small["lists"][0]
    small["lists"] += [{**pattern, "id": f"{number:024x}", "name": f"List {number}"} for number in range(60)]
    file = tmp_path / "long.json"
    file.write_text(json.dumps(small), "utf-8")
    return file


@pytest.mark.slow
async def test_each_dialog_opens_at_its_top_with_the_focus_there(browser: Browser, site: World, tmp_path: Path) -> None:
    board = await site.board(title="Openings")
    made = await site.card(board, title="Long one")
    (await site.sa.post(f"/cards/{made['id']}/comments", {"content": "A paragraph.\n\n" * 200})).ok()
    bot = await site.agent("opener")
    for width, height in SIZES:
        wish = {"toColumnId": board.columns["Done"], "note": "Please"}
        asked = await site.card(board, "Review", title=f"Asked {width}")
        (await bot.post(f"/cards/{asked['id']}/move-requests/mcp", wish)).ok()
        async with visiting(browser, site, site.sa, viewport={"width": width, "height": height}) as page:
            await page.goto(f"/b/{board.id}/c/{made['key']}")
            await expect(page.get_by_role("heading", name="Long one", level=2)).to_be_focused()
            await check_start(page, f"{made['key']} Long one")
            await page.keyboard.press("Escape")
            for key, dialog in (("?", "Keyboard shortcuts"), ("Control+k", "Palette")):
                await page.keyboard.press(key)
                await check_start(page, dialog)
                await page.keyboard.press("Escape")
            await page.evaluate("async () => void (await import('/ui/freeze.js')).freezeAgents()")
            await check_start(page, "Freeze all agents")
            await page.goto(f"/b/{board.id}/c/{asked['key']}")
            await page.get_by_role("dialog").get_by_role("button", name="Reject with a reason").click()
            await expect(page.get_by_label("Reason")).to_be_focused()
            assert await page.evaluate(START) == []
            await page.goto("/agents/opener")
            await page.get_by_role("button", name="Undo its changes…").click()
            await check_start(page, "Undo the changes of opener")
            await page.goto("/me")
            await page.get_by_role("button", name="Sign out everywhere…").click()
            await check_start(page, "Sign out everywhere?")
            await expect(page.get_by_role("heading", name="Sign out everywhere?")).to_be_focused()
            await page.goto("/settings/data")
            await page.get_by_label("Board from Trello").set_input_files(long_trello_board(tmp_path))
            await page.get_by_role("button", name="Import board").click()
            await check_start(page, "Import Village garden?")
            await page.get_by_role("button", name="Import", exact=True).click()
            await check_start(page, "Import from Trello: result")
    async with visiting(browser, site, viewport={"width": 390, "height": 700}) as page:
        await page.goto("/")
        await check_start(page, "Sign in")


async def test_a_long_question_opens_at_its_top_and_enter_confirms_it(browser: Browser, site: World) -> None:
    board = await site.board(title="Questions")
    ask = """async (label) => {
        const {promptDialog} = await import("/ui/dialog.js");
        window.answer = "open";
        const asked = promptDialog({title: "Sure?", text: "A long reason. ".repeat(400), label, button: "Yes"});
        asked.then((answer) => (window.answer = answer));
    }"""
    async with visiting(browser, site, site.sa, viewport={"width": 390, "height": 700}) as page:
        await visit_board(page, board)
        for key, answer, label in (("Enter", "", None), ("Escape", None, None), ("Escape", None, "A field far down")):
            await page.evaluate(ask, label)
            await check_start(page, "Sure?")
            await page.keyboard.press(key)
            await expect(page.get_by_role("dialog")).to_have_count(0)
            await until(page, "(answer) => window.answer === answer", answer)


async def test_a_click_beside_a_form_closes_it_only_while_nothing_is_typed(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        await page.goto("/settings/webhooks")
        dialog = page.get_by_role("dialog")
        await page.get_by_role("button", name="New webhook…").click()
        await expect(dialog).to_be_visible()
        await page.mouse.click(5, 5)
        await expect(dialog).to_be_hidden()
        await page.get_by_role("button", name="New webhook…").click()
        await dialog.get_by_label("Address").fill("https://example.com/hook")
        await page.mouse.click(5, 5)
        await expect(dialog.get_by_label("Address")).to_have_value("https://example.com/hook")
        await page.keyboard.press("Escape")
        await expect(dialog).to_be_hidden()
