"""Board settings: each switch saves at once and says what it changes; others see it as it happens."""

from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from ..world import Board, World
from .browser import intercept, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def open_screen(page: Page, board: Board) -> None:
    """Open the design of a board and wait until it is there."""
    await page.goto(f"/b/{board.id}/design")
    await expect(page.get_by_role("heading", name="Columns", level=2)).to_be_visible()


def row(page: Page, title: str) -> Locator:
    """Find a column."""
    return page.get_by_role("list", name="Columns").locator("li").filter(has=page.locator(f"strong:text-is('{title}')"))


async def column(site: World, board: Board, title: str) -> Any:
    """Return a column as the service has it."""
    columns = (await site.sa.get(site.sa.org("/columns"), params={"projectId": board.id})).ok()
    return next((one for one in columns if one["title"] == title), None)


async def test_each_switch_of_a_column_saves_at_once_and_says_what_it_changes_for_agents(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Switches")
    async with visiting(browser, site, site.sa) as page, visiting(browser, site, site.member) as other:
        await open_screen(page, board)
        await open_screen(other, board)
        await expect(row(page, "Backlog")).to_contain_text("Only people work here.")
        await page.get_by_role("switch", name="Backlog: Agents may work here").click()
        await expect(page.get_by_text("Agents may now take cards from Backlog, comment and ask there.")).to_be_visible()
        await expect(row(other, "Backlog")).to_contain_text("Agents comment and ask here")
        await page.get_by_role("switch", name="Backlog: Agents may change and move cards").press("Space")
        await expect(row(page, "Backlog")).to_contain_text("Agents take cards here, change them, move them to Todo.")
        await page.get_by_role("switch", name="Review: Block cards with open blockers").click()
        await expect(page.get_by_text("Blocked cards can no longer be moved into Review.")).to_be_visible()
        await page.get_by_role("switch", name="Review: Cards here are done").click()
        await expect(page.get_by_text("Cards in Review are done now")).to_be_visible()
        limit = page.get_by_label("In Progress: Limit of cards")
        await limit.fill("1.000")  # may be meant as a thousand
        await page.keyboard.press("Enter")
        assert await limit.evaluate("field => field.validationMessage") == "Type a whole number in digits only."
        await limit.fill("4")
        await limit.press("ArrowDown")
        assert (await column(site, board, "In Progress"))["wipLimit"] is None  # not before Enter, or leaving the field
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("In Progress takes 3 cards at most now")).to_be_visible()
        await expect(other.get_by_label("In Progress: Limit of cards")).to_have_value("3")
        await expect(other.get_by_label("In Progress: Limit of cards")).to_be_disabled()
        await expect(other.get_by_role("switch", name="Backlog: Agents may work here")).to_be_disabled()
        await expect(other.get_by_text("Only Solution Architects can change this.")).to_be_visible()
    backlog, review = await column(site, board, "Backlog"), await column(site, board, "Review")
    assert (backlog["agentPickupEnabled"], backlog["agentCanModerate"]) == (True, True)
    assert (review["rejectsBlocked"], review["columnType"]) == (True, "done")
    assert (await column(site, board, "In Progress"))["wipLimit"] == 3


