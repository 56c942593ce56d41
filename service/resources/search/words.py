"""Translation of search queries to FTS5 expressions. Text of a query is never interpreted as FTS5 syntax."""

import re
import unicodedata
from dataclasses import dataclass

from .folding import fold_for_index
from .scripts import BOUNDARY, separate_scripts

WORDS_MAX = 10  # in a search; each reads its own list of the index
PREFIX_LETTERS_MIN = 2  # a single letter would match half of all words
PLURAL_LETTERS_MIN = 4
_PIECE = re.compile(r'"([^"]*)"?|([^\s"]+)')


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """FTS5 expression of a query, the same matches in three disjoint groups, best first, and its single phrases."""

    anywhere: str
    groups: tuple[str, str, str]  # all in the title; all in title and field values; the rest
    phrases: tuple[str, ...]  # all must match, each in any row of a large card
    ignored: tuple[str, ...]  # words of the query that are not searched

    @property
    def any_phrase(self) -> str:
        """Return the expression for rows with any of the phrases."""
        return " OR ".join(self.phrases)

    @property
    def phrases_in_fields(self) -> tuple[str, ...]:
        """Return the expressions for rows with each of the phrases in the title or a field value."""
        return tuple(f"{{title fields}} : ({phrase})" for phrase in self.phrases)


def parse_query(text: str) -> SearchTerms | None:
    """Return the terms of a query, or None if it has no word.

    All words must match, quotes make a phrase, and other words may be unfinished or in the plural. Of many words only
    the longest are searched.
    """
    words = {phrase: piece[1] or piece[2] for piece in _PIECE.finditer(text) if (phrase := _phrase(piece))}
    if not words:
        return None
    longest = set(sorted(words, key=lambda phrase: len(words[phrase]), reverse=True)[:WORDS_MAX])
    phrases = tuple(phrase for phrase in words if phrase in longest)
    ignored = tuple(word for phrase, word in words.items() if phrase not in longest)
    everything = f"({' AND '.join(phrases)})"
    title, fields = f"(title : {everything})", f"({{title fields}} : {everything})"
    groups = (title, f"{fields} NOT {title}", f"{everything} NOT {fields}")
    return SearchTerms(everything, groups, phrases, ignored)


def _phrase(piece: re.Match[str]) -> str:
    """Return an FTS5 phrase. It contains only letters and digits, so that no text can end the quotes."""
    folded = fold_for_index(piece[1] or piece[2] or "")
    text = "".join(character if _is_word_character(character) else " " for character in folded)
    words = separate_scripts(text).replace(BOUNDARY, " ").split()
    if not any(unicodedata.category(character)[0] in "LN" for word in words for character in word):
        return ""
    if not piece[2] or len(words[-1]) < PREFIX_LETTERS_MIN:
        return f'"{" ".join(words)}"'
    others = [f' OR "{other}"' for other in _list_other_numbers(words[0])] if len(words) == 1 else []
    return f'("{" ".join(words)}"*{"".join(others)})'


def _list_other_numbers(word: str) -> list[str]:
    """Return English singulars of a word that may be a plural, or plurals that do not begin with the word."""
    if word.endswith("y"):
        return [f"{word.removesuffix('y')}ies"]
    if len(word) < PLURAL_LETTERS_MIN or word.endswith(("ss", "us", "is")):
        return []
    endings = {"ies": "y", "es": "", "s": ""}
    return [word.removesuffix(ending) + new for ending, new in endings.items() if word.endswith(ending)]


def _is_word_character(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNM"
