"""Checklists: the task-list items that Markdown makes of a text.

The page numbers the same items while it renders a text. This is its block parser (web/markdown/index.js), without the
rendering: a change of one needs the same change of the other. A test compares both, and both with a common parser.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# What JavaScript trims. Python's own list differs.
SPACE = "\t\n\v\f\r \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"
NESTING_MAX = 12  # nested quotes and lists; deeper ones are paragraphs
ADDED_CELLS_MAX = 10_000  # of a table; a row that needs more ends it
_NEWLINE = re.compile(r"\r\n?|\n")
_CANDIDATE = re.compile(r"\[[ xX]\][ \t]")
_TASK = re.compile(r"\[([ xX])\][ \t]")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})")
_QUOTE = re.compile(r" {0,3}> ?")
_ITEM = re.compile(r"( {0,3})([-*+]|[0-9]{1,9}[.)])( +|\Z)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|\Z)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_PREFIX = re.compile(r"[ \t]*(?:(?:[-*+>]|[0-9]{1,9}[.)])[ \t]+)?")
_MARKERS = re.compile(r"(?: {0,3}> ?| {0,3}(?:[-*+]|[0-9]{1,9}[.)]) +){0,12}")
_UNDERLINE = re.compile(r"=+|-+")
_DELIMITER = re.compile(r":?-+:?")
_PIPE = re.compile(r"(?<!\\)\|")
_BEGINNINGS = frozenset("#>-*+_`~0123456789")  # of every block but a paragraph
_CLOSES, _OPENS, _KEEPS = range(3)  # what a line means for a paragraph that later lines may continue


class Item(NamedTuple):
    """An item of a checklist: the position of its mark in the text, its text in one line, and its state."""

    position: int
    text: str
    done: bool


class _Marker(NamedTuple):
    """The marker of a list item."""

    kind: str
    width: int
    is_bare: bool
    can_interrupt: bool


class _Line:
    """What a line can begin or end, whatever is around it."""

    __slots__ = (
        "fence",
        "indent",
        "interrupts",
        "is_blank",
        "is_heading",
        "is_quote",
        "is_rule",
        "lazy",
        "marker",
        "text",
    )

    def __init__(self, text: str) -> None:
        content = text.lstrip(SPACE)
        self.text = text
        self.indent = len(text) - len(content)
        self.is_blank = not content
        self.is_heading = self.is_quote = self.is_rule = self.interrupts = False
        self.fence: str | None = None
        self.marker: _Marker | None = None
        self.lazy = _CLOSES if self.is_blank else _OPENS if self.indent < 4 else _KEEPS
        if content and content[0] in _BEGINNINGS:
            self._read_beginning(text, content[0])

    def _read_beginning(self, text: str, first: str) -> None:
        if first in "`~":
            self.fence = _find_fence(text)
        elif first == "#":
            self.is_heading = _HEADING.match(text) is not None
        elif first == ">":
            self.is_quote = _QUOTE.match(text) is not None
        else:
            self.is_rule = first in "-*_" and _RULE.fullmatch(text) is not None
            self.marker = None if self.is_rule else _find_marker(text)
        is_item = self.marker is not None and self.marker.can_interrupt
        self.interrupts = is_item or self.is_heading or self.is_rule or self.is_quote or self.fence is not None
        if self.is_heading or self.is_rule:
            self.lazy = _CLOSES
        elif self.is_quote or self.marker:
            self.lazy = _find_lazy(text)


def _find_fence(text: str) -> str | None:
    found = _FENCE.match(text)
    return found[1] if found and not (found[1][0] == "`" and "`" in found[2]) else None


def _find_marker(text: str) -> _Marker | None:
    found = _ITEM.match(text)
    if found is None:
        return None
    indent, marker, space = found.groups()
    is_bare = found.end() == len(text)
    width = len(indent) + len(marker) + (1 if is_bare or len(space) > 4 else len(space))
    starts_at_one = len(marker) == 1 or int(marker[:-1]) == 1
    return _Marker(marker[-1], width, is_bare, starts_at_one and not is_bare)


def _find_lazy(text: str) -> int:
    inner = text[_MARKERS.match(text).end() :]  # type: ignore[union-attr]  # it matches everything
    content = inner.lstrip(SPACE)
    if not content or _HEADING.match(inner) or _RULE.fullmatch(inner):
        return _CLOSES
    return _OPENS if len(inner) - len(content) < 4 else _KEEPS


def _closes(line: _Line, fence: str) -> bool:
    rest = line.text.strip(SPACE)
    return line.indent < 4 and len(rest) >= len(fence) and rest == fence[0] * len(rest)


class _OpenParagraph:
    """Whether a paragraph in a quote or an item can continue without its marker (a lazy continuation line)."""

    __slots__ = ("fence", "is_open")

    def __init__(self) -> None:
        self.fence: str | None = None
        self.is_open = False

    def see(self, line: _Line) -> None:
        within = self.fence
        if within:
            self.fence = None if _closes(line, within) else within
        else:
            self.fence = line.fence
        if within or self.fence or line.lazy == _CLOSES:
            self.is_open = False
        elif line.lazy == _OPENS:
            self.is_open = True

    def takes(self, line: _Line) -> bool:
        return self.is_open and not line.is_blank and not line.interrupts


def _expand_tabs(text: str) -> str:
    prefix = _PREFIX.match(text)[0]  # type: ignore[index]  # it matches everything
    return prefix.expandtabs(4) + text[len(prefix) :] if "\t" in prefix else text


def _split_cells(text: str) -> list[str]:
    inside = text.strip(SPACE)
    cells = _PIPE.split(inside[1:] if inside.startswith("|") else inside)
    if len(cells) > 1 and not cells[-1].strip(SPACE):
        cells.pop()
    return cells


class _Scanner:
    """The block parser: each method reads the block at a line and returns the line after it."""

    def __init__(self, ends: list[int]) -> None:
        self.items: list[Item] = []
        self._ends = ends  # of the lines in the text
        self._known: dict[str, _Line] = {}
        self._blank = self.line("")

    def line(self, text: str) -> _Line:
        """Return a line; equal ones are parsed once."""
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = _Line(text)
        return known

    def scan(self, lines: list[_Line], base: int, depth: int, is_item: bool = False) -> None:
        """Find the items in lines, of which the first is line `base` of the text."""
        at = 0
        while at < len(lines):
            line = lines[at]
            if line.is_blank:
                at += 1
                continue
            if line.indent >= 4:
                at = self._end_of_code(lines, at)
            elif line.fence:
                at = self._end_of_fenced(lines, at, line.fence)
            elif line.is_heading or line.is_rule:
                at += 1
            elif line.is_quote and depth < NESTING_MAX:
                at = self._read_quote(lines, at, base, depth)
            elif line.marker and depth < NESTING_MAX:
                at = self._read_list(lines, at, base, depth, line.marker.kind)
            elif columns := self._count_columns(lines, at):
                at = self._end_of_table(lines, at, columns)
            else:
                at = self._read_paragraph(lines, at, base, depth, is_item)
            is_item = False

    def _end_of_code(self, lines: list[_Line], at: int) -> int:
        end = at + 1
        while end < len(lines) and (lines[end].is_blank or lines[end].indent >= 4):
            end += 1
        return end

    def _end_of_fenced(self, lines: list[_Line], at: int, fence: str) -> int:
        end = at + 1
        while end < len(lines) and not _closes(lines[end], fence):
            end += 1
        return end + 1

    def _read_quote(self, lines: list[_Line], at: int, base: int, depth: int) -> int:
        inside: list[_Line] = []
        paragraph = _OpenParagraph()
        end = at
        while end < len(lines):
            line = lines[end]
            if line.is_quote:
                line = self.line(_expand_tabs(line.text[_QUOTE.match(line.text).end() :]))  # type: ignore[union-attr]
            elif not paragraph.takes(line):
                break
            inside.append(line)
            paragraph.see(line)
            end += 1
        self.scan(inside, base + at, depth + 1)
        return end

    def _read_list(self, lines: list[_Line], at: int, base: int, depth: int, kind: str) -> int:
        while at < len(lines) and (marker := lines[at].marker) and marker.kind == kind:
            inside, end = self._take_item(lines, at, marker)
            self.scan(inside, base + at, depth + 1, is_item=True)
            at = end
        return at

    def _take_item(self, lines: list[_Line], at: int, marker: _Marker) -> tuple[list[_Line], int]:
        """Return the lines of an item without its trailing blank ones, and the line after it."""
        inside = [self.line("" if marker.is_bare else lines[at].text[marker.width :])]
        paragraph = _OpenParagraph()
        paragraph.see(inside[0])
        end, kept = at + 1, 1
        while end < len(lines):
            line = lines[end]
            end += 1
            if line.is_blank:
                if len(inside) == 1 and marker.is_bare:
                    return inside[:kept], end - 1
                inside.append(self._blank)
                paragraph.is_open = False
                continue
            if line.indent >= marker.width:
                line = self.line(line.text[marker.width :])
            elif len(inside) == kept and paragraph.takes(line) and not line.marker:
                line = self.line(line.text.lstrip(SPACE)) if line.indent else line
            else:
                return inside[:kept], end - 1
            inside.append(line)
            paragraph.see(line)
            kept = len(inside)
        return inside[:kept], end

    def _count_columns(self, lines: list[_Line], at: int) -> int:
        """Return the number of columns of the table that begins at a line, 0 if none does."""
        if "|" not in lines[at].text or at + 1 == len(lines) or "-" not in lines[at + 1].text:
            return 0
        delimiters = _split_cells(lines[at + 1].text)
        if not all(_DELIMITER.fullmatch(cell.strip(SPACE)) for cell in delimiters):
            return 0
        return len(delimiters) if len(_split_cells(lines[at].text)) == len(delimiters) else 0

    def _end_of_table(self, lines: list[_Line], at: int, columns: int) -> int:
        left, end = ADDED_CELLS_MAX, at + 2
        while end < len(lines) and not lines[end].is_blank and not lines[end].interrupts:
            left -= max(0, columns - len(_split_cells(lines[end].text)))
            if left < 0:
                break
            end += 1
        return end

    def _read_paragraph(self, lines: list[_Line], at: int, base: int, depth: int, is_item: bool) -> int:
        end = at + 1
        while end < len(lines) and not lines[end].is_blank:
            line = lines[end]
            if line.indent < 4 and _UNDERLINE.fullmatch(line.text.strip(SPACE)):
                return end + 1  # a heading
            if line.interrupts if depth < NESTING_MAX else line.fence:
                break
            end += 1
        if is_item:
            self._add_item([line.text.strip(SPACE) for line in lines[at:end]], lines[at], base + at)
        return end

    def _add_item(self, texts: list[str], first: _Line, number: int) -> None:
        beginning = first.text.lstrip(SPACE)
        found = _TASK.match(beginning if len(texts) > 1 else texts[0])
        if found:
            position = self._ends[number] - len(beginning) + 1
            text = " ".join([texts[0][3:], *texts[1:]]).strip(SPACE)
            self.items.append(Item(position, text, found[1] != " "))


def _split_lines(text: str) -> Iterator[tuple[str, int]]:
    """Yield each line with the position of its end."""
    start = 0
    for newline in _NEWLINE.finditer(text):
        yield text[start : newline.start()], newline.start()
        start = newline.end()
    yield text[start:], len(text)


def find_items(text: str) -> list[Item]:
    """Return the task-list items of a Markdown text, in its order."""
    if not _CANDIDATE.search(text):
        return []
    lines = list(_split_lines(text))
    scanner = _Scanner([end for _, end in lines])
    scanner.scan([scanner.line(_expand_tabs(line)) for line, _ in lines], 0, 0)
    return scanner.items


def set_mark(text: str, item: Item, done: bool) -> str:
    """Return a text in which the mark of one of its items is set; nothing else changes."""
    return text if item.done == done else text[: item.position] + ("x" if done else " ") + text[item.position + 1 :]


def count(items: Iterable[Item]) -> tuple[int, int]:
    """Return the number of done items, and of all."""
    states = [item.done for item in items]
    return sum(states), len(states)
