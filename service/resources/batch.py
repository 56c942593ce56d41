"""Batches: many changes of cards in one request, each as if alone (contract, section 7: writes in bulk)."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

import orjson
from pydantic import MISSING, Field, model_validator

from ..auth import authorization, card_keys
from ..auth.context import Call, CardCall
from ..auth.policies import Policy, member
from ..database.queries import sql
from ..domain import pattern_prechecks
from ..errors import NotFound, ServiceError, TooExpensive
from ..http.responses import Answer
from ..pipeline import parsing
from ..pipeline.routing import routes
from ..schemas import Id, Input, ModeQuery, Output
from ..tracebacks import drop_tracebacks
from . import card_lifecycle, cards, moves
from .undo import single_change

OPERATIONS_MAX = 100
VALUES_BYTES_MAX = 4 << 20  # of cards in the answer; those beyond come without their field values
KINDS = ("move", "edit", "archive", "undo")


class Operation(Input):
    """One change of one card: exactly one of move, edit, archive and undo."""

    card_id: Id
    if_match: Annotated[str, Field(max_length=200)] | None = None
    move: moves.Move | MISSING = MISSING
    edit: cards.CardEdit | MISSING = MISSING
    archive: Literal[True] | MISSING = MISSING
    undo: single_change.ChangeUndo | MISSING = MISSING

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if len(self.model_fields_set & set(KINDS)) != 1:
            raise ValueError("must have exactly one of move, edit, archive and undo")
        if self.if_match is not None:
            parsing.tags(self.if_match)
        return self


class Batch(Input):
    operations: Annotated[list[Operation], Field(min_length=1, max_length=OPERATIONS_MAX)]


class Refused(Output):
    """Why one change was refused: what the error would be if it was asked for alone."""

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
    """What became of each change, in the order in which they were asked for."""

    results: list[Changed | Unchanged]


@routes.post(
    "/organizations/{org_id}/cards/batch",
    member(),
    bulk=True,
    before=pattern_prechecks.precheck_patterns,
    answers=Results,
)
def apply_batch(call: Call, org_id: str, body: Batch) -> Answer:
    """Move, edit, archive up to 100 cards at once, or undo that: each change as if alone, in order, in one transaction.

    Each asks for what its own route asks for (transition, update, delete), with `ifMatch` for If-Match, and is told
    apart: the card as it is then, or the error with its status. None is undone by another's refusal. Cards are shown
    with their field values until these have 4 MiB together. If all take more than a second, or have more than 64 MiB of
    changes, none is made (503 `too_expensive`): send fewer at a time.

    `undo` takes a change back whose moment (`at`) the card's history tells (createdAt; `updatedAt` of the card right
    after it): a move, an edit, an archiving, also what was undone. It asks for the right to change the card so, and
    for a way only if somebody else had moved it and the caller is no SA; a WIP limit holds. The card stands behind
    `afterCardId` (null: at the top) if that is still in its column, else at the end; history has one row more
    (`undone`). If somebody changed the same since it is left: 409 `conflict`, `details.kept` says who.
    """
    return Answer(b'{"results":[' + b",".join(_apply_operations(call, body.operations)) + b"]}")


def _apply_operations(call: Call, operations: list[Operation]) -> Iterator[bytes]:
    room = VALUES_BYTES_MAX
    for one in operations:
        try:
            with call.tx.savepoint():  # what it wrote before it was refused is taken back
                card_id = _apply_operation(call, one)
                card = cards.encode_within(call, card_id, room)
            room -= len(card)
            yield b'{"cardId":' + orjson.dumps(card_id) + b',"card":' + card + b"}"
        except TooExpensive:  # of the batch: its changes have one second and one bound together
            raise
        except ServiceError as error:
            told = Refused(status=error.status, code=error.code, message=error.message, details=error.details)
            drop_tracebacks(error)
            yield Unchanged(card_id=one.card_id, error=told).encode()


def _apply_operation(call: Call, one: Operation) -> str:
    """Make one change as its own route would, and give the id of its card."""
    card_id = card_keys.card_id(call, one.card_id)
    row = call.tx.one(sql.cards.get, card_id=card_id)
    if row is None or row["org_id"] != call.org_id:
        raise NotFound("card")
    policy, work = _find_policy_and_handler(one)
    versions = parsing.tags(one.if_match) if one.if_match else None
    path, outcomes = {"card_id": card_id}, call.outcomes
    own = CardCall(call.tx, call.caller, call.service, path, call.revision, writes=True, outcomes=outcomes)
    own.versions = versions
    try:
        authorization.authorize(own, policy)
    except ServiceError as error:
        raise (policy.explain(own, error, one.move) if policy.explain else error) from None
    work(own, card_id)
    return card_id


def _find_policy_and_handler(one: Operation) -> tuple[Policy, Any]:
    """Give the policy and the work of a change: those of its own route."""
    if one.move is not MISSING:
        return moves.BY_PERSON, lambda call, card_id: moves.move(call, card_id, one.move)
    if one.edit is not MISSING:
        return cards.UPDATE_POLICY, lambda call, card_id: cards.update_card(call, card_id, one.edit)
    if one.undo is not MISSING:
        return single_change.POLICY, lambda call, card_id: single_change.undo_change(call, card_id, one.undo)
    return card_lifecycle.DELETE_POLICY, lambda call, card_id: card_lifecycle.delete_card(call, card_id, ModeQuery())
