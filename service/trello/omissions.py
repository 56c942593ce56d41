"""Data of a Trello export that cannot be imported, since the service has no equivalent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from . import export
from .comment import get_card_id, is_comment
from .custom_fields import TEXT_CHARACTERS_MAX, CustomFields, is_known
from .export import Record
from .labels import CHOICES_MAX
from .lists import read_limit
from .source import TrelloSource

ACTION_TYPES_MAX, ACTION_TYPE_CHARACTERS_MAX = 50, 100  # in the summary
IN_DESCRIPTION = "items are text in the description"
NO_HISTORY = "history begins with the import"
REPEATED = "an earlier one has the same id"
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


def find_omissions(source: TrelloSource, fields: CustomFields) -> tuple[TrelloOmission, ...]:
    """Return the number of items that are not imported, with the reason for each kind."""
    repeated = (TrelloOmission(what, count, REPEATED) for what, count in source.repeated.items())
    rows = [*repeated, *_board_omissions(source), *_card_omissions(source, fields), *_action_omissions(source)]
    return tuple(row for row in rows if row.count)


def _board_omissions(source: TrelloSource) -> Iterator[TrelloOmission]:
    board, limits = source.board, (row for row in source.rows("lists") if row.get("softLimit"))
    yield TrelloOmission("board description", int(bool(export.text(board, "desc").strip())), "projects have none")
    yield TrelloOmission("board Power-Up data", _amount(board.get("pluginData")), "it belongs to the Power-Up")
    unreadable = sum(read_limit(row) is None for row in limits)
    yield TrelloOmission("unreadable list limits", unreadable, "they are not whole numbers from 1 on")
    unknown = sum(not is_known(row) for row in source.rows("customFields"))
    yield TrelloOmission("custom fields", unknown, "their type is unknown")
    cards = {export.text(card, "id") for card in source.rows("cards")} - {""}
    strays = sum(export.text(row, "idCard") not in cards for row in source.rows("checklists"))
    yield TrelloOmission("checklists", strays, "their cards are no longer on the board")
    yield TrelloOmission("checklist item due dates", _count(_check_items(source), "due"), IN_DESCRIPTION)
    yield TrelloOmission("checklist item members", _count(_check_items(source), "idMember"), IN_DESCRIPTION)


def _card_omissions(source: TrelloSource, fields: CustomFields) -> Iterator[TrelloOmission]:
    attachments = (row for card in source.rows("cards") for row in export.records(card, "attachments"))
    files = sum(1 for row in attachments if row.get("isUpload") or row.get("bytes"))
    yield TrelloOmission("attachment file contents", files, "the export holds only their addresses")
    for key, what in (("due", "unreadable due dates"), ("start", "unreadable start dates")):
        wrong = sum(1 for card in source.rows("cards") if card.get(key) and not export.timestamp(card, key))
        yield TrelloOmission(what, wrong, "they are not valid dates")
    complete = (card for card in source.rows("cards") if card.get("dueComplete") is True)
    marks = sum(1 for card in complete if not export.timestamp(card, "due"))
    yield TrelloOmission("due-complete marks", marks, "their cards have no due date")
    unreadable = sum(fields.read_value(item) is None for item in _custom_values(source))
    yield TrelloOmission("custom field values", unreadable, "invalid, or of a removed option")
    cut = sum(map(fields.is_cut, _custom_values(source)))
    yield TrelloOmission("ends of long custom field texts", cut, f"a text takes {TEXT_CHARACTERS_MAX:,} characters")
    for key, what in (("idLabels", "labels"), ("idMembers", "members")):
        more = sum(max(0, len(export.texts(card, key)) - CHOICES_MAX) for card in source.rows("cards"))
        yield TrelloOmission(f"{what} of a card", more, f"a card takes {CHOICES_MAX}")
    for key, what, reason in CARD_EXTRAS:
        yield TrelloOmission(what, _count(source.rows("cards"), key), reason)


def _action_omissions(source: TrelloSource) -> Iterator[TrelloOmission]:
    known = {export.text(card, "id") for card in source.rows("cards")} - {""}
    strays = sum(1 for row in source.rows("actions") if is_comment(row) and get_card_id(row) not in known)
    yield TrelloOmission("comments", strays, "their cards are no longer on the board")
    others = Counter(_action_type(row) for row in source.rows("actions") if not is_comment(row))
    named = others.most_common(ACTION_TYPES_MAX)
    for kind, count in named:
        yield TrelloOmission(f"actions: {kind}", count, NO_HISTORY)
    yield TrelloOmission("other actions", others.total() - sum(count for _, count in named), NO_HISTORY)


def _action_type(row: Record) -> str:
    return export.line(row, "type")[:ACTION_TYPE_CHARACTERS_MAX] or "(no type)"


def _custom_values(source: TrelloSource) -> Iterator[Record]:
    """Yield the values of custom fields that are not empty."""
    items = (item for card in source.rows("cards") for item in export.records(card, "customFieldItems"))
    return (item for item in items if item.get("value") or item.get("idValue"))


def _check_items(source: TrelloSource) -> Iterator[Record]:
    of_cards = (row for card in source.rows("cards") for row in export.records(card, "checklists"))
    checklists = source.rows("checklists") if source.count("checklists") else of_cards
    return (item for checklist in checklists for item in export.records(checklist, "checkItems"))


def _count(rows: Iterable[Record], key: str) -> int:
    return sum(_amount(row.get(key)) for row in rows)


def _amount(value: Any) -> int:
    return len(value) if isinstance(value, list) else int(bool(value))
