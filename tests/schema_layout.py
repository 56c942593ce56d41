"""The layout of tables in sql/schema.sql: one column a line, with its comment behind it.

SQLite keeps the text of CREATE TABLE, and puts columns that were added later into it, before the comment of the last
column and without comments of their own.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

INDENT = "    "
ALIGNED_MAX = 70  # characters of a line whose comment is aligned with those of others
Comments = dict[tuple[str, str], str]  # (table, column) -> comment
_TOKEN = re.compile(r"""--[^\n]*|'(?:[^']|'')*'|"[^"]*"|\s+|[^\s'"(),-]+|.""")
_ADDED = re.compile(r"^ALTER TABLE (\w+) ADD COLUMN (\w+) [^;]*; *(--[^\n]*)", re.MULTILINE)


def parse_added_comments(migrations: Iterable[str]) -> Comments:
    """Return the comments behind the columns that migrations add: the last one of each column."""
    return {(table, column): comment for text in migrations for table, column, comment in _ADDED.findall(text)}


@dataclass
class Item:
    """A column or constraint of a table."""

    text: str = ""
    above: list[str] = field(default_factory=list)  # comments on lines of their own
    comment: str = ""
    line_start: "Item | None" = None  # the item at the start of the line, if another one

    def write(self, is_last: bool, width: int) -> Iterator[str]:
        """Return the lines of the item, the first one padded to a width if a comment follows it."""
        lines = _indent_block(self.text)
        lines[-1] += "" if is_last else ","
        for comment in self.above:
            yield INDENT + comment
        if self.comment:
            lines[0] = f"{lines[0]:{width}} {self.comment}"
        yield from lines


def _indent_block(text: str) -> list[str]:
    """Return the lines of a text, the least indented one at INDENT."""
    first, *rest = text.splitlines()
    margin = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    return [INDENT + first, *((INDENT + line[margin:]).rstrip() for line in rest)]


class _Parser:
    """Splits the text between the parentheses of CREATE TABLE into items."""

    def __init__(self, text: str) -> None:
        self._items: list[Item] = []
        self._item, self._depth, self._is_new_line = Item(), 0, True
        for token in _TOKEN.findall(text):
            self._add(token)
        self._end_item()

    @property
    def items(self) -> list[Item]:
        return [item for item in self._items if item.text]

    def _add(self, token: str) -> None:
        self._depth += (token == "(") - (token == ")")
        if self._depth or token == ")":
            self._item.text += token
        elif token == ",":
            self._end_item()
        elif token.startswith("--"):
            self._add_comment(token)
        elif token.isspace():
            self._is_new_line = self._is_new_line or "\n" in token
            if self._item.text and not self._item.text.endswith(" "):
                self._item.text += " "
            return
        else:
            self._add_code(token)
        self._is_new_line = False

    def _add_code(self, token: str) -> None:
        if not self._item.text and self._items and not self._is_new_line:
            before = self._items[-1]
            self._item.line_start = before.line_start or before
        self._item.text += token

    def _add_comment(self, comment: str) -> None:
        if self._is_new_line:
            self._item.above.append(comment)
        else:
            before = self._items[-1] if self._items else self._item
            item = self._item if self._item.text else before.line_start or before
            item.comment = comment

    def _end_item(self) -> None:
        self._item.text = self._item.text.strip()
        self._items.append(self._item)
        self._item = Item()


def _split_table(text: str) -> tuple[str, str, str]:
    """Split CREATE TABLE into the text up to its parenthesis, that in it, and the rest."""
    depth, start, position = 0, None, 0
    for token in _TOKEN.findall(text):
        position += len(token)
        depth += (token == "(") - (token == ")")
        if depth and start is None:
            start = position
        elif start is not None and not depth:
            return text[:start], text[start : position - 1], text[position - 1 :]
    raise ValueError(f"not a table: {text}")


def _move_inner_comment(item: Item) -> None:
    """Move the comment in the first line of an item with several lines into its comment."""
    first, _, rest = item.text.partition("\n")
    if rest and not item.comment and (found := re.search(r" *(--.*)$", first)):
        item.text, item.comment = first[: found.start()] + "\n" + rest, found[1]


def lay_out_table(text: str, added: Comments) -> str:
    """Return CREATE TABLE with one column a line; `added` has comments of columns that have none."""
    head, body, tail = _split_table(text)
    if found := re.match(r" *--[^\n]*", body):  # the comment of the table
        head, body = head + found[0], body[found.end() :]
    (table,) = re.findall(r"^CREATE TABLE \"?(\w+)", head)
    items = _Parser(body).items
    for item in items:
        _move_inner_comment(item)
        item.comment = item.comment or added.get((table, item.text.split()[0]), "")
    lengths = [len(item.text.splitlines()[0]) for item in items if item.comment]
    width = len(INDENT) + 1 + max((length for length in lengths if length <= ALIGNED_MAX), default=0)
    lines = [line for item in items for line in item.write(item is items[-1], width)]
    return "\n".join([head, *lines, tail])
