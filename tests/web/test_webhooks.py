"""Webhooks: who is told what happens, with a secret that is shown once, and what became of each delivery."""

import asyncio

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from ..direct_db import execute
from ..world import World
from .browser import intercept, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def open_screen(page: Page) -> None:
    """Open the screen and wait until it is there."""
    await page.goto("/settings/webhooks")
    await expect(page.get_by_role("heading", name="Webhooks", level=2)).to_be_visible()


def row(page: Page, text: str) -> Locator:
    """Find a webhook, or a delivery."""
    return page.locator("li.item").filter(has_text=text)


@pytest.mark.slow
async def test_a_webhook_is_made_changed_switched_off_and_removed(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page, visiting(browser, site, site.sa) as other:
        await open_screen(page)
        await open_screen(other)
        await page.get_by_role("button", name="New webhook…").click()
        await page.get_by_label("Address").fill("http://127.0.0.1/hook")
        await page.get_by_role("button", name="Create").click()
        await expect(page.get_by_text("Address must be a public address")).to_be_visible()
        await page.get_by_label("Address").fill("https://hooks.example.test/<b>")
        await page.get_by_label("Events").fill("card.moved\nnonsense")
        await page.get_by_role("button", name="Create").click()
        await expect(page.get_by_label("Events")).to_have_attribute("aria-invalid", "true")
        await page.get_by_label("Events").fill("card.moved\nagent.*")
        await page.get_by_role("button", name="Create").click()
        secret = await page.get_by_label("Secret", exact=True).input_value()
        await page.get_by_role("button", name="Done").click()
        await expect(row(other, "hooks.example.test")).to_contain_text("card.moved, agent.*")
        assert secret not in await page.content()
        await page.get_by_role("switch", name="is told").click()
        await expect(row(other, "hooks.example.test")).to_have_class("item idle")
        await page.get_by_role("button", name="Edit https").click()
        await page.get_by_label("Events").fill("*")
        await page.get_by_role("button", name="Save").click()
        await expect(row(other, "hooks.example.test")).to_contain_text("everything that happens")
        await page.get_by_role("button", name="Remove https").click()
        await page.get_by_role("button", name="Remove", exact=True).click()
        await expect(row(other, "hooks.example.test")).to_have_count(0)


async def test_what_became_of_each_delivery_is_told(browser: Browser, site: World) -> None:
    body = {"url": "https://no-such-host.invalid/hook", "events": ["*"]}
    hook = (await site.sa.post("/webhooks", body)).ok()
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        await page.get_by_role("button", name="Deliveries https").click()
        deliveries = page.get_by_role("list", name="Deliveries")
        await expect(deliveries).to_contain_text("webhook.created")
        for _ in range(100):
            found = (await site.sa.get(f"/webhooks/{hook['id']}/deliveries")).ok()["items"]
            if found[0]["attempts"]:
                break
            await asyncio.sleep(0.05)
        await page.get_by_role("button", name="Refresh").click()
        await expect(deliveries).to_contain_text("1 attempt")
        await expect(deliveries).to_contain_text("under way")

        async def wait(route: Route) -> None:
            await asyncio.sleep(0.5)
            await route.continue_()

        await intercept(page, "**/deliveries?page=1&pageSize=20", wait)
        async with page.expect_response("**/deliveries?page=1&pageSize=20"):
            await page.get_by_role("button", name="Refresh").click()
            await page.get_by_label("Status of deliveries").select_option("Delivered")
        await expect(deliveries).to_contain_text(
            "Nothing has been sent yet."
        )  # what was asked for last, not what came last
        await page.wait_for_timeout(100)
        await expect(deliveries).to_contain_text("Nothing has been sent yet.")


async def test_others_than_architects_see_no_webhooks(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.member) as page:
        await page.goto("/settings/webhooks")
        await expect(page.get_by_role("alert")).to_have_text("Only Solution Architects can see this.")


async def test_a_lost_secret_is_said_where_it_is_set_again(browser: Browser, site: World) -> None:
    hooks = [
        (await site.sa.post("/webhooks", {"url": f"https://{name}.example.test", "enabled": False})).ok()
        for name in ("lost", "kept")
    ]
    server = {"name": "Lost server", "transport": "stdio", "command": "run", "env": {"KEY": "value"}}
    (await site.sa.post("/mcp-servers", server)).ok()
    await execute(site, "UPDATE webhooks SET secret = '' WHERE id = :id", id=hooks[0]["id"])
    await execute(site, """UPDATE mcp_servers SET env = '{"KEY":""}' WHERE name = 'Lost server'""")
    said = "Its secret is lost"
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        await expect(row(page, "lost.example.test")).to_contain_text(said)
        await expect(row(page, "kept.example.test")).not_to_contain_text(said)
        await page.goto("/settings/tools")
        await expect(row(page, "Lost server")).to_contain_text(said)
    async with visiting(browser, site, site.member) as page:
        await page.goto("/settings/tools")
        await expect(row(page, "Lost server")).not_to_contain_text(said)
