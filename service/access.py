"""Who may do what: `admit` and `refusal`, the only judge of the gates that routes declare (contract, section 2).

Order of checks: credential, visibility, SA gate, permission row, column gate; the rules of
the resource itself come after, in its module. Cards, columns and agents are read in the
transaction of the request, so nothing slips between the judgement and the deed; a person's
role comes from memory, which forgets it with the commit of any change, before anybody hears
of that change.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import orjson

from . import leases
from .caller import Caller, Key, Person
from .errors import BadRequest, Conflict, Forbidden, NotFound, ServiceError
from .gates import MODERATE, PICKUP, SA, Gate
from .queries import sql
from .store import Row, Tx
from .wire import Actor


@dataclass(frozen=True, slots=True)
class Seat:
    """A person's place in one organization: the role, and what it may do with each resource."""

    role: str
    actor: Actor
    actions: dict[str, list[str]]


SYSTEM = Actor("System", "system")


@dataclass(slots=True)
class Call:
    """One admitted request inside its transaction: who calls, where, when."""

    tx: Tx
    caller: Caller
    service: Any
    path: dict[str, str]
    seats: dict[tuple[str, str], Seat]  # those known when the transaction began
    revision: int  # changes of the organization in the path that this transaction is sure to see
    named_org_id: str | None = None  # header X-Organization-Id
    named_agent_id: str | None = None  # agentId in the body, or header X-Agent-Id
    claim_token: str | None = None  # header X-Claim-Token
    org_id: str = ""
    seat: Seat | None = None  # of a person who acts inside an organization
    actor: Actor = SYSTEM
    card: Row | None = None
    file: Row | None = None
    move_request: Row | None = None

    @property
    def now(self) -> str:
        """Give the time of the transaction."""
        return self.tx.now

    @property
    def is_agent(self) -> bool:
        """Tell whether an agent is calling."""
        return isinstance(self.caller, Key)

    @property
    def agent_id(self) -> str | None:
        """Give the id that the calling agent acts by, or None if a person is calling."""
        return self.actor.id if self.is_agent else None

    @property
    def role(self) -> str:
        """Give the role of the person who is calling."""
        assert self.seat is not None
        return self.seat.role

    @property
    def user_id(self) -> str:
        """Give the id of the person who is calling."""
        assert isinstance(self.caller, Person)
        return self.caller.user_id


def admit(call: Call, gate: Gate) -> None:
    """Judge one request and fill in organization, seat, actor and card; raise what the caller may know."""
    if isinstance(call.caller, Key):
        _admit_agent(call, call.caller, gate)
    elif isinstance(call.caller, Person):
        _admit_person(call, call.caller, gate)
    _judge(call, gate)
    if call.card is not None:
        call.card = as_seen(call, call.card)


def refusal(call: Call, gate: Gate) -> ServiceError | None:
    """Give what would stop an admitted caller at the gate of another route about the same card, or None."""
    try:
        _judge(call, gate)
    except ServiceError as error:
        return error
    return None


def _judge(call: Call, gate: Gate) -> None:
    """Raise what an admitted caller lacks, or what the card does not allow."""
    if call.seat is not None:
        _judge_seat(call.seat, gate)
    if call.card is not None:
        _judge_card(call, call.card, gate)


def as_seen(call: Call, card: Row) -> Row:
    """Give a card with its claim as the caller may see it: while it lives, and the token to its holder only."""
    return card if card["claim"] is None else leases.shown(card, call.now, call.agent_id)


def _judge_seat(seat: Seat, gate: Gate) -> None:
    if gate.sa and seat.role != SA:
        raise Forbidden("sa_required", "Only a Solution Architect may do this; ask one of the organization.")
    if gate.resource and gate.action not in seat.actions.get(gate.resource, ()):
        raise _not_permitted(gate)


def _admit_person(call: Call, caller: Person, gate: Gate) -> None:
    if not gate.organization:
        call.actor = Actor("User", caller.user_id)
        return
    call.card = _card(call)
    asked = call.path.get("org_id") or call.named_org_id or caller.org_id or ""
    call.org_id = call.card["org_id"] if call.card else asked
    seat = _seat(call, caller.user_id)
    if gate.homeless and _is_homeless(call, seat):
        call.org_id, call.actor = "", Actor("User", caller.user_id)
        return
    if seat is None or (call.card and call.card["project_archived_at"] and not gate.archived):
        raise NotFound(_named(call))
    call.seat, call.actor = seat, seat.actor


def _is_homeless(call: Call, seat: Seat | None) -> bool:
    """Tell whether a role in the current organization has no say: there is none, or it is about another one."""
    return call.path.get("type") == "organization" or (seat is None and call.named_org_id is None)


