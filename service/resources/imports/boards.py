"""Boards, teams, prompts and tool servers of a snapshot: everything that cards and agents stand on."""

from collections import defaultdict

from ...database.queries import Statement, sql
from ...database.store import Row
from .. import project_keys
from .merging import BOARD, Group, Merge
from .snapshot import unshapely
from .staging import Draft


def write(merge: Merge) -> None:
    """Write all that comes before cards."""
    for group in BOARD:
        merge.each(group, _Taking(merge, group).take)
    _number(merge, "columns", sql.imports.column_order, sql.imports.place_column)
    _number(merge, "fields", sql.imports.field_order, sql.imports.place_field)
    merge.tx.run(sql.imports.keep_current_versions, org_id=merge.org_id)
    merge.tx.run(sql.imports.keep_one_active, org_id=merge.org_id)


class _Taking:
    def __init__(self, merge: Merge, group: Group) -> None:
        self._merge = merge
        self._group = group

    def take(self, path: str, row: Draft) -> None:
        """Write one row with what is special about its group."""
        merge, key = self._merge, self._group.key
        if key == "transitions":
            _join(merge, path, row)
        if key == "projects":
            _name(merge, row, merge.known(self._group, path, row))
        members = row.pop("member_ids", ())
        merge.put(self._group, path, row)
        for user_id in members:
            _join_team(merge, row["id"], user_id)
        if key in ("columns", "fields"):
            merge.seen[key].add(row["id"])


def _join(merge: Merge, path: str, row: Draft) -> None:
    """See that a transition joins two columns of its project."""
    ends = [merge.find("columns", row[end]) for end in ("from_column_id", "to_column_id")]
    projects = {end["project_id"] for end in ends if end}
    if row["from_column_id"] == row["to_column_id"] or projects - {row["project_id"] or next(iter(projects), None)}:
        raise unshapely(path, "must lead from one column to another one of its project")
    row["project_id"] = next(iter(projects), row["project_id"])


def _name(merge: Merge, row: Draft, known: Row | None) -> None:
    """Give a project its key, anew where that is taken, and keep its former ones; its cards are counted on."""
    wanted, which = row["key"], {"org_id": merge.org_id, "project_id": row["id"]}
    holder = wanted and merge.tx.value(sql.project_keys.holder, org_id=merge.org_id, key=wanted)
    if wanted is None or holder not in (None, row["id"]):
        row["key"] = known["key"] if known else project_keys.free(merge.tx, merge.org_id, row["title"])
    for key in (row["key"], *row.pop("former_keys")):
        merge.tx.run(sql.project_keys.reserve, key=key, **which)
    row["last_number"] = max(row["last_number"] or 0, known["last_number"] if known else 0)


def _join_team(merge: Merge, team_id: str, user_id: str) -> None:
    if (member := merge.member(user_id)) is not None:
        merge.tx.run(sql.imports.join_team, team_id=team_id, user_id=member)


def _number(merge: Merge, key: str, order: Statement, place: Statement) -> None:
    """Number columns (or fields) densely again: first those of the snapshot, then those that it does not know."""
    siblings: defaultdict[str, list[Row]] = defaultdict(list)
    for row in merge.tx.each(order, org_id=merge.org_id):
        siblings[row["parent_id"]].append(row)
    seen = merge.seen[key]
    for rows in siblings.values():
        rows.sort(key=lambda row: (row["id"] not in seen, row["position"], row["id"]))
        # Where the snapshot knows none of them, they stay as they are.
        for position, row in enumerate(rows if rows[0]["id"] in seen else []):
            if row["position"] != position:
                merge.tx.run(place, id=row["id"], position=position)
