"""Claims: an agent takes a card for a while, and others keep off it until then (contract, section 6).

The clock alone decides: a claim whose time has passed counts as none, and nothing has to clean it up. What
a living claim keeps others from is judged in access.py.
"""

import secrets
from typing import Annotated, Any

from pydantic import MISSING, Field

from ..auth import leases
from ..auth.context import Call, CardCall
from ..auth.policies import MODERATE, PICKUP, agent, agent_holding, agent_where
from ..clock import parse_timestamp, timestamp
from ..database.queries import Statement, sql
from ..database.store import Row
from ..errors import Conflict
from ..pipeline import reference_errors
from ..pipeline.routing import routes
from ..schemas import Id, Input, stored_json
from . import cards, history, questions

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
def claim_next_card(call: Call, org_id: str, body: NextClaim) -> cards.Card | None:
    """Claim the best free card, or answer 204: by priority, then due date, then rank. Raises too_many_claims.

    Free is what stands where agents may pick up and moderate, is nobody else's, is not blocked, not claimed, and waits
    for nobody's decision or answer. What a person has answered comes first for the agent that asked.
    """
    filters = body.model_dump(exclude={"lease_seconds"})
    _check_filters(call, filters)
    _require_claim_available(call)
    # Between the look and the deed nothing can come: there is one writer, and this is its transaction.
    wanted = {"org_id": org_id, "agent_id": call.agent_id, "now": call.now, **filters}
    best = call.tx.value(sql.claims.find_best_answered, **wanted) or call.tx.value(sql.claims.find_best, **wanted)
    return None if best is None else _write_claim(call, best, body.lease_seconds)


def _check_filters(call: Call, filters: dict[str, str | None]) -> None:
    """Refuse filters that name nothing (validation_failed)."""

    def is_missing(name: str, kind: Statement) -> bool:
        return filters[name] is not None and not call.tx.one(kind, org_id=call.org_id, **{name: filters[name]})

    if is_missing("project_id", sql.projects.get):
        raise reference_errors.project(call)
    if is_missing("column_id", sql.columns.get):
        raise reference_errors.column(call, "columnId", filters["project_id"])
    if is_missing("card_type_id", sql.card_types.get):
        raise reference_errors.card_type(call, "cardTypeId", filters["project_id"])


@routes.post(PATH + "/mcp", agent_where(PICKUP, MODERATE))
def claim_card(call: CardCall, card_id: str, body: NewClaim) -> cards.Card:
    """Claim a card; the holder gets a new token, and the old one is dead. Raises already_claimed, too_many_claims."""
    was_held = call.card["claim"] is not None
    if not was_held:
        _require_claim_available(call)
    return _write_claim(call, card_id, body.lease_seconds, is_new=not was_held)


def _write_claim(call: Call, card_id: str, seconds: int, is_new: bool = True) -> cards.Card:
    term = {"now": call.now, "expires_at": leases.until(call, seconds), "lease_seconds": seconds}
    who = {"agent_id": call.agent_id, "token": secrets.token_urlsafe(24)}
    version_id = call.tx.all(sql.claims.claim_card, card_id=card_id, **who, **term)[0]["prompt_version_id"]
    if is_new:
        questions.take_up(call, card_id)
        changes: history.Changes = {"claim": (None, call.agent_id)}
        noted = {} if version_id is None else {"promptVersionId": (None, version_id)}
        history.record(call, card_id, "claimed", {**changes, **noted})
    return cards.get_card(call, card_id)


def _require_claim_available(call: Call) -> None:
    """Refuse one claim more to an agent that holds as many cards as it may."""
    limit = call.service.settings.agent_claims_max
    if limit == 0 or len(rows := list_own_claims(call)) < limit:
        return
    about = [(row["card_id"], row["card_key"], row["title"], row["expires_at"]) for row in rows]
    shown = [dict(zip(("cardId", "key", "title", "expiresAt"), row, strict=True)) for row in about]
    message = f"You hold {len(rows)} cards, and {limit} at a time are the limit; finish one or give it back first."
    raise Conflict("too_many_claims", message, limit=limit, claims=shown)


