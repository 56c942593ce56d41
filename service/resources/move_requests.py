"""Move requests: an agent requests a move that needs approval, and a person decides.

Triggers (migration 0006) mark a request as stale when its card is moved or archived, or its transition is deleted. So
a person can still approve every request whose state is `open`.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import MISSING, StringConstraints

from ..auth import card_keys, leases
from ..auth.context import Call, CardCall, MoveRequestCall
from ..auth.policies import MOVE_REQUEST, PICKUP, agent, agent_where, may
from ..database.queries import sql
from ..database.store import Row
from ..domain import next_steps, ranks
from ..errors import Conflict, Forbidden, invalid
from ..ids import new_id
from ..pipeline.routing import routes
from ..schemas import Actor, Id, Input, Output, Page, PageQuery, StoredJson, stored_json
from ..text.comparison import is_blank
from . import comments, events, history, moves

OPEN_REQUESTS_MAX = 100  # of the calling agent in one response
State = Literal["open", "approved", "rejected", "withdrawn", "stale"]
Note = Annotated[str, StringConstraints(max_length=2000)]
PATH = "/move-requests/{move_request_id}"
# archived: for a request on an archived card, the response reports the state of the request instead of 404.
DECISION_POLICY = may("transition", "Card", MOVE_REQUEST, allows_archived_cards=True)


class MoveRequest(Output):
    """A move that an agent requested, and the decision on it; `next` tells an agent what it can do now."""

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
    next: str | MISSING = MISSING


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
    """List the move requests of an organization in any state, newest first, by page.

    For agents, each that is approved, rejected or stale has `next`: what the agent can do now.
    """
    filters = {
        "org_id": org_id,
        "state": query.state,
        "card_id": None if query.card_id is None else card_keys.resolve_card_filter(call, query.card_id),
    }
    rows = call.tx.all(sql.move_requests.list, limit=query.page_size, offset=query.offset, **filters)
    total = call.tx.value(sql.move_requests.count, **filters)
    items = [to_output(call, row) for row in rows]
    return Page[MoveRequest](items=items, page=query.page, page_size=query.page_size, total=total)


def to_output(call: Call, row: Row) -> MoveRequest:
    """Return a request; for an agent, a decided one with its next step."""
    return MoveRequest.of({**row, **next_steps.describe_next_step(call, row["card_id"], row["state"])})


def list_open_of_caller(call: Call) -> Sequence[Row]:
    """Return the newest open requests of the calling agent, oldest first."""
    where = {"org_id": call.org_id, "agent_id": call.agent_id}
    return call.tx.all(sql.move_requests.list_open_of_agent, limit=OPEN_REQUESTS_MAX, **where)[::-1]


@routes.post("/cards/{card_id}/move-requests/mcp", agent_where(PICKUP))
def create_move_request(call: CardCall, card_id: str, body: NewMoveRequest) -> MoveRequest:
    """Request a move that needs approval; 409 request_exists if the card has an open request.

    Raises the same errors as the move itself, except approval_required.
    """
    _check_request(call, call.card, body.to_column_id)
    if open_id := call.tx.value(sql.move_requests.find_open, card_id=card_id):
        message = "The card already has an open move request; wait for its decision or withdraw it."
        raise Conflict("request_exists", message, id=open_id)
    request_id, edge = new_id("req"), {"from_column_id": call.card["column_id"], "to_column_id": body.to_column_id}
    values = {"card_id": card_id, "org_id": call.org_id, "requested_by": call.actor.json(), "note": body.note}
    call.tx.run(sql.move_requests.create, id=request_id, now=call.now, **edge, **values)
    request = call.tx.one(sql.move_requests.get, move_request_id=request_id)
    assert request is not None
    _record_event(call, "moveRequest.created", request)
    return MoveRequest.of(request)


def _check_request(call: Call, card: "sql.cards.GetRow", column_id: str) -> None:
    """Raise an error if the move is impossible even with approval, or needs no approval."""
    if column_id == card["column_id"]:
        raise invalid("toColumnId", "is the column where the card is already; name the column to move it to")
    blockers = moves.list_blockers(call, card, moves.require_destination_column(call, card, column_id))
    moves.raise_first_blocker([blocker for blocker in blockers if blocker.code != moves.APPROVAL])
    if not blockers and card["agent_can_moderate"]:
        raise invalid("toColumnId", "is a column to which the card can move without approval; move it there")


@routes.post(PATH + "/approve", DECISION_POLICY, grows=False)
def approve_move_request(call: MoveRequestCall, move_request_id: str, body: Decision) -> MoveRequest:
    """Approve a move request and move the card; its history records the person and the agent.

    Raises stale_request if the card has moved since, conflict if the request is decided, and the blockers of the move.
    """
    request = _require_open_request(call)
    return _decide_and_move(call, request, "approved", body.note, request["to_column_id"])


@routes.post(PATH + "/reject", DECISION_POLICY, grows=False)
def reject_move_request(call: MoveRequestCall, move_request_id: str, body: Rejection) -> MoveRequest:
    """Reject a move request; the card stays in its column, or moves to `toColumnId` along that transition.

    The card's moves mark where to send it (`sendsBack`). A card that stays in a column out of which agents may not move
    it is `handed_over` in attention. The history has a row `rejected`, and the move a row of its own.
    Raises conflict if the request is decided, stale_request if it is stale, and the blockers of the move to toColumnId.
    """
    request = _require_open_request(call)
    if body.to_column_id in (None, call.card["column_id"]):
        return _decide(call, request, "rejected", body.note)
    return _decide_and_move(call, request, "rejected", body.note, body.to_column_id)


def _decide_and_move(
    call: MoveRequestCall, request: "sql.move_requests.GetRow", state: State, note: str | None, column_id: str
) -> MoveRequest:
    """Store a decision and move the card in the same transaction; history records the request."""
    card, destination = call.card, moves.require_destination_column(call, call.card, column_id)
    moves.raise_first_blocker(moves.list_blockers(call, card, destination))
    decided = _decide(call, request, state, note)  # before the move, which marks open requests of the card as stale
    details: history.Changes = {"moveRequestId": (None, request["id"])}
    if state == "approved":  # the agent requested this move
        details = {"requestedBy": (None, decided.requested_by.id), **details}
    moves.apply_move(call, card, destination, ranks.get_next_rank(destination["last_rank_key"]), details)
    return decided


@routes.delete(PATH + "/mcp", agent(MOVE_REQUEST))
def withdraw_move_request(call: MoveRequestCall, move_request_id: str) -> None:
    """Withdraw a move request; only the agent that created it may. It can still be read."""
    requester = Actor(**stored_json(call.move_request["requested_by"]))
    if (requester.type, requester.id) != (call.actor.type, call.actor.id):
        raise Forbidden(
            None, "Only the agent that created the request may withdraw it; leave a comment for a person instead."
        )
    leases.require_own_session(call, call.card)
    _decide(call, _require_open_request(call), "withdrawn", None)


def _require_open_request(call: MoveRequestCall) -> "sql.move_requests.GetRow":
    """Return the request of the path if it is open; raise stale_request, or conflict with its state."""
    request, card = call.move_request, call.card
    step: dict[str, Any] = {**next_steps.describe_next_step(call, card["id"], request["state"])}
    if request["state"] == "stale":
        message = "The card or its transition has changed since; the agent must create a new request."
        raise Conflict("stale_request", message, state="stale", columnId=card["column_id"], **step)
    if request["state"] != "open":
        message = f"The request is already {request['state']}; the agent can create a new one."
        raise Conflict(None, message, state=request["state"], **step)
    return request


def _decide(call: MoveRequestCall, request: "sql.move_requests.GetRow", state: State, note: str | None) -> MoveRequest:
    decision: dict[str, Any] = {"state": state, "decided_by": call.actor.json(), "decision_note": note}
    call.tx.run(sql.move_requests.decide, move_request_id=request["id"], decided_at=call.now, **decision)
    _record_event(call, f"moveRequest.{state}", request)
    if state == "rejected":
        _write_rejection(call, request)
    if note:
        _write_note_as_comment(call, note)
    return MoveRequest.of({**request, **decision, "decided_at": call.now})


def _write_rejection(call: Call, request: "sql.move_requests.GetRow") -> None:
    """Write the history row of a rejection, with the move that was requested; the event is recorded already."""
    changes: history.Changes = {
        "toColumnId": (request["from_column_id"], request["to_column_id"]),
        "requestedBy": (None, stored_json(request["requested_by"])["id"]),
        "moveRequestId": (None, request["id"]),
    }
    history.write_row(call, request["card_id"], "rejected", changes)


def _write_note_as_comment(call: MoveRequestCall, note: str) -> None:
    """Add the note of a decision to the card as a comment, if the person may comment, so that it can be found there."""
    may_comment = call.membership is not None and "comment" in call.membership.actions.get("Card", ())
    if may_comment and call.card["comments_enabled"] and not is_blank(note):
        comments.write_comment(call, call.card["id"], None, note, "commented")


def _record_event(call: Call, event: str, request: "sql.move_requests.GetRow") -> None:
    """Record an event about a request, with its agent and the columns of the move."""
    edge = {key: request[key] for key in ("from_column_id", "to_column_id")}
    agent_id = stored_json(request["requested_by"])["id"]
    events.record(call, event, request["card_id"], request_id=request["id"], agent_id=agent_id, **edge)
