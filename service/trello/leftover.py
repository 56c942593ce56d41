"""What a Trello export holds and the service has no place for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from . import export
from .comment import card_id, is_comment
from .export import Record

CARD_EXTRAS = (
    ("dueComplete", "due-complete marks", "a card is finished when it is in a done column"),
    ("start", "start dates", "a card has only a due date"),
    ("stickers", "stickers", "cards have none"),
    ("idMembersVoted", "votes", "cards have none"),
    ("customFieldItems", "custom field values", "add fields to the card type and fill them in"),
    ("pluginData", "Power-Up data", "it belongs to the Power-Up"),
    ("idAttachmentCover", "cover pictures", "cards have none"),
    ("isTemplate", "template marks", "the card is taken over as a plain card"),
)


@dataclass(frozen=True)
class Leftover:
    what: str
    count: int
    reason: str


def find_leftovers(source: Record) -> tuple[Leftover, ...]:
    """Count what the import leaves behind, with the reason for each kind."""
    rows = [*_board_leftovers(source), *_card_leftovers(source), *_action_leftovers(source)]
    return tuple(row for row in rows if row.count)


def _board_leftovers(source: Record) -> Iterator[Leftover]:
    lists, items = export.records(source, "lists"), _check_items(source)
    yield Leftover("members as users", len(export.records(source, "members")), "their names stay on the cards")
    yield Leftover("board description", int(bool(export.text(source, "desc").strip())), "projects have none")
    yield Leftover("board Power-Up data", _amount(source.get("pluginData")), "it belongs to the Power-Up")
    yield Leftover("list limits", _count(lists, "softLimit"), "set a column's limit by hand")
    yield Leftover("checklist item due dates", _count(items, "due"), "items are text in the description")
    yield Leftover("checklist item members", _count(items, "idMember"), "items are text in the description")


def _card_leftovers(source: Record) -> Iterator[Leftover]:
    cards = export.records(source, "cards")
    attachments = [row for card in cards for row in export.records(card, "attachments")]
    files = sum(1 for row in attachments if row.get("isUpload") or row.get("bytes"))
    yield Leftover("attachment file contents", files, "the export holds only their addresses")
    wrong = sum(1 for card in cards if card.get("due") and not export.moment(card, "due"))
    yield Leftover("unreadable due dates", wrong, "they are no dates")
    for key, what, reason in CARD_EXTRAS:
        yield Leftover(what, _count(cards, key), reason)


def _action_leftovers(source: Record) -> Iterator[Leftover]:
    actions = export.records(source, "actions")
    known = {export.text(card, "id") for card in export.records(source, "cards")}
    strays = sum(1 for row in actions if is_comment(row) and card_id(row) not in known)
    yield Leftover("comments", strays, "their cards are no longer on the board")
    others = Counter(export.line(row, "type") or "(no type)" for row in actions if not is_comment(row))
    for kind, count in others.most_common():
        yield Leftover(f"actions: {kind}", count, "history begins with the import")


def _check_items(source: Record) -> list[Record]:
    checklists = export.records(source, "checklists") or [
        row for card in export.records(source, "cards") for row in export.records(card, "checklists")
    ]
    return [item for checklist in checklists for item in export.records(checklist, "checkItems")]


def _count(rows: list[Record], key: str) -> int:
    return sum(_amount(row.get(key)) for row in rows)


def _amount(value: Any) -> int:
    return len(value) if isinstance(value, list) else int(bool(value))
