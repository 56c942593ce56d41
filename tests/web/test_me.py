"""Settings of the user: name, time zone, theme, password, organizations, sessions, and signing out everywhere."""

import pytest
from playwright.async_api import Browser, Page, expect

from ..world import PASSWORD, Client, World
from .browser import visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def open_screen(page: Page) -> None:
    """Open the screen and wait until it is there."""
    await page.goto("/me")
    await expect(page.get_by_role("form", name="Profile")).to_be_visible()


async def somebody(site: World, email: str) -> Client:
    """Make a person of their own, whose password and tokens no other test needs."""
    body = {"email": email, "fullName": "Sam Own", "role": "Member", "password": PASSWORD}
    (await site.sa.post(site.sa.org("/members"), body)).ok()
    return await site.login(email)


async def test_name_time_zone_and_theme_are_kept(browser: Browser, site: World) -> None:
    sam = await somebody(site, "profile@example.test")
    async with visiting(browser, site, sam) as page:
        await open_screen(page)
        form = page.get_by_role("form", name="Profile")
        await form.get_by_label("Name").fill("")
        await form.get_by_role("button", name="Save").click()
        await expect(page.get_by_text("Name is needed.")).to_be_visible()
        await form.get_by_label("Name").fill("Sam <b>Renamed</b>")
        await expect(form.get_by_label("Handle")).to_have_value("sam-own")
        await form.get_by_label("Handle").fill("ada-architect")
        await form.get_by_role("button", name="Save").click()
        await expect(form.get_by_role("alert")).to_have_text("Another account has this handle; choose another one.")
        await form.get_by_label("Handle").fill("Me Myself")
        await form.get_by_role("button", name="Save").click()
        await expect(form.get_by_text("Handle must have 2 to 31 of a-z")).to_be_visible()
        await form.get_by_label("Handle").fill("samson")
        zone = form.get_by_role("combobox", name="Time zone")
        await zone.fill("nowhere")
        await page.keyboard.press("Enter")
        await expect(
            form.get_by_text("Time zone must be an IANA time zone, for example Europe/Berlin.")
        ).to_be_visible()
        await page.keyboard.press("Shift+Tab")
        await zone.click()
        await page.keyboard.type("new york")  # in place of what is there
        await expect(page.get_by_role("listbox", name="Time zones").get_by_role("option")).to_have_text(
            "America/New York"
        )
        await page.keyboard.press("Enter")
        await expect(zone).to_have_value("America/New_York")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("button", name="Sam <b>Renamed</b>")).to_be_visible()
        await page.get_by_role("radio", name="Dark").check()
        await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    me = (await sam.get("/auth/me")).ok()
    assert (me["fullName"], me["handle"], me["timezone"]) == ("Sam <b>Renamed</b>", "samson", "America/New_York")


@pytest.mark.slow
async def test_a_password_is_changed_and_the_page_stays_signed_in(browser: Browser, site: World) -> None:
    sam = await somebody(site, "password@example.test")
    async with visiting(browser, site, sam) as page:
        await open_screen(page)
        form = page.get_by_role("form", name="Password")
        await form.get_by_label("Current password").fill("not it at all")
        await form.get_by_label("New password", exact=True).fill("new password 1")
        await form.get_by_label("New password (repeat)").fill("new password 2")
        await form.get_by_role("button").click()
        await expect(page.get_by_text("New password (repeat) does not match.")).to_be_visible()
        await form.get_by_label("New password (repeat)").fill("new password 1")
        await form.get_by_role("button").click()
        await expect(form.get_by_role("alert")).to_contain_text("The current password is wrong.")
        await form.get_by_label("Current password").fill(PASSWORD)
        await form.get_by_role("button").click()
        await expect(page.get_by_text("Your password was changed.").first).to_be_visible()
        await expect(form.get_by_label("New password", exact=True)).to_have_value("")
        await page.reload()
        await expect(form).to_be_visible()
    (await sam.get("/auth/me")).refused(401, "unauthorized")
    await site.login("password@example.test", "new password 1")


async def test_a_person_joins_another_organization_by_code(browser: Browser, site: World) -> None:
    sam = await somebody(site, "joins@example.test")
    body = {"email": "joins@example.test", "role": "Member"}
    code = (await site.outsider.post(site.outsider.org("/members"), body)).ok()["invitationCode"]
    async with visiting(browser, site, sam) as page:
        await open_screen(page)
        form = page.get_by_role("form", name="Join an organization")
        await form.get_by_label("Code of an invitation").fill("no such code")
        await form.get_by_role("button", name="Join").click()
        await expect(form.get_by_role("alert")).to_be_visible()
        await form.get_by_label("Code of an invitation").fill(code)
        await form.get_by_role("button", name="Join").click()
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()
        await expect(page.get_by_role("heading", name="Other", level=2)).to_be_visible()
        await open_screen(page)
        await page.get_by_role("button", name="Go to Home", exact=True).click()
        await expect(page.get_by_role("heading", name="Home", level=2)).to_be_visible()


async def test_signing_out_everywhere_ends_every_token(browser: Browser, site: World) -> None:
    sam = await somebody(site, "leaves@example.test")
    async with visiting(browser, site, sam) as page, visiting(browser, site, sam) as other:
        await open_screen(page)
        await open_screen(other)
        await page.get_by_role("button", name="Sign out everywhere…").click()
        await page.get_by_role("button", name="Sign out everywhere", exact=True).click()
        await expect(page.get_by_role("dialog", name="Sign in")).to_be_visible()
        (await sam.get("/auth/me")).refused(401, "unauthorized")
        await expect(other.get_by_role("dialog", name="Sign in")).to_be_visible()


FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18 Safari/604"


async def test_a_session_elsewhere_is_listed_by_its_device_and_ended(browser: Browser, site: World) -> None:
    sam = await somebody(site, "devices@example.test")
    body = {"email": "devices@example.test", "password": PASSWORD}
    phone = await site.nobody.post("/auth/login", body, headers={"User-Agent": IPHONE})
    (await site.nobody.post("/auth/login", body, headers={"User-Agent": "curl/8.5.0"})).ok()
    async with (
        visiting(browser, site, sam) as page,
        visiting(browser, site, user_agent=FIREFOX) as other,
    ):
        await other.goto("/me")
        await other.get_by_label("E-mail").fill("devices@example.test")
        await other.get_by_label("Password").fill(PASSWORD)
        await other.keyboard.press("Enter")
        await expect(other.get_by_role("form", name="Profile")).to_be_visible()
        await open_screen(page)
        rows = page.get_by_role("list", name="Sessions").get_by_role("listitem")
        await expect(rows).to_have_count(4)
        await expect(rows.filter(has_text="this device")).to_contain_text("Python")
        for device in ("Safari on iPhone", "curl"):
            await expect(rows.filter(has_text=device)).to_contain_text("last seen")
        await page.get_by_role("button", name="End session on Firefox on Windows").click()
        await expect(rows).to_have_count(3)
        await expect(other.get_by_role("dialog", name="Sign in")).to_contain_text("session has ended")
        token = phone.ok()["token"]
        (await site.client({"Authorization": f"Bearer {token}"}).get("/auth/me")).ok()
