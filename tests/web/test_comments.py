"""Comments and replies of the open card: what is being written stays, and what is sent is created once."""

import asyncio

import pytest
from playwright.async_api import Browser, Route, expect

from ..world import World
from .browser import intercept, visiting
from .test_card import open_card

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_reply_that_is_being_written_stays_while_others_reply(browser: Browser, site: World) -> None:
    board = await site.board(title="Replies")
    one = await site.card(board, title="Discussed")
    first = (await site.member.post(f"/cards/{one['id']}/comments", {"content": "Begin"})).ok()
    replies = f"/cards/{one['id']}/comments/{first['id']}/replies"
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        thread = dialog.get_by_role("listitem").filter(has_text="Begin")
        field = thread.get_by_role("textbox", name="Reply")
        await thread.get_by_role("button", name="Reply").click()
        await expect(field).to_be_focused()
        await field.press_sequentially("Half ")
        (await site.member.post(replies, {"content": "From elsewhere"})).ok()
        (await site.member.post(f"/cards/{one['id']}/comments", {"content": "Another one"})).ok()
        await expect(dialog.get_by_role("article").filter(has_text="Another one")).to_be_visible()
        await expect(field).to_be_focused()
        await page.keyboard.type("a reply")
        await page.keyboard.press("Control+Enter")
        await expect(thread.get_by_role("article")).to_have_count(3)
        await expect(thread.get_by_role("article").last).to_contain_text("Half a reply")
        await expect(thread.get_by_role("article").nth(1)).to_contain_text("From elsewhere")
        await expect(field).to_have_count(0)
        await expect(thread.get_by_role("button", name="Reply")).to_be_visible()


async def test_a_comment_whose_response_is_lost_is_created_once(browser: Browser, site: World) -> None:
    board = await site.board(title="Sent twice")
    one = await site.card(board, title="Discussed")
    sent: asyncio.Queue[Route] = asyncio.Queue()
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        field, button = dialog.get_by_label("Comment", exact=True), dialog.get_by_role("button", name="Comment")
        await intercept(page, "**/comments", sent.put)
        await field.fill("Only once")
        await page.keyboard.press("Control+Enter")
        first = await sent.get()
        await expect(button).to_be_disabled()
        await page.keyboard.press("Control+Enter")  # is being sent
        await first.fetch()
        await first.abort()
        await expect(dialog.locator(".compose").get_by_role("alert")).to_have_text(
            "The service cannot be reached. Nothing was changed."
        )
        await expect(field).to_have_value("Only once")
        await button.click()
        await (await sent.get()).continue_()
        await expect(field).to_have_value("")
        await expect(dialog.get_by_role("article")).to_have_count(1)
        assert sent.empty()
        # Another text is another comment.
        await field.fill("Only once")
        await page.keyboard.press("Control+Enter")
        await (await sent.get()).continue_()
        await expect(dialog.get_by_role("article")).to_have_count(2)


async def test_blank_comments_are_not_sent(browser: Browser, site: World) -> None:
    board = await site.board(title="Nothing said")
    one = await site.card(board, title="Silent")
    sent: asyncio.Queue[Route] = asyncio.Queue()
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await intercept(page, "**/comments", sent.put)
        await dialog.get_by_label("Comment", exact=True).fill("  \n ")
        await dialog.get_by_role("button", name="Comment").click()
        await page.keyboard.press("Control+Enter")
        await page.wait_for_timeout(200)
        assert sent.empty()
