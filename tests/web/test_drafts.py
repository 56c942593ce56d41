"""Drafts: a long text that is being written is kept until it is saved or discarded, for its author only."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from ..world import MEMBER, PASSWORD, World
from .boards import card, column, visit_board
from .browser import visiting
from .test_card import open_card
from .test_home import open_board, open_home, question, row
from .test_signin import sign_in

pytestmark = pytest.mark.asyncio(loop_scope="session")
NOTE = re.compile(r"Draft from \d+:\d\d")
DRAFTS = "() => Object.keys(localStorage).filter((key) => key.startsWith('tandem.draft')).length"


async def drafts(page: Page) -> int:
    """Return the number of drafts in the browser."""
    return int(await page.evaluate(DRAFTS))


async def test_a_description_survives_every_way_out_until_it_is_saved_or_discarded(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Long texts")
    one = await site.card(board, title="Written at length")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await card(page, "Written at length").click()
        dialog = page.get_by_role("dialog", name=one["key"])
        field, note = dialog.get_by_role("textbox", name="Description"), dialog.get_by_text(NOTE)
        await dialog.get_by_role("button", name="Write Description").click()
        await expect(note).to_be_hidden()
        await field.press_sequentially("T")
        await page.reload()  # after the first letter
        edit = dialog.get_by_role("button", name="Edit draft of Description")
        text = "T"
        ways: dict[str, Callable[[], Any]] = {
            "Escape": lambda: page.keyboard.press("Escape"),
            "Cancel": lambda: dialog.get_by_role("button", name="Cancel").click(),
            "x": lambda: dialog.get_by_role("button", name="Close").click(),
            "outside": lambda: page.mouse.click(5, 5),
            "Back": page.go_back,
            "reload": page.reload,
        }
        for name, leave in ways.items():
            await edit.click()
            await expect(field).to_have_value(text)
            await expect(note).to_be_visible()
            text += f"\nand {name}"
            await field.fill(text)
            await leave()
            if name in ("x", "outside", "Back"):
                await expect(dialog).to_have_count(0)
                await card(page, "Written at length").click()
        await edit.click()
        await dialog.get_by_role("button", name="Save").click()
        await expect(dialog.locator(".prose")).to_contain_text("and reload")
        assert await drafts(page) == 0
        await dialog.get_by_role("button", name="Edit Description").click()
        await expect(note).to_be_hidden()
        await field.fill("Not this")
        await dialog.get_by_role("button", name="Discard draft").click()
        await expect(field).to_have_value(text)
        await expect(field).to_be_focused()
        await expect(note).to_be_hidden()
        assert await drafts(page) == 0
    assert (await site.sa.get(f"/cards/{one['id']}")).ok()["fieldValues"][0]["value"] == text


async def test_a_draft_of_a_text_that_has_changed_shows_both_before_it_is_saved(browser: Browser, site: World) -> None:
    board = await site.board(title="Changed meanwhile")
    one = await site.card(board, title="Two authors")
    description = board.field("description")
    team = (await site.sa.post(site.sa.org("/teams"), {"name": "Two writers"})).ok()
    address = site.sa.org(f"/teams/{team['id']}/onboarding")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_role("button", name="Write Description").click()
        await dialog.get_by_role("textbox", name="Description").fill("Mine")
        await page.keyboard.press("Escape")
        values = {"fieldValues": [{"fieldId": description, "value": "Theirs"}]}
        (await site.member.patch(f"/cards/{one['id']}", values)).ok()
        await expect(dialog.locator(".prose")).to_have_text("Theirs")
        await dialog.get_by_role("button", name="Edit draft of Description").click()
        await expect(dialog.get_by_role("textbox", name="Description")).to_have_value("Mine")
        await expect(dialog.get_by_role("region", name="Saved text")).to_have_text("Theirs")
        await dialog.get_by_role("button", name="Save").click()
        await expect(dialog.locator(".prose")).to_have_text("Mine")
        # A form that is open while somebody else saves the same text.
        await page.goto("/agents")
        await page.get_by_role("button", name="Onboarding document: Two writers").click()
        await page.get_by_label("Text (Markdown)").fill("My rules")
        (await site.sa.patch(address, {"content": "Their rules"})).ok()
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("region", name="Saved text")).to_have_text("Their rules")
        await expect(page.get_by_label("Text (Markdown)")).to_have_value("My rules")
        assert (await site.sa.get(site.sa.org(f"/teams/{team['id']}"))).ok()["onboardingDoc"] == "Their rules"
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        assert await drafts(page) == 0
    assert (await site.sa.get(site.sa.org(f"/teams/{team['id']}"))).ok()["onboardingDoc"] == "My rules"


async def again(page: Page, open_: Callable[[], Any], field: Locator, text: str = "Kept\nas it was") -> None:
    """Type into a field, reload, and find the draft when it is opened again."""
    await open_()
    await field.fill(text)
    await page.reload()
    await open_()
    await expect(field).to_have_value(text)
    await expect(page.get_by_text(NOTE)).to_be_visible()
    await page.get_by_role("button", name="Discard draft").click()
    await expect(page.get_by_text(NOTE)).to_be_hidden()
    assert await drafts(page) == 0


@pytest.mark.slow
async def test_long_texts_about_cards_are_kept(browser: Browser, site: World) -> None:
    board = await open_board(site, "All texts")
    bot = await site.agent("draft-bot")
    asked = await question(site, board, bot, "Asked for long")
    one = await site.card(board, "Review", title="To be rejected")
    (await bot.post(f"/cards/{one['id']}/move-requests/mcp", {"toColumnId": board.columns["Done"]})).ok()
    (await site.sa.post(f"/cards/{one['id']}/comments", {"content": "Reply to this"})).ok()

    def click(name: str, within: Any = None) -> Callable[[], Any]:
        return lambda: (within or page).get_by_role("button", name=name).click()

    async with visiting(browser, site, site.sa) as page:

        async def nothing() -> None:
            await expect(page.get_by_role("heading").first).to_be_visible()

        await visit_board(page, board)
        await again(page, click("Add a card", column(page, "Todo")), page.get_by_label("New card in Todo"))
        await open_home(page)
        await again(page, nothing, row(page, "Asked for long").get_by_label("Answer"))
        await again(page, click("Reject", row(page, "To be rejected")), page.get_by_label("Reason"))
        await page.goto(f"/b/{board.id}/c/{asked['key']}")
        await again(page, nothing, page.get_by_label("Answer"))
        await again(page, nothing, page.get_by_label("Comment", exact=True))
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        await click("Reply")()
        await again(page, nothing, page.get_by_label("Reply", exact=True))


@pytest.mark.slow
async def test_long_texts_of_settings_are_kept_and_secrets_are_not(browser: Browser, site: World) -> None:
    board = await site.board(title="Long settings")
    (await site.sa.post("/prompts", {"name": "Drafted", "body": "Be brief."})).ok()
    (await site.sa.post(site.sa.org("/teams"), {"name": "Drafters"})).ok()

    def click(name: str) -> Callable[[], Any]:
        return lambda: page.get_by_role("button", name=name).click()

    async with visiting(browser, site, site.sa) as page:
        await page.goto("/agents")

        async def freeze() -> None:
            await expect(page.get_by_text("Drafters")).to_be_visible()
            await page.keyboard.press("Shift+F")

        await again(page, freeze, page.get_by_label("Reason"))
        await page.keyboard.press("Escape")
        await again(page, click("Onboarding document: Drafters"), page.get_by_label("Text (Markdown)"))
        await expect(page.get_by_role("region", name="Preview")).to_contain_text("Nothing yet.")
        await page.goto("/settings/prompts")
        await again(page, click("New prompt"), page.get_by_label("Text"))

        async def new_version() -> None:
            await click("Versions Drafted")()
            await click("New version from this")()

        await page.reload()
        await again(page, new_version, page.get_by_label("Text", exact=True))
        await page.goto("/settings/webhooks")
        await again(page, click("New webhook"), page.get_by_label("Events"), "card.*\ncolumn.*")
        await page.goto(f"/b/{board.id}/design")

        async def new_options() -> None:
            await page.get_by_role("button", name="New field").first.click()
            await page.get_by_label("Kind").select_option("select")

        await again(page, new_options, page.get_by_label("Options, one per line"))
        # Secrets are not kept; other lists of a tool server are.
        await page.goto("/settings/tools")

        async def new_server() -> None:
            await click("New tool server")()
            await page.get_by_label("How agents reach it").select_option("stdio")

        await again(page, new_server, page.get_by_label("Arguments"))
        await page.get_by_label("Environment variables").fill("TOKEN=secret")
        assert await drafts(page) == 0


@pytest.mark.slow
async def test_signing_out_asks_and_deletes_drafts_and_nobody_else_sees_them(browser: Browser, site: World) -> None:
    board = await site.board(title="Drafts")
    one = await site.card(board, title="To be continued")
    fresh = await site.login(MEMBER)
    async with visiting(browser, site, fresh) as page:
        dialog = await open_card(page, board, one)
        comment = dialog.get_by_label("Comment", exact=True)
        await comment.fill("Mine")
        # A session that ends keeps them, also if somebody else signs in then.
        await fresh.delete("/settings/sessions/current")
        await expect(page.get_by_role("dialog", name="Sign in")).to_contain_text("Nothing you typed is lost")
        await sign_in(page, "sa@example.test")
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()
        await open_card(page, board, one)
        await expect(comment).to_have_value("")
        await expect(page.get_by_text(NOTE)).to_be_hidden()
        await dialog.get_by_role("button", name="Close").click()
        account, out = page.get_by_role("navigation"), page.get_by_role("menuitem", name="Sign out")
        await account.get_by_role("button", name="Ada Architect").click()
        await out.click()  # without drafts, nothing is asked
        await sign_in(page, MEMBER)
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await open_card(page, board, one)
        await expect(comment).to_have_value("Mine")
        await dialog.get_by_role("button", name="Close").click()
        question_of_it = page.get_by_role("dialog", name="Sign out and delete your drafts?")
        for answer in ("Cancel", "Sign out"):
            await account.get_by_role("button", name="Mo Member").click()
            await out.click()
            await expect(question_of_it).to_contain_text("1 unsaved draft in this browser will be deleted.")
            assert await drafts(page) == 1
            await question_of_it.get_by_role("button", name=answer).click()
        await expect(page.get_by_role("dialog", name="Sign in")).to_be_visible()
        assert await drafts(page) == 0
    site.member = await site.login(MEMBER, PASSWORD)


FILL = """() => {
    let piece = "x".repeat(1 << 20);
    for (let number = 0; piece; number += 1)
        try { localStorage.setItem(`filler ${number}`, piece); } catch { piece = piece.slice(piece.length / 2 + 1); }
}"""
OLD = """([user, card]) => {
    const day = 86400000, write = (name, days) => localStorage.setItem(`tandem.draft.${user}.${name}`,
        JSON.stringify({text: name, seen: "", at: Date.now() - days * day, usedAt: Date.now() - days * day}));
    write("gone.1", 31);
    write("gone.2", 29);
    localStorage.setItem(`tandem.draft.${user}.${card}.`, "From an earlier version");
}"""


async def test_bounds_a_full_storage_old_drafts_and_two_tabs(browser: Browser, site: World) -> None:
    board = await site.board(title="Bounds")
    one = await site.card(board, title="Bounded")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        comment = dialog.get_by_label("Comment", exact=True)
        await page.evaluate(OLD, [site.sa.id, one["id"]])
        await page.reload()
        await expect(comment).to_have_value("From an earlier version")
        assert await page.evaluate("() => Object.keys(localStorage).filter((key) => key.includes('.gone.'))") == [
            f"tandem.draft.{site.sa.id}.gone.2"
        ]
        # Two tabs: the last writer wins.
        other = await page.context.new_page()
        elsewhere = await open_card(other, board, one)
        await elsewhere.get_by_label("Comment", exact=True).fill("From the other tab")
        await page.reload()
        await expect(comment).to_have_value("From the other tab")
        await comment.fill("From this one")
        await other.reload()
        await expect(elsewhere.get_by_label("Comment", exact=True)).to_have_value("From this one")
        await other.close()
        # A full storage is reported once, and writing goes on.
        await dialog.get_by_role("button", name="Discard draft").click()
        await page.evaluate(FILL)
        await comment.fill("Too much")
        warning = page.get_by_role("alert").filter(has_text="Save what you write before you leave")
        await expect(warning).to_be_visible()
        await expect(page.get_by_text(NOTE)).to_be_hidden()
        await page.get_by_role("button", name="Dismiss").click()
        await comment.press_sequentially(" more")
        await expect(warning).to_have_count(0)
        await page.keyboard.press("Control+Enter")
        await expect(dialog.locator("article.comment")).to_contain_text("Too much more")
        # Nor does it stop what only keeps a setting.
        await page.keyboard.press("Escape")
        await page.get_by_role("button", name="Collapse the sidebar").click()
        await expect(page.get_by_role("button", name="Collapse the sidebar", pressed=True)).to_be_visible()
