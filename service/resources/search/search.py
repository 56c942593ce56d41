"""Search: full text over the titles, field values and comments of active cards (contract, section 6)."""

from typing import Annotated, Any, ClassVar

from pydantic import StringConstraints

from ...auth.context import Call
from ...auth.policies import agent, may
from ...database.queries import sql
from ...database.store import Row
from ...pipeline.routing import routes
from ...schemas import Output, Page, PageQuery, json_text
from . import snippets, texts, words
from .words import Wanted

# How the shares of a search (see words.py) are counted and read: all parts of a card have its title and field
# values, so one part tells; comments are in one of them.
SHARES = (
    (sql.search.count_cards, sql.search.list_cards),
    (sql.search.count_cards, sql.search.list_cards),
    (sql.search.count_cards_by_any_part, sql.search.list_cards_by_any_part),
)


class FoundCard(Output):
    """A card that was found, and where."""

    card_id: str
    card_key: str
    project_id: str
    column_id: str
    title: str
    snippets: list[snippets.Snippet]


class SearchQuery(PageQuery):
    further: ClassVar[str] = "search for more words"

    q: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    project_id: str | None = None


@routes.get("/organizations/{org_id}/search", may("read", "Card"), bulk=True)
@routes.get("/organizations/{org_id}/search/mcp", agent(), bulk=True)
def browse(call: Call, org_id: str, query: SearchQuery) -> Page[FoundCard]:
    """Find the active cards that have all words of `q`, best first; every change is found as soon as it is answered.

    Words in quotes make a phrase, and the last word may be unfinished; no other character means anything.
    Cards with all words in the title come first, then those with them in title and field values, then the
    rest; in each of these those that came to the board last. Pages end with the 20,000th card (validation_failed).
    """
    wanted, numbers = words.wanted(query.q), call.tx.one(sql.search.number_range, org_id=call.org_id) or {}
    items: list[FoundCard] = []
    total = 0
    if wanted and numbers["first"] is not None:
        scope = {**texts.span(**numbers), "project_id": query.project_id}
        total = call.tx.value(sql.search.count_cards_by_any_part, match=wanted.anywhere, **scope)
        if query.offset < total:
            items = _shown(call, wanted, _rows(call, wanted, scope, query, total))
    return Page[FoundCard](items=items, page=query.page, page_size=query.page_size, total=total)


def _rows(call: Call, wanted: Wanted, scope: dict[str, Any], query: SearchQuery, total: int) -> list[Row]:
    """Give the cards of a page: the shares follow each other, and the page may begin in any of them."""
    rows: list[Row] = []
    offset, wanting = query.offset, min(query.page_size, total - query.offset)
    for match, (count, browsed) in zip(wanted.shares, SHARES):
        if offset and offset >= (size := call.tx.value(count, match=match, **scope)):
            offset -= size
            continue
        rows += call.tx.all(browsed, match=match, limit=wanting - len(rows), offset=offset, **scope)
        offset = 0
        if len(rows) == wanting:  # as a rule all are in the first share, and the others need not be looked at
            break
    return rows


def _shown(call: Call, wanted: Wanted, rows: list[Row]) -> list[FoundCard]:
    """Put the snippets beside the cards of a page."""
    found: dict[int, list[Row]] = {row["number"]: [] for row in rows}
    parameters = {"match": wanted.anywhere, "numbers": json_text(list(found))}
    marks = {"before": texts.HIT_START, "after": texts.HIT_END}
    for row in call.tx.all(sql.search.list_snippets, **parameters, **marks, **texts.span(min(found), max(found))):
        found[row["number"]].append(row)
    return [FoundCard(**row, snippets=snippets.of(found[row["number"]])) for row in rows]
