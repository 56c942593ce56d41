"""Cards: the work itself."""

from typing import Annotated, Any, Literal

from pydantic import MISSING, Field

from ..access import MODERATE, PICKUP, Call, agent, agent_where, judge_column, may
from ..errors import Conflict, NotFound, invalid
from ..queries import sql
from ..route import routes
from ..store import Row
from ..wire import (
    Actor,
    Id,
    Input,
    ModeQuery,
    Output,
    Page,
    PageQuery,
    StoredJson,
    Success,
    Timestamp,
    Title,
    new_id,
)
from . import card_types, columns, field_values, history, ranks

Priority = Literal["none", "low", "medium", "high", "urgent"]
FieldValues = Annotated[list[field_values.NewFieldValue], Field(max_length=500)]
FIELDS = ("title", "assigned_agent_id", "assigned_user_id", "priority", "due_date")


class CardSummary(Output):
    """A card without its field values, as lists show it."""

    id: str
    org_id: str
    project_id: str
    column_id: str
    card_type_id: str
    title: str
    assigned_agent_id: str | None
    assigned_user_id: str | None
    priority: Priority
    due_date: str | None
    version: int
    rank: int
    created_by: Annotated[Actor, StoredJson]
    created_at: str
    updated_at: str
    archived_at: str | None


class Card(CardSummary):
    """A card (specification, resources; contract, section 4)."""

    field_values: Annotated[list[field_values.FieldValue], StoredJson]


class NewCard(Input):
    project_id: Id
    column_id: Id | None = None
    card_type_id: Id
    title: Title
    assigned_agent_id: Id | None = None
    assigned_user_id: Id | None = None
    priority: Priority = "none"
    due_date: Timestamp | None = None
    field_values: FieldValues = []


class CardEdit(Input):
    title: Title | MISSING = MISSING
    assigned_agent_id: Id | None | MISSING = MISSING
    assigned_user_id: Id | None | MISSING = MISSING
    priority: Priority | None | MISSING = MISSING
    due_date: Timestamp | None | MISSING = MISSING
    field_values: FieldValues | MISSING = MISSING


class CardQuery(PageQuery):
    project_id: str | None = None
    column_id: str | None = None
    card_type_id: str | None = None
    assigned_agent_id: str | None = None
    assigned_user_id: str | None = None
    priority: Priority | None = None
    q: str | None = None
    sort: Literal["rank", "-updatedAt", "dueDate", "priority"] = "rank"
    include: Literal["fieldValues"] | None = None


@routes.get("/cards/{card_id}", may("read", "Card"))
@routes.get("/cards/{card_id}/mcp", agent())
def read(call: Call, card_id: str) -> bytes:
    """Show a card with its field values."""
    assert call.card is not None
    return Card.encode_row(call.card)


def shown(call: Call) -> Card:
    """Give the card of the request as it was when the request was judged."""
    assert call.card is not None
    return Card.of(call.card)


def reread(call: Call, card_id: str) -> Card:
    """Give a card as it is now, after a change."""
    return Card.of(call.tx.one(sql.cards.read, card_id=card_id) or {})


@routes.get("/organizations/{org_id}/cards", may("read", "Card"), bulk=True)
@routes.get("/organizations/{org_id}/cards/mcp", agent(), bulk=True)
def browse(call: Call, org_id: str, query: CardQuery) -> Page[CardSummary]:
    """List the active cards of an organization, filtered and sorted, a page at a time."""
    filters = query.model_dump(exclude={"page", "page_size", "sort", "include", "q"})
    filters |= {"org_id": org_id, "title_part": query.q or None}
    with_values = query.include == "fieldValues"
    rows = call.tx.all(
        sql.cards.browse,
        **filters,
        sort=query.sort,
        with_values=with_values,
        limit=query.page_size,
        offset=query.offset,
    )
    model = Card if with_values else CardSummary
    total = call.tx.value(sql.cards.count, **filters)
    items = [model.of(row) for row in rows]
    return Page[model](items=items, page=query.page, page_size=query.page_size, total=total)  # type: ignore[valid-type]


@routes.post("/organizations/{org_id}/cards", may("create", "Card"))
@routes.post("/organizations/{org_id}/cards/mcp", agent())
def add(call: Call, org_id: str, body: NewCard) -> Card:
    """Make a card at the end of a column (the project's first, unless named)."""
    column = _destination(call, body)
    _check_type(call, body)
    _check_assignees(call, body.model_dump())
    columns.check_wip_limit(call, column)
    values = field_values.checked(call, body.card_type_id, body.field_values)
    card_id = _insert(call, body, column["id"])
    changes = field_values.write(call, card_id, values)
    history.record(call, card_id, "created", _first_values(body, column["id"]) | changes)
    return reread(call, card_id)


def _destination(call: Call, body: NewCard) -> Row:
    if not call.tx.one(sql.projects.read, org_id=call.org_id, project_id=body.project_id):
        raise invalid("projectId", "names no active project")
    if body.column_id is None:
        column = call.tx.one(sql.columns.first, project_id=body.project_id)
    else:
        column = columns.find(call, body.column_id)
    if column is None or column["project_id"] != body.project_id:
        raise invalid("columnId", "names no column of the project")
    if call.is_agent:
        judge_column(column, (PICKUP, MODERATE))
    return column


