"""Lists of a Trello board: their limits, and which of them hold finished cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

from .export import Record

DONE_TITLES = ("done", "complete", "completed", "finished", "closed")
LIMIT_MAX = 1 << 31
CONNECTED_MAX = 100  # lists with a move to each other one; all pairs of 200 would be 39,800 transitions


class UnknownList(Exception):
    """A name is not the title of a list of the board; the message says which lists it has."""


class DoneLists:
    """The titles of the lists that are done; None: those whose title without signs is one of DONE_TITLES."""

    def __init__(self, titles: Sequence[str] | None) -> None:
        self._titles = None if titles is None else {_normalize(title): title for title in titles if title.strip()}

    def includes(self, title: str) -> bool:
        """Return whether a list of this title is done."""
        return has_done_title(title) if self._titles is None else _normalize(title) in self._titles

    def require_known(self, existing: Iterable[str]) -> None:
        """Raise UnknownList if a title is not that of a list."""
        lists = list(existing)
        known = set(map(_normalize, lists))
        for name, title in (self._titles or {}).items():
            if name not in known:
                titles = ", ".join(title[:200] for title in lists[:20])
                raise UnknownList(f"The board has no list “{title[:200]}”. Name one of its lists: {titles}.")


def has_done_title(title: str) -> bool:
    """Return whether a title, without signs such as ✅ or !, is one of DONE_TITLES."""
    letters = "".join(sign for sign in title if sign.isalpha() or sign.isspace() or sign.isdigit())
    return _normalize(letters) in DONE_TITLES


def _normalize(title: str) -> str:
    return " ".join(title.split()).casefold()


def read_limit(row: Record) -> int | None:
    """Return the limit of the cards in a list, None if it has none."""
    limit = row.get("softLimit")
    return limit if type(limit) is int and 0 < limit <= LIMIT_MAX else None


def list_moves(count: int) -> Iterator[tuple[int, int]]:
    """Yield transitions between open lists as pairs of positions: all of the first 100, then those of neighbors."""
    yield from permutations(range(min(count, CONNECTED_MAX)), 2)
    for place in range(CONNECTED_MAX, count):
        yield place - 1, place
        yield place, place - 1
