"""What somebody wrote into a search box, as expressions of the full-text index: their text is never syntax."""

import re
import unicodedata
from dataclasses import dataclass

from .scripts import BOUNDARY, separate_scripts

PREFIX_LETTERS_MIN = 2  # one alone would match half of all words
_PIECE = re.compile(r'"([^"]*)"?|([^\s"]+)')


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a text must match to be found, and the same in disjoint shares, best first."""

    anywhere: str
    shares: tuple[str, str, str]  # all in the title; all in title and field values; the rest


def wanted(text: str) -> Wanted | None:
    """Read a search: all words count, quotes make a phrase, the last word may be unfinished; None if it has no word."""
    phrases = [phrase for piece in _PIECE.finditer(text) if (phrase := _phrase(piece, len(text)))]
    if not phrases:
        return None
    everything = f"({' AND '.join(phrases)})"
    title, fields = f"(title : {everything})", f"({{title fields}} : {everything})"
    return Wanted(everything, (title, f"{fields} NOT {title}", f"{everything} NOT {fields}"))


def _phrase(piece: re.Match[str], end: int) -> str:
    """Write one piece as a phrase: between the quotes stand letters and digits only, so nothing can end them."""
    text = "".join(character if _belongs(character) else " " for character in piece[1] or piece[2] or "")
    words = separate_scripts(text).replace(BOUNDARY, " ").split()
    if not any(unicodedata.category(character)[0] in "LN" for word in words for character in word):
        return ""
    unfinished = piece[2] and piece.end() == end and len(words[-1]) >= PREFIX_LETTERS_MIN
    return f'"{" ".join(words)}"' + ("*" if unfinished else "")


def _belongs(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNM"