def list_own_claims(call: Call) -> list[Row]:
    """Give the cards that the calling agent holds, with its claims, oldest first."""
    return call.tx.all(sql.claims.list_of_agent, org_id=call.org_id, agent_id=call.agent_id, now=call.now)


@routes.post(PATH + "/renew/mcp", agent_holding())
def renew_claim(call: CardCall, card_id: str, body: Renewal) -> cards.Card:
    """Let one's claim live on from now, for as long as before unless told otherwise. Raises claim_expired.

    Every other write to the card renews the claim too. In a freeze too, and whatever the column allows.
    """
    if call.card["claim"] is None:
        raise leases.expired()
    if body.lease_seconds is not MISSING:
        leases.renew(call, card_id, body.lease_seconds)
    return cards.get_card(call, card_id)


@routes.delete(PATH + "/mcp", agent_holding())
def release_claim(call: CardCall, card_id: str) -> None:
    """Give a claimed card back, in a freeze too; without a claim there is nothing to do. Raises already_claimed."""
    if ended := end_claim(call, call.card):
        history.record(call, card_id, "released", ended)


def end_claim(call: Call, card: Row) -> history.Changes:
    """End the claim that lives on a card, and give what the history of the card says of that."""
    if card["claim"] is None:
        return {}
    call.tx.run(sql.claims.release, card_id=card["id"])
    return _get_claim_change(stored_json(card["claim"])["agentId"])


def _get_claim_change(agent_id: str) -> history.Changes:
    return {"claim": (agent_id, None)}


def ends_claims(column: Row) -> bool:
    """Tell whether claims end in a column: there the work is done, or agents have none."""
    return column["column_type"] == "done" or not column["agent_pickup_enabled"]


def end_claim_on_arrival(call: Call, card: Row, column: Row) -> history.Changes:
    """End the claim of a card that moves into a column where claims end."""
    return {} if card["claim"] is None or not ends_claims(column) else end_claim(call, card)


def end_claims(call: Call, statement: Statement, **which: Any) -> dict[str, history.Changes]:
    """End claims on many cards, and give what the history of each card says of that."""
    rows = call.tx.all(statement, now=call.now, **which)
    return {row["card_id"]: _get_claim_change(row["agent_id"]) for row in rows if row["lived"]}


def pause_claims(call: Call, until: str) -> None:
    """Let all claims that live end as much later as a freeze lasts: nobody can work meanwhile."""
    for row in call.tx.all(sql.claims.list_live, org_id=call.org_id, now=call.now):
        _shift_expiry(call, row, call.now, until, until)


def resume_claims(call: Call) -> None:
    """Give claims the time back that they had left when a freeze began that ends now, sooner than was said."""
    for row in call.tx.all(sql.claims.list_live, org_id=call.org_id, now=call.now):
        if row["frozen_until"] and row["frozen_until"] > call.now:
            _shift_expiry(call, row, row["frozen_until"], call.now, None)


def _shift_expiry(call: Call, row: Row, origin: str, destination: str, frozen_until: str | None) -> None:
    left = parse_timestamp(row["expires_at"]) - parse_timestamp(origin)
    expires_at = timestamp(parse_timestamp(destination) + left)
    call.tx.run(sql.claims.set_expiry, card_id=row["card_id"], expires_at=expires_at, frozen_until=frozen_until)


def release_claims(call: Call, statement: Statement, **which: Any) -> int:
    """End claims whose holders may not work any more; return how many were removed."""
    rows = call.tx.all(statement, now=call.now, **which)
    for row in rows:
        if row["lived"]:
            history.record(call, row["card_id"], "released", _get_claim_change(row["agent_id"]))
    return len(rows)
