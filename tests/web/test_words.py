"""Words in scripts without blanks between them: mentions, card keys, addresses, emphasis, words being typed."""
# ruff: noqa: RUF001 (letters and punctuation that look like others are what is tested)

from typing import Any

import pytest
from playwright.async_api import Browser, expect

from ..resources.test_mentions import CASES
from ..world import World
from .boards import visit_board
from .browser import visiting
from .test_card import open_card

pytestmark = pytest.mark.asyncio(loop_scope="session")

MARKED = """async (texts) => {
    const [{ renderProse }, { showMentions }] = await Promise.all(
        ["/markdown/index.js", "/card/mentions.js"].map((path) => import(path))
    );
    const board = { person: () => ({ handle: "mo-member" }) };
    return texts.map((text) => {
        const element = renderProse(text);
        showMentions({ board }, element, [{ type: "User", id: "mo", label: "Mo" }]);
        return element.querySelector(".mention") !== null;
    });
}"""
LINKS = """async (texts) => {
    const { renderMarkdown } = await import("/markdown/index.js");
    return texts.map((text) => [...renderMarkdown(text).querySelectorAll("a")].map((a) => a.getAttribute("href")));
}"""
HTML = """async (texts) => {
    const { renderMarkdown } = await import("/markdown/index.js");
    return texts.map((text) => renderMarkdown(text).innerHTML.replaceAll(' dir="auto"', ""));
}"""
A = "https://a.test/x"
ADDRESSES: dict[str, list[str]] = {
    f"见{A}，然后看。": [A],
    f"见（{A}）。": [A],
    f"（{A}": [A],
    f"「{A}」和【{A}】": [A, A],
    f"{A}、{A}。": [A, A],
    f"{A}｜说明 ＜{A}＞": [A, A],
    f"{A}\u3000说明": [A],
    f"„{A}“ «{A}» {A}…": [A, A, A],
    "https://a.test/文档/说明?q=看": ["https://a.test/文档/说明?q=看"],
    "https://a.test/café": ["https://a.test/café"],
    f"ดู{A} 봐{A}": [A, A],
    f"é{A} я{A} _{A} x{A} हि{A}": [],
    f"{A}. ({A})": [A, A],
}


async def test_the_page_marks_the_mentions_that_the_service_finds(browser: Browser, site: World) -> None:
    async with visiting(browser, site) as page:
        await page.goto("/sign-in")
        found = await page.evaluate(MARKED, [case["text"] for case in CASES])
    assert [case for case, is_marked in zip(CASES, found, strict=True) if is_marked != case["mentioned"]] == []


async def test_an_address_ends_before_a_blank_or_foreign_punctuation(browser: Browser, site: World) -> None:
    async with visiting(browser, site) as page:
        await page.goto("/sign-in")
        found = await page.evaluate(LINKS, list(ADDRESSES))
    assert dict(zip(ADDRESSES, found, strict=True)) == ADDRESSES


async def test_emphasis_ends_beside_punctuation_without_a_blank(browser: Browser, site: World) -> None:
    cases = {
        "**重要。**请看": "<p><strong>重要。</strong>请看</p>",
        "请看**「重要」**的": "<p>请看<strong>「重要」</strong>的</p>",
        "~~旧的。~~新的": "<p><s>旧的。</s>新的</p>",
        "\u3000\u3000\u3000\u3000第一段": "<p>第一段</p>",
        "\u3000\u3000**第一段**": "<p><strong>第一段</strong></p>",
        "a**b.**c": "<p>a**b.**c</p>",
    }
    async with visiting(browser, site) as page:
        await page.goto("/sign-in")
        found = await page.evaluate(HTML, list(cases))
    assert dict(zip(cases, found, strict=True)) == cases


async def test_card_keys_and_mentions_beside_letters_of_such_scripts_are_links(browser: Browser, site: World) -> None:
    board = await site.board(title="看板")
    named = await site.card(board, title="被提到的卡片")
    key = named["key"]
    one = await site.card(board, title="文字")
    plain = f"я{key} {key}я e\u0301{key}"
    text = f"请看{key}。另见（{key}）和{key}看, 참고{key}님. {plain} 请@mo-member看，见https://a.test/{key}。"
    values = [{"fieldId": board.field("description"), "value": text}]
    (await site.sa.patch(f"/cards/{one['id']}", {"fieldValues": values})).ok()
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        prose = dialog.get_by_role("group", name="Description")
        await expect(prose.locator("a.card-reference")).to_have_count(4)
        await expect(prose.locator(".mention")).to_have_text(["@Mo Member"])
        await expect(prose).to_contain_text(f"{plain} 请")
        await expect(prose.locator("a:not(.card-reference)")).to_have_attribute("href", f"https://a.test/{key}")


