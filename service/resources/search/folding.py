"""Folding of indexed texts: words are compared as names are, and a hit is shown where it is in the original text.

A text is folded in small pieces, so that each position in the folded text has one in the original.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate

from ...text.comparison import fold_text

# What may combine with the character before it: marks, also of Hangul and half-width kana. Other signs do no harm, but
# punctuation would lengthen hits. A run is limited, since the time to normalize it grows with the square of its length.
_MARK = r"(?:[^\w\s\x00-\xbf\u2000-\u206f\u3000-\u3029]|[\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f])"
_MARKED = re.compile(rf"([\s\S]{_MARK}{{1,30}})")


class _Characters(dict[int, str]):
    """The folded form of each character, as far as characters were needed."""

    def __missing__(self, code: int) -> str:
        folded = fold_text(chr(code))
        if code <= 0xFFFF:  # rare characters are not kept, so that nobody can fill the memory
            self[code] = folded
        return folded


_characters = _Characters()


def fold_for_index(text: str) -> str:
    """Return a text as it is indexed and searched."""
    return text.lower() if text.isascii() else "".join(folded for _, folded in _fold_parts(text))


def find_original_positions(text: str, hits: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the [start, end) positions in a text of those in its folded form."""
    pieces = [(0, 0), *(piece for part in _fold_parts(text) for piece in _measure(*part))]
    original = list(accumulate(length for length, _ in pieces))
    folded = list(accumulate(length for _, length in pieces))

    def convert(position: int, is_end: bool) -> int:
        piece = bisect_right(folded, position)
        offset = position - folded[piece - 1]
        if not offset or pieces[piece][0] == pieces[piece][1]:
            return original[piece - 1] + offset
        return original[piece] if is_end else original[piece - 1]

    return [(convert(start, False), convert(end, True)) for start, end in hits]


def _fold_parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a text, each with its folded form: by turns without marks, and a character with its marks."""
    for index, part in enumerate(_MARKED.split(text)):
        yield part, fold_text(part) if index % 2 else part.translate(_characters)


def _measure(part: str, folded: str) -> Iterator[tuple[int, int]]:
    """Yield the lengths of pieces of a part and of their folded forms; no character is folded to nothing."""
    if len(part) == len(folded) or _MARKED.fullmatch(part):
        yield len(part), len(folded)
    elif len(part) == 1:
        yield 1, len(folded)
    else:
        for half in (part[: len(part) // 2], part[len(part) // 2 :]):
            yield from _measure(half, half.translate(_characters))
