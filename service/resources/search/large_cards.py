"""Search in large cards, whose texts are in several rows of the index, so that each word can be in another row."""

from collections.abc import Sequence
from functools import cached_property

import orjson

from ...database.queries import sql
from ...database.store import Tx
from ...schemas import json_text
from .card_texts import span
from .words import SearchTerms

AMONG_MAX = 1000  # cards to which the next word is narrowed; more are compared faster than looked up
NONE = "[]"


class LargeMatches:
    """The large cards of an organization that match a query, as JSON lists of their numbers, read when needed."""

    def __init__(self, tx: Tx, terms: SearchTerms, numbers: "sql.search.NumberRangeRow") -> None:
        """Begin without reading; `numbers` is the range of the numbers of the organization."""
        self._tx, self._terms = tx, terms
        self._span = span(**numbers)

    @cached_property
    def all(self) -> str:
        """The cards that have all words, each in any row."""
        has_large_cards = self._tx.value(sql.search.has_large_cards, **self._span)
        return self._find(self._terms.phrases) if has_large_cards else NONE

    def list_group(self, place: int) -> str:
        """Return the cards in one of the groups of `SearchTerms`."""
        if self.all == NONE:
            return NONE
        if place == 0:
            return self._in_title
        return _subtract(self._in_fields, self._in_title) if place == 1 else _subtract(self.all, self._in_fields)

    @cached_property
    def _in_title(self) -> str:
        return self._find(self._terms.groups[:1], among=self.all)

    @cached_property
    def _in_fields(self) -> str:
        return self._find(self._terms.phrases_in_fields, among=self.all)

    def _find(self, expressions: Sequence[str], among: str | None = None) -> str:
        """Return the cards that have a match of each expression, each in any row; long words come first."""
        first, *others = sorted(expressions, key=len, reverse=True)  # long words are rare
        found = self._list(first, among)
        for expression in others:
            found = NONE if found == NONE else _intersect(found, self._list(expression, among=found))
        return found

    def _list(self, expression: str, among: str | None) -> str:
        few = among if among is not None and among.count(",") < AMONG_MAX else None
        numbers: str = self._tx.value(sql.search.list_large_numbers, match=expression, among=few, **self._span)
        return numbers


def _intersect(numbers: str, others: str) -> str:
    return json_text(list(set(orjson.loads(numbers)).intersection(orjson.loads(others))))


def _subtract(numbers: str, others: str) -> str:
    return json_text(list(set(orjson.loads(numbers)).difference(orjson.loads(others))))
