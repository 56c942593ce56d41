"""Markdown becomes elements as a well-known parser would make them, in linear time, and never anything else."""

import random
from collections.abc import AsyncIterator
from html.parser import HTMLParser
from typing import Any

import pytest
import pytest_asyncio
from markdown_it import MarkdownIt
from playwright.async_api import Browser, Page, expect

from service.text.checklists import find_items

from ..text.test_checklists import EXAMPLES, random_texts
from ..world import World
from .browser import visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")
# What the page leaves out on purpose: HTML but for comments and <br>, the long list of named entities.
PARSER = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
PARSER.disable(["image"])

CORPUS = [
    "plain",
    "two\nlines",
    "two\n\nparagraphs",
    "  leading and trailing  ",
    "# One\n## Two\n###### Six\n####### Seven",
    "#no heading",
    "# closed ##\n# not closed#\n#",
    "# with `code` and *emphasis*",
    "Setext\n===\n\nTwo\n---",
    "para\n# heading\npara",
    "*a* **b** ***c*** _d_ __e__",
    "a*b*c a_b_c 2*3*4",
    "**bold *inside* bold** *and **other** way*",
    "*unclosed **and** more",
    "**a*b*",
    "***a** b*",
    "* not emphasis*",
    "snake_case_name and __init__",
    "~~gone~~ and ~one~ and a~~b~~c",
    "a \\* b \\_ c \\` d \\[e\\] \\\\",
    "`code` ``co`de`` ` spaced ` `` ` ``",
    "`unclosed",
    "``a` b`` c`",
    "`a\nb`",
    "[link](https://example.test)",
    "[link](https://example.test 'title') and [x](<https://example.test/a(b>)",
    '[t](https://example.test/(a)(b) "q")',
    "[*emphasis* `code`](http://example.test)",
    "[no](javascript:alert(1)) [no](data:text/html,x) [no](vbscript:x)",
    "[a [nested](https://inner.test) b](mailto:outer)",
    "[unclosed](mailto:",
    "[a] [b] ( c ) []",
    "<https://example.test> <mailto:a@example.test> <nothing> <script>alert(1)</script>",
    "a &amp; b &lt;c&gt; &#65; &#x42; &nope; & &quot;",
    "hard  \nbreak\\\nbreak",
    "- a\n- b\n- c",
    "* a\n* b",
    "+ a\n\n+ b",
    "- a\n\n  second paragraph\n- b",
    "- a\n  - b\n    - c\n- d",
    "- a\n- b\n* c\n* d",
    "1. a\n2. b\n3. c",
    "3. three\n4. four",
    "1) a\n2) b",
    "10. a\n    b",
    "para\n- list right after",
    "para\n2. no list, since it does not begin with one",
    "-\n- empty before",
    "- a\n\n\n- b",
    "- ```\n  code\n  ```\n- after",
    "- # heading\n- > quote",
    "1. a\n   - b\n   - c\n2. d",
    "- a\nlazy\n- b",
    "> quote\n> more",
    "> lazy\ncontinues",
    "> a\n\nb",
    "> > nested\n> back",
    "> - list\n> - in quote\n>\n> para",
    "> ```\n> code\n> ```\nafter",
    "```\ncode <b>\n  indented\n```",
    "~~~ python\nprint(1)\n~~~",
    "````\n```\n````",
    "```\nunclosed",
    "```a`b\nnot a fence",
    "    indented\n    code\n\n    more",
    "para\n    no code",
    "---\n***\n___\n- - -\n-- -",
    "a\n\n---\n\nb",
    "| a | b |\n| - | -: |\n| 1 | 2 |\n| 3 |",
    "a | b\n:-: | -\n1 | `x` | 3\n\nafter",
    "| a \\| b | c |\n|---|---|\n| *d* | e |",
    "| no | table |\nplain",
    "| a |\n|---|\n> quote",
    "\ttab code",
    "-\ttab item",
    "a\r\nb\r\rc",
    "Ünïcödé **fett** „Zitat“ *«x»*",
    "中文**强调**文字",
    "emoji 🎉*a*🎉",
    "text right above\n| a | b |\n|---|---|\n| 1 | 2 |\n\nafter",
    "one\ntwo | three\n--- | ---\nfour | five",
    "- item\n  | a |\n  |---|\n  | b |",
    "<anna@example.test> and <not an address>",
    "[words][one] [one][] [one] [One] [two][none] [none]\n\n[one]: https://example.test 'Title'\n[two]: <https://example.test/2>",
    "[one]: https://example.test\n[one]: https://example.test/second\n[one]",
    "text\n[one]: mailto:a\n\n[one]",
    "> [one]: https://example.test\n\n- [one] *[one][]* [a [one] b](mailto:b)",
    "[x][one]text [one](no link) [*a*][one]\n\n[one]: https://example.test",
    "[one]: mailto:a bad\n\n[one] [a\\]b]\n\n[a\\]b]: https://example.test",
    "[one] [ONE  two]\n\n[one\\]: mailto:a\n\n[One two]: mailto:b",
    "1\\. no list",
    "a**b** c**d",
    '(*a*) [*b*] "**c**"',
    "foo***bar***baz",
    "*foo**bar***",
    "It **stops silently** after 5,000 rows.\n\n1. Reproduce with `fixtures/comma.csv`\n2. Quote the field\n\n> Seen",
]

