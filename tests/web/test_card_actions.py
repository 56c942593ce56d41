"""What else can be done with an open card: its type, another board, relations, parts."""

import asyncio
from typing import Any

import pytest
from playwright.async_api import Browser, Page, Route, expect

from ..resources.test_card_type_change import new_field, new_type
from ..world import World
from .browser import intercept, visiting
from .test_card import open_card
from .test_texts import PASTE

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def undo_last(page: Page) -> None:
    await page.locator(".toast").get_by_role("button", name="Undo").last.click()


async def read(site: World, card: Any) -> Any:
    return (await site.sa.get(f"/cards/{card['id']}")).ok()


async def test_a_type_is_changed_after_telling_what_it_drops_and_undone(browser: Browser, site: World) -> None:
    board = await site.board(title="Types")
    story, bug = [await new_type(site, title, projectId=board.id) for title in ("Story", "Bug")]
    notes, points = [await new_field(site, story, name) for name in ("Notes", "Points")]
    await new_field(site, bug, "Notes")
    values = [{"fieldId": notes, "value": "Keep me"}, {"fieldId": points, "value": "Five"}]
    one = await site.card(board, title="Crash", cardTypeId=story, fieldValues=values)
    async with visiting(browser, site, site.member) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_role("button", name="Type: Story").click()
        await page.get_by_role("menuitemradio", name="Bug").click()
        asked = page.get_by_role("dialog", name="Change the type to “Bug”?")
        await expect(asked).to_contain_text("does not take the values of “Points”")
        await asked.get_by_role("button", name="Cancel").click()
        await expect(dialog.get_by_role("button", name="Type: Story")).to_be_visible()
        assert (await read(site, one))["version"] == 1
        await dialog.get_by_role("button", name="Type: Story").click()
        await page.get_by_role("menuitemradio", name="Bug").click()
        await asked.get_by_role("button", name="Change type").click()
        await expect(dialog.get_by_role("button", name="Type: Bug")).to_be_focused()
        await expect(dialog.get_by_text("Keep me")).to_be_visible()
        await expect(dialog.get_by_role("button", name="Points: Five")).to_have_count(0)
        row = dialog.get_by_text("changed the type from Story to Bug; dropped “Points”")
        await expect(row).to_be_visible()
        await undo_last(page)
        await expect(dialog.get_by_role("button", name="Points: Five")).to_be_visible()
        await expect(dialog.get_by_role("button", name="Type: Story")).to_be_visible()


