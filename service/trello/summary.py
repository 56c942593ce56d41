"""Summary of an import: what of a board is imported and what is not, as rows and as a text table."""

from __future__ import annotations

from dataclasses import dataclass

from .board import TrelloBoard


@dataclass(frozen=True)
class SummaryRow:
    what: str
    count: int
    note: str


@dataclass(frozen=True)
class TrelloSummary:
    """What an import of a board imports (`taken`), what it does not import (`left`) and why, and remarks."""

    taken: list[SummaryRow]
    left: list[SummaryRow]
    remarks: list[str]


def summarize(board: TrelloBoard) -> TrelloSummary:
    """Return the summary of the import of a board."""
    left = [SummaryRow(row.what, row.count, row.reason) for row in board.omissions]
    return TrelloSummary(_taken(board), left, _remarks(board))


def render(summary: TrelloSummary, heading: str, verb: str) -> str:
    """Return a summary as text; `verb` heads the table of what is or would be imported."""
    taken, left = summary.taken, summary.left
    lines = [heading, "", verb, *_table(taken, taken + left)]
    if left:
        lines += ["", "Not imported", *_table(left, taken + left)]
    return "\n".join([*lines, *([""] if summary.remarks else []), *summary.remarks])


def _taken(board: TrelloBoard) -> list[SummaryRow]:
    cards, open_lists = board.cards, len(board.open_lists)
    closed = len(board.lists) - open_lists
    archived = sum(card.archived for card in cards)
    tagged = sum(bool(card.tags) for card in cards)
    return [
        SummaryRow("columns", open_lists, ""),
        SummaryRow("archived lists", closed, "as archived cards; the columns are removed again"),
        SummaryRow("cards, active", len(cards) - archived, ""),
        SummaryRow("cards, archived", archived, "closed in Trello, or in an archived list"),
        SummaryRow("comments", sum(len(card.comments) for card in cards), "with author and date in the text"),
        SummaryRow("labels as tags", sum(len(card.tags) for card in cards), f"on {tagged} cards"),
        SummaryRow("member names", sum(len(card.members) for card in cards), "in the field members"),
        SummaryRow("checklist items", _count_checklist_items(board), "in the description"),
        SummaryRow("attachments as links", sum(len(card.attachments) for card in cards), "in the description"),
        SummaryRow("due dates", sum(card.due is not None for card in cards), ""),
        SummaryRow("transitions", open_lists * (open_lists - 1), "every move between columns, as in Trello"),
    ]


def _count_checklist_items(board: TrelloBoard) -> int:
    return sum(len(checklist.items) for card in board.cards for checklist in card.checklists)


def _table(rows: list[SummaryRow], all_rows: list[SummaryRow]) -> list[str]:
    width = max(len(row.what) for row in all_rows)
    digits = max(len(str(row.count)) for row in all_rows)
    return [f"  {row.what:<{width}}  {row.count:>{digits}}  {row.note}".rstrip() for row in rows]


def _remarks(board: TrelloBoard) -> list[str]:
    remarks = []
    if board.reopened:
        remarks.append("Every list of the board is archived, so the lists stay as columns with their cards.")
    if board.actions_cut:
        remarks.append("Trello exports only the newest 1,000 actions: older comments are not in the file.")
    return remarks
