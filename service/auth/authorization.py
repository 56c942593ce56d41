"""Authorization: `authorize` and `authorization_errors` are the only functions that evaluate route policies.

The rules are in the contract, section 2.

Order of checks: credential, visibility, SA policy, permission row, import, replay, job, freeze, column policy, claim,
If-Match; the rules of the resource itself come after, in its module. Cards, columns and agents are read in the
transaction of the request, so nothing slips between the judgement and the deed; a person's
role comes from memory, which forgets it with the commit of any change, before anybody hears
of that change.
"""

from collections.abc import Callable
from dataclasses import fields
from functools import partial

import orjson

from ..database.queries import sql
from ..database.store import Row
from ..errors import BadRequest, Conflict, Forbidden, Locked, NotFound, PreconditionFailed, ServiceError
from ..http.responses import etag
from ..schemas import Actor
from . import agent_identity, busy_resources, card_keys, import_locks, leases
from .authentication import Key, Person, renewed
from .context import Call, CardCall, FileCall, Membership, MoveRequestCall
from .policies import CARD, MODERATE, PICKUP, SA, Policy, agent_where

_ANY_WRITE = agent_where(PICKUP)


def authorize(call: Call, policy: Policy, replay: Callable[[Call], None] | None = None) -> None:
    """Judge one request and fill in organization, membership, actor and card; raise what the caller may know.

    A request that was answered before is answered so again, whatever became of its card since: `replay` comes
    after what the caller may do, and before what the card allows.
    """
    call.caller = renewed(call.tx, call.caller)
    if isinstance(call.caller, Key):
        _admit_agent(call, call.caller, policy)
    elif isinstance(call.caller, Person):
        _admit_person(call, call.caller, policy)
    _judge_seat(call, policy)
    import_locks.judge(call.tx, call.org_id)
    if replay is not None:
        replay(call)
    if not policy.reads and call.tx.writes:
        _require_idle(call)
    if not policy.in_freeze:
        _judge_freeze(call)
    if isinstance(call, CardCall):
        _judge_card(call, call.card, policy)
        if call.versions is not None:
            _judge_version(call.card, call.versions)
        if call.is_agent and call.tx.writes:
            call.card = leases.prolong(call, call.card)
        call.card = as_seen(call, call.card)


def _require_idle(call: Call) -> None:
    """Deny a write to what a job is at work on."""
    card_project_id = call.card["project_id"] if isinstance(call, CardCall) else None
    busy_resources.require_idle(call, card_project_id=card_project_id, **{**call.path, "org_id": None})


def authorization_errors(call: CardCall, policy: Policy) -> list[ServiceError]:
    """List all that keeps a caller from a write to the same card at the policy of that route, in the order of admit."""
    card = call.card
    checks: list[Callable[[], None]] = [partial(_judge_freeze, call, True), partial(_judge_state, card, policy)]
    checks += [partial(judge_column, card, (flag,)) for flag in policy.flags]
    checks += [partial(leases.judge, card, call.now, call.agent_id, call.claim_token)] if policy.flags else []
    return missing_permissions(call, policy) + [error for error in map(error_of, checks) if error is not None]


def missing_permissions(call: Call, policy: Policy) -> list[ServiceError]:
    """List what a person's role lacks for a policy, whatever the card."""
    error = error_of(partial(_judge_seat, call, policy))
    return [] if error is None else [error]


def error_of(check: Callable[[], None]) -> ServiceError | None:
    """Give what a check raises, or None if it passes."""
    try:
        check()
    except ServiceError as error:
        return error
    return None


def about(call: Call, card_id: str) -> CardCall:
    """Give a call that is about a card of its organization, as that stands now."""
    found = CardCall(*(getattr(call, field.name) for field in fields(Call)))
    card = call.tx.one(sql.cards.get, card_id=card_id)
    assert card is not None
    found.card = as_seen(call, card)
    if call.tx.writes:
        busy_resources.require_idle(call, card_project_id=card["project_id"])
    return found


def as_seen(call: Call, card: Row) -> Row:
    """Give a card with its claim as the caller may see it: while it lives, and the token to its holder only."""
    return card if card["claim"] is None else leases.shown(card, call.now, call.agent_id)


def _judge_seat(call: Call, policy: Policy) -> None:
    membership = call.membership
    if membership is None:
        return
    if policy.sa and membership.role != SA:
        raise Forbidden("sa_required", "Only a Solution Architect may do this; ask one of the organization.")
    if policy.resource and policy.action not in membership.actions.get(policy.resource, ()):
        raise _not_permitted(policy)


def _admit_person(call: Call, caller: Person, policy: Policy) -> None:
    if not policy.organization:
        call.actor = Actor("User", caller.user_id, caller.name)
        return
    call.org_id = call.path.get("org_id") or call.named_org_id or caller.org_id or ""
    card = _found(call, policy)
    call.org_id = card["org_id"] if card else call.org_id
    membership = _membership(call, caller.user_id)
    if policy.allow_without_organization and _is_homeless(call, membership):
        call.org_id, call.actor = "", Actor("User", caller.user_id, caller.name)
        return
    if membership is None or (card and card["project_archived_at"] and not policy.archived):
        raise NotFound(policy.about or "organization")
    call.membership, call.actor = membership, membership.actor


