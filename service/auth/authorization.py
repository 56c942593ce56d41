"""Authorization: `authorize` and `authorization_errors` are the only functions that evaluate route policies.

Order of checks: credential, visibility, SA policy, permission row, import, replay, job, freeze, column policy, claim,
If-Match. The rules of a resource follow in its own module. Cards, columns, agents and memberships are read in the
transaction of the request, so a decision cannot be outdated when the change is written.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import orjson

from ..database.queries import sql
from ..database.store import Row
from ..errors import BadRequest, Conflict, Forbidden, Locked, NotFound, PreconditionFailed, ServiceError
from ..http.responses import etag
from ..schemas import Actor
from . import agent_identity, archived_boards, busy_resources, card_keys, import_locks, leases
from .authentication import Key, Person, revalidate
from .context import Call, CardCall, FileCall, Membership, MoveRequestCall
from .policies import CARD, MODERATE, PICKUP, SA, Policy, agent_where, may

R = TypeVar("R")
_ANY_WRITE = agent_where(PICKUP)


def authorize(call: Call, policy: Policy, replay: Callable[[Call], None] | None = None) -> None:
    """Check a request against its policy, and set organization, membership, actor and card of the call.

    Raise the error that the caller is allowed to see. `replay` returns the stored response of a repeated request: it
    runs after the checks of the caller and before those of the card, which may have changed since the first request.
    """
    call.caller = revalidate(call.tx, call.caller)
    try:
        _authorize_caller(call, policy)
    except NotFound:
        if replay is not None and isinstance(call, CardCall) and not call.has_card:
            _replay_deletion(call, policy, replay)
        elif replay is not None:
            _replay_deletion_of_organization(call, replay)
        raise
    import_locks.require_unlocked(call.tx, call.org_id)
    if replay is not None:
        replay(call)
    if call.tx.writes and _writes_to_resource(call, policy):
        _require_idle(call)
    if not policy.allows_during_freeze:
        _check_freeze(call)
    if isinstance(call, CardCall):
        _check_card(call, call.card, policy)
        if call.versions is not None:
            _check_version(call.card, call.versions)
        if call.is_agent and call.tx.writes:
            call.card = leases.renew_if_holder(call, call.card)
        call.card = hide_claim_secrets(call, call.card)


def _authorize_caller(call: Call, policy: Policy) -> None:
    if isinstance(call.caller, Key):
        _authorize_agent(call, call.caller, policy)
    elif isinstance(call.caller, Person):
        _authorize_person(call, call.caller, policy)
    _check_role(call, policy)


def _replay_deletion(call: CardCall, policy: Policy, replay: Callable[[Call], None]) -> None:
    """Replay the stored response of a request whose card does not exist: the first request may have deleted it."""
    without_card = Call(**call.get_values())
    if catch_error(partial(_authorize_caller, without_card, policy)) is None:
        replay(without_card)


def _replay_deletion_of_organization(call: Call, replay: Callable[[Call], None]) -> None:
    """Replay the stored response of a request whose organization does not exist: the first one may have deleted it."""
    is_deleted = call.org_id and call.tx.one(sql.organizations.get, org_id=call.org_id) is None
    if is_deleted and isinstance(call.caller, Person):
        call.actor = Actor("User", call.caller.user_id, call.caller.name)
        replay(call)


def _require_idle(call: Call) -> None:
    """Raise conflict if a job is changing a resource in the path."""
    named = {**call.path, "org_id": None}
    if isinstance(call, CardCall):
        named |= {"card_id": call.card["id"], "card_project_id": call.card["project_id"]}
    busy_resources.require_idle(call, **named)


def authorization_errors(call: CardCall, policy: Policy) -> list[ServiceError]:
    """List the errors that a write with this policy to the same card would raise, in the order of `authorize`."""
    card = call.card
    checks: list[Callable[[], None]] = [partial(_check_freeze, call, True), partial(_check_card_state, card, policy)]
    checks += [partial(check_column_policy, card, (flag,)) for flag in policy.flags]
    checks += [partial(leases.require_claim, call, card)] if policy.flags else []
    return missing_permissions(call, policy) + [error for error in map(catch_error, checks) if error is not None]


def require_permission(call: Call, action: str, resource: str) -> None:
    """Raise permission_denied unless a person's role may do something that only part of a request needs."""
    _check_role(call, may(action, resource))


