"""A day with the page: from an empty folder to the export in the evening, by two people and three agents."""

import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from ..operations.test_first_start import SHOWN
from ..process import ServiceProcess
from ..tools.talk import Talk, talking
from ..world import Client, World
from .boards import card, column, drop_files, wait_until_ready
from .browser import visiting

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

WORK = ["Paint the shed", "Repair the fence", "Dig a well", "Sow the lawn", "Prune the vines", "Mend the gate"]
MORE = ["Buy nails", "Set posts", "Fix the tap", "Change the seal"]  # an agent splits a card, and so does a person


@dataclass
class Day:
    """The service as it was started, and the page of the architect and of the member; `eyes` only look."""

    world: World
    architect: Page
    member: Page
    eyes: Client

    async def card(self, title: str) -> Any:
        """Return a card as the service has it, with the title of its column."""
        found = (await self.eyes.get(self.eyes.org("/cards"), params={"q": title})).ok()["items"]
        (one,) = [each for each in found if each["title"] == title]
        return {**one, "column": (await self.columns())[one["columnId"]]}

    async def columns(self) -> dict[str, str]:
        """Return the titles of the columns by their ids."""
        return {row["id"]: row["title"] for row in (await self.eyes.get(self.eyes.org("/columns"))).ok()}


@contextlib.asynccontextmanager
async def morning(browser: Browser, folder: Path) -> AsyncIterator[Day]:
    """Start the service in an empty folder, and sign the first architect in with what the console shows."""
    with ServiceProcess(folder) as service:
        shown = SHOWN.search(service.said)
        assert shown
        world = World(service.url)
        async with world.ctx(), visiting(browser, world) as architect, visiting(browser, world) as member:
            await sign_in(architect, shown[1], shown[2])
            yield Day(world, architect, member, await world.login(shown[1], shown[2]))


async def sign_in(page: Page, email: str, password: str) -> None:
    """Sign in on the page."""
    await page.goto("/")
    await page.get_by_label("E-mail").fill(email)
    await page.get_by_label("Password").fill(password)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()


async def once(page: Page, label: str) -> str:
    """Take down what is shown only once."""
    secret = await page.get_by_label(label, exact=True).input_value()
    await page.get_by_role("button", name="Done").click()
    return secret


def begin(page: Page) -> Locator:
    """Find the steps of the beginning."""
    return page.get_by_role("region", name="Get started")


def waits(page: Page, text: str) -> Locator:
    """Find something that waits on Now."""
    return page.locator("li.item[data-id]").filter(has_text=text)


async def to_board(page: Page) -> None:
    """Go to the board by the rail."""
    await page.get_by_role("link", name="Garden", exact=True).first.click()
    await wait_until_ready(page)


async def set_up(day: Day) -> str:
    """Board, person and key by the led beginning; the member signs in; return the key."""
    page = day.architect
    await begin(page).get_by_role("button", name="Create a board…").click()
    await page.get_by_label("Title").fill("Garden")
    await page.keyboard.press("Enter")
    await begin(page).get_by_role("button", name="Add a person…").click()
    await page.get_by_label("E-mail").fill("mo@example.test")
    await page.get_by_label("Name", exact=True).fill("Mo")
    await page.keyboard.press("Enter")
    await sign_in(day.member, "mo@example.test", await once(page, "Password"))
    await begin(page).get_by_role("button", name="Create an API key…").click()
    await page.get_by_label("Name", exact=True).fill("Agents of the garden")
    await page.keyboard.press("Enter")
    return await once(page, "Key")


