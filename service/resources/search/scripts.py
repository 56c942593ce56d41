"""Indexing of scripts without spaces between words, such as Chinese and Japanese.

Only a dictionary can find word boundaries in these scripts. So each character is indexed as a word, and a search for
several characters is a search for a phrase, which also finds words inside a longer run of characters.
"""

import re

BOUNDARY = "\x1f"  # one byte long, separates words in the index, and never part of an indexed text

_LETTERS = "".join(
    [
        "\u0e00-\u0eff",  # Thai, Lao
        "\u1000-\u109f",  # Burmese
        "\u1780-\u17ff",  # Khmer
        "\u2e80-\u9fff",  # Chinese, Japanese: radicals, kana, bopomofo, ideographs
        "\uac00-\ud7ff",  # Korean, whose spaces separate groups of words
        "\uf900-\ufaff",  # compatibility ideographs
        "\uff66-\uffdc",  # half-width forms
        "\U00020000-\U0003ffff",  # rare ideographs
    ]
)
_SEAM = re.compile(rf"(?<=[{_LETTERS}])(?=\S)|(?<=\S)(?=[{_LETTERS}])")


def separate_scripts(text: str) -> str:
    """Return the text with a boundary before and after each character of a script without spaces."""
    return text if text.isascii() else _SEAM.sub(BOUNDARY, text)


def join_scripts(text: str) -> str:
    """Return the original text, without the boundaries of `separate_scripts`."""
    return text.replace(BOUNDARY, "")