async def test_columns_are_made_renamed_sorted_and_removed_with_their_cards_moved(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Sorting")
    one = await site.card(board, "Review", title="Moves on")
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page, board)
        await page.get_by_role("button", name="New column…").click()
        await page.get_by_label("Title").fill("Waiting <b>")
        await page.keyboard.press("Enter")
        await expect(row(page, "Waiting <b>")).to_be_visible()
        await expect(page.get_by_text("Cards can move between it and Review and Done.")).to_be_visible()
        names = page.get_by_role("list", name="Columns").locator("li strong")
        await expect(names).to_have_text(["Backlog", "Todo", "In Progress", "Review", "Waiting <b>", "Done"])
        await page.get_by_role("button", name="Earlier: Waiting <b>").press("Enter")
        await expect(names).to_have_text(["Backlog", "Todo", "In Progress", "Waiting <b>", "Review", "Done"])
        await expect(page.get_by_role("button", name="Earlier: Waiting <b>")).to_be_focused()
        await page.get_by_role("button", name="Rename Waiting <b>").click()
        await page.get_by_label("Title").fill("Waiting")
        await page.keyboard.press("Enter")
        await expect(names).to_have_text(["Backlog", "Todo", "In Progress", "Waiting", "Review", "Done"])
        await page.get_by_role("button", name="Remove Review").click()
        await page.get_by_label("Move its 1 card to").select_option("Waiting")
        await page.get_by_role("button", name="Remove", exact=True).click()
        await expect(names).to_have_text(["Backlog", "Todo", "In Progress", "Waiting", "Done"])
    waiting = await column(site, board, "Waiting")
    assert (await site.sa.get(f"/cards/{one['id']}")).ok()["columnId"] == waiting["id"]


async def test_required_fields_and_the_prompt_of_a_column_are_chosen(browser: Browser, site: World) -> None:
    board = await site.board(title="Required")
    prompt = (await site.sa.post("/prompts", {"name": "How to test", "body": "Test it."})).ok()
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page, board)
        await page.get_by_role("button", name="Review: Required fields").click()
        await page.get_by_role("switch", name="Pull request (Task)").click()
        await expect(page.get_by_text("before they move into Review.")).to_be_visible()
        await page.get_by_role("button", name="Done", exact=True).click()
        await expect(page.get_by_role("button", name="Review: Required fields: 1")).to_be_visible()
        choice = page.get_by_role("button", name="Review: Prompt for agents: none")
        await choice.press("ArrowDown")
        assert (await column(site, board, "Review"))["promptId"] is None
        await choice.click()
        await page.get_by_role("menuitemradio", name="How to test").click()
        await expect(page.get_by_text("Agents who take a card in Review get the prompt “How to test”.")).to_be_visible()
    review = await column(site, board, "Review")
    assert (review["requiredFieldIds"], review["promptId"]) == ([board.field("pull_request")], prompt["id"])


async def test_a_way_goes_from_no_to_yes_to_asks_a_person_and_back(browser: Browser, site: World) -> None:
    board = await site.board(title="Transitions")
    async with visiting(browser, site, site.sa) as page, visiting(browser, site, site.sa) as other:
        await open_screen(page, board)
        await open_screen(other, board)
        matrix = page.get_by_role("region", name="Transitions from and to")
        cell = matrix.get_by_role("button", name="Todo → Done")
        await expect(cell).to_have_text("no")
        await cell.click()
        await expect(page.get_by_text("Agents and people may now move cards from Todo to Done.")).to_be_visible()
        await expect(cell).to_have_text("yes")
        await expect(cell).to_be_focused()
        await cell.press("Enter")
        await expect(
            page.get_by_text("Moving cards from Todo to Done needs approval when an agent asks")
        ).to_be_visible()
        await expect(page.get_by_text("From Todo to In Progress and Done (a person approves).")).to_be_visible()
        there = other.get_by_role("region", name="Transitions from and to").get_by_role("button", name="Todo → Done")
        await expect(there).to_have_text("needs approval")
        await cell.press("Enter")
        await expect(page.get_by_text("Cards can no longer move from Todo to Done.")).to_be_visible()
        await matrix.get_by_role("button", name="Backlog → Done").click()
        await expect(page.get_by_text("agents may not move cards out of Backlog")).to_be_visible()
    ways = (await site.sa.get(site.sa.org("/transitions"), params={"projectId": board.id})).ok()
    edges = {(one["fromColumnId"], one["toColumnId"]) for one in ways}
    assert (board.columns["Todo"], board.columns["Done"]) not in edges
    assert (board.columns["Backlog"], board.columns["Done"]) in edges


