"""Search: full text over the titles, field values and comments of active cards (contract, section 6)."""

from typing import Annotated, Any, ClassVar

from pydantic import StringConstraints

from ...auth.context import Call
from ...auth.policies import agent, may
from ...database.queries import sql
from ...database.store import Row
from ...domain import card_filters, card_pages
from ...pipeline.routing import routes
from ...schemas import Output, Page, PageQuery, json_text
from . import snippets, texts, words
from .words import SearchTerms

# Statements that count and list each group of a search (see words.py). Every part of a card has its title and field
# values, so the first two groups read one part per card; a comment is in one part only.
GROUPS = (
    (sql.search.count_cards, sql.search.list_cards),
    (sql.search.count_cards, sql.search.list_cards),
    (sql.search.count_cards_by_any_part, sql.search.list_cards_by_any_part),
)


class FoundCard(Output):
    """A card that matches the search, with snippets of the matches."""

    card_id: str
    card_key: str
    project_id: str
    project_title: str
    column_id: str
    column_title: str
    title: str
    snippets: list[snippets.Snippet]


class SearchQuery(card_filters.CardFilters, PageQuery):
    narrowing_hint: ClassVar[str] = "search for more words"

    q: Annotated[str, StringConstraints(min_length=1, max_length=200)]


@routes.get("/organizations/{org_id}/search", may("read", "Card"), on_reader_thread=True)
@routes.get("/organizations/{org_id}/search/mcp", agent(), on_reader_thread=True)
def list_found_cards(call: Call, org_id: str, query: SearchQuery) -> Page[FoundCard]:
    """Find the active cards that have all words of `q`, best first; a change is found as soon as it is saved.

    Case and accents do not count (contract, section 8.1). Words may be unfinished, and English plurals find singulars
    and the reverse; words in quotes make an exact phrase. No other character has a special meaning.
    Cards with all words in the title come first, then those with all words in title and field values, then the
    rest; within each group the last added cards come first. Pages end with the 20,000th card (validation_failed).

    The filters are those of the list of cards, with the same meaning. Archived cards are not found; list them with
    `archived=true`.
    """
    filters = card_filters.resolve(call, query)
    terms, numbers = words.parse_query(query.q), call.tx.one(sql.search.number_range, org_id=call.org_id) or {}
    items: list[FoundCard] = []
    total = 0
    if terms and numbers["first"] is not None:
        scope = {**texts.span(**numbers), **_narrow(call, filters)}
        total = call.tx.value(sql.search.count_cards_by_any_part, match=terms.anywhere, **scope)
        if query.offset < total:
            items = _add_snippets(call, terms, _list_page(call, terms, scope, query, total))
    return Page[FoundCard](items=items, page=query.page, page_size=query.page_size, total=total)


def _narrow(call: Call, filters: card_filters.Filters) -> dict[str, str | None]:
    """Return the parameters that narrow a search; the index knows the projects of cards, and of others their ids."""
    projects = filters["project_ids"]
    is_filtered = any(value for name, value in filters.items() if name != "project_ids")
    return {
        "project_ids": None if projects is None else json_text(projects),
        "card_ids": card_pages.find_active_ids(call, filters) if is_filtered else None,
    }


def _list_page(call: Call, terms: SearchTerms, scope: dict[str, Any], query: SearchQuery, total: int) -> list[Row]:
    """Return the cards of a page, which can begin in any of the groups."""
    rows: list[Row] = []
    offset, page_size = query.offset, min(query.page_size, total - query.offset)
    for match, (count_cards, list_cards) in zip(terms.groups, GROUPS):
        if offset and offset >= (size := call.tx.value(count_cards, match=match, **scope)):
            offset -= size
            continue
        rows += call.tx.all(list_cards, match=match, limit=page_size - len(rows), offset=offset, **scope)
        offset = 0
        if len(rows) == page_size:  # usually all are in the first group, and the others need not be read
            break
    return rows


def _add_snippets(call: Call, terms: SearchTerms, rows: list[Row]) -> list[FoundCard]:
    """Return the cards of a page with their snippets."""
    found: dict[int, list[Row]] = {row["number"]: [] for row in rows}
    parameters = {"match": terms.anywhere, "numbers": json_text(list(found))}
    marks = {"before": texts.HIT_START, "after": texts.HIT_END}
    for row in call.tx.all(sql.search.list_snippets, **parameters, **marks, **texts.span(min(found), max(found))):
        found[row["number"]].append(row)
    return [FoundCard(**row, snippets=snippets.list_snippets(call.tx, row, found[row["number"]])) for row in rows]
