"""Errors for unknown ids in bodies, with the existing options.

Options are titles or names, and are included only if the caller may read them.
"""

from collections.abc import Sequence

from ..auth.context import Call
from ..database.queries import sql
from ..database.store import Row
from ..errors import BadRequest, invalid

OPTIONS_MAX = 20  # per error


def unknown_project(call: Call, path: str = "projectId", problem: str = "names no active project") -> BadRequest:
    """Return the error for an unknown project, with the existing titles."""
    rows = call.tx.all(sql.projects.list, org_id=call.org_id)
    return _invalid_reference(call, path, problem, "Project", _list_options(rows, "title"))


def unknown_column(call: Call, path: str, project_id: str | None, problem: str = "names no column") -> BadRequest:
    """Return the error for an unknown column of a project, or of the organization, with the existing titles."""
    rows = call.tx.all(sql.columns.list, org_id=call.org_id, project_id=project_id)
    return _invalid_reference(call, path, problem, "Column", _list_options(rows, "title"))


def unknown_card_type(call: Call, path: str, project_id: str | None, problem: str = "names no card type") -> BadRequest:
    """Return the error for an unknown card type, with the existing titles."""
    rows = call.tx.all(sql.card_types.list, org_id=call.org_id, project_id=project_id)
    return _invalid_reference(call, path, problem, "CardType", _list_options(rows, "title"))


def unknown_field(call: Call, path: str, card_type_id: str, problem: str) -> BadRequest:
    """Return the error for an unknown field of a card type, with the existing names."""
    rows = call.tx.all(sql.fields.list, card_type_id=card_type_id)
    return _invalid_reference(call, path, problem, "Field", _list_options(rows, "name"))


def unknown_list_column(call: Call, path: str, fixed: list[str], all_columns: list[str]) -> BadRequest:
    """Return the error for an unknown column of lists, with the existing ones, without fields that may not be read."""
    error = _invalid_reference(call, path, "names no column of lists", "Field", all_columns[:OPTIONS_MAX])
    error.details.setdefault("options", fixed)
    return error


def unknown_field_name(call: Call, path: str, problem: str, rows: Sequence[Row]) -> BadRequest:
    """Return the error for a name that no field of the organization has, with the names of those in use."""
    options = _list_options([row for row in rows if row["is_active"]], "name")
    return _invalid_reference(call, path, problem, "Field", options)


def unknown_prompt(call: Call, path: str) -> BadRequest:
    """Return the error for an unknown prompt, with the existing names."""
    rows = call.tx.all(sql.prompts.list, org_id=call.org_id, category_id=None)
    return _invalid_reference(call, path, "names no prompt of the organization", "Prompt", _list_options(rows, "name"))


def unknown_prompt_category(call: Call, path: str) -> BadRequest:
    """Return the error for an unknown prompt category, with the existing names."""
    rows = call.tx.all(sql.prompt_categories.list, org_id=call.org_id)
    return _invalid_reference(call, path, "names no prompt category", "Prompt", _list_options(rows, "name"))


def unknown_preset(call: Call, path: str, card_type_id: str) -> BadRequest:
    """Return the error for an unknown preset of a card type, with the existing names."""
    rows = call.tx.all(sql.preset_fields.list, org_id=call.org_id, card_type_id=card_type_id)
    return _invalid_reference(
        call, path, "names no preset of the card type", "CardType", _list_options(rows, "preset_name")
    )


def unknown_team(call: Call, path: str) -> BadRequest:
    """Return the error for an unknown team, with the existing names for a Solution Architect."""
    if call.membership is None or call.membership.role != "SolutionArchitect":
        return invalid(path, "names no team")
    rows = call.tx.all(sql.teams.list, org_id=call.org_id)
    return _invalid_reference(call, path, "names no team", None, _list_options(rows, "name"))


def unknown_agent(call: Call, path: str) -> BadRequest:
    """Return the error for an unknown agent, with the existing ids."""
    rows = call.tx.all(sql.agents.list, org_id=call.org_id, team_id=None, status=None, now=call.now)
    return _invalid_reference(call, path, "names no agent of the organization", None, _list_options(rows, "id"))


def unknown_member(call: Call, path: str) -> BadRequest:
    """Return the error for an unknown member, with the existing names; invited people have none here."""
    rows = call.tx.all(sql.members.list, org_id=call.org_id, now=call.now)
    names = _list_options([row for row in rows if row["state"] == "active"], "full_name")
    return _invalid_reference(call, path, "names no member of the organization", None, names)


def _list_options(rows: Sequence[Row], key: str) -> list[str]:
    return list(dict.fromkeys(row[key] for row in rows))[:OPTIONS_MAX]


def _invalid_reference(call: Call, path: str, problem: str, resource: str | None, options: list[str]) -> BadRequest:
    error = invalid(path, problem)
    if call.membership is None or resource is None or "read" in call.membership.actions.get(resource, ()):
        error.details["options"] = options
    return error
