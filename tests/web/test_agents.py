"""Agents: who works on what, who waits; approved, stopped with a reason, resumed, removed; and their teams."""

import re
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from service.resources import refusals

from ..direct_db import execute
from ..many_cards import Many
from ..world import Board, World
from .browser import visiting

EVENTS = """
    INSERT INTO events (org_id, type, card_id, actor_type, actor_id, created_at)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5100)
    SELECT :org, 'card.updated', :card, 'User', :user, strftime('%Y-%m-%dT%H:%M:%fZ', 'now') FROM n
"""
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def open_screen(page: Page) -> None:
    """Open the list and wait until it is there."""
    await page.goto("/agents")
    await expect(page.get_by_role("heading", name="Agents", level=2)).to_be_visible()


def find_section(page: Page, title: str) -> Locator:
    """Find a part of the screen by its heading."""
    return page.get_by_role("region", name=title, exact=True)


def row(page: Page, text: str) -> Locator:
    """Find an agent, a team or a card."""
    return page.locator("li.item").filter(has_text=text)


async def open_board(site: World, title: str) -> Board:
    """Make a board on which agents may work in Todo and Review."""
    board = await site.board(title=title)
    for name in ("Todo", "Review"):
        await site.column(board, name, agentPickupEnabled=True, agentCanModerate=True)
    return board


async def status(site: World, agent_id: str) -> Any:
    """Return an agent as the service has it, or None."""
    rows = (await site.sa.get(site.sa.org("/agents"), params={"include": "work"})).ok()
    return next((one for one in rows if one["id"] == agent_id), None)


async def test_who_works_on_what_is_seen_as_it_happens(browser: Browser, site: World) -> None:
    board = await open_board(site, "Work")
    bot = await site.agent("worker")
    one = await site.card(board, title="In hand")
    async with visiting(browser, site, site.member) as page:
        await open_screen(page)
        await expect(row(page, "worker")).to_contain_text("online · seen")
        (await bot.post("/agents/worker/offline")).ok()
        await expect(row(page, "worker")).to_contain_text("offline · seen")
        (await bot.post(f"/cards/{one['id']}/claim/mcp", {"leaseSeconds": 600})).ok()
        await expect(row(page, "worker")).to_contain_text("In hand · Todo")
        await expect(row(page, "worker")).to_contain_text("9:5")
        (await bot.delete(f"/cards/{one['id']}/claim/mcp")).ok()
        await expect(row(page, "worker")).not_to_contain_text("In hand")
        await expect(page.get_by_role("main").get_by_role("button")).to_have_count(0)  # a member only looks
        await expect(find_section(page, "Teams")).to_have_count(0)


async def test_an_agent_registers_is_approved_stopped_with_a_reason_resumed_and_removed(
    browser: Browser, site: World
) -> None:
    async with visiting(browser, site, site.sa) as page, visiting(browser, site, site.member) as other:
        await open_screen(page)
        await open_screen(other)
        await site.agent("fresh", approve=False)
        await expect(find_section(page, "Waiting for approval")).to_contain_text("fresh")
        await page.get_by_role("button", name="Approve fresh").click()
        await expect(find_section(page, "Waiting for approval")).to_have_count(0)
        await page.get_by_role("button", name="Stop fresh").click()
        await page.get_by_label("Reason").fill("It moved the wrong cards")
        await page.keyboard.press("Enter")
        for each in (page, other):
            await expect(find_section(each, "Agents").locator("li.item", has_text="fresh")).to_contain_text(
                "stopped: It moved the wrong cards"
            )
        assert (await status(site, "fresh"))["stopReason"] == "It moved the wrong cards"
        await page.get_by_role("button", name="Resume fresh").click()
        await expect(page.get_by_role("button", name="Stop fresh")).to_be_visible()
        await page.get_by_role("link", name="fresh", exact=True).click()
        await expect(page.get_by_role("heading", name="fresh", level=2)).to_be_visible()
        await page.get_by_role("button", name="Remove fresh").click()
        await page.get_by_role("button", name="Remove", exact=True).click()
        await expect(page).to_have_url(re.compile("/agents$"))
        await expect(other.get_by_role("link", name="fresh", exact=True)).to_have_count(0)
    assert await status(site, "fresh") is None


async def test_the_page_of_an_agent_tells_what_it_has_was_refused_and_did(browser: Browser, site: World) -> None:
    board = await open_board(site, "Told")
    bot = await site.agent("told")
    mine = await site.card(board, title="Its own", assignedAgentId="told")
    asked = await site.card(board, "Review", title="Asked for")
    body = {"toColumnId": board.columns["Done"], "note": "All **tests** pass."}
    (await bot.post(f"/cards/{asked['id']}/move-requests/mcp", body)).ok()
    await bot.patch(f"/cards/{mine['id']}/mcp/status", {"toColumnId": board.columns["Done"]})
    (await site.sa.post(f"/cards/{mine['id']}/comments", {"content": "Not the agent's"})).ok()
    assert site.service is not None
    await refusals.store_refusals(site.service)
    async with visiting(browser, site, site.member) as page:
        await page.goto("/agents/told")
        await expect(find_section(page, "Assigned")).to_contain_text(f"Its own {mine['key']}")
        await expect(find_section(page, "Open requests")).to_contain_text("Asked for")
        await expect(find_section(page, "Open requests")).to_contain_text("Review → Done")
        await expect(find_section(page, "Open requests")).to_contain_text("“All tests pass.”")
        await expect(find_section(page, "Denied")).to_contain_text("no such transition on the board")
        await expect(find_section(page, "Activity").locator("li.item")).to_have_count(1)
        await expect(find_section(page, "Activity")).to_contain_text("asked to move Asked for")
        (await bot.post(f"/cards/{mine['id']}/comments/mcp", {"content": "Done soon"})).ok()
        await expect(find_section(page, "Activity").locator("li.item").first).to_contain_text("commented on Its own")
        (await bot.post(f"/cards/{mine['id']}/claim/mcp", {})).ok()
        await expect(find_section(page, "Claimed cards")).to_contain_text("Its own")
        await find_section(page, "Assigned").get_by_role("link", name="Its own").click()
        await expect(page.get_by_role("dialog", name="Its own")).to_be_visible()
        await page.goto("/agents/nobody-here")
        await expect(page.get_by_text("There is no agent “nobody-here”")).to_be_visible()


