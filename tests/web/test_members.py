"""Members: who belongs here, in which role, who is invited; codes and passwords are shown once."""

import re

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from ..world import MEMBER, PASSWORD, World
from .browser import visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def open_screen(page: Page) -> None:
    """Open the screen and wait until it is there."""
    await page.goto("/settings/members")
    await expect(page.get_by_role("heading", name="Members", level=2)).to_be_visible()


def row(page: Page, text: str) -> Locator:
    """Find a person."""
    return page.locator("li.item").filter(has_text=text)


async def add(page: Page, email: str, name: str = "", role: str = "Member") -> str:
    """Add somebody as an architect does; return the password or the code that is shown."""
    await page.get_by_role("button", name="Add a person…").click()
    await page.get_by_label("E-mail").fill(email)
    await page.get_by_label("Name").fill(name)
    await page.get_by_label("Role", exact=True).select_option(role)
    await page.get_by_role("button", name="Add", exact=True).click()
    return await page.get_by_role("dialog").locator("input[readonly]").input_value()


async def test_a_new_person_gets_a_password_that_is_shown_once_and_lets_them_in(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        password = await add(page, "new@example.test", "Nina New")
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("alert").filter(has_text="shown only once")).to_be_visible()
        await page.get_by_role("button", name="Done").click()
        await expect(row(page, "Nina New")).to_contain_text("@nina-new · new@example.test")
        assert password not in await page.content()
    newcomer = await site.login("new@example.test", password)
    assert newcomer.org_id == site.sa.org_id


async def test_whoever_has_an_account_is_invited_with_a_code_and_joins_without_a_reload(
    browser: Browser, site: World
) -> None:
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        old = await add(page, "outsider@example.test")
        await page.get_by_role("button", name="Done").click()
        await expect(row(page, "outsider@example.test")).to_contain_text("has not used the code yet")
        await page.get_by_role("button", name="New code for outsider@example.test").click()
        code = await page.get_by_label("Code", exact=True).input_value()
        await page.get_by_role("button", name="Done").click()
        (await site.outsider.post("/auth/invitations/accept", {"code": old})).refused(404, "not_found")
        (await site.outsider.post("/auth/invitations/accept", {"code": code})).ok()
        await expect(row(page, "Oz Outsider")).to_be_visible()
        await expect(page.get_by_role("heading", name="Invited")).to_have_count(0)
        await page.get_by_role("button", name="Remove Oz Outsider").click()
        await page.get_by_role("button", name="Remove", exact=True).click()
        await expect(row(page, "Oz Outsider")).to_have_count(0)
    members = (await site.sa.get(site.sa.org("/members"))).ok()
    assert site.outsider.id not in [one["userId"] for one in members]


async def test_an_invitation_is_taken_back(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        code = await add(page, "outsider@example.test")
        await page.get_by_role("button", name="Done").click()
        await page.get_by_role("button", name="Cancel the invitation").click()
        await expect(page.get_by_text("Their code stops working")).to_be_visible()
        await page.get_by_role("button", name="Cancel invitation").click()
        await expect(row(page, "outsider@example.test")).to_have_count(0)
    (await site.outsider.post("/auth/invitations/accept", {"code": code})).refused(404, "not_found")


async def test_what_is_wrong_is_said_beside_its_field_and_nothing_typed_is_lost(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        await page.get_by_role("button", name="Add a person…").click()
        await page.get_by_role("button", name="Add", exact=True).click()
        await expect(page.get_by_text("E-mail is needed.")).to_be_visible()
        await expect(page.get_by_label("E-mail")).to_be_focused()
        await page.get_by_label("E-mail").fill(MEMBER)
        await page.get_by_label("Name").fill("Typed")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("dialog")).to_contain_text("That person is a member already")
        await expect(page.get_by_label("Name")).to_have_value("Typed")
        await page.get_by_label("E-mail").fill("nobody")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("E-mail cannot be read.")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("button", name="Add a person…")).to_be_focused()


def role_button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=f"Role of {name}")


async def choose_role(page: Page, name: str, role: str) -> None:
    """Choose a role in the menu of a member."""
    await role_button(page, name).click()
    await page.get_by_role("menuitemradio", name=role, exact=True).click()


async def role_of(site: World, user_id: str) -> str:
    members = (await site.sa.get(site.sa.org("/members"))).ok()
    return str(next(row["role"] for row in members if row["userId"] == user_id))


