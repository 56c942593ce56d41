"""Indexing of scripts without spaces between words, such as Chinese and Japanese.

Only a dictionary can find word boundaries in these scripts. So each character is indexed as a word, and a search for
several characters is a search for a phrase, which also finds words inside a longer run of characters.
"""

import re

from ...text.word_borders import UNSPACED_LETTERS

BOUNDARY = "\x1f"  # one byte long, separates words in the index, and never part of an indexed text

_SEAM = re.compile(rf"(?<=[{UNSPACED_LETTERS}])(?=\S)|(?<=\S)(?=[{UNSPACED_LETTERS}])")


def separate_scripts(text: str) -> str:
    """Return the text with a boundary before and after each character of a script without spaces."""
    return text if text.isascii() else _SEAM.sub(BOUNDARY, text)


def join_scripts(text: str) -> str:
    """Return the original text, without the boundaries of `separate_scripts`."""
    return text.replace(BOUNDARY, "")