async def test_a_card_moves_to_another_board_with_its_parts_and_its_old_link_follows(
    browser: Browser, site: World
) -> None:
    here, there = await site.board(title="Leaving here"), await site.board(title="Arriving there")
    story = await new_type(site, "Only here", projectId=here.id)
    field = await new_field(site, story, "Budget")
    one = await site.card(here, title="Wanderer", cardTypeId=story, fieldValues=[{"fieldId": field, "value": "9"}])
    parts = [{"title": "Baggage", "cardTypeId": here.card_type["id"]}]
    bare = {"title": "A board without columns", "template": "blank"}
    (await site.sa.post(site.sa.org("/projects"), bare)).ok()
    (await site.sa.post(f"/cards/{one['id']}/split", {"parts": parts})).ok()
    async with visiting(browser, site, site.member) as page:
        dialog = await open_card(page, here, one)
        await dialog.get_by_role("button", name="Move to another board…").click()
        asked = page.get_by_role("dialog", name=f"Move {one['key']} to another board")
        await expect(asked.get_by_label("Board")).not_to_contain_text("A board without columns")
        await asked.get_by_label("Board").select_option("Arriving there")
        await asked.get_by_label("Column").select_option("In Progress")
        await asked.get_by_label("Type").select_option(here.card_type["title"])
        await expect(asked.get_by_text("does not take the values of “Budget”")).to_be_visible()
        await asked.get_by_role("switch", name="With 1 part").check()
        await asked.get_by_role("button", name="Move", exact=True).click()
        await page.wait_for_url(f"**/b/{there.id}/c/*")
        moved = await read(site, one)
        await expect(page).to_have_url(f"{site.url}/b/{there.id}/c/{moved['key']}")
        dialog = page.get_by_role("dialog", name=f"{moved['key']} Wanderer")
        await expect(dialog).to_contain_text("moved it from Leaving here to Arriving there")
        assert (moved["projectId"], moved["columnId"]) == (there.id, there.columns["In Progress"])
        # The old link leads there, whoever has it.
        await page.goto(f"/b/{here.id}/c/{one['key']}")
        await expect(page).to_have_url(f"{site.url}/b/{there.id}/c/{moved['key']}")
        await expect(dialog).to_be_visible()
        await dialog.get_by_role("button", name="Move to another board…").click()
        asked = page.get_by_role("dialog", name=f"Move {moved['key']} to another board")
        await asked.get_by_label("Board").select_option("Leaving here")
        await expect(asked.get_by_label("Type")).to_be_hidden()
        await asked.get_by_role("switch", name="With 1 part").check()
        await asked.get_by_role("button", name="Move", exact=True).click()
        await expect(page).to_have_url(f"{site.url}/b/{here.id}/c/{one['key']}")
        await undo_last(page)
        await expect(page).to_have_url(f"{site.url}/b/{there.id}/c/{moved['key']}")
        (await site.sa.delete(site.sa.org(f"/projects/{here.id}"))).ok()
        await page.goto(f"/b/{here.id}/c/{one['key']}")
        await expect(page).to_have_url(f"{site.url}/b/{there.id}/c/{moved['key']}")
        await expect(dialog).to_be_visible()
    found = (await site.sa.get(site.sa.org("/cards"), params={"projectId": there.id})).ok()["items"]
    assert sorted(card["title"] for card in found) == ["Baggage", "Wanderer"]


async def test_a_card_is_related_by_searching_another_one_and_gets_parts_line_by_line(
    browser: Browser, site: World
) -> None:
    board, elsewhere = await site.board(title="Relating by words"), await site.board(title="Far away")
    text = "Intro\n\n<!--\n- [ ] Hint\n-->\n- [x] Done thing\n- [ ] Open thing\n"
    text += "\n```\n- [ ] Code\n```\n\n- Loose thing\n  ~~~\n- Code"
    values = [{"fieldId": board.field("description"), "value": text}]
    one = await site.card(board, title="Centre", fieldValues=values)
    other = await site.card(elsewhere, title="Quixotic windmill")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_role("button", name="Relate…").click()
        asked = page.get_by_role("dialog", name=f"Relate {one['key']} to another card")
        field = asked.get_by_role("combobox", name="Other card")
        for text, problem in (
            ("nothing", "names no card; choose one from the list"),
            (one["key"], "must be another card"),
        ):
            await field.fill(text)
            await asked.get_by_role("button", name="Relate", exact=True).click()
            await expect(asked.get_by_text(f"Other card {problem}.")).to_be_visible()
        await field.fill("")
        await field.press_sequentially("quixotic wind")
        option = page.get_by_role("listbox", name="Cards").get_by_role("option")
        await expect(option).to_have_text(f"{other['key']} Quixotic windmill Far away · Todo")
        await page.keyboard.press("Enter")
        await expect(field).to_have_value(f"{other['key']} Quixotic windmill")
        await expect(page.get_by_role("listbox", name="Cards")).to_have_count(0)
        await page.keyboard.press("Enter")
        await expect(dialog.get_by_role("link", name=f"{other['key']} Quixotic windmill")).to_be_visible()
        await expect(asked).to_have_count(0)
        part = dialog.get_by_role("textbox", name="Add a part")
        for title in ("First", "Second"):
            await part.fill(title)
            await page.keyboard.press("Enter")
            await expect(dialog.locator(".relations")).to_contain_text(title)
            await expect(part).to_have_value("")
            await expect(part).to_be_focused()
        await undo_last(page)  # the part goes to the archive, which a member may not do
        await expect(dialog.get_by_text("0 of 1 parts are done")).to_be_visible()
        await dialog.get_by_role("button", name="Split…").click()
        lines = page.get_by_role("dialog", name=f"Split {one['key']} into parts")
        await expect(lines.get_by_role("checkbox")).to_have_count(2)
        await expect(lines.get_by_role("checkbox", name="Open thing")).to_be_checked()
        await expect(lines.get_by_role("checkbox", name="Loose thing")).not_to_be_checked()
        await lines.get_by_role("checkbox", name="Loose thing").check()
        await lines.get_by_role("button", name="Create parts").click()
        await expect(dialog.get_by_text("0 of 3 parts are done")).to_be_visible()
    relations = (await site.sa.get(f"/cards/{one['id']}", params={"include": "relations"})).ok()["relations"]
    assert {row["card"]["title"] for row in relations} >= {"Quixotic windmill", "First", "Open thing", "Loose thing"}


