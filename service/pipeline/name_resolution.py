"""What things are called: keys, titles and names to ids and back, for who speaks in names (contract, section 7: tools).

A name counts in any case of its letters, if it names one thing; else the error lists what there is. A key of a project
wins over titles, the name of a field over labels: they are what answers show.
"""

from collections.abc import Iterable
from typing import Any

from ..auth import card_keys
from ..auth.context import Call
from ..database.queries import sql
from ..database.store import Row
from ..errors import BadRequest, NotFound, invalid
from ..schemas import json_text, stored_json

OPTIONS_MAX = 20  # of what there is, that an error lists


def card(call: Call, named: str) -> Row:
    """Find a card by id or key, with its key, title, project, type and column; raise NotFound."""
    row = call.tx.one(sql.directory.get_card, card_id=card_keys.card_id(call, named), org_id=call.org_id)
    if row is None:
        raise NotFound("card")
    return row


def names(call: Call, ids: Iterable[str]) -> dict[str, str]:
    """Tell what cards, columns, projects, card types and fields are called; ids of nothing are left out."""
    rows = call.tx.all(sql.directory.list_names, org_id=call.org_id, ids=json_text(sorted(set(ids))))
    return {row["id"]: row["name"] for row in rows}


def organization(call: Call) -> str:
    """Tell what the current organization is called."""
    return str(call.tx.one(sql.organizations.get, org_id=call.org_id)["title"])  # type: ignore[index]  # it is there


def project(call: Call, named: str | None, path: str = "project") -> Row:
    """Find a project by id, key or title; none named: the only one there is. Raise validation_failed."""
    rows = call.tx.all(sql.projects.list, org_id=call.org_id)
    return _picked(_Shelf("project", rows, ("key", "title")), named, path)


def column(call: Call, named: str, project_id: str | None, path: str = "column") -> Row:
    """Find a column of a project, or of the organization, by id or title; raise validation_failed."""
    rows = call.tx.all(sql.columns.list, org_id=call.org_id, project_id=project_id)
    return _picked(_Shelf("column", rows, ("title",)), named, path)


def card_type(call: Call, named: str | None, project_id: str | None, path: str = "cardType") -> Row:
    """Find a card type by id or title; none named: the only one there is. Raise validation_failed."""
    rows = call.tx.all(sql.card_types.list, org_id=call.org_id, project_id=project_id)
    return _picked(_Shelf("card type", rows, ("title",)), named, path)


def field(call: Call, named: str, card_type_id: str, path: str = "field") -> Row:
    """Find a field of a card type by id, name or label; raise validation_failed."""
    rows = call.tx.all(sql.fields.list, card_type_id=card_type_id)
    return _picked(_Shelf("field", rows, ("name", "label")), named, path)


def values(call: Call, given: dict[str, Any], card_type_id: str, path: str = "fields") -> list[dict[str, Any]]:
    """Turn values by the names of fields into values by their ids, as the routes take them."""
    rows = call.tx.all(sql.fields.list, card_type_id=card_type_id) if given else []
    shelf = _Shelf("field", rows, ("name", "label"))
    return [{"fieldId": _picked(shelf, name, path)["id"], "value": value} for name, value in given.items()]


def prompt(call: Call, named: str, path: str = "prompt") -> Row:
    """Find a prompt by id or name; raise validation_failed."""
    rows = call.tx.all(sql.prompts.list, org_id=call.org_id, category_id=None)
    return _picked(_Shelf("prompt", rows, ("name",)), named, path)


def prompts(call: Call) -> list[Row]:
    """List the prompts that have a current version, by name."""
    rows = call.tx.all(sql.prompts.list, org_id=call.org_id, category_id=None)
    return [row for row in rows if row["current_version_id"] is not None]


def team_id(call: Call, named: str | None) -> str:
    """Find a team by id or name, none named: the only one there is; nothing is told of others."""
    rows = call.tx.all(sql.directory.list_teams, org_id=call.org_id, id_or_name=named)
    if len(rows) != 1:
        raise invalid("team", "ask a Solution Architect for the name of your team, and give that")
    return str(rows[0]["id"])


def places(call: Call, limit: int) -> list[dict[str, Any]]:
    """List the projects, each with the columns in which agents may work, and those where they may no more than talk."""
    rows = call.tx.all(sql.directory.list_projects, org_id=call.org_id, limit=limit)
    titles = ({key: stored_json(row[key]) or None for key in ("work_in", "talk_in")} for row in rows)
    return [
        {"key": row["key"], "title": row["title"], "workIn": found["work_in"], "talkIn": found["talk_in"]}
        for row, found in zip(rows, titles, strict=True)
    ]


class _Shelf:
    """Things of one kind, and the columns by which they are named, the one that is shown first."""

    def __init__(self, noun: str, rows: list[Row], by: tuple[str, ...]) -> None:
        self.noun, self.rows, self.by = noun, rows, by

    def found(self, named: str) -> list[Row]:
        """Give what has that id, else what is called so by the name that is shown first, else by another."""
        found = [row for row in self.rows if row["id"] == named]
        for name in self.by:
            found = found or [row for row in self.rows if str(row[name]).casefold() == named.casefold()]
        return found

    def called(self, row: Row) -> str:
        """Give the name by which a thing is found again."""
        name = str(row[self.by[0]])
        return name if len(self.found(name)) == 1 else f"{name} ({row['id']})"


def _picked(shelf: _Shelf, named: str | None, path: str) -> Row:
    found = shelf.rows if named is None else shelf.found(named)
    if len(found) == 1:
        return found[0]
    options = [shelf.called(row) for row in (found or shelf.rows)[:OPTIONS_MAX]]
    rest = f" and {len(found or shelf.rows) - OPTIONS_MAX} more" if len(found or shelf.rows) > OPTIONS_MAX else ""
    there_are = f"the {shelf.noun}s are {', '.join(options)}{rest}" if options else f"there are no {shelf.noun}s"
    if named is None:
        problem = f"name one; {there_are}"
    elif found:
        problem = f"{named[:100]!r} is several {shelf.noun}s; name one by its id: {', '.join(options)}{rest}"
    else:
        problem = f"no {shelf.noun} {named[:100]!r}; {there_are}"
    message = f"Correct the request: {path}: {problem}."
    raise BadRequest(None, message, fields=[{"path": path, "message": problem}], options=options)
