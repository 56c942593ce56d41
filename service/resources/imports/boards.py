"""Boards, teams, prompts and tool servers of a snapshot: everything that cards and agents stand on."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain

from ...database.queries import Statement, sql
from ...database.store import Row
from ...domain import project_keys
from .. import prompts
from .merging import Group, Merge
from .snapshot import unshapely
from .staging import Draft

BOARD = (
    Group(key="projects", read=sql.imports.get_project, write=sql.imports.write_projects),
    Group(key="teams", read=sql.imports.get_team, write=sql.imports.write_teams),
    Group(
        key="agents",
        read=sql.imports.get_agent,
        write=sql.imports.write_agents,
        likes=(("team_id", "teams"),),
    ),
    Group(
        key="cardTypes",
        read=sql.imports.get_card_type,
        write=sql.imports.write_card_types,
        needs=(("project_id", "projects"),),
        fixed=("project_id",),
    ),
    Group(
        key="fields",
        counter="customFields",
        read=sql.imports.get_field,
        write=sql.imports.write_fields,
        twin=sql.imports.find_conflicting_field,
        needs=(("card_type_id", "cardTypes"),),
        fixed=("card_type_id", "kind"),
    ),
    Group(key="promptCategories", read=sql.imports.get_prompt_category, write=sql.imports.write_prompt_categories),
    Group(
        key="prompts",
        read=sql.imports.get_prompt,
        write=sql.imports.write_prompts,
        likes=(("category_id", "promptCategories"),),
    ),
    Group(
        key="columns",
        counter="boardColumns",
        read=sql.imports.get_column,
        write=sql.imports.write_columns,
        needs=(("project_id", "projects"),),
        likes=(("prompt_id", "prompts"),),
        fixed=("project_id",),
    ),
    Group(
        key="transitions",
        counter="statusTransitions",
        read=sql.imports.get_transition,
        write=sql.imports.write_transitions,
        twin=sql.imports.find_conflicting_transition,
        needs=(("from_column_id", "columns"), ("to_column_id", "columns")),
    ),
    Group(
        key="promptVersions",
        read=sql.imports.get_prompt_version,
        write=sql.imports.write_prompt_versions,
        twin=sql.imports.find_conflicting_prompt_version,
        needs=(("prompt_id", "prompts"),),
        fixed=("prompt_id",),
    ),
    Group(
        key="toolServers",
        read=sql.imports.get_tool_server,
        write=sql.imports.write_tool_servers,
        twin=sql.imports.find_conflicting_tool_server,
    ),
)


def write(merge: Merge) -> None:
    """Write all that comes before cards."""
    taking = _Taking(merge)
    for group in BOARD:
        merge.each(group, partial(taking.take, group))
    _number(
        merge,
        sql.imports.list_projects_of_columns,
        sql.imports.list_columns_of_project,
        sql.imports.set_column_position,
        "columns",
    )
    _number(
        merge,
        sql.imports.list_card_types_of_fields,
        sql.imports.list_fields_of_card_type,
        sql.imports.set_field_position,
        "fields",
    )
    for row in list(merge.tx.each(sql.imports.list_changed_prompts)):
        _keep_one_version(merge, row["id"])


class _Taking:
    def __init__(self, merge: Merge) -> None:
        self._merge = merge
        self._keys: dict[str, int] = {}  # how many there are of each beginning

    def take(self, group: Group, path: str, row: Draft) -> None:
        """Write one row with what is special about its group."""
        merge, key = self._merge, group.key
        if key == "transitions":
            _join(merge, path, row)
        if key == "projects":
            self._name(row, merge.known(group, path, row))
        members = row.pop("member_ids", ())
        merge.put(group, path, row)
        for user_id in members:
            _join_team(merge, row["id"], user_id)

    def _free_key(self, title: str) -> str:
        """Make a key of a title; how many begin alike is counted once, in what was there before."""
        merge, base = self._merge, project_keys.derive_key(title)
        if base not in self._keys:
            self._keys[base] = project_keys.count_similar_keys(merge.tx.live, merge.org_id, title)
        return project_keys.find_free_key(merge.tx, merge.org_id, title, self._keys)

    def _name(self, row: Draft, known: Row | None) -> None:
        """Give a project its key, anew where that is taken, and keep its former ones; its cards are counted on."""
        merge, wanted = self._merge, row["key"]
        holder = wanted and merge.tx.value(sql.project_keys.find_project, org_id=merge.org_id, key=wanted)
        if wanted is None or holder not in (None, row["id"]):
            row["key"] = known["key"] if known else self._free_key(row["title"])
        for key in (row["key"], *row.pop("former_keys")):
            merge.tx.run(sql.project_keys.reserve, org_id=merge.org_id, project_id=row["id"], key=key)
        row["last_number"] = max(row["last_number"] or 0, known["last_number"] if known else 0)


def _join(merge: Merge, path: str, row: Draft) -> None:
    """See that a transition joins two columns of its project."""
    ends = [merge.find("columns", row[end]) for end in ("from_column_id", "to_column_id")]
    projects = {end["project_id"] for end in ends if end}
    if row["from_column_id"] == row["to_column_id"] or projects - {row["project_id"] or next(iter(projects), None)}:
        raise unshapely(path, "must lead from one column to another one of its project")
    row["project_id"] = next(iter(projects), row["project_id"])


def _join_team(merge: Merge, team_id: str, user_id: str) -> None:
    if (member := merge.member(user_id)) is not None:
        merge.tx.run(sql.imports.add_team_member, team_id=team_id, user_id=member)


def _number(merge: Merge, parents: Statement, order: Statement, place: Statement, key: str) -> None:
    """Number columns (or fields) densely again: first those of the snapshot, then those that it does not know."""
    for parent in list(merge.tx.each(parents)):
        rows = chain(merge.tx.each(order, **parent), _unknown(merge, merge.tx.live.each(order, **parent), key))
        for position, row in enumerate(rows):
            if row["position"] != position:
                merge.tx.run(place, id=row["id"], position=position)


def _unknown(merge: Merge, rows: Iterator[Row], key: str) -> Iterator[Row]:
    return (row for row in rows if not merge.has_written(key, row["id"]))


def _keep_one_version(merge: Merge, prompt_id: str) -> None:
    """See that a prompt's current version is one of its own active ones, or none, and no other one is active."""
    current = (merge.tx.one(sql.imports.get_prompt, id=prompt_id) or {})["current_version_id"]
    active = [row["id"] for row in _versions(merge, prompt_id) if row["active"]]
    if current is not None and current not in active:
        merge.tx.run(sql.imports.clear_current_version, prompt_id=prompt_id)
    for version_id in active:
        if version_id != current:
            merge.tx.run(sql.imports.deactivate_version, version_id=version_id)


def _versions(merge: Merge, prompt_id: str) -> Iterable[Row]:
    """Give the versions that a prompt will have; refuse more than a route lets it have, if there are not as many."""
    tx, which = merge.tx, {"prompt_id": prompt_id}
    most = max(prompts.CHARACTERS_MAX, tx.live.value(sql.prompt_versions.total_size, **which))
    found: dict[str, Row] = {}
    for row in chain(tx.each(sql.imports.list_versions, **which), tx.live.each(sql.imports.list_versions, **which)):
        if row["id"] not in found:
            found[row["id"]] = row
            most -= row["size"]
        if most < 0:
            raise unshapely("promptVersions", f"has more versions of the prompt {prompt_id} than a prompt may have")
    return found.values()