async def design(page: Page) -> None:
    """Create a column for testing on the board, transitions to it and on with approval, and a field."""
    await page.get_by_role("button", name="Add column").click()
    await page.keyboard.type("Testing")
    await page.keyboard.press("Enter")
    await expect(column(page, "Testing")).to_be_visible()
    await page.get_by_role("link", name="Board settings").first.click()
    await expect(page.get_by_role("switch", name="Testing: Agents may work here")).to_be_checked()
    matrix = page.get_by_role("region", name="Transitions from and to")
    await matrix.get_by_role("button", name="In Progress → Testing").click()
    await expect(matrix.get_by_role("button", name="In Progress → Testing")).to_have_text("yes")
    await matrix.get_by_role("button", name="Testing → Done").click()
    await expect(matrix.get_by_role("button", name="Testing → Done")).to_have_text("needs approval")
    kind = page.get_by_role("article", name="Task")
    await kind.get_by_role("button", name="New field Task").click()
    await page.get_by_label("Label").fill("Tool")
    await page.get_by_label("Name for agents").fill("tool")
    await page.get_by_role("button", name="Create field").click()
    await expect(kind.get_by_role("figure")).to_contain_text("Tool")


async def plan(page: Page) -> None:
    """Paste the work of the day as lines."""
    await to_board(page)
    await column(page, "Todo").get_by_role("button", name="Add a card").click()
    await page.get_by_label("New card in Todo").fill("\n".join(WORK))
    await page.keyboard.press("Enter")
    await expect(column(page, "Todo").locator("li.card")).to_have_count(len(WORK))
    await page.keyboard.press("Escape")


async def hire(day: Day, asker: Talk, splitter: Talk, wrong: Talk) -> None:
    """Three agents register; the first is approved in the beginning, the others where agents are listed."""
    page = day.architect
    for talk, name in ((asker, "asker"), (splitter, "splitter"), (wrong, "wrong")):
        assert (await talk.ok("register", id=name, title=name.capitalize()))["status"] == "pending"
    await page.get_by_role("link", name="Home").first.click()
    await begin(page).get_by_role("button", name="Approve Asker").click()
    await expect(begin(page)).to_have_count(0)
    await page.keyboard.press("g")
    await page.keyboard.press("a")
    for name in ("Splitter", "Wrong"):
        await page.get_by_role("button", name=f"Approve {name}").click()
        await expect(page.get_by_role("button", name=f"Approve {name}")).to_have_count(0)


async def work(day: Day, asker: Talk, splitter: Talk) -> None:
    """Agents claim, ask, split and ask for approval; people answer and approve on Now."""
    mine, other = await asker.ok("claim_next"), await splitter.ok("claim_next")
    assert [one["card"]["title"] for one in (mine, other)] == WORK[:2]
    key, token = mine["card"]["key"], mine["card"]["claim"]["token"]
    asked = await asker.ok(
        "ask", card=key, content="Which colour?", options=["Red", "Blue"], claimToken=token, keepClaim=True
    )
    assert asked
    await waits(day.member, "Which colour?").get_by_role("button", name="Blue").click()
    await expect(waits(day.member, "Which colour?")).to_have_count(0)
    (answered,) = (await asker.ok("inbox"))["items"]
    assert "Blue" in json.dumps(answered)
    await splitter.ok(
        "split_card",
        card=other["card"]["key"],
        parts=[{"title": "Buy nails"}, {"title": "Set posts"}],
        claimToken=other["card"]["claim"]["token"],
    )
    for place in ("In Progress", "Testing"):
        await asker.ok("move_card", card=key, to=place, claimToken=token)
    await asker.refused("move_card", "approval_required", card=key, to="Done", claimToken=token)
    await asker.ok("request_move", card=key, to="Done", note="Painted blue.", claimToken=token)
    await day.architect.get_by_role("link", name="Home").first.click()
    found = waits(day.architect, WORK[0])
    await expect(found).to_contain_text("Testing → Done")
    await expect(found).to_contain_text("“Painted blue.”")
    await found.get_by_role("button", name="Approve").click()
    await expect(found).to_have_count(0)
    assert (await day.card(WORK[0]))["column"] == "Done"
    assert (await day.card("Buy nails"))["column"] in ("Backlog", "Todo")


