"""Checklists on the page: a click ticks, nobody's tick or text is overwritten, and the board shows the progress."""

from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Route, expect

from ..builders import permit
from ..world import Board, World
from .boards import card, visit_board
from .browser import PHONE, intercept, visiting
from .test_card import open_card

pytestmark = pytest.mark.asyncio(loop_scope="session")
TEXT = "Steps\n\n- [ ] Write **tests**\n- [ ] Ship it\n\n  > 1. [x] Draft\n"


async def listed(site: World, title: str, text: str = TEXT) -> tuple[Board, dict[str, Any]]:
    board = await site.board(title=title)
    values = [{"fieldId": board.field("description"), "value": text}]
    return board, await site.card(board, title="Card", fieldValues=values)


async def stored(site: World, one: dict[str, Any]) -> str:
    return str((await site.sa.get(f"/cards/{one['id']}")).ok()["fieldValues"][0]["value"])


def box(dialog: Locator, name: str) -> Locator:
    return dialog.get_by_role("checkbox", name=name)


async def test_an_item_is_ticked_with_two_clicks_or_the_space_bar_and_the_board_counts(
    browser: Browser, site: World
) -> None:
    board, one = await listed(site, "Ticking")
    (await site.sa.post(f"/cards/{one['id']}/comments", {"content": "- [ ] said"})).ok()
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        tile = card(page, "Card")
        await expect(tile.get_by_title("1 of 3 items done")).to_have_text("1/3")
        await expect(tile.get_by_role("link", name="1 of 3 items done")).to_be_visible()
        await tile.click()
        dialog = page.get_by_role("dialog", name=one["key"])
        await box(dialog, "Write tests").click()
        await expect(box(dialog, "Write tests")).to_be_checked()
        await expect(dialog.get_by_text("2 of 3 done")).to_be_visible()
        await expect(dialog.get_by_text("ticked “Write **tests**”")).to_be_visible()
        await expect(dialog.get_by_role("textbox", name="Description")).to_have_count(0)  # a tick edits no text
        assert await stored(site, one) == TEXT.replace("[ ] Write", "[x] Write")
        await expect(box(dialog, "said")).to_be_disabled()
        # By keyboard, one after the other: the focus stays although each answer draws the text again.
        await box(dialog, "Ship it").focus()
        await page.keyboard.press("Space")
        await expect(dialog.get_by_text("ticked “Ship it”")).to_be_visible()
        await expect(box(dialog, "Ship it")).to_be_focused()
        await expect(dialog.get_by_role("progressbar", name="Checklist")).to_have_attribute("value", "3")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Space")
        await expect(dialog.get_by_text("unticked “Draft”")).to_be_visible()
        await page.keyboard.press("Space")
        await expect(dialog.get_by_text("ticked “Draft”")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(tile.get_by_title("3 of 3 items done")).to_have_text("3/3")
    assert await stored(site, one) == TEXT.replace("[ ]", "[x]")


async def test_two_people_tick_at_once_and_a_changed_text_is_shown_instead_of_overwritten(
    browser: Browser, site: World
) -> None:
    board, one = await listed(site, "Together")
    path, field_id = f"/cards/{one['id']}", board.field("description")

    async def edit_meanwhile(route: Route) -> None:
        text = "- [ ] New first\n" + (await stored(site, one)).replace("Ship it", "Ship all")
        (await site.sa.patch(path, {"fieldValues": [{"fieldId": field_id, "value": text}]})).ok()
        await route.continue_()

    async with visiting(browser, site, site.sa) as mine, visiting(browser, site, site.member) as theirs:
        first, second = await open_card(mine, board, one), await open_card(theirs, board, one)
        await expect(box(second, "Ship it")).to_be_enabled()
        await box(first, "Write tests").click()
        await box(second, "Draft").click()
        for dialog in (first, second):
            await expect(box(dialog, "Write tests")).to_be_checked()
            await expect(box(dialog, "Draft")).not_to_be_checked()
        assert await stored(site, one) == TEXT.replace("[ ] Write", "[x] Write").replace("[x] Draft", "[ ] Draft")
        await intercept(mine, "**/checklist", edit_meanwhile)
        await box(first, "Ship it").click()
        await expect(mine.get_by_text("Somebody has changed this checklist meanwhile.")).to_be_visible()
        await expect(box(first, "New first")).not_to_be_checked()
        await expect(box(first, "Ship all")).not_to_be_checked()
        await expect(box(first, "Ship it")).to_have_count(0)
    assert (await stored(site, one)).count("[x]") == 1


async def test_a_box_that_is_being_pressed_while_the_card_changes_is_ticked(browser: Browser, site: World) -> None:
    board, one = await listed(site, "Pressing", "- [ ] by mouse\n- [ ] by key\n- [ ] by others")
    item = {"fieldId": board.field("description"), "item": 2, "text": "by others"}
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await box(dialog, "by key").focus()
        await box(dialog, "by mouse").hover()
        for hand, name in ((page.mouse, "by mouse"), (page.keyboard, "by key")):
            pressed = [] if hand is page.mouse else ["Space"]
            await hand.down(*pressed)
            async with page.expect_response(f"**/cards/{one['id']}?include=*"):
                body = {**item, "done": hand is page.mouse}
                (await site.member.patch(f"/cards/{one['id']}/checklist", body)).ok()
            await page.wait_for_timeout(100)  # the response would be drawn
            await hand.up(*pressed)
            await expect(box(dialog, name)).to_be_checked()
            await expect(box(dialog, "by others")).to_be_checked(checked=hand is page.mouse)
            await box(dialog, "by key").focus()
        await expect(dialog.get_by_text("ticked “by key”")).to_be_visible()
    assert await stored(site, one) == "- [x] by mouse\n- [x] by key\n- [ ] by others"


async def test_ticks_of_others_stay_in_a_text_that_is_being_written(browser: Browser, site: World) -> None:
    text = "Break  \nhere\n\n- [ ] one\n- [ ] same\n- [ ] same\n"
    board, one = await listed(site, "Writing meanwhile", text)
    async with visiting(browser, site, site.sa) as mine, visiting(browser, site, site.member) as theirs:
        first, second = await open_card(mine, board, one), await open_card(theirs, board, one)
        field = first.get_by_role("textbox", name="Description")

        async def tick(name: str, place: int = 0) -> None:
            async with theirs.expect_response("**/checklist"):
                await box(second, name).nth(place).click()

        await first.get_by_role("button", name="Edit Description").click()
        await field.fill("Above\n" + text + "Below")
        await tick("same", 1)
        await mine.keyboard.press("Control+Enter")
        await expect(field).to_have_count(0)
        assert await stored(site, one) == "Above\n" + text[:-9] + "[x] same\nBelow"
        # In a draft, too.
        await first.get_by_role("button", name="Edit Description").click()
        await field.press("Control+End")
        await field.press_sequentially("!")
        await mine.reload()
        await tick("one")
        await expect(box(first, "one")).to_be_checked()
        await first.get_by_role("button", name="Edit draft of Description").click()
        await expect(field).to_have_value("Above\n" + text[:-9].replace("[ ] one", "[x] one") + "[x] same\nBelow!")
        await expect(first.get_by_text("Somebody changed")).to_have_count(0)
        # A tick at an item that the writer has changed is shown, as other changes are.
        await field.fill((await field.input_value()).replace("[ ] same", "[ ] other"))
        await tick("same", 0)
        await mine.keyboard.press("Control+Enter")
        conflict = first.get_by_text("Somebody changed Description while you were writing.")
        await expect(conflict).to_be_visible()
        assert (await stored(site, one)).count("[x]") == 3
        # So is a line that somebody has removed.
        await first.get_by_role("button", name="Take theirs").click()
        await first.get_by_role("button", name="Edit Description").click()
        await field.fill((await field.input_value()) + "\nMine")
        shorter = {"fieldId": board.field("description"), "value": (await stored(site, one)).removesuffix("\nBelow")}
        (await site.member.patch(f"/cards/{one['id']}", {"fieldValues": [shorter]})).ok()
        await mine.keyboard.press("Control+Enter")
        await expect(conflict).to_be_visible()


async def test_who_may_not_edit_reads_the_boxes_and_on_a_phone_they_are_large_enough(
    browser: Browser, site: World
) -> None:
    board, one = await listed(site, "Reading")
    async with visiting(browser, site, site.sa, viewport=PHONE, has_touch=True) as page:
        dialog = await open_card(page, board, one)
        hit = await box(dialog, "Ship it").evaluate(
            """(box) => {
                box.scrollIntoView({block: "center"});
                const {left, top, width, height} = box.getBoundingClientRect();
                const [x, y] = [left + width / 2, top + height / 2];
                const places = [[x - 21, y], [x + 21, y], [x, y - 21], [x, y + 21]];
                return places.map((place) => document.elementFromPoint(...place)?.localName);
            }"""
        )
        assert hit == ["input"] * 4
        await box(dialog, "Ship it").tap()
        await expect(dialog.get_by_text("2 of 3 done")).to_be_visible()
        await expect(dialog.get_by_text("ticked “Ship it”")).to_be_visible()
        assert await page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    await permit(site, "Member", "Card", "read")
    async with visiting(browser, site, site.member) as page:
        dialog = await open_card(page, board, one)
        await expect(box(dialog, "Ship it")).to_be_checked()
        await expect(box(dialog, "Write tests")).to_be_disabled()
        await expect(dialog.get_by_text("2 of 3 done")).to_be_visible()