# Shapes that make careless parsers slow, as (opening, repeated, closing).
HOSTILE = [
    ("", "__a__", ""),
    ("", "*a ", "a*"),
    ("", "**a *a ", ""),
    ("", "*a **a ", "**" * 50),
    ("", "[", ""),
    ("", "[a](", ""),
    ("", "[a](<", ""),
    ("", '[a](b "', ""),
    ("", "![", "](https://a.test)"),
    ("", "[a](https://a.test)", ""),
    ("", "![a](file:b)", ""),
    ("", "![", "](file:b)"),
    ("", "`a``", ""),
    ("", "`" * 7 + "a", ""),
    ("", "> ", "a"),
    ("", "- ", "a"),
    ("", "1. ", "a"),
    ("", "> a\n", ""),
    ("", "- a\n", ""),
    ("", " - a\n\n", ""),
    ("", "a\n", ""),
    ("", "a\n    ", ""),
    ("# ", "# ", ""),
    ("# ", "a #", ""),
    ("", " ", "a"),
    ("a", "  \n", "b"),
    ("", "| ", "\n|-"),
    ("|a", "|a", "\n" + "|-" * 300 + "\n"),
    ("a|b\n-|-\n", "x\n", ""),
    ("a\n-" + " " * 50, " ", "x"),
    ("a|b\n", "- ", "x"),
    ("", "http://", ""),
    ("", "https://a.test/))))", ""),
    ("", "<https://a.test", ""),
    ("", "&#", ""),
    ("", "\\", ""),
    ("", "~~", "a"),
    ("", "~~a ", ""),
    ("", "```\n", ""),
    ("", "*_", "a"),
    ("", "a*", ""),
    ("", "<!--\n", ""),
    ("", "<!--\n", "-->"),
    ("", "<!--\n", "\n- [ ] a\n-->"),
    ("", "<!--", ""),
    ("", "<!-- a", "-->"),
    ("", "<!--a-->", ""),
    ("", "a@", "b.test"),
    ("", "a.", "@b.test"),
    ("", "a@b.", "test"),
    ("", "<a@b.test", ""),
    ("[a]: https://a.test\n\n", "[a][", "]"),
    ("[a]: https://a.test\n\n", "[", "a" + "]" * 1000),
    ("[a]: https://a.test\n\n", "[a] ", ""),
    ("", "[a]: https://a.test\n", ""),
    ("", "[![a](https://a.test)](https://b.test)", ""),
    ("", "![", "a" + "](https://a.test)" * 1000),
    ("", "[x](y)", ""),
    ("", "a|b\n", "-|-"),
    ("", "a|b\n-|-\n\n", ""),
    ("", "> [!NOTE]\n> a\n\n", ""),
    ("", "<br>", ""),
    ("- [ ] ", "\t ", "a"),
    ("", "- [ ] a\n", ""),
    ("", "> > - [x] a\n", ""),
    ("", "> ```\n", ""),
    ("- [ ] a\n" + "".join("  " * depth + "- [ ] a\n" for depth in range(40)), "\n", " " * 80 + "a"),
    ("", "*a_", ""),
]
RENDER = """async (texts) => {
    const { renderMarkdown } = await import("/markdown/index.js");
    return texts.map((text) => renderMarkdown(text).innerHTML);
}"""
TIME = """async ([opening, repeated, closing, lengths]) => {
    const { renderMarkdown } = await import("/markdown/index.js");
    const once = (length) => {
        const text = opening + repeated.repeat(length / repeated.length) + closing;
        const began = performance.now();
        const element = renderMarkdown(text);
        return [performance.now() - began, element.querySelectorAll("*").length];
    };
    once(1000);
    return lengths.map(once);
}"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def page(browser: Browser, site: World) -> AsyncIterator[Page]:
    async with visiting(browser, site) as page:
        await page.goto("/icon.svg")
        await page.goto("/sign-in")
        yield page


class Tree(HTMLParser):
    """What of a HTML text matters here: elements, addresses, titles and texts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag == "div":  # the page puts tables into one that scrolls
            return
        side = (known.get("style") or "").removeprefix("text-align:") or (known.get("class") or "")
        kept = [known.get("href"), known.get("title"), known.get("start"), side if tag in ("td", "th") else None]
        if tag != "code" or (self.parts and self.parts[-1] == "<pre>"):
            kept = [value for value in kept if value]
        self.parts.append(f"<{' '.join([tag, *filter(None, kept)])}>")

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("div", "br", "hr"):
            self.parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self.parts and self.parts[-1].startswith("text "):
            self.parts[-1] += data
        else:
            self.parts.append("text " + data)