async def go_wrong(day: Day, wrong: Talk) -> None:
    """Let an agent move three cards by mistake, and put them back from its page."""
    page, moved = day.architect, WORK[2:5]
    for title in moved:
        await wrong.ok("move_card", card=(await day.card(title))["key"], to="In Progress")
    await page.keyboard.press("g")
    await page.keyboard.press("a")
    await page.get_by_role("link", name="Wrong").first.click()
    await page.get_by_role("button", name="Undo its changes…").click()
    await expect(page.get_by_text("3 cards would change.")).to_be_visible()
    await page.get_by_role("button", name="Undo on 3 cards").click()
    await expect(page.get_by_text("3 cards of Wrong went back")).to_be_visible()
    assert {(await day.card(title))["column"] for title in moved} == {"Todo"}
    history = (await day.eyes.get(f"/cards/{(await day.card(moved[0]))['id']}/history")).ok()
    assert "undone" in json.dumps(history)


async def note(day: Day, asker: Talk) -> None:
    """Add a card with tokens, find it again by a filter, write a checklist, tick an item, and mention an agent."""
    page = day.member
    await to_board(page)
    await column(page, "Todo").get_by_role("button", name="Add a card").click()
    await page.keyboard.type("Fix the tap #plumbing @mo !high ^tomorrow")
    chips = column(page, "Todo").get_by_role("list", name="Understood").get_by_role("button")
    await expect(chips).to_have_count(4)
    await page.keyboard.press("Enter")
    await expect(card(page, "Fix the tap")).to_contain_text("plumbing")
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="More filters").click()
    menu = page.get_by_role("dialog", name="Filter")
    await menu.get_by_role("option", name="high").click()
    await menu.get_by_role("option", name="plumbing").click()
    await page.keyboard.press("Escape")
    await expect(page.locator("li.card")).to_have_count(1)
    await page.keyboard.press("g")
    await page.keyboard.press("m")
    await expect(page.get_by_role("heading", name="My cards", level=1)).to_be_visible()
    await page.get_by_role("link", name="Fix the tap").click()
    dialog = page.get_by_role("dialog", name="Fix the tap")
    await dialog.get_by_role("button", name="Write Description").click()
    await dialog.get_by_role("textbox", name="Description").fill("- [ ] Turn off the water\n- [ ] Change the seal")
    await page.keyboard.press("Control+Enter")
    await dialog.get_by_role("checkbox", name="Turn off the water").check()
    await expect(dialog.get_by_text("1 of 2 done")).to_be_visible()
    await dialog.get_by_role("textbox", name="Comment").click()
    await page.keyboard.type("Is this something for @ask")
    await expect(page.get_by_role("option")).to_contain_text(["Asker @asker"])
    await page.keyboard.press("Tab")
    await page.keyboard.press("Control+Enter")
    await expect(dialog.get_by_role("article").get_by_text("@Asker")).to_be_visible()
    assert "Fix the tap" in json.dumps((await asker.ok("inbox"))["items"])
    made = await day.card("Fix the tap")
    assert (made["priority"], made["dueAllDay"], made["checklist"]) == ("high", True, {"done": 1, "total": 2})


async def share_out(day: Day) -> None:
    """Split a card, relate it to another one, and move its part to a board that is new."""
    await day.architect.get_by_role("button", name="New board").click()
    await day.architect.keyboard.type("Workshop")
    await day.architect.get_by_role("button", name="Create board").click()
    await expect(day.architect.get_by_role("heading", name="Workshop", level=1)).to_be_visible()
    page, key = day.member, (await day.card("Fix the tap"))["key"]
    dialog = page.get_by_role("dialog", name="Fix the tap")
    await dialog.get_by_role("button", name="Split…").click()
    await page.get_by_role("dialog", name=f"Split {key}").get_by_role("button", name="Create parts").click()
    await expect(dialog.get_by_text("0 of 1 parts are done")).to_be_visible()
    await expect(page.get_by_role("dialog", name=f"Split {key}")).to_have_count(0)
    await page.keyboard.press("Control+k")
    await page.get_by_role("combobox", name="Find a board").fill("relate to")
    await page.keyboard.press("Enter")
    asked = page.get_by_role("dialog", name=f"Relate {key}")
    await asked.get_by_role("combobox", name="Other card").fill("dig well")
    await expect(page.get_by_role("option", name="Dig a well")).to_be_visible()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await expect(dialog.locator(".relations")).to_contain_text("Dig a well")
    await dialog.get_by_role("link", name="Change the seal").click()
    part = page.get_by_role("dialog", name="Change the seal")
    await part.get_by_role("button", name="Move to another board…").click()
    await page.get_by_label("Board", exact=True).select_option("Workshop")
    await page.get_by_role("button", name="Move", exact=True).click()
    await expect(part).to_contain_text("moved it from Garden to Workshop")
    await page.keyboard.press("Escape")
    await expect(card(page, "Change the seal")).to_be_visible()


