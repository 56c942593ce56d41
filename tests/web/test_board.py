"""The board: what its cards show, what is drawn, the filter, new cards, and what stands there instead of cards."""

import pytest
from playwright.async_api import Browser, expect

from ..builders import permit
from ..world import World
from .boards import card, column, lift_card, titles, visit_board
from .browser import intercept, until, visiting, watch_of

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_card_shows_what_is_to_be_known_at_a_glance(browser: Browser, site: World) -> None:
    board = await site.board(title="Glances")
    await site.column(board, "Todo", agentPickupEnabled=True, agentCanModerate=True)
    bot = await site.agent("builder-1")
    wishes = {"priority": "urgent", "dueDate": "2020-01-01", "assignedUserId": site.member.id}
    made = await site.card(board, title="Repair the sign-in", assignedAgentId="builder-1", **wishes)
    other = await site.card(board, title="Waits for it")
    ends = {"fromCardId": made["id"], "toCardId": other["id"]}
    (await site.sa.post(site.sa.org("/relationships"), {**ends, "kind": "blocks"})).ok()
    (await site.sa.post(f"/cards/{made['id']}/comments", {"content": "Hello"})).ok()
    (await bot.post(f"/cards/{made['id']}/claim/mcp", {"leaseSeconds": 300})).ok()
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        one = card(page, "Repair the sign-in")
        for text in (made["key"], "urgent", "late", "MM", "B1", "builder-1 · 4:5"):
            await expect(one).to_contain_text(text)
        await expect(card(page, "Waits for it")).to_contain_text("Blocked")
        label = await one.get_by_role("link").get_attribute("aria-label")
        assert label is not None
        for words in ("Todo", "priority urgent", "with Mo Member", "1 comment", "claimed by builder-1"):
            assert words in label
        await expect(page).to_have_title("Glances · Tandem")


async def test_a_card_that_waits_for_a_decision_is_decided_on_the_board(browser: Browser, site: World) -> None:
    board = await site.board(title="Decisions")
    await site.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    bot = await site.agent("asker")
    good, bad = [await site.card(board, "Review", title=title) for title in ("Good work", "Bad work")]
    for one in (good, bad):
        body = {"toColumnId": board.columns["Done"], "note": "All tests pass."}
        (await bot.post(f"/cards/{one['id']}/move-requests/mcp", body)).ok()
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await expect(card(page, "Good work")).to_contain_text("asker requests a move to Done")
        await card(page, "Good work").get_by_role("button", name="Approve").click()
        await expect(column(page, "Done").locator("li.card")).to_have_count(1)
        await card(page, "Bad work").get_by_role("button", name="Reject").click()
        await page.get_by_label("Reason").fill("The second case is missing.")
        await page.get_by_role("dialog").get_by_role("button", name="Reject").click()
        await expect(card(page, "Bad work").get_by_role("button")).to_have_count(0)
    requests = (await site.sa.get(site.sa.org("/move-requests"), params={"cardId": bad["id"]})).ok()["items"]
    assert [(one["state"], one["decisionNote"]) for one in requests] == [("rejected", "The second case is missing.")]


async def test_of_a_long_column_only_what_is_near_the_screen_is_in_the_document(browser: Browser, site: World) -> None:
    board = await site.board(title="Long")
    for number in range(150):
        await site.card(board, "Backlog", title=f"Card {number:03}")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        cards = column(page, "Backlog").locator("li.card")
        assert await cards.count() < 50
        assert await cards.first.get_attribute("aria-setsize") == "150"
        await column(page, "Backlog").locator(".cards").evaluate("(element) => (element.scrollTop = 1e6)")
        await expect(card(page, "Card 149")).to_be_in_viewport()
        assert await card(page, "Card 149").get_attribute("aria-posinset") == "150"
        assert await cards.count() < 50
        await column(page, "Backlog").locator(".cards").evaluate("(element) => (element.scrollTop = 0)")
        await expect(card(page, "Card 000")).to_be_in_viewport()
        # By keys, from one end to the other without a gap.
        await card(page, "Card 000").get_by_role("link").focus()
        for _ in range(60):
            await page.keyboard.press("j")
        await expect(card(page, "Card 060").get_by_role("link")).to_be_focused()
        await expect(card(page, "Card 060")).to_be_in_viewport()