async def test_a_card_type_and_its_fields_are_made_with_a_sample_that_follows(browser: Browser, site: World) -> None:
    board = await site.board(title="Types")
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page, board)
        await page.get_by_role("button", name="New card type…").click()
        await page.get_by_label("Title").fill("Bug")
        await page.get_by_role("button", name="Create card type").click()
        kind = page.get_by_role("article", name="Bug")
        await expect(kind).to_contain_text("of this board")
        await kind.get_by_role("button", name="New field Bug").click()
        await page.get_by_label("Label").fill("Severity")
        await page.get_by_label("Name for agents").fill("severity")
        await expect(page.get_by_label("Options, one per line")).to_be_hidden()
        await page.get_by_label("Kind").select_option("select")
        await page.get_by_label("Options, one per line").fill("high\nlow")
        await page.get_by_role("button", name="Create field").click()
        await expect(kind.get_by_role("figure")).to_contain_text("Severityhigh")
        await page.get_by_role("switch", name="Severity: Required").click()
        await expect(page.get_by_text("A card needs Severity before it leaves the first column.")).to_be_visible()
        await expect(kind.get_by_role("figure")).to_contain_text("Severity *")
        await kind.get_by_role("button", name="New field Bug").click()
        await page.get_by_label("Label").fill("Build")
        await page.get_by_label("Name for agents").fill("build")
        await page.get_by_label("Pattern").fill("(")
        await page.get_by_role("button", name="Create field").click()
        await expect(page.get_by_role("dialog").get_by_role("alert")).not_to_be_empty()
        await page.get_by_label("Pattern").fill("^v[0-9]+$")
        await page.get_by_role("button", name="Create field").click()
        await kind.get_by_role("button", name="Earlier: Build").click()
        await expect(kind.locator("li strong")).to_have_text(["Build", "Severity"])
        await page.get_by_role("switch", name="Bug: Takes comments").click()
        await expect(page.get_by_text("Agents and people may no longer comment on cards of type Bug.")).to_be_visible()
        await kind.get_by_role("button", name="Remove Build").click()
        await page.get_by_role("button", name="Remove", exact=True).click()
        await expect(kind.locator("li strong")).to_have_text(["Severity"])
    types = (await site.sa.get(site.sa.org("/card-types"), params={"projectId": board.id})).ok()
    bug = next(one for one in types if one["title"] == "Bug")
    (field,) = bug["fields"]
    assert (bug["commentsEnabled"], field["options"], field["required"]) == (False, ["high", "low"], True)


async def test_a_phone_shows_the_ways_as_a_list(browser: Browser, site: World) -> None:
    board = await site.board(title="Narrow")
    narrow = {"viewport": {"width": 320, "height": 700}, "has_touch": True, "is_mobile": True}
    async with visiting(browser, site, site.sa, **narrow) as page:
        await open_screen(page, board)
        await expect(page.get_by_role("region", name="Transitions from and to")).to_be_hidden()
        await page.get_by_role("list", name="Transitions").get_by_role("button", name="Todo → Done").tap()
        await expect(page.get_by_text("Agents and people may now move cards from Todo to Done.")).to_be_visible()


async def test_a_column_that_is_removed_elsewhere_goes_and_a_rule_that_is_refused_stays(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Meanwhile")
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page, board)
        await intercept(page, "**/columns/*", lambda route: route.abort())
        await page.get_by_role("switch", name="Todo: Block cards with open blockers").click()
        await expect(page.get_by_role("alert").filter(has_text="Todo stays as it was")).to_be_visible()
        await expect(page.get_by_role("switch", name="Todo: Block cards with open blockers")).not_to_be_checked()
        await page.unroute("**/columns/*")
        (await site.sa.delete(site.sa.org(f"/columns/{board.columns['Review']}"))).ok()
        await expect(row(page, "Review")).to_have_count(0)