async def test_arrow_keys_change_no_role_and_an_architect_is_made_after_a_question(
    browser: Browser, site: World
) -> None:
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        for name in ("Ada Architect", "Mo Member"):
            await role_button(page, name).focus()
            for key in ("ArrowDown", "ArrowUp", "m", "s"):
                await page.keyboard.press(key)
            await page.keyboard.press("Enter")
            await expect(page.get_by_role("menu")).to_be_visible()
            for key in ("ArrowDown", "ArrowUp", "Escape"):
                await page.keyboard.press(key)
            await expect(role_button(page, name)).to_be_focused()
        await choose_role(page, "Mo Member", "Solution Architect")
        await expect(page.get_by_role("dialog", name="Make Mo Member a Solution Architect?")).to_be_visible()
        await page.get_by_role("button", name="Cancel").click()
        assert await role_of(site, site.sa.id) == "SolutionArchitect"
        assert await role_of(site, site.member.id) == "Member"
        await choose_role(page, "Mo Member", "Solution Architect")
        await page.get_by_role("button", name="Change role").click()
        await expect(page.get_by_text("Mo Member is Solution Architect now.")).to_be_visible()
        await page.get_by_role("button", name="Undo").click()
        await expect(role_button(page, "Mo Member")).to_have_accessible_name("Role of Mo Member: Member")


async def test_who_gives_up_the_own_role_is_asked_and_offered_no_undo(browser: Browser, site: World) -> None:
    body = {"email": "second@example.test", "role": "SolutionArchitect", "password": PASSWORD, "fullName": "Sue Second"}
    (await site.sa.post(site.sa.org("/members"), body)).ok()
    second = await site.login("second@example.test")
    async with visiting(browser, site, second) as page:
        await open_screen(page)
        await choose_role(page, "Sue Second", "Member")
        await expect(page.get_by_role("dialog")).to_contain_text("Only another Solution Architect can undo this")
        await page.get_by_role("button", name="Cancel").click()
        assert await role_of(site, second.id) == "SolutionArchitect"
        await choose_role(page, "Sue Second", "Member")
        await page.get_by_role("button", name="Become a member").click()
        await expect(page.get_by_text("Sue Second is Member now.")).to_be_visible()
        await expect(page.get_by_text("Only Solution Architects can change this.")).to_be_visible()
        await expect(page.get_by_role("button", name="Undo")).to_have_count(0)
    assert await role_of(site, second.id) == "Member"
    (await site.sa.delete(site.sa.org(f"/members/{second.id}"))).ok()


