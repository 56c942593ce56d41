"""Filters of lists whose values name a resource.

A value that names nothing in the organization is an error. Something that was removed or archived counts as named, and
the list is empty then.
"""

from collections.abc import Callable, Mapping
from functools import partial

from pydantic import BaseModel

from ..auth.context import Call
from ..database.queries import sql
from ..errors import BadRequest
from ..text.comparison import fold_name
from . import reference_errors

# By filter: the error for a value that names nothing, given the call and the key of the filter.
UNKNOWN: dict[str, Callable[[Call, str], BadRequest]] = {
    "project_id": partial(reference_errors.unknown_project, problem="names no project"),
    "column_id": partial(reference_errors.unknown_column, project_id=None),
    "card_type_id": partial(reference_errors.unknown_card_type, project_id=None),
    "category_id": reference_errors.unknown_prompt_category,
    "team_id": reference_errors.unknown_team,
    "assigned_user_id": reference_errors.unknown_member,
    "assigned_agent_id": reference_errors.unknown_agent,
    "claimed_by": reference_errors.unknown_agent,
    "agent_id": reference_errors.unknown_agent,
}


def require_known(call: Call, query: BaseModel) -> None:
    """Raise validation_failed, with the existing options, if a filter of a list names nothing."""
    given = {name: getattr(query, name, None) for name in UNKNOWN}
    require_known_values(call, query, {name: (value,) for name, value in given.items() if value is not None})


def require_known_values(call: Call, query: BaseModel, values: Mapping[str, tuple[str, ...] | None]) -> None:
    """Raise validation_failed, with the existing options, if one of the values of a filter names nothing."""
    for name, given in values.items():
        if name in UNKNOWN and not all(is_known(call, name, value) for value in given or ()):
            raise UNKNOWN[name](call, type(query).model_fields[name].alias or name)


def is_known(call: Call, name: str, value: str) -> bool:
    """Return whether the value of a filter is the id of something that the organization has or had."""
    return bool(call.tx.value(sql.directory.is_known, filter=name, id=value, org_id=call.org_id))


def find_former_id(call: Call, name: str, value: str, project_id: str | None) -> str | None:
    """Return the id of something that was removed or archived, by its id or the name that it had in a project."""
    if is_known(call, name, value.strip()):
        return value.strip()
    if (key := ("former", name, project_id)) not in call.catalogs:
        rows = call.tx.all(sql.directory.list_former, org_id=call.org_id, filter=name, project_id=project_id)
        call.catalogs[key] = {fold_name(row["name"]): str(row["id"]) for row in reversed(rows)}  # the first one counts
    former: dict[str, str] = call.catalogs[key]
    return former.get(fold_name(value))
