"""The ids of the cards on one page of a filtered list, and the number of matching cards.

The cost of a query depends on the size of the page, not on the size of the organization. For one value of one filter
(card type, priority or assignee) an index returns the cards in rank order. Others are answered in one of two ways: scan
the cards in rank order until the page is full, which reads about `(offset + limit) * active / total` cards, or read and
sort all `total` cards that the most selective filter leaves. `_is_dense` chooses the cheaper one.

A part of a title is looked up, folded, in the trigram index (search/texts.py), which returns candidates; their titles
are then folded and compared. Parts shorter than a trigram, and parts with too many candidates, are compared with every
title.
"""

from dataclasses import dataclass, replace
from typing import Any

from ..auth.context import Call
from ..database.queries import sql
from ..database.statement import Row, Statement
from ..schemas import json_text
from .card_filters import Filters

# Statements for lists without filters, by sort order; each uses an index.
LISTS_BY_SORT: dict[str, Statement[Row]] = {
    "rank": sql.cards.list_of_organization,
    "-updatedAt": sql.cards.list_by_change,
    "dueDate": sql.cards.list_by_due_date,
    "priority": sql.cards.list_by_urgency,
}
# Parameter and column of the filters whose values have a statement for lists in rank order, which uses an index.
LISTS_BY_VALUE: dict[str, tuple[str, Statement[Row]]] = {
    "card_type_ids": ("card_type_id", sql.cards.list_of_type),
    "assigned_agent_ids": ("assigned_agent_id", sql.cards.list_of_agent),
    "assigned_user_ids": ("assigned_user_id", sql.cards.list_of_user),
}
URGENCIES = {"urgent": 0, "high": 1, "medium": 2, "low": 3, "none": 4}  # values of the column cards.urgency
SORTS_BY_RANK = ("rank", "priority")  # sort orders in which cards of one priority are in rank order
LOCATION_FILTERS = ("project_ids", "column_ids")  # filters for which each column stores its number of cards
# Filters for which the number of cards per value is stored, and its name in card_counts.
COUNTED_FILTERS = {
    "card_type_ids": "card_type_id",
    "priorities": "priority",
    "assigned_agent_ids": "assigned_agent_id",
    "assigned_user_ids": "assigned_user_id",
}
RANKED_FILTERS = (*LOCATION_FILTERS, *COUNTED_FILTERS, "title_part")  # of lists that are scanned in rank order
# Filters with an index, the usually most selective one first.
INDEXED_FILTERS = (
    "archived",
    "titled",
    "claimed_by_ids",
    "assigned_agent_ids",
    "assigned_user_ids",
    "column_ids",
    "field_card_ids",
    "due",
    "project_ids",
    "card_type_ids",
    "priorities",
    "updated_since",
)
# Values that an index leaves out, since most cards have them.
COMMON_VALUES = {"assigned_agent_ids": "", "assigned_user_ids": "", "priorities": "none"}
TRIGRAM_CHARACTERS = 3
TITLE_PART_CHARACTERS_MAX = 24  # used for the index lookup; the comparison of titles uses the whole part
TITLE_CANDIDATES_MAX = 500  # beyond that, all titles are compared


def find_page(call: Call, filters: Filters, sort: str, limit: int, offset: int) -> tuple[list[str], int]:
    """Return the ids of the cards on a page, in order, and the number of cards that match the filters.

    `filters` are those of `card_filters.resolve`, `archived`, and `title_part`: a part of the title, folded.
    """
    search = _prepare(call, filters)
    total = _count_matches(search)
    if offset >= total:
        return [], total
    return _find_card_ids(search, sort, total, limit=limit, offset=offset), total


def find_active_ids(call: Call, filters: Filters, candidates: list[str] | None) -> str:
    """Return the ids of all active cards that match the filters of `card_filters.resolve`, as a sorted JSON list.

    With `candidates`, only these cards are read, which should be few.
    """
    search = _prepare(call, filters | {"archived": False, "title_part": None})
    search = replace(search, titled=None if candidates is None else json_text(candidates))
    parameters = search.select(sql.cards.list_sorted, **_choose_index(search), sort=None, limit=-1, offset=0)
    return json_text(list(call.tx.values(sql.cards.list_sorted, **parameters)))  # their number has no limit


@dataclass(frozen=True)
class _Search:
    """Filters of a list: all parameters, the names of those that are set, and candidates by their texts."""

    call: Call
    filters: Filters
    given: set[str]
    titled: str | None

    def select(self, statement: Statement[Row], **others: Any) -> dict[str, Any]:
        """Return the parameters of a statement: those of the filters, sets of values as JSON lists, and `others`."""
        values = {**self.filters, "org_id": self.call.org_id, **others}
        parameters = ((name, values[name]) for name in statement.parameters)
        return {name: json_text(value) if isinstance(value, tuple) else value for name, value in parameters}

    def read_number(self, statement: Statement[Row], **others: Any) -> int:
        """Return the number that a statement counts."""
        return int(self.call.tx.value(statement, **self.select(statement, **others)))

    def is_only(self, *names: str) -> bool:
        """Return whether no other filters than these are set."""
        return self.given <= set(names)

    def get_single(self) -> tuple[str, str]:
        """Return name and value of the filter if exactly one is set, with exactly one value; else two empty texts."""
        values = [(name, self.filters[name]) for name in self.given]
        is_single = len(values) == 1 and isinstance(values[0][1], tuple) and len(values[0][1]) == 1
        return (values[0][0], str(values[0][1][0])) if is_single else ("", "")