def tree(html: str) -> list[str]:
    parser = Tree()
    parser.feed(html)
    parser.close()
    parts, is_code = [], False
    for part in parser.parts:
        is_code = (is_code or part == "<pre>") and part != "</pre>"
        if not part.startswith("text ") or is_code:
            parts.append(part)
        elif text := part.removeprefix("text ").strip("\n"):  # line ends between blocks say nothing
            parts.append("text " + text)
    return parts


async def test_the_corpus_reads_as_a_well_known_parser_reads_it(page: Page) -> None:
    found = await page.evaluate(RENDER, CORPUS)
    expected = [PARSER.render(text + "\n") for text in CORPUS]
    differing = [
        (text, ours, theirs) for text, ours, theirs in zip(CORPUS, found, expected) if tree(ours) != tree(theirs)
    ]
    assert differing == []


async def test_bare_addresses_tasks_and_wide_tables_are_more_than_the_common_mark(page: Page) -> None:
    texts = [
        "see https://a.test/x?y=1. (https://b.test/z)",
        "- [x] done\n- [ ] open",
        "|a|\n|-|\n|b|",
        "xhttps://a.test",
    ]
    links, tasks, table, none = await page.evaluate(RENDER, texts)
    assert tree(links) == [
        "<p>", "text see ", "<a https://a.test/x?y=1>", "text https://a.test/x?y=1", "</a>", "text . (",
        "<a https://b.test/z>", "text https://b.test/z", "</a>", "text )", "</p>",
    ]  # fmt: skip
    assert tasks.count('type="checkbox"') == 2
    assert 'aria-label="done"' in tasks
    assert "[" not in tasks
    assert table.startswith('<div class="wide" tabindex="0"><table>')  # which arrow keys scroll
    assert "<a" not in none


