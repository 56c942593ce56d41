"""Labels and shown fields: on the cards of a board, in their menu, in the open card and in Board settings."""

import asyncio
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from ..world import Board, World
from .boards import card, visit_board
from .browser import PHONE, intercept, visiting
from .painted import colors, contrast

pytestmark = pytest.mark.asyncio(loop_scope="session")
COLORS = {"bug": "#c53030", "idea": "#f5d35c", "mid": "#777777"}


def fields(site: World, board: Board, field_id: str = "") -> str:
    return site.sa.org(f"/card-types/{board.card_type['id']}/fields{field_id and '/'}{field_id}")


async def create_board(site: World, title: str) -> tuple[Board, str]:
    """Make a board whose cards have no labels yet but colors for some, with the id of the label field."""
    board = await site.board(title=title)
    types = (await site.sa.get(site.sa.org("/card-types"), params={"projectId": board.id})).ok()
    tags = next(field["id"] for field in types[0]["fields"] if field["name"] == "tags")
    (await site.sa.patch(fields(site, board, tags), {"optionColors": COLORS})).ok()
    return board, tags


def menu(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Labels", exact=True)


async def right_of(place: Locator) -> float:
    box = await place.bounding_box()
    assert box is not None
    return box["x"] + box["width"]


# Colors of all kinds, each with the one in which a label of that color is written.
READABLE = """async () => {
    const {labelChip} = await import("/ui/labels.js");
    const parse = (color) => color.match(/\\d+/g).map(Number);
    return [...Array(512).keys()].map((number) => {
        const parts = [number >> 6, (number >> 3) & 7, number & 7].map((part) => Math.round((part * 255) / 7));
        const chip = labelChip("x", "#" + parts.map((part) => part.toString(16).padStart(2, "0")).join(""));
        document.body.append(chip);
        const {color} = getComputedStyle(chip);
        chip.remove();
        return [parts, parse(color)];
    });
}"""


async def labels_of(site: World, card_id: str, field_id: str) -> Any:
    values = (await site.sa.get(f"/cards/{card_id}")).ok()["fieldValues"]
    return next((value["value"] for value in values if value["fieldId"] == field_id), None)


async def test_a_card_shows_its_labels_and_shown_fields(browser: Browser, site: World) -> None:
    board, tags = await create_board(site, "Shown")
    (await site.sa.patch(fields(site, board, tags), {"optionColors": {**COLORS, "plain": "#ffffff"}})).ok()
    bot = await site.agent("shown-bot")
    wanted = {
        "number": ("12.5", "Number: 12.5"),
        "date": ("2031-12-03", "Date: Dec 3, 2031"),
        "url": ("https://www.example.test/long/way?x=1", "Url: example.test"),
        "checkbox": ("true", "Checkbox: yes"),
        "user": (site.member.id, "User: Mo Member"),
        "agent": (bot.id, "Agent: shown-bot"),
        "richtext": ("- [ ] **Buy** [paint](https://example.test)", "Richtext: Buy paint"),
    }
    made = [await site.field(board, f"own_{kind}", kind, label=kind.title(), showOnCard=True) for kind in wanted]
    await site.field(board, "unshown", "multiselect", label="Unshown", order=0)  # not the label field
    hidden = await site.field(board, "hidden", "text", label="Hidden")
    values = [{"fieldId": field, "value": value} for field, (value, _) in zip(made, wanted.values())]
    labels = ["bug", "idea", "mid", "plain", "fifth", "sixth", "seventh"]
    values += [{"fieldId": tags, "value": labels}, {"fieldId": hidden, "value": "Not here"}]
    await site.card(board, title="Full", fieldValues=values, assignedAgentId=bot.id, assignedUserId=site.member.id)
    await site.card(board, title="Bare")
    async with visiting(browser, site, site.sa, reduced_motion="reduce") as page:
        for theme in ("light", "dark"):
            await page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            await visit_board(page, board)
            one = card(page, "Full")
            for text in (*labels[:4], "+3", *(text for _, text in wanted.values())):
                await expect(one.get_by_text(text, exact=True)).to_be_visible()
            await expect(one).not_to_contain_text("fifth")
            await expect(one).not_to_contain_text("Not here")
            box = await one.get_by_text("plain", exact=True).bounding_box()
            assert box is not None
            middle = box["x"] + box["width"] / 2
            edge, beside = await colors(page, [(middle, box["y"] + 0.5), (middle, box["y"] - 1.5)])
            assert contrast(edge, beside) >= 1.3, theme  # a white label on a white card
        await expect(one.get_by_text("bug", exact=True)).to_have_css("background-color", "rgb(197, 48, 48)")
        name = await one.get_by_role("link").get_attribute("aria-label")
        assert "Tags bug, idea, mid, plain, fifth, sixth, seventh" in str(name)
        for color, chosen in await page.evaluate(READABLE):
            assert contrast(color, chosen) >= 4.5, color
        shapes = await one.locator(".avatar").evaluate_all("(all) => all.map((a) => getComputedStyle(a).borderRadius)")
        assert shapes == ["50%", "5px"]
        assert await card(page, "Bare").inner_text() == f"Bare\n{(await _key(site, board, 'Bare'))}"
        await page.get_by_role("button", name="More filters").click()
        for kind, value in (("Checkbox", "yes"), ("User", "Mo Member"), ("Agent", "shown-bot")):
            group = page.get_by_role("dialog", name="Filter").get_by_role("group", name=kind, exact=True).last
            await group.get_by_role("option", name=value).click()
        chips = [f"Remove {text}" for text in ("Checkbox: yes", "User: Mo Member", "Agent: shown-bot")]
        await expect(page.get_by_role("button", name="1 of 2")).to_be_visible()
        query = page.url.partition("?")[2]
        for address in (f"/b/{board.id}?{query}", f"/search?q=full&{query}"):
            await page.goto(address)
            for chip in chips:
                await expect(page.get_by_role("button", name=chip)).to_be_visible()
            await expect(page.get_by_role("link", name="Full")).to_be_visible()
            await expect(page.get_by_role("link", name="Bare")).to_have_count(0)


async def _key(site: World, board: Board, title: str) -> str:
    found = (await site.sa.get(site.sa.org("/cards"), params={"projectId": board.id})).ok()["items"]
    return next(str(row["key"]) for row in found if row["title"] == title)


async def test_labels_are_chosen_and_created_by_keyboard_and_undone(browser: Browser, site: World) -> None:
    board, tags = await create_board(site, "Keys")
    one = await site.card(board, title="Mine")
    await site.card(board, title="Other", fieldValues=[{"fieldId": tags, "value": ["used"]}])
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        link = card(page, "Mine").get_by_role("link")
        await link.focus()
        await page.keyboard.press("l")
        field = menu(page).get_by_role("combobox")
        await expect(field).to_be_focused()
        await expect(menu(page).get_by_role("option")).to_have_text(["bug", "idea", "mid", "used"])
        await page.keyboard.press("Enter")
        await expect(menu(page).get_by_role("option", name="bug")).to_have_attribute("aria-selected", "true")
        await page.keyboard.type("US")
        await expect(menu(page).get_by_role("option")).to_have_text(["used", "Create US"])
        await page.keyboard.press("Enter")
        await page.keyboard.type("BUG")
        await expect(menu(page).get_by_role("option")).to_have_text(["bug"])
        await field.fill("")
        await page.keyboard.type(" two  words ")
        await expect(menu(page).get_by_role("option")).to_have_text(["Create two words"])
        await page.keyboard.press("Enter")
        await page.keyboard.press("Escape")
        await expect(link).to_be_focused()
        await expect(card(page, "Mine").locator(".tag")).to_have_text(["bug", "used", "two words"])
        await expect(page.get_by_text("label two words added")).to_be_visible()
        assert await labels_of(site, one["id"], tags) == ["bug", "used", "two words"]
        await page.keyboard.press("z")
        await expect(card(page, "Mine").locator(".tag")).to_have_text(["bug", "used"])
        await page.keyboard.press("l")
        await page.keyboard.type("bug")
        await page.keyboard.press("Enter")
        await expect(card(page, "Mine").locator(".tag")).to_have_text(["used"])
        await page.keyboard.press("Escape")
        await expect(page.get_by_text("label bug removed")).to_be_visible()
        assert await labels_of(site, one["id"], tags) == ["used"]
        await page.keyboard.press("l")
        await page.keyboard.type("used")
        await page.keyboard.press("Enter")
        await expect(card(page, "Mine").locator(".tag")).to_have_count(0)
        assert "Tags" not in str(await link.get_attribute("aria-label"))


async def test_the_open_card_takes_labels_with_two_clicks_and_drops_them_with_one(
    browser: Browser, site: World
) -> None:
    board, tags = await create_board(site, "Open")
    one = await site.card(board, title="Mine", fieldValues=[{"fieldId": tags, "value": ["old"]}])
    async with visiting(browser, site, site.sa) as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        dialog = page.get_by_role("dialog", name=one["key"])
        await dialog.get_by_role("button", name="Add label").click()
        held = asyncio.Event()

        async def hold(route: Route) -> None:
            if route.request.method == "PATCH":
                await held.wait()
            await route.continue_()

        await intercept(page, f"**/cards/{one['id']}", hold)
        for label in ("bug", "idea"):  # the second before the first is saved
            await menu(page).get_by_role("option", name=label).click()
        await page.keyboard.press("Escape")
        await dialog.get_by_role("button", name="Remove old").click()
        chips = dialog.get_by_role("button", name="Remove")
        await expect(chips).to_have_text(["bug", "idea"])
        theirs = [{"fieldId": tags, "value": ["old", "theirs"]}]
        (await site.member.patch(f"/cards/{one['id']}", {"fieldValues": theirs})).ok()
        held.set()
        await expect(chips).to_have_text(["theirs", "bug", "idea"])
        await expect(dialog.get_by_text("Ada Architect changed “Tags” to")).to_have_count(3)
        assert await labels_of(site, one["id"], tags) == ["theirs", "bug", "idea"]
        await dialog.get_by_role("heading", level=2).focus()
        await page.keyboard.press("l")
        await expect(menu(page).get_by_role("combobox")).to_be_focused()
        await page.keyboard.press("Escape")
        await expect(menu(page)).to_have_count(0)
        await expect(dialog).to_be_visible()
        for word in ("Assignee", "Assigned agent"):
            await expect(dialog.get_by_role("button", name=f"{word}: None")).to_be_visible()


async def test_an_architect_colors_labels_and_adds_the_field_and_others_are_told_whom_to_ask(
    browser: Browser, site: World
) -> None:
    board, tags = await create_board(site, "Colors")
    own = (await site.sa.post(site.sa.org("/card-types"), {"title": "Plain", "projectId": board.id})).ok()
    without = await site.card(board, title="Without", cardTypeId=own["id"])
    await site.card(board, title="Labelled", fieldValues=[{"fieldId": tags, "value": ["grey one"]}])
    async with visiting(browser, site, site.member) as page:
        await visit_board(page, board)
        await card(page, "Without").get_by_role("link").focus()
        await page.keyboard.press("l")
        await expect(menu(page)).to_contain_text("Ask Ada Architect to add them.")
        await page.keyboard.press("Escape")
        await card(page, "Labelled").get_by_role("link").focus()
        await page.keyboard.press("l")
        await expect(menu(page).get_by_role("combobox")).to_be_focused()
        await expect(menu(page).get_by_role("button", name="Change colours")).to_have_count(0)
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await card(page, "Without").hover()
        await card(page, "Without").get_by_role("button", name="Actions of").click()
        await page.get_by_role("menuitem", name="Change the labels").click()
        await menu(page).get_by_role("button", name="Add labels").click()
        await menu(page).get_by_role("combobox").fill("fresh")
        await page.keyboard.press("Enter")
        await expect(card(page, "Without").locator(".tag")).to_have_text(["fresh"])
        await page.keyboard.press("Escape")
        await card(page, "Labelled").get_by_role("link").focus()
        await page.keyboard.press("l")
        await menu(page).get_by_role("button", name="Change colours").click()
        await menu(page).get_by_role("option", name="grey one").click()
        (await site.member.patch(f"/cards/{without['id']}", {"title": "Changed"})).ok()
        await expect(card(page, "Changed")).to_be_visible()
        await menu(page).get_by_role("button", name="Violet").click()
        chip = card(page, "Labelled").get_by_text("grey one", exact=True)
        await expect(chip).to_have_css("background-color", "rgb(138, 91, 209)")
    (field,) = (await site.sa.get(site.sa.org(f"/card-types/{own['id']}/fields"))).ok()
    assert (field["name"], field["kind"], field["showOnCard"]) == ("labels", "multiselect", True)
    found = (await site.sa.get(fields(site, board))).ok()
    assert next(row["optionColors"] for row in found if row["id"] == tags) == {**COLORS, "grey one": "#8a5bd1"}


async def slow(route: Route) -> None:
    await asyncio.sleep(1)
    await route.continue_()


async def test_labels_of_several_cards_change_together(browser: Browser, site: World) -> None:
    board, tags = await create_board(site, "Several")
    cards = [
        await site.card(board, title=title, fieldValues=[{"fieldId": tags, "value": labels}] if labels else [])
        for title, labels in (("First", ["bug"]), ("Second", []))
    ]
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        for title in ("First", "Second"):
            await card(page, title).get_by_role("link").click(modifiers=["Control"])
        await intercept(page, "**/board?*", slow)  # the next change does not wait for what others did
        await page.get_by_role("button", name="Labels…").click()
        await expect(menu(page).get_by_role("option", name="bug")).to_have_text("bug1 of 2")
        await menu(page).get_by_role("option", name="bug").click()  # the second takes it
        await expect(page.get_by_text("1 card: label bug added")).to_be_visible()
        await menu(page).get_by_role("option", name="idea").click()
        await expect(page.get_by_text("2 cards: label idea added")).to_be_visible()
        await menu(page).get_by_role("option", name="bug").click()
        await expect(page.get_by_text("2 cards: label bug removed")).to_be_visible()
        await expect(card(page, "First").locator(".tag")).to_have_text(["idea"])
    assert [await labels_of(site, one["id"], tags) for one in cards] == [["idea"], ["idea"]]


async def test_board_settings_say_what_cards_show(browser: Browser, site: World) -> None:
    board = await site.board(title="Settings")
    level = await site.field(board, "level", "select", label="Level", options=["low", "high"])
    values = [{"fieldId": level, "value": "high"}]
    one = await site.card(board, title="One", fieldValues=values)
    part = await site.card(board, title="Part")
    body = {"fromCardId": part["id"], "toCardId": one["id"], "kind": "partOf"}
    (await site.sa.post(site.sa.org("/relationships"), body)).ok()
    async with visiting(browser, site, site.sa) as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        await page.get_by_label("Attachments").set_input_files(
            files=[{"name": "a.txt", "mimeType": "text/plain", "buffer": b"a"}]
        )
        await expect(page.get_by_role("button", name="a.txt", exact=True)).to_be_visible()
        await page.goto(f"/b/{board.id}/design")
        await page.get_by_role("switch", name="Level: Show on cards").click()
        await expect(page.get_by_text("Cards on boards show Level.")).to_be_visible()
        await page.get_by_role("button", name="Colours Level").click()
        await page.get_by_role("combobox", name="Colour of high").select_option("Green")
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await page.get_by_role("button", name="Colours Tags").click()
        for text in ("Été", "ete"):
            await page.get_by_role("textbox", name="New label").fill(text)
            await page.keyboard.press("Enter")
            await expect(page.get_by_role("combobox", name="Colour of Été", exact=True)).to_be_focused()
        await expect(page.get_by_role("combobox", name="Colour of ete", exact=True)).to_have_count(0)
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await page.get_by_role("link", name="Open board").click()
        await expect(card(page, "One")).to_contain_text("Level: high")
        await expect(card(page, "One").locator(".tag")).to_have_css("background-color", "rgb(47, 158, 91)")
        await expect(card(page, "One").locator(".meta")).to_have_text(f"{one['key']}Blocked0/11")
        await page.goto(f"/b/{board.id}/design")
        progress = page.get_by_role("switch", name="Cards show progress")
        await progress.click()
        await expect(page.get_by_text("Cards no longer show progress")).to_be_visible()
        await page.get_by_role("button", name="Undo").click()
        await expect(progress).to_be_checked()
        for name in ("Cards show progress", "Cards show the number of files"):
            await page.goto(f"/b/{board.id}/design")
            await page.get_by_role("switch", name=name).click()
            await expect(page.get_by_text("no longer show")).to_be_visible()
        await visit_board(page, board)
        await expect(card(page, "One").locator(".meta")).to_have_text(f"{one['key']}Blocked")


async def test_long_labels_fit_and_the_menu_says_how_many_it_leaves_out(browser: Browser, site: World) -> None:
    board, tags = await create_board(site, "Much")
    long = "an endless label " * 11
    labels = [long.strip(), "אבג", *(f"label {number:03}" for number in range(99))]
    one = await site.card(board, title="Mine", fieldValues=[{"fieldId": tags, "value": labels}])
    async with visiting(browser, site, site.sa, viewport=PHONE) as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        chip = page.get_by_role("button", name=f"Remove {long.strip()}")
        assert await right_of(chip.locator("svg")) <= PHONE["width"]  # which shows that a click removes it
        await page.get_by_role("button", name="Add label").click()
        await expect(menu(page).get_by_role("option")).to_have_count(100)
        rest = f"The first 100 of {len(labels) + len(COLORS)} labels. Type to find the others."
        await expect(menu(page).get_by_role("status")).to_have_text(rest)
        await page.keyboard.type("endless")
        await expect(menu(page).get_by_role("option", selected=True)).to_have_count(1)
        await expect(menu(page).get_by_role("status")).to_have_count(0)
        assert await right_of(menu(page).get_by_role("option").locator("svg")) <= PHONE["width"]


async def test_a_label_is_chosen_by_a_finger(browser: Browser, site: World) -> None:
    board, _ = await create_board(site, "Phone")
    one = await site.card(board, title="Mine")
    async with visiting(browser, site, site.sa, viewport=PHONE, has_touch=True) as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        await page.get_by_role("button", name="Add label").tap()
        await menu(page).get_by_role("option", name="bug").tap()
        await expect(menu(page).get_by_role("option", name="bug")).to_have_attribute("aria-selected", "true")
        await expect(page.get_by_role("button", name="Remove bug")).to_be_visible()
