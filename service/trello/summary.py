"""Summary of an import: what of a board is imported and what is not, as rows and as a text table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .board import TrelloBoard, TrelloCard, TrelloMember


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


def _is_nobody(member: TrelloMember) -> bool:
    return False


def summarize(board: TrelloBoard, is_user: Callable[[TrelloMember], bool] = _is_nobody) -> TrelloSummary:
    """Return the summary of the import of a board, given who of its members is one of the organization."""
    strangers = sum(not is_user(member) for member in board.members)
    left = [SummaryRow("members as users", strangers, "their names stay on the cards")] if strangers else []
    left += [SummaryRow(row.what, row.count, row.reason) for row in board.omissions]
    return TrelloSummary(_taken(board, is_user), left, _remarks(board))


def render(summary: TrelloSummary, heading: str, verb: str) -> str:
    """Return a summary as text; `verb` heads the table of what is or would be imported."""
    taken, left = summary.taken, summary.left
    lines = [heading, "", verb, *_table(taken, taken + left)]
    if left:
        lines += ["", "Not imported", *_table(left, taken + left)]
    return "\n".join([*lines, *([""] if summary.remarks else []), *summary.remarks])


def _taken(board: TrelloBoard, is_user: Callable[[TrelloMember], bool]) -> list[SummaryRow]:
    return [*_board_rows(board), *_card_rows(board.cards, is_user)]


def _board_rows(board: TrelloBoard) -> list[SummaryRow]:
    cards, lists = board.cards, board.open_lists
    archived = sum(card.archived for card in cards)
    done = [card_list.title for card_list in lists if card_list.done]
    closed = len(board.lists) - len(lists)
    return [
        SummaryRow("columns", len(lists), ""),
        SummaryRow("done columns", len(done), ", ".join(done)[:200]),
        SummaryRow("list limits", sum(row.limit is not None for row in lists), "as limits of the columns"),
        SummaryRow("transitions", len(lists) * (len(lists) - 1), "every move between columns, as in Trello"),
        SummaryRow("archived lists", closed, "as archived cards; the columns are removed again"),
        SummaryRow("custom fields", len(board.fields), "as fields of the card type"),
        SummaryRow("cards, active", len(cards) - archived, ""),
        SummaryRow("cards, archived", archived, "closed in Trello, or in an archived list"),
    ]


def _card_rows(cards: list[TrelloCard], is_user: Callable[[TrelloMember], bool]) -> list[SummaryRow]:
    labelled = sum(bool(card.labels) for card in cards)
    assigned = sum(any(map(is_user, card.members)) for card in cards)
    names = sum(len(card.members) for card in cards) - assigned
    return [
        SummaryRow("comments", sum(len(card.comments) for card in cards), "with author and date in the text"),
        SummaryRow("labels", sum(len(card.labels) for card in cards), f"on {labelled} cards"),
        SummaryRow("assigned cards", assigned, "to members of the organization of the same e-mail or name"),
        SummaryRow("member names", names, "in the field members"),
        SummaryRow("checklist items", _count_checklist_items(cards), "in the description"),
        SummaryRow("attachments as links", sum(len(card.attachments) for card in cards), "in the description"),
        SummaryRow("custom field values", sum(len(card.values) for card in cards), ""),
        SummaryRow("start dates", sum(card.start is not None for card in cards), "in the field start"),
        SummaryRow("due dates", sum(card.due is not None for card in cards), ""),
        SummaryRow("complete due dates", sum(card.due_complete for card in cards), "in the field due_complete"),
    ]


def _count_checklist_items(cards: list[TrelloCard]) -> int:
    return sum(len(checklist.items) for card in cards for checklist in card.checklists)


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
