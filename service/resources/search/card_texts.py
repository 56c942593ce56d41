"""The rows that a card has in the full-text index.

A small card has all its texts in one row. A card with more texts than ROW_CHARACTERS_MAX is large, and stays so: its
title, each of its values, and some comments at a time have a row of their own. So a change rewrites one short row,
however much lies on the card, and few words of a search need to be looked for in several rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from ...database.queries import sql
from ...database.store import Tx
from ...schemas import json_text, stored_json
from .scripts import BOUNDARY

ROW_CHARACTERS_MAX = 2000  # of the texts and ids in a row; a single text can be longer
PARTS_PER_CARD = 1 << 18  # rows that a large card can have
COMMENT_PARTS_MAX = PARTS_PER_CARD - 10_000  # beyond, the last row takes all comments, and values find room
# Private-use characters, which are removed from indexed texts: before and after a hit, and between two texts.
HIT_START, HIT_END, TEXT_SEPARATOR = "\ue000", "\ue001", "\n\ue002\n"
_WITHOUT = str.maketrans(dict.fromkeys(f"\ue000\ue001\ue002{BOUNDARY}", " "))
TITLE_PART = 0
Columns = Mapping[str, str]


def span(first: int, last: int) -> dict[str, int]:
    """Return the range of the rows that the large cards with these numbers can have."""
    return {"first": first * PARTS_PER_CARD, "last": (last + 1) * PARTS_PER_CARD - 1}


def replace_markers(text: str) -> str:
    """Return a text of the same length without the characters that have a meaning in the index."""
    return text.translate(_WITHOUT)


@dataclass
class IndexRow:
    """The texts of one row; those of values and comments by the ids of their fields and comments."""

    title: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, row: Columns) -> Self:
        """Return the row that the index has."""
        ids = stored_json(row["sources"])
        fields, comments = (row[name].split(TEXT_SEPARATOR) for name in ("fields", "comments"))
        return cls(row["title"], dict(zip(ids["fields"], fields)), dict(zip(ids["comments"], comments)))

    def encode(self) -> Columns:
        """Return the row as the index has it."""
        return {
            "title": self.title,
            "sources": json_text({"fields": list(self.fields), "comments": list(self.comments)}),
            "fields": TEXT_SEPARATOR.join(self.fields.values()),
            "comments": TEXT_SEPARATOR.join(self.comments.values()),
        }


def _fits(columns: Columns) -> bool:
    return sum(map(len, columns.values())) <= ROW_CHARACTERS_MAX


class CardTexts:
    """The texts of one card in the index, while they are changed. Nothing is complete before `save`.

    At any time one row is in memory: that of a small card, or the last row with comments of a large one.
    """

    def __init__(self, tx: Tx, number: int, parts: int = 0, comments_part: int | None = None) -> None:
        """Begin with a card without texts: `parts` is its number of rows if it is large, else 0."""
        self._tx, self._number = tx, number
        self._parts, self._comments_part = parts, comments_part
        self._place = parts, comments_part  # as it is stored
        self._row = IndexRow()
        self._stored: Columns | None = None

    def load(self, stored: Columns) -> None:
        """Take the row that the index has for further texts."""
        self._row, self._stored = IndexRow.of(stored), stored

    def set_title(self, text: str) -> None:
        """Replace the title."""
        if self._parts:
            self._replace_part(TITLE_PART, IndexRow(title=text))
        else:
            self._row.title = text

    def set_value(self, field_id: str, text: str) -> None:
        """Replace the text of a value; an empty one removes it."""
        if self._parts:
            self._replace_value(field_id, text)
        elif text:
            self._row.fields[field_id] = text
        else:
            self._row.fields.pop(field_id, None)

    def add_comment(self, comment_id: str, text: str) -> None:
        """Add a comment after all others."""
        before = self._row.comments
        self._row.comments = before | {comment_id: text}
        if _fits(self._row.encode()):
            return
        self._row.comments = before
        self._begin_row()
        self._row.comments[comment_id] = text

    def save(self) -> None:
        """Write what has changed in the row that is in memory."""
        if not self._parts:
            self._save_small()
        if self._parts:
            self._save_comments()
        if self._place != (self._parts, self._comments_part):
            place = {"parts": self._parts, "comments_part": self._comments_part}
            self._tx.run(sql.search.update_card, number=self._number, **place)

    def _save_small(self) -> None:
        columns = self._row.encode()
        if not _fits(columns):
            self._divide()
        elif columns != self._stored:
            self._delete_stored()
            self._tx.run(sql.search.create_text, number=self._number, **columns)

    def _begin_row(self) -> None:
        """Make room for a comment: divide a small card, and begin another row of a large one that has comments."""
        if not self._parts:
            self._divide()
        if self._row.comments and self._parts < COMMENT_PARTS_MAX:
            self._save_comments()
            self._row, self._stored, self._comments_part = IndexRow(), None, None

    def _divide(self) -> None:
        """Make a small card a large one, with its comments in memory."""
        self._delete_stored()
        row, self._row, self._stored = self._row, IndexRow(comments=self._row.comments), None
        self._parts = 1
        self.set_title(row.title)
        for field_id, text in row.fields.items():
            self.set_value(field_id, text)

    def _delete_stored(self) -> None:
        if self._stored is not None:
            self._tx.run(sql.search.delete_text, number=self._number)

    def _save_comments(self) -> None:
        """Write the last row with comments of a large card, if it has comments."""
        columns = self._row.encode()
        if columns == self._stored or not self._row.comments:
            return
        if self._comments_part is None:
            self._comments_part = self._allocate_part()
        elif self._stored is not None:
            self._tx.run(sql.search.delete_part, number=self._number, part=self._comments_part)
        self._tx.run(sql.search.create_part, number=self._number, part=self._comments_part, **columns)

    def _replace_value(self, field_id: str, text: str) -> None:
        """Write the row of a value; its number stays reserved for the field if the value is removed."""
        owner = {"number": self._number, "field_id": field_id}
        part = self._tx.value(sql.search.find_value_part, **owner)
        if part is None and text:
            part = self._allocate_part()
            self._tx.run(sql.search.create_value_part, part=part, **owner)
        if part is not None:
            self._replace_part(part, IndexRow(fields={field_id: text} if text else {}))

    def _replace_part(self, part: int, row: IndexRow) -> None:
        self._tx.run(sql.search.delete_part, number=self._number, part=part)
        if row.title or row.fields:
            self._tx.run(sql.search.create_part, number=self._number, part=part, **row.encode())

    def _allocate_part(self) -> int:
        self._parts += 1
        return min(self._parts, PARTS_PER_CARD) - 1
