"""A Trello board with its lists and cards, read from the JSON export."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TypeVar

from . import export
from .comment import TrelloComment, card_id, is_comment, read_comment
from .custom_fields import CustomFields, TrelloField
from .export import Record
from .labels import CHOICES_MAX, label_colors, label_name, shorten_choice
from .lists import DoneLists, read_limit
from .omissions import TrelloOmission, find_omissions

ACTIONS_EXPORTED_MAX = 1000
OPEN_LISTS_MAX = 200  # each pair of open lists becomes two transitions
T = TypeVar("T")


@dataclass(frozen=True)
class CheckItem:
    title: str
    complete: bool


@dataclass(frozen=True)
class Checklist:
    title: str
    items: tuple[CheckItem, ...]


@dataclass(frozen=True)
class Attachment:
    title: str
    url: str


@dataclass(frozen=True)
class TrelloMember:
    """A member of the board, or of a card."""

    name: str
    email: str = ""


@dataclass(frozen=True)
class TrelloCard:
    title: str
    description: str
    archived: bool
    labels: tuple[str, ...]
    members: tuple[TrelloMember, ...]
    start: datetime | None
    due: datetime | None
    due_complete: bool
    values: Mapping[str, str]  # of custom fields, by their names
    checklists: tuple[Checklist, ...]
    attachments: tuple[Attachment, ...]
    comments: tuple[TrelloComment, ...]


@dataclass(frozen=True)
class TrelloList:
    """A list of the board with its cards in order."""

    title: str
    closed: bool
    done: bool  # its cards are finished
    limit: int | None
    cards: tuple[TrelloCard, ...]


@dataclass(frozen=True)
class TrelloBoard:
    """A board, and counts of its data that cannot be imported."""

    title: str
    lists: tuple[TrelloList, ...]
    fields: tuple[TrelloField, ...]
    label_colors: Mapping[str, str]
    members: tuple[TrelloMember, ...]
    omissions: tuple[TrelloOmission, ...]
    reopened: bool  # all lists are archived, so they are treated as open
    actions_cut: bool  # the export may lack older actions

    @property
    def open_lists(self) -> list[TrelloList]:
        """Return the lists that become columns."""
        return [card_list for card_list in self.lists if not card_list.closed]

    @property
    def cards(self) -> list[TrelloCard]:
        """Return the cards of all lists."""
        return [card for card_list in self.lists for card in card_list.cards]


def read_board(source: Record, done_lists: Sequence[str] | None = None) -> TrelloBoard:
    """Return the board of a validated export; without titles of done lists, titles such as Done tell which they are.

    Raises NotATrelloExport if it has too many open lists, and UnknownList if a title is not that of a list.
    """
    done = DoneLists(done_lists)
    board = _Reader(source, done).board()
    done.require_known(card_list.title for card_list in board.lists)
    if len(board.open_lists) > OPEN_LISTS_MAX:
        problem = f"The board has {len(board.open_lists):,} open lists; at most {OPEN_LISTS_MAX} can become columns"
        raise export.NotATrelloExport(f"{problem}. Archive some in Trello and export the board again.")
    return board


class _Reader:
    def __init__(self, source: Record, done: DoneLists) -> None:
        self.source = source
        self.done = done
        self.fields = CustomFields(source)
        self.labels = {row.get("id"): row for row in export.records(source, "labels")}
        self.people = _people(source)
        self.emails = {export.text(row, "id"): export.line(row, "email") for row in export.records(source, "members")}
        self.checklists = _grouped(export.records(source, "checklists"), "idCard")
        self.cards = _grouped(export.records(source, "cards"), "idList")
        self.comments = self._comments_by_card()
        rows = export.records(source, "lists")
        # If every list were archived, the project would have no column; then all of them count as open.
        self.reopened = all(row.get("closed") is True for row in rows)

    def board(self) -> TrelloBoard:
        return TrelloBoard(
            title=export.line(self.source, "name") or "(untitled)",
            lists=tuple(self._lists()),
            fields=tuple(self.fields.fields.values()),
            label_colors=label_colors(export.records(self.source, "labels")),
            members=tuple(self._member(export.text(row, "id")) for row in export.records(self.source, "members")),
            omissions=find_omissions(self.source),
            reopened=self.reopened,
            actions_cut=len(export.records(self.source, "actions")) == ACTIONS_EXPORTED_MAX,
        )

    def _lists(self) -> list[TrelloList]:
        rows = sorted(export.records(self.source, "lists"), key=export.position)
        found = [self._list(row) for row in rows]
        known = {export.text(row, "id") for row in rows}
        # An export of open lists only still contains the cards of the archived lists.
        strays = [card for list_id, cards in self.cards.items() if list_id not in known for card in cards]
        if strays:
            found.append(TrelloList("(list not exported)", True, False, None, self._cards(strays, closed=True)))
        return found

    def _list(self, row: Record) -> TrelloList:
        closed = row.get("closed") is True and not self.reopened
        cards = self._cards(self.cards[export.text(row, "id")], closed)
        title = export.line(row, "name") or "(untitled)"
        return TrelloList(title, closed, self.done.includes(title), read_limit(row), cards)

    def _cards(self, rows: list[Record], closed: bool) -> tuple[TrelloCard, ...]:
        return tuple(self._card(row, closed) for row in sorted(rows, key=export.position))

    def _card(self, row: Record, closed: bool) -> TrelloCard:
        return TrelloCard(
            title=export.line(row, "name") or "(untitled)",
            description=export.text(row, "desc"),
            archived=closed or row.get("closed") is True,
            labels=_unique(map(label_name, self._labels(row))),
            members=_unique(map(self._member, _members(row))),
            start=export.timestamp(row, "start"),
            due=export.timestamp(row, "due"),
            due_complete=row.get("dueComplete") is True and export.timestamp(row, "due") is not None,
            values=self.fields.read_values(row),
            checklists=self._checklists(row),
            attachments=_attachments(row),
            comments=tuple(self.comments[export.text(row, "id")]),
        )

    def _member(self, member_id: str) -> TrelloMember:
        name = shorten_choice(self.people.get(member_id, "(unknown member)"))
        return TrelloMember(name, self.emails.get(member_id, ""))

    def _labels(self, row: Record) -> list[Record]:
        ids = export.texts(row, "idLabels")
        return export.records(row, "labels") or [self.labels[key] for key in ids if key in self.labels]

    def _checklists(self, row: Record) -> tuple[Checklist, ...]:
        rows = export.records(row, "checklists") or self.checklists[export.text(row, "id")]
        return tuple(_checklist(checklist) for checklist in sorted(rows, key=export.position))

    def _comments_by_card(self) -> defaultdict[str, list[TrelloComment]]:
        # The export begins with the newest action. Sorting is stable, so actions with equal times stay in order.
        actions = [row for row in reversed(export.records(self.source, "actions")) if is_comment(row)]
        found: defaultdict[str, list[TrelloComment]] = defaultdict(list)
        for action in sorted(actions, key=lambda row: export.text(row, "date")):
            found[card_id(action)].append(read_comment(action, self.people))
        return found


def _people(source: Record) -> dict[str, str]:
    """Return the names of people by id; former members of the board are found in its actions only."""
    actions = export.records(source, "actions")
    rows = [export.record(action, key) for action in actions for key in ("member", "memberCreator")]
    rows += [member for card in export.records(source, "cards") for member in export.records(card, "members")]
    rows += export.records(source, "members")
    names = {export.text(row, "id"): export.line(row, "fullName") or export.line(row, "username") for row in rows}
    return {key: name for key, name in names.items() if name}


def _grouped(rows: list[Record], key: str) -> defaultdict[str, list[Record]]:
    groups: defaultdict[str, list[Record]] = defaultdict(list)
    for row in rows:
        groups[export.text(row, key)].append(row)
    return groups


def _members(row: Record) -> list[str]:
    return export.texts(row, "idMembers") or [export.text(member, "id") for member in export.records(row, "members")]


def _checklist(row: Record) -> Checklist:
    items = sorted(export.records(row, "checkItems"), key=export.position)
    return Checklist(export.line(row, "name") or "Checklist", tuple(_item(item) for item in items))


def _item(row: Record) -> CheckItem:
    return CheckItem(export.line(row, "name"), row.get("state") == "complete")


def _attachments(row: Record) -> tuple[Attachment, ...]:
    rows = sorted(export.records(row, "attachments"), key=export.position)
    found = (Attachment(export.line(row, "name"), export.line(row, "url")) for row in rows)
    return tuple(attachment for attachment in found if attachment.title or attachment.url)


def _unique(items: Iterable[T]) -> tuple[T, ...]:
    return tuple(islice(dict.fromkeys(items), CHOICES_MAX))
