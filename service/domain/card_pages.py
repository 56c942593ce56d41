"""The ids of the cards on one page of a filtered list, and the number of matching cards.

The cost of a query depends on the size of the page, not on the size of the organization. For one filter (column, card
type, priority or assignee) an index returns the cards in rank order. Several filters are answered in one of two ways:
scan the cards in rank order until the page is full, which reads about `(offset + limit) * active / total` cards, or
read and sort all `total` cards that the most selective filter leaves. `_is_dense` chooses the cheaper one.

A part of a title is looked up, folded, in the trigram index (search/texts.py), which returns candidates; their titles
are then folded and compared. Parts shorter than a trigram, and parts with too many candidates, are compared with every
title.
"""

from typing import Any

from ..auth.context import Call
from ..database.queries import Statement, sql
from ..schemas import json_text

# Statements for lists without filters, by sort order; each uses an index.
LISTS_BY_SORT: dict[str, Statement] = {
    "rank": sql.cards.list_of_organization,
    "-updatedAt": sql.cards.list_by_change,
    "dueDate": sql.cards.list_by_due_date,
    "priority": sql.cards.list_by_urgency,
}
# Statements for lists with one filter, in rank order; each uses an index.
LISTS_BY_FILTER: dict[str, Statement] = {
    "card_type_id": sql.cards.list_of_type,
    "assigned_agent_id": sql.cards.list_of_agent,
    "assigned_user_id": sql.cards.list_of_user,
}
URGENCIES = {"urgent": 0, "high": 1, "medium": 2, "low": 3, "none": 4}  # values of the column cards.urgency
SORTS_BY_RANK = ("rank", "priority")  # sort orders in which cards of one priority are in rank order
LOCATION_FILTERS = ("project_id", "column_id")  # filters for which each column stores its number of cards
COUNTED_FILTERS = (
    "card_type_id",
    "priority",
    "assigned_agent_id",
    "assigned_user_id",
)  # filters for which the number of cards per value is stored
# Filters with an index, the usually most selective one first.
INDEXED_FILTERS = (
    "claimed_by",
    "assigned_agent_id",
    "assigned_user_id",
    "column_id",
    "project_id",
    "card_type_id",
    "priority",
)
TRIGRAM_CHARACTERS = 3
TITLE_PART_CHARACTERS_MAX = 24  # used for the index lookup; the comparison of titles uses the whole part
TITLE_CANDIDATES_MAX = 500  # beyond that, all titles are compared


def find_page(call: Call, filters: dict[str, Any], sort: str, limit: int, offset: int) -> tuple[list[str], int]:
    """Return the ids of the cards on a page, in order, and the number of cards that match the filters."""
    candidates = _find_title_candidates(call, filters["title_part"])
    total = _count_matches(call, filters, candidates)
    if offset >= total:
        return [], total
    return _find_card_ids(call, filters, candidates, sort, total, limit=limit, offset=offset), total


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


def _count_matches(call: Call, filters: dict[str, Any], candidates: str | None) -> int:
    """Count the matching cards; triggers maintain the counts per column and per value of a single filter."""
    org_id, single = call.org_id, _get_single_filter(filters)
    if not _has_filters_besides(filters, *LOCATION_FILTERS):
        return _count_cards(call, **{name: filters[name] for name in LOCATION_FILTERS})
    if single in COUNTED_FILTERS:
        return int(call.tx.value(sql.cards.count_by_filter, org_id=org_id, filter=single, value=filters[single]) or 0)
    if single == "title_part" and candidates is None:
        return int(call.tx.value(sql.cards.count_by_title, org_id=org_id, title_part=filters["title_part"]))
    where = {**filters, **_choose_index(call, filters, candidates)}
    return int(call.tx.value(sql.cards.count, org_id=org_id, **where))


def _get_single_filter(filters: dict[str, Any]) -> str | None:
    """Return the name of the filter if exactly one is set, else None."""
    given = [name for name, value in filters.items() if value is not None]
    return given[0] if len(given) == 1 else None


def _get_urgency(filters: dict[str, Any]) -> int | None:
    return None if filters["priority"] is None else URGENCIES[filters["priority"]]


def _count_cards(call: Call, project_id: str | None = None, column_id: str | None = None) -> int:
    where = {"project_id": project_id, "column_id": column_id}
    return int(call.tx.value(sql.columns.count_all_cards, org_id=call.org_id, **where))


def _has_filters_besides(filters: dict[str, Any], *names: str) -> bool:
    """Return whether filters other than the given ones are set."""
    return any(value is not None for name, value in filters.items() if name not in names)


def _choose_index(call: Call, filters: dict[str, Any], candidates: str | None) -> dict[str, Any]:
    """Return the parameters that select the index for a filtered query."""
    given = [name for name in INDEXED_FILTERS if filters[name] not in (None, "none")]  # most cards have no priority
    narrowest = "titled" if candidates is not None else given[0] if given else "org_id"
    return {"narrowest": narrowest, "titled": candidates, "urgency": _get_urgency(filters), "now": call.now}


def _find_card_ids(
    call: Call, filters: dict[str, Any], candidates: str | None, sort: str, total: int, **page: int
) -> list[str]:
    where, single = {"org_id": call.org_id, **page}, _get_single_filter(filters)
    if sort in LISTS_BY_SORT and not _has_filters_besides(filters):
        rows = call.tx.all(LISTS_BY_SORT[sort], **where)
    elif sort in SORTS_BY_RANK and single == "priority" and filters["priority"] != "none":
        rows = call.tx.all(sql.cards.list_of_urgency, urgency=_get_urgency(filters), **where)
    elif sort == "rank" and single is not None and single in LISTS_BY_FILTER:
        rows = call.tx.all(LISTS_BY_FILTER[single], **where, **{single: filters[single]})
    elif sort == "rank" and _is_dense(call, filters, total, **page):
        others = {name: value for name, value in filters.items() if name != "claimed_by"}
        rows = call.tx.all(sql.cards.list_by_rank, **where, **others)
    else:
        rows = call.tx.all(
            sql.cards.list_sorted, **where, **filters, **_choose_index(call, filters, candidates), sort=sort
        )
    return [row["id"] for row in rows]


def _is_dense(call: Call, filters: dict[str, Any], total: int, limit: int, offset: int) -> bool:
    """Return whether scanning in rank order reads fewer cards than sorting all matching ones."""
    if filters["claimed_by"] is not None:
        return False
    return not _has_filters_besides(filters, *LOCATION_FILTERS) or total * total > (offset + limit) * _count_cards(call)
