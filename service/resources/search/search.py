"""Search: full text over the titles, field values and comments of active cards."""

from typing import Annotated, Any, ClassVar

from pydantic import MISSING, Field, StringConstraints

from ...auth import card_keys
from ...auth.context import Call
from ...auth.policies import agent, may
from ...database.queries import sql
from ...database.statement import Statement
from ...database.store import SEARCH, Row
from ...domain import card_filters, card_pages
from ...pipeline.routing import routes
from ...schemas import Output, Page, PageQuery, json_text
from . import card_texts, snippets, words
from .large_cards import LargeMatches
from .words import SearchTerms

FILTERED_MATCHES_MAX = 2000  # filters are applied to that many matches; beyond, to all cards of the organization


class FoundCard(Output):
    """A card that matches the search, with snippets of the matches."""

    card_id: str
    card_key: str
    project_id: str
    project_title: str
    column_id: str
    column_title: str
    title: str
    matches_filters: bool = Field(True, description="False only for a card that `q` names and that filters leave out.")
    snippets: list[snippets.Snippet]


class FoundCards(Page[FoundCard]):
    """A page of the cards that match a search."""

    ignored: list[str] | MISSING = Field(
        MISSING,
        description="The words that were not searched: of more than 10 different ones, only the ten longest are.",
    )


class SearchQuery(card_filters.CardFilters, PageQuery):
    narrowing_hint: ClassVar[str] = "search for more words"

    q: Annotated[str, StringConstraints(min_length=1, max_length=200)]


@routes.get("/organizations/{org_id}/search", may("read", "Card"), on_reader_thread=True, read_kind=SEARCH)
@routes.get("/organizations/{org_id}/search/mcp", agent(), on_reader_thread=True, read_kind=SEARCH)
def list_found_cards(call: Call, org_id: str, query: SearchQuery) -> FoundCards:
    """Find the active cards that have all words of `q`, best first; a change is found as soon as it is saved.

    Case and accents do not count. Words may be unfinished, and English plurals find singulars
    and the reverse; words in quotes make an exact phrase. No other character has a special meaning.
    Of more than 10 different words the ten longest are searched; `ignored` lists the others.
    Cards with all words in the title come first, then those with all words in title and field values, then the
    rest; within each group the last added cards come first. Pages end with the 20,000th card (validation_failed).

    The filters are those of the list of cards, with the same meaning. Archived cards are not found; list them with
    `archived=true`.

    A `q` that is the key of a card (`PX-61`, `px-61`, `#PX-61`, `PX61`) names it: that card is the first, also where
    its texts do not have the key. Only the filter `projectId` can hide it; if it does not match the other filters,
    `matchesFilters` is false. A key in quotes is searched as text.
    """
    filters, terms = card_filters.resolve(call, query), words.parse_query(query.q)
    rows, total = _find_page(call, terms, filters, query) if terms else ([], 0)
    items = _add_snippets(call, terms, rows) if terms and rows else []
    ignored = list(terms.ignored) if terms and terms.ignored else MISSING
    return FoundCards(items=items, page=query.page, page_size=query.page_size, total=total, ignored=ignored)


def _find_page(
    call: Call, terms: SearchTerms, filters: card_filters.Filters, query: SearchQuery
) -> tuple[list[Row], int]:
    """Return the cards of a page, those that the query names by their keys first, and the number of all."""
    numbers = call.tx.one(sql.search.number_range, org_id=call.org_id)
    assert numbers is not None
    large = LargeMatches(call.tx, terms, numbers)
    narrowed = _narrow(call, terms, filters, numbers, large, card_keys.list_card_ids(call, query.q))
    named = call.tx.all(sql.search.list_named_cards, **narrowed)
    scope = {**numbers, **narrowed}
    matching = call.tx.value(sql.search.count_cards, match=terms.anywhere, large=large.all, **scope)
    total = len(named) + matching
    if query.offset >= total:
        return [], total
    rows = named[query.offset : query.offset + query.page_size]
    limit = min(query.page_size, total - query.offset) - len(rows)
    return rows + _list_matches(call, terms, large, scope, limit, max(0, query.offset - len(named))), total


def _narrow(
    call: Call,
    terms: SearchTerms,
    filters: card_filters.Filters,
    numbers: "sql.search.NumberRangeRow",
    large: LargeMatches,
    named_ids: list[str],
) -> dict[str, Any]:
    """Return the parameters that narrow a search: projects, which the index has, and cards for all other filters."""
    projects = filters["project_ids"]
    card_ids = None
    if any(value for name, value in filters.items() if name != "project_ids"):
        limit = FILTERED_MATCHES_MAX + 1
        parameters = {"match": terms.anywhere, "large": large.all, "limit": limit, **numbers}
        matches = list(call.tx.values(sql.search.list_card_ids, **parameters))
        candidates = matches + named_ids if len(matches) < limit else None
        card_ids = card_pages.find_active_ids(call, filters, candidates)
    return {
        "project_ids": None if projects is None else json_text(projects),
        "card_ids": card_ids,
        "named_ids": json_text(named_ids),
    }


def _list_matches(
    call: Call, terms: SearchTerms, large: LargeMatches, scope: dict[str, Any], limit: int, offset: int
) -> list[Row]:
    """Return a page of the cards with all words, which can begin in any of the groups."""
    rows: list[Row] = []
    for place, match in enumerate(terms.groups):
        if len(rows) == limit:  # usually all are in the first group, and the others need not be read
            break
        parameters = {"match": match, "large": large.list_group(place), **scope}
        if offset and offset >= (size := call.tx.value(sql.search.count_cards, **parameters)):
            offset -= size
            continue
        rows += call.tx.all(sql.search.list_cards, limit=limit - len(rows), offset=offset, **parameters)
        offset = 0
    return rows


def _add_snippets(call: Call, terms: SearchTerms, rows: list[Row]) -> list[FoundCard]:
    """Return the cards of a page with their snippets."""
    small, large = ([row["number"] for row in rows if bool(row["is_large"]) is is_large] for is_large in (False, True))
    found: list[Row] = []
    if small:
        numbers = {"first": min(small), "last": max(small)}
        found += _list_hits(call, sql.search.list_snippets, small, terms.anywhere, numbers)
    if large:
        rows_of_large = card_texts.span(min(large), max(large))
        found += _list_hits(call, sql.search.list_large_snippets, large, terms.any_phrase, rows_of_large)
    hits: dict[int, list[Row]] = {row["number"]: [] for row in rows}
    for row in found:
        hits[row["number"]].append(row)
    return [FoundCard(**row, snippets=snippets.list_snippets(call.tx, row, hits[row["number"]])) for row in rows]


def _list_hits(
    call: Call, statement: Statement[Row], numbers: list[int], match: str, span: dict[str, int]
) -> list[Row]:
    """Return the rows of the index with hits in the cards of these numbers, which are in a range of rows."""
    marks = {"before": card_texts.HIT_START, "after": card_texts.HIT_END}
    return call.tx.all(statement, match=match, numbers=json_text(numbers), **marks, **span)