async def test_the_newest_activity_is_found_behind_many_events_and_counts_say_what_is_listed(
    browser: Browser, site: World
) -> None:
    board = await open_board(site, "Busy")
    bot = await site.agent("busy")
    card = await site.card(board, title="Often renamed")
    await bot.post(f"/cards/{card['id']}/comments/mcp", {"content": "First"})
    await bot.post(f"/cards/{card['id']}/comments/mcp", {"content": "Last"})
    await execute(site, EVENTS, org=site.sa.org_id, card=card["id"], user=site.sa.id)
    Many(site, board).fill(55, agent_id="busy")
    for _ in range(3):
        await site.card(board, "Done", assignedAgentId="busy")
    async with visiting(browser, site, site.member) as page:
        await page.goto("/agents/busy")
        await expect(find_section(page, "Activity").locator("li.item")).to_have_count(2)
        await expect(find_section(page, "Assigned")).to_contain_text("58, 55 of them open")
        await expect(find_section(page, "Assigned").locator("li.item[data-id]")).to_have_count(50)
        await expect(find_section(page, "Assigned")).to_contain_text("And 8 cards more.")
        await open_screen(page)
        await expect(row(page, "busy")).to_contain_text("55 open cards assigned")


async def test_a_team_has_an_onboarding_document_with_a_preview_and_people(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        await page.get_by_role("button", name="New team…").click()
        await page.get_by_label("Name", exact=True).fill("Builders")
        await page.keyboard.press("Enter")
        await page.get_by_role("button", name="Onboarding document: Builders").click()
        await page.get_by_label("Text (Markdown)").fill("# Welcome\n\n<img src=x onerror=alert(1)> **Claim** first.")
        preview = page.get_by_role("region", name="Preview")
        await expect(preview.get_by_role("heading", name="Welcome")).to_be_visible()
        await expect(preview.locator("strong")).to_have_text("Claim")
        await expect(preview.locator("img")).to_have_count(0)
        await page.get_by_role("button", name="Save").click()
        await expect(row(page, "Builders")).to_contain_text("has an onboarding document")
        await page.get_by_role("button", name="People: Builders").click()
        await page.get_by_role("switch", name="Mo Member").click()
        await expect(page.get_by_role("switch", name="Mo Member")).to_be_enabled()
        await page.get_by_role("button", name="Done").click()
        await expect(row(page, "Builders")).to_contain_text("1 person")
        team = (await site.sa.get(site.sa.org("/teams"))).ok()[-1]
        told = (await site.nobody.get(f"/teams/{team['id']}/onboarding")).ok()
        assert told["onboardingDoc"].startswith("# Welcome")
        await page.get_by_role("button", name="Archive: Builders").click()
        await expect(row(page, "Builders")).to_have_count(0)
        await page.keyboard.press("z")
        await expect(row(page, "Builders")).to_contain_text("1 person")
        await page.get_by_role("button", name="Archive: Builders").click()
        await expect(row(page, "Builders")).to_have_count(0)
    assert (await site.nobody.get(f"/teams/{team['id']}/onboarding")).status == 404


async def test_what_an_agent_did_wrong_is_looked_at_and_undone_at_once(browser: Browser, site: World) -> None:
    board = await open_board(site, "Wrong")
    bot = await site.agent("wrong")
    moved = [await site.card(board, title=f"Moved {number}") for number in range(3)]
    for one in moved:
        (await bot.patch(f"/cards/{one['id']}/mcp/status", {"toColumnId": board.columns["In Progress"]})).ok()
    (await site.sa.patch(f"/cards/{moved[2]['id']}/status", {"toColumnId": board.columns["Review"]})).ok()
    async with visiting(browser, site, site.sa) as page:
        await page.goto("/agents/wrong")
        await page.get_by_role("button", name="Undo its changes…").click()
        await expect(page.get_by_text("2 cards would change. 1 change of it would stay.")).to_be_visible()
        would = page.get_by_role("list", name="What would change")
        await expect(would).to_contain_text("column: In Progress → Todo")
        await expect(would).to_contain_text("column stays: Somebody else has worked on it since. (Ada Architect)")
        assert (await site.sa.get(f"/cards/{moved[0]['id']}")).ok()["columnId"] == board.columns["In Progress"]
        await page.get_by_role("button", name="Undo on 2 cards").click()
        await expect(page.get_by_text("2 cards of wrong went back")).to_be_visible()
        await page.get_by_role("button", name="Undo its changes…").click()
        await expect(page.get_by_text("There is nothing to undo.")).to_be_visible()
        await page.get_by_label("Time span").select_option("Another time span…")
        await expect(page.get_by_text("Choose a start time.")).to_be_visible()
        await expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()
        await page.keyboard.press("Escape")
    where = [(await site.sa.get(f"/cards/{one['id']}")).ok()["columnId"] for one in moved]
    assert where == [board.columns[name] for name in ("Todo", "Todo", "Review")]
    async with visiting(browser, site, site.member) as page:
        await page.goto("/agents/wrong")
        await expect(find_section(page, "Assigned")).to_be_visible()
        await expect(page.get_by_role("button", name="Undo its changes…")).to_have_count(0)
