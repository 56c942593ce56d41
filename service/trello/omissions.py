"""Data of a Trello export that cannot be imported, since the service has no equivalent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from . import export
from .comment import card_id, is_comment
from .custom_fields import KINDS, TEXT_CHARACTERS_MAX, CustomFields
from .export import Record
from .labels import CHOICES_MAX
from .lists import read_limit

CARD_EXTRAS = (
    ("stickers", "stickers", "cards have none"),
    ("idMembersVoted", "votes", "cards have none"),
    ("pluginData", "Power-Up data", "it belongs to the Power-Up"),
    ("idAttachmentCover", "cover pictures", "cards have none"),
    ("isTemplate", "template marks", "the card is imported as a normal card"),
)


@dataclass(frozen=True)
class TrelloOmission:
    what: str
    count: int
    reason: str


def find_omissions(source: Record) -> tuple[TrelloOmission, ...]:
    """Return the number of items that are not imported, with the reason for each kind."""
    rows = [*_board_omissions(source), *_card_omissions(source), *_action_omissions(source)]
    return tuple(row for row in rows if row.count)


def _board_omissions(source: Record) -> Iterator[TrelloOmission]:
    lists, items = export.records(source, "lists"), _check_items(source)
    yield TrelloOmission("board description", int(bool(export.text(source, "desc").strip())), "projects have none")
    yield TrelloOmission("board Power-Up data", _amount(source.get("pluginData")), "it belongs to the Power-Up")
    limits = sum(1 for row in lists if row.get("softLimit") and read_limit(row) is None)
    yield TrelloOmission("unreadable list limits", limits, "they are not whole numbers from 1 on")
    kinds = [row for row in export.records(source, "customFields") if export.text(row, "type") not in KINDS]
    yield TrelloOmission("custom fields", len(kinds), "their type is unknown")
    yield TrelloOmission("checklist item due dates", _count(items, "due"), "items are text in the description")
    yield TrelloOmission("checklist item members", _count(items, "idMember"), "items are text in the description")


def _card_omissions(source: Record) -> Iterator[TrelloOmission]:
    cards = export.records(source, "cards")
    attachments = [row for card in cards for row in export.records(card, "attachments")]
    files = sum(1 for row in attachments if row.get("isUpload") or row.get("bytes"))
    yield TrelloOmission("attachment file contents", files, "the export holds only their addresses")
    for key, what in (("due", "unreadable due dates"), ("start", "unreadable start dates")):
        wrong = sum(1 for card in cards if card.get(key) and not export.timestamp(card, key))
        yield TrelloOmission(what, wrong, "they are not valid dates")
    marks = sum(1 for card in cards if card.get("dueComplete") is True and not export.timestamp(card, "due"))
    yield TrelloOmission("due-complete marks", marks, "their cards have no due date")
    fields, values = CustomFields(source), _list_custom_values(cards)
    unreadable = sum(fields.read_value(item) is None for item in values)
    yield TrelloOmission("custom field values", unreadable, "invalid, or of a removed option")
    cut = sum(map(fields.is_cut, values))
    yield TrelloOmission("ends of long custom field texts", cut, f"a text takes {TEXT_CHARACTERS_MAX:,} characters")
    for key, what in (("idLabels", "labels"), ("idMembers", "members")):
        more = sum(max(0, _amount(card.get(key)) - CHOICES_MAX) for card in cards if isinstance(card.get(key), list))
        yield TrelloOmission(f"{what} of a card", more, f"a card takes {CHOICES_MAX}")
    for key, what, reason in CARD_EXTRAS:
        yield TrelloOmission(what, _count(cards, key), reason)


def _action_omissions(source: Record) -> Iterator[TrelloOmission]:
    actions = export.records(source, "actions")
    known = {export.text(card, "id") for card in export.records(source, "cards")}
    strays = sum(1 for row in actions if is_comment(row) and card_id(row) not in known)
    yield TrelloOmission("comments", strays, "their cards are no longer on the board")
    others = Counter(export.line(row, "type") or "(no type)" for row in actions if not is_comment(row))
    for kind, count in others.most_common():
        yield TrelloOmission(f"actions: {kind}", count, "history begins with the import")


def _list_custom_values(cards: list[Record]) -> list[Record]:
    """Return the values of custom fields that are not empty."""
    items = [item for card in cards for item in export.records(card, "customFieldItems")]
    return [item for item in items if item.get("value") or item.get("idValue")]


def _check_items(source: Record) -> list[Record]:
    checklists = export.records(source, "checklists") or [
        row for card in export.records(source, "cards") for row in export.records(card, "checklists")
    ]
    return [item for checklist in checklists for item in export.records(checklist, "checkItems")]


def _count(rows: list[Record], key: str) -> int:
    return sum(_amount(row.get(key)) for row in rows)


def _amount(value: Any) -> int:
    return len(value) if isinstance(value, list) else int(bool(value))
