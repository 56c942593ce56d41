"""Transfers of cards to other boards."""

from contextlib import suppress

from ..auth import authorization
from ..auth.context import Call, CardCall
from ..auth.policies import CARD, may
from ..database.queries import sql
from ..database.store import Row
from ..domain import carried_values, patterns, ranks
from ..errors import ServiceError, invalid
from ..pipeline import reference_errors
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Id, Input
from ..text.comparison import fold_name
from . import card_lifecycle, card_types, cards, claims, history, moves, questions

PARTS_MAX = 50  # of a card, because all cards change in one transaction


class Transfer(Input):
    project_id: Id
    column_id: Id | None = None
    card_type_id: Id | None = None
    with_parts: bool = False


async def _precheck_patterns(operation: Operation[CardCall]) -> None:
    """Match the values that the cards keep on the other board with the patterns of their fields."""
    body = operation.parsed.inputs["body"]
    org_id, pairs = await operation.read(lambda call: (call.org_id, _list_unmatched(call, body)))
    await patterns.match_pairs(pairs, operation.outcomes, org_id)


def _list_unmatched(call: CardCall, body: Transfer) -> list[tuple[str, str]]:
    with suppress(ServiceError):  # is raised by the transfer
        found = [_plan_values(call, card, _find_type_id(call, card, body)) for card in _list_cards(call, body)]
        return [pair for carried in found if carried for pair in carried.unmatched]
    return []


@routes.post(
    "/cards/{card_id}/transfer",
    may("update", "Card", CARD, supports_if_match=True, loads_whole_card=True),
    before=_precheck_patterns,
    grows=False,
)
def transfer_card(call: CardCall, card_id: str, body: Transfer) -> cards.Card:
    """Transfer a card to another board of the organization: it keeps its id and its former keys, and gets a new key.

    Needs the permissions for Card `update` and `create`. The card comes to the end of the given column, else of the
    first column where the caller may create cards. It keeps its type if the board can use it, else it gets `cardTypeId`
    or the type of the same title, else 400 with the types in `details.options`. Its values follow the rules of a new
    type (see PATCH). The column has the rules of a move (WIP limit, required fields, blocked cards), but no transition
    is needed. Comments, files, relations and history stay; a claim, an open move request and open questions end. A card
    that comes back to a board gets its former key there.

    With `withParts`, the active parts on the same board, at most 50, come to the same column, all or none; otherwise
    they stay where they are, and remain parts.
    """
    for error in authorization.missing_permissions(call, may("create", "Card")):
        raise error
    if body.project_id == call.card["project_id"]:
        raise invalid("projectId", "is the board that the card is on; name another one, or move the card")
    column = card_lifecycle.require_destination(call, body.project_id, body.column_id)
    for card in _list_cards(call, body):
        try:
            _transfer(call, card, column, _find_type_id(call, card, body))
        except ServiceError as error:
            error.details |= {"cardId": card["id"], "cardKey": card["key"]}
            raise
    return cards.get_card(call, card_id)


def _list_cards(call: CardCall, body: Transfer) -> list[Row]:
    """Return the card and the parts that go along with it."""
    card = call.card
    if not body.with_parts:
        return [card]
    ids = call.tx.all(sql.relationships.list_part_ids, card_id=card["id"], project_id=card["project_id"])
    if len(ids) > PARTS_MAX:
        raise invalid("withParts", f"takes at most {PARTS_MAX} parts along, and this card has {len(ids)}; leave it out")
    rows = (call.tx.one(sql.cards.get_full, card_id=row["card_id"]) for row in ids)
    return [card, *(authorization.hide_claim_secrets(call, row) for row in rows if row is not None)]


def _find_type_id(call: CardCall, card: Row, body: Transfer) -> str:
    """Return the type of a card on another board; `cardTypeId` counts for parts if their own has no counterpart."""
    if body.card_type_id is not None:
        given = card_types.require_usable_type(call, body.card_type_id, body.project_id)
        if card["id"] == call.card["id"]:
            return str(given["id"])
    usable = call.tx.all(sql.card_types.list, org_id=call.org_id, project_id=body.project_id)
    title = str((card_types.find_card_type(call, card["card_type_id"]) or {"title": ""})["title"])
    for is_counterpart in (
        lambda row: row["id"] == card["card_type_id"],
        lambda row: row["title"] == title,
        lambda row: fold_name(row["title"]) == fold_name(title),
        lambda row: row["id"] == body.card_type_id,
    ):
        if found := next(filter(is_counterpart, usable), None):
            return str(found["id"])
    problem = f"is needed: the board has no card type {title!r}; name one of its types"
    raise reference_errors.unknown_card_type(call, "cardTypeId", body.project_id, problem)


def _plan_values(call: Call, card: Row, card_type_id: str) -> carried_values.CarriedValues | None:
    """Return what becomes of the values of a card; None if it keeps its type."""
    call.tx.count_changes(card["field_values"])
    if card_type_id == card["card_type_id"]:
        return None
    return carried_values.plan_carried_values(call, card["id"], card_type_id)


def _transfer(call: Call, card: Row, column: "sql.columns.GetRow", card_type_id: str) -> None:
    """Transfer one card to a column of another board, with a row of its history."""
    carried = _plan_values(call, card, card_type_id)
    _check_column(call, card, column["id"], card_type_id, carried)
    end_work_of_agents(call, card)
    number = take_number(call, card, column["project_id"])
    place = {"project_id": column["project_id"], "column_id": column["id"], "card_type_id": card_type_id}
    rank_key = ranks.get_rank_at_end(call, column["id"])
    call.tx.run(sql.cards.transfer, card_id=card["id"], number=number, rank_key=rank_key, now=call.now, **place)
    if carried is not None:
        carried_values.write_carried_values(call, card["id"], carried)
    names = {"projectId": "project_id", "columnId": "column_id", "cardTypeId": "card_type_id"}
    changes = {name: (card[key], place[key]) for name, key in names.items() if card[key] != place[key]}
    changes["key"] = (card["key"], cards.get_card(call, card["id"]).key)
    history.record(call, card["id"], "transferred", changes | (carried.changes if carried else {}))


def _check_column(
    call: Call,
    card: Row,
    column_id: str,
    card_type_id: str,
    carried: carried_values.CarriedValues | None,
) -> None:
    """Raise the first blocker of a move into a column by a card with another type; no transition is needed."""
    after = {**card, "card_type_id": card_type_id}
    if carried is not None:
        after["filled_field_ids"] = carried.kept.keys()
    destination = moves.require_destination_column(call, after, column_id)
    found = moves.list_blockers(call, after, destination)
    moves.raise_first_blocker([error for error in found if error.code not in moves.TRANSITION_BLOCKERS])


def end_work_of_agents(call: Call, card: Row) -> None:
    """End the claim and the open questions of a card that leaves its board; its move request ends with its column."""
    claims.end_claim_with_history(call, card)
    questions.withdraw_questions(call, card["id"])


def take_number(call: Call, card: Row, project_id: str) -> int:
    """Return the number of a card on another board, its former one if it was there, and keep its present key."""
    former: int | None = call.tx.value(sql.former_card_keys.find_number, card_id=card["id"], project_id=project_id)
    present = {"project_id": card["project_id"], "number": card["number"]}
    call.tx.run(sql.former_card_keys.create, card_id=card["id"], **present)
    if former is not None:
        call.tx.run(sql.former_card_keys.delete, project_id=project_id, number=former)
        return former
    (project,) = call.tx.all(sql.projects.next_number, project_id=project_id)
    return int(project["last_number"])
