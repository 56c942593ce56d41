"""Borders of words, for scripts with and without blanks between words, by the table of the page (web/core/words.js)."""

import re
import unicodedata

from .page_tables import read_page_table

_table = read_page_table("words")
UNSPACED_LETTERS = "".join(_table["letters"])  # ranges for a pattern: letters of scripts without blanks between words
_UNSPACED = re.compile(f"[{UNSPACED_LETTERS}{''.join(_table['others'])}]")
_SIGNS = re.compile(f"[{''.join(_table['signs'])}]")


def continues_word(character: str) -> bool:
    """Return whether a character, or none, continues the word beside it."""
    if not character or character.isascii():
        return character.isalnum()
    return unicodedata.category(character)[0] in "LMN" and not _UNSPACED.match(character)


def is_foreign_punctuation(character: str) -> bool:
    """Return whether a character is punctuation beyond ASCII, which ends an address."""
    is_mark = unicodedata.category(character)[0] == "P" or _SIGNS.match(character) is not None
    return is_mark and not character.isascii()
