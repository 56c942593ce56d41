"""Undo: what one agent did to cards within a span of time is taken back at once, but for what others changed since."""

from collections.abc import Iterator
from typing import Any

from pydantic import Field

from ...auth.context import Call
from ...auth.policies import architect
from ...database.queries import sql
from ...domain import field_values, ranks
from ...errors import invalid
from ...ids import new_id
from ...pipeline.pipeline import Operation
from ...pipeline.routing import routes
from ...schemas import Actor, Id, Input, Output, Timestamp, stored_json
from .. import claims, columns, history
from . import card_changes, rules

CARDS_MAX = 500  # at once: all of them change in one transaction
SHOWN_CHARACTERS_MAX = 200  # of a text in the answer


class Undo(Input):
    agent_id: Id
    start: Timestamp = Field(alias="from")
    end: Timestamp | None = Field(None, alias="to")
    dry_run: bool = False


class Change(Output):
    """What a value is, and what it becomes."""

    before: Any = Field(alias="from")
    after: Any = Field(alias="to")


class Kept(Output):
    """Something that the agent changed and that stays as it is, and why."""

    name: str = Field(description="As in history: title, columnId, fieldValues.<name>; `created` for the card itself.")
    reason: rules.Reason
    message: str
    by: Actor | None = Field(description="Who changed it since, if somebody did.")
    at: str | None


class UndoneCard(Output):
    """One card: what is taken back, and what is not."""

    card_id: str
    card_key: str
    title: str
    project_id: str
    changes: dict[str, Change]
    kept: list[Kept]


class Undone(Output):
    """What was taken back, or with dryRun would be: cards in the order in which the agent first changed them."""

    agent_id: str
    start: str = Field(alias="from")
    end: str | None = Field(alias="to")
    dry_run: bool
    cards: int = Field(description="That change.")
    kept: int = Field(description="Changes of the agent that stay.")
    items: list[UndoneCard]


@routes.post("/organizations/{org_id}/undo", architect(), bulk=True, answers=Undone)
async def add(operation: Operation[Call], org_id: str, body: Undo) -> Undone:
    """Take back what an agent did to cards from a time to another (left out: until now); SA. With dryRun only tell.

    Cards go back to where they were before its moves, field changes, archivings and creations in that span (a card that
    it made goes into the archive): all in one transaction, with one history row (`undone`) and one event a card.
    Whatever somebody else changed since stays, and is listed under `kept` with who and why; what cannot be brought back
    too (files, a column or field that is gone). Neither transitions nor WIP limits nor required fields bind it, and a
    card stands at the end of its former column. Comments, claims and relations stay. Texts are shown up to 200
    characters. 400 if the agent changed more than 500 cards in the span, 503 `too_expensive` if this takes more than a
    second or the history of the cards since then has more than 64 MiB: choose a shorter one.
    """
    if body.end is not None and body.end < body.start:
        raise invalid("to", "must not be before from")
    if body.dry_run:
        return await operation.read(lambda call: _undone(call, body))
    return await operation.write(lambda call: _undone(call, body))


def _undone(call: Call, body: Undo) -> Undone:
    items = []
    for plan in _plans(call, body):  # one card at a time: together their values can be larger than memory should hold
        if not body.dry_run:
            carry_out(call, plan)
        if plan.targets or plan.kept:
            items.append(_told(plan))
    return Undone(
        agent_id=body.agent_id,
        start=body.start,
        end=body.end,
        dry_run=body.dry_run,
        cards=sum(bool(item.changes) for item in items),
        kept=sum(len(item.kept) for item in items),
        items=items,
    )


def _plans(call: Call, body: Undo) -> Iterator[rules.Plan]:
    span = {"agent_id": body.agent_id, "since": body.start, "until": body.end}
    if not call.tx.value(sql.undo.has_agent, org_id=call.org_id, agent_id=body.agent_id):
        raise invalid("agentId", "names no agent of the organization")
    ids = [row["card_id"] for row in call.tx.all(sql.undo.list_cards, org_id=call.org_id, limit=CARDS_MAX + 1, **span)]
    if len(ids) > CARDS_MAX:
        raise invalid("from", f"begins a span in which the agent changed more than {CARDS_MAX} cards; choose a shorter")
    for card_id in ids:
        rows = call.tx.each(sql.undo.list_history, card_id=card_id, **span)
        yield rules.plan(call, card_id, card_changes.read(call.tx, rows))


def carry_out(call: Call, plan: rules.Plan, rank_key: int | None = None) -> None:
    """Make a card what it was as its next version, with one history row; it stands at the end unless placed."""
    if not plan.targets:
        return
    card, own, is_put_away = plan.card, plan.own(), plan.own()["archived_at"] is not None
    is_placed = not is_put_away and not plan.targets.keys().isdisjoint({rules.COLUMN, card_changes.ARCHIVE})
    if is_placed and rank_key is None:
        rank_key = ranks.get_rank_at_end(call, own["column_id"])
    by, operation = (call.actor.json(), new_id("op")) if is_put_away else (None, None)
    mark = {"archived_by": by, "archive_id": operation}
    call.tx.run(
        sql.undo.update_card, card_id=card["id"], rank_key=rank_key if is_placed else None, now=call.now, **mark, **own
    )
    field_values.write_values(call, card["id"], plan.values)
    home = card["column_id"] if is_put_away else own["column_id"]
    history.record(call, card["id"], "undone", {**plan.targets, **_ended(call, plan)}, home)


def _ended(call: Call, plan: rules.Plan) -> history.Changes:
    """End the claim of a card that goes where claims end."""
    if plan.own()["archived_at"] is not None:
        return claims.end_claim(call, plan.card)
    if rules.COLUMN not in plan.targets:
        return {}
    column = columns.find_column(call, plan.own()["column_id"])
    assert column is not None
    return claims.end_claim_on_arrival(call, plan.card, column)


def _told(plan: rules.Plan) -> UndoneCard:
    card = plan.card
    changes = {name: Change(before=_brief(now), after=_brief(then)) for name, (now, then) in plan.targets.items()}
    kept = [stays(one) for one in plan.kept]
    about = {"card_id": card["id"], "card_key": card["key"], "title": card["title"], "project_id": card["project_id"]}
    return UndoneCard(**about, changes=changes, kept=kept)


def stays(one: rules.Kept) -> Kept:
    """Tell why a change stays."""
    by = Actor(**stored_json(one.row["actor"])) if one.row else None
    at = one.row["created_at"] if one.row else None
    return Kept(name=one.name, reason=one.reason, message=one.message, by=by, at=at)


def _brief(value: Any) -> Any:
    """Shorten a text for the answer."""
    is_long = isinstance(value, str) and len(value) > SHOWN_CHARACTERS_MAX
    return value[: SHOWN_CHARACTERS_MAX - 1] + "…" if is_long else value
