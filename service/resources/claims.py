"""Claims: the time-limited, exclusive right of an agent to change a card.

A claim whose expiry time has passed counts as none, so that no job has to delete it. The authorization checks which
writes of others a live claim forbids.
"""

import secrets
from datetime import timedelta
from typing import Annotated, Any

from pydantic import MISSING, Field

from ..auth import leases
from ..auth.context import Call, CardCall
from ..auth.policies import CARD, MODERATE, PICKUP, agent, agent_holding, agent_where, may
from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..database.statement import Statement
from ..database.store import Row
from ..errors import Conflict
from ..pipeline import reference_errors
from ..pipeline.routing import routes
from ..schemas import Id, Input, stored_json
from . import cards, events, history, questions

PATH = "/cards/{card_id}/claim"
RESERVATION = timedelta(minutes=15)  # of a card for the agent whose question on it was answered
Seconds = Annotated[int, Field(ge=30, le=3600)]


class NewClaim(Input):
    lease_seconds: Seconds = 300
    take_over: bool = Field(False, description="Take the claim of another session of the agent.")


class NextClaim(NewClaim):
    project_id: Id | None = None
    column_id: Id | None = None
    card_type_id: Id | None = None


class Renewal(Input):
    lease_seconds: Seconds | MISSING = MISSING


@routes.post("/organizations/{org_id}/cards/claim/mcp", agent())
def claim_next_card(call: Call, org_id: str, body: NextClaim) -> cards.Card | None:
    """Claim the best free card: by priority, then due date, then rank; 204 if there is none. Raises too_many_claims.

    A card is free if agents can pick up and move cards in its column, it is assigned to no one or to this agent, and it
    has no claim, no open blocker, no open move request and no open question. Cards on which a question of this agent
    was answered come first; those of other agents are passed over for 15 minutes. With `takeOver`, the claim that
    another session of this agent has renewed least recently comes before all: for a process that has ended.
    """
    filters = body.model_dump(exclude={"lease_seconds", "take_over"})
    _check_filters(call, filters)
    # No other request can claim the card in between: this is a write transaction, and there is only one at a time.
    parameters = {"org_id": org_id, "agent_id": call.agent_id, "now": call.now, **filters}
    if body.take_over and (card_id := _find_of_other_session(call, parameters)):
        return _write_claim(call, card_id, body.lease_seconds, is_new=False)
    _require_claim_available(call)
    card_id = call.tx.value(sql.claims.find_best_answered, **parameters)
    reserved_since = timestamp(parse_timestamp(call.now) - RESERVATION)
    card_id = card_id or call.tx.value(sql.claims.find_best, reserved_since=reserved_since, **parameters)
    return None if card_id is None else _write_claim(call, card_id, body.lease_seconds)


def _find_of_other_session(call: Call, parameters: dict[str, Any]) -> str | None:
    card_id: str | None = call.tx.value(sql.claims.find_of_other_session, session=call.agent_session, **parameters)
    return card_id


def _check_filters(call: Call, filters: dict[str, str | None]) -> None:
    """Raise validation_failed if a filter names something that does not exist."""

    def is_missing(name: str, statement: Statement[Row]) -> bool:
        return filters[name] is not None and not call.tx.one(statement, org_id=call.org_id, **{name: filters[name]})

    if is_missing("project_id", sql.projects.get):
        raise reference_errors.unknown_project(call)
    if is_missing("column_id", sql.columns.get):
        raise reference_errors.unknown_column(call, "columnId", filters["project_id"])
    if is_missing("card_type_id", sql.card_types.get):
        raise reference_errors.unknown_card_type(call, "cardTypeId", filters["project_id"])


@routes.post(PATH + "/mcp", agent_where(PICKUP, MODERATE))
def claim_card(call: CardCall, card_id: str, body: NewClaim) -> cards.Card:
    """Claim a card; if it is one's own claim, replace its token and renew it.

    The claim belongs to the session of the request. Raises too_many_claims, and already_claimed also if another session
    of the agent has claimed the card, unless `takeOver` is set.
    """
    is_new = call.card["claim"] is None
    if is_new:
        _require_claim_available(call)
    return _write_claim(call, card_id, body.lease_seconds, is_new=is_new)


def _write_claim(call: Call, card_id: str, seconds: int, is_new: bool = True) -> cards.Card:
    claim = {"agent_id": call.agent_id, "session": call.agent_session, "token": secrets.token_urlsafe(24)}
    lease = {"now": call.now, "expires_at": leases.compute_expiry(call, seconds), "lease_seconds": seconds}
    (row,) = call.tx.all(sql.claims.claim_card, card_id=card_id, **claim, **lease)
    if is_new:
        questions.mark_answers_seen(call, card_id)
        changes: dict[str, tuple[Any, Any]] = {"claim": (None, call.agent_id)}
        if row["prompt_version_id"] is not None:
            changes["promptVersionId"] = (None, row["prompt_version_id"])
        history.record(call, card_id, "claimed", changes)
    return cards.get_card(call, card_id)


