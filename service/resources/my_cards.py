"""The cards that are assigned to the caller, on all boards of the organization."""

from typing import Literal

from pydantic import Field

from ..auth.context import Call
from ..auth.policies import may
from ..database.queries import sql
from ..http.responses import Answer, encode_page
from ..pipeline.routing import routes
from ..schemas import Output, Page, PageQuery, json_text
from . import cards, columns


class CardBoard(Output):
    """The board of a card."""

    id: str
    key: str
    title: str


class CardColumn(Output):
    """The column of a card."""

    id: str
    title: str
    column_type: columns.ColumnType


class MyCard(cards.CardSummary):
    """A card of the caller, as in lists of cards, with its board and its column."""

    due_complete: bool = Field(
        description="Whether its checkbox field `due_complete` is set: it is never overdue then."
    )
    board: CardBoard
    column: CardColumn


class MyCardsQuery(PageQuery):
    narrowing_hint = "filter GET …/cards by projectId and assignedUserId"

    state: Literal["open", "done", "all"] = Field("open", description="`done`: in a done column.")


@routes.get("/me/cards", may("read", "Card"), on_reader_thread=True, answers=Page[MyCard])
def list_my_cards(call: Call, query: MyCardsQuery) -> Answer:
    """List the active cards that are assigned to the caller, on all boards of the organization, in pages.

    Each card has its `board` and its `column`. Open cards, the default, are those outside of done columns. The order is
    the due date, cards without one last, then the priority; with `state=done` the last changed card comes first.
    """
    filters = {"org_id": call.org_id, "user_id": call.user_id, "state": query.state}
    rows = call.tx.all(sql.my_cards.list, limit=query.page_size, offset=query.offset, **filters)
    ids = json_text([row["id"] for row in rows])
    found = call.tx.all(sql.cards.list_by_ids, ids=ids, now=call.now)
    items = [
        b"%s,%s" % (card["card"].encode()[:-1], row["location"].encode()[1:])
        for card, row in zip(found, rows, strict=True)
    ]
    return encode_page(query, int(call.tx.value(sql.my_cards.count, **filters)), items)