async def test_the_page_draws_boxes_for_the_items_of_the_service_and_for_no_other_line(page: Page) -> None:
    """A tick names an item by its number in both."""
    deep = ["> " * depth + "- " * depth + "a\nlazy\n\n" + "  " * depth + "- [x] less" for depth in range(16)]
    nested = "\n".join("  " * depth + f"- [ ] {depth}\n\n" + "  " * depth + "> 1. [x] quoted" for depth in range(30))
    spaces = [f"-{space}[ ]{space}a{space}\n{space}- [x] b" for space in "\u00a0\u2028\u0085\ufeff\x1c\x0b\t"]
    signs = "a\0\n-\0b\n- [ ] c"  # the service takes none
    texts = [*EXAMPLES, *CORPUS, *deep, nested, *spaces, signs, "> " * 20_000 + "- [x] a", *random_texts(4000, 3)]
    found = await page.evaluate(
        """async (texts) => {
            const { renderMarkdown } = await import("/markdown/index.js");
            return texts.map((text) => {
                const element = renderMarkdown(text);
                if (element.textContent.includes("\\0")) throw new Error(`shows what stands for a box: ${text}`);
                if (element.querySelector(":is(li, blockquote) ".repeat(15))) throw new Error(`too deep: ${text}`);
                return [...element.querySelectorAll("input")].map(({ item, checked }) => [item, checked]);
            });
        }""",
        texts,
    )
    expected = [[[item.text, item.done] for item in find_items(text)] for text in texts]
    assert [case for case in zip(texts, found, expected) if case[1] != case[2]] == []
    drawn = {text: [("x " if done else "  ") + item for item, done in boxes] for text, boxes in zip(texts, found)}
    assert {text: drawn[text] for text in EXAMPLES} == EXAMPLES


async def test_an_item_is_drawn_as_a_paragraph_in_a_list_whatever_is_around_it(page: Page) -> None:
    cases = {
        "- [ ] a\n  ===": "<ul> <li> <input> text a <br> text === </li> </ul>",
        "- [ ] a | b\n  -|-": "<ul> <li> <input> text a | b <br> text -|- </li> </ul>",
        "text\n2. [ ] a": "<p> text text </p> <ol 2> <li> <input> text a </li> </ol>",
        "a\n\n    - [ ] b\n      c": "<p> text a </p> <ul> <li> <input> text b <br> text c </li> </ul>",
        ">     - [ ] a\nb": "<blockquote> <ul> <li> <input> text a <br> text b </li> </ul> </blockquote>",
        "> <!--\n> ```\n> -->\n> - [ ] a\nb": (
            "<blockquote> <p> <span> <button> text comment </button> <span> text ``` </span> </span> </p> "
            "<ul> <li> <input> text a <br> text b </li> </ul> </blockquote>"
        ),
        "- - [ ] a": "<ul> <li> <ul> <li> text [ ] a </li> </ul> </li> </ul>",
    }
    found = await page.evaluate(RENDER, list(cases))
    assert dict(zip(cases, map(draw, found), strict=True)) == cases


def draw(html: str) -> str:
    return " ".join(" ".join(part for part in tree(html) if part.strip() != "text").split())


