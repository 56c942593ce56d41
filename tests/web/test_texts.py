"""Texts as people write them: tags with commas, scripts from right to left, input methods."""

from typing import Any

import pytest
from playwright.async_api import Browser, expect

from ..world import World
from .browser import visiting
from .test_card import opened

pytestmark = pytest.mark.asyncio(loop_scope="session")

PASTE = """(field, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    field.dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true}));
}"""


async def test_tags_are_edited_one_by_one_and_keep_their_commas(browser: Browser, site: World) -> None:
    board = await site.board(title="Tags")
    tags = board.field("tags")
    one = await site.card(board, title="Tagged", fieldValues=[{"fieldId": tags, "value": ["red, warm", "blue"]}])

    async def stored() -> Any:
        values = (await site.sa.get(f"/cards/{one['id']}")).ok()["fieldValues"]
        return [value["value"] for value in values if value["fieldId"] == tags]

    async with visiting(browser, site, site.sa) as page:
        dialog = await opened(page, board, one)
        await dialog.get_by_role("button", name="Tags: red, warm, blue").click()
        group, field = dialog.get_by_role("group", name="Tags"), dialog.get_by_role("textbox", name="Add to Tags")
        remove = group.get_by_role("button", name="Remove")
        await expect(field).to_be_focused()
        await field.press_sequentially("green, too")
        await page.keyboard.press("Enter")
        await expect(remove).to_have_text(["red, warm", "blue", "green, too"])
        await expect(page.get_by_role("status").filter(has_text="Added green, too.")).to_have_count(1)
        await page.keyboard.press("Backspace")
        await expect(remove).to_have_text(["red, warm", "blue"])
        await field.evaluate(PASTE, "one\n two \r\n\nblue\none")
        await expect(remove).to_have_text(["red, warm", "blue", "one", "two"])
        # With the keyboard: back to the button of the last one, which removes it.
        await page.keyboard.press("Shift+Tab")
        await expect(group.get_by_role("button", name="Remove two")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(remove).to_have_text(["red, warm", "blue", "one"])
        await expect(field).to_be_focused()
        await field.press_sequentially("left")
        await page.keyboard.press("Tab")
        await expect(remove).to_have_text(["red, warm", "blue", "one", "left"])
        boxes = [await button.bounding_box() for button in await remove.all()]
        frame = await group.bounding_box()
        assert frame is not None
        assert all(box and box["x"] + box["width"] <= frame["x"] + frame["width"] + 1 for box in boxes)
        await field.fill("x" * 200)
        await page.keyboard.press("Enter")
        assert await dialog.locator(".card-side").evaluate("(side) => side.scrollWidth <= side.clientWidth")
        await page.keyboard.press("Backspace")
        await page.keyboard.press("Enter")  # in the empty field: saves
        await expect(dialog.get_by_role("button", name="Tags: red, warm, blue, one, left")).to_be_focused()
        await expect(dialog.get_by_text("to “red, warm”, “blue”, “one” and “left”")).to_be_visible()
    assert await stored() == [["red, warm", "blue", "one", "left"]]
