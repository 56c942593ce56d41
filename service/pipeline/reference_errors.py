"""Refusals of ids in bodies that name nothing, with what there is (contract, section 1: ids in bodies).

What exists is told by title or name, and only to who may read it.
"""

from ..auth.context import Call
from ..database.queries import sql
from ..database.store import Row
from ..errors import BadRequest, invalid

OPTIONS_MAX = 20  # of what there is


def project(call: Call, path: str = "projectId") -> BadRequest:
    """Refuse what names no project, with the titles of those that there are."""
    rows = call.tx.all(sql.projects.list, org_id=call.org_id)
    return _refusal(call, path, "names no active project", "Project", _named(rows, "title"))


def column(call: Call, path: str, project_id: str | None, problem: str = "names no column") -> BadRequest:
    """Refuse what names no column of a project, or of the organization, with the titles of those that there are."""
    rows = call.tx.all(sql.columns.list, org_id=call.org_id, project_id=project_id)
    return _refusal(call, path, problem, "Column", _named(rows, "title"))


def card_type(call: Call, path: str, project_id: str | None, problem: str = "names no card type") -> BadRequest:
    """Refuse what names no card type, with the titles of those that there are."""
    rows = call.tx.all(sql.card_types.list, org_id=call.org_id, project_id=project_id)
    return _refusal(call, path, problem, "CardType", _named(rows, "title"))


def field(call: Call, path: str, card_type_id: str, problem: str) -> BadRequest:
    """Refuse what names no field of a card type, with the names of those that there are."""
    rows = call.tx.all(sql.fields.list, card_type_id=card_type_id)
    return _refusal(call, path, problem, "Field", _named(rows, "name"))


def prompt(call: Call, path: str) -> BadRequest:
    """Refuse what names no prompt, with the names of those that there are."""
    rows = call.tx.all(sql.prompts.list, org_id=call.org_id, category_id=None)
    return _refusal(call, path, "names no prompt of the organization", "Prompt", _named(rows, "name"))


def prompt_category(call: Call, path: str) -> BadRequest:
    """Refuse what names no prompt category, with the names of those that there are."""
    rows = call.tx.all(sql.prompt_categories.list, org_id=call.org_id)
    return _refusal(call, path, "names no prompt category", "Prompt", _named(rows, "name"))


def preset(call: Call, path: str, card_type_id: str) -> BadRequest:
    """Refuse what names no preset of a card type, with the names of those that there are."""
    rows = call.tx.all(sql.preset_fields.list, org_id=call.org_id, card_type_id=card_type_id)
    return _refusal(call, path, "names no preset of the card type", "CardType", _named(rows, "preset_name"))


def team(call: Call, path: str) -> BadRequest:
    """Refuse what names no team, with the names of those that there are."""
    rows = call.tx.all(sql.teams.list, org_id=call.org_id)
    return _refusal(call, path, "names no team", None, _named(rows, "name"))


def _named(rows: list[Row], key: str) -> list[str]:
    return list(dict.fromkeys(row[key] for row in rows))[:OPTIONS_MAX]


def _refusal(call: Call, path: str, problem: str, resource: str | None, options: list[str]) -> BadRequest:
    error = invalid(path, problem)
    if call.membership is None or resource is None or "read" in call.membership.actions.get(resource, ()):
        error.details["options"] = options
    return error
