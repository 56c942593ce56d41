"""Checklists of texts: the lines that count as items, by a table that holds for the page, too."""

import json
import random
import time
from pathlib import Path

import pytest

from service.text import checklists

# Texts and their items: "x " or two blanks, and the text of the item.
EXAMPLES: dict[str, list[str]] = {
    example["text"]: example["items"]
    for example in json.loads((Path(__file__).parents[1] / "data" / "checklists.json").read_text("utf-8"))
}


def find(text: str) -> list[str]:
    return [("x " if item.done else "  ") + item.text for item in checklists.find_items(text)]


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_items_are_those_of_the_table(text: str) -> None:
    assert find(text) == EXAMPLES[text]


PIECES = [
    "- [ ] ", "* [x] ", "1. [ ] ", "+ [X]\t", "- ", "1) ", "> ", "  ", "    ", "\t", "[ ] ", "[x] ", "a", "b c", "# ",
    "---", "```", "~~~", "|", "-|-", "===", "\\", "`", "<!--", "-->", ">", "\n",
]  # fmt: skip


def random_texts(number: int, seed: int) -> list[str]:
    generator = random.Random(seed)  # noqa: S311
    return [
        "".join(piece + generator.choice(["", "", "\n", "\n\n"]) for piece in generator.choices(PIECES, k=14))
        for _ in range(number)
    ]


def test_a_tick_changes_one_character_and_no_other_item() -> None:
    """Whatever surrounds the item: its neighbours keep text, state and number."""
    for text in (*EXAMPLES, *random_texts(3000, 1)):
        items = checklists.find_items(text)
        for number, item in enumerate(items):
            ticked = checklists.set_mark(text, item, not item.done)
            assert sum(before != after for before, after in zip(text, ticked, strict=True)) == 1
            items_after = checklists.find_items(ticked)
            assert items_after == [*items[:number], item._replace(done=not item.done), *items[number + 1 :]]


HOSTILE = {
    "quotations": "> " * 50_000,
    "markers": "- " * 50_000,
    "blanks": "- [ ] " + "a \t" * 33_000,
    "backticks": "`" * 50_000 + "a" * 49_999 + "`",
    "fences": "> ```\n" * 16_000,
    "beginnings of comments": "<!--" * 25_000,
    "comments without an end": "[ <!--\n" * 14_000,
    "comments of many lines": "[ <!--\n" * 14_000 + "-->",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_takes_long(text: str) -> None:
    """Quadratic time would be minutes."""
    began = time.process_time()
    assert len(checklists.find_items(text + "\n[ ]")) <= 1
    assert time.process_time() - began < 2
