"""What the tiles of a board show besides fields, and the columns of its lists."""

from typing import Annotated

from pydantic import MISSING, Field, StringConstraints

from ..auth.context import Call
from ..database.queries import sql
from ..errors import invalid
from ..pipeline import reference_errors
from ..schemas import Input, Output, json_text, stored_json

COLUMNS = ("title", "key", "column", "type", "assignee", "agent", "priority", "due", "labels")
DEFAULT_COLUMNS = [name for name in COLUMNS if name != "type"]
COLUMNS_MAX = 50
FIELD = "field:"  # followed by the name of a custom field
ListColumn = Annotated[str, StringConstraints(min_length=1, max_length=len(FIELD) + 64)]
ListColumns = Annotated[list[ListColumn], Field(max_length=COLUMNS_MAX)]


class BoardDisplay(Output):
    """What the tiles of a board show besides fields, and the columns of its lists."""

    attachments: bool = Field(True, description="Tiles show the number of files.")
    progress: bool = Field(True, description="Tiles show how many parts and items of checklists are done.")
    list_columns: list[str] = Field(
        DEFAULT_COLUMNS, description=f"The columns of lists: {', '.join(COLUMNS)} or `field:` and the name of a field."
    )


class BoardDisplayEdit(Input):
    attachments: bool | MISSING = MISSING
    progress: bool | MISSING = MISSING
    list_columns: ListColumns | MISSING = MISSING


def to_json(display: BoardDisplay) -> str:
    """Return the JSON text of a display, for its column."""
    return json_text(display.model_dump(by_alias=True))


def apply_edit(call: Call, project_id: str, stored: str, edit: BoardDisplayEdit) -> str:
    """Return the JSON text of a stored display with changes; raise validation_failed for an unknown column."""
    display = BoardDisplay.of(stored_json(stored))
    if edit.list_columns is not MISSING:
        _check_columns(call, project_id, edit.list_columns, display.list_columns)
    return to_json(display.model_copy(update=edit.changes()))


def _check_columns(call: Call, project_id: str, columns: list[str], stored: list[str]) -> None:
    """Raise validation_failed for a column that does not exist or occurs twice; stored ones stay valid."""
    rows = call.tx.all(sql.fields.list_names_of_project, org_id=call.org_id, project_id=project_id)
    existing = [*COLUMNS, *(FIELD + row["name"] for row in rows)]
    for index, name in enumerate(columns):
        path = f"display.listColumns.{index}"
        if name in columns[:index]:
            raise invalid(path, "is there twice")
        if name not in existing and name not in stored:
            raise reference_errors.unknown_list_column(call, path, list(COLUMNS), existing)
