"""A part that cannot be drawn says so, and the rest of the page works.

No input is known that the page cannot draw, so answers are spoilt on their way to it: a value of a kind that it cannot
have stands for a fault of the page that only one tile, row or section meets.
"""

import json
import re
import secrets
from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Browser, Page, Route, expect

from ..world import Board, World
from .boards import card, wait_until_ready
from .browser import visiting, watch_of

pytestmark = pytest.mark.asyncio(loop_scope="session")
BROKEN = re.compile("cannot be shown")
UNPRINTABLE = {"toString": None, "valueOf": None}  # an object that JavaScript cannot turn into a text
Spoil = Callable[[Any], None]


async def spoil(page: Page, path: str, change: Spoil) -> None:
    """Change each answer to GET requests of a path before the page gets it."""

    async def answer(route: Route) -> None:
        if route.request.method != "GET":
            return await route.fallback()
        response = await route.fetch()
        body = await response.json()
        change(body)
        await route.fulfill(response=response, body=json.dumps(body))
        return None

    await page.route(re.compile(f"/api/.*{path}"), answer)


def told(page: Page) -> int:
    """Return how many errors the page has reported in the console, and forget them."""
    problems = watch_of(page).problems
    errors = [problem for problem in problems if "TypeError" in problem or "RangeError" in problem]
    assert errors == problems, problems
    problems.clear()
    return len(errors)


async def _board(site: World, title: str) -> tuple[Board, list[Any]]:
    board = await site.board(title=title)
    value = [{"fieldId": board.field("tags"), "value": ["bug"]}]
    return board, [await site.card(board, title=f"Card {number}", fieldValues=value) for number in range(3)]


async def test_a_tile_that_cannot_be_drawn_opens_and_is_archived(browser: Browser, site: World) -> None:
    board, cards = await _board(site, "Broken tile")

    def change(body: Any) -> None:
        for one in body.get("cards", []):
            if one["id"] == cards[1]["id"]:
                one["title"] = UNPRINTABLE

    async with visiting(browser, site, site.sa) as page:
        await spoil(page, r"/board\?projectId", change)
        await page.goto(f"/b/{board.id}")
        await wait_until_ready(page)
        for number in (0, 2):
            await expect(card(page, f"Card {number}").locator(".tag")).to_have_text(["bug"])
        tile = card(page, f"{cards[1]['key']} cannot be shown here")
        await expect(tile).to_be_visible()
        assert told(page) > 0
        await tile.get_by_role("link").click()
        dialog = page.get_by_role("dialog")
        await expect(dialog.get_by_role("heading", name="Card 1", level=2)).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(dialog).to_have_count(0)
        await tile.get_by_role("button", name=f"Actions of {cards[1]['key']}").click(force=True)
        await page.get_by_role("menuitem", name="Archive").click()
        await expect(tile).to_have_count(0)


async def test_a_filter_hides_no_card_that_it_cannot_judge(browser: Browser, site: World) -> None:
    board, cards = await _board(site, "Broken filter")

    def change(body: Any) -> None:
        for one in body.get("cards", []):
            if one["id"] == cards[1]["id"]:
                one["title"] = UNPRINTABLE

    async with visiting(browser, site, site.sa) as page:
        await spoil(page, r"/board\?projectId", change)
        await page.goto(f"/b/{board.id}?q=Card+2")
        await wait_until_ready(page)
        await expect(page.locator("li.card")).to_have_count(2)
        await expect(card(page, "Card 2")).to_be_visible()
        told(page)


SECTIONS: dict[str, tuple[Spoil, str]] = {
    "a value": (
        lambda body: body["fieldValues"].append({"fieldId": "TAGS", "value": 7}),
        "This value cannot be shown.",
    ),
    "a comment": (lambda body: body["comments"][0].update(actor=None), "This comment cannot be shown."),
    "a change": (lambda body: body["history"][0].update(changes=None), "cannot be shown."),
    "a relation": (lambda body: body["relations"][0].update(kind="constructor"), "cannot be shown."),
    "the moves": (lambda body: body["moves"][0].update(allowed=False, blockers=[None]), "The moves cannot be shown."),
    "the priority": (lambda body: body.update(priority=UNPRINTABLE), "This value cannot be shown."),
    "the claim": (lambda body: body.update(claim={"agentId": UNPRINTABLE}), "The claim cannot be shown."),
    "a file": (lambda body: body["files"].append({"fieldId": "FILES", "name": UNPRINTABLE}), "cannot be shown."),
    "the parent": (lambda body: body.update(parent={"key": UNPRINTABLE}), "Its parent cannot be shown."),
}