def missing_permissions(call: Call, policy: Policy) -> list[ServiceError]:
    """List the permission errors of a person's role for a policy, independent of the card."""
    error = catch_error(partial(_check_role, call, policy))
    return [] if error is None else [error]


def catch_error(check: Callable[[], None]) -> ServiceError | None:
    """Return the error that a check raises, or None if it passes."""
    try:
        check()
    except ServiceError as error:
        return error
    return None


def create_card_call(call: Call, card_id: str) -> CardCall:
    """Return a copy of a call with the current state of a card of the organization and all that lies on it."""
    found = CardCall(**call.get_values())
    card = call.tx.one(sql.cards.get_full, card_id=card_id)
    assert card is not None
    found.card = hide_claim_secrets(call, card)
    if call.tx.writes:
        busy_resources.require_idle(call, card_id=card_id, card_project_id=card["project_id"])
    return found


def hide_claim_secrets(call: Call, card: leases.CardRow) -> leases.CardRow:
    """Return a card with its claim as the caller may see it: only a live one, with its token only for its holder."""
    return card if card["claim"] is None else leases.hide_secrets(call, card)


def _check_role(call: Call, policy: Policy) -> None:
    membership = call.membership
    if membership is None:
        return
    if policy.requires_architect and membership.role != SA:
        raise Forbidden("sa_required", "Only a Solution Architect may do this; ask one of the organization.")
    admitting = [resource for resource in (policy.resource, policy.or_resource) if resource]
    if admitting and not any(policy.action in membership.actions.get(resource, ()) for resource in admitting):
        raise _not_permitted(policy.action, policy.resource)
    if policy.and_resource and policy.action not in membership.actions.get(policy.and_resource, ()):
        raise _not_permitted(policy.action, policy.and_resource)


def _authorize_person(call: Call, caller: Person, policy: Policy) -> None:
    if not policy.requires_organization:
        call.actor = Actor("User", caller.user_id, caller.name)
        return
    call.org_id = call.path.get("org_id") or call.named_org_id or caller.org_id or ""
    card = _load_card(call, policy)
    call.org_id = card["org_id"] if card else call.org_id
    membership = _find_membership(call, caller.user_id)
    if policy.allows_without_organization and _needs_no_organization(call, membership):
        call.org_id, call.actor = "", Actor("User", caller.user_id, caller.name)
        return
    if membership is None:
        raise NotFound(policy.about or "organization")
    call.membership, call.actor = membership, membership.actor
    if (
        card
        and card["project_archived_at"]
        and (not policy.allows_archived_boards or missing_permissions(call, policy))
    ):
        raise archived_boards.not_found_on_board(call, str(policy.about))


def _needs_no_organization(call: Call, membership: Membership | None) -> bool:
    """Return whether the request needs no membership: it is about another organization, or the person has none."""
    return call.path.get("type") == "organization" or (membership is None and call.named_org_id is None)


def _load_card(call: Call, policy: Policy) -> "sql.cards.GetRow | None":
    """Load the card of a call, directly or through its file or move request; return None if the route has no card."""
    if not isinstance(call, CardCall):
        return None
    if isinstance(call, FileCall):
        call.file = _require_found(call.tx.one(sql.files.get, file_id=call.path["file_id"]), policy)
        card_id = call.file["card_id"]
    elif isinstance(call, MoveRequestCall):
        request_id = call.path["move_request_id"]
        call.move_request = _require_found(call.tx.one(sql.move_requests.get, move_request_id=request_id), policy)
        card_id = call.move_request["card_id"]
    else:
        card_id = call.path["card_id"] = card_keys.resolve_card_id(call, call.path["card_id"])
    statement = sql.cards.get_full if policy.loads_whole_card else sql.cards.get
    call.card = _require_found(call.tx.one(statement, card_id=card_id), policy)
    return call.card


