"""Each state of board, card and screens at each width and in both themes: layout, contrast, accessibility."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from ..world import World
from .boards import card, column, wait_until_ready
from .browser import PHONE, visiting
from .looks import looking
from .scenery import Scenery, furnish

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


@dataclass
class Visit:
    """A page on its way through the states of a board and its cards."""

    page: Page
    site: World
    scenery: Scenery

    @property
    def dialog(self) -> Locator:
        """Find the open card."""
        return self.page.locator("dialog.card-dialog")

    async def board(self, query: str = "") -> None:
        """Open the board anew."""
        await self.page.goto(f"/b/{self.scenery.board.id}{query}")
        await wait_until_ready(self.page)

    async def card(self, name: str = "main") -> None:
        """Open a card anew."""
        await self.page.goto(f"/b/{self.scenery.board.id}/c/{self.scenery.cards[name]['key']}")
        await expect(self.dialog.get_by_role("heading", name="History")).to_be_visible()

    async def screen(self, address: str, text: str) -> None:
        """Open a screen, and wait for a text."""
        await self.page.goto(address)
        await expect(self.page.get_by_role("main").get_by_text(text).locator("visible=true").first).to_be_visible()


State = Callable[[Visit], Awaitable[Any]]


async def empty_board(go: Visit) -> None:
    await go.screen(f"/b/{go.scenery.blank}", "This board has no columns yet")


async def board_of_others(go: Visit) -> None:
    await go.board()
    await expect(card(go.page, "Keep commas").get_by_title("1 of 3 items done")).to_be_visible()


async def quick_add(go: Visit) -> None:
    await column(go.page, "Backlog").get_by_role("button", name="Add a card").click()
    await go.page.keyboard.type('Call the customer #"big customers" @ada-architect !urgent ^2030-12-24')
    await expect(go.page.get_by_role("button", name="Remove urgent priority")).to_be_visible()
    hidden = "(field) => field.scrollHeight - field.clientHeight"
    assert await go.page.get_by_label("New card in Backlog").evaluate(hidden) <= 0


async def quick_add_completion(go: Visit) -> None:
    await go.page.keyboard.type(" @")
    await expect(go.page.get_by_role("listbox", name="People and agents").get_by_role("option").first).to_be_visible()


async def quick_add_problem(go: Visit) -> None:
    await go.page.get_by_label("New card in Backlog").fill("#bug")
    await go.page.keyboard.press("Enter")
    await expect(go.page.get_by_role("alert").filter(has_text="Write a title")).to_be_visible()


async def add_column(go: Visit) -> None:
    await go.board()
    await go.page.get_by_role("button", name="Add column").click()
    await expect(go.page.get_by_label("Title of the new column")).to_be_focused()


async def column_title(go: Visit) -> None:
    await go.board()
    await column(go.page, "Todo").get_by_role("heading").click()
    await expect(go.page.get_by_label("Title of Todo")).to_be_focused()


async def column_menu(go: Visit) -> None:
    await go.page.keyboard.press("Escape")
    await go.page.get_by_role("button", name="More about Todo").click()
    await expect(go.page.get_by_role("menu")).to_be_visible()


async def filter_menu(go: Visit) -> None:
    await go.page.keyboard.press("Escape")
    await go.page.get_by_role("button", name="More filters").click()
    menu = go.page.get_by_role("dialog", name="Filter")
    for name in ("high", "urgent", "Me"):
        await menu.get_by_role("option", name=name, exact=True).first.click()


async def filter_chips(go: Visit) -> None:
    await go.board("?priority=high&priority=urgent&field=tags%3Abug&due=week&due=overdue&assignedUserId=me&q=export")
    await expect(go.page.get_by_role("button", name="Remove Due: Overdue")).to_be_visible()


async def nothing_matches(go: Visit) -> None:
    await go.board("?q=nothing+like+it&priority=low")
    await expect(go.page.get_by_text("No card matches the filter.")).to_be_visible()


async def labels_menu(go: Visit) -> None:
    await go.board()
    await card(go.page, "Keep commas").get_by_role("link").focus()
    await go.page.keyboard.press("l")
    await expect(go.page.get_by_role("option", name="bug")).to_be_visible()


async def labels_created(go: Visit) -> None:
    await go.page.keyboard.type("a label that nobody has")
    await expect(go.page.get_by_role("option", name="Create a label")).to_be_visible()


async def label_color(go: Visit) -> None:
    await go.page.get_by_role("combobox").fill("")
    await go.page.get_by_role("button", name="Change colours").click()
    await go.page.get_by_role("option", name="bug").click()
    await expect(go.page.locator(".color-choices")).to_be_visible()


async def pressed(go: Visit, key: str, title: str = "Keep commas") -> None:
    """Press a key on a card of the board."""
    for _ in range(2):
        await go.page.keyboard.press("Escape")
    await card(go.page, title).get_by_role("link").focus()
    await go.page.keyboard.press(key)


async def assignee_menu(go: Visit) -> None:
    await pressed(go, "a")
    await expect(go.page.get_by_role("menu")).to_be_visible()


async def move_menu(go: Visit) -> None:
    await pressed(go, "m")
    await expect(go.page.get_by_role("menu")).to_be_visible()


async def card_menu(go: Visit) -> None:
    await go.page.keyboard.press("Escape")
    await card(go.page, "Keep commas").hover()
    await card(go.page, "Keep commas").locator(".actions").click()
    await expect(go.page.get_by_role("menu")).to_be_visible()


async def title_in_place(go: Visit) -> None:
    await pressed(go, "e")
    await expect(go.page.locator(".title-field")).to_be_focused()


async def due_date(go: Visit) -> None:
    await pressed(go, "d")
    await go.page.get_by_role("textbox", name="Due date").fill("in 2 weeks 15:00")
    await expect(go.page.get_by_role("dialog").get_by_text(re.compile("3:00|15:00")).first).to_be_visible()


async def selection(go: Visit) -> None:
    await pressed(go, "x")
    await expect(go.page.get_by_role("region", name="Selected cards")).to_be_visible()


async def refused_move(go: Visit) -> None:
    await pressed(go, "Shift+ArrowLeft", "Migrate the webhook")
    await expect(go.page.locator(".toast.refused")).to_be_visible()


async def palette(go: Visit) -> None:
    await go.board()
    await go.page.keyboard.press("Control+k")
    await go.page.get_by_role("combobox").fill("re")
    await expect(go.page.get_by_role("option").nth(3)).to_be_visible()


async def shortcuts(go: Visit) -> None:
    await go.board()
    await go.page.keyboard.press("?")
    await expect(go.page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


BOARD: tuple[State, ...] = (
    *(empty_board, board_of_others, quick_add, quick_add_completion, quick_add_problem, add_column, column_title),
    *(column_menu, filter_menu, filter_chips, nothing_matches, labels_menu, labels_created, label_color),
    *(assignee_menu, move_menu, card_menu, title_in_place, due_date, selection, refused_move, palette, shortcuts),
)


async def open_card(go: Visit) -> None:
    await go.card()
    await expect(go.dialog.get_by_role("button", name="Show 4 earlier comments")).to_be_attached()


async def comments(go: Visit) -> None:
    await go.dialog.get_by_role("button", name="Show 4 earlier comments").scroll_into_view_if_needed()


async def comment_written(go: Visit) -> None:
    field = go.dialog.get_by_role("textbox", name="Comment")
    await field.click()
    await expect(go.dialog.get_by_role("toolbar", name="Format of Comment")).to_be_visible()
    await field.press_sequentially("Please look, @")
    await expect(go.page.get_by_role("listbox", name="People and agents")).to_be_visible()


async def reply(go: Visit) -> None:
    await go.dialog.get_by_role("textbox", name="Comment").fill("")
    await go.dialog.get_by_role("button", name="Reply").last.click()
    await expect(go.dialog.get_by_role("textbox", name="Reply")).to_be_focused()


async def text_editor(go: Visit) -> None:
    await go.card()
    await go.dialog.get_by_role("button", name="Edit Description").click()
    await expect(go.dialog.get_by_role("toolbar", name="Format of Description")).to_be_visible()


async def text_preview(go: Visit) -> None:
    await go.dialog.get_by_role("button", name="Preview").click()
    await expect(go.dialog.get_by_role("region", name="Preview")).to_be_visible()


async def properties_edited(go: Visit) -> None:
    await go.card()
    await go.dialog.get_by_role("button", name="Due: ").click()
    await go.dialog.get_by_role("textbox", name="Due").fill("someday")


async def labels_of_card(go: Visit) -> None:
    await go.card()
    await go.dialog.get_by_role("button", name="Add label").click()
    await expect(go.page.get_by_role("option", name="bug")).to_be_visible()


async def type_menu(go: Visit) -> None:
    await go.page.keyboard.press("Escape")
    await go.dialog.get_by_role("button", name="Type: ").click()
    await expect(go.page.get_by_role("menu")).to_be_visible()


async def type_change(go: Visit) -> None:
    await go.page.get_by_role("menuitemradio", name="Story").click()
    await expect(go.page.get_by_role("dialog", name="Change the type to “Story”?")).to_be_visible()


async def duplicate(go: Visit) -> None:
    await go.page.keyboard.press("Escape")
    await go.dialog.get_by_role("button", name="Duplicate").click()
    await expect(go.page.get_by_role("menu", name="Duplicate")).to_be_visible()


async def split(go: Visit) -> None:
    await go.page.keyboard.press("Escape")
    await go.dialog.get_by_role("button", name="Split…").click()
    await expect(go.page.get_by_role("button", name="Create parts")).to_be_visible()


async def transfer(go: Visit) -> None:
    await go.page.keyboard.press("Escape")
    await go.dialog.get_by_role("button", name="Move to another board…").click()
    asked = go.page.get_by_role("dialog", name=re.compile("to another board"))
    await asked.get_by_label("Board").select_option("Customer support")
    await asked.get_by_label("Column").select_option("Todo")


async def transfer_refused(go: Visit) -> None:
    await go.page.get_by_role("dialog").get_by_role("button", name="Move", exact=True).click()
    await expect(go.page.get_by_role("alert").locator("visible=true").filter(has_text="full").first).to_be_visible()


async def relate(go: Visit) -> None:
    await go.card()
    await go.dialog.get_by_role("button", name="Relate…").click()
    await go.page.get_by_role("combobox", name="Other card").press_sequentially("the")
    await expect(go.page.get_by_role("listbox", name="Cards")).to_be_visible()


async def picture_large(go: Visit) -> None:
    await go.card()
    await go.dialog.get_by_role("button", name="screen.png", exact=True).click()
    dialog = go.page.get_by_role("dialog", name="screen.png")
    await expect(dialog.get_by_role("img")).to_be_visible()
    assert await dialog.evaluate("(dialog) => dialog.clientWidth") < 720  # the picture has 600 pixels


async def file_in_place(go: Visit) -> None:
    await go.page.keyboard.press("Escape")
    await go.dialog.get_by_role("button", name=re.compile("^Donau.*txt$")).click()
    await expect(go.page.get_by_role("region", name="Contents")).to_be_visible()


async def long_words(go: Visit) -> None:
    await go.card("word")


async def hebrew(go: Visit) -> None:
    await go.card("hebrew")


async def question(go: Visit) -> None:
    await go.card("asked")


async def priority_menu(go: Visit) -> None:
    await go.dialog.get_by_role("button", name="Priority: ").click()
    await expect(go.page.get_by_role("menu", name="Priority")).to_be_visible()


async def request(go: Visit) -> None:
    await go.card("review")


async def rejection(go: Visit) -> None:
    await go.dialog.get_by_role("button", name="Reject with a reason").click()
    await expect(go.page.get_by_label("Reason")).to_be_focused()


async def claim(go: Visit) -> None:
    await go.card("claimed")


async def conflict(go: Visit) -> None:
    await go.card("gone")
    await go.dialog.get_by_role("button", name="Title:").click()
    await go.page.keyboard.type(" of mine")
    (await go.site.member.patch(f"/cards/{go.scenery.cards['gone']['id']}", {"title": "Theirs"})).ok()
    await expect(go.dialog).to_have_attribute("aria-label", re.compile("Theirs"))
    await go.page.keyboard.press("Enter")
    await expect(go.page.get_by_role("button", name="Keep mine")).to_be_focused()


async def gone(go: Visit) -> None:
    await go.page.keyboard.press("Enter")
    (await go.site.sa.delete(f"/cards/{go.scenery.cards['gone']['id']}")).ok()
    await expect(go.page.get_by_role("heading", name="Card not found")).to_be_visible()


CARD: tuple[State, ...] = (
    *(open_card, comments, comment_written, reply, text_editor, text_preview, properties_edited, labels_of_card),
    *(type_menu, type_change, duplicate, split, transfer, transfer_refused, relate, picture_large, file_in_place),
    *(long_words, hebrew, question, priority_menu, request, rejection, claim, conflict, gone),
)


async def home(go: Visit) -> None:
    await go.screen("/", "Waiting for you")


async def get_started(go: Visit) -> None:
    await go.screen("/?start=1", "Get started")


async def my_cards(go: Visit) -> None:
    await go.screen("/my-cards", "Harden the invoice export")


async def search_empty(go: Visit) -> None:
    await go.screen("/search", "Type words from the card")


async def search_from_board(go: Visit) -> None:
    await go.board("?q=nothing+like+it")
    await go.page.get_by_role("link", name="Search everywhere").first.click()
    await expect(go.page.get_by_label("Search all boards")).to_have_value("nothing like it")
    await expect(go.page.get_by_text("No results.")).to_be_visible()


async def search_filtered(go: Visit) -> None:
    await go.screen("/search?q=the&priority=high&priority=none&due=week&due=none", "Translate the CSV")


async def search_menu(go: Visit) -> None:
    await go.page.get_by_role("button", name="More filters").click()
    await expect(go.page.get_by_role("dialog", name="Filter")).to_be_visible()


async def reports(go: Visit) -> None:
    await go.screen(f"/reports?project={go.scenery.board.id}", "Cumulative flow")


async def board_settings(go: Visit) -> None:
    await go.screen(f"/b/{go.scenery.board.id}/design", "Transitions")


async def label_colors(go: Visit) -> None:
    await go.page.get_by_role("button", name=re.compile("^Colours")).first.click()
    await expect(go.page.get_by_role("list", name="Options").get_by_role("listitem").first).to_be_visible()


async def no_such_board(go: Visit) -> None:
    await go.page.goto("/b/no-such-board")
    await expect(go.page.get_by_role("heading", name="There is no such board")).to_be_visible()


async def no_such_page(go: Visit) -> None:
    await go.page.goto("/no/such/page")
    await expect(go.page.get_by_role("main").get_by_role("link", name="Release 2.4")).to_be_visible()


SCREENS: tuple[State, ...] = (
    *(home, get_started, my_cards, search_empty, search_from_board, search_filtered, search_menu, reports),
    *(board_settings, label_colors, no_such_board, no_such_page),
)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def scenery(site: World) -> Scenery:
    """Provide a board with something of everything."""
    return await furnish(site)


@pytest.mark.parametrize("states", [BOARD, CARD, SCREENS], ids=["board", "card", "screens"])
async def test_each_state_fits_each_width_in_both_themes(
    browser: Browser, site: World, axe: str, scenery: Scenery, states: tuple[State, ...]
) -> None:
    async with visiting(browser, site, site.sa, reduced_motion="reduce") as page:
        go, looks = Visit(page, site, scenery), await looking(page, axe)
        for state in states:
            await state(go)
            await looks.at(state.__name__)
    assert looks.problems == {}


NARROW_PHONE = {"width": 360, "height": 780}
# Where the title of a page, its last action and its content begin and end: two of a kind are on one line.
EDGES = """() => {
    const body = document.querySelector(".page-body");
    const style = getComputedStyle(body);
    const box = body.getBoundingClientRect();
    const sides = [box.left + parseFloat(style.paddingLeft), box.right - parseFloat(style.paddingRight)];
    const title = document.querySelector(".head h1").getBoundingClientRect();
    const actions = [...document.querySelectorAll(".head .button, .head .input")];
    const ends = actions.map((one) => one.getBoundingClientRect().right);
    return {sides, left: title.left, right: ends.length ? Math.max(...ends) : sides[1]};
}"""


async def test_titles_and_contents_of_pages_are_aligned(browser: Browser, site: World, scenery: Scenery) -> None:
    async with visiting(browser, site, site.sa, reduced_motion="reduce") as page:
        go = Visit(page, site, scenery)
        for screen in (home, search_empty, my_cards, reports, board_settings):
            await screen(go)
            for width in (1440, 390):
                await page.set_viewport_size({"width": width, "height": 900})
                edges = await page.evaluate(EDGES)
                assert [edges["left"], edges["right"]] == pytest.approx(edges["sides"], abs=1), (screen.__name__, width)
            await page.set_viewport_size({"width": 1440, "height": 900})
        await page.set_viewport_size({"width": 390, "height": 900})
        cells = page.locator(".transitions-narrow .transition-cell")
        places = [await cell.evaluate("(one) => one.getBoundingClientRect().left") for cell in await cells.all()]
        assert len(places) > 2
        assert len(set(places)) == 1, "the states of transitions are in one column"
        panel, flags = [
            await page.locator(name).first.bounding_box() for name in (".designs ul.panel", ".designs .flags")
        ]
        assert panel is not None
        assert flags is not None
        assert flags["y"] - panel["y"] - panel["height"] >= 8, "what follows a list is apart from it"
        await page.set_viewport_size({"width": 720, "height": 900})
        labels = page.get_by_role("main").locator("label.switch").filter(has_text="On cards").locator("visible=true")
        assert await labels.count() > 2
        width = await page.locator(".type-halves ul").first.evaluate("(one) => one.clientWidth")
        assert width > 400, "fields have the whole width"
        for label in await labels.all():
            assert await label.evaluate("(one) => one.offsetHeight") < 30, "the name is broken into lines"
        await page.set_viewport_size({"width": 1440, "height": 900})
        await go.board()
        columns = page.locator(".columns")
        assert await columns.evaluate("(one) => one.scrollWidth - one.clientWidth") == 0, (
            "five columns and Add column fit"
        )
        faces = card(page, "Keep commas").locator(".avatars")
        details = card(page, "Keep commas").locator(".details")
        beside = "(one) => [one.getBoundingClientRect().top, one.getBoundingClientRect().bottom]"
        (top, bottom), (first, last) = await faces.evaluate(beside), await details.evaluate(beside)
        assert first <= top, "the people of a card are beside its details"
        assert bottom <= last + 1
        await page.keyboard.press("?")
        scrolled = await page.locator(".shortcut-help").evaluate("(one) => one.scrollHeight - one.clientHeight")
        assert scrolled == 0, "all shortcuts are seen at once"
        await page.keyboard.press("Escape")
        await page.get_by_role("button", name="Add column").click()
        end = await page.locator(".add-column form").bounding_box()
        assert end is not None
        assert end["x"] + end["width"] <= 1440 - 15


async def test_states_are_visible_by_their_styles(browser: Browser, site: World, scenery: Scenery) -> None:
    async with visiting(browser, site, site.sa, reduced_motion="reduce") as page:
        go = Visit(page, site, scenery)
        await go.board()
        selected = card(page, "Keep commas")
        await selected.hover()
        await page.keyboard.down("Control")
        await selected.click()
        await page.keyboard.up("Control")
        await expect(page.get_by_role("region", name="Selected cards")).to_be_visible()
        color = "(one) => getComputedStyle(one).backgroundColor"
        soft = await page.locator(".entry[aria-current]").evaluate(color)
        await expect(selected).to_have_css("background-color", soft)  # though the mouse is over it
        await page.keyboard.press("Escape")
        await column(page, "Backlog").get_by_role("button", name="Add a card").click()
        await page.keyboard.type("Call @")
        options = page.get_by_role("listbox", name="People and agents").get_by_role("option")
        await expect(options.filter(has_text="Ada").locator(".avatar:not(.agent)")).to_be_visible()
        await expect(options.filter(has_text="tester").locator(".avatar.agent")).to_be_visible()
        await go.card("claimed")
        agent = go.dialog.locator(".history .agent").first
        person = go.dialog.locator(".history strong:not(.agent)").first
        ink = "(one) => getComputedStyle(one).color"
        assert await agent.evaluate(ink) != await person.evaluate(ink)


async def test_an_answer_and_a_relation_stay_readable_on_a_phone(
    browser: Browser, site: World, scenery: Scenery
) -> None:
    async with visiting(browser, site, site.sa, viewport=NARROW_PHONE, has_touch=True, reduced_motion="reduce") as page:
        go = Visit(page, site, scenery)
        await go.card()
        for link in await go.dialog.locator(".relations .link").all():
            assert re.match(r"\S+-\d+ \S", await link.inner_text()), "the key is apart from the title"
        await go.dialog.get_by_role("button", name="Reply").last.click()
        field = await go.dialog.get_by_role("textbox", name="Reply").bounding_box()
        comment = await go.dialog.get_by_role("textbox", name="Comment").bounding_box()
        assert field is not None
        assert comment is not None
        assert field["x"] + field["width"] == pytest.approx(comment["x"] + comment["width"], abs=1)
        (
            await site.sa.post(site.sa.org("/freeze"), {"reason": "Back at four, after the release to all customers"})
        ).ok()
        banner = page.locator(".banner.frozen")
        icon, text = await banner.locator("svg").bounding_box(), await banner.locator("span").first.bounding_box()
        (await site.sa.delete(site.sa.org("/freeze"))).ok()
        assert icon is not None
        assert text is not None
        assert text["y"] <= icon["y"] < text["y"] + text["height"], "the icon is beside its text"
    async with visiting(browser, site, viewport=PHONE, has_touch=True, reduced_motion="reduce") as page:
        await page.goto("/")
        button = await page.get_by_role("button", name="Sign in").bounding_box()
        assert button is not None
        assert button["height"] >= 44
    async with visiting(browser, site, site.outsider, viewport=NARROW_PHONE, reduced_motion="reduce") as page:
        await page.goto("/agents")
        link = await page.get_by_role("link", name="Connect an agent").bounding_box()
        assert link is not None
        assert link["width"] > 100, "words are not broken"
