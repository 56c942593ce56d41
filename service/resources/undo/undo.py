"""Undo of the changes that one agent made to cards in a period, except those that others have changed since."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from pydantic import Field

from ...auth import busy_resources
from ...auth.context import Call
from ...auth.policies import architect
from ...database.queries import sql
from ...domain import carried_values, field_values, patterns, ranks
from ...errors import Conflict, invalid
from ...ids import new_id
from ...pipeline.pipeline import Operation
from ...pipeline.routing import routes
from ...schemas import Actor, Id, Input, Output, Timestamp, stored_json
from .. import claims, columns, history, transfers
from . import card_changes, rules

CARDS_MAX = 500  # all cards change in one transaction
SHOWN_CHARACTERS_MAX = 200  # longer texts are shortened in the response


class Undo(Input):
    agent_id: Id
    start: Timestamp = Field(alias="from")
    end: Timestamp | None = Field(None, alias="to")
    dry_run: bool = False


class Change(Output):
    """The current value and the restored value."""

    before: Any = Field(alias="from")
    after: Any = Field(alias="to")


class Kept(Output):
    """A change of the agent that is not undone, and the reason."""

    name: str = Field(description="As in history: title, columnId, fieldValues.<name>; `created` for the card itself.")
    reason: rules.Reason
    message: str
    by: Actor | None = Field(description="Author of the later change, if that is the reason.")
    at: str | None


class UndoneCard(Output):
    """Changes of one card that are undone, and those that are not."""

    card_id: str
    card_key: str
    title: str
    project_id: str
    changes: dict[str, Change]
    kept: list[Kept]


class Undone(Output):
    """Result of an undo, or with dryRun its preview: cards in the order in which the agent first changed them."""

    agent_id: str
    start: str = Field(alias="from")
    end: str | None = Field(alias="to")
    dry_run: bool
    cards: int = Field(description="Number of cards that change.")
    kept: int = Field(description="Number of changes of the agent that are not undone.")
    items: list[UndoneCard]


@routes.post("/organizations/{org_id}/undo", architect(), answers=Undone)
async def undo_agent_changes(operation: Operation[Call], org_id: str, body: Undo) -> Undone:
    """Undo the changes that an agent made to cards in a period (`to` defaults to now); SA. dryRun only previews it.

    Moves, field changes, archivings and creations are undone (a card that the agent created is archived), all in one
    transaction, with one history row (`undone`) and one event per card. Changes that cannot be undone are listed under
    `kept` with the reason: somebody else has changed the value since, files, a deleted column or field, a value that is
    not valid any more, or a change that came with an import (`imported`). Restored values have to follow the rules of
    an edit, and moves back the rules of a move (WIP limit, required fields, blocked cards), except that they need no
    transition; your role needs the permission for each (update, transition, delete). A moved card is placed at the end
    of its former column. Comments, claims and relations do not change. Texts in the response are cut to 200 characters.
    400 if the agent changed more than 500 cards in the period; 503 `too_expensive` if the undo takes more than a second
    or the history of the cards since then exceeds 64 MiB: choose a shorter period.
    """
    if body.end is not None and body.end < body.start:
        raise invalid("to", "must not be before from")
    org_id, pairs = await operation.read(lambda call: (call.org_id, _list_unmatched(call, body)))
    await patterns.match_pairs(pairs, operation.outcomes, org_id)
    if body.dry_run:
        return await operation.read(lambda call: _undo_changes(call, body))
    return await operation.write(lambda call: _undo_changes(call, body))


def _list_unmatched(call: Call, body: Undo) -> list[tuple[str, str]]:
    """Return the (pattern, text) pairs to match before the undo."""
    return [pair for plan in _iterate_plans(call, body) for pair in plan.unmatched]


def _undo_changes(call: Call, body: Undo) -> Undone:
    items = []
    arrivals: Counter[str | None] = Counter()  # by column; in a dry run only, otherwise they are in the database
    for plan in _iterate_plans(call, body):  # one by one, because all plans together can be too large for memory
        rules.require_permissions(call, plan)
        rules.skip_blocked_changes(call, plan, arrivals[plan.card_columns()["column_id"]])
        if body.dry_run:
            _count_arrival(plan, arrivals)
        else:
            apply_plan(call, plan)
        if plan.targets or plan.skipped:
            items.append(_to_undone_card(plan))
    return Undone(
        agent_id=body.agent_id,
        start=body.start,
        end=body.end,
        dry_run=body.dry_run,
        cards=sum(bool(item.changes) for item in items),
        kept=sum(len(item.kept) for item in items),
        items=items,
    )


def _count_arrival(plan: rules.Plan, arrivals: Counter[str | None]) -> None:
    """Count a card in its new column and no longer in its former one; an archived card is in none."""
    before, after = plan.card, plan.card_columns()
    arrivals[None if before["archived_at"] else before["column_id"]] -= 1
    arrivals[None if after["archived_at"] else after["column_id"]] += 1


def _iterate_plans(call: Call, body: Undo) -> Iterator[rules.Plan]:
    period = {"agent_id": body.agent_id, "since": body.start, "until": body.end}
    if not call.tx.value(sql.undo.has_agent, org_id=call.org_id, agent_id=body.agent_id):
        raise invalid("agentId", "is not an agent of the organization")
    ids = [
        row["card_id"] for row in call.tx.all(sql.undo.list_cards, org_id=call.org_id, limit=CARDS_MAX + 1, **period)
    ]
    if len(ids) > CARDS_MAX:
        raise invalid("from", f"starts a period with more than {CARDS_MAX} changed cards; choose a shorter period")
    for card_id in ids:
        rows = call.tx.each(sql.undo.list_history, card_id=card_id, **period)
        yield rules.plan_undo(call, card_id, card_changes.summarize_history(call.tx, rows))


def apply_plan(call: Call, plan: rules.Plan, rank_key: int | None = None) -> None:
    """Write the planned values as the next version of the card, with one history row.

    A moved or restored card is placed at `rank_key`, by default at the end of its column.
    """
    if not plan.targets:
        return
    _require_current_plan(call, plan)
    card, columns_after = plan.card, plan.card_columns()
    is_archived, is_placed = columns_after["archived_at"] is not None, plan.enters_column()
    if is_placed and rank_key is None:
        rank_key = ranks.get_rank_at_end(call, columns_after["column_id"])
    archived_by, archive_id = (call.actor.json(), new_id("op")) if is_archived else (None, None)
    archival = {"archived_by": archived_by, "archive_id": archive_id}
    call.tx.run(
        sql.undo.update_card,
        card_id=card["id"],
        rank_key=rank_key if is_placed else None,
        now=call.now,
        number=_take_number(call, plan),
        **archival,
        **columns_after,
    )
    values = _write_values(call, plan)
    column_id = card["column_id"] if is_archived else columns_after["column_id"]
    history.record(call, card["id"], "undone", {**values, **plan.targets, **_end_claim(call, plan)}, column_id)


def _take_number(call: Call, plan: rules.Plan) -> int:
    """Return the number that the card has on its board after the undo; if that is another board, end its claim."""
    if rules.PROJECT not in plan.targets:
        return int(plan.card["number"])
    transfers.end_work_of_agents(call, plan.card)
    return transfers.take_number(call, plan.card, plan.card_columns()["project_id"])


def _write_values(call: Call, plan: rules.Plan) -> history.Changes:
    """Write the planned values; return the changes of others that follow from the former type of the card."""
    if plan.carried:
        carried_values.write_carried_values(call, plan.card["id"], plan.carried)
    field_values.write_values(call, plan.card["id"], plan.values)
    return plan.carried.changes if plan.carried else {}


def _require_current_plan(call: Call, plan: rules.Plan) -> None:
    """Raise conflict while a job changes what the plan writes to, or if a pattern was changed after the precheck.

    As for an edit, a job on the card's column does not matter, only one on a column that the card comes into.
    """
    if plan.unmatched:
        raise Conflict(None, "A field of the card has just been changed; undo again.", state="changed")
    entered = plan.card_columns()["column_id"] if plan.enters_column() else None
    about = {"card_project_id": plan.card_columns()["project_id"], "column_id": entered, "card_id": plan.card["id"]}
    for field_id in (None, *plan.values):
        busy_resources.require_idle(call, field_id=field_id, **about)


def _end_claim(call: Call, plan: rules.Plan) -> history.Changes:
    """End the claim of a card that is archived or moves to a column where claims end; return the changes."""
    if plan.card_columns()["archived_at"] is not None:
        return claims.end_claim(call, plan.card)
    if rules.COLUMN not in plan.targets or rules.PROJECT in plan.targets:
        return {}
    column = columns.find_column(call, plan.card_columns()["column_id"])
    assert column is not None
    return claims.end_claim_on_arrival(call, plan.card, column)


def _to_undone_card(plan: rules.Plan) -> UndoneCard:
    card = plan.card
    changes = {
        name: Change(before=_shorten(current), after=_shorten(former))
        for name, (current, former) in plan.targets.items()
    }
    kept = [to_output(change) for change in plan.skipped]
    identity = {
        "card_id": card["id"],
        "card_key": card["key"],
        "title": card["title"],
        "project_id": card["project_id"],
    }
    return UndoneCard(**identity, changes=changes, kept=kept)


def to_output(skipped: rules.Skipped) -> Kept:
    """Return a skipped change as the API shows it."""
    by = Actor(**stored_json(skipped.row["actor"])) if skipped.row else None
    at = skipped.row["created_at"] if skipped.row else None
    return Kept(name=skipped.name, reason=skipped.reason, message=skipped.message, by=by, at=at)


def _shorten(value: Any) -> Any:
    """Return the value, with a long text cut for the response."""
    is_long = isinstance(value, str) and len(value) > SHOWN_CHARACTERS_MAX
    return value[: SHOWN_CHARACTERS_MAX - 1] + "…" if is_long else value
