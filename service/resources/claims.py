"""Claims: an agent takes a card for a while, and others keep off it until then (contract, section 6).

The clock alone decides: a claim whose time has passed counts as none, and nothing has to clean it up. What
a living claim keeps others from is judged in access.py.
"""

import secrets
from datetime import timedelta
from typing import Annotated, Any

from pydantic import MISSING, Field
from pydantic.alias_generators import to_camel

from ..clock import parse_timestamp, timestamp
from ..database.queries import Statement, sql
from ..database.store import Row
from ..errors import invalid
from ..journey import leases
from ..journey.call import Call, CardCall
from ..journey.gates import MODERATE, PICKUP, agent, agent_where
from ..journey.table import routes
from ..wire import Id, Input, stored_json
from . import cards, history

PATH = "/cards/{card_id}/claim"
Seconds = Annotated[int, Field(ge=30, le=3600)]


class NewClaim(Input):
    lease_seconds: Seconds = 300


class NextClaim(NewClaim):
    project_id: Id | None = None
    column_id: Id | None = None
    card_type_id: Id | None = None


class Renewal(Input):
    lease_seconds: Seconds | MISSING = MISSING


@routes.post("/organizations/{org_id}/cards/claim/mcp", agent())
def take_next(call: Call, org_id: str, body: NextClaim) -> cards.Card | None:
    """Claim the best free card, or answer 204: by priority, then due date, then rank.

    Free is what stands where agents may pick up and moderate, is nobody else's, is not blocked and not claimed.
    """
    filters = body.model_dump(exclude={"lease_seconds"})
    _check(call, filters)
    # Between the look and the deed nothing can come: there is one writer, and this is its transaction.
    best = call.tx.value(sql.claims.best, org_id=org_id, agent_id=call.agent_id, now=call.now, **filters)
    if best is None:
        return None
    call.tx.run(sql.claims.take, card_id=best, org_id=org_id, **_terms(call, body.lease_seconds))
    return _claimed(call, best)


def _check(call: Call, filters: dict[str, str | None]) -> None:
    """Refuse filters that name nothing (validation_failed)."""
    kinds = {"project_id": sql.projects.read, "column_id": sql.columns.read, "card_type_id": sql.card_types.read}
    for name, kind in kinds.items():
        if filters[name] is not None and not call.tx.one(kind, org_id=call.org_id, **{name: filters[name]}):
            raise invalid(to_camel(name), "names nothing of the organization")


@routes.post(PATH + "/mcp", agent_where(PICKUP, MODERATE))
def take(call: CardCall, card_id: str, body: NewClaim) -> cards.Card:
    """Claim a card; the holder gets a new token, and the old one is dead. Raises already_claimed."""
    was_held = call.card["claim"] is not None
    call.tx.run(sql.claims.take, card_id=card_id, org_id=call.org_id, **_terms(call, body.lease_seconds))
    return cards.reread(call, card_id) if was_held else _claimed(call, card_id)


def _terms(call: Call, seconds: int) -> dict[str, Any]:
    expires_at = _later(call, timedelta(seconds=seconds))
    return {"agent_id": call.agent_id, "token": secrets.token_urlsafe(24), "now": call.now, "expires_at": expires_at}


def _later(call: Call, lease: timedelta) -> str:
    return timestamp(parse_timestamp(call.now) + lease)


def _claimed(call: Call, card_id: str) -> cards.Card:
    history.record(call, card_id, "claimed", {"claim": (None, call.agent_id)})
    return cards.reread(call, card_id)


@routes.post(PATH + "/renew/mcp", agent_where(PICKUP, MODERATE))
def renew(call: CardCall, card_id: str, body: Renewal) -> cards.Card:
    """Let one's claim live on from now, for as long as before unless told otherwise. Raises claim_expired."""
    if call.card["claim"] is None:
        raise leases.expired()
    lease = cards.Claim.of(stored_json(call.card["claim"]))
    length = parse_timestamp(lease.expires_at) - parse_timestamp(lease.renewed_at)
    if body.lease_seconds is not MISSING:
        length = timedelta(seconds=body.lease_seconds)
    call.tx.run(sql.claims.renew, card_id=card_id, now=call.now, expires_at=_later(call, length))
    return cards.reread(call, card_id)


@routes.delete(PATH + "/mcp", agent_where(PICKUP))
def release(call: CardCall, card_id: str) -> None:
    """Give a claimed card back; without a claim there is nothing to do. Raises already_claimed."""
    if ended := end(call, call.card):
        history.record(call, card_id, "released", ended)


def end(call: Call, card: Row) -> history.Changes:
    """End the claim that lives on a card, and give what the history of the card says of that."""
    if card["claim"] is None:
        return {}
    call.tx.run(sql.claims.release, card_id=card["id"])
    return _ended(stored_json(card["claim"])["agentId"])


def _ended(agent_id: str) -> history.Changes:
    return {"claim": (agent_id, None)}


def end_in(column: Row) -> bool:
    """Tell whether claims end in a column: there the work is done, or agents have none."""
    return column["column_type"] == "done" or not column["agent_pickup_enabled"]


def end_on_arrival(call: Call, card: Row, column: Row) -> history.Changes:
    """End the claim of a card that moves into a column where claims end."""
    return {} if card["claim"] is None or not end_in(column) else end(call, card)


def end_many(call: Call, statement: Statement, **which: Any) -> dict[str, history.Changes]:
    """End claims on many cards, and give what the history of each card says of that."""
    rows = call.tx.all(statement, now=call.now, **which)
    return {row["card_id"]: _ended(row["agent_id"]) for row in rows if row["lived"]}


def take_back(call: Call, statement: Statement, **which: Any) -> None:
    """End claims whose holders may not work any more."""
    for card_id, ended in end_many(call, statement, **which).items():
        history.record(call, card_id, "released", ended)
