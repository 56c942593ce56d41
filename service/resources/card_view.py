"""A card with selected related data (comments, history, files, …) in one consistent response."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any

import orjson
from pydantic import MISSING, AfterValidator, Field

from ..auth.context import CardCall
from ..auth.policies import CARD, agent, may
from ..database.queries import sql
from ..domain import ranks
from ..http.responses import Answer, etag, list_fitting
from ..pipeline.routing import routes
from ..schemas import Output, Query, StoredJson
from . import cards, comments, files, history, move_requests, moves, relationships

NEWEST_ITEMS_MAX = 20  # of comments, and of rows of the history
JsonFields = dict[str, Any]


class OtherEnd(Output):
    """The card at the other end of a relationship."""

    id: str
    key: str
    title: str
    project_id: str
    column_id: str
    column: str
    done: bool


class ShownRelation(relationships.Relationship):
    """A relationship with the card at its other end."""

    card: Annotated[OtherEnd, StoredJson]


def _get_position(call: CardCall) -> JsonFields:
    return {"afterCardId": ranks.find_card_above(call, call.card["id"])}


def _get_moves(call: CardCall) -> JsonFields:
    return {"moves": _encode_list(move.encode() for move in moves.list_moves(call, call.card["id"]))}


def _get_comments(call: CardCall) -> JsonFields:
    card_id = call.card["id"]
    rows = call.tx.each(sql.comments.list_newest, card_id=card_id, limit=NEWEST_ITEMS_MAX, offset=0)
    items, _ = list_fitting(map(comments.Comment.encode_row, rows))
    return {"comments": _encode_list(items), "commentsTotal": call.tx.value(sql.comments.count, card_id=card_id)}


def _get_history(call: CardCall) -> JsonFields:
    card_id, card_key = call.card["id"], call.card["key"]
    rows = call.tx.each(sql.history.list_newest, card_id=card_id, limit=NEWEST_ITEMS_MAX, offset=0)
    items, _ = list_fitting(history.HistoryRow.encode_row({**row, "card_key": card_key}) for row in rows)
    return {"history": _encode_list(items), "historyTotal": call.tx.value(sql.history.count, card_id=card_id)}


def _get_relations(call: CardCall) -> JsonFields:
    if not _can_read(call, "Relationship"):
        return {}
    rows = call.tx.all(sql.card_view.list_relations, card_id=call.card["id"])
    return {"relations": _encode_list(map(ShownRelation.encode_row, rows))}


def _get_files(call: CardCall) -> JsonFields:
    if not _can_read(call, "File"):
        return {}
    return {"files": _encode_list(file.encode() for file in files.list_card_files(call, call.card["id"]))}


def _get_request(call: CardCall) -> JsonFields:
    row = call.tx.one(sql.context.get_move_request, card_id=call.card["id"], org_id=call.org_id)
    is_open = row is not None and row["state"] == "open"
    return {"request": orjson.Fragment(move_requests.MoveRequest.of(row).encode()) if row and is_open else None}


def _can_read(call: CardCall, resource: str) -> bool:
    return call.membership is None or "read" in call.membership.actions.get(resource, ())


def _encode_list(items: Iterable[bytes]) -> orjson.Fragment:
    return orjson.Fragment(b"[" + b",".join(items) + b"]")


PARTS: dict[str, Callable[[CardCall], JsonFields]] = {
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
    """A card with the requested parts, except for those that the caller cannot read."""

    after_card_id: str | None | MISSING = Field(
        MISSING, description="With place: the card directly above, null at the top."
    )
    moves: Moves | MISSING = MISSING
    comments: Comments | MISSING = Field(MISSING, description="The newest 20, newest first.")
    comments_total: int | MISSING = MISSING
    history: History | MISSING = Field(MISSING, description="The newest 20 rows, newest first.")
    history_total: int | MISSING = MISSING
    relations: list[ShownRelation] | MISSING = MISSING
    files: Files | MISSING = Field(MISSING, description="The files of all fields, newest last.")
    request: OpenRequest | MISSING = Field(MISSING, description="The open move request, else null.")


def _check_part_names(names: str) -> str:
    if set(names.split(",")) - PARTS.keys():
        raise ValueError(f"must be a comma-separated list of: {', '.join(PARTS)}")
    return names


PartNames = Annotated[
    str,
    AfterValidator(_check_part_names),
    Field(json_schema_extra={"pattern": "^({0})(,({0}))*$".format("|".join(PARTS))}),
]


class CardViewQuery(Query):
    include: PartNames | None = None

    @property
    def needs_reader_thread(self) -> bool:
        """Return whether the response needs more reads than the card itself."""
        return self.include not in (None, "place")


@routes.get("/cards/{card_id}", may("read", "Card", CARD, loads_whole_card=True), answers=CardView)
@routes.get("/cards/{card_id}/mcp", agent(CARD, loads_whole_card=True), answers=CardView)
def get_card(call: CardCall, card_id: str, query: CardViewQuery) -> Answer:
    """Return a card with its field values and, with `include`, related data from the same point in time.

    `include` is a comma-separated list of: `place` (`afterCardId`, the card directly above, null at the top), `moves`
    (as in `/moves`), `comments` and `history` (the newest 20, newest first, with `commentsTotal` and `historyTotal`),
    `relations` (each with the `card` at its other end), `files` (of all fields) and `request` (the open move request,
    or null). Parts that the caller cannot read are left out.
    """
    if query.include is None:
        return cards.encode_card(call, call.card)
    names, fields = query.include.split(","), JsonFields()
    for name, get_part in PARTS.items():
        if name in names:
            fields |= get_part(call)
    body = cards.encode_row(call, call.card)
    if fields:
        body = body[:-1] + b"," + orjson.dumps(fields)[1:]
    return Answer(body, headers={"ETag": etag(call.card["version"])})
