"""Import of comments and history, whose existing rows are never changed."""

from collections.abc import Iterator

from ...database.queries import sql
from ...database.store import Row, Tx
from ...schemas import stored_json
from .cards import record_import
from .merge import Group, Merge, id_conflict
from .snapshot import invalid_snapshot
from .staging import StagedRow

COMMENTS = Group(
    key="comments",
    read=sql.imports.get_comment,
    write=sql.imports.write_comments,
    required_refs=(("card_id", "cards"),),
    immutable=("card_id", "parent_id"),
)
HISTORY = Group(
    key="history",
    read=sql.imports.get_history_row,
    write=sql.imports.write_history,
    required_refs=(("card_id", "cards"),),
    immutable=("card_id",),
)


def write(merge: Merge) -> None:
    """Write comments, then replies, then history; a card without history gets one row."""
    merge.for_each_row(COMMENTS, lambda path, row: _write_comment(merge, path, row))
    for path, row in merge.staged.rows(COMMENTS.key):
        if row["parent_id"] is not None:
            _write_reply(merge, path, {**row, "org_id": merge.org_id})
    merge.for_each_row(HISTORY, lambda path, row: _write_history_row(merge, path, row))
    if merge.staged.is_complete:
        _create_missing_history(merge)


def _write_comment(merge: Merge, path: str, row: StagedRow) -> None:
    if row["parent_id"] is not None:
        return
    row["mentions"] = merge.encode_mentions(row["mentions"])
    merge.insert_if_absent(COMMENTS, path, row)
    if row["asks"] is not None and row["actor_type"] == "Agent":
        merge.set_times(row["asks"])
        merge.tx.run(sql.imports.write_questions, comment_id=row["id"], **row["asks"])


def _write_reply(merge: Merge, path: str, row: StagedRow) -> None:
    parent = merge.tx.one(sql.imports.get_comment, id=row["parent_id"])
    if parent is None or parent["card_id"] != row["card_id"] or parent["parent_id"] is not None:
        raise invalid_snapshot(f"{path}.parentId", "names no comment of the card that can be replied to")
    row["mentions"] = merge.encode_mentions(row["mentions"])
    merge.insert_if_absent(COMMENTS, path, row)


def _write_history_row(merge: Merge, path: str, row: StagedRow) -> None:
    """Write a history row; raise id_conflict if it names a column whose reports show another organization."""
    for column_id in stored_json(row["changes"]).get("columnId", {}).values():
        column = column_id and merge.tx.one(sql.imports.get_column, id=column_id)
        if column and column["org_id"] != merge.org_id:
            raise id_conflict(path, "names a column of another organization")
    merge.insert_if_absent(HISTORY, path, row)


def _create_missing_history(merge: Merge) -> None:
    # A card with history gets no row, so that an export that is imported again stays identical.
    for row in _cards_without_history(merge, merge.tx):
        merge.staged.check()
        if not merge.tx.live.value(sql.imports.find_history, card_id=row["id"]):
            record_import(merge, row["id"], {})
    for row in _cards_without_history(merge, merge.tx.live):  # cards of earlier parts
        merge.staged.check()
        if not merge.is_in_snapshot("cards", row["id"]) and not merge.tx.find_written(
            sql.imports.find_history, card_id=row["id"]
        ):
            record_import(merge, row["id"], {})


def _cards_without_history(merge: Merge, tx: Tx) -> Iterator[Row]:
    after = ""
    while rows := tx.all(sql.imports.list_cards_without_history, org_id=merge.org_id, after=after):
        yield from rows
        after = rows[-1]["id"]