async def test_a_word_that_is_being_typed_needs_no_blank_before_it(browser: Browser, site: World) -> None:
    board = await site.board(title="输入")
    label = [{"fieldId": board.field("tags"), "value": ["两个 词"]}]
    one = await site.card(board, title="第一", fieldValues=label)
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await page.keyboard.press("c")
        field = page.get_by_label("New card in Backlog")
        for typed, taken in (
            ("修复＠ada", "修复@ada-architect "),
            ("很好，！hi", "很好，!high "),
            ('看看＃"两个', '看看#"两个 词" '),
        ):
            await field.fill("")
            await page.keyboard.insert_text(typed)
            await expect(page.get_by_role("option")).to_have_count(1)
            await page.keyboard.press("Tab")
            await expect(field).to_have_value(taken)
        await field.fill("修复登录＠ada-architect，！high明天")
        chips = page.get_by_role("list", name="Understood").get_by_role("button")
        await expect(chips).to_have_text(["Ada Architect", "high priority"])
        await page.keyboard.press("Enter")
        await expect(page.locator("li.card", has_text="修复登录，明天")).to_be_visible()
        dialog = await open_card(page, board, one)
        comment = dialog.get_by_label("Comment", exact=True)
        await comment.fill("")
        await comment.focus()
        await page.keyboard.insert_text("@mo-member看看，请@ada")
        await expect(page.get_by_role("option")).to_have_count(1)
        await page.keyboard.press("Tab")
        await expect(comment).to_have_value("@mo-member看看，请@ada-architect ")
        # A word of a text without blanks is made bold alone.
        await comment.fill("看bug吧")
        await comment.evaluate("(field) => field.setSelectionRange(2, 2)")
        await page.keyboard.press("Control+b")
        await expect(comment).to_have_value("看**bug**吧")


PARSED: list[tuple[str, str, dict[str, Any]]] = [
    ("修复登录@ada", "修复登录", {"assignedUserId": "ada"}),
    ("请@ada看一下", "请看一下", {"assignedUserId": "ada"}),
    ("请@王伟看一下", "请看一下", {"assignedUserId": "wei"}),
    ("请＠ADA，谢谢", "请，谢谢", {"assignedUserId": "ada"}),
    ("急！high请看", "急请看", {"priority": "high"}),
    ("太好了！看", "太好了！看", {}),
    ("付款＾2030-12-24前", "付款前", {"dueDate": "2030-12-24"}),
    ("修复＃bug，然后", "修复，然后", {"fieldValues": [{"fieldId": "f", "value": ["Bug"]}]}),
    ("修复#新标签 看", "修复 看", {"fieldValues": [{"fieldId": "f", "value": ["新标签"]}]}),
    ("я@ada e\u0301@ada x，@ada", "я@ada e\u0301@ada x，", {"assignedUserId": "ada"}),
    ("看\\＠ada", "看＠ada", {}),
]
PARSE = """async ([lines, isOpen]) => {
    const { parseCardLine } = await import("/board/card-tokens.js");
    const people = [{ id: "ada", name: "Ada", handle: "ada" }, { id: "wei", name: "王伟", handle: "wei-wang" }];
    const labels = { fieldId: "f", known: ["Bug"], isOpen };
    const context = { labels, people, agents: [], now: Date.parse("2026-11-26T10:00:00Z") };
    return lines.map((line) => {
        const { title, values } = parseCardLine(line, context);
        return [line, title, values];
    });
}"""


async def test_tokens_of_a_new_card_need_no_blanks_beside_such_letters(browser: Browser, site: World) -> None:
    async with visiting(browser, site) as page:
        await page.goto("/sign-in")
        found = await page.evaluate(PARSE, [[line for line, _, _ in PARSED], True])
        assert [tuple(one) for one in found] == PARSED
        fixed = await page.evaluate(PARSE, [["修复#bug看", "修复#新"], False])
    assert [one[1] for one in fixed] == ["修复看", "修复#新"]


async def test_a_comment_of_html_opens_on_the_card_and_mentions_nobody(browser: Browser, site: World) -> None:
    board = await site.board(title="Comments")
    named = await site.card(board, title="Named")
    one = await site.card(board, title="From a template")
    text = f"Do it.\n<!--\nAsk @mo-member,\n\nsee {named['key']} -->\n[ask @mo-member](https://a.test)"
    values = [{"fieldId": board.field("description"), "value": text}]
    written = (await site.sa.patch(f"/cards/{one['id']}", {"fieldValues": values})).ok()
    assert [mention["label"] for mention in written["mentions"]] == ["Mo Member"]
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        prose = dialog.get_by_role("group", name="Description")
        hidden = prose.get_by_text("Ask @mo-member")
        await expect(hidden).to_be_hidden()
        await prose.get_by_role("button", name="comment").click()
        await expect(hidden).to_be_visible()
        await expect(hidden).to_contain_text(f"see {named['key']}")
        await expect(dialog.get_by_role("textbox", name="Description")).to_have_count(0)
        await expect(prose.locator("a.card-reference")).to_have_count(0)
        await expect(prose.get_by_role("link", name="ask @Mo Member").locator(".mention")).to_have_count(1)
