"""Move requests: an agent asks for a move that needs approval, and a person decides (contract, section 6).

A request goes stale by itself with the change that makes it pointless: the card moves or is archived, or the
transition goes. Triggers see to that (migration 0006), so that `open` always means: a person can still approve it.
"""

from typing import Annotated, Any, Literal

from pydantic import StringConstraints

from ..auth import card_keys
from ..auth.context import Call, CardCall, MoveRequestCall
from ..auth.policies import MODERATE, MOVE_REQUEST, PICKUP, agent, agent_where, may
from ..database.queries import sql
from ..database.store import Row
from ..domain import ranks
from ..errors import Conflict, Forbidden, NotFound, invalid
from ..ids import new_id
from ..pipeline.routing import routes
from ..schemas import Actor, Id, Input, Output, Page, PageQuery, StoredJson, stored_json
from . import comments, events, moves

REQUESTS_TOLD_MAX = 100  # of an agent that are open, by itself
State = Literal["open", "approved", "rejected", "withdrawn", "stale"]
Note = Annotated[str, StringConstraints(max_length=2000)]
PATH = "/move-requests/{move_request_id}"
# Archived: what became of a request is told of those too.
DECIDES = may("transition", "Card", MOVE_REQUEST, archived=True)


class MoveRequest(Output):
    """What an agent asked for, and what became of it."""

    id: str
    card_id: str
    card_key: str
    from_column_id: str
    to_column_id: str
    requested_by: Annotated[Actor, StoredJson]
    note: str | None
    state: State
    decided_by: Annotated[Actor | None, StoredJson]
    decision_note: str | None
    created_at: str
    decided_at: str | None


class NewMoveRequest(Input):
    to_column_id: Id
    note: Note | None = None


class Decision(Input):
    note: Note | None = None


class Rejection(Decision):
    to_column_id: Id | None = None


class MoveRequestQuery(PageQuery):
    state: State | None = None
    card_id: str | None = None


@routes.get("/organizations/{org_id}/move-requests", may("read", "Card"), on_reader_thread=True)
@routes.get("/organizations/{org_id}/move-requests/mcp", agent(), on_reader_thread=True)
def list_move_requests(call: Call, org_id: str, query: MoveRequestQuery) -> Page[MoveRequest]:
    """List the move requests of an organization, decided ones too, newest first, a page at a time."""
    filters = {
        "org_id": org_id,
        "state": query.state,
        "card_id": query.card_id and card_keys.resolve_card_id(call, query.card_id),
    }
    rows = call.tx.all(sql.move_requests.list, limit=query.page_size, offset=query.offset, **filters)
    total = call.tx.value(sql.move_requests.count, **filters)
    items = [MoveRequest.of(row) for row in rows]
    return Page[MoveRequest](items=items, page=query.page, page_size=query.page_size, total=total)


def list_open_of_caller(call: Call) -> list[Row]:
    """Give the requests of the calling agent that wait for a decision, oldest first."""
    which = {"org_id": call.org_id, "agent_id": call.agent_id}
    return call.tx.all(sql.move_requests.list_open_of_agent, limit=REQUESTS_TOLD_MAX, **which)


@routes.post("/cards/{card_id}/move-requests/mcp", agent_where(PICKUP))
def create_move_request(call: CardCall, card_id: str, body: NewMoveRequest) -> MoveRequest:
    """Ask for a move that an agent may not make itself; 409 request_exists if one of the card is open.

    Raises whatever else than the approval stands in its way, as the move itself would.
    """
    _check(call, call.card, body.to_column_id)
    if open_id := call.tx.value(sql.move_requests.find_open, card_id=card_id):
        message = "A request to move the card is open already; wait for its decision, or withdraw it."
        raise Conflict("request_exists", message, id=open_id)
    request_id, edge = new_id("req"), {"from_column_id": call.card["column_id"], "to_column_id": body.to_column_id}
    about = {"card_id": card_id, "org_id": call.org_id, "requested_by": call.actor.json(), "note": body.note}
    call.tx.run(sql.move_requests.create, id=request_id, now=call.now, **edge, **about)
    request = call.tx.one(sql.move_requests.get, move_request_id=request_id)
    assert request is not None
    _tell(call, "moveRequest.created", request)
    return MoveRequest.of(request)