@pytest.mark.slow
async def test_scrolling_shows_every_card_once_whatever_its_height(browser: Browser, site: World) -> None:
    board = await site.board(title="Heights")
    wanted = [f"{number:02} " + "word " * (number * 7 % 23) for number in range(90)]
    for title in wanted:
        await site.card(board, "Backlog", title=title.strip())
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        seen = await page.evaluate("""async () => {
            const scroller = document.querySelector(".cards");
            const found = [];
            for (let top = 0; top < scroller.scrollHeight; top += 60) {
                scroller.scrollTop = top;
                await new Promise(requestAnimationFrame);
                await new Promise(requestAnimationFrame);
                const box = scroller.getBoundingClientRect();
                for (const card of scroller.querySelectorAll("li.card")) {
                    const { top: above, bottom } = card.getBoundingClientRect();
                    const isSeen = bottom > box.top + 1 && above < box.bottom - 1;
                    if (isSeen && !found.includes(card.ariaPosInSet)) found.push(card.ariaPosInSet);
                }
            }
            return found.map(Number);
        }""")
        assert seen == list(range(1, 91))


async def test_the_filter_finds_by_title_key_person_priority_and_stands_in_the_address(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Filters")
    await site.card(board, title="Paint the shed", priority="high")
    mine = await site.card(board, title="Paint the fence", assignedUserId=site.sa.id)
    await site.card(board, title="Mow the lawn")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await page.keyboard.press("/")
        await page.keyboard.type("paint")
        await expect(page.get_by_role("button", name="2 of 3")).to_be_visible()
        assert await titles(page, "Todo") == ["Paint the shed", "Paint the fence"]
        await page.wait_for_url("**?*q=paint*")
        await (
            page.get_by_role("group", name="Filter by assignee or agent")
            .get_by_role("button", name="Ada Architect")
            .click()
        )
        await expect(page.get_by_role("button", name="1 of 3")).to_be_visible()
        await page.reload()
        await expect(page.get_by_role("button", name="1 of 3")).to_be_visible()
        await page.get_by_label("Filter cards").fill(mine["key"].lower())
        await expect(page.get_by_role("button", name="1 of 3")).to_be_visible()
        await page.get_by_label("Filter cards").fill("nothing like it")
        await expect(page.get_by_text("No card matches the filter.")).to_be_visible()
        await page.get_by_role("button", name="Clear", exact=True).click()
        await expect(page.locator("li.card")).to_have_count(3)
        await page.get_by_role("button", name="More filters").click()
        await page.get_by_role("dialog", name="Filter").get_by_role("option", name="high").click()
        await expect(page.locator("li.card")).to_have_count(1)
        assert await titles(page, "Todo") == ["Paint the shed"]


async def test_enter_adds_a_card_and_pasted_lines_become_cards(browser: Browser, site: World) -> None:
    board = await site.board(title="Adding")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await expect(page.get_by_text("No cards yet")).to_be_visible()
        await expect(page.get_by_text("true", exact=True)).to_have_count(0)
        await column(page, "Todo").get_by_role("button", name="Add a card").click()
        field = page.get_by_label("New card in Todo")
        await field.fill("First")
        await page.keyboard.press("Enter")
        await expect(card(page, "First")).to_be_visible()
        await expect(field).to_be_focused()
        await field.fill("Second\n\n  Third  \nFourth")
        await page.keyboard.press("Enter")
        await expect(column(page, "Todo").locator("li.card")).to_have_count(4)
        assert await titles(page, "Todo") == ["First", "Second", "Third", "Fourth"]
        await expect(field).to_have_value("")
        await page.keyboard.press("Escape")
        await expect(field).to_be_hidden()


async def test_a_new_card_that_is_refused_stays_in_the_field_with_the_reason(browser: Browser, site: World) -> None:
    board = await site.board(title="Full")
    await site.column(board, "Todo", wipLimit=2)
    await site.card(board, title="One")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await column(page, "Todo").get_by_role("button", name="Add a card").click()
        await page.get_by_label("New card in Todo").fill("Two\nThree\nFour")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert")).to_have_text("The column is full (limit 2).")
        await expect(page.get_by_label("New card in Todo")).to_have_value("Three\nFour")
        await expect(column(page, "Todo").locator("li.card a.name")).to_have_text(["One", "Two"])
        await expect(column(page, "Todo").locator(".count.full")).to_have_text("2 / 2")


async def test_a_card_that_was_made_by_an_answer_that_got_lost_is_made_once(browser: Browser, site: World) -> None:
    board = await site.board(title="Lost")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await column(page, "Todo").get_by_role("button", name="Add a card").click()
        await page.get_by_label("New card in Todo").fill("Only once")

        async def lose(route):  # type: ignore[no-untyped-def]
            await route.fetch()
            await route.abort()

        await intercept(page, "**/cards", lose)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
        await page.unroute("**/cards")
        await page.keyboard.press("Enter")
        await expect(page.get_by_label("New card in Todo")).to_have_value("")
        await expect(card(page, "Only once")).to_have_count(1)
    assert len((await site.sa.get(site.sa.org("/cards"), params={"projectId": board.id})).ok()["items"]) == 1


async def test_a_board_without_columns_says_who_adds_them(browser: Browser, site: World) -> None:
    blank = (await site.sa.post(site.sa.org("/projects"), {"title": "Blank", "template": "blank"})).ok()
    async with visiting(browser, site, site.member) as page:
        await page.goto(f"/b/{blank['id']}")
        await expect(page.get_by_role("heading", name="This board has no columns yet")).to_be_visible()
        await expect(page.get_by_text("A Solution Architect can add columns in Board settings.")).to_be_visible()
        await expect(page.get_by_role("link", name="Open Board settings")).to_have_count(0)
        await expect(page.get_by_role("button", name="New card")).to_be_hidden()
        await expect(page.get_by_label("Title of the new column")).to_have_count(0)


async def test_a_board_without_card_types_says_so_instead_of_taking_titles(browser: Browser, site: World) -> None:
    org = (await site.sa.post("/organizations", {"title": "Without types"})).ok()
    switched = (await site.sa.post("/auth/switch", {"orgId": org["id"]})).ok()
    architect = site.client({"Authorization": f"Bearer {switched['token']}"}, id=site.sa.id, org_id=org["id"])
    blank = (await architect.post(architect.org("/projects"), {"title": "Typeless", "template": "blank"})).ok()
    (await architect.post(architect.org("/columns"), {"title": "Only", "projectId": blank["id"]})).ok()
    async with visiting(browser, site, architect) as page:
        await page.goto(f"/b/{blank['id']}")
        await expect(page.get_by_role("heading", name="This board has no card types yet")).to_be_visible()
        await expect(page.get_by_role("link", name="Open Board settings")).to_be_visible()
        await expect(page.get_by_role("button", name="New card")).to_be_hidden()
        await expect(column(page, "Only").get_by_role("button", name="Add a card")).to_be_hidden()


async def test_a_new_card_is_of_the_card_type_that_is_chosen_with_the_keyboard(browser: Browser, site: World) -> None:
    board = await site.board(title="Of two types")
    bug = (await site.sa.post(site.sa.org("/card-types"), {"title": "Bug", "projectId": board.id})).ok()
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await column(page, "Todo").get_by_role("button", name="Add a card").click()
        await page.get_by_label("New card in Todo").fill("Leaks")
        await page.keyboard.press("Tab")
        types = column(page, "Todo").get_by_label("Card type")
        await expect(types).to_be_focused()
        await expect(types.locator("option")).to_have_text([board.card_type["title"], "Bug"])
        await page.keyboard.type("Bug")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(card(page, "Leaks").locator(".type")).to_have_text("Bug")
        await page.get_by_label("New card in Todo").fill("Drips")
        await page.keyboard.press("Enter")
        await expect(card(page, "Drips").locator(".type")).to_have_text("Bug")  # the choice stays
    listed = (await site.sa.get(site.sa.org("/cards"), params={"projectId": board.id})).ok()["items"]
    assert {one["cardTypeId"] for one in listed} == {bug["id"]}


async def test_a_board_is_read_in_one_request(browser: Browser, site: World) -> None:
    board = await site.board(title="One request")
    await site.card(board, title="Here")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await expect(card(page, "Here")).to_be_visible()
        asked = watch_of(page).requests
        assert sum("/board?" in request for request in asked) == 1
        usable = [one for one in asked if "/events" not in one and "/attention" not in one]
        assert len(usable) <= 4, asked


async def test_a_board_that_is_not_there_says_so_and_leads_on(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        await page.goto("/b/proj_nothing")
        await expect(page.get_by_role("heading", name="There is no such board")).to_be_visible()
        await page.get_by_role("main").get_by_role("link", name="Go to Home").click()
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()


async def test_an_archived_board_and_its_cards_say_how_to_restore_them(browser: Browser, site: World) -> None:
    board = await site.board(title="Away for now")
    one = await site.card(board, title="Still here")
    (await site.sa.delete(site.sa.org(f"/projects/{board.id}"))).ok()
    async with visiting(browser, site, site.sa) as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        dialog = page.get_by_role("dialog", name="Card")
        await expect(dialog).to_contain_text("This card is on an archived board. Restore the board to open the card.")
        await dialog.get_by_role("link", name="Go to Archive").click()
        await expect(page.get_by_role("heading", name="Archive", level=2)).to_be_visible()
        await expect(dialog).to_have_count(0)
        await page.goto(f"/b/{board.id}")
        await expect(page.get_by_role("heading", name="This board is archived")).to_be_visible()
        await page.get_by_role("main").get_by_role("link", name="Go to Archive").click()
        await page.get_by_role("button", name="Restore Away for now").click()
        await expect(page.get_by_role("link", name="Away for now")).to_be_visible()


async def test_who_may_not_restore_a_board_is_not_told_that_it_is_archived(browser: Browser, site: World) -> None:
    board = await site.board(title="Away for good")
    one = await site.card(board)
    (await site.sa.delete(site.sa.org(f"/projects/{board.id}"))).ok()
    await permit(site, "Member", "Archive", "read")
    async with visiting(browser, site, site.member) as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        await expect(page.get_by_role("dialog")).to_contain_text("archived or deleted, or the link is wrong")
        await page.goto(f"/b/{board.id}")
        await expect(page.get_by_role("heading", name="There is no such board")).to_be_visible()
    await permit(site, "Member", "Archive", "read", "update")


async def test_a_collapsed_column_stays_so_and_opens_again(browser: Browser, site: World) -> None:
    board = await site.board(title="Collapsing")
    await site.card(board, "Backlog", title="Hidden away")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await column(page, "Backlog").hover()
        await page.get_by_role("button", name="More about Backlog").click()
        await page.get_by_role("menuitem", name="Collapse").click()
        await expect(card(page, "Hidden away")).to_be_hidden()
        await page.reload()
        await expect(column(page, "Todo")).to_be_visible()
        await expect(card(page, "Hidden away")).to_be_hidden()
        await column(page, "Backlog").click()
        await expect(card(page, "Hidden away")).to_be_visible()


async def test_columns_without_cards_are_hidden_if_asked_but_for_a_card_that_is_dragged(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Half empty")
    only = await site.card(board, "Backlog", title="The only one")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await column(page, "Backlog").hover()
        await page.get_by_role("button", name="More about Backlog").click()
        await page.get_by_role("menuitem", name="Hide empty columns").click()
        await expect(page.locator(".column:visible")).to_have_count(1)
        await page.reload()
        await expect(page.locator(".column:visible")).to_have_count(1)
        await lift_card(page, card(page, "The only one"))
        await expect(page.locator(".column:visible")).to_have_count(5)
        await page.keyboard.press("Escape")
        await page.mouse.up()
        await expect(page.locator(".column:visible")).to_have_count(1)
        await expect(page.get_by_role("dialog")).to_have_count(0)  # to let go of the mouse is no click on the card
        await site.card(board, "Todo", title="Another")
        await expect(page.locator(".column:visible")).to_have_count(2)
        await page.get_by_role("button", name="More about Todo").click()
        await page.get_by_role("menuitem", name="Show empty columns").click()
        await expect(page.locator(".column:visible")).to_have_count(5)
        # A column to which a card is added is shown, and so is one that is added.
        (await site.sa.delete(f"/cards/{only['id']}")).ok()
        await page.get_by_role("button", name="More about Todo").click()
        await page.get_by_role("menuitem", name="Hide empty columns").click()
        await expect(page.locator(".column:visible")).to_have_count(1)
        await page.get_by_role("button", name="New card").click()
        await expect(page.get_by_label("New card in Backlog")).to_be_focused()
        await page.keyboard.press("Escape")
        await expect(page.locator(".column:visible")).to_have_count(1)
        await page.get_by_role("button", name="Add column").click()
        await page.keyboard.type("Testing")
        await page.keyboard.press("Enter")
        await expect(column(page, "Testing")).to_be_visible()


async def test_a_member_whose_role_may_not_write_sees_the_board_and_no_buttons(browser: Browser, site: World) -> None:
    board = await site.board(title="Reading")
    await site.card(board, title="Look at me")
    rows = (await site.sa.get("/permissions")).ok()
    row = next(one for one in rows if one["role"] == "Member" and one["resource"] == "Card")
    (await site.sa.patch(f"/permissions/{row['id']}", {"actions": ["read"]})).ok()
    try:
        async with visiting(browser, site, site.member) as page:
            await visit_board(page, board)
            await expect(card(page, "Look at me")).to_be_visible()
            await expect(page.get_by_role("button", name="New card")).to_be_hidden()
            await expect(page.get_by_role("button", name="Add a card")).to_have_count(0)
            await page.keyboard.press("j")
            for dialogs in (0, 1):  # on the board, then in the open card
                for key in ("a", "i", "p", "l", "d", "e", "Shift+A"):
                    await page.keyboard.press(key)
                await page.wait_for_timeout(200)  # what would open is loaded by then
                await expect(page.get_by_role("menu")).to_have_count(0)
                assert [one for one in watch_of(page).requests if one.startswith("PATCH")] == []
                await expect(page.get_by_role("dialog")).to_have_count(dialogs)
                if not dialogs:
                    await page.keyboard.press("Enter")
                    await expect(page.get_by_role("dialog").get_by_text("Version 1")).to_be_visible()
            await page.keyboard.press("Escape")
            (await site.sa.patch(f"/permissions/{row['id']}", {"actions": row["actions"]})).ok()
            await expect(page.get_by_role("button", name="New card")).to_be_visible()
    finally:
        (await site.sa.patch(f"/permissions/{row['id']}", {"actions": row["actions"]})).ok()


@pytest.mark.parametrize(
    "options", [{"viewport": {"width": 320, "height": 640}}, {"viewport": {"width": 720, "height": 450}}]
)
async def test_at_320_pixels_and_at_200_percent_nothing_is_lost(
    browser: Browser, site: World, options: dict[str, object]
) -> None:
    board = await site.board(title="A board with a rather long name")
    await site.card(board, title="Unbreakable" * 20)
    async with visiting(browser, site, site.sa, **options) as page:
        await visit_board(page, board)
        assert await until(page, "() => document.documentElement.scrollWidth <= innerWidth")
        for name in ("New card", "More filters"):
            await expect(page.get_by_role("button", name=name)).to_be_in_viewport()
        wide = "() => [...document.querySelectorAll('li.card')].every((card) => card.scrollWidth <= card.clientWidth)"
        assert await page.evaluate(wide)


async def test_typing_in_a_menu_shows_what_matches_and_enter_takes_the_first(browser: Browser, site: World) -> None:
    board = await site.board(title="Typing")
    bjorn = {"email": "bjorn@example.test", "fullName": "Bj\u00f6rn Nobel", "role": "Member"}
    member = (await site.sa.post(site.sa.org("/members"), bjorn)).ok()
    made = await site.card(board, title="Sch\u00f6ne Stra\u00dfe")
    await site.card(board, title="Another")
    async with visiting(browser, site, site.member) as page:
        await page.goto(f"/b/{board.id}/c/{made['key']}")
        await page.get_by_role("button", name="Assignee:").click()
        menu, items = page.get_by_role("menu"), page.get_by_role("menuitemradio")
        await expect(items.first).to_be_focused()
        await page.keyboard.type("xyz")
        await expect(menu.get_by_role("status")).to_have_text("Nothing matches \u201cxyz\u201d.")
        await page.keyboard.press("Enter")
        await expect(menu).to_be_visible()
        for _ in "xyz":
            await page.keyboard.press("Backspace")
        await expect(items.first).to_be_focused()
        # Nobody, the reader, and the others by name.
        listed = ("None", "Mo Member", "Ada Architect", "Bj\u00f6rn Nobel")
        for at, name in enumerate(listed):
            await expect(items.nth(at)).to_contain_text(name)
        await page.keyboard.type("no")  # the beginning of a word of both
        await expect(items).to_have_count(2)
        await page.keyboard.type("bel")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("button", name="Assignee: BN")).to_be_visible()
        await page.get_by_role("button", name="Assignee:").click()
        await page.keyboard.type("BJOR")
        await expect(items).to_contain_text(["Bj\u00f6rn Nobel"])
        await page.keyboard.press("Escape")
        await visit_board(page, board, "?q=SCHONE+STRASSE")
        assert await titles(page, "Todo") == ["Sch\u00f6ne Stra\u00dfe"]
    assert (await site.sa.get(f"/cards/{made['id']}")).ok()["assignedUserId"] == member["userId"]