async def test_markdown_as_models_write_it(page: Page) -> None:
    comment = "<span> <button> text comment </button> <span> text {} </span> </span>"
    link = "<a {0}> text {0} </a>"
    cases = {
        "a <!-- b --> c": f"<p> text a {comment.format('b')} text c </p>",
        "<!--\n# no heading\n\n- [ ] none\n-->\n# One": (
            f"<p> {comment.format('# no heading - [ ] none')} </p> <h1> text One </h1>"
        ),
        "text\n<!--\n\na --> b": f"<p> text text </p> <p> {comment.format('a')} text b </p>",
        "<!-- no end\n\na": "<p> text <!-- no end </p> <p> text a </p>",
        "<!--> `<!-- a -->`": (
            "<p> <span> <button> text comment </button> <span> </span> </span> <code> text <!-- a --> </code> </p>"
        ),
        "<!--\n- [ ] item\n-->": f"<p> {comment.format('- [ ] item')} </p>",
        "| a<br>b | c<BR/>d |\n|---|---|": (
            "<table> <thead> <tr> <th> text a <br> text b </th> <th> text c <br> text d </th> </tr> </thead> </table>"
        ),
        "Mail anna.b+c@example.test, see": "<p> text Mail <a mailto:{0}> text {0} </a> text , see </p>".format(
            "anna.b+c@example.test"
        ),
        "请联系hanna@example.test。": "<p> text 请联系 <a mailto:{0}> text {0} </a> text 。 </p>".format(
            "hanna@example.test"
        ),
        "é@a.test a@b `a@b.test` @anna": "<p> text é@a.test a@b <code> text a@b.test </code> text @anna </p>",
        "[file](docs/x.md) [part](#part 'Title') [up](../a) [js](javascript:a) [at](@anna)": (
            "<p> <span docs/x.md> text file </span> <span Title> text part </span> <span ../a> text up </span> "
            "text [js](javascript:a) [at](@anna) </p>"
        ),
        "[file][f]\n\n[f]: docs/x.md": "<p> <span docs/x.md> text file </span> </p>",
        "[todo]: done\n\n[note]: @anna.": "<p> text [todo]: done </p> <p> text [note]: @anna. </p>",
        "> [!WARNING]\n> Take *care*": (
            "<blockquote> <p> <strong> text Warning </strong> </p> "
            "<p> text Take <em> text care </em> </p> </blockquote>"
        ),
        "> [!OTHER]\n> a": "<blockquote> <p> text [!OTHER] <br> text a </p> </blockquote>",
        "![image](https://example.test/x.png)!": "<p> <a https://example.test/x.png> text image </a> text ! </p>",
        "![](https://example.test/x.png)": f"<p> {link.format('https://example.test/x.png')} </p>",
        "[![build](https://a.test/b.svg)](https://a.test/ci)": "<p> <a https://a.test/ci> text build </a> </p>",
        "[![build](img/b.svg) *now*](https://a.test/ci)": (
            "<p> <a https://a.test/ci> <span img/b.svg> text build </span> <em> text now </em> </a> </p>"
        ),
        "[![a](file:f)](https://a.test/ci)": "<p> <a https://a.test/ci> <img> </a> </p>",
        "[see https://a.test/x] [https://a.test](https://b.test)": (
            f"<p> text [see {link.format('https://a.test/x')} text ] <a https://b.test> text https://a.test </a> </p>"
        ),
    }
    found = await page.evaluate(RENDER, list(cases))
    assert dict(zip(cases, map(draw, found), strict=True)) == {
        text: " ".join(drawn.split()) for text, drawn in cases.items()
    }


async def test_a_comment_opens_by_its_mark_and_is_not_in_plain_texts(page: Page) -> None:
    await page.evaluate("""async () => {
        const { renderMarkdown } = await import("/markdown/index.js");
        document.body.replaceChildren(renderMarkdown("Do it. <!-- Only if\\n@anna agrees -->"));
    }""")
    mark = page.get_by_role("button", name="comment")
    text = page.get_by_text("@anna agrees")
    for is_open in (False, True, False):
        await expect(mark).to_have_attribute("aria-expanded", str(is_open).lower())
        await expect(text).to_be_visible(visible=is_open)
        await mark.press("Enter")
    await mark.press("Enter")
    await page.emulate_media(media="print")
    await expect(text).to_be_visible()
    await page.emulate_media(media="screen")


