"""Comparison of texts that people and agents type: folding, normalization, blank texts.

The page folds texts in the same way (web/core/folding.js), by the same table.
"""

import re
import unicodedata
from functools import lru_cache

from .page_tables import read_page_table

# Longer texts are not normalized, since the time for it grows with the square of the number of combining marks. No name
# is as long: a title of 500 characters has at most 2,000 when it is decomposed.
NORMALIZED_CHARACTERS_MAX = 2000
CACHED_CHARACTERS_MAX = 500  # longer texts are no names, and could fill the memory
_INVISIBLE_CATEGORIES = {"Cc", "Cf", "Zs", "Zl", "Zp"}
_INVISIBLE_LETTERS = set("\u115f\u1160\u3164\uffa0\u2800")  # fillers of Hangul, and the empty Braille pattern

_table = read_page_table("folding-table")
_letter, _mark, _separator = (f"[{''.join(_table[name])}]" for name in ("letters", "marks", "separators"))
# A letter of a script whose marks are ignored, with its marks; й, ї and ў are letters of their own.
_MARKED = re.compile(f"({_table['kept']}|{_letter}(?={_mark})){_mark}*")
_REPLACED = str.maketrans(_table["replaced"])
_SEPARATORS = re.compile(f"{_separator}+")


def to_nfc(text: str) -> str:
    """Return a text in Unicode NFC, the form in which titles, names and tags are stored; a longer one unchanged."""
    is_unchanged = text.isascii() or len(text) > NORMALIZED_CHARACTERS_MAX
    return text if is_unchanged else unicodedata.normalize("NFC", text)


def is_blank(text: str) -> bool:
    """Return whether a text has no visible character."""
    return all(character in _INVISIBLE_LETTERS or _is_invisible(character) for character in text)


def _is_invisible(character: str) -> bool:
    return unicodedata.category(character) in _INVISIBLE_CATEGORIES


def fold_text(text: str) -> str:
    """Return the form in which texts are compared: case and accents do not count."""
    if text.isascii():
        return text.lower()
    if len(text) > NORMALIZED_CHARACTERS_MAX:
        return text.casefold()
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", _MARKED.sub(r"\1", folded)).translate(_REPLACED)


def fold_name(name: str) -> str:
    """Return the form in which names of columns, types and fields are compared: blanks, `_` and `-` count alike."""
    return _fold_known_name(name) if len(name) <= CACHED_CHARACTERS_MAX else _fold_separators(name)


@lru_cache(maxsize=4096)
def _fold_known_name(name: str) -> str:
    return _fold_separators(name)


def _fold_separators(name: str) -> str:
    return _SEPARATORS.sub(" ", fold_text(name)).strip(" ")
