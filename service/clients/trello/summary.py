"""The table that tells what of a board was taken over and what was not."""

from __future__ import annotations

from .board import Board

Row = tuple[str, int, str]


def summarize(board: Board, heading: str, verb: str) -> str:
    """Write the summary of an import, made or only tried out."""
    taken, left = _taken(board), [(row.what, row.count, row.reason) for row in board.leftovers]
    lines = [heading, "", verb, *_table(taken, taken + left)]
    if left:
        lines += ["", "Not taken over", *_table(left, taken + left)]
    return "\n".join([*lines, *_remarks(board)])


def _taken(board: Board) -> list[Row]:
    cards = board.cards
    closed = sum(row.closed for row in board.lists)
    opened = len(board.lists) - closed
    archived = sum(card.archived for card in cards)
    tagged = sum(bool(card.tags) for card in cards)
    return [
        ("columns", opened, ""),
        ("archived lists", closed, "as archived cards; the columns are removed again"),
        ("cards, active", len(cards) - archived, ""),
        ("cards, archived", archived, "closed in Trello, or in an archived list"),
        ("comments", sum(len(card.comments) for card in cards), "with author and date in the text"),
        ("labels as tags", sum(len(card.tags) for card in cards), f"on {tagged} cards"),
        ("member names", sum(len(card.members) for card in cards), "in the field members"),
        ("checklist items", _check_items(board), "in the description"),
        ("attachments as links", sum(len(card.attachments) for card in cards), "in the description"),
        ("due dates", sum(card.due is not None for card in cards), ""),
        ("transitions", opened * (opened - 1), "every move between columns, as in Trello"),
    ]


def _check_items(board: Board) -> int:
    return sum(len(checklist.items) for card in board.cards for checklist in card.checklists)


def _table(rows: list[Row], all_rows: list[Row]) -> list[str]:
    width = max(len(what) for what, _, _ in all_rows)
    digits = max(len(str(count)) for _, count, _ in all_rows)
    return [f"  {what:<{width}}  {count:>{digits}}  {note}".rstrip() for what, count, note in rows]


def _remarks(board: Board) -> list[str]:
    remarks = []
    if board.reopened:
        remarks.append("Every list of the board is archived, so the lists stay as columns with their cards.")
    if board.actions_cut:
        remarks.append("Trello exports only the newest 1,000 actions: older comments are not in the file.")
    return ["", *remarks] if remarks else []