@pytest.mark.parametrize("part", SECTIONS)
async def test_a_part_of_a_card_that_cannot_be_drawn_leaves_the_others(
    browser: Browser, site: World, part: str
) -> None:
    board, cards = await _board(site, f"Broken part: {part}")
    (await site.sa.post(f"/cards/{cards[0]['id']}/comments", {"content": "First comment"})).ok()
    (await site.sa.post(f"/cards/{cards[0]['id']}/comments", {"content": "Second comment"})).ok()
    for other in cards[1:]:
        relation = {"fromCardId": cards[0]["id"], "toCardId": other["id"], "kind": "relatesTo"}
        (await site.sa.post(site.sa.org("/relationships"), relation)).ok()
    (await site.sa.patch(f"/cards/{cards[0]['id']}", {"priority": "high"})).ok()
    spoiling, sentence = SECTIONS[part]

    def change(body: Any) -> None:
        before = json.dumps(body)
        spoiling(body)
        for name, field in (("TAGS", "tags"), ("FILES", "attachments")):
            text = json.dumps(body).replace(f'"{name}"', f'"{board.field(field)}"')
            body.clear()
            body.update(json.loads(text))
        if part == "a value":
            body["fieldValues"] = body["fieldValues"][-1:]
        assert json.dumps(body) != before

    async with visiting(browser, site, site.sa) as page:
        await spoil(page, rf"/cards/{cards[0]['key']}\?include=moves,comments", change)
        await page.goto(f"/b/{board.id}/c/{cards[0]['key']}")
        dialog = page.get_by_role("dialog")
        await expect(dialog).to_contain_text(sentence)
        await expect(dialog.get_by_role("heading", name="Card 0", level=2)).to_be_visible()
        await expect(dialog).to_contain_text("First comment")
        await expect(dialog.get_by_role("heading", name="History")).to_be_visible()
        await expect(dialog.locator(".history li").last).to_be_visible()
        await expect(dialog.get_by_role("heading", name="Move to")).to_be_visible()
        await expect(dialog.locator(".relations li").last).to_be_visible()
        await dialog.get_by_role("textbox", name="Comment").fill("Still writable")
        await dialog.get_by_role("button", name="Archive").click()
        await expect(dialog).to_have_count(0)
        told(page)
    assert (await site.sa.get(f"/cards/{cards[0]['id']}")).ok()["archivedAt"]


ROWS = {  # by address: the path of the answer, and the property of a row that is spoilt
    "/settings/keys": ("/settings/api-keys$", "prefix"),
    "/settings/webhooks": ("/webhooks$", "url"),
    "/settings/members": ("/members$", "email"),
    "/settings/prompts": ("/prompts", "name"),
    "/settings/tools": ("/mcp-servers$", "name"),
    "/agents": (r"/agents\?include=work", "title"),
}


async def _furnish(site: World) -> None:
    for number in range(2):
        await site.agent(f"bot-{secrets.token_hex(4)}")
        (await site.sa.post("/webhooks", {"url": f"https://hooks.test/{number}", "events": ["card.moved"]})).ok()
        (await site.sa.post("/prompts", {"name": f"Prompt {number}", "body": "Text"})).ok()
        server = {"name": f"Server {secrets.token_hex(4)}", "transport": "stdio", "command": "run"}
        (await site.sa.post("/mcp-servers", server)).ok()


@pytest.mark.parametrize("address", ROWS)
async def test_a_row_that_cannot_be_drawn_leaves_the_others(browser: Browser, site: World, address: str) -> None:
    await _furnish(site)
    path, name = ROWS[address]
    async with visiting(browser, site, site.sa) as page:
        await spoil(page, path, lambda rows: rows[0].update({name: UNPRINTABLE}))
        await page.goto(address)
        items = page.get_by_role("main").locator("li.item")
        await expect(items.filter(has_text=BROKEN)).to_have_count(1)
        await expect(items.filter(has_not_text=BROKEN)).not_to_have_count(0)
        assert told(page) > 0


