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
SORTED: dict[str, Statement] = {
    "rank": sql.cards.list_of_organization,
    "-updatedAt": sql.cards.list_by_change,
    "dueDate": sql.cards.list_by_due_date,
    "priority": sql.cards.list_by_urgency,
}
# For a list with one filter, in rank order: likewise.
RANKED_BY: dict[str, Statement] = {
    "card_type_id": sql.cards.list_of_type,
    "assigned_agent_id": sql.cards.list_of_agent,
    "assigned_user_id": sql.cards.list_of_user,
}
URGENCIES = {"urgent": 0, "high": 1, "medium": 2, "low": 3, "none": 4}  # as cards.urgency has them
RANKED = ("rank", "priority")  # sorts that leave cards of one priority in the order of their ranks
PLACES = ("project_id", "column_id")  # filters by which columns have counted their cards already
COUNTED = ("card_type_id", "priority", "assigned_agent_id", "assigned_user_id")  # those whose values are counted
# Filters with an index of their own, those first that as a rule leave fewest.
NARROW = ("claimed_by", "assigned_agent_id", "assigned_user_id", "column_id", "project_id", "card_type_id", "priority")
TITLE_LETTERS = 3  # in a row, by which the index of titles finds cards
LETTERS_ASKED_MAX = 24  # of a part; what the titles say in full decides
TITLED_MAX = 500  # cards whose titles are looked at one by one


def found(call: Call, filters: dict[str, Any], sort: str, limit: int, offset: int) -> tuple[list[str], int]:
    """Find the cards of a page in their order, and how many cards the filters leave."""
    titled = _titled(call, filters["title_part"])
    total = _total(call, filters, titled)
    return _ids(call, filters, titled, sort, total, limit=limit, offset=offset) if offset < total else [], total


def _titled(call: Call, part: str | None) -> str | None:
    """Name the cards that may have a text in their titles, as JSON; None if that would be too many, or all."""
    if part is None or len(part) < TITLE_LETTERS:
        return None
    match = " AND ".join(f'"{letters.replace(chr(34), chr(34) * 2)}"' for letters in _letters(part[:LETTERS_ASKED_MAX]))
    rows = call.tx.all(sql.search.list_by_title, org_id=call.org_id, match=match, limit=TITLED_MAX + 1)
    return json_text([row["card_id"] for row in rows]) if len(rows) <= TITLED_MAX else None


def _letters(part: str) -> list[str]:
    """Cut a part of a title into what the index knows, without a gap."""
    last = len(part) - TITLE_LETTERS
    return [part[start : start + TITLE_LETTERS] for start in [*range(0, last, TITLE_LETTERS), last]]


def _total(call: Call, filters: dict[str, Any], titled: str | None) -> int:
    """Count the cards that the filters leave: of columns, and of each value of a filter, it is known (by triggers)."""
    org_id, only = call.org_id, _only(filters)
    if not _beyond(filters, *PLACES):
        return _held(call, **{place: filters[place] for place in PLACES})
    if only in COUNTED:
        return int(call.tx.value(sql.cards.count_by_filter, org_id=org_id, filter=only, value=filters[only]) or 0)
    if only == "title_part" and titled is None:
        return int(call.tx.value(sql.cards.count_by_title, org_id=org_id, title_part=filters["title_part"]))
    where = {**filters, **_narrowed(call, filters, titled)}
    return int(call.tx.value(sql.cards.count, org_id=org_id, **where))


def _only(filters: dict[str, Any]) -> str | None:
    """Name the filter that is given, if it is just one."""
    given = [name for name, value in filters.items() if value is not None]
    return given[0] if len(given) == 1 else None


def _urgency(filters: dict[str, Any]) -> int | None:
    return None if filters["priority"] is None else URGENCIES[filters["priority"]]


def _held(call: Call, project_id: str | None = None, column_id: str | None = None) -> int:
    where = {"project_id": project_id, "column_id": column_id}
    return int(call.tx.value(sql.columns.count_all_cards, org_id=call.org_id, **where))


def _beyond(filters: dict[str, Any], *places: str) -> bool:
    """Tell whether there are filters besides these."""
    return any(value is not None for name, value in filters.items() if name not in places)


def _narrowed(call: Call, filters: dict[str, Any], titled: str | None) -> dict[str, Any]:
    """Say by which index the cards that filters leave are looked for."""
    given = [name for name in NARROW if filters[name] not in (None, "none")]  # most cards have no priority
    narrowest = "titled" if titled is not None else given[0] if given else "org_id"
    return {"narrowest": narrowest, "titled": titled, "urgency": _urgency(filters), "now": call.now}


def _ids(call: Call, filters: dict[str, Any], titled: str | None, sort: str, total: int, **page: int) -> list[str]:
    where, only = {"org_id": call.org_id, **page}, _only(filters)
    if sort in SORTED and not _beyond(filters):
        rows = call.tx.all(SORTED[sort], **where)
    elif sort in RANKED and only == "priority" and filters["priority"] != "none":
        rows = call.tx.all(sql.cards.list_of_urgency, urgency=_urgency(filters), **where)
    elif sort == "rank" and only is not None and only in RANKED_BY:
        rows = call.tx.all(RANKED_BY[only], **where, **{only: filters[only]})
    elif sort == "rank" and _is_dense(call, filters, total, **page):
        known = {name: value for name, value in filters.items() if name != "claimed_by"}
        rows = call.tx.all(sql.cards.list_by_rank, **where, **known)
    else:
        rows = call.tx.all(sql.cards.list_sorted, **where, **filters, **_narrowed(call, filters, titled), sort=sort)
    return [row["id"] for row in rows]


def _is_dense(call: Call, filters: dict[str, Any], total: int, limit: int, offset: int) -> bool:
    """Tell whether a page is found sooner by a walk along the ranks than by sorting all that the filters leave."""
    if filters["claimed_by"] is not None:
        return False
    return not _beyond(filters, *PLACES) or total * total > (offset + limit) * _held(call)
