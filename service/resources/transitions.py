"""Transitions: the moves that a board allows, and which of them need the approval of a person."""

from pydantic import MISSING

from ..auth import archived_boards, busy_resources
from ..auth.context import Call
from ..auth.policies import may
from ..database.queries import sql
from ..errors import Conflict, invalid
from ..ids import new_id
from ..pipeline import filter_values, reference_errors
from ..pipeline.routing import routes
from ..schemas import Id, Input, Output, Query
from . import columns, events


class Transition(Output):
    """An allowed move from one column to another."""

    id: str
    project_id: str
    from_column_id: str
    to_column_id: str
    requires_approval: bool
    created_at: str


class NewTransition(Input):
    from_column_id: Id
    to_column_id: Id
    requires_approval: bool = False


class TransitionEdit(Input):
    from_column_id: Id | MISSING = MISSING
    to_column_id: Id | MISSING = MISSING
    requires_approval: bool | MISSING = MISSING


class TransitionQuery(Query):
    project_id: str | None = None


def _require_transition(call: Call, transition_id: str) -> "sql.transitions.GetRow":
    row = call.tx.one(sql.transitions.get, transition_id=transition_id, org_id=call.org_id)
    if row is None:
        raise archived_boards.not_found(call, "transition", transition_id)
    return row


@routes.get("/organizations/{org_id}/transitions", may("read", "Transition"))
def list_transitions(call: Call, org_id: str, query: TransitionQuery) -> list[Transition]:
    """List the transitions of an organization, or of one project, oldest first."""
    filter_values.require_known(call, query)
    rows = call.tx.all(sql.transitions.list, org_id=org_id, project_id=query.project_id)
    return [Transition.of(row) for row in rows]


@routes.post("/organizations/{org_id}/transitions", may("create", "Transition"))
def create_transition(call: Call, org_id: str, body: NewTransition) -> Transition:
    """Create a transition between two columns of the same project; 409 transition_exists if there is one already."""
    project_id = _check_columns(call, None, body.from_column_id, body.to_column_id)
    for column_id in (body.from_column_id, body.to_column_id):
        busy_resources.require_idle(call, column_id=column_id)
    transition_id = new_id("tr")
    values = {**body.model_dump(), "project_id": project_id, "org_id": org_id, "now": call.now}
    call.tx.run(sql.transitions.create, id=transition_id, **values)
    events.record(call, "transition.created", project_id=project_id)
    return Transition.of(_require_transition(call, transition_id))


def _check_columns(call: Call, transition_id: str | None, from_column_id: str, to_column_id: str) -> str:
    """Return the project of two columns; raise an error if no transition between them is possible."""
    origin, destination = columns.find_column(call, from_column_id), columns.find_column(call, to_column_id)
    if origin is None or destination is None:
        path, project_id = ("toColumnId", origin["project_id"]) if origin else ("fromColumnId", None)
        raise reference_errors.unknown_column(call, path, project_id)
    if from_column_id == to_column_id:
        raise invalid("toColumnId", "must differ from fromColumnId")
    if origin["project_id"] != destination["project_id"]:
        raise invalid("toColumnId", "must be a column of the same project")
    found = call.tx.one(sql.transitions.find, from_column_id=from_column_id, to_column_id=to_column_id)
    if found and found["id"] != transition_id:
        raise Conflict("transition_exists", "This transition already exists; update it instead.", id=found["id"])
    return str(origin["project_id"])


@routes.patch("/organizations/{org_id}/transitions/{transition_id}", may("update", "Transition"))
def update_transition(call: Call, org_id: str, transition_id: str, body: TransitionEdit) -> Transition:
    """Update a transition; its columns must stay in the same project."""
    before = _require_transition(call, transition_id)
    row = {**before, **body.changes()}
    if _check_columns(call, transition_id, row["from_column_id"], row["to_column_id"]) != before["project_id"]:
        raise invalid("fromColumnId", "must stay in the project of the transition")
    values = {key: row[key] for key in ("from_column_id", "to_column_id", "requires_approval")}
    call.tx.run(sql.transitions.update, transition_id=transition_id, **values)
    if row != before:
        events.record(call, "transition.updated", project_id=row["project_id"])
    return Transition.of(row)


@routes.delete("/organizations/{org_id}/transitions/{transition_id}", may("delete", "Transition"))
def delete_transition(call: Call, org_id: str, transition_id: str) -> None:
    """Delete a transition; cards remain in their columns."""
    row = _require_transition(call, transition_id)
    call.tx.run(sql.transitions.delete, transition_id=transition_id)
    events.record(call, "transition.removed", project_id=row["project_id"])
