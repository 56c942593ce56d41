"""Comparison of names that people and agents type (contract, section 8.1: comparison)."""

import re
import unicodedata
from functools import lru_cache

_SEPARATORS = re.compile(r"[\s_-]+")
_SCRIPTS = ("LATIN", "GREEK", "HEBREW", "ARABIC", "CYRILLIC")  # whose combining marks are ignored
_LETTERS = {"й", "ї", "ў"}  # letters of their own, although they can be written with a mark
_REPLACED = str.maketrans({"\u0131": "i", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe"})


@lru_cache(maxsize=4096)
def fold_name(name: str) -> str:
    """Return the form in which names are compared: case, accents, and blanks, `_` and `-` do not count."""
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return _SEPARATORS.sub(" ", _drop_marks(text).translate(_REPLACED)).strip()


def _drop_marks(text: str) -> str:
    if text.isascii():
        return text
    kept: list[str] = []
    is_dropping = False  # whether the last letter belongs to a script whose marks are ignored
    for character in text:
        if character in _LETTERS:
            kept.append(character)
            continue
        for part in unicodedata.normalize("NFD", character):
            if not unicodedata.combining(part):
                is_dropping = unicodedata.name(part, "").startswith(_SCRIPTS)
                kept.append(part)
            elif not is_dropping:
                kept.append(part)
    return unicodedata.normalize("NFC", "".join(kept))