def _is_homeless(call: Call, membership: Membership | None) -> bool:
    """Tell whether a role in the current organization has no say: there is none, or it is about another one."""
    return call.path.get("type") == "organization" or (membership is None and call.named_org_id is None)


def _found(call: Call, policy: Policy) -> Row | None:
    """Find the card that a call is about, itself or by what hangs on it; None if it is about none."""
    if not isinstance(call, CardCall):
        return None
    if isinstance(call, FileCall):
        call.file = _there(call.tx.one(sql.files.get, file_id=call.path["file_id"]), policy)
        card_id = call.file["card_id"]
    elif isinstance(call, MoveRequestCall):
        request_id = call.path["move_request_id"]
        call.move_request = _there(call.tx.one(sql.move_requests.get, move_request_id=request_id), policy)
        card_id = call.move_request["card_id"]
    else:
        card_id = call.path["card_id"] = card_keys.card_id(call, call.path["card_id"])
    call.card = _there(call.tx.one(sql.cards.get, card_id=card_id), policy)
    return call.card


def _there(row: Row | None, policy: Policy) -> Row:
    if row is None:
        raise NotFound(str(policy.about))
    return row


def _membership(call: Call, user_id: str) -> Membership | None:
    row = call.tx.one(sql.access.get_membership, user_id=user_id, org_id=call.org_id)
    if row is None:
        return None
    return Membership(row["role"], Actor("User", user_id, row["label"]), orjson.loads(row["actions"]))


def _not_permitted(policy: Policy) -> Forbidden:
    message = f"Your role may not {policy.action} here; a Solution Architect can grant it."
    return Forbidden(None, message, resource=policy.resource, action=policy.action)


def _admit_agent(call: Call, key: Key, policy: Policy) -> None:
    if call.path.get("org_id", key.org_id) != key.org_id:
        raise Forbidden("cross_organization", "The key belongs to another organization; use that organization's id.")
    call.org_id = key.org_id
    call.actor = agent_identity.actor(call, key, policy)
    card = _found(call, policy)
    if card and (card["org_id"] != key.org_id or card["project_archived_at"]):
        raise NotFound(str(policy.about))


def _judge_freeze(call: Call, writes: bool = False) -> None:
    """Refuse an agent's write while the organization is frozen."""
    row = freeze_of(call) if call.is_agent and (writes or call.writes) else None
    if row is None:
        return
    end = f"until {row['until']}" if row["until"] else "until a Solution Architect ends the freeze"
    message = f"Agents may only read here; wait {end} (reason: {row['reason']})."
    raise Locked(None, message, reason=row["reason"], until=row["until"])


def freeze_of(call: Call) -> Row | None:
    """Give the freeze of the organization, unless its time is up: the clock ends it, and nobody has to."""
    row = call.tx.one(sql.freeze.get, org_id=call.org_id)
    return row if row and (row["until"] is None or row["until"] > call.now) else None


def _judge_card(call: Call, card: Row, policy: Policy) -> None:
    writes = not policy.reads or (call.writes and policy.about == CARD)  # of a request its own state is told instead
    if policy.archived or not writes:
        return
    _judge_state(card, policy)
    judge_column(card, policy.flags)
    if (policy.flags or policy.own_claim) and not policy.comments:
        leases.judge(card, call.now, call.agent_id, call.claim_token)


def _judge_state(card: Row, policy: Policy) -> None:
    if card["archived_at"]:
        raise Conflict("archived_parent", "The card is archived; restore it before you change it.")
    if policy.comments and not card["comments_enabled"]:
        raise BadRequest("comments_disabled", "Cards of this type take no comments.")


def _judge_version(card: Row, versions: frozenset[str]) -> None:
    """Refuse a write that is for another version of the card; after all policies, before the rules of the resource."""
    if etag(card["version"]) in versions or card["project_archived_at"]:  # that one is about to be 404
        return
    message = "The card has changed since; read it again, and send the change with its new ETag."
    raise PreconditionFailed(None, message, version=card["version"])


def judge_write(call: Call, card: Row) -> None:
    """Refuse an agent that may not write to a card of its organization that its route is not itself about."""
    if call.is_agent:
        _judge_state(card, _ANY_WRITE)
        judge_column(card, _ANY_WRITE.flags)
        leases.judge(card, call.now, call.agent_id, call.claim_token)


def judge_column(column: Row, flags: tuple[str, ...]) -> None:
    """Refuse an agent where the column does not have the flags on (the column policy)."""
    if PICKUP in flags and not column[PICKUP]:
        raise Forbidden("agent_pickup_disabled", "Agents may not work on cards in this column.")
    if MODERATE in flags and not column[MODERATE]:
        raise Forbidden("agent_cannot_moderate", "Agents may only comment on cards in this column.")
