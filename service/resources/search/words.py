"""Translation of search queries to FTS5 expressions. Text of a query is never interpreted as FTS5 syntax."""

import re
import unicodedata
from dataclasses import dataclass

from .scripts import BOUNDARY, separate_scripts

PREFIX_LETTERS_MIN = 2  # a single letter would match half of all words
_PIECE = re.compile(r'"([^"]*)"?|([^\s"]+)')


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """FTS5 expression of a query, and the same matches in three disjoint groups, best first."""

    anywhere: str
    groups: tuple[str, str, str]  # all in the title; all in title and field values; the rest


def parse_query(text: str) -> SearchTerms | None:
    """Return the terms of a query, or None if it has no word.

    All words must match, quotes make a phrase, and the last word may be unfinished.
    """
    phrases = [phrase for piece in _PIECE.finditer(text) if (phrase := _phrase(piece, len(text)))]
    if not phrases:
        return None
    everything = f"({' AND '.join(phrases)})"
    title, fields = f"(title : {everything})", f"({{title fields}} : {everything})"
    return SearchTerms(everything, (title, f"{fields} NOT {title}", f"{everything} NOT {fields}"))


def _phrase(piece: re.Match[str], end: int) -> str:
    """Return an FTS5 phrase. It contains only letters and digits, so that no text can end the quotes."""
    text = "".join(character if _is_word_character(character) else " " for character in piece[1] or piece[2] or "")
    words = separate_scripts(text).replace(BOUNDARY, " ").split()
    if not any(unicodedata.category(character)[0] in "LN" for word in words for character in word):
        return ""
    unfinished = piece[2] and piece.end() == end and len(words[-1]) >= PREFIX_LETTERS_MIN
    return f'"{" ".join(words)}"' + ("*" if unfinished else "")


def _is_word_character(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNM"