def _require_claim_available(call: Call) -> None:
    """Raise too_many_claims if the calling agent has reached its maximum number of claims."""
    limit = call.service.settings.agent_claims_max
    if limit == 0 or len(rows := list_own_claims(call)) < limit:
        return
    names = {"cardId": "card_id", "key": "card_key", "title": "title", "expiresAt": "expires_at"}
    own_claims = [{name: row[column] for name, column in names.items()} for row in rows]
    message = f"You have claimed {len(rows)} cards and the limit is {limit}; finish or release one of them first."
    raise Conflict("too_many_claims", message, limit=limit, claims=own_claims)


def list_own_claims(call: Call) -> list[Row]:
    """Return the cards that the calling agent has claimed, with the claims, oldest first."""
    return call.tx.all(sql.claims.list_of_agent, org_id=call.org_id, agent_id=call.agent_id, now=call.now)


def list_claims_by_session(call: Call) -> tuple[list[Row], list[Row]]:
    """Return the claims of the calling agent: those of its session or of none, and those of other sessions."""
    parts: dict[bool, list[Row]] = {False: [], True: []}
    for row in list_own_claims(call):
        shown = {key: value for key, value in row.items() if key != "session" or value is not None}
        parts[leases.is_of_other_session(call, row)].append(shown)
    return parts[False], parts[True]


@routes.delete(PATH, may("update", "Card", CARD))
def end_claim_of_agent(call: CardCall, card_id: str) -> None:
    """End the claim of an agent on a card, so that the card is free at once; does nothing if there is none.

    The next write of the agent with the token of the claim is 409 claim_expired.
    """
    end_claim_with_history(call, call.card)


def end_claim_with_history(call: Call, card: Row) -> None:
    """End the claim on a card, if there is one, with a row of its history and an event of its own."""
    if changes := end_claim(call, card):
        history.write_row(call, card["id"], "released", changes)
        events.record(call, "claim.ended", card["id"], agent_id=changes["claim"][0])


@routes.post(PATH + "/renew/mcp", agent_holding(), grows=False)
def renew_claim(call: CardCall, card_id: str, body: Renewal) -> cards.Card:
    """Renew one's own claim from now on, by default for the same time as before. Raises claim_expired.

    This also works during a freeze and in columns that are closed to agents. Every other write of the agent to the card
    renews the claim as well.
    """
    if call.card["claim"] is None:
        raise leases.claim_expired()
    if body.lease_seconds is not MISSING:
        leases.renew(call, card_id, body.lease_seconds)
    return cards.get_card(call, card_id)


@routes.delete(PATH + "/mcp", agent_holding())
def release_claim(call: CardCall, card_id: str) -> None:
    """Release one's own claim, also during a freeze; does nothing if there is none. Raises already_claimed."""
    if changes := end_claim(call, call.card):
        history.record(call, card_id, "released", changes)


def end_claim(call: Call, card: Row) -> history.Changes:
    """End the live claim on a card, if any, and return the change for the history of the card."""
    if card["claim"] is None:
        return {}
    call.tx.run(sql.claims.release, card_id=card["id"])
    return _get_claim_change(stored_json(card["claim"])["agentId"])


def _get_claim_change(agent_id: str) -> history.Changes:
    return {"claim": (agent_id, None)}


def ends_claims(column: Row) -> bool:
    """Return whether claims end on entering a column: it is a done column, or agents cannot pick up cards in it."""
    return column["column_type"] == "done" or not column["agent_pickup_enabled"]


def end_claim_on_arrival(call: Call, card: Row, column: Row) -> history.Changes:
    """End the claim on a card that moves into a column where claims end, and return the change for its history."""
    return {} if card["claim"] is None or not ends_claims(column) else end_claim(call, card)


def end_claims(call: Call, statement: Statement[Row], **parameters: Any) -> dict[str, history.Changes]:
    """End the claims that a statement selects, and return the change for the history of each card by its id."""
    rows = call.tx.all(statement, now=call.now, **parameters)
    return {row["card_id"]: _get_claim_change(row["agent_id"]) for row in rows if row["was_live"]}


def pause_claims(call: Call, until: str) -> None:
    """Extend all live claims by the duration of a freeze, because agents cannot work during it."""
    for row in call.tx.all(sql.claims.list_live, org_id=call.org_id, now=call.now):
        _shift_expiry(call, row, call.now, until, until)


def resume_claims(call: Call) -> None:
    """Shorten the claims that a freeze has extended, because it ends earlier than planned."""
    for row in call.tx.all(sql.claims.list_live, org_id=call.org_id, now=call.now):
        if row["frozen_until"] and row["frozen_until"] > call.now:
            _shift_expiry(call, row, row["frozen_until"], call.now, None)


def _shift_expiry(call: Call, row: Row, origin: str, destination: str, frozen_until: str | None) -> None:
    """Change when a claim expires, so that the time left at `origin` is left at `destination`."""
    left = parse_timestamp(row["expires_at"]) - parse_timestamp(origin)
    expires_at = timestamp(parse_timestamp(destination) + left)
    call.tx.run(sql.claims.set_expiry, card_id=row["card_id"], expires_at=expires_at, frozen_until=frozen_until)


def release_claims(call: Call, statement: Statement[Row], **parameters: Any) -> int:
    """Release the claims that a statement selects, with a row in the history of each card; return their number."""
    rows = call.tx.all(statement, now=call.now, **parameters)
    for row in rows:
        if row["was_live"]:
            history.record(call, row["card_id"], "released", _get_claim_change(row["agent_id"]))
    return len(rows)
