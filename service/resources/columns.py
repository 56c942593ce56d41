"""Columns of a board, with their WIP limits and the rights of agents."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import MISSING, Field

from ..auth import archived_boards, authorization, busy_resources
from ..auth.context import Call
from ..auth.policies import MODERATE, PICKUP, agent, may
from ..database.queries import sql
from ..database.store import Row
from ..domain import ranks
from ..errors import BadRequest, Conflict, invalid
from ..ids import new_id
from ..pipeline import filter_values, jobs, reference_errors
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Id, Input, Output, Query, StoredJson, Title, json_text
from . import claims, events, history

CARDS_PER_BATCH = 20
WIP_LIMIT_REACHED = "wip_limit_reached"
ColumnType = Literal["standard", "done"]
Order = Annotated[int, Field(ge=0, le=100_000)]
WipLimit = Annotated[int, Field(ge=1, le=1_000_000)]
REQUIRED_FIELDS_MAX = 200
FieldIds = Annotated[list[Id], Field(max_length=REQUIRED_FIELDS_MAX)]


class Column(Output):
    """A column."""

    id: str
    project_id: str
    title: str
    order: int
    agent_pickup_enabled: bool
    agent_can_moderate: bool
    column_type: ColumnType
    wip_limit: int | None
    required_field_ids: Annotated[list[str], StoredJson]
    rejects_blocked: bool
    prompt_id: str | None
    created_at: str


class NewColumn(Input):
    project_id: Id
    title: Title
    order: Order | None = None
    connect_to_neighbors: bool = Field(
        False,
        description="Create transitions from and to the columns on both sides, and take over the agent flags of the "
        "left one.",
    )
    agent_pickup_enabled: bool = False
    agent_can_moderate: bool = False
    column_type: ColumnType = "standard"
    wip_limit: WipLimit | None = None
    required_field_ids: FieldIds = []
    rejects_blocked: bool = False
    prompt_id: Id | None = None


class ColumnEdit(Input):
    title: Title | MISSING = MISSING
    order: Order | MISSING = MISSING
    agent_pickup_enabled: bool | MISSING = MISSING
    agent_can_moderate: bool | MISSING = MISSING
    column_type: ColumnType | MISSING = MISSING
    wip_limit: WipLimit | None | MISSING = MISSING
    required_field_ids: FieldIds | MISSING = MISSING
    rejects_blocked: bool | MISSING = MISSING
    prompt_id: Id | None | MISSING = MISSING


class ColumnQuery(Query):
    project_id: str | None = None


class ColumnRemoval(Query):
    move_to: str | None = None


def require_column(call: Call, column_id: str) -> "sql.columns.GetRow":
    """Return an active column of the organization; raise NotFound if there is none."""
    row = find_column(call, column_id)
    if row is None:
        raise archived_boards.not_found(call, "column", column_id)
    return row


def find_column(call: Call, column_id: str) -> "sql.columns.GetRow | None":
    """Return an active column of the organization; None if there is none."""
    return call.tx.one(sql.columns.get, column_id=column_id, org_id=call.org_id)


@routes.get("/organizations/{org_id}/columns", may("read", "Column"))
@routes.get("/organizations/{org_id}/columns/mcp", agent())
def list_columns(call: Call, org_id: str, query: ColumnQuery) -> list[Column]:
    """List the columns of an organization or of a project, in board order."""
    filter_values.require_known(call, query)
    rows = call.tx.all(sql.columns.list, org_id=org_id, project_id=query.project_id)
    return [Column.of(row) for row in rows]


@routes.post("/organizations/{org_id}/columns", may("create", "Column", requires_architect=True))
def create_column(call: Call, org_id: str, body: NewColumn) -> Column:
    """Create a column (SA): at position `order`, before the column that is there now, by default at the end.

    Agents cannot use it and cards cannot move in or out, unless `connectToNeighbors` is true. Then transitions without
    approval are created from and to the columns on both sides (your role needs the permission Transition `create`),
    the agent flags that the request leaves out are those of the left neighbor, and the default position is before the
    done columns at the end. Transitions between the neighbors stay. Deleting the column deletes its transitions.
    """
    if not call.tx.one(sql.projects.get, org_id=org_id, project_id=body.project_id):
        raise reference_errors.unknown_project(call)
    busy_resources.require_idle(call, project_id=body.project_id)
    _check_fields(call, body.required_field_ids)
    _check_prompt(call, body.prompt_id)
    others = call.tx.all(sql.columns.list, org_id=org_id, project_id=body.project_id)
    position = min(_default_position(others, body) if body.order is None else body.order, len(others))
    neighbors = others[max(position - 1, 0) : position + 1] if body.connect_to_neighbors else []
    column_id = _insert_column(call, body, position, _inherited_flags(body, neighbors if position else []))
    _connect(call, body.project_id, column_id, [neighbor["id"] for neighbor in neighbors])
    return Column.of(require_column(call, column_id))


def _default_position(others: Sequence[Row], body: NewColumn) -> int:
    """Return the position at the end of the board, before the done columns if the column gets transitions."""
    position = len(others)
    if body.connect_to_neighbors and body.column_type != "done":
        while position and others[position - 1]["column_type"] == "done":
            position -= 1
    return position


def _inherited_flags(body: NewColumn, neighbors: Sequence[Row]) -> dict[str, bool]:
    """Return the agent flags that the request leaves out, as the left neighbor (the first one) has them."""
    flags = [flag for flag in (PICKUP, MODERATE) if flag not in body.model_fields_set]
    return {flag: neighbors[0][flag] for flag in flags} if neighbors else {}


def _insert_column(call: Call, body: NewColumn, position: int, flags: dict[str, bool]) -> str:
    """Write a column at a position, and shift those behind it; return its id."""
    values = body.model_dump(exclude={"order", "project_id", "connect_to_neighbors"}) | flags
    column_id = new_id("col")
    ids = {"id": column_id, "org_id": call.org_id, "project_id": body.project_id}
    call.tx.run(sql.columns.open_gap, project_id=body.project_id, position=position)
    call.tx.run(sql.columns.create, position=position, now=call.now, **ids, **_encode_values(values))
    events.record(call, "column.created", project_id=body.project_id, column_id=column_id)
    return column_id


def _connect(call: Call, project_id: str, column_id: str, neighbor_ids: list[str]) -> None:
    """Create transitions without approval between a new column and others, in both directions."""
    for error in authorization.missing_permissions(call, may("create", "Transition")) if neighbor_ids else ():
        raise error
    for neighbor_id in neighbor_ids:
        busy_resources.require_idle(call, column_id=neighbor_id)
        for origin, destination in ((neighbor_id, column_id), (column_id, neighbor_id)):
            ids = {"id": new_id("tr"), "org_id": call.org_id, "project_id": project_id}
            edge = {"from_column_id": origin, "to_column_id": destination, "requires_approval": False}
            call.tx.run(sql.transitions.create, now=call.now, **ids, **edge)
            events.record(call, "transition.created", project_id=project_id)


def _encode_values(values: dict[str, Any]) -> dict[str, Any]:
    return {**values, "required_field_ids": json_text(values["required_field_ids"])}


def _check_fields(call: Call, field_ids: list[str]) -> None:
    for index, field_id in enumerate(field_ids):
        if not call.tx.one(sql.fields.find, field_id=field_id, org_id=call.org_id):
            raise invalid(f"requiredFieldIds.{index}", "names no field")


def _check_prompt(call: Call, prompt_id: str | None) -> None:
    if prompt_id is not None and not call.tx.one(sql.prompts.get, prompt_id=prompt_id, org_id=call.org_id):
        raise reference_errors.unknown_prompt(call, "promptId")


@routes.patch("/organizations/{org_id}/columns/{column_id}", may("update", "Column", requires_architect=True))
def update_column(call: Call, org_id: str, column_id: str, body: ColumnEdit) -> Column:
    """Update a column (SA); a new `order` shifts the other columns."""
    column = Column.of(require_column(call, column_id))
    values = {**column.model_dump(by_alias=False), **body.changes()}
    _check_fields(call, body.changes().get("required_field_ids", []))
    _check_prompt(call, body.changes().get("prompt_id"))
    position = _shift_position(call, column, values.pop("order"))
    for key in ("id", "project_id", "created_at"):
        values.pop(key)
    call.tx.run(sql.columns.update, column_id=column_id, position=position, **_encode_values(values))
    updated = Column.of(require_column(call, column_id))
    if updated != column:
        events.record(call, "column.updated", project_id=column.project_id, column_id=column_id)
    return updated


def _shift_position(call: Call, column: Column, order: int) -> int:
    position = min(order, int(call.tx.value(sql.columns.count, project_id=column.project_id)) - 1)
    if position != column.order:
        call.tx.run(sql.columns.close_gap, project_id=column.project_id, position=column.order)
        call.tx.run(sql.columns.open_gap, project_id=column.project_id, position=position)
    return position


@routes.delete("/organizations/{org_id}/columns/{column_id}", may("delete", "Column", requires_architect=True))
async def delete_column(operation: Operation[Call], org_id: str, column_id: str, query: ColumnRemoval) -> None:
    """Delete a column with its transitions (SA); `moveTo` names the column that gets its active cards.

    409 column_not_empty if it has active cards and `moveTo` is missing. Many cards are moved in several transactions;
    until the last one, no cards can be moved into the column and it cannot be changed (409 conflict).
    """
    await jobs.run_in_batches(operation, partial(_start_deletion, column_id=column_id, move_to=query.move_to))


def _start_deletion(call: Call, column_id: str, move_to: str | None) -> jobs.Job:
    column = require_column(call, column_id)
    if call.tx.value(sql.jobs.is_moving_into, org_id=call.org_id, column_id=column_id):
        raise Conflict(None, "Cards are being moved into this column; try again when that is done.", state="removing")
    count = call.tx.value(sql.columns.count_cards, column_id=column_id)
    if move_to is not None:
        destination = find_column(call, move_to)
        if destination is None or destination["project_id"] != column["project_id"] or move_to == column_id:
            raise invalid("moveTo", "must name another column of the same project")
        busy_resources.require_idle(call, column_id=move_to)
        check_wip_limit(call, destination, count)
    elif count:
        raise Conflict("column_not_empty", "The column has active cards; name another column for them in ?moveTo=.")
    return jobs.Job("remove_column", "column", column_id, {"move_to": move_to})


@jobs.batches("remove_column", "removing")
def delete_column_batch(call: Call, job: jobs.Job) -> bool:
    """Move one batch of cards out of a column; once it is empty, delete it with its transitions and return True."""
    column, move_to = require_column(call, job.resource_id), job.parameters["move_to"]
    if move_to is not None and not _move_card_batch(call, column["id"], move_to):
        return False
    call.tx.run(sql.columns.delete_transitions, column_id=column["id"])
    call.tx.run(sql.columns.delete, column_id=column["id"], now=call.now)
    call.tx.run(sql.columns.close_gap, project_id=column["project_id"], position=column["order"])
    events.record(call, "column.removed", project_id=column["project_id"], column_id=column["id"])
    return True


def _move_card_batch(call: Call, column_id: str, destination_id: str) -> bool:
    """Move one batch of cards to the end of another column, in order; return whether it was the last batch."""
    cards = call.tx.all(sql.columns.list_cards, column_id=column_id, limit=CARDS_PER_BATCH)
    claim_changes: dict[str, history.Changes] = {}
    if claims.ends_claims(require_column(call, destination_id)):
        card_ids = json_text([card["id"] for card in cards])
        claim_changes = claims.end_claims(call, sql.claims.release_cards, card_ids=card_ids)
    for card in cards:
        rank_key = ranks.get_rank_at_end(call, destination_id)
        call.tx.run(sql.cards.move, card_id=card["id"], column_id=destination_id, rank_key=rank_key, now=call.now)
        changes = {"columnId": (column_id, destination_id), **claim_changes.get(card["id"], {})}
        history.record(call, card["id"], "moved", changes)
    return len(cards) < CARDS_PER_BATCH


def check_wip_limit(call: Call, column: "sql.columns.GetFirstRow", card_count: int = 1) -> None:
    """Raise wip_limit_reached if a number of further cards would exceed the WIP limit of a column."""
    if not has_room(call, column, card_count):
        raise BadRequest(**describe_wip_limit(column))


def has_room(call: Call, column: "sql.columns.GetFirstRow", card_count: int = 1) -> bool:
    """Return whether a number of further cards would stay within the WIP limit of a column."""
    limit = column["wip_limit"]
    return limit is None or call.tx.value(sql.columns.count_cards, column_id=column["id"]) + card_count <= limit


def describe_wip_limit(column: "sql.columns.GetFirstRow") -> dict[str, Any]:
    """Return the fields of the error wip_limit_reached for a column."""
    message = f"The column is limited to {column['wip_limit']} cards (WIP limit); move a card out first."
    return {
        "code": WIP_LIMIT_REACHED,
        "message": message,
        "columnId": column["id"],
        "wipLimit": column["wip_limit"],
    }