def _card(call: Call) -> Row | None:
    """Find the card that the path names, itself or by what hangs on it; None if it names neither."""
    if (noun := _named(call)) == "organization":
        return None
    hanging: Row | None = None
    if noun == "file":
        hanging = call.file = call.tx.one(sql.files.read, file_id=call.path["file_id"])
    elif noun == "move request":
        move_request_id = call.path["move_request_id"]
        hanging = call.move_request = call.tx.one(sql.move_requests.read, move_request_id=move_request_id)
    card_id = hanging["card_id"] if hanging else call.path.get("card_id")
    # Whoever changes a card reads it again for the answer; its rank, counted, is for those who only look.
    card = call.tx.one(sql.cards.read, card_id=card_id, with_rank=not call.tx.writes)
    if card is None:
        raise NotFound(noun)
    return card


def _named(call: Call) -> str:
    if "card_id" in call.path:
        return "card"
    if "file_id" in call.path:
        return "file"
    return "move request" if "move_request_id" in call.path else "organization"


def _seat(call: Call, user_id: str) -> Seat | None:
    """Find a person's seat: in memory, else in the database."""
    seat = call.seats.get((user_id, call.org_id))
    if seat is None:
        row = call.tx.one(sql.access.seat, user_id=user_id, org_id=call.org_id)
        if row is None:
            return None
        seat = Seat(row["role"], Actor("User", user_id, row["label"]), orjson.loads(row["actions"]))
        # A write may yet be taken back, so what it saw is remembered with its commit only.
        remember = partial(call.seats.__setitem__, (user_id, call.org_id), seat)
        call.tx.after(remember) if call.tx.writes else remember()
    return seat


def _not_permitted(gate: Gate) -> Forbidden:
    message = f"Your role may not {gate.action} here; a Solution Architect can grant it."
    return Forbidden(None, message, resource=gate.resource, action=gate.action)


def _admit_agent(call: Call, key: Key, gate: Gate) -> None:
    if call.path.get("org_id", key.org_id) != key.org_id:
        raise Forbidden("cross_organization", "The key belongs to another organization; use that organization's id.")
    call.org_id = key.org_id
    row = None if gate.unregistered else _agent_of(call, key)
    if row is not None and not gate.pending:
        _refuse_inactive(row)
    call.actor = Actor("Agent", row["id"] if row else key.id)
    call.card = _card(call)
    if call.card and (call.card["org_id"] != key.org_id or call.card["project_archived_at"]):
        raise NotFound(_named(call))


def _agent_of(call: Call, key: Key) -> Row | None:
    """Find the agent that is calling (contract, section 3: which agent is calling)."""
    named = call.path.get("agent_id") or call.named_agent_id or key.agent_id
    if named is None:
        registered = call.tx.all(sql.access.registered_agents, key_id=key.id)
        return registered[0] if len(registered) == 1 else None
    row = call.tx.one(sql.access.agent, org_id=key.org_id, agent_id=named)
    known = row is not None and key.team_id in (None, row["team_id"]) and key.agent_id in (None, named)
    if known:
        return row
    if "agent_id" in call.path and key.agent_id in (None, named):
        raise NotFound("agent")
    raise Forbidden("agent_unknown", "The key knows no such agent; register it, or send the id it registered with.")


def _refuse_inactive(row: Row) -> None:
    if row["status"] == "pending":
        raise Forbidden("agent_not_approved", "The agent waits for approval by a Solution Architect; poll its status.")
    if row["status"] == "stopped":
        raise Forbidden("agent_stopped", "The agent was stopped; a Solution Architect can resume it.")


def _judge_card(call: Call, card: Row, gate: Gate) -> None:
    if gate.reads or gate.archived:
        return
    if card["archived_at"]:
        raise Conflict("archived_parent", "The card is archived; restore it before you change it.")
    if gate.comments and not card["comments_enabled"]:
        raise BadRequest("comments_disabled", "Cards of this type take no comments.")
    if gate.flags:
        judge_column(card, gate.flags)
        leases.judge(card, call.now, call.agent_id, call.claim_token)


def judge_column(column: Row, flags: tuple[str, ...]) -> None:
    """Refuse an agent where the column does not have the flags on (the column gate)."""
    if PICKUP in flags and not column[PICKUP]:
        raise Forbidden("agent_pickup_disabled", "Agents may not work on cards in this column.")
    if MODERATE in flags and not column[MODERATE]:
        raise Forbidden("agent_cannot_moderate", "Agents may only comment on cards in this column.")
