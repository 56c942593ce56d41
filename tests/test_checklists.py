"""Checklists of texts: the items that a common Markdown parser finds, and none of their neighbours changes."""

import random

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from service import checklists

# As on the page: no HTML and no references.
PARSER = MarkdownIt("commonmark", {"html": False}).enable("table").disable("reference")
BOXES = ("[ ]", "[x]", "[X]")

TEXTS = {
    "- [ ] one\n- [x] two\n* [X] three\n+ [ ]\tfour": ["  one", "x two", "x three", "  four"],
    "1. [ ] one\n2) [x] two\n10. [ ] ten": ["  one", "x two", "  ten"],
    "- [ ] outer\n  - [x] inner\n    1. [ ] innermost\n- [x] last": ["  outer", "x inner", "  innermost", "x last"],
    "> - [ ] quoted\n> > * [x] twice": ["  quoted", "x twice"],
    "- [ ] first line\n  second **line**\nlazy line": ["  first line second **line** lazy line"],
    "- [ ] loose\n\n  more\n\n- [x] after": ["  loose", "x after"],
    "-\n  [ ] below its marker": ["  below its marker"],
    "-\n\n  [ ] two lines below its marker": [],
    "- [ ] \n  below": ["  below"],
    "- [ ]\tTab\r\n- [x] line ends\r- [ ] mixed": ["  Tab", "x line ends", "  mixed"],
    "-\t[ ] tab before\n>\t- [x] tab in a quote": ["  tab before", "x tab in a quote"],
    "text\n- [ ] right below": ["  right below"],
    "- [x] [a link](https://a.test) and `code`": ["x [a link](https://a.test) and `code`"],
    "- # heading\n- [ ] after": ["  after"],
    "```\n- [ ] fenced\n```\n- [ ] real": ["  real"],
    "~~~ info\u2028\n- [ ] fenced": [],
    "    - [ ] indented code": [],
    "    code\n2. [ ] no paragraph before it": ["  no paragraph before it"],
    "> " * 11 + "- [ ] deep": ["  deep"],
    "- ```\n  - [ ] fenced in an item\n  ```": [],
    "- [ ]no space\n- []\n- [y] other\n- [  ] wide\n- [ ]": [],
    "- \\[ ] escaped\n- &#91; ] entity\n- `[ ] code`\n- **[ ] bold**": [],
    "[ ] no list\n\n1.[ ] no list\n\n-[ ] no list": [],
    "- first\n\n  [ ] not the first paragraph": [],
    "- [ ] heading\n  ===\n- a | b": [],
    "- [ ] a | b\n  -|-\n  1 | 2": [],
    "text\n2. [ ] no list, since it does not begin with one": [],
    "": [],
}


def find(text: str) -> list[str]:
    return [("x " if item.done else "  ") + item.text for item in checklists.find_items(text)]


def expect(text: str) -> list[str]:
    """Return what the parser finds: the first block of a list item, if it is a paragraph that begins with a box."""
    tokens = PARSER.parse(text)
    return [found for at in range(len(tokens)) if (found := _find_task(tokens[at : at + 3]))]


def _find_task(tokens: list[Token]) -> str | None:
    if [token.type for token in tokens] != ["list_item_open", "paragraph_open", "inline"]:
        return None
    content = tokens[2].content
    if not content.startswith(BOXES) or content[3:4] not in (" ", "\t"):
        return None
    text = " ".join(line.strip(" \t") for line in content[3:].split("\n")).strip()
    return ("  " if content[1] == " " else "x ") + text


@pytest.mark.parametrize("text", TEXTS)
def test_the_items_are_those_of_a_common_parser(text: str) -> None:
    assert find(text) == TEXTS[text]
    assert expect(text) == TEXTS[text]


def wide_table(rows: int) -> str:
    """Return a table of 200 columns with rows of one cell; below it, what only a line of text makes a list of."""
    return "|a" * 200 + "\n" + "|-" * 200 + "\n" + "|\n" * rows + "===\n2. [x] below"


def test_a_table_ends_where_too_many_cells_are_missing_and_nesting_at_a_limit() -> None:
    assert [find(wide_table(rows)) for rows in (50, 51)] == [[], ["x below"]]  # 199 are missing in each
    deepest = [find("> " * depth + "- [ ] deep") for depth in (checklists.NESTING_MAX - 1, checklists.NESTING_MAX)]
    assert deepest == [["  deep"], []]


PIECES = [
    "- [ ] ", "* [x] ", "1. [ ] ", "+ [X]\t", "- ", "1) ", "> ", "  ", "    ", "\t", "[ ] ", "[x] ", "a", "b c", "# ",
    "---", "```", "~~~", "|", "-|-", "===", "\\", "`",
]  # fmt: skip


def random_texts(number: int, seed: int) -> list[str]:
    generator = random.Random(seed)  # noqa: S311
    return [
        "".join(piece + generator.choice(["", "", "\n", "\n\n"]) for piece in generator.choices(PIECES, k=14))
        for _ in range(number)
    ]


def test_a_tick_changes_one_character_and_no_other_item() -> None:
    """Whatever surrounds the item: its neighbours keep text, state and number."""
    for text in (*TEXTS, *random_texts(3000, 1)):
        items = checklists.find_items(text)
        for number, item in enumerate(items):
            ticked = checklists.set_mark(text, item, not item.done)
            assert sum(before != after for before, after in zip(text, ticked, strict=True)) == 1
            items_after = checklists.find_items(ticked)
            assert items_after == [*items[:number], item._replace(done=not item.done), *items[number + 1 :]]


def test_random_texts_read_nearly_always_as_the_parser_reads_them() -> None:
    """Page and service approximate some continuation lines, and underlines of headings among them."""
    texts = [text for text in random_texts(5000, 2) if "===" not in text]
    differing = [text for text in texts if find(text) != expect(text)]
    assert len(differing) < 10, differing[:5]
    assert sum(bool(find(text)) for text in texts) > 1000