def _prepare(call: Call, filters: Filters) -> _Search:
    given = {name for name, value in filters.items() if value is not None and value is not False}
    return _Search(call, filters, given, _find_title_candidates(call, filters["title_part"]))


def _find_title_candidates(call: Call, part: str | None) -> str | None:
    """Return a JSON list of the ids of cards whose titles may contain a text; None if the index cannot narrow them."""
    if part is None or len(part) < TRIGRAM_CHARACTERS:
        return None
    match = " AND ".join(
        f'"{letters.replace(chr(34), chr(34) * 2)}"' for letters in _split_trigrams(part[:TITLE_PART_CHARACTERS_MAX])
    )
    rows = call.tx.all(sql.search.list_by_title, org_id=call.org_id, match=match, limit=TITLE_CANDIDATES_MAX + 1)
    return json_text([row["card_id"] for row in rows]) if len(rows) <= TITLE_CANDIDATES_MAX else None


def _split_trigrams(part: str) -> list[str]:
    """Split a part of a title into trigrams that cover all of it."""
    last = len(part) - TRIGRAM_CHARACTERS
    return [part[start : start + TRIGRAM_CHARACTERS] for start in [*range(0, last, TRIGRAM_CHARACTERS), last]]


def _count_matches(search: _Search) -> int:
    """Count the matching cards; triggers maintain the counts per column and per value of some filters."""
    if search.is_only(*LOCATION_FILTERS):
        return search.read_number(sql.columns.count_all_cards)
    for name, counted in COUNTED_FILTERS.items():
        if search.is_only(name) and "" not in search.filters[name]:
            return search.read_number(sql.cards.count_by_filter, filter=counted, values=search.filters[name])
    if search.is_only("title_part") and search.titled is None:
        return search.read_number(sql.cards.count_by_title)
    return search.read_number(sql.cards.count, **_choose_index(search))


def _choose_index(search: _Search) -> dict[str, Any]:
    """Return the parameters that select the index for a filtered query."""
    filters, due = search.filters, search.filters["due"] or ()
    urgencies = [URGENCIES[priority] for priority in filters["priorities"] or ()]
    return {
        "narrowest": next((name for name in INDEXED_FILTERS if _has_index(search, name)), "org_id"),
        "titled": search.titled,
        "urgencies": tuple(urgencies),
        "due_first": min((min(days["firstDay"], days["first"]) for days in due), default=None),
        "due_end": max((max(days["endDay"], days["end"]) for days in due), default=None),
        "now": search.call.now,
    }


def _has_index(search: _Search, name: str) -> bool:
    """Return whether an index has the cards that a filter leaves."""
    if name == "titled":
        return search.titled is not None
    if name not in search.given or (name == "due" and search.filters["due_none"]):
        return False
    return name not in COMMON_VALUES or COMMON_VALUES[name] not in search.filters[name]


def _find_card_ids(search: _Search, sort: str, total: int, **page: int) -> list[str]:
    statement, others = _choose_list(search, sort, total, **page)
    return [row["id"] for row in search.call.tx.all(statement, **search.select(statement, **others, **page))]


def _choose_list(search: _Search, sort: str, total: int, **page: int) -> tuple[Statement[Row], dict[str, Any]]:
    """Return the statement that lists the cards, and its own parameters."""
    name, value = search.get_single()
    if sort in LISTS_BY_SORT and not search.given:
        return LISTS_BY_SORT[sort], {}
    if sort in SORTS_BY_RANK and name == "priorities" and value != "none":
        return sql.cards.list_of_urgency, {"urgency": URGENCIES[value]}
    if sort == "rank" and name in LISTS_BY_VALUE and value:
        column, statement = LISTS_BY_VALUE[name]
        return statement, {column: value}
    if sort == "rank" and _is_dense(search, total, **page):
        return sql.cards.list_by_rank, {}
    return sql.cards.list_sorted, {**_choose_index(search), "sort": sort}


def _is_dense(search: _Search, total: int, limit: int, offset: int) -> bool:
    """Return whether scanning in rank order reads fewer cards than sorting all matching ones."""
    if search.is_only(*LOCATION_FILTERS):
        return True
    cards = search.read_number(sql.columns.count_all_cards, project_ids=None, column_ids=None)
    return search.is_only(*RANKED_FILTERS) and total * total > (offset + limit) * cards