async def test_refused_parts_come_back_line_by_line_with_what_was_typed(browser: Browser, site: World) -> None:
    board = await site.board(title="Refused parts")
    one = await site.card(board, title="Whole")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        part = dialog.get_by_role("textbox", name="Add a part")
        height = (await part.bounding_box() or {})["height"]
        await part.fill("Typed ")
        await part.evaluate(PASTE, "short\r\n" + "x" * 501)  # nothing is cut, and what was refused stays
        await expect(page.get_by_text("No part was added")).to_be_visible()
        await expect(part).to_have_value("Typed short\n" + "x" * 501)
        assert (await part.bounding_box() or {})["height"] > height  # so that both lines can be seen
        written = asyncio.Event()

        async def lose(route: Route) -> None:
            await written.wait()
            await route.abort()

        await intercept(page, "**/split", lose)
        await page.keyboard.press("Enter")
        await expect(part).to_have_value("")
        await part.fill("Written meanwhile")
        written.set()
        await expect(part).to_have_value("Typed short\n" + "x" * 501 + "\nWritten meanwhile")
        await part.fill("")
        await page.unroute("**/split")
        await part.evaluate(PASTE, "One\n\n Two ")
        await expect(dialog.get_by_text("0 of 2 parts are done")).to_be_visible()
        assert (await part.bounding_box() or {})["height"] == height
    relations = (await site.sa.get(f"/cards/{one['id']}", params={"include": "relations"})).ok()["relations"]
    assert sorted(row["card"]["title"] for row in relations) == ["One", "Two"]


async def test_a_type_is_recognized_as_names_are_and_many_lines_are_counted(browser: Browser, site: World) -> None:
    here, there = await site.board(title="Folded here"), await site.board(title="Folded there")
    story = await new_type(site, "User-Stóry", projectId=here.id)
    await new_type(site, "user story", projectId=there.id)
    field = await new_field(site, story, "Lines", kind="richtext")
    lines = "\n".join(f"- [ ] line {number}" for number in range(105))
    one = await site.card(here, title="Long list", cardTypeId=story, fieldValues=[{"fieldId": field, "value": lines}])
    async with visiting(browser, site, site.member) as page:
        dialog = await open_card(page, here, one)
        await dialog.get_by_role("button", name="Split…").click()
        asked = page.get_by_role("dialog", name=f"Split {one['key']} into parts")
        await expect(asked.get_by_text("The first 100 of 105 lines are offered.")).to_be_visible()
        await expect(asked.get_by_role("checkbox")).to_have_count(100)
        await page.keyboard.press("Escape")
        await dialog.get_by_role("button", name="Move to another board…").click()
        asked = page.get_by_role("dialog", name=f"Move {one['key']} to another board")
        await asked.get_by_label("Board").select_option("Folded there")
        await expect(asked.get_by_label("Type")).to_be_hidden()
        await expect(asked.get_by_text("does not take the values of “Lines”")).to_be_visible()