async def find_and_keep(day: Day) -> None:
    """Find cards by search and by the palette, and drop a file on one."""
    page = day.member
    await page.get_by_role("link", name="Search").first.click()
    await expect(page.get_by_label("Search all boards")).to_be_focused()
    await page.keyboard.type("nails")
    await expect(page.locator("li.item").first).to_contain_text("Buy nails")
    await to_board(page)
    await page.keyboard.press("Control+k")
    await page.get_by_role("combobox").fill("well")
    await expect(page.get_by_role("option").first).to_contain_text("Dig a well")
    await page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Dig a well")
    await drop_files(page, dialog.locator(".card-body"), ("depth.txt", "9 metres"))
    await expect(dialog.get_by_role("button", name="depth.txt")).to_be_visible()


async def put_away(day: Day) -> None:
    """Archive a card with a key, and restore it."""
    page = day.architect
    await to_board(page)
    await card(page, "Mend the gate").get_by_role("link").focus()
    await page.keyboard.press("Shift+E")
    await expect(card(page, "Mend the gate")).to_have_count(0)
    await page.get_by_role("link", name="Archive").first.click()
    await page.get_by_role("button", name="Restore Mend the gate").click()
    await expect(page.get_by_role("button", name="Restore Mend the gate")).to_have_count(0)
    assert (await day.card("Mend the gate"))["column"] == "Todo"


async def evening(day: Day, folder: Path) -> None:
    """Check the reports of the day, and save an export."""
    page = day.architect
    await page.keyboard.press("g")
    await page.keyboard.press("f")
    made = page.get_by_role("region", name="Created and closed", exact=True)
    await made.get_by_role("button", name="Show numbers").click()
    await expect(made.get_by_role("row").last.get_by_role("cell")).to_have_text([str(len(WORK) + len(MORE)), "1"])
    await page.get_by_role("link", name="Settings", exact=True).first.click()
    await page.get_by_role("link", name="Data").click()
    await page.get_by_role("switch", name="With the contents of files").click()
    async with page.expect_download() as found:
        await page.get_by_role("button", name="Export", exact=True).click()
    await (await found.value).save_as(folder / "export.json")
    saved = json.loads((folder / "export.json").read_text("utf-8"))
    assert {one["title"] for one in saved["cards"]} == {*WORK, *MORE}
    assert [(file["name"], file["contentBase64"]) for file in saved["files"]] == [("depth.txt", "OSBtZXRyZXM=")]


async def test_an_architect_sets_up_board_people_and_agents_and_works_a_day_without_a_command_line(
    browser: Browser, tmp_path: Path
) -> None:
    async with morning(browser, tmp_path) as day:
        key = await set_up(day)
        await to_board(day.architect)
        await design(day.architect)
        await plan(day.architect)
        agents = day.world.client({"Authorization": f"ApiKey {key}"})
        first, second, third = [talking(agents, **{"X-Agent-Id": name}) for name in ("asker", "splitter", "wrong")]
        async with first as asker, second as splitter, third as wrong:
            await hire(day, asker, splitter, wrong)
            await work(day, asker, splitter)
            await go_wrong(day, wrong)
            await note(day, asker)
        await share_out(day)
        await find_and_keep(day)
        await put_away(day)
        await evening(day, tmp_path)
