"""Cards: the pages of a card list, edits, and the models of a card."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import MISSING, AfterValidator, Field, WrapValidator

from ..auth import card_keys
from ..auth.authorization import hide_claim_secrets
from ..auth.context import Call, CardCall
from ..auth.policies import CARD, MODERATE, PICKUP, agent, agent_where, may
from ..database.queries import sql
from ..database.store import LONG, Row
from ..domain import (
    card_filters,
    card_pages,
    carried_values,
    checklist_ticks,
    due_dates,
    field_values,
    pattern_prechecks,
    patterns,
)
from ..domain.mentions import Mention
from ..domain.watching import is_watching
from ..errors import invalid
from ..http.responses import Answer, Versioned, encode_page, etag
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Actor, Id, Output, Page, PageQuery, StoredJson, Title, json_text
from ..text.comparison import fold_text
from . import card_types, events, history

Priority = card_filters.Priority
OptionalPriority = Annotated[Priority | None, AfterValidator(lambda priority: priority or "none")]  # null: none
FieldValues = Annotated[
    list[field_values.NewFieldValue], Field(max_length=500), WrapValidator(field_values.limit_problems)
]
IDS_MAX = 100  # of cards that one request names
NEVER = "~"  # sorts after all timestamps
FIELDS = ("card_type_id", "title", "assigned_agent_id", "assigned_user_id", "priority", "due_date")  # in history


class Claim(Output):
    """The claim of an agent on a card."""

    agent_id: str
    claimed_at: str
    renewed_at: str
    expires_at: str
    prompt_version_id: str | None = Field(
        description="The version of the column's prompt that was current when the claim began."
    )
    session: str | MISSING = Field(MISSING, description="The process of the agent that claimed it, if it named one.")


class HeldClaim(Claim):
    """The claim of a single card, with its token if the caller holds the claim."""

    token: str | MISSING = MISSING


class ChecklistCounts(Output):
    """The items of all checklists in the rich texts of a card: how many are done, and how many there are."""

    done: int
    total: int


class CardSummary(Output):
    """A card without its field values, as in lists."""

    id: str
    org_id: str
    project_id: str
    number: int
    key: str = Field(description="The project's key and the number: REL-12.")
    column_id: str
    card_type_id: str
    title: str
    assigned_agent_id: str | None
    assigned_user_id: str | None
    priority: Priority
    due_date: str | None
    due_all_day: bool = Field(description="Whether `dueDate` is a day, at its midnight in UTC, and not a moment.")
    version: int
    blocked_by: Annotated[list[str], StoredJson]
    checklist: Annotated[ChecklistCounts | None, StoredJson] = Field(description="Null without a checklist.")
    claim: Annotated[Claim | None, StoredJson]
    created_by: Annotated[Actor, StoredJson]
    created_at: str
    updated_at: str
    archived_at: str | None


class CardWithValues(CardSummary):
    """A card with its field values, as in lists with include=fieldValues."""

    field_values: Annotated[list[field_values.FieldValue], StoredJson]


class Parent(Output):
    """The card that another card is a part of."""

    id: str
    key: str
    title: str


class Parts(Output):
    """The number of active parts of a card, and of those in a done column."""

    done: int
    total: int


class Card(Versioned, CardWithValues):
    """A card."""

    claim: Annotated[HeldClaim | None, StoredJson]
    parent: Annotated[Parent | None, StoredJson]
    parts: Annotated[Parts | None, StoredJson]
    mentions: Annotated[list[Mention], StoredJson] = Field(
        description="The members and agents that the rich texts mention, as they are now called."
    )
    watching: bool = Field(description="Whether the caller watches the card; agents never do.")


class CardEdit(due_dates.DueDateInput):
    card_type_id: Id | MISSING = MISSING
    title: Title | MISSING = MISSING
    assigned_agent_id: Id | None | MISSING = MISSING
    assigned_user_id: Id | None | MISSING = MISSING
    priority: OptionalPriority | MISSING = MISSING
    field_values: FieldValues | MISSING = MISSING
    checklist: Annotated[list[checklist_ticks.Tick], Field(max_length=checklist_ticks.TICKS_MAX)] | MISSING = Field(
        MISSING, description="Items to tick or to open, in the texts that the card then has."
    )


class CardQuery(card_filters.CardFilters, PageQuery):
    narrowing_hint: ClassVar[str] = "filter by projectId or columnId"

    archived: bool = Field(False, description="List archived cards only.")
    q: str | None = Field(None, description="Part of the title; case and accents do not count.")
    sort: Literal["rank", "-updatedAt", "dueDate", "priority"] = "rank"
    include: Literal["fieldValues"] | None = None
    ids: str | None = Field(None, description="Up to 100 card ids or card keys, separated by commas.")


def encode_card(call: Call, row: Row) -> Answer:
    """Return the response for a row of a card, with its version as ETag (for If-Match)."""
    return Answer(encode_row(call, row), headers={"ETag": etag(row["version"])})


def encode_row(call: Call, row: Row) -> bytes:
    """Return a row of a card as JSON for the caller."""
    return Card.encode_row({**row, "watching": is_watching(call, row["id"])})


def get_card(call: Call, card_id: str) -> Card:
    """Return the current state of a card, in a transaction that may have changed it."""
    return Card.of(_get_visible_row(call, card_id))


def encode_within(call: Call, card_id: str, bytes_max: int) -> bytes:
    """Return the current state of a card as JSON; without its field values if it is larger than `bytes_max`."""
    row = _get_visible_row(call, card_id)
    card = Card.encode_row(row)
    return card if len(card) <= bytes_max else CardSummary.encode_row(row)


def _get_visible_row(call: Call, card_id: str) -> Row:
    card = call.tx.one(sql.cards.get_full, card_id=card_id)
    assert card is not None
    return {**hide_claim_secrets(call, card), "watching": is_watching(call, card_id)}


def get_cached_page(call: Call, org_id: str, query: CardQuery) -> Answer | None:
    """Return a page from the cache; None if the organization has changed since or a claim has expired."""
    if query.is_relative:
        return None
    return call.service.card_page_cache.get((org_id, *vars(query).values()), call.revision, call.now)


LIST_OPTIONS: dict[str, Any] = {
    "on_reader_thread": True,
    "read_kind": LONG,
    "answers": Page[CardSummary],
    "cached": get_cached_page,
}


@routes.get("/organizations/{org_id}/cards", may("read", "Card"), **LIST_OPTIONS)
@routes.get("/organizations/{org_id}/cards/mcp", agent(), **LIST_OPTIONS)
def list_cards(call: Call, org_id: str, query: CardQuery) -> Answer:
    """List the active cards of an organization, or the archived ones, filtered and sorted, a page at a time.

    A filter that is repeated means any of its values, several filters mean all of them; a value that names nothing is
    validation_failed. `field=<name>:<value>` finds cards of all types that have a field of this name; names and values
    are compared without case and accents. Days begin and end in the time zone of the organization; `due=overdue` leaves
    out cards that are done or whose due date is met. `archived=true` leaves out cards of archived projects.

    The order is the rank, the last update (latest first), the due date or the priority; equal cards are ordered by id
    (rank, last update) or by rank (due date, priority). With include=fieldValues a page is cut at 4 MiB and is then
    `truncated`. Pages end with the 20,000th card: filter by project or column to read further. With `ids`, return these
    cards in this order without paging; unknown and archived ones are left out, or with `archived=true` all but the
    archived ones. `ids` only goes with `archived` and `include`.
    """
    ids, total = _find_page(call, query) if query.ids is None else _find_named_cards(call, query)
    rows = call.tx.all(sql.cards.list_by_ids, ids=json_text(ids), now=call.now)
    cards = {row["id"]: row["card"].encode() for row in rows}
    page = query if query.ids is None else query.model_copy(update={"page_size": IDS_MAX})
    if query.include:
        return encode_page(page, total, _add_field_values(call, cards))
    response = encode_page(page, total, cards.values())
    if query.is_relative:
        return response
    validity = call.now, call.tx.value(sql.claims.next_expiry, org_id=org_id, now=call.now) or NEVER
    call.service.card_page_cache.put((org_id, *vars(query).values()), call.revision, response, validity)
    return response


def _find_page(call: Call, query: CardQuery) -> tuple[list[str], int]:
    own = {"archived": query.archived, "title_part": fold_text(query.q or "") or None}
    return card_pages.find_page(
        call, card_filters.resolve(call, query) | own, query.sort, query.page_size, query.offset
    )


def _find_named_cards(call: Call, query: CardQuery) -> tuple[list[str], int]:
    """Return the ids of the active or archived cards that `ids` names, and their number; raise validation_failed."""
    names = [name.strip() for name in (query.ids or "").split(",")]
    if not all(names) or len(names) > IDS_MAX:
        raise invalid("ids", f"must be 1 to {IDS_MAX} card ids or card keys, separated by commas")
    if others := query.model_fields_set - {"ids", "archived", "include"}:
        raise invalid("ids", f"cannot be combined with {', '.join(sorted(map(_get_query_key, others)))}")
    card_ids = dict.fromkeys(card_keys.resolve_card_id(call, name, "ids") for name in names)
    named = {"ids": json_text(list(card_ids)), "archived": query.archived}
    rows = call.tx.all(sql.cards.list_named_ids, org_id=call.org_id, **named)
    return [row["id"] for row in rows], len(rows)


def _get_query_key(name: str) -> str:
    return CardQuery.model_fields[name].alias or name


def _add_field_values(call: Call, cards: dict[str, bytes]) -> Iterator[bytes]:
    for row in call.tx.each(sql.field_values.list_of_cards, card_ids=json_text(list(cards))):
        yield b'%s,"fieldValues":%s}' % (cards[row["card_id"]][:-1], row["field_values"].encode())


def check_assignees(call: Call, values: dict[str, Any]) -> None:
    """Raise validation_failed if an assignee does not belong to the organization."""
    agent_id, user_id = values.get("assigned_agent_id"), values.get("assigned_user_id")
    if agent_id and not call.tx.one(sql.access.get_agent, org_id=call.org_id, agent_id=agent_id):
        raise invalid("assignedAgentId", "names no agent of the organization")
    if user_id and not call.tx.one(sql.members.get, org_id=call.org_id, user_id=user_id):
        raise invalid("assignedUserId", "names no member of the organization")


UPDATE_POLICY = may("update", "Card", CARD, supports_if_match=True)


async def _precheck_patterns(operation: Operation[CardCall]) -> None:
    """Match the new values, and those that a new type keeps, with the patterns of their fields."""
    await pattern_prechecks.precheck_patterns(operation)
    card_type_id = operation.parsed.inputs["body"].card_type_id
    if card_type_id is not MISSING:
        org_id, pairs = await operation.read(lambda call: (call.org_id, _list_unmatched(call, card_type_id)))
        await patterns.match_pairs(pairs, operation.outcomes, org_id)


def _list_unmatched(call: CardCall, card_type_id: str) -> list[tuple[str, str]]:
    return carried_values.plan_carried_values(call, call.card["id"], card_type_id).unmatched


@routes.patch("/cards/{card_id}", UPDATE_POLICY, before=_precheck_patterns)
@routes.patch("/cards/{card_id}/mcp", agent_where(PICKUP, MODERATE, supports_if_match=True), before=_precheck_patterns)
def update_card(call: Call, card_id: str, body: CardEdit) -> Card:
    """Update a card: missing keys stay as they are, null clears a value; without a difference nothing is recorded.

    A `dueDate` like `2026-11-30` is a day, any other timestamp a moment. With `dueAllDay: true` it is the day that the
    timestamp, or else the stored one, names in its own time zone. The timestamp of a day that is sent back leaves it a
    day.

    `cardTypeId` names a type of the card's board or of its organization. A value is kept if the new type has a field of
    the same name and kind that accepts it. Others are dropped, stand in the history and come back with undo; files of
    dropped fields stay until the card is deleted. `fieldValues` are those of the new type.
    """
    changes = body.changes()
    lists = [getattr(body, key) if changes.pop(key, None) else () for key in ("field_values", "checklist")]
    return change_card(call, card_id, changes, *lists)


def change_card(
    call: Call,
    card_id: str,
    changes: dict[str, Any],
    new_values: Sequence[field_values.NewFieldValue] = (),
    ticks: Sequence[checklist_ticks.Tick] = (),
) -> Card:
    """Write changes of a card as one new version and one row of its history; nothing if there is no difference."""
    card: Row | None = call.tx.one(sql.cards.get, card_id=card_id)
    assert card is not None
    stored = {key: card[key] for key in (*FIELDS, "due_all_day")}
    columns = {**stored, **due_dates.apply_changes(changes, stored)}
    before, after = ({**row, "due_date": due_dates.get_text(row)} for row in (stored, columns))
    check_assignees(call, {key: value for key, value in columns.items() if value != stored[key]})
    changed = {_get_json_name(key): (before[key], after[key]) for key in FIELDS if before[key] != after[key]}
    changed |= _change_values(call, card, columns["card_type_id"], list(new_values))
    ticked = checklist_ticks.write_ticks(call, card_id, columns["card_type_id"], ticks)
    if not changed and not ticked:
        return get_card(call, card_id)
    call.tx.run(sql.cards.update, card_id=card_id, now=call.now, **columns)
    history.write_row(call, card_id, "updated", {**changed, **ticked})
    for event in ["card.updated"] * bool(changed) + ["checklist.updated"] * bool(ticked):
        events.record(call, event, card_id)
    return get_card(call, card_id)


def _change_values(
    call: Call, card: Row, card_type_id: str, new_values: list[field_values.NewFieldValue]
) -> carried_values.Changes:
    """Write new values of a card, after it has got its new type, and return the changes by their names in history."""
    if card_type_id == card["card_type_id"]:
        values = field_values.check_values(call, card_type_id, new_values)
        return field_values.write_values(call, card["id"], values)
    card_types.require_usable_type(call, card_type_id, card["project_id"])
    values = field_values.check_values(call, card_type_id, new_values)
    carried = carried_values.plan_carried_values(call, card["id"], card_type_id)
    carried_values.write_carried_values(call, card["id"], carried)
    return carried.merge_with(field_values.write_values(call, card["id"], values))


def _get_json_name(key: str) -> str:
    return CardSummary.model_fields[key].alias or key
