"""What of a board is taken over and what is not, in rows and as a table."""

from __future__ import annotations

from dataclasses import dataclass

from .board import Board


@dataclass(frozen=True)
class Row:
    what: str
    count: int
    note: str


@dataclass(frozen=True)
class Summary:
    """What an import of a board takes over, what it leaves behind and why, and what else is to be known."""

    taken: list[Row]
    left: list[Row]
    remarks: list[str]


def summarize(board: Board) -> Summary:
    """Count what of a board is taken over and what is not."""
    left = [Row(row.what, row.count, row.reason) for row in board.leftovers]
    return Summary(_taken(board), left, _remarks(board))


def text(summary: Summary, heading: str, verb: str) -> str:
    """Write the summary of an import, made or only tried out."""
    taken, left = summary.taken, summary.left
    lines = [heading, "", verb, *_table(taken, taken + left)]
    if left:
        lines += ["", "Not taken over", *_table(left, taken + left)]
    return "\n".join([*lines, *([""] if summary.remarks else []), *summary.remarks])


def _taken(board: Board) -> list[Row]:
    cards, opened = board.cards, len(board.opened)
    closed = len(board.lists) - opened
    archived = sum(card.archived for card in cards)
    tagged = sum(bool(card.tags) for card in cards)
    return [
        Row("columns", opened, ""),
        Row("archived lists", closed, "as archived cards; the columns are removed again"),
        Row("cards, active", len(cards) - archived, ""),
        Row("cards, archived", archived, "closed in Trello, or in an archived list"),
        Row("comments", sum(len(card.comments) for card in cards), "with author and date in the text"),
        Row("labels as tags", sum(len(card.tags) for card in cards), f"on {tagged} cards"),
        Row("member names", sum(len(card.members) for card in cards), "in the field members"),
        Row("checklist items", _check_items(board), "in the description"),
        Row("attachments as links", sum(len(card.attachments) for card in cards), "in the description"),
        Row("due dates", sum(card.due is not None for card in cards), ""),
        Row("transitions", opened * (opened - 1), "every move between columns, as in Trello"),
    ]


def _check_items(board: Board) -> int:
    return sum(len(checklist.items) for card in board.cards for checklist in card.checklists)


def _table(rows: list[Row], all_rows: list[Row]) -> list[str]:
    width = max(len(row.what) for row in all_rows)
    digits = max(len(str(row.count)) for row in all_rows)
    return [f"  {row.what:<{width}}  {row.count:>{digits}}  {row.note}".rstrip() for row in rows]


def _remarks(board: Board) -> list[str]:
    remarks = []
    if board.reopened:
        remarks.append("Every list of the board is archived, so the lists stay as columns with their cards.")
    if board.actions_cut:
        remarks.append("Trello exports only the newest 1,000 actions: older comments are not in the file.")
    return remarks
