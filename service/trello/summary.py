"""Summary of an import: what of a board is imported and what is not, as rows and as a text table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .board import TrelloBoard, TrelloCard, TrelloMember
from .lists import CONNECTED_MAX, list_moves

ALL_MOVES = "every move between columns, as in Trello"
SOME_MOVES = f"every move between the first {CONNECTED_MAX} columns; of the others, to the columns beside them"


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
    """Return the summary of the import of a board, given which of its members belong to the organization."""
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
    counts = _count_cards(board.cards, is_user)
    return [*_board_rows(board), *_card_rows(counts)]


def _board_rows(board: TrelloBoard) -> list[SummaryRow]:
    lists = board.open_lists
    done = [card_list.title for card_list in lists if card_list.done]
    moves = sum(1 for _ in list_moves(len(lists)))
    return [
        SummaryRow("columns", len(lists), ""),
        SummaryRow("done columns", len(done), ", ".join(title[:200] for title in done)[:200]),
        SummaryRow("list limits", sum(row.limit is not None for row in lists), "as limits of the columns"),
        SummaryRow("transitions", moves, ALL_MOVES if len(lists) <= CONNECTED_MAX else SOME_MOVES),
        SummaryRow("archived lists", len(board.lists) - len(lists), "as archived cards; the columns are removed again"),
        SummaryRow("custom fields", len(board.fields), "as fields of the card type"),
    ]


def _count_cards(cards: Iterable[TrelloCard], is_user: Callable[[TrelloMember], bool]) -> Counter[str]:
    """Count what cards have; each is read once, since there may be very many."""
    counts: Counter[str] = Counter()
    for card in cards:
        assigned = any(map(is_user, card.members))
        counts["archived" if card.archived else "active"] += 1
        counts["comments"] += len(card.comments)
        counts["labels"] += len(card.labels)
        counts["labelled"] += bool(card.labels)
        counts["assigned"] += assigned
        counts["names"] += len(card.members) - assigned
        counts["items"] += sum(len(checklist.items) for checklist in card.checklists)
        counts["attachments"] += len(card.attachments)
        counts["values"] += len(card.values)
        counts["starts"] += card.start is not None
        counts["dues"] += card.due is not None
        counts["complete"] += card.due_complete
    return counts


def _card_rows(counts: Counter[str]) -> list[SummaryRow]:
    return [
        SummaryRow("cards, active", counts["active"], ""),
        SummaryRow("cards, archived", counts["archived"], "closed in Trello, or in an archived list"),
        SummaryRow("comments", counts["comments"], "with author and date in the text"),
        SummaryRow("labels", counts["labels"], f"on {counts['labelled']} cards"),
        SummaryRow("assigned cards", counts["assigned"], "to members of the organization of the same e-mail or name"),
        SummaryRow("member names", counts["names"], "in the field members"),
        SummaryRow("checklist items", counts["items"], "in the description"),
        SummaryRow("attachments as links", counts["attachments"], "in the description"),
        SummaryRow("custom field values", counts["values"], ""),
        SummaryRow("start dates", counts["starts"], "in the field start"),
        SummaryRow("due dates", counts["dues"], ""),
        SummaryRow("complete due dates", counts["complete"], "in the field due_complete"),
    ]


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
