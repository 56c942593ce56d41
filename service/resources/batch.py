"""Batches: many changes of cards in one request, each checked like a single change."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, Any, Literal, Self

import orjson
from pydantic import MISSING, Field, model_validator

from ..auth import authorization, card_keys
from ..auth.context import Call, CardCall
from ..auth.policies import Policy, member
from ..database.queries import sql
from ..domain import carried_values, pattern_prechecks, patterns
from ..errors import BadRequest, NotFound, ServiceError, TooExpensive
from ..http.responses import Answer
from ..pipeline import growth, parsing
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Id, Input, ModeQuery, Output
from ..tracebacks import drop_tracebacks
from . import card_lifecycle, cards, moves
from .undo import single_change

OPERATIONS_MAX = 100
VALUES_BYTES_MAX = 4 << 20  # of cards in the response; further cards are returned without their field values
KINDS = ("move", "edit", "archive", "undo")


class BatchOperation(Input):
    """One change of one card: exactly one of move, edit, archive and undo."""

    card_id: Id
    if_match: Annotated[str, Field(max_length=200)] | None = None
    move: moves.Move | MISSING = MISSING
    edit: cards.CardEdit | MISSING = MISSING
    archive: Literal[True] | MISSING = MISSING
    undo: single_change.ChangeUndo | MISSING = MISSING

    @model_validator(mode="after")
    def _require_one_kind(self) -> Self:
        if len(self.model_fields_set & set(KINDS)) != 1:
            raise ValueError("must have exactly one of move, edit, archive and undo")
        if self.if_match is not None:
            parsing.parse_entity_tags(self.if_match)
        return self


class Batch(Input):
    operations: Annotated[list[BatchOperation], Field(min_length=1, max_length=OPERATIONS_MAX)]


class Refused(Output):
    """Why a change failed: the error that a single request for it would return."""

    status: int
    code: str
    message: str
    details: dict[str, Any]


class Changed(Output):
    card_id: str
    card: cards.Card | cards.CardSummary


class Unchanged(Output):
    card_id: str
    error: Refused


class Results(Output):
    """The result of each change, in the order of the request."""

    results: list[Changed | Unchanged]


async def _precheck_patterns(operation: Operation[Call]) -> None:
    """Match the new values, those that a new type keeps, and those that an undo restores, with their patterns."""
    await pattern_prechecks.precheck_patterns(operation)
    operations = operation.parsed.inputs["body"].operations
    named = [item for item in operations if item.undo is not MISSING or _get_new_type(item)]
    if named:
        org_id, pairs = await operation.read(lambda call: (call.org_id, _list_unmatched(call, named)))
        await patterns.match_pairs(pairs, operation.outcomes, org_id)


def _get_new_type(operation: BatchOperation) -> str | None:
    return None if operation.edit is MISSING else operation.edit.changes().get("card_type_id")


def _list_unmatched(call: Call, operations: list[BatchOperation]) -> list[tuple[str, str]]:
    """Return the (pattern, text) pairs to match before the changes; errors are left to the changes."""
    found: list[tuple[str, str]] = []
    for operation in operations:
        with suppress(BadRequest):  # for example a text that can mean several cards
            card_id = card_keys.resolve_card_id(call, operation.card_id)
            card = call.tx.one(sql.cards.get, card_id=card_id)
            if card and card["org_id"] == call.org_id:
                found += _list_unmatched_of_card(call, card_id, operation)
    return found


def _list_unmatched_of_card(call: Call, card_id: str, operation: BatchOperation) -> list[tuple[str, str]]:
    if operation.undo is not MISSING:
        return single_change.list_unmatched(call, card_id, operation.undo)
    return carried_values.plan_carried_values(call, card_id, str(_get_new_type(operation))).unmatched


@routes.post(
    "/organizations/{org_id}/cards/batch",
    member(),
    before=_precheck_patterns,
    answers=Results,
    grows=False,  # moving and archiving go on; each edit and undo needs room
)
def apply_batch(call: Call, org_id: str, body: Batch) -> Answer:
    """Move, edit, archive or undo changes of up to 100 cards, in order and in one transaction.

    Each change needs the same permission as its own route (transition, update, delete) and has its own result: the card
    after the change, or the error with its status. A failed change does not affect the others. `ifMatch` stands for the
    header If-Match. Cards are returned with their field values until the response has 4 MiB of cards. If the whole
    batch takes more than one second, or has more than 64 MiB of changes, nothing is changed (503 `too_expensive`): send
    fewer changes at a time.

    `undo` reverts a move, an edit, an archiving or an earlier undo. `at` is the time of the change: `createdAt` of its
    row in the card's history, or `updatedAt` of the card right after it. It needs the permission for what it does, and
    a transition only if somebody else moved the card and the caller is not an SA. All other rules of a move and of an
    edit apply: WIP limits, required fields, blocked cards, options and patterns of fields. The card is placed
    below `afterCardId` (null: at the top) if that card is still in the column, else at the end. The history gets one
    row (`undone`). If somebody has changed the same value since: 409 `conflict`, with the author in `details.kept`.
    """
    return Answer(b'{"results":[' + b",".join(_apply_operations(call, body.operations)) + b"]}")


def _apply_operations(call: Call, operations: list[BatchOperation]) -> Iterator[bytes]:
    """Yield the result of each change as JSON."""
    bytes_left = VALUES_BYTES_MAX
    for operation in operations:
        try:
            with call.tx.savepoint():  # a failed change is rolled back, the others are not
                card_id = _apply_operation(call, operation)
                card = cards.encode_within(call, card_id, bytes_left)
            bytes_left -= len(card)
            yield b'{"cardId":' + orjson.dumps(card_id) + b',"card":' + card + b"}"
        except TooExpensive:  # the limits of time and size apply to the batch as a whole
            raise
        except ServiceError as error:
            failure = Refused(status=error.status, code=error.code, message=error.message, details=error.details)
            drop_tracebacks(error)
            yield Unchanged(card_id=operation.card_id, error=failure).encode()


def _apply_operation(call: Call, operation: BatchOperation) -> str:
    """Apply one change as its own route would, and return the id of its card."""
    card_id = card_keys.resolve_card_id(call, operation.card_id)
    row = call.tx.one(sql.cards.get, card_id=card_id)
    if row is None or row["org_id"] != call.org_id:
        raise NotFound("card")
    policy, handler = _get_policy_and_handler(operation)
    versions = parsing.parse_entity_tags(operation.if_match) if operation.if_match else None
    path, outcomes = {"card_id": card_id}, call.outcomes
    card_call = CardCall(
        tx=call.tx,
        caller=call.caller,
        service=call.service,
        path=path,
        revision=call.revision,
        writes=True,
        outcomes=outcomes,
    )
    card_call.versions = versions
    try:
        authorization.authorize(card_call, policy)
    except ServiceError as error:
        raise (policy.explain(card_call, error, operation.move) if policy.explain else error) from None
    if operation.edit is not MISSING or operation.undo is not MISSING:
        growth.require_room(card_call)
    handler(card_call, card_id)
    return card_id


def _get_policy_and_handler(operation: BatchOperation) -> tuple[Policy, Any]:
    """Return the policy and the handler of a change: those of its own route."""
    if operation.move is not MISSING:
        return moves.BY_PERSON, lambda call, card_id: moves.move_card(call, card_id, operation.move)
    if operation.edit is not MISSING:
        return cards.UPDATE_POLICY, lambda call, card_id: cards.update_card(call, card_id, operation.edit)
    if operation.undo is not MISSING:
        return single_change.POLICY, lambda call, card_id: single_change.undo_change(call, card_id, operation.undo)
    return card_lifecycle.DELETE_POLICY, lambda call, card_id: card_lifecycle.delete_card(call, card_id, ModeQuery())
