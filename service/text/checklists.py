"""Checklists: the lines of a Markdown text that begin with a list marker and a box.

The page draws boxes for the same lines (web/markdown/blocks.js): tests/data/checklists.json has examples for both.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

BLANKS = " \t"
_BOX = re.compile(r"\[[ xX]\]")
_NEWLINE = re.compile(r"(\r\n?|\n)")
ITEM = re.compile(r"[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[([ xX])\][ \t]+(?=[^ \t])")
_FENCE = re.compile(r"(?:[ \t>]|(?:[-*+]|[0-9]{1,9}[.)])[ \t])*(`{3,}|~{3,})")


class Item(NamedTuple):
    """An item of a checklist: the position of its mark in the text, the rest of its line, and its state."""

    position: int
    text: str
    done: bool


def scan_lines(text: str) -> Iterator[tuple[int, str, bool, bool]]:
    """Yield each line with its position, whether it is fenced code, and whether it begins within a comment of HTML.

    A fence without an end reaches to the end of its quotation or of the text; a comment without an end is none.
    """
    last_end = text.rfind("-->") if "<!--" in text else -1
    fence, depth, is_comment = "", 0, False
    for start, line in _split_lines(text):
        if fence and _count_quotes(line) < depth:
            fence = ""
        if fence:
            yield start, line, True, False
            fence = "" if _count_quotes(line) == depth and _is_closing(line, fence) else fence
            continue
        fence, depth = ("", 0) if is_comment else _find_fence(line)
        yield start, line, bool(fence), is_comment
        if not fence and last_end >= start:
            is_comment = _ends_in_comment(line, is_comment, last_end - start)


def _split_lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    parts = [*_NEWLINE.split(text), ""]
    for line, newline in zip(parts[::2], parts[1::2], strict=True):
        yield start, line
        start += len(line) + len(newline)


def _count_quotes(line: str) -> int:
    return line.count(">", 0, len(line) - len(line.lstrip(BLANKS + ">")))


def _find_fence(line: str) -> tuple[str, int]:
    """Return the fence that a line opens, empty if it opens none, and how many quotations it lies in."""
    found = _FENCE.match(line) if "```" in line or "~~~" in line else None
    if found is None or (found[1][0] == "`" and "`" in line[found.end() :]):
        return "", 0
    return found[1], line.count(">", 0, found.start(1))


def _is_closing(line: str, fence: str) -> bool:
    rest = line.lstrip(BLANKS + ">").rstrip(BLANKS)
    return len(rest) >= len(fence) and rest == fence[0] * len(rest)


def _ends_in_comment(line: str, is_comment: bool, last_end: int) -> bool:
    """Return whether the next line is in a comment; `last_end` is where the last comment of the text can end."""
    at = 0
    while (at := line.find("-->" if is_comment else "<!--", at)) >= 0:
        if not is_comment and at + 2 > last_end:
            break  # what no end follows is no comment
        at += 3 if is_comment else 2
        is_comment = not is_comment
    return is_comment


def find_items(text: str) -> list[Item]:
    """Return the items of the checklists in a text, in its order."""
    items: list[Item] = []
    for start, line, is_code, is_comment in scan_lines(text) if _BOX.search(text) else ():
        found = None if is_code or is_comment else ITEM.match(line)
        if found:
            items.append(Item(start + found.start(1), line[found.end() :].rstrip(BLANKS), found[1] != " "))
    return items


def set_mark(text: str, item: Item, done: bool) -> str:
    """Return a text in which the mark of one of its items is set; nothing else changes."""
    return text if item.done == done else text[: item.position] + ("x" if done else " ") + text[item.position + 1 :]


def count(items: Iterable[Item]) -> tuple[int, int]:
    """Return the number of done items, and of all."""
    states = [item.done for item in items]
    return sum(states), len(states)
