"""Writes of the page while others use the service: it waits as long as the service says, and goes on from there."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser, Page, Response, expect

from service.database import writer
from service.database.store import Share

from ..world import World
from .boards import card, column, titles, visit_board
from .browser import intercept, visiting
from .test_states import open_card

pytestmark = pytest.mark.asyncio(loop_scope="session")
OVERLOADED = {"error": {"code": "overloaded", "message": "Wait.", "details": {}, "requestId": "r"}}


@asynccontextmanager
async def overloaded(site: World, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[asyncio.Event]:
    """Keep the writer busy with the work of others, so that all further writes are refused; set the event to end it."""
    assert site.service is not None
    store, begun, held, is_over = site.service.store, threading.Event(), threading.Event(), asyncio.Event()
    with monkeypatch.context() as patch:
        patch.setattr("service.database.deadline.UNIT_SECONDS_MAX", 30)
        first = asyncio.create_task(store.write(lambda tx: (begun.set(), held.wait(20)), Share("elsewhere", "one")))
        assert await asyncio.to_thread(begun.wait, 20)
        second = asyncio.create_task(store.write(lambda tx: None, Share("elsewhere", "another")))
        await asyncio.sleep(0)
        patch.setattr(writer, "CALLER_SECONDS_MAX", -1.0)
        ending = asyncio.create_task(is_over.wait())
        ending.add_done_callback(lambda _: held.set())
        try:
            yield is_over
        finally:
            is_over.set()
            await asyncio.gather(ending, first, second)


class Refusals:
    """The refusals of writes that a page gets."""

    def __init__(self, page: Page) -> None:
        self.paths: list[str] = []
        self._came = asyncio.Event()
        page.on("response", self._note)

    def _note(self, response: Response) -> None:
        if response.status == 503:
            self.paths.append(response.url.partition("/api/v1")[2])
            self._came.set()

    async def wait(self) -> None:
        """Wait for the next refusal."""
        await asyncio.wait_for(self._came.wait(), 20)
        self._came.clear()


async def test_lines_that_are_added_wait_until_there_is_room(
    browser: Browser, site: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = await site.board(title="Lines")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        refusals = Refusals(page)
        await column(page, "Backlog").get_by_role("button", name="Add a card").click()
        field = page.get_by_label("New card in Backlog")
        await field.fill("One\nTwo\nThree")
        async with overloaded(site, monkeypatch) as is_over:
            await page.keyboard.press("Enter")
            await refusals.wait()
            await expect(page.locator("form.quick-add[aria-busy]")).to_have_count(1)
            await expect(field).to_have_value("One\nTwo\nThree\n")
            is_over.set()
        await expect(column(page, "Backlog").locator("li.card")).to_have_count(3)
        await expect(field).to_have_value("")
        assert await titles(page, "Backlog") == ["One", "Two", "Three"]
        assert refusals.paths == [site.sa.org("/cards")]


async def test_a_batch_waits_until_there_is_room(
    browser: Browser, site: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = await site.board(title="Batch")
    for title in ("One", "Two"):
        await site.card(board, title=title)
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        refusals = Refusals(page)
        for title in ("One", "Two"):
            await card(page, title).get_by_role("link").click(modifiers=["Control"])
        bar = page.get_by_role("region", name="Selected cards")
        async with overloaded(site, monkeypatch) as is_over:
            await bar.get_by_role("button", name="Archive").click()
            await refusals.wait()
            await expect(page.locator(".selection-bar[inert]")).to_contain_text("2 cards selected")
            is_over.set()
        await expect(page.locator(".toast")).to_contain_text("2 cards in the archive now")
        await expect(page.locator("li.card")).to_have_count(0)
        assert refusals.paths == [site.sa.org("/cards/batch")]


async def test_an_upload_waits_until_there_is_room_and_can_be_stopped_meanwhile(
    browser: Browser, site: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = await site.board(title="Uploads")
    one = await site.card(board)
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        refusals = Refusals(page)
        files = [{"name": f"{name}.txt", "mimeType": "text/plain", "buffer": b"content"} for name in ("a", "b")]
        async with overloaded(site, monkeypatch) as is_over:
            await dialog.get_by_label("Files for ").first.set_input_files(files)  # type: ignore[arg-type]
            await refusals.wait()
            await expect(dialog.get_by_role("progressbar")).to_have_count(2)
            await dialog.get_by_role("button", name="Stop b.txt").click()
            await expect(dialog.get_by_role("progressbar")).to_have_count(1)
            is_over.set()
        await expect(dialog.locator(".files button.link")).to_have_text("a.txt")
        await expect(dialog.get_by_role("progressbar")).to_have_count(0)
        await asyncio.sleep(2.5)  # longer than the pause
        assert [file["name"] for file in (await site.sa.get(f"/files/card/{one['id']}")).ok()] == ["a.txt"]


async def test_the_page_gives_up_after_half_a_minute_and_keeps_what_is_not_stored(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Patience")
    sent: list[str] = []

    async def answer(route: object) -> None:
        request = route.request  # type: ignore[attr-defined]
        if request.method != "POST" or "Two" not in request.post_data:
            await route.continue_()  # type: ignore[attr-defined]
            return
        sent.append(request.headers["idempotency-key"])
        headers = {"Retry-After": "8"}
        await route.fulfill(status=503, json=OVERLOADED, headers=headers)  # type: ignore[attr-defined]

    async with visiting(browser, site, site.sa) as page:
        await page.clock.install()
        await visit_board(page, board)
        await column(page, "Backlog").get_by_role("button", name="Add a card").click()
        field = page.get_by_label("New card in Backlog")
        await field.fill("One\nTwo\nThree")
        await intercept(page, "**/cards", answer)
        await page.keyboard.press("Enter")
        async with asyncio.timeout(20):
            while len(sent) < 4:  # a little time after the other: it begins to wait when it has read the answer
                await page.clock.run_for(400)
                await asyncio.sleep(0.02)
        await expect(page.locator("form.quick-add [role=alert]").first).to_contain_text("Wait. Nothing was changed.")
        await expect(field).to_have_value("Two\nThree")
        assert len(sent) == 4
        assert len(set(sent)) == 1
