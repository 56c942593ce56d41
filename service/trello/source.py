"""The rows of a Trello export: each id once in each of its lists, and a check for each row, which can end the work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from . import export
from .comment import is_comment
from .export import Record

# The lists of an export, and what a row is called whose id an earlier row of its list has.
LISTS = {
    "lists": "repeated lists",
    "cards": "repeated cards",
    "checklists": "repeated checklists",
    "labels": "repeated labels",
    "members": "repeated members",
    "customFields": "repeated custom fields",
    "actions": "repeated comments",
}
Check = Callable[[], None]
T = TypeVar("T")


def check_nothing() -> None:
    """Let the work go on."""


class TrelloSource:
    """The export of a board. Rows refer to each other by id, so an id that repeats would multiply what is made."""

    def __init__(self, board: Record, check: Check = check_nothing) -> None:
        self.board = board
        self.check = check  # raises to end the work
        self.repeated: Counter[str] = Counter()  # rows that are left out
        self._rows = {key: list(self._find_unique(key)) for key in LISTS}

    def rows(self, key: str) -> Iterator[Record]:
        """Yield the rows of a list."""
        return self.each(self._rows[key])

    def count(self, key: str) -> int:
        """Return the number of rows of a list."""
        return len(self._rows[key])

    def each(self, items: Iterable[T]) -> Iterator[T]:
        """Yield items, with a check before each."""
        for item in items:
            self.check()
            yield item

    def _find_unique(self, key: str) -> Iterator[Record]:
        """Yield the rows without an id, and the first row of each id; of actions, only comments are compared."""
        seen: set[str] = set()
        for row in self.each(export.records(self.board, key)):
            row_id = "" if key == "actions" and not is_comment(row) else export.text(row, "id")
            if row_id and row_id in seen:
                self.repeated[LISTS[key]] += 1
                continue
            seen.add(row_id)
            yield row
