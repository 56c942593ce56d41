"""Keys: shown once with lines that are ready to be used, switched off and on, given a new secret, removed."""

import json

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from ..world import World
from .browser import visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def open_screen(page: Page) -> None:
    """Open the screen and wait until it is there."""
    await page.goto("/settings/keys")
    await expect(page.get_by_role("heading", name="API keys", level=2)).to_be_visible()


def row(page: Page, name: str) -> Locator:
    """Find a key."""
    return page.locator("li.item").filter(has_text=name)


async def test_a_key_is_shown_once_with_lines_that_connect_each_client(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa, permissions=["clipboard-read", "clipboard-write"]) as page:
        await open_screen(page)
        await page.get_by_role("button", name="New API key…").click()
        await page.get_by_label("Name", exact=True).fill("For builder-1")
        await page.get_by_role("button", name="Create API key").click()
        secret = await page.get_by_label("Key", exact=True).input_value()
        lines = page.get_by_role("region", name="Client lines")
        expected = f"SERVICE_API_URL={site.url} SERVICE_API_KEY={secret} tandem connect claude"
        await expect(lines).to_have_text(expected)
        await page.get_by_role("button", name="Copy: Client lines").click()
        assert await page.evaluate("() => navigator.clipboard.readText()") == expected
        await page.get_by_label("The agent's client").select_option("codex")
        await expect(lines).to_contain_text("connect codex")
        await page.get_by_label("The agent's client").select_option("program")
        server = json.loads(await lines.inner_text())["mcpServers"]["tandem"]
        assert server["env"] == {"SERVICE_API_URL": site.url, "SERVICE_API_KEY": secret}
        await page.get_by_label("The agent's client").select_option("http")
        server = json.loads(await lines.inner_text())["mcpServers"]["tandem"]
        assert server["headers"] == {"Authorization": f"ApiKey {secret}"}
        await page.get_by_role("button", name="Done").click()
        await expect(row(page, "For builder-1")).to_contain_text("for any agent · never used")
        await expect(lines).to_have_count(0)  # the row is there a moment before the dialog has gone
        assert secret not in await page.content()
        await page.reload()
        await expect(row(page, "For builder-1")).to_be_visible()
        assert secret not in await page.content()
    agent = site.client({"Authorization": f"ApiKey {secret}"})
    (await agent.get("/agent/orgs")).ok()


async def test_what_a_key_is_for_and_until_when_is_said(browser: Browser, site: World) -> None:
    team = (await site.sa.post(site.sa.org("/teams"), {"name": "Builders"})).ok()
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        await page.get_by_role("button", name="New API key…").click()
        await page.get_by_label("Name", exact=True).fill("Bound")
        await page.get_by_label("Team", exact=True).select_option("Builders")
        await page.get_by_label("Agent", exact=True).fill("builder-9")
        await page.get_by_label("Expires").fill("2020-01-01T10:00")
        await page.get_by_role("button", name="Create API key").click()
        await expect(page.get_by_text("Expires must be in the future.")).to_be_visible()
        await page.get_by_label("Expires").fill("2099-01-01T10:00")
        await page.get_by_role("button", name="Create API key").click()
        await page.get_by_role("button", name="Done").click()
        await expect(row(page, "Bound")).to_contain_text("for the agent builder-9, for the team Builders")
        await expect(row(page, "Bound")).to_contain_text("holds until Jan 1, 2099")
    keys = (await site.sa.get("/settings/api-keys")).ok()
    assert next((one["agentId"], one["teamId"]) for one in keys if one["name"] == "Bound") == ("builder-9", team["id"])


async def test_a_key_is_switched_off_and_on_renewed_and_removed(browser: Browser, site: World) -> None:
    key = await site.key(name="Of the robot")
    async with visiting(browser, site, site.sa) as page, visiting(browser, site, site.sa) as other:
        await open_screen(page)
        await open_screen(other)
        may_be_used = page.get_by_role("switch", name="Of the robot may be used")
        await may_be_used.click()
        await expect(other.get_by_role("switch", name="Of the robot may be used")).not_to_be_checked()
        (await key.get("/agent/orgs")).refused(401, "api_key_revoked")
        await expect(may_be_used).to_be_enabled()
        await may_be_used.press("Space")
        await expect(other.get_by_role("switch", name="Of the robot may be used")).to_be_checked()
        (await key.get("/agent/orgs")).ok()
        await page.get_by_role("button", name="New secret Of the robot").click()
        await page.get_by_role("button", name="Create").click()
        secret = await page.get_by_label("Key", exact=True).input_value()
        await page.get_by_role("button", name="Done").click()
        assert (await key.get("/agent/orgs")).status == 401
        (await site.client({"Authorization": f"ApiKey {secret}"}).get("/agent/orgs")).ok()
        await page.get_by_role("button", name="Rename Of the robot").click()
        await page.get_by_label("Name", exact=True).fill("Of nobody")
        await page.keyboard.press("Enter")
        await page.get_by_role("button", name="Remove Of nobody").click()
        await page.get_by_role("button", name="Remove", exact=True).click()
        await expect(row(page, "Of nobody")).to_have_count(0)
        await expect(row(other, "Of nobody")).to_have_count(0)


async def test_others_than_architects_see_no_keys(browser: Browser, site: World) -> None:
    await site.key(name="Not for members")
    async with visiting(browser, site, site.member) as page:
        await page.goto("/settings/keys")
        await expect(page.get_by_role("alert")).to_have_text("Only Solution Architects can see this.")
        await expect(row(page, "Not for members")).to_have_count(0)
        ways = page.get_by_role("navigation", name="Settings").get_by_role("link")
        await expect(ways).to_have_text(["Members", "Prompts", "Tool servers", "Permissions"])