def _check(call: Call, card: Row, column_id: str) -> None:
    """Refuse to ask for what cannot be, or for what the agent can do itself."""
    blockers = moves.list_blockers(call, card, moves.require_destination_column(call, card, column_id))
    moves.raise_first_blocker([blocker for blocker in blockers if blocker.code != moves.APPROVAL])
    if not blockers and card[MODERATE]:
        raise invalid("toColumnId", "names a column that the card can move to without approval; move it there")


@routes.post(PATH + "/approve", DECIDES)
def approve_move_request(call: MoveRequestCall, move_request_id: str, body: Decision) -> MoveRequest:
    """Approve a request: the card moves, if nothing else stands in the way, and history names both.

    Raises stale_request if the card has moved since, conflict if it is decided, and the blockers of the move.
    """
    request = _open(call)
    return _decide_and_move(call, request, "approved", body.note, request["to_column_id"])


@routes.post(PATH + "/reject", DECIDES)
def reject_move_request(call: MoveRequestCall, move_request_id: str, body: Rejection) -> MoveRequest:
    """Reject a request; the card stays where it is unless toColumnId sends it back along that transition.

    Raises conflict if it is decided, stale_request if it is stale, and the blockers of the way back.
    """
    request = _open(call)
    if body.to_column_id is None:
        return _decide(call, request, "rejected", body.note)
    return _decide_and_move(call, request, "rejected", body.note, body.to_column_id)


def _decide_and_move(call: MoveRequestCall, request: Row, state: State, note: str | None, to: str) -> MoveRequest:
    """Decide a request and move its card in the same breath; history names who asked."""
    card, destination = call.card, moves.require_destination_column(call, call.card, to)
    moves.raise_first_blocker(moves.list_blockers(call, card, destination))
    decided = _decide(call, request, state, note)  # before the move, with which open requests go stale
    about = {"requestedBy": (None, decided.requested_by.id), "moveRequestId": (None, request["id"])}
    moves.apply_move(call, card, destination, ranks.get_next_rank(destination["last_rank_key"]), about)
    return decided


@routes.delete(PATH + "/mcp", agent(MOVE_REQUEST))
def withdraw_move_request(call: MoveRequestCall, move_request_id: str) -> None:
    """Withdraw a request, which only the agent that asked may; it can be read all the same."""
    if stored_json(call.move_request["requested_by"])["id"] != call.actor.id:
        raise Forbidden(None, "Only the agent that asked may withdraw the request; leave a comment for a person.")
    _decide(call, _open(call), "withdrawn", None)


def _open(call: MoveRequestCall) -> Row:
    """Give the request of the path if it is open; raise stale_request or conflict with its state."""
    request, card = call.move_request, call.card
    if card["project_archived_at"]:
        raise NotFound("move request")
    if request["state"] == "stale":
        message = "The card or its transition has changed since; the agent has to ask again."
        raise Conflict("stale_request", message, state="stale", columnId=card["column_id"])
    if request["state"] != "open":
        message = f"The request is {request['state']} already; the agent can ask again."
        raise Conflict(None, message, state=request["state"])
    return request


def _decide(call: MoveRequestCall, request: Row, state: State, note: str | None) -> MoveRequest:
    decision: dict[str, Any] = {"state": state, "decided_by": call.actor.json(), "decision_note": note}
    call.tx.run(sql.move_requests.decide, move_request_id=request["id"], decided_at=call.now, **decision)
    _tell(call, f"moveRequest.{state}", request)
    if note:
        _say(call, note)
    return MoveRequest.of({**request, **decision, "decided_at": call.now})


def _say(call: MoveRequestCall, note: str) -> None:
    """Write the note of a decision down as a comment too, where the person may comment, so that it is found again."""
    may_comment = call.membership is not None and "comment" in call.membership.actions.get("Card", ())
    if may_comment and call.card["comments_enabled"] and note.strip():
        comments.write_comment(call, call.card["id"], None, note, "commented")


def _tell(call: Call, event: str, request: Row) -> None:
    """Tell what became of a request: which one, of which agent, from where to where."""
    edge = {key: request[key] for key in ("from_column_id", "to_column_id")}
    agent_id = stored_json(request["requested_by"])["id"]
    events.record(call, event, request["card_id"], request_id=request["id"], agent_id=agent_id, **edge)