async def test_removing_a_field_names_boards_and_numbers_and_asks_for_its_name_if_much_is_lost(
    browser: Browser, site: World
) -> None:
    board, other = await site.board(title="First of two"), await site.board(title="Second of two")
    kind = (await site.sa.post(site.sa.org("/card-types"), {"title": "Shared by two"})).ok()["id"]
    path = site.sa.org(f"/card-types/{kind}/fields")
    field = (await site.sa.post(path, {"name": "invoice", "label": "Invoice", "kind": "text"})).ok()["id"]
    values = [{"fieldId": field, "value": "paid"}]
    for place, count in ((board, 20), (other, 1)):
        common = {"projectId": place.id, "columnId": place.columns["Todo"], "cardTypeId": kind, "fieldValues": values}
        (await site.sa.post(site.sa.org("/cards"), {"items": [{**common, "title": f"{n}"} for n in range(count)]})).ok()
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page, board)
        await page.get_by_role("button", name="Remove Invoice").click()
        asked = page.get_by_role("dialog", name="Remove Invoice?")
        await expect(asked).to_contain_text("21 values on 2 boards (First of two and Second of two) will be deleted")
        await asked.get_by_role("button", name="Remove", exact=True).click()
        await expect(asked.get_by_text("is needed")).to_be_visible()
        await asked.get_by_label("Type Invoice to continue").fill("In")
        await page.keyboard.press("Enter")
        await expect(asked.get_by_text("is not what is asked for")).to_be_visible()
        assert len((await site.sa.get(path)).ok()) == 1
        await asked.get_by_label("Type Invoice to continue").fill("Invoice")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("button", name="Remove Invoice")).to_have_count(0)
    assert (await site.sa.get(path)).ok() == []


async def test_a_type_in_use_is_not_removed_and_says_where_it_is(browser: Browser, site: World) -> None:
    board = await site.board(title="In use")
    kind = (await site.sa.post(site.sa.org("/card-types"), {"title": "Rare", "projectId": board.id})).ok()["id"]
    one = await site.card(board, title="Of this type", cardTypeId=kind)
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page, board)
        await page.get_by_role("button", name="Remove Rare", exact=True).click()
        notice = page.get_by_role("alert").filter(has_text="Rare was not removed")
        await expect(notice).to_contain_text("1 card on 1 board (In use) has this type.")
        (await site.sa.delete(f"/cards/{one['id']}")).ok()
        await page.get_by_role("button", name="Remove Rare", exact=True).click()
        asked = page.get_by_role("dialog", name="Remove Rare?")
        await expect(asked).to_contain_text("1 archived card of 1 board (In use) cannot be restored then")
        await asked.get_by_role("button", name="Remove", exact=True).click()
        await expect(page.get_by_role("article", name="Rare")).to_have_count(0)


async def test_archiving_a_board_says_which_work_it_ends(browser: Browser, site: World) -> None:
    board = await site.board(title="At work")
    bot = await site.agent("worker")
    one, other = [await site.card(board, "Todo", title=f"Work {number}") for number in range(2)]
    for name in ("Todo", "Review"):
        path = site.sa.org(f"/columns/{board.columns[name]}")
        (await site.sa.patch(path, {"agentPickupEnabled": True, "agentCanModerate": True})).ok()
    (await bot.post(f"/cards/{one['id']}/claim/mcp", {})).ok()
    review = await site.card(board, "Review", title="To decide")
    body = {"toColumnId": board.columns["Done"]}
    (await bot.post(f"/cards/{review['id']}/move-requests/mcp", body)).ok()
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page, board)
        await page.get_by_role("button", name="Archive the board").click()
        asked = page.get_by_role("dialog", name="Archive At work?")
        await expect(asked).to_contain_text("1 agent at work, 1 open request.")
        await asked.get_by_role("button", name="Cancel").click()
        (await site.sa.get(f"/cards/{other['id']}")).ok()
        await page.get_by_role("button", name="Archive the board").click()
        await asked.get_by_role("button", name="Archive", exact=True).click()
        await page.wait_for_url("**/")
    (await site.sa.get(site.sa.org(f"/projects/{board.id}"))).refused(404, "not_found")
