"""Scripts that are written without blanks between words, as Chinese and Japanese are.

Where a word begins and ends in them only a dictionary knows, and no two agree. So each character is indexed as a word
of its own, and what is searched for is found as a phrase of them: any word inside a run, whatever stands around it.
"""

import re

BOUNDARY = "\x1f"  # takes one byte, ends words in the index, and is in none of its texts otherwise

_LETTERS = "".join(
    [
        "\u0e00-\u0eff",  # Thai, Lao
        "\u1000-\u109f",  # Burmese
        "\u1780-\u17ff",  # Khmer
        "\u2e80-\u9fff",  # Chinese, Japanese: radicals, kana, bopomofo, ideographs
        "\uac00-\ud7ff",  # Korean, whose blanks stand between groups of words
        "\uf900-\ufaff",  # ideographs for compatibility
        "\uff66-\uffdc",  # half as wide
        "\U00020000-\U0003ffff",  # rare ideographs
    ]
)
_SEAM = re.compile(rf"(?<=[{_LETTERS}])(?=\S)|(?<=\S)(?=[{_LETTERS}])")


def separate_scripts(text: str) -> str:
    """Set a boundary before and after each character of such a script; any other text stays as it is."""
    return text if text.isascii() else _SEAM.sub(BOUNDARY, text)


def whole(text: str) -> str:
    """Give a text as it was before it was set apart."""
    return text.replace(BOUNDARY, "")