async def test_a_key_whose_row_cannot_be_drawn_is_removed(browser: Browser, site: World) -> None:
    key = (await site.sa.post("/settings/api-keys", {"name": "Broken key"})).ok()

    def change(rows: Any) -> None:
        for row in rows:
            if row["id"] == key["id"]:
                row["prefix"] = UNPRINTABLE

    async with visiting(browser, site, site.sa) as page:
        await spoil(page, "/settings/api-keys$", change)
        await page.goto("/settings/keys")
        row = page.locator("li.item", has_text=BROKEN)
        await expect(row).to_contain_text("Broken key")
        await row.get_by_role("button", name="Remove").click()
        await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        await expect(row).to_have_count(0)
        assert told(page) > 0
    assert key["id"] not in [row["id"] for row in (await site.sa.get("/settings/api-keys")).ok()]


async def test_a_hit_and_a_row_of_home_that_cannot_be_drawn_open_their_cards(browser: Browser, site: World) -> None:
    board = await site.board(title="Broken rows")
    for number in range(2):
        await site.card(board, title=f"Findable {number}", assignedUserId=site.sa.id)

    def hits(body: Any) -> None:
        body["items"][0]["snippets"] = None

    def mine(body: Any) -> None:
        body["items"][0]["board"] = None

    async with visiting(browser, site, site.sa) as page:
        await spoil(page, r"/search\?", hits)
        await spoil(page, r"/me/cards", mine)
        await page.goto("/search?q=Findable")
        items = page.get_by_role("main").locator("li.item")
        await expect(items).to_have_count(2)
        await expect(items.first).to_contain_text(BROKEN)
        await expect(items.last).to_contain_text("Findable")
        await items.first.get_by_role("link", name="Open").click()
        await expect(page.get_by_role("dialog")).to_contain_text("Findable")
        await page.goto("/")
        row = page.locator("li.item", has_text="cannot be shown")
        await expect(row).to_have_count(1)
        await expect(page.get_by_role("heading", name="Agents", level=2)).to_be_visible()
        await row.get_by_role("link", name="Open").click()
        await expect(page.get_by_role("dialog")).to_contain_text("Findable")
        assert told(page) >= 2


async def test_a_panel_of_home_that_cannot_be_drawn_leaves_the_others(browser: Browser, site: World) -> None:
    board = await site.board(title="Broken panel")
    await site.card(board, title="Shown here", assignedUserId=site.sa.id)
    async with visiting(browser, site, site.sa) as page:
        await spoil(page, "/refusals", lambda body: body.update(items=None))
        await page.goto("/")
        await expect(page.get_by_text("Denied in 24 h cannot be shown.")).to_be_visible()
        await expect(page.get_by_role("link", name="Shown here")).to_be_visible()
        await expect(page.get_by_role("heading", name="Agents", level=2)).to_be_visible()
        await expect(page.get_by_role("heading", name="Since your last visit", level=2)).to_be_visible()
        assert told(page) > 0


async def test_a_section_of_board_settings_and_a_report_that_cannot_be_drawn_leave_the_others(
    browser: Browser, site: World
) -> None:
    board, _ = await _board(site, "Broken sections")

    def types(rows: Any) -> None:
        for row in rows:
            row["fields"] = None

    def series(body: Any) -> None:
        body["agents"] = [7, None]

    async with visiting(browser, site, site.sa) as page:
        await spoil(page, r"/card-types", types)
        await page.goto(f"/b/{board.id}/design")
        await expect(page.get_by_role("heading", name="Columns", level=2)).to_be_visible()
        await expect(page.get_by_role("heading", name="Transitions", level=2)).to_be_visible()
        await expect(page.get_by_text(BROKEN).first).to_be_visible()
        assert told(page) > 0
        await spoil(page, r"/analytics\?", series)
        await page.goto("/reports")
        await expect(page.get_by_role("heading", name="Reports", level=1)).to_be_visible()
        await expect(page.get_by_text(BROKEN).first).to_be_visible()
        assert told(page) > 0
