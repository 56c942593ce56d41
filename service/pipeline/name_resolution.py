"""Resolution of keys, titles and names to ids and back, for the tools.

Names are compared without case, accents and separators, and must be unique; otherwise the error lists the options. A
project key takes precedence over titles, the name of a field over labels, and the id of an agent over its title,
because responses show those.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

from ..auth import card_keys
from ..auth.context import Call
from ..database.queries import sql
from ..database.statement import Statement
from ..database.store import Row
from ..errors import BadRequest, invalid
from ..http import json_body
from ..schemas import json_text, stored_json
from ..text.comparison import fold_name
from . import filter_values

OPTIONS_MAX = 20  # options that an error lists
CHOICES_MAX = 200  # values of a list that are compared with options; domain/field_values.py refuses more


class UnknownName(BadRequest):
    """A name that names nothing."""


def find_card(call: Call, name: str, path: str = "cardId") -> "sql.directory.GetCardRow":
    """Find a card by id or key, with its key, title, project, type and column; raise NotFound."""
    card_id = card_keys.resolve_card_id(call, name, path)
    return call.require(sql.directory.get_card, "card", card_id=card_id, org_id=call.org_id)


def get_names(call: Call, ids: Iterable[str]) -> dict[str, str]:
    """Return the names of cards, columns, projects, card types and fields by id, without unknown ids."""
    rows = call.tx.all(sql.directory.list_names, org_id=call.org_id, ids=json_text(sorted(set(ids))))
    return {row["id"]: row["name"] for row in rows}


def get_organization_title(call: Call) -> str:
    """Return the title of the current organization."""
    return str(call.tx.one(sql.organizations.get, org_id=call.org_id)["title"])  # type: ignore[index]  # it always exists


def find_project(call: Call, name: str | None, path: str = "project") -> Row:
    """Find a project by id, key or title, or the only one if no name is given; raise validation_failed."""
    return _resolve(_get_catalog(call, "project", ("key", "title"), sql.projects.list), name, path)


def find_filter_id(call: Call, filter: str, find: Callable[[], Row], name: str, project_id: str | None = None) -> str:
    """Return the id that a filter of a list names; it may be of something removed or archived, which lists nothing."""
    try:
        return str(find()["id"])
    except UnknownName:
        former = filter_values.find_former_id(call, filter, name, project_id)
        if former is None:
            raise
        return former


def find_project_filter(call: Call, name: str) -> str:
    """Return the id of the project that the filter of a list names."""
    return find_filter_id(call, "project_id", lambda: find_project(call, name), name)


def find_column(call: Call, name: str, project_id: str | None, path: str = "column") -> Row:
    """Find a column of a project, or of the organization, by id or title; raise validation_failed."""
    catalog = _get_catalog(call, "column", ("title",), sql.columns.list, project_id=project_id)
    return _resolve(catalog, name, path)


def find_card_type(call: Call, name: str | None, project_id: str | None, path: str = "cardType") -> Row:
    """Find a card type by id or title, or the only one if no name is given; raise validation_failed."""
    catalog = _get_catalog(call, "card type", ("title",), sql.card_types.list, project_id=project_id)
    return _resolve(catalog, name, path)


def _get_fields(call: Call, card_type_id: str) -> "_Catalog":
    if (key := ("field", card_type_id)) not in call.catalogs:
        rows = call.tx.all(sql.fields.list, card_type_id=card_type_id)
        call.catalogs[key] = _Catalog("field", rows, ("name", "label"))
    found: _Catalog = call.catalogs[key]
    return found


def list_fields_named(call: Call, name: str, card_type_id: str) -> list[Row]:
    """List the fields of a card type that an id, name or label names."""
    return _get_fields(call, card_type_id).find(name)


def find_field(call: Call, name: str, card_type_id: str, path: str = "field") -> Row:
    """Find a field of a card type by id, name or label; raise validation_failed."""
    return _resolve(_get_fields(call, card_type_id), name, path)


def resolve_field_values(
    call: Call, given: dict[str, Any], card_type_id: str, path: str = "fields"
) -> list[dict[str, Any]]:
    """Return field values given by name as the list by id that the routes accept."""
    fields = [(find_field(call, name, card_type_id, path), value) for name, value in given.items()]
    return [{"fieldId": field["id"], "value": _to_value(call, field, value, path)} for field, value in fields]


def resolve_field_filters(call: Call, filters: list[str], path: str = "fields") -> list[str]:
    """Return filters by field (`name:value`) with ids for the names of people and agents; unknown ones stay."""
    rows = call.tx.all(sql.fields.list_of_organization, org_id=call.org_id) if filters else []
    finders = {fold_name(row["name"]): _FINDERS[row["kind"]] for row in rows if row["kind"] in _FINDERS}
    resolved = []
    for name, colon, value in (text.partition(":") for text in filters):
        found = value
        if (find := finders.get(fold_name(name))) and value.strip():
            with suppress(UnknownName):
                found = find(call, value, f"{path}.{name}")["id"]
        resolved.append(name + colon + found)
    return resolved


def _to_value(call: Call, field: Row, value: Any, path: str) -> Any:
    """Return the value of a field with names replaced by ids, and other spellings by the options of the field.

    The list of a multiselect field can be given as its JSON text.
    """
    kind = field["kind"]
    if kind in _FINDERS and isinstance(value, str) and value.strip():
        return _FINDERS[kind](call, value, f"{path}.{field['name']}")["id"]
    if kind == "multiselect" and isinstance(value, str):
        value = json_body.parse_text(value, list)
    if kind not in ("select", "multiselect"):
        return value
    texts = value if isinstance(value, list) else [value]
    if len(texts) > CHOICES_MAX:  # more than a card takes
        return value
    spellings = _list_spellings(call, field)
    found = [spellings.get(fold_name(text), text) if isinstance(text, str) else text for text in texts]
    return found if isinstance(value, list) else found[0]


def _list_spellings(call: Call, field: Row) -> dict[str, str]:
    """Return the options of a field by their folded texts, without those that share one."""
    if (key := ("options", field["id"])) not in call.catalogs:
        options = [(fold_name(option), option) for option in stored_json(field["options"])]
        times = Counter(folded for folded, _ in options)
        call.catalogs[key] = {folded: option for folded, option in options if times[folded] == 1}
    found: dict[str, str] = call.catalogs[key]
    return found


def find_agent(call: Call, name: str, path: str) -> Row:
    """Find an agent of the organization by id or title; raise validation_failed."""
    more = {"team_id": None, "status": None, "now": call.now}
    return _resolve(_get_catalog(call, "agent", ("id", "title"), sql.agents.list, **more), name, path)


def find_member(call: Call, name: str, path: str) -> Row:
    """Find an active member of the organization by id, name, e-mail or handle; raise validation_failed.

    A handle is unique, so it decides where names are alike: `mo-member` is one of several people called Mo Member.
    The error lists names only: an agent that does not know an e-mail does not learn it.
    """
    if "member" not in call.catalogs:
        rows = call.tx.all(sql.members.list, org_id=call.org_id, now=call.now)
        people: list[Row] = [{**row, "id": row["user_id"]} for row in rows if row["state"] == "active"]
        owners = {row["handle"]: row for row in people}
        call.catalogs["member"] = _Catalog("member", people, ("full_name", "email", "handle")), owners
    catalog, owners = call.catalogs["member"]
    owner: Row | None = owners.get(name.strip().removeprefix("@").lower())
    return owner if owner is not None and len(catalog.find(name)) != 1 else _resolve(catalog, name, path)


_FINDERS = {"agent": find_agent, "user": find_member}  # by kind of field


def find_prompt(call: Call, name: str, path: str = "prompt") -> Row:
    """Find a prompt by id or name; raise validation_failed."""
    return _resolve(_get_catalog(call, "prompt", ("name",), sql.prompts.list, category_id=None), name, path)


def list_prompts(call: Call) -> list[Row]:
    """List the prompts that have a current version, by name."""
    rows = call.tx.all(sql.prompts.list, org_id=call.org_id, category_id=None)
    return [row for row in rows if row["current_version_id"] is not None]


def resolve_team_id(call: Call, name: str | None) -> str:
    """Return the id of the team with this id or name, or of the only one; the error does not list the teams."""
    rows = call.tx.all(sql.directory.list_teams, org_id=call.org_id)
    found = rows if name is None else _Catalog("team", rows, ("name",)).find(name)
    if len(found) != 1:
        raise invalid("team", "send the name of your team; a Solution Architect knows it")
    return str(found[0]["id"])


def find_preset(call: Call, name: str, card_type_id: str, path: str = "preset") -> str:
    """Return the name of a preset of a card type; raise validation_failed."""
    rows = call.tx.all(sql.preset_fields.list, org_id=call.org_id, card_type_id=card_type_id)
    presets: list[Row] = [
        {"id": preset, "name": preset} for preset in dict.fromkeys(row["preset_name"] for row in rows)
    ]
    return str(_resolve(_Catalog("preset", presets, ("name",)), name, path)["name"])


def list_work_areas(call: Call, limit: int) -> list[dict[str, Any]]:
    """List the projects, each with the columns in which agents may work and those in which they may only comment."""
    rows = call.tx.all(sql.directory.list_projects, org_id=call.org_id, limit=limit)
    titles = ({key: stored_json(row[key]) or None for key in ("work_in", "talk_in")} for row in rows)
    return [
        {"key": row["key"], "title": row["title"], "workIn": found["work_in"], "talkIn": found["talk_in"]}
        for row, found in zip(rows, titles, strict=True)
    ]


class _Catalog:
    """Rows of one kind, and the columns by which they can be named; the first is the displayed name."""

    def __init__(self, resource: str, rows: Sequence[Row], by: tuple[str, ...]) -> None:
        self.resource, self.rows, self.by = resource, rows, by
        self._by_id = {row["id"]: row for row in rows}
        self._by_name: dict[str, dict[str, list[Row]]] = {}  # by column and folded name

    def find(self, name: str) -> list[Row]:
        """Return the rows with that id, else with that displayed name, else with another name."""
        if (row := self._by_id.get(name.strip())) is not None:
            return [row]
        folded = fold_name(name)
        return next((found for column in self.by if (found := self._list_named(column).get(folded))), [])

    def _list_named(self, column: str) -> dict[str, list[Row]]:
        if column not in self._by_name:
            named = self._by_name[column] = {}
            for row in self.rows:
                named.setdefault(fold_name(str(row[column])), []).append(row)
        return self._by_name[column]

    def get_unique_name(self, row: Row) -> str:
        """Return a name that identifies a row uniquely."""
        name = str(row[self.by[0]])
        return name if len(self.find(name)) == 1 else f"{name} ({row['id']})"


def _get_catalog(call: Call, resource: str, by: tuple[str, ...], statement: Statement[Row], **more: Any) -> _Catalog:
    """Return the catalog of a kind of rows of the organization, which is read once for each call."""
    if (key := (resource, *more.values())) not in call.catalogs:
        call.catalogs[key] = _Catalog(resource, call.tx.all(statement, org_id=call.org_id, **more), by)
    found: _Catalog = call.catalogs[key]
    return found


def _resolve(catalog: _Catalog, name: str | None, path: str) -> Row:
    found = catalog.rows if name is None else catalog.find(name)
    if len(found) == 1:
        return found[0]
    options = [catalog.get_unique_name(row) for row in (found or catalog.rows)[:OPTIONS_MAX]]
    rest = f" and {len(found or catalog.rows) - OPTIONS_MAX} more" if len(found or catalog.rows) > OPTIONS_MAX else ""
    there_are = (
        f"the {catalog.resource}s are {', '.join(options)}{rest}" if options else f"there are no {catalog.resource}s"
    )
    if name is None:
        problem = f"name one; {there_are}"
    elif found:
        problem = f"{name[:100]!r} names several {catalog.resource}s; use an id: {', '.join(options)}{rest}"
    else:
        problem = f"no {catalog.resource} {name[:100]!r}; {there_are}"
    message = f"Correct the request: {path}: {problem}."
    kind = BadRequest if name is None or found else UnknownName
    raise kind(None, message, fields=[{"path": path, "message": problem}], options=options)
