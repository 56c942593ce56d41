"""A Trello board with its lists and cards, read from the JSON export."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from . import export
from .comment import TrelloComment, card_id, is_comment, read_comment
from .export import Record
from .omissions import TrelloOmission, find_omissions

DONE_TITLES = ("done", "complete", "finished")
ACTIONS_EXPORTED_MAX = 1000
LABEL_CHARACTERS_MAX = 200
OPEN_LISTS_MAX = 200  # each pair of open lists becomes two transitions


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
class TrelloCard:
    title: str
    description: str
    archived: bool
    tags: tuple[str, ...]
    members: tuple[str, ...]
    due: datetime | None
    checklists: tuple[Checklist, ...]
    attachments: tuple[Attachment, ...]
    comments: tuple[TrelloComment, ...]


@dataclass(frozen=True)
class TrelloList:
    """A list of the board with its cards in order."""

    title: str
    closed: bool
    cards: tuple[TrelloCard, ...]

    @property
    def done(self) -> bool:
        """Return whether the cards in this list are finished."""
        return self.title.casefold() in DONE_TITLES


@dataclass(frozen=True)
class TrelloBoard:
    """A board, and counts of its data that cannot be imported."""

    title: str
    lists: tuple[TrelloList, ...]
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


def read_board(source: Record) -> TrelloBoard:
    """Return the board of a validated export; raise NotATrelloExport if it has too many open lists."""
    board = _Reader(source).board()
    if len(board.open_lists) > OPEN_LISTS_MAX:
        problem = f"The board has {len(board.open_lists):,} open lists; at most {OPEN_LISTS_MAX} can become columns"
        raise export.NotATrelloExport(f"{problem}. Archive some in Trello and export the board again.")
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
        # If every list were archived, the project would have no column; then all of them count as open.
        self.reopened = all(row.get("closed") is True for row in rows)

    def board(self) -> TrelloBoard:
        return TrelloBoard(
            title=export.line(self.source, "name") or "(untitled)",
            lists=tuple(self._lists()),
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
            found.append(TrelloList("(list not exported)", True, self._cards(strays, closed=True)))
        return found

    def _list(self, row: Record) -> TrelloList:
        closed = row.get("closed") is True and not self.reopened
        cards = self._cards(self.cards[export.text(row, "id")], closed)
        return TrelloList(export.line(row, "name") or "(untitled)", closed, cards)

    def _cards(self, rows: list[Record], closed: bool) -> tuple[TrelloCard, ...]:
        return tuple(self._card(row, closed) for row in sorted(rows, key=export.position))

    def _card(self, row: Record, closed: bool) -> TrelloCard:
        return TrelloCard(
            title=export.line(row, "name") or "(untitled)",
            description=export.text(row, "desc"),
            archived=closed or row.get("closed") is True,
            tags=_unique(_label(label) for label in self._labels(row)),
            members=_unique(self.people.get(member, "(unknown member)") for member in _members(row)),
            due=export.timestamp(row, "due"),
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


def _label(row: Record) -> str:
    label = export.line(row, "name") or export.line(row, "color") or "(unnamed label)"
    return label if len(label) <= LABEL_CHARACTERS_MAX else label[: LABEL_CHARACTERS_MAX - 1] + "…"


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


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
