"""Truncation of a card context to a number of tokens: the least important goes first, with notes in `leftOut`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from ..schemas import Output

BYTES_PER_TOKEN = 4
SHORT_CHARACTERS = 40  # texts up to this length are never cut
NOTE_BYTES = 100  # estimated size of one note
TEXT_NOTES_MAX = 10
RECENT_COMMENTS = 3  # they are kept longer than relations
COMMENT_CHARACTERS = 200  # comments are dropped rather than cut below this length
GUIDANCE_CHARACTERS = 500  # kept of prompt, question and request, whatever the texts of the card need
COMMENTS, FIELDS = "comments", "card.fields"
LISTS = ("checklist", "relations", "parts.items", "takes", "files")  # in the order in which they are shortened
GUIDANCE = ("column.", "question.", "request.")
TEXTS = ("card", "column", "comments", "question", "request")  # members with texts that users wrote
Json = dict[str, Any]
RenderNotes = Callable[[list[Json]], list[Any]]
IsMeant = Callable[[str], bool]  # whether a step cuts the text at a path


class LeftOut(Output):
    """A truncated member: how much of it is shown, in characters or entries, and how much there is (null: unknown)."""

    what: str
    shown: int
    total: int | None = None


class _Text(NamedTuple):
    """A text that can be cut: its path, its container and its key there."""

    path: str
    holder: Any
    key: Any

    @property
    def value(self) -> str:
        text: str = self.holder[self.key]
        return text


@dataclass
class _Truncation:
    """A response while it is truncated."""

    content: Json
    budget: int
    render_notes: RenderNotes
    list_notes: dict[str, Json] = field(default_factory=dict)
    text_lengths: dict[tuple[int, Any], int] = field(default_factory=dict)  # of cut texts, by container and key

    def take_notes(self) -> None:
        """Take over the notes of an earlier truncation."""
        notes = {note["what"]: note for note in self.content.pop("leftOut", [])}
        texts = {text.path: text for text in self.list_texts()} if notes else {}
        for path in notes.keys() & texts.keys():
            self.text_lengths[id(texts[path].holder), texts[path].key] = notes.pop(path)["total"]
        self.list_notes = notes

    def get_result(self) -> Json:
        """Return the response with the notes as its first key."""
        found = self.list_texts() if self.text_lengths else []
        cut = [text for text in found if (id(text.holder), text.key) in self.text_lengths]
        cut = sorted(cut, key=self._get_length, reverse=True)[:TEXT_NOTES_MAX]
        texts = [{"what": text.path, "shown": len(text.value), "total": self._get_length(text)} for text in cut]
        return {"leftOut": self.render_notes([*self.list_notes.values(), *texts]), **self.content}

    def get_excess(self) -> int:
        """Return by how many bytes the response is larger than allowed; 0 or less if it fits."""
        return get_size(self.get_result()) - self.budget

    def _get_length(self, text: _Text) -> int:
        return self.text_lengths[id(text.holder), text.key]

    def list_texts(self) -> list[_Text]:
        """Return the texts that can be cut, with their current paths."""
        return [text for name in TEXTS if name in self.content for text in _find_texts(self.content[name], name)]


Step = Callable[[_Truncation, int], bool]  # receives the excess in bytes; returns whether it removed anything


def truncate(content: Json, tokens: int, render_notes: RenderNotes = lambda notes: notes) -> Json:
    """Return a response within a number of tokens of 4 bytes; its first key `leftOut` lists what was truncated.

    The order is: older comments, relations and other lists, recent comments, the texts of prompt, question and request,
    field values, and last the description. Keys, ids, tokens and timestamps are never cut. `content` is changed.
    """
    state = _Truncation(content, tokens * BYTES_PER_TOKEN, render_notes)
    state.take_notes()
    excess = state.get_excess()
    for step in _list_steps(content):
        # A step is repeated if the notes took more bytes than estimated.
        while excess > 0 and step(state, excess):
            excess = state.get_excess()
    return state.get_result()


def _list_steps(content: Json) -> Iterator[Step]:
    """Yield the steps of the truncation, the first to be taken first."""
    description = _find_description(content)
    yield _drop_entries(COMMENTS, keep=RECENT_COMMENTS)
    yield from (_drop_entries(path) for path in LISTS)
    yield _cut_texts(lambda path: path.startswith(COMMENTS), COMMENT_CHARACTERS)
    yield _drop_entries(COMMENTS)
    yield _cut_texts(lambda path: path.startswith(GUIDANCE), GUIDANCE_CHARACTERS)
    yield _cut_texts(lambda path: path.startswith(FIELDS) and path != description)
    yield _cut_texts(lambda path: path == description)
    # The rest is reached only with a very small limit, or with very many or very long names.
    yield _cut_texts(lambda path: True)
    yield from (_drop_entries(path) for path in ("card.blockedBy", "moves", FIELDS))


def _find_description(content: Json) -> str:
    """Return the path of the main text of a card: the field `description`, or else the first field."""
    names = list(content["card"]["fields"])
    described = [name for name in names if name.casefold() == "description"]
    return ".".join([FIELDS, *(described or names)[:1]])


def _drop_entries(path: str, keep: int = 0) -> Step:
    """Return a step that drops as few entries as necessary from the end of a list (of comments, the oldest)."""

    def step(state: _Truncation, excess: int) -> bool:
        items: Any = state.content
        for key in path.split("."):
            items = items.get(key) if items else items
        total = len(items or ())
        excess += 0 if path in state.list_notes else NOTE_BYTES
        while items and excess > 0 and len(items) > keep:
            excess -= _drop_entry(items, oldest=path == COMMENTS)
        if items is None or len(items) == total:
            return False
        note = state.list_notes.setdefault(path, {"what": path, "total": total})
        note["shown"] = len(items)
        return True

    return step


def _drop_entry(items: Any, oldest: bool) -> int:
    """Drop one entry and return its size in bytes, with the comma."""
    return get_size(items.popitem() if isinstance(items, dict) else items.pop(0 if oldest else -1)) + 1


def _cut_texts(is_meant: IsMeant, shortest: int = SHORT_CHARACTERS) -> Step:
    """Return a step that cuts some texts to the greatest common length that fits, but not below `shortest`."""

    def step(state: _Truncation, excess: int) -> bool:
        texts = [text for text in state.list_texts() if is_meant(text.path) and len(text.value) > shortest]
        notes = NOTE_BYTES * min(len(texts), TEXT_NOTES_MAX)
        length = _find_length([text.value for text in texts], shortest, excess + notes)
        for text in texts:
            if len(text.value) > length:
                state.text_lengths.setdefault((id(text.holder), text.key), len(text.value))
                text.holder[text.key] = text.value[:length]
        return bool(texts)

    return step


def _find_length(texts: list[str], shortest: int, excess: int) -> int:
    """Return the greatest length, but at least `shortest`, to which texts must be cut to save a number of bytes."""
    target = sum(map(get_size, texts)) - excess
    longest = max(map(len, texts), default=shortest)
    return find_greatest(lambda length: sum(get_size(text[:length]) for text in texts) <= target, shortest, longest)


def _find_texts(part: Any, path: str) -> Iterator[_Text]:
    """Yield the texts of a member that can be cut, at any depth."""
    entries = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in entries:
        below = f"{path}.{key}"
        if isinstance(value, str):
            if path == FIELDS or not str(key).lower().endswith(("id", "token")):  # users choose the names of fields
                yield _Text(below, part, key)
        elif key not in ("claim", "blockedBy"):
            yield from _find_texts(value, below)


def find_greatest(fits: Callable[[int], bool], lowest: int, highest: int) -> int:
    """Return the greatest limit that fits, if all below it do, too; the lowest if none fits."""
    while lowest < highest:
        middle = (lowest + highest + 1) // 2
        if fits(middle):
            lowest = middle
        else:
            highest = middle - 1
    return lowest


def get_size(part: Any) -> int:
    """Return the bytes of the JSON text of a response or a part of it."""
    return len(orjson.dumps(part))
