"""A card, alone or with as much around it as is asked for, in one answer from one moment."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any

import orjson
from pydantic import MISSING, AfterValidator, Field

from ..auth.context import CardCall
from ..auth.policies import CARD, agent, may
from ..database.queries import sql
from ..domain import ranks
from ..http.responses import Answer, etag, take_fitting
from ..pipeline.routing import routes
from ..schemas import Output, Query, StoredJson
from . import cards, comments, files, history, move_requests, moves, relationships

NEWEST_SHOWN = 20  # of comments and of history
Shown = dict[str, Any]


class OtherEnd(Output):
    """The card at the other end of a relation, as it stands."""

    id: str
    key: str
    title: str
    project_id: str
    column_id: str
    column: str
    done: bool


class ShownRelation(relationships.Relationship):
    """A relation with the card at its other end."""

    card: Annotated[OtherEnd, StoredJson]


def _get_position(call: CardCall) -> Shown:
    return {"afterCardId": ranks.find_card_above(call, call.card["id"])}


def _get_moves(call: CardCall) -> Shown:
    return {"moves": _encode_list(move.encode() for move in moves.browse(call, call.card["id"]))}


def _get_comments(call: CardCall) -> Shown:
    which = {"card_id": call.card["id"]}
    rows = call.tx.each(sql.comments.list_newest, limit=NEWEST_SHOWN, offset=0, **which)
    items, _ = take_fitting(map(comments.Comment.encode_row, rows))
    return {"comments": _encode_list(items), "commentsTotal": call.tx.value(sql.comments.count, **which)}


def _get_history(call: CardCall) -> Shown:
    which, key = {"card_id": call.card["id"]}, call.card["key"]
    rows = call.tx.each(sql.history.list_newest, limit=NEWEST_SHOWN, offset=0, **which)
    items, _ = take_fitting(history.HistoryRow.encode_row({**row, "card_key": key}) for row in rows)
    return {"history": _encode_list(items), "historyTotal": call.tx.value(sql.history.count, **which)}


def _get_relations(call: CardCall) -> Shown:
    if not _may_read(call, "Relationship"):
        return {}
    rows = call.tx.all(sql.card_view.list_relations, card_id=call.card["id"])
    return {"relations": _encode_list(map(ShownRelation.encode_row, rows))}


def _get_files(call: CardCall) -> Shown:
    if not _may_read(call, "File"):
        return {}
    return {"files": _encode_list(file.encode() for file in files.browse_all(call, call.card["id"]))}


def _get_request(call: CardCall) -> Shown:
    row = call.tx.one(sql.context.get_move_request, card_id=call.card["id"])
    is_open = row is not None and row["state"] == "open"
    return {"request": orjson.Fragment(move_requests.MoveRequest.of(row).encode()) if row and is_open else None}


def _may_read(call: CardCall, resource: str) -> bool:
    return call.membership is None or "read" in call.membership.actions.get(resource, ())


def _encode_list(items: Iterable[bytes]) -> orjson.Fragment:
    return orjson.Fragment(b"[" + b",".join(items) + b"]")


PARTS: dict[str, Callable[[CardCall], Shown]] = {
    "place": _get_position,
    "moves": _get_moves,
    "comments": _get_comments,
    "history": _get_history,
    "relations": _get_relations,
    "files": _get_files,
    "request": _get_request,
}


Moves = list[moves.LegalMove]
Comments = list[comments.Comment]
History = list[history.HistoryRow]
Files = list[files.File]
OpenRequest = move_requests.MoveRequest | None


class CardView(cards.Card):
    """A card; what was not asked for, and what the caller may not read, is left out."""

    after_card_id: str | None | MISSING = Field(MISSING, description="place: the card right above, null at the top.")
    moves: Moves | MISSING = MISSING
    comments: Comments | MISSING = Field(MISSING, description="The newest 20, newest first.")
    comments_total: int | MISSING = MISSING
    history: History | MISSING = Field(MISSING, description="The newest 20 rows, newest first.")
    history_total: int | MISSING = MISSING
    relations: list[ShownRelation] | MISSING = MISSING
    files: Files | MISSING = Field(MISSING, description="Of all fields, the newest last.")
    request: OpenRequest | MISSING = Field(MISSING, description="The open one, else null.")


def _check_names(names: str) -> str:
    if set(names.split(",")) - PARTS.keys():
        raise ValueError(f"takes these, with commas between them: {', '.join(PARTS)}")
    return names


Names = Annotated[
    str,
    AfterValidator(_check_names),
    Field(json_schema_extra={"pattern": "^({0})(,({0}))*$".format("|".join(PARTS))}),
]


class CardViewQuery(Query):
    include: Names | None = None

    @property
    def is_bulk(self) -> bool:
        """Tell whether more is asked for than the card itself."""
        return self.include not in (None, "place")


@routes.get("/cards/{card_id}", may("read", "Card", CARD), answers=CardView)
@routes.get("/cards/{card_id}/mcp", agent(CARD), answers=CardView)
def get_card(call: CardCall, card_id: str, query: CardViewQuery) -> Answer:
    """Show a card with its field values, and with `include` what is around it, all of one moment.

    `include` names parts with commas between them: `place` (afterCardId, the card right above, null at the top),
    `moves` (as `/moves` lists them), `comments` and `history` (the newest 20, newest first, with `commentsTotal` and
    `historyTotal`), `relations` (each with the `card` at its other end), `files` (of all fields), `request` (the open
    move request, or null). What the caller may not read is left out.
    """
    if query.include is None:
        return cards.encode_card(call.card)
    wanted, shown = query.include.split(","), Shown()
    for name, part in PARTS.items():
        if name in wanted:
            shown |= part(call)
    body = cards.Card.encode_row(call.card)
    more = orjson.dumps(shown)[1:] if shown else b"}"
    return Answer(body[:-1] + (b"," if shown else b"") + more, headers={"ETag": etag(call.card["version"])})
