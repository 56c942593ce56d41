"""Import of projects, teams, agents, columns, prompts and the other groups that cards refer to."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain

from ...database.queries import sql
from ...database.statement import Statement
from ...database.store import Row
from ...domain import board_display, project_keys
from .. import prompts
from .merge import Group, Merge
from .snapshot import invalid_snapshot
from .staging import StagedRow

BOARD = (
    Group(key="projects", read=sql.imports.get_project, write=sql.imports.write_projects),
    Group(key="teams", read=sql.imports.get_team, write=sql.imports.write_teams),
    Group(
        key="agents",
        read=sql.imports.get_agent,
        write=sql.imports.write_agents,
        optional_refs=(("team_id", "teams"),),
    ),
    Group(
        key="cardTypes",
        read=sql.imports.get_card_type,
        write=sql.imports.write_card_types,
        required_refs=(("project_id", "projects"),),
        immutable=("project_id",),
    ),
    Group(
        key="fields",
        counter="customFields",
        read=sql.imports.get_field,
        write=sql.imports.write_fields,
        conflict=sql.imports.find_conflicting_field,
        required_refs=(("card_type_id", "cardTypes"),),
        immutable=("card_type_id", "kind"),
    ),
    Group(key="promptCategories", read=sql.imports.get_prompt_category, write=sql.imports.write_prompt_categories),
    Group(
        key="prompts",
        read=sql.imports.get_prompt,
        write=sql.imports.write_prompts,
        optional_refs=(("category_id", "promptCategories"),),
    ),
    Group(
        key="columns",
        counter="boardColumns",
        read=sql.imports.get_column,
        write=sql.imports.write_columns,
        required_refs=(("project_id", "projects"),),
        optional_refs=(("prompt_id", "prompts"),),
        immutable=("project_id",),
    ),
    Group(
        key="transitions",
        counter="statusTransitions",
        read=sql.imports.get_transition,
        write=sql.imports.write_transitions,
        conflict=sql.imports.find_conflicting_transition,
        required_refs=(("from_column_id", "columns"), ("to_column_id", "columns")),
    ),
    Group(
        key="promptVersions",
        read=sql.imports.get_prompt_version,
        write=sql.imports.write_prompt_versions,
        conflict=sql.imports.find_conflicting_prompt_version,
        required_refs=(("prompt_id", "prompts"),),
        immutable=("prompt_id",),
    ),
    Group(
        key="toolServers",
        read=sql.imports.get_tool_server,
        write=sql.imports.write_tool_servers,
        conflict=sql.imports.find_conflicting_tool_server,
        immutable=("transport",),
    ),
)


_DEFAULT_DISPLAY = board_display.to_json(board_display.BoardDisplay())


def write(merge: Merge) -> None:
    """Write all groups to which cards refer."""
    writer = _BoardWriter(merge)
    for group in BOARD:
        merge.for_each_row(group, partial(writer.write, group))
    _renumber(
        merge,
        sql.imports.list_projects_of_columns,
        sql.imports.list_columns_of_project,
        sql.imports.set_column_position,
        "columns",
    )
    _renumber(
        merge,
        sql.imports.list_card_types_of_fields,
        sql.imports.list_fields_of_card_type,
        sql.imports.set_field_position,
        "fields",
    )
    for row in list(merge.tx.each(sql.imports.list_changed_prompts)):
        merge.staged.check()
        _set_active_version(merge, row["id"])


class _BoardWriter:
    def __init__(self, merge: Merge) -> None:
        self._merge = merge
        self._label_fields = _find_label_fields(merge)
        self._key_counts: dict[str, int] = {}  # project keys by their letters, which a number can follow

    def write(self, group: Group, path: str, row: StagedRow) -> None:
        """Write one row with the additional steps of its group."""
        merge, key = self._merge, group.key
        if key == "transitions":
            _check_transition(merge, path, row)
        if key == "projects":
            existing = merge.find_existing(group, path, row)
            self._set_key(row, existing)
            row["display"] = row["display"] or (existing["display"] if existing else _DEFAULT_DISPLAY)
        if key == "fields":
            self._set_display(row, merge.find_existing(group, path, row))
        members = row.pop("member_ids", ())
        merge.upsert(group, path, row)
        for user_id in members:
            merge.staged.check()
            _add_team_member(merge, row["id"], user_id)

    def _set_display(self, row: StagedRow, existing: Row | None) -> None:
        """Set the display of a field that an older snapshot leaves out: the current one, else that of the migration."""
        is_label = row["id"] == self._label_fields.get(row["card_type_id"])
        for column, default in (("show_on_card", is_label), ("option_colors", "{}")):
            if row[column] is None:
                row[column] = existing[column] if existing else default

    def _free_key(self, title: str) -> str:
        """Return a new project key made from a title; the existing keys like it are counted once per import."""
        merge, base = self._merge, project_keys.derive_key(title)
        if base not in self._key_counts:
            self._key_counts[base] = project_keys.count_similar_keys(merge.tx.live, merge.org_id, title)
        return project_keys.find_free_key(merge.tx, merge.org_id, title, self._key_counts)

    def _set_key(self, row: StagedRow, existing: Row | None) -> None:
        """Set the key of a project, a new one if the key is taken, and reserve its former keys."""
        merge, key = self._merge, row["key"]
        holder = key and merge.tx.value(sql.project_keys.find_project, org_id=merge.org_id, key=key)
        if key is None or holder not in (None, row["id"]):
            row["key"] = existing["key"] if existing else self._free_key(row["title"])
        for reserved in (row["key"], *row.pop("former_keys")):
            merge.tx.run(sql.project_keys.reserve, org_id=merge.org_id, project_id=row["id"], key=reserved)
        row["last_number"] = max(row["last_number"] or 0, existing["last_number"] if existing else 0)


def _find_label_fields(merge: Merge) -> dict[str, str]:
    """Return the id of the first multiselect field of each card type in the snapshot."""
    first: dict[str, tuple[int, str]] = {}
    for _, row in merge.staged.rows("fields"):
        if row["kind"] == "multiselect":
            place = (row["order"], row["id"])
            first[row["card_type_id"]] = min(place, first.get(row["card_type_id"], place))
    return {card_type_id: field_id for card_type_id, (_, field_id) in first.items()}


def _check_transition(merge: Merge, path: str, row: StagedRow) -> None:
    """Raise InvalidSnapshotShape unless a transition connects two columns of its project; set the project."""
    ends = [merge.find_row("columns", row[end]) for end in ("from_column_id", "to_column_id")]
    projects = {end["project_id"] for end in ends if end}
    if row["from_column_id"] == row["to_column_id"] or projects - {row["project_id"] or next(iter(projects), None)}:
        raise invalid_snapshot(path, "must lead from one column to another column of its project")
    row["project_id"] = next(iter(projects), row["project_id"])


def _add_team_member(merge: Merge, team_id: str, user_id: str) -> None:
    if (member := merge.find_member(user_id)) is not None:
        merge.tx.run(sql.imports.add_team_member, team_id=team_id, user_id=member)


def _renumber(merge: Merge, parents: Statement[Row], order: Statement[Row], place: Statement[Row], key: str) -> None:
    """Set the positions of columns or fields to 0, 1, 2 …: first those of the snapshot, then the other ones."""
    for parent in list(merge.tx.each(parents)):
        rows = chain(merge.tx.each(order, **parent), _not_in_snapshot(merge, merge.tx.live.each(order, **parent), key))
        for position, row in enumerate(rows):
            merge.staged.check()
            if row["position"] != position:
                merge.tx.run(place, id=row["id"], position=position)


def _not_in_snapshot(merge: Merge, rows: Iterator[Row], key: str) -> Iterator[Row]:
    return (row for row in rows if not merge.is_in_snapshot(key, row["id"]))


def _set_active_version(merge: Merge, prompt_id: str) -> None:
    """Deactivate all versions of a prompt but the current one; clear the current one if it is not an active version."""
    prompt = merge.tx.one(sql.imports.get_prompt, id=prompt_id)
    assert prompt is not None
    current = prompt["current_version_id"]
    active = [row["id"] for row in _versions(merge, prompt_id) if row["active"]]
    if current is not None and current not in active:
        merge.tx.run(sql.imports.clear_current_version, prompt_id=prompt_id)
    for version_id in active:
        if version_id != current:
            merge.tx.run(sql.imports.deactivate_version, version_id=version_id)


def _versions(merge: Merge, prompt_id: str) -> Iterable[Row]:
    """Return the versions that a prompt will have.

    Raises InvalidSnapshotShape if they exceed the limit of a prompt, or the current size if that is larger.
    """
    tx, prompt = merge.tx, {"prompt_id": prompt_id}
    remaining = max(prompts.CHARACTERS_MAX, tx.live.value(sql.prompt_versions.total_size, **prompt))
    found: dict[str, Row] = {}
    for row in chain(tx.each(sql.imports.list_versions, **prompt), tx.live.each(sql.imports.list_versions, **prompt)):
        if row["id"] not in found:
            found[row["id"]] = row
            remaining -= row["size"]
        if remaining < 0:
            raise invalid_snapshot(
                "promptVersions", f"has more versions of the prompt {prompt_id} than a prompt may have"
            )
    return found.values()