async def test_plain_text_has_the_words_without_the_signs(page: Page) -> None:
    cases = {
        "Use **bold**, `code`, ~~old~~ *newest* [link](https://example.test)?": "Use bold, code, old newest link?",
        "# Title\nOne\ntwo\n\n- a\n  - b\n- [x] c\n\n> said\n\n```js\nlet a;\n```": "Title One two a b c said let a;",
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n---\nend": "a b 1 2 end",
        "See ![the **plan**](file:file_1) at <https://example.test>": "See the plan at https://example.test",
        "a <!-- b --> c<br>d [e](docs/f.md)": "a c d e",
        "2 * 3 * 4, snake_case, `unclosed, <b>x</b>": "2 * 3 * 4, snake_case, `unclosed, <b>x</b>",
    }
    convert = """async (texts) => {
        const { toPlainText } = await import("/markdown/plain-text.js");
        return texts.map(toPlainText);
    }"""
    assert await page.evaluate(convert, list(cases)) == list(cases.values())


@pytest.mark.parametrize("shape", HOSTILE, ids=lambda shape: repr("".join(shape))[:30])
async def test_the_time_grows_with_the_length_and_no_faster(page: Page, shape: tuple[str, str, str]) -> None:
    turns: list[list[list[float]]] = []
    for _ in range(6):  # the machine may be busy: one good turn tells
        turns.append(await page.evaluate(TIME, [*shape, [4_000, 64_000]]))
        (short, _), (long, elements) = [min(turn[place] for turn in turns) for place in range(2)]
        if long < 16 * 4 * max(short, 4):  # sixteen times the length; quadratic would be 256 times
            break
    else:
        pytest.fail(f"not linear: {turns}")
    assert elements < 100_000


async def test_what_people_write_never_becomes_anything_but_text_and_the_page_s_own_elements(page: Page) -> None:
    pieces = ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "[x](javascript:alert(1))", "**", "`", "\n"]
    pieces += [
        "[a](https://a.test)",
        "> ",
        "- ",
        "<a href=//evil.test>",
        "</div>",
        "&#60;svg onload=alert(1)&#62;",
        "|",
    ]
    pieces += [
        "\u202e",
        "e\u0301\u0301\u0301",
        "\n---\n",
        "[x](JaVaScRiPt:alert(1))",
        "<https://a.test>",
        "\x01javascript:",
        "<!-- <img src=x onerror=alert(1)> -->",
        "[y](\x01javascript:alert(1))",
        "[z]: javascript:alert(1)\n\n[z]",
        "[![x](https://a.test)](javascript:alert(1))",
        "> [!NOTE]\n",
    ]
    generator = random.Random(7)  # noqa: S311
    texts = ["".join(generator.choices(pieces, k=12)) for _ in range(300)]
    found: Any = await page.evaluate(
        """async (texts) => {
            const { renderMarkdown } = await import("/markdown/index.js");
            const host = document.body.appendChild(document.createElement("div"));
            host.append(...texts.map((text) => renderMarkdown(text)));
            const names = new Set([...host.querySelectorAll("*")].map((element) => element.localName));
            const links = [...host.querySelectorAll("a")].map((link) => [link.protocol, link.rel]);
            const attributes = new Set([...host.querySelectorAll("*")].flatMap((one) => one.getAttributeNames()));
            host.remove();
            return [[...names], links, [...attributes]];
        }""",
        texts,
    )
    names, links, attributes = found
    known = "a blockquote br button code div em h1 h2 hr input li ol p pre s span strong table tbody td th thead tr ul"
    assert set(names) <= set(known.split())
    assert {tuple(link) for link in links} == {("https:", "noopener noreferrer nofollow")}
    assert set(attributes) <= {
        "class",
        "href",
        "rel",
        "tabindex",
        "target",
        "start",
        "title",
        "type",
        "disabled",
        "aria-label",
        "aria-expanded",
        "hidden",
        "dir",
    }