def _check_type(call: Call, body: NewCard) -> None:
    card_type = card_types.find(call, body.card_type_id)
    if card_type is None or card_type["project_id"] not in (None, body.project_id):
        raise invalid("cardTypeId", "names no card type of the project or its organization")


def _check_assignees(call: Call, values: dict[str, Any]) -> None:
    agent_id, user_id = values.get("assigned_agent_id"), values.get("assigned_user_id")
    if agent_id and not call.tx.one(sql.access.agent, org_id=call.org_id, agent_id=agent_id):
        raise invalid("assignedAgentId", "names no agent of the organization")
    if user_id and not call.tx.one(sql.members.read, org_id=call.org_id, user_id=user_id):
        raise invalid("assignedUserId", "names no member of the organization")


def _insert(call: Call, body: NewCard, column_id: str) -> str:
    card_id = new_id("card")
    values = body.model_dump(exclude={"field_values"}) | {"column_id": column_id, "org_id": call.org_id}
    rank_key = ranks.at_the_end(call, column_id)
    created_by = call.actor.json()
    call.tx.run(sql.cards.add, id=card_id, rank_key=rank_key, created_by=created_by, now=call.now, **values)
    return card_id


def _first_values(body: NewCard, column_id: str) -> dict[str, tuple[Any, Any]]:
    values = body.model_dump(by_alias=True, exclude={"field_values", "project_id"}) | {"columnId": column_id}
    return {name: (None, value) for name, value in values.items() if value is not None}


@routes.patch("/cards/{card_id}", may("update", "Card"))
@routes.patch("/cards/{card_id}/mcp", agent_where(PICKUP, MODERATE))
def edit(call: Call, card_id: str, body: CardEdit) -> Card:
    """Change a card: a missing key stays, null clears; what does not change writes no history."""
    changes = body.changes()
    given = changes.pop("field_values", None)
    if "priority" in changes and changes["priority"] is None:
        changes["priority"] = "none"
    return change(call, card_id, changes, body.field_values if given else [])  # type: ignore[arg-type]


def change(
    call: Call, card_id: str, changes: dict[str, Any], given: list[field_values.NewFieldValue] | None = None
) -> Card:
    """Write changes of a card as one version and one history row, or none if nothing differs."""
    card = reread(call, card_id)
    before = {key: getattr(card, key) for key in FIELDS}
    after = {**before, **changes}
    _check_assignees(call, {key: value for key, value in changes.items() if value != before[key]})
    values = field_values.checked(call, card.card_type_id, given or [])
    changed = {_wire(key): (before[key], after[key]) for key in FIELDS if before[key] != after[key]}
    written = changed | field_values.write(call, card_id, values)
    if not written:
        return card
    call.tx.run(sql.cards.edit, card_id=card_id, now=call.now, **after)
    history.record(call, card_id, "updated", written)
    return reread(call, card_id)


def _wire(key: str) -> str:
    return CardSummary.model_fields[key].alias or key


@routes.delete("/cards/{card_id}", may("delete", "Card", archived=True))
def remove(call: Call, card_id: str, query: ModeQuery) -> Success:
    """Archive a card, or with mode=permanent remove it with its comments and history."""
    assert call.card is not None
    if call.card["project_archived_at"]:
        raise NotFound("card")
    if query.mode == "permanent":
        call.tx.run(sql.cards.remove, card_id=card_id)
        return Success()
    if call.card["archived_at"]:
        raise Conflict("conflict", "The card is archived already; mode=permanent removes it for good.")
    mark = {"now": call.now, "archived_by": call.actor.json(), "archive_id": new_id("op")}
    call.tx.run(sql.cards.archive, card_id=card_id, **mark)
    history.record(call, card_id, "archived", {"archivedAt": (None, call.now)})
    return Success()


@routes.post("/cards/{card_id}/restore", may("update", "Card", archived=True))
def restore(call: Call, card_id: str) -> Card:
    """Bring a card back from the archive; into the project's first column if its own is gone."""
    assert call.card is not None
    if call.card["project_archived_at"]:
        raise Conflict("archived_parent", "The project of the card is archived; restore the project first.")
    if not call.card["archived_at"]:
        raise Conflict("conflict", "The card is not archived.")
    home = columns.find(call, call.card["column_id"])
    column = home or call.tx.one(sql.columns.first, project_id=call.card["project_id"])
    if column is None:
        raise Conflict("archived_parent", "The project has no columns; make one first.")
    columns.check_wip_limit(call, column)
    _bring_back(call, call.card, column["id"])
    return reread(call, card_id)


def _bring_back(call: Call, card: Row, column_id: str) -> None:
    changes: dict[str, tuple[Any, Any]] = {"archivedAt": (card["archived_at"], None)}
    if column_id != card["column_id"]:
        changes["columnId"] = (card["column_id"], column_id)
    rank_key = ranks.at_the_end(call, column_id)
    call.tx.run(sql.cards.restore, card_id=card["id"], column_id=column_id, rank_key=rank_key, now=call.now)
    history.record(call, card["id"], "restored", changes)
