"""Pages of cards: which cards a page shows and how many there are, at the cost of what is shown, not of what there is.

An organization, a column, a type, a priority and an assignee have their cards in the order of their ranks by an
index, so those of a page are found without a look at others. Several filters at once are answered either along the
ranks or by a look at all that the narrowest of them leaves, which then is sorted. Which way is shorter the numbers
tell: in rank order a page is found after a look at some `reach * active / total` cards, to sort takes `total`.

Part of a title is found by the index of any three letters in a row (search/texts.py), which names a few cards that may
have it; what they are called then decides. Nothing is as quick for shorter parts, and for those that many cards have.
"""

from typing import Any

from ..auth.context import Call
from ..database.queries import Statement, sql
from ..schemas import json_text

# For a list without filters: the order by an index, whatever there is.
LISTS_BY_SORT: dict[str, Statement] = {
    "rank": sql.cards.list_of_organization,
    "-updatedAt": sql.cards.list_by_change,
    "dueDate": sql.cards.list_by_due_date,
    "priority": sql.cards.list_by_urgency,
}
# For a list with one filter, in rank order: likewise.
LISTS_BY_FILTER: dict[str, Statement] = {
    "card_type_id": sql.cards.list_of_type,
    "assigned_agent_id": sql.cards.list_of_agent,
    "assigned_user_id": sql.cards.list_of_user,
}
URGENCIES = {"urgent": 0, "high": 1, "medium": 2, "low": 3, "none": 4}  # as cards.urgency has them
SORTS_BY_RANK = ("rank", "priority")  # sorts that leave cards of one priority in the order of their ranks
LOCATION_FILTERS = ("project_id", "column_id")  # filters by which columns have counted their cards already
COUNTED_FILTERS = (
    "card_type_id",
    "priority",
    "assigned_agent_id",
    "assigned_user_id",
)  # those whose values are counted
# Filters with an index of their own, those first that as a rule leave fewest.
INDEXED_FILTERS = (
    "claimed_by",
    "assigned_agent_id",
    "assigned_user_id",
    "column_id",
    "project_id",
    "card_type_id",
    "priority",
)
TRIGRAM_CHARACTERS = 3  # in a row, by which the index of titles finds cards
TITLE_PART_CHARACTERS_MAX = 24  # of a part; what the titles say in full decides
TITLE_CANDIDATES_MAX = 500  # cards whose titles are looked at one by one


def find_page(call: Call, filters: dict[str, Any], sort: str, limit: int, offset: int) -> tuple[list[str], int]:
    """Find the cards of a page in their order, and how many cards the filters leave."""
    titled = _find_title_candidates(call, filters["title_part"])
    total = _count_matches(call, filters, titled)
    return _find_card_ids(
        call, filters, titled, sort, total, limit=limit, offset=offset
    ) if offset < total else [], total


def _find_title_candidates(call: Call, part: str | None) -> str | None:
    """Name the cards that may have a text in their titles, as JSON; None if that would be too many, or all."""
    if part is None or len(part) < TRIGRAM_CHARACTERS:
        return None
    match = " AND ".join(
        f'"{letters.replace(chr(34), chr(34) * 2)}"' for letters in _split_trigrams(part[:TITLE_PART_CHARACTERS_MAX])
    )
    rows = call.tx.all(sql.search.list_by_title, org_id=call.org_id, match=match, limit=TITLE_CANDIDATES_MAX + 1)
    return json_text([row["card_id"] for row in rows]) if len(rows) <= TITLE_CANDIDATES_MAX else None


def _split_trigrams(part: str) -> list[str]:
    """Cut a part of a title into what the index knows, without a gap."""
    last = len(part) - TRIGRAM_CHARACTERS
    return [part[start : start + TRIGRAM_CHARACTERS] for start in [*range(0, last, TRIGRAM_CHARACTERS), last]]


def _count_matches(call: Call, filters: dict[str, Any], titled: str | None) -> int:
    """Count the cards that the filters leave: of columns, and of each value of a filter, it is known (by triggers)."""
    org_id, only = call.org_id, _get_single_filter(filters)
    if not _has_filters_besides(filters, *LOCATION_FILTERS):
        return _count_cards(call, **{place: filters[place] for place in LOCATION_FILTERS})
    if only in COUNTED_FILTERS:
        return int(call.tx.value(sql.cards.count_by_filter, org_id=org_id, filter=only, value=filters[only]) or 0)
    if only == "title_part" and titled is None:
        return int(call.tx.value(sql.cards.count_by_title, org_id=org_id, title_part=filters["title_part"]))
    where = {**filters, **_choose_index(call, filters, titled)}
    return int(call.tx.value(sql.cards.count, org_id=org_id, **where))


def _get_single_filter(filters: dict[str, Any]) -> str | None:
    """Name the filter that is given, if it is just one."""
    given = [name for name, value in filters.items() if value is not None]
    return given[0] if len(given) == 1 else None


def _urgency(filters: dict[str, Any]) -> int | None:
    return None if filters["priority"] is None else URGENCIES[filters["priority"]]


def _count_cards(call: Call, project_id: str | None = None, column_id: str | None = None) -> int:
    where = {"project_id": project_id, "column_id": column_id}
    return int(call.tx.value(sql.columns.count_all_cards, org_id=call.org_id, **where))


def _has_filters_besides(filters: dict[str, Any], *places: str) -> bool:
    """Tell whether there are filters besides these."""
    return any(value is not None for name, value in filters.items() if name not in places)


def _choose_index(call: Call, filters: dict[str, Any], titled: str | None) -> dict[str, Any]:
    """Say by which index the cards that filters leave are looked for."""
    given = [name for name in INDEXED_FILTERS if filters[name] not in (None, "none")]  # most cards have no priority
    narrowest = "titled" if titled is not None else given[0] if given else "org_id"
    return {"narrowest": narrowest, "titled": titled, "urgency": _urgency(filters), "now": call.now}


def _find_card_ids(
    call: Call, filters: dict[str, Any], titled: str | None, sort: str, total: int, **page: int
) -> list[str]:
    where, only = {"org_id": call.org_id, **page}, _get_single_filter(filters)
    if sort in LISTS_BY_SORT and not _has_filters_besides(filters):
        rows = call.tx.all(LISTS_BY_SORT[sort], **where)
    elif sort in SORTS_BY_RANK and only == "priority" and filters["priority"] != "none":
        rows = call.tx.all(sql.cards.list_of_urgency, urgency=_urgency(filters), **where)
    elif sort == "rank" and only is not None and only in LISTS_BY_FILTER:
        rows = call.tx.all(LISTS_BY_FILTER[only], **where, **{only: filters[only]})
    elif sort == "rank" and _is_dense(call, filters, total, **page):
        known = {name: value for name, value in filters.items() if name != "claimed_by"}
        rows = call.tx.all(sql.cards.list_by_rank, **where, **known)
    else:
        rows = call.tx.all(sql.cards.list_sorted, **where, **filters, **_choose_index(call, filters, titled), sort=sort)
    return [row["id"] for row in rows]


def _is_dense(call: Call, filters: dict[str, Any], total: int, limit: int, offset: int) -> bool:
    """Tell whether a page is found sooner by a walk along the ranks than by sorting all that the filters leave."""
    if filters["claimed_by"] is not None:
        return False
    return not _has_filters_besides(filters, *LOCATION_FILTERS) or total * total > (offset + limit) * _count_cards(call)
