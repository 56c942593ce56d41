"""Mentions: `@handle` and `@agentId` in comments and rich texts."""

import re
from collections.abc import Iterator
from typing import Literal

from ..auth.context import Call
from ..database.queries import sql
from ..schemas import Output, json_text
from ..text.addresses import remove_addresses
from ..text.checklists import BLANKS, ITEM, scan_lines
from ..text.word_borders import continues_word

NAMES_MAX = 50  # different names after an @ that are looked up in a text; later ones mention nobody
BEGINNINGS_MAX = 8  # of a name with many separators: the longest and the shortest ones
_AT_SIGNS = "@\uff20"  # the second one is that of Chinese and Japanese input methods
_NAME = re.compile(rf"(?<![.{_AT_SIGNS}])[{_AT_SIGNS}](?P<name>[A-Za-z0-9][A-Za-z0-9_.:@-]{{0,127}})")
_MARKERS = re.compile(r"(?: {0,3}> ?| {0,3}(?:[-*+]|[0-9]{1,9}[.)]) +){0,12}")
_CODE_INDENT = re.compile(r" {4,}| {0,3}\t")
_MARKS = re.compile(r"\\?(`+|<!--)")
_COMMENT = re.compile(r" {0,3}<!--")


class Mention(Output):
    """A member or an agent of the organization that a text mentions."""

    type: Literal["User", "Agent"]
    id: str
    label: str


def find_mentions(call: Call, text: str) -> str | None:
    """Return whom a text mentions, in its order, as the JSON list of [type, id] that is stored; None if nobody."""
    names = _list_candidates(text) if any(sign in text for sign in _AT_SIGNS) else []
    if not names:
        return None
    spellings = list(dict.fromkeys(spelling for candidates in names for spelling in candidates))
    targets: dict[str, list[str]] = {}
    for row in call.tx.all(sql.mentions.list_targets, org_id=call.org_id, names=json_text(spellings)):
        targets.setdefault(row["name"], [row["type"], row["id"]])  # people come first
    found = [next((targets[name] for name in candidates if name in targets), None) for candidates in names]
    unique = list(dict.fromkeys(tuple(target) for target in found if target))
    return json_text(unique) if unique else None


def _list_candidates(text: str) -> list[list[str]]:
    """Return for each name after an @, outside of code and addresses, its possible beginnings, the longest first."""
    words: dict[str, list[str]] = {}
    for part in _without_code(text):
        for word, following in _find_names(remove_addresses(part)):
            if word not in words and len(words) < NAMES_MAX:
                words[word] = list(_list_beginnings(word, following))
    return list(words.values())


def _find_names(text: str) -> Iterator[tuple[str, str]]:
    """Yield each name after an @ that is no part of a word, with the character behind it."""
    found = _NAME.search(text)
    while found:
        is_inside = continues_word(text[max(0, found.start() - 1) : found.start()])
        if not is_inside:
            yield found["name"], text[found.end() : found.end() + 1]
        found = _NAME.search(text, found.start() + 1 if is_inside else found.end())


def _list_beginnings(word: str, following: str) -> Iterator[str]:
    ends = [end for end in range(len(word), 0, -1) if _ends_name((word + following)[end : end + 1])]
    for end in dict.fromkeys(ends[:BEGINNINGS_MAX] + ends[-BEGINNINGS_MAX:]):
        yield word[:end]
        yield word[:end].lower()  # handles have no capitals


def _ends_name(following: str) -> bool:
    return following != "-" and not continues_word(following)


def _without_code(text: str) -> Iterator[str]:
    """Yield the paragraphs of a Markdown text without code and comments."""
    is_after_blank, is_in_list = True, False
    paragraph: list[str] = []
    for line, is_fenced in _without_comments(text):
        prefix = _MARKERS.match(line)[0]  # type: ignore[index]  # it matches everything
        is_blank = not line[len(prefix) :].strip()
        begins_item = ITEM.match(line) is not None or prefix.strip(" >") != ""
        is_indented = is_after_blank and not is_in_list and not prefix and _CODE_INDENT.match(line) is not None
        is_code = is_fenced or (is_indented and not begins_item)
        if is_code or is_blank or begins_item:
            yield _without_spans("\n".join(paragraph))
            paragraph = []
        if not is_code and not is_blank:
            paragraph.append(line[len(prefix) :])
            is_in_list = begins_item or bool(prefix) or (is_in_list and line[:1] in BLANKS)
        is_after_blank = is_blank or is_code
    yield _without_spans("\n".join(paragraph))


def _without_comments(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines without comments of several lines, and whether each is fenced code."""
    last_end, is_comment = text.rfind("-->"), False
    for start, line, is_fenced, _ in scan_lines(text):
        rest = line[len(_MARKERS.match(line)[0]) :]  # type: ignore[index]  # it matches everything
        if is_comment:
            _, mark, rest = line.partition("-->")
            is_comment = not mark
            yield rest, False
        elif not is_fenced and _COMMENT.match(rest) and "-->" not in rest[2:] and start < last_end:
            is_comment = True
            yield "", False
        else:
            yield line, is_fenced


def _without_spans(text: str) -> str:
    """Return a paragraph with a backtick in place of each code span and comment."""
    marks = list(_MARKS.finditer(text))
    later: dict[str, list[int]] = {}  # the ends of equal runs of backticks, the last first
    for mark in reversed(marks):
        later.setdefault(mark[1], []).append(mark.end())
    parts, end, last_end = [], 0, text.rfind("-->")
    for mark in marks:
        ends = later[mark[1]]
        ends.pop()  # this mark
        is_comment = mark[1] == "<!--"
        has_end = mark.start() + 2 <= last_end if is_comment else bool(ends)
        if mark.start() < end or mark[0][0] == "\\" or not has_end:
            continue
        parts.append(text[end : mark.start()] + "`")
        end = text.index("-->", mark.start() + 2) + 3 if is_comment else ends[-1]
    return "".join(parts) + text[end:]