def _require_found(row: R | None, policy: Policy) -> R:
    if row is None:
        raise NotFound(str(policy.about))
    return row


def _find_membership(call: Call, user_id: str) -> Membership | None:
    row = call.tx.one(sql.access.get_membership, user_id=user_id, org_id=call.org_id)
    if row is None:
        return None
    return Membership(row["role"], Actor("User", user_id, row["label"]), orjson.loads(row["actions"]))


def _not_permitted(action: str | None, resource: str | None) -> Forbidden:
    message = f"Your role may not {action} here; a Solution Architect can grant it."
    return Forbidden(None, message, resource=resource, action=action)


def _authorize_agent(call: Call, key: Key, policy: Policy) -> None:
    if call.path.get("org_id", key.org_id) != key.org_id:
        raise Forbidden("cross_organization", "The key belongs to another organization; use that organization's id.")
    call.org_id = key.org_id
    call.actor = agent_identity.resolve_actor(call, key, policy)
    card = _load_card(call, policy)
    if card and (card["org_id"] != key.org_id or card["project_archived_at"]):
        raise NotFound(str(policy.about))


def _check_freeze(call: Call, writes: bool = False) -> None:
    """Raise frozen if an agent writes while the organization is frozen."""
    row = find_active_freeze(call) if call.is_agent and (writes or call.writes) else None
    if row is None:
        return
    end = f"until {row['until']}" if row["until"] else "until a Solution Architect ends the freeze"
    message = f"Agents may only read here; wait {end} (reason: {row['reason']})."
    raise Locked(None, message, reason=row["reason"], until=row["until"])


def find_active_freeze(call: Call) -> Row | None:
    """Return the freeze of the organization, or None if there is none or it has expired."""
    row = call.tx.one(sql.freeze.get, org_id=call.org_id)
    return row if row and (row["until"] is None or row["until"] > call.now) else None


def _check_card(call: Call, card: "sql.cards.GetRow", policy: Policy) -> None:
    if policy.allows_archived_cards or not _writes_to_resource(call, policy):
        return
    _check_card_state(card, policy)
    check_column_policy(card, policy.flags)
    if (policy.flags or policy.requires_own_claim) and not policy.requires_comments:
        leases.require_claim(call, card)


def _writes_to_resource(call: Call, policy: Policy) -> bool:
    """Return whether a request writes to the resource in its path, even if it needs only the permission to read it."""
    return not policy.reads or (call.writes and policy.about == CARD)  # a move request reports its own state instead


def _check_card_state(card: "sql.cards.GetRow", policy: Policy) -> None:
    if card["archived_at"]:
        raise Conflict("archived_parent", "The card is archived; restore it before you change it.")
    if policy.requires_comments and not card["comments_enabled"]:
        raise BadRequest("comments_disabled", "Cards of this type take no comments.")


def _check_version(card: "sql.cards.GetRow", versions: frozenset[str]) -> None:
    """Raise precondition_failed if a write is for another version of the card."""
    if etag(card["version"]) in versions:
        return
    message = "The card has changed since; read it again, and send the change with its new ETag."
    raise PreconditionFailed(None, message, version=card["version"])


def check_card_write(call: Call, card: "sql.cards.GetRow") -> None:
    """Raise the error if an agent may not write to a card that is not the card of its route."""
    if call.is_agent:
        _check_card_state(card, _ANY_WRITE)
        check_column_policy(card, _ANY_WRITE.flags)
        leases.require_claim(call, card)


def check_column_policy(column: Row, flags: tuple[str, ...]) -> None:
    """Raise agent_pickup_disabled or agent_cannot_moderate if the column does not have the flags on."""
    if PICKUP in flags and not column[PICKUP]:
        raise Forbidden("agent_pickup_disabled", "Agents may not work on cards in this column.")
    if MODERATE in flags and not column[MODERATE]:
        raise Forbidden("agent_cannot_moderate", "Agents may only comment on cards in this column.")
