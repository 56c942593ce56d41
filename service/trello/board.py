"""A Trello board: its lists, cards and what is written on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from . import export
from .comment import Comment, card_id, is_comment, read_comment
from .export import Record
from .leftover import Leftover, find_leftovers

DONE_TITLES = ("done", "complete", "finished")
ACTIONS_EXPORTED_MAX = 1000
OPEN_LISTS_MAX = 200  # each may be moved from to each other


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
class Card:
    title: str
    description: str
    archived: bool
    tags: tuple[str, ...]
    members: tuple[str, ...]
    due: datetime | None
    checklists: tuple[Checklist, ...]
    attachments: tuple[Attachment, ...]
    comments: tuple[Comment, ...]


@dataclass(frozen=True)
class CardList:
    """A list of the board, with its cards in their order."""

    title: str
    closed: bool
    cards: tuple[Card, ...]

    @property
    def done(self) -> bool:
        """Tell whether cards in this list are finished."""
        return self.title.casefold() in DONE_TITLES


@dataclass(frozen=True)
class Board:
    """A whole board, and what of it has no place in the service."""

    title: str
    lists: tuple[CardList, ...]
    leftovers: tuple[Leftover, ...]
    reopened: bool
    actions_cut: bool

    @property
    def opened(self) -> list[CardList]:
        """Return the lists that become columns."""
        return [card_list for card_list in self.lists if not card_list.closed]

    @property
    def cards(self) -> list[Card]:
        """Return the cards of all lists."""
        return [card for card_list in self.lists for card in card_list.cards]


def read_board(source: Record) -> Board:
    """Make a board of an export that was checked; raise NotATrelloExport if it has too many lists."""
    board = _Reader(source).board()
    if len(board.opened) > OPEN_LISTS_MAX:
        many = f"The board has {len(board.opened):,} open lists; {OPEN_LISTS_MAX} can be columns"
        raise export.NotATrelloExport(f"{many}. Archive some in Trello and export it again.")
    return board


class _Reader:
    def __init__(self, source: Record) -> None:
        self.source = source
        self.labels = {row.get("id"): row for row in export.records(source, "labels")}
        self.people = _people(source)
        self.checklists = _grouped(export.records(source, "checklists"), "idCard")
        self.cards = _grouped(export.records(source, "cards"), "idList")
        self.comments = self._comments_by_card()
        rows = export.records(source, "lists")
        # With every list archived the project would have no column left, so they all count as open.
        self.reopened = all(row.get("closed") is True for row in rows)

    def board(self) -> Board:
        return Board(
            title=export.line(self.source, "name") or "(untitled)",
            lists=tuple(self._lists()),
            leftovers=find_leftovers(self.source),
            reopened=self.reopened,
            actions_cut=len(export.records(self.source, "actions")) == ACTIONS_EXPORTED_MAX,
        )

    def _lists(self) -> list[CardList]:
        rows = sorted(export.records(self.source, "lists"), key=export.position)
        found = [self._list(row) for row in rows]
        known = {export.text(row, "id") for row in rows}
        # An export made with “open lists only” still holds the cards of the archived ones.
        strays = [card for list_id, cards in self.cards.items() if list_id not in known for card in cards]
        if strays:
            found.append(CardList("(list not exported)", True, self._cards(strays, closed=True)))
        return found

    def _list(self, row: Record) -> CardList:
        closed = row.get("closed") is True and not self.reopened
        cards = self._cards(self.cards[export.text(row, "id")], closed)
        return CardList(export.line(row, "name") or "(untitled)", closed, cards)

    def _cards(self, rows: list[Record], closed: bool) -> tuple[Card, ...]:
        return tuple(self._card(row, closed) for row in sorted(rows, key=export.position))

    def _card(self, row: Record, closed: bool) -> Card:
        return Card(
            title=export.line(row, "name") or "(untitled)",
            description=export.text(row, "desc"),
            archived=closed or row.get("closed") is True,
            tags=_unique(_label(label) for label in self._labels(row)),
            members=_unique(self.people.get(member, "(unknown member)") for member in _members(row)),
            due=export.moment(row, "due"),
            checklists=self._checklists(row),
            attachments=_attachments(row),
            comments=tuple(self.comments[export.text(row, "id")]),
        )

    def _labels(self, row: Record) -> list[Record]:
        ids = export.texts(row, "idLabels")
        return export.records(row, "labels") or [self.labels[key] for key in ids if key in self.labels]

    def _checklists(self, row: Record) -> tuple[Checklist, ...]:
        rows = export.records(row, "checklists") or self.checklists[export.text(row, "id")]
        return tuple(_checklist(checklist) for checklist in sorted(rows, key=export.position))

    def _comments_by_card(self) -> defaultdict[str, list[Comment]]:
        # The export begins with the newest action; sorting is stable, so equal times stay in order.
        actions = [row for row in reversed(export.records(self.source, "actions")) if is_comment(row)]
        found: defaultdict[str, list[Comment]] = defaultdict(list)
        for action in sorted(actions, key=lambda row: export.text(row, "date")):
            found[card_id(action)].append(read_comment(action, self.people))
        return found


def _people(source: Record) -> dict[str, str]:
    """Name all people: members who have left the board are only known from what they did."""
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


def _label(row: Record) -> str:
    return export.line(row, "name") or export.line(row, "color") or "(unnamed label)"


def _members(row: Record) -> list[str]:
    return export.texts(row, "idMembers") or [export.text(one, "id") for one in export.records(row, "members")]


def _checklist(row: Record) -> Checklist:
    items = sorted(export.records(row, "checkItems"), key=export.position)
    return Checklist(export.line(row, "name") or "Checklist", tuple(_item(item) for item in items))


def _item(row: Record) -> CheckItem:
    return CheckItem(export.line(row, "name"), row.get("state") == "complete")


def _attachments(row: Record) -> tuple[Attachment, ...]:
    rows = sorted(export.records(row, "attachments"), key=export.position)
    found = (Attachment(export.line(one, "name"), export.line(one, "url")) for one in rows)
    return tuple(one for one in found if one.title or one.url)


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
