"""Addresses in texts: what the page makes links of (web/markdown/inline.js)."""

import re

from .word_borders import continues_word, is_foreign_punctuation

_ADDRESS = re.compile(r"https?://(?:[!-;=?-~]|[^\x00-\x7f\s]){1,2000}")
# Where a link leads, `](address "title")`, and what defines one, `[label]: address`; the page does not show these.
_DESTINATION = re.compile(
    r"\]\(\s*+(?:<[^<>\n]*+>|(?!@)[^\s<>()]*+(?:\([^\s()]*+\)[^\s()]*+)*+)(?:\s++(?:\"[^\"]*+\"|'[^']*+'))?+\s*+\)"
)
_FOREIGN = re.compile(r"[^\x00-\x7f]")


def remove_addresses(text: str) -> str:
    """Return a text with a blank in place of each address, and of where each link leads."""
    if "](" in text:
        text = _DESTINATION.sub("] ", text)
    if "://" not in text:
        return text
    parts, end = [], 0
    for found in _ADDRESS.finditer(text):
        before = text[max(0, found.start() - 1) : found.start()]
        if continues_word(before) or before == "_" or found.start() < end:
            continue
        parts.append(text[end : found.start()])
        end = _find_end(text, found)
    return " ".join([*parts, text[end:]])


def _find_end(text: str, found: re.Match[str]) -> int:
    """Return the end of an address: before a blank, or before punctuation that is not ASCII."""
    foreign = _FOREIGN.finditer(text, found.start(), found.end())
    return next((one.start() for one in foreign if is_foreign_punctuation(one[0])), found.end())
