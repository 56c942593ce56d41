"""A Trello board with its lists and cards, read from the JSON export."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import chain, islice
from typing import TypeVar, overload

from . import export
from .comment import TrelloComment, get_card_id, is_comment, read_comment
from .custom_fields import CustomFields, TrelloField, is_known
from .export import Record
from .labels import CHOICES_MAX, label_colors, label_name, shorten_choice
from .lists import DoneLists, read_limit
from .omissions import TrelloOmission, find_omissions
from .source import Check, TrelloSource, check_nothing

ACTIONS_EXPORTED_MAX = 1000
LABELS_MAX, FIELDS_MAX = 2000, 200
OPEN_LISTS_MAX = 200
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


class Cards(Sequence[TrelloCard]):
    """The cards of a list in order, read from the export one at a time: all of them may not fit into memory."""

    def __init__(self, rows: Sequence[Record], read: Callable[[Record], TrelloCard]) -> None:
        self._rows, self._read = rows, read

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> TrelloCard: ...
    @overload
    def __getitem__(self, index: slice) -> Cards: ...
    def __getitem__(self, index: int | slice) -> TrelloCard | Cards:
        found = self._rows[index]
        return self._read(found) if isinstance(found, dict) else Cards(found, self._read)


@dataclass(frozen=True)
class TrelloList:
    """A list of the board."""

    title: str
    closed: bool
    done: bool  # its cards are finished
    limit: int | None
    cards: Sequence[TrelloCard]


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
    def cards(self) -> Iterator[TrelloCard]:
        """Yield the cards of all lists."""
        return chain.from_iterable(card_list.cards for card_list in self.lists)


def read_board(board: Record, done_lists: Sequence[str] | None = None, check: Check = check_nothing) -> TrelloBoard:
    """Return the board of a validated export; without titles of done lists, titles such as Done tell which they are.

    `check` is called again and again, also when cards are read later, and can raise to end the work. Raises
    NotATrelloExport if the board has too much of something, and UnknownList if a title is not that of a list.
    """
    source, done = TrelloSource(board, check), DoneLists(done_lists)
    _require_bounds(source)
    found = _Reader(source, done).read()
    done.require_known(card_list.title for card_list in found.lists)
    _require_at_most(OPEN_LISTS_MAX, len(found.open_lists), "open lists", "become columns. Archive")
    return found


def _require_bounds(source: TrelloSource) -> None:
    fields = sum(is_known(row) for row in source.rows("customFields"))
    _require_at_most(FIELDS_MAX, fields, "custom fields", "be imported. Delete")
    _require_at_most(LABELS_MAX, source.count("labels"), "labels", "be imported. Delete")


def _require_at_most(limit: int, count: int, what: str, advice: str) -> None:
    if count > limit:
        problem = f"The board has {count:,} {what}; at most {limit:,} can {advice}"
        raise export.NotATrelloExport(f"{problem} some in Trello and export the board again.")


class _Reader:
    """Reads the parts of a board. What many cards refer to, such as labels, is read once."""

    def __init__(self, source: TrelloSource, done: DoneLists) -> None:
        self._source = source
        self._done = done
        self._fields = CustomFields(source)
        self._labels = {export.text(row, "id"): label_name(row) for row in source.rows("labels")}
        self._people = _list_people(source)
        self._emails = {export.text(row, "id"): export.line(row, "email") for row in source.rows("members")}
        self._checklists = _group_by_card(source.rows("checklists"), lambda row: export.text(row, "idCard"))
        self._cards = _group(source.rows("cards"), lambda row: export.text(row, "idList"))
        self._comments = self._group_comments()
        # If every list were archived, the project would have no column; then all of them count as open.
        self._reopened = all(row.get("closed") is True for row in source.rows("lists"))

    def read(self) -> TrelloBoard:
        """Return the board."""
        source = self._source
        return TrelloBoard(
            title=export.line(source.board, "name") or "(untitled)",
            lists=tuple(self._lists()),
            fields=tuple(self._fields.fields),
            label_colors=label_colors(source.rows("labels")),
            members=tuple(self._member(export.text(row, "id")) for row in source.rows("members")),
            omissions=find_omissions(source, self._fields),
            reopened=self._reopened,
            actions_cut=len(export.records(source.board, "actions")) == ACTIONS_EXPORTED_MAX,
        )

    def _lists(self) -> list[TrelloList]:
        rows = sorted(self._source.rows("lists"), key=export.position)
        found = [self._list(row) for row in rows]
        # An export of open lists only still contains the cards of the archived lists.
        strays = list(chain.from_iterable(self._cards.values()))
        if strays:
            found.append(TrelloList("(list not exported)", True, False, None, self._sort_cards(strays, closed=True)))
        return found

    def _list(self, row: Record) -> TrelloList:
        closed = row.get("closed") is True and not self._reopened
        rows = self._cards.pop(export.text(row, "id"), [])  # so that no other list gets the same cards
        title = export.line(row, "name") or "(untitled)"
        return TrelloList(title, closed, self._done.includes(title), read_limit(row), self._sort_cards(rows, closed))

    def _sort_cards(self, rows: list[Record], closed: bool) -> Cards:
        return Cards(sorted(rows, key=export.position), partial(self._card, closed=closed))

    def _card(self, row: Record, closed: bool) -> TrelloCard:
        self._source.check()
        card_id = export.text(row, "id")
        return TrelloCard(
            title=export.line(row, "name") or "(untitled)",
            description=export.text(row, "desc"),
            archived=closed or row.get("closed") is True,
            labels=_unique(self._list_labels(row)),
            members=_unique(map(self._member, _members(row))),
            start=export.timestamp(row, "start"),
            due=export.timestamp(row, "due"),
            due_complete=row.get("dueComplete") is True and export.timestamp(row, "due") is not None,
            values=self._fields.read_values(row),
            checklists=self._list_checklists(row, card_id),
            attachments=_attachments(row),
            comments=tuple(read_comment(action, self._people) for action in self._comments.get(card_id, ())),
        )

    def _member(self, member_id: str) -> TrelloMember:
        return TrelloMember(self._people.get(member_id, "(unknown member)"), self._emails.get(member_id, ""))

    def _list_labels(self, row: Record) -> Iterable[str]:
        ids = export.texts(row, "idLabels")
        rows = export.records(row, "labels")
        return map(label_name, rows) if rows else (self._labels[key] for key in ids if key in self._labels)

    def _list_checklists(self, row: Record, card_id: str) -> tuple[Checklist, ...]:
        rows = export.records(row, "checklists") or self._checklists.get(card_id, [])
        return tuple(_checklist(checklist) for checklist in sorted(rows, key=export.position))

    def _group_comments(self) -> dict[str, list[Record]]:
        """Return the comments by card, oldest first."""
        # The export begins with the newest action. Sorting is stable, so actions with equal times stay in order.
        actions = [row for row in self._source.rows("actions") if is_comment(row)]
        actions.reverse()
        return _group_by_card(sorted(actions, key=lambda row: export.text(row, "date")), get_card_id)


def _list_people(source: TrelloSource) -> dict[str, str]:
    """Return the names of people by id; former members of the board are found in its actions only."""
    actions, cards, members = map(source.rows, ("actions", "cards", "members"))
    rows = chain(
        (export.record(action, key) for action in actions for key in ("member", "memberCreator")),
        (member for card in cards for member in export.records(card, "members")),
        members,
    )
    names = ((export.text(row, "id"), export.line(row, "fullName") or export.line(row, "username")) for row in rows)
    return {key: shorten_choice(name) for key, name in names if name}


def _group(rows: Iterable[Record], key: Callable[[Record], str]) -> dict[str, list[Record]]:
    groups: defaultdict[str, list[Record]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return dict(groups)


def _group_by_card(rows: Iterable[Record], card_id: Callable[[Record], str]) -> dict[str, list[Record]]:
    """Return rows by the id of their card; those without one belong to no card, not to all cards without an id."""
    groups = _group(rows, card_id)
    groups.pop("", None)
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
