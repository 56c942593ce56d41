"""A snapshot read as a stream: its rows one by one, never the whole document in memory.

It comes from outside, so every measure of it is bounded here: nesting, keys, the size of one row.
"""

from collections.abc import Iterator
from typing import Any, Protocol

from ...errors import BadRequest
from ...schemas import NO_NUL

NESTING_MAX = 16  # levels inside one row
KEYS_MAX = 100  # at the top
ROW_CHARACTERS_MAX = 16 << 20  # each value counting CHARACTERS_PER_VALUE more
CHARACTERS_PER_VALUE = 80
CHUNK_BYTES = 16 << 10  # that are parsed at a time, by one call that keeps the interpreter to itself

Event = tuple[str, Any]


class Source(Protocol):
    """Where the bytes come from."""

    def read(self, size: int) -> bytes:
        """Give some bytes more, none at the end."""
        ...


def unshapely(path: str, message: str) -> BadRequest:
    """Make the error for a snapshot that is JSON but not of the form that export makes."""
    where = f"{path}: " if path else ""
    return BadRequest("InvalidSnapshotShape", f"Correct the snapshot: {where}{message}.", path=path)


def rows(source: Source, *, without_nul: bool = False) -> Iterator[tuple[str, int | None, Any]]:
    """Give what stands under each top-level key: (key, index, row) for arrays, (key, None, value) for others.

    A NUL in a text is refused, or left out. Raises UnknownExceptionDuringParse for what is not JSON and
    InvalidSnapshotShape for what is out of bounds.
    """
    import ijson  # 2 MB that a service without imports never needs

    try:
        events = ijson.basic_parse(source, use_float=True, buf_size=CHUNK_BYTES)
        yield from _top(_without_nul(events) if without_nul else events)
    except (ijson.JSONError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())[:200]
        raise BadRequest("UnknownExceptionDuringParse", f"Send valid JSON: {reason}.") from None


def _without_nul(events: Iterator[Event]) -> Iterator[Event]:
    return ((event, value.replace("\0", "") if isinstance(value, str) else value) for event, value in events)


def _top(events: Iterator[Event]) -> Iterator[tuple[str, int | None, Any]]:
    if next(events)[0] != "start_map":
        for _ in events:  # what is not even JSON is told first
            pass
        raise unshapely("", "must be a JSON object, as export makes it")
    seen: set[str] = set()
    for event, key in events:
        if event == "map_key":
            _check_key(key, seen)
            yield from _under(key, events)


def _check_key(key: str, seen: set[str]) -> None:
    if key in seen:
        raise unshapely(key[:100], "stands there twice")
    if len(seen) == KEYS_MAX:
        raise unshapely("", f"has more than {KEYS_MAX} keys")
    seen.add(key)


def _under(key: str, events: Iterator[Event]) -> Iterator[tuple[str, int | None, Any]]:
    event, value = next(events)
    if event != "start_array":
        yield key, None, _Value(events, key).of(event, value)
        return
    for index, (event, value) in enumerate(events):
        if event == "end_array":
            return
        yield key, index, _Value(events, f"{key}.{index}").of(event, value)


class _Value:
    """One value, put together from its events within bounds."""

    def __init__(self, events: Iterator[Event], path: str) -> None:
        self._events = events
        self._path = path
        self._left = ROW_CHARACTERS_MAX

    def of(self, event: str, value: Any, depth: int = 0) -> Any:
        """Give the value that begins with an event."""
        self._spend(CHARACTERS_PER_VALUE)
        if event == "string":
            return self._text(value)
        if event == "start_map":
            return self._map(self._deeper(depth))
        if event == "start_array":
            return self._array(self._deeper(depth))
        return value

    def _map(self, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for event, key in self._events:
            if event == "end_map":
                break
            if self._text(key) in result:
                raise unshapely(self._path, f"has the key {key[:100]!r} twice")
            result[key] = self.of(*next(self._events), depth)
        return result

    def _array(self, depth: int) -> list[Any]:
        result: list[Any] = []
        for event, value in self._events:
            if event == "end_array":
                break
            result.append(self.of(event, value, depth))
        return result

    def _text(self, text: str) -> str:
        self._spend(len(text))
        if "\0" in text:
            raise unshapely(self._path, NO_NUL)
        return text

    def _spend(self, amount: int) -> None:
        self._left -= amount
        if self._left < 0:
            raise unshapely(self._path, "is too large for one row")

    def _deeper(self, depth: int) -> int:
        if depth == NESTING_MAX:
            raise unshapely(self._path, f"is nested more than {NESTING_MAX} deep")
        return depth + 1
