"""The beginning of an organization: each step says what is next, is done in place, and never comes back."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from ..builders import permit
from ..world import Client, World
from .axe import findings_in_both_themes
from .boards import drop_files
from .browser import visiting

TRELLO = Path(__file__).parents[1] / "data" / "trello-small.json"
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def new_organization(site: World, title: str) -> Client:
    """Make an organization, and return its architect."""
    made = (await site.sa.post("/organizations", {"title": title})).ok()
    switched = (await site.sa.post("/auth/switch", {"orgId": made["id"]})).ok()
    return site.client({"Authorization": f"Bearer {switched['token']}"}, id=site.sa.id, org_id=made["id"])


async def open_first_steps(page: Page) -> None:
    """Open Now and wait until the first step is there."""
    await page.goto("/")
    await expect(page.get_by_role("region", name="Get started")).to_be_visible()


async def test_a_new_organization_is_led_to_a_board_a_person_and_an_agent_that_works(
    browser: Browser, site: World, axe: str
) -> None:
    architect = await new_organization(site, "Fresh")
    async with visiting(browser, site, architect) as page:
        await open_first_steps(page)
        steps = page.get_by_role("region", name="Get started")
        assert await findings_in_both_themes(page, axe) == []
        await expect(steps.get_by_role("button", name="Add a person…")).to_have_count(0)  # one after the other
        await steps.get_by_role("button", name="Create a board…").click()
        await page.get_by_label("Title").fill("First <b>board</b>")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("The board First <b>board</b> is created")).to_be_visible()
        await steps.get_by_role("button", name="Add a person…").click()
        await page.get_by_label("E-mail").fill("first@example.test")
        await page.keyboard.press("Enter")
        await page.get_by_role("button", name="Done").click()
        await steps.get_by_role("button", name="Create an API key…").click()
        await page.get_by_label("Name", exact=True).fill("First agent")
        await page.keyboard.press("Enter")
        secret = await page.get_by_label("Key", exact=True).input_value()
        await page.get_by_role("button", name="Done").click()
        await expect(steps).to_contain_text("Waiting for an agent to register")
        (team,) = (await architect.get(architect.org("/teams"))).ok()  # came with the key: an agent needs one
        agent = site.client({"Authorization": f"ApiKey {secret}"}, org_id=architect.org_id)
        await site.register(agent, team["id"], "builder-1")
        await expect(steps).to_contain_text("builder-1 has registered.")
        await steps.get_by_role("button", name="Approve builder-1").click()
        await expect(steps).to_have_count(0)
        (await agent.get("/agent/mcp")).ok()
        (await architect.delete("/agents/builder-1")).ok()
        await page.reload()
        await expect(page.get_by_role("heading", name="Waiting for you")).to_be_visible()
        await expect(page.get_by_text("Nothing is waiting for you.")).to_be_visible()
        await expect(steps).to_have_count(0)


async def test_a_board_can_begin_empty_and_who_wants_no_lead_has_none(browser: Browser, site: World) -> None:
    architect = await new_organization(site, "Own way")
    async with visiting(browser, site, architect) as page:
        await open_first_steps(page)
        await page.get_by_role("button", name="Create a board…").click()
        await page.get_by_label("Title").fill("Blank")
        await page.get_by_label("Template").select_option("blank")
        await page.get_by_role("button", name="Create board").click()
        await expect(page.get_by_role("link", name="Blank")).to_be_visible()
        await page.get_by_role("region", name="Get started").get_by_role("button", name="Dismiss").click()
        await expect(page.get_by_role("region", name="Get started")).to_have_count(0)
        await page.reload()
        await expect(page.get_by_text("Nothing is waiting for you.")).to_be_visible()
        await expect(page.get_by_role("region", name="Get started")).to_have_count(0)
        await page.get_by_role("button", name="Ada Architect").click()
        await page.get_by_role("menuitem", name="Get started").click()
        steps = page.get_by_role("region", name="Get started")
        await expect(steps.get_by_role("button", name="Create a board…")).to_be_visible()  # done, and possible again
        await expect(steps.get_by_role("button", name="Create an API key…")).to_be_visible()
        await steps.get_by_role("button", name="Dismiss").click()
        await expect(steps).to_have_count(0)
        await page.reload()
        await expect(page.get_by_text("Nothing is waiting for you.")).to_be_visible()
        await expect(steps).to_have_count(0)
    assert (await architect.get(architect.org("/columns"))).ok() == []


async def test_a_board_from_trello_dropped_on_the_beginning_is_the_first_board(browser: Browser, site: World) -> None:
    architect = await new_organization(site, "From elsewhere")
    narrow = {"viewport": {"width": 320, "height": 700}, "has_touch": True, "is_mobile": True}
    async with visiting(browser, site, architect, **narrow) as page:
        await open_first_steps(page)
        steps = page.get_by_role("region", name="Get started")
        await steps.get_by_text("From Trello, or a demo").click()
        await drop_files(page, steps.locator(".drop"), ("board.json", TRELLO.read_text("utf-8")))
        asked = page.get_by_role("dialog", name="Import Village garden?")
        await asked.get_by_role("button", name="Import", exact=True).click()
        came = page.get_by_role("dialog", name="Import from Trello: result")
        await expect(came.get_by_role("row", name="comments").first).to_be_visible()
        wide = "(dialog) => dialog.scrollWidth > dialog.clientWidth"
        assert not await came.evaluate(wide)
        await page.keyboard.press("Escape")
        await expect(steps.get_by_role("button", name="Add a person…")).to_be_visible()
    assert [one["title"] for one in (await architect.get(architect.org("/projects"))).ok()] == ["Village garden"]


async def test_members_are_not_led_and_told_what_they_can_do(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.member) as page:
        await page.goto("/?start=1")
        await expect(page.get_by_text("Nothing is waiting for you.")).to_be_visible()
        await expect(page.get_by_text("A Solution Architect creates the first one")).to_be_visible()
        await expect(page.get_by_role("region", name="Get started")).to_have_count(0)
        await page.keyboard.press("Control+k")
        await expect(page.get_by_role("listbox", name="Results")).to_contain_text("Go to reports")
        await expect(page.get_by_role("listbox", name="Results")).not_to_contain_text("Go to the boards")
        await page.keyboard.press("Escape")
        board = await site.board(title="Empty")
        await page.get_by_role("link", name="Empty").click()
        await expect(page.get_by_role("button", name="Add the first card")).to_be_visible()
        await expect(page.get_by_role("link", name="Import from Trello")).to_have_count(0)
    await permit(site, "Member", "Card", "read")
    async with visiting(browser, site, site.member) as page, visiting(browser, site, site.sa) as architect:
        for each, shown in ((page, "You don't have permission to add cards"), (architect, "Import from Trello")):
            await each.goto(f"/b/{board.id}")
            await expect(each.get_by_text(shown)).to_be_visible()
            await expect(each.get_by_text(re.compile("tandem [a-z]"))).to_have_count(0)  # no commands
        await expect(page.get_by_role("button", name="Add the first card")).to_have_count(0)
        await architect.get_by_role("link", name="Connect an agent").click()
        await expect(architect.get_by_role("region", name="Get started")).to_be_visible()
