"""The default board of a new project."""

from ..auth.context import Call
from ..database.queries import sql
from ..ids import new_id
from ..schemas import json_text

# title, agent_pickup_enabled, agent_can_moderate, kind; in Review agents can comment, but only people move cards
COLUMNS = [
    ("Backlog", False, False, "standard"),
    ("Todo", True, True, "standard"),
    ("In Progress", True, True, "standard"),
    ("Review", True, False, "standard"),
    ("Done", False, False, "done"),
]
# from, to, requires approval
TRANSITIONS = [
    ("Backlog", "Todo", False),
    ("Todo", "In Progress", False),
    ("In Progress", "Todo", False),
    ("In Progress", "Review", False),
    ("Review", "In Progress", False),
    ("Review", "Done", True),
    ("Done", "Todo", False),
]
# name, label, kind, multiple, shown on board cards
FIELDS = [
    ("description", "Description", "richtext", False, False),
    ("acceptance_criteria", "Acceptance criteria", "richtext", False, False),
    ("tags", "Tags", "multiselect", False, True),
    ("pull_request", "Pull request", "url", False, False),
    ("attachments", "Attachments", "file", True, False),
]


def create_default_board(call: Call, project_id: str) -> None:
    """Create the columns and transitions of a kanban board, and a card type if the project could use none."""
    columns = {
        title: _create_column(call, project_id, position, title, pickup, moderate, kind)
        for position, (title, pickup, moderate, kind) in enumerate(COLUMNS)
    }
    for origin, destination, approval in TRANSITIONS:
        call.tx.run(
            sql.transitions.create,
            id=new_id("tr"),
            org_id=call.org_id,
            project_id=project_id,
            from_column_id=columns[origin],
            to_column_id=columns[destination],
            requires_approval=approval,
            now=call.now,
        )
    if not call.tx.all(sql.card_types.list, org_id=call.org_id, project_id=project_id):
        _create_task_type(call)


def _create_column(
    call: Call, project_id: str, position: int, title: str, pickup: bool, moderate: bool, kind: str
) -> str:
    column_id = new_id("col")
    call.tx.run(
        sql.columns.create,
        id=column_id,
        org_id=call.org_id,
        project_id=project_id,
        title=title,
        position=position,
        agent_pickup_enabled=pickup,
        agent_can_moderate=moderate,
        column_type=kind,
        wip_limit=None,
        required_field_ids="[]",
        rejects_blocked=False,
        prompt_id=None,
        now=call.now,
    )
    return column_id


def _create_task_type(call: Call) -> None:
    type_id = new_id("ctype")
    call.tx.run(
        sql.card_types.create,
        id=type_id,
        org_id=call.org_id,
        project_id=None,
        title="Task",
        color="#64748b",
        comments_enabled=True,
        files_enabled=True,
        now=call.now,
    )
    for position, field in enumerate(FIELDS):
        _create_field(call, type_id, position, field)


def _create_field(call: Call, type_id: str, position: int, field: tuple[str, str, str, bool, bool]) -> None:
    name, label, kind, multiple, show_on_card = field
    call.tx.run(
        sql.fields.create,
        id=new_id("fld"),
        org_id=call.org_id,
        card_type_id=type_id,
        name=name,
        label=label,
        kind=kind,
        required=False,
        options=json_text([]),
        position=position,
        validation=None,
        multiple=multiple,
        show_on_card=show_on_card,
        option_colors="{}",
        now=call.now,
    )