async def test_a_role_is_changed_at_once_and_the_last_architect_stays_one(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page, visiting(browser, site, site.member) as other:
        await open_screen(page)
        await open_screen(other)
        await expect(other.get_by_text("Only Solution Architects can change this.")).to_be_visible()
        await expect(other.get_by_role("main").get_by_role("button")).to_have_count(0)
        await choose_role(page, "Ada Architect", "Member")
        await page.get_by_role("button", name="Become a member").click()
        await expect(page.get_by_role("alert").filter(has_text="last Solution Architect")).to_be_visible()
        await expect(role_button(page, "Ada Architect")).to_have_accessible_name(
            "Role of Ada Architect: Solution Architect"
        )
        await choose_role(page, "Mo Member", "Solution Architect")
        await page.get_by_role("button", name="Change role").click()
        await expect(other.get_by_role("button", name="Add a person…")).to_be_visible()
        await expect(other.get_by_role("link", name="API keys")).to_be_visible()
        await choose_role(page, "Mo Member", "Member")
        await expect(other.get_by_role("button", name="Add a person…")).to_have_count(0)
        await expect(other.get_by_role("link", name="API keys")).to_have_count(0)


async def test_whoever_is_removed_while_the_page_is_open_sees_nothing_more(browser: Browser, site: World) -> None:
    body = {"email": "gone@example.test", "role": "SolutionArchitect", "password": PASSWORD}
    (await site.sa.post(site.sa.org("/members"), body)).ok()
    leaver = await site.login("gone@example.test")
    async with visiting(browser, site, leaver) as page:
        await open_screen(page)
        (await site.sa.delete(site.sa.org(f"/members/{leaver.id}"))).ok()
        await expect(page.get_by_role("heading", name="You are no longer a member")).to_be_visible()
        await expect(row(page, "Ada Architect")).to_have_count(0)


async def test_members_is_worked_with_the_keyboard_alone(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        await page.goto("/")
        await page.get_by_role("link", name="Settings").focus()
        await page.keyboard.press("Enter")
        await expect(page).to_have_url(re.compile("/settings/members$"))
        await page.get_by_role("button", name="Add a person…").press("Enter")
        await page.keyboard.type("keys@example.test")
        await page.keyboard.press("Tab")
        await page.keyboard.type("Kay Keys")
        await page.keyboard.press("Enter")
        secret = page.get_by_label("Password", exact=True)
        await expect(secret).to_be_focused()
        await page.get_by_role("button", name="Done").press("Enter")
        await expect(row(page, "Kay Keys")).to_be_visible()
        await expect(page.get_by_role("button", name="Add a person…")).to_be_focused()


async def test_a_forgotten_password_is_replaced_and_the_person_sees_by_whom(browser: Browser, site: World) -> None:
    body = {"email": "forgetful@example.test", "fullName": "Flo Forgetful", "role": "Member", "password": PASSWORD}
    (await site.sa.post(site.sa.org("/members"), body)).ok()
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        await expect(page.get_by_role("button", name="New password for Ada Architect")).to_have_count(0)
        await page.get_by_role("button", name="New password for Flo Forgetful").click()
        await expect(page.get_by_role("dialog")).to_contain_text("signed out everywhere")
        await page.get_by_role("button", name="Create password").click()
        given = await page.get_by_label("Password", exact=True).input_value()
        await page.get_by_role("button", name="Done").click()
        assert given not in await page.content()
    async with visiting(browser, site) as page:
        await page.goto("/my-cards")
        await page.get_by_label("E-mail").fill("forgetful@example.test")
        await page.get_by_label("Password").fill(given)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("dialog")).to_contain_text("Ada Architect gave your account a new password")
        await expect(page.get_by_role("button", name="Continue")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(page.get_by_role("button", name="Flo Forgetful")).to_be_visible()


async def test_a_password_that_others_depend_on_is_refused_with_what_to_do(browser: Browser, site: World) -> None:
    made = (await site.outsider.post("/organizations", {"title": "Elsewhere"})).ok()
    assert made["id"] != site.sa.org_id
    await site.join(site.sa, site.outsider, "outsider@example.test")
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        await page.get_by_role("button", name="New password for Oz Outsider").click()
        await page.get_by_role("button", name="Create password").click()
        await expect(page.get_by_role("alert").filter(has_text="another organization")).to_be_visible()
    (await site.sa.delete(site.sa.org(f"/members/{site.outsider.id}"))).ok()


async def test_the_cards_of_a_removed_member_are_given_to_somebody(browser: Browser, site: World) -> None:
    body = {"email": "leaver@example.test", "fullName": "Lea Leaver", "role": "Member", "password": PASSWORD}
    leaver = (await site.sa.post(site.sa.org("/members"), body)).ok()["userId"]
    board = await site.board(title="Handed over")
    cards = [await site.card(board, title=f"Hers {number}", assignedUserId=leaver) for number in range(3)]
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        await page.get_by_role("button", name="Remove Lea Leaver").click()
        await page.get_by_label("3 cards assigned to them: give them to").select_option("Mo Member")
        await page.get_by_role("button", name="Remove", exact=True).click()
        await expect(row(page, "Lea Leaver")).to_have_count(0)
    owners = {(await site.sa.get(f"/cards/{one['id']}")).ok()["assignedUserId"] for one in cards}
    assert owners == {site.member.id}


async def test_members_are_searched_once_they_are_many(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        field = page.get_by_role("searchbox", name="Search members")
        await expect(field).to_have_count(0)
        for number in range(20):
            body = {
                "email": f"p{number}@many.test",
                "fullName": f"Zoë {number}",
                "role": "Member",
                "password": PASSWORD,
            }
            (await site.sa.post(site.sa.org("/members"), body)).ok()
        await expect(field).to_be_visible()
        await field.press_sequentially("zoe 17", delay=60)
        await expect(page.locator("li.item")).to_have_count(1)
        await expect(row(page, "Zoë 17")).to_be_visible()
        await expect(field).to_be_focused()
        await field.fill("p3@many")
        await expect(row(page, "Zoë 3")).to_be_visible()
        await field.fill("nobody at all")
        await expect(page.get_by_text("Nobody matches.")).to_be_visible()
