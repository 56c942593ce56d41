"""What was said and done on the cards of a snapshot: comments and history, append-only."""

from collections.abc import Iterator

from ...database.queries import sql
from ...database.store import Row, Tx
from .cards import note
from .merging import Group, Merge
from .snapshot import unshapely
from .staging import Draft

COMMENTS = Group(
    key="comments",
    read=sql.imports.get_comment,
    write=sql.imports.write_comments,
    needs=(("card_id", "cards"),),
    fixed=("card_id", "parent_id"),
)
HISTORY = Group(
    key="history",
    read=sql.imports.get_history_row,
    write=sql.imports.write_history,
    needs=(("card_id", "cards"),),
    fixed=("card_id",),
)


def write(merge: Merge) -> None:
    """Write comments, replies after what they reply to, then history; a card without any gets one row."""
    merge.each(COMMENTS, lambda path, row: _comment(merge, path, row))
    for path, row in merge.staged.rows(COMMENTS.key):
        if row["parent_id"] is not None:
            _reply(merge, path, {**row, "org_id": merge.org_id})
    merge.each(HISTORY, lambda path, row: merge.put_once(HISTORY, path, row))
    if merge.staged.is_complete:
        _begin_histories(merge)


def _comment(merge: Merge, path: str, row: Draft) -> None:
    if row["parent_id"] is not None:
        return
    merge.put_once(COMMENTS, path, row)
    if row["asks"] is not None and row["actor_type"] == "Agent":
        merge.tx.run(sql.imports.write_questions, comment_id=row["id"], **row["asks"])


def _reply(merge: Merge, path: str, row: Draft) -> None:
    parent = merge.tx.one(sql.imports.get_comment, id=row["parent_id"])
    if parent is None or parent["card_id"] != row["card_id"] or parent["parent_id"] is not None:
        raise unshapely(f"{path}.parentId", "names no comment of the card that can be replied to")
    merge.put_once(COMMENTS, path, row)


def _begin_histories(merge: Merge) -> None:
    # Only where there is none: what was exported and imported again is to stay what it was.
    for row in _without_history(merge, merge.tx):
        if not merge.tx.live.value(sql.imports.find_history, card_id=row["id"]):
            note(merge, row["id"], {})
    for row in _without_history(merge, merge.tx.live):  # of an earlier part
        if not merge.has_written("cards", row["id"]) and not merge.tx.written(
            sql.imports.find_history, card_id=row["id"]
        ):
            note(merge, row["id"], {})


def _without_history(merge: Merge, tx: Tx) -> Iterator[Row]:
    after = ""
    while rows := tx.all(sql.imports.list_cards_without_history, org_id=merge.org_id, after=after):
        yield from rows
        after = rows[-1]["id"]
