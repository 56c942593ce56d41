"""Streaming parser of snapshots: one row at a time, so that the whole document is never in memory.

A snapshot is untrusted input, so its nesting, the number of its keys and the size of each row are limited here.
"""

from collections.abc import Iterator
from typing import Any, Protocol

from ...errors import BadRequest
from ...schemas import NO_NUL

NESTING_MAX = 16  # levels inside one row
KEYS_MAX = 100  # at the top level
ROW_CHARACTERS_MAX = 16 << 20  # including CHARACTERS_PER_VALUE for each value
CHARACTERS_PER_VALUE = 80
CHUNK_BYTES = 16 << 10  # parsed in one call, during which the parser holds the GIL

Event = tuple[str, Any]


class Source(Protocol):
    """A readable stream of bytes."""

    def read(self, size: int) -> bytes:
        """Return the next bytes, none at the end of the stream."""
        ...


def invalid_snapshot(path: str, message: str) -> BadRequest:
    """Return the error for a snapshot that is JSON but does not have the form of an export."""
    where = f"{path}: " if path else ""
    return BadRequest("InvalidSnapshotShape", f"Correct the snapshot: {where}{message}.", path=path)


def rows(source: Source, *, without_nul: bool = False) -> Iterator[tuple[str, int | None, Any]]:
    """Yield the rows under each top-level key: (key, index, row) for arrays, (key, None, value) for other values.

    A NUL in a string is an error, or is removed if `without_nul` is set. Raises UnknownExceptionDuringParse if the
    source is not JSON, and InvalidSnapshotShape if it exceeds a limit.
    """
    import ijson  # takes 2 MB of memory that a service without imports does not need

    try:
        events = ijson.basic_parse(source, use_float=True, buf_size=CHUNK_BYTES)
        yield from _read_top_level(_remove_nul(events) if without_nul else events)
    except (ijson.JSONError, UnicodeDecodeError) as error:
        problem = (
            "ends too early, as if it was cut off" if "premature EOF" in str(error) else "is not valid JSON in UTF-8"
        )
        message = f"The file {problem}. Import the file as the export created it."
        raise BadRequest("UnknownExceptionDuringParse", message) from None


def _remove_nul(events: Iterator[Event]) -> Iterator[Event]:
    return ((event, value.replace("\0", "") if isinstance(value, str) else value) for event, value in events)


def _read_top_level(events: Iterator[Event]) -> Iterator[tuple[str, int | None, Any]]:
    if next(events)[0] != "start_map":
        for _ in events:  # a syntax error further on is reported first
            pass
        raise invalid_snapshot("", "must be a JSON object, as the export creates it")
    seen: set[str] = set()
    for event, key in events:
        if event == "map_key":
            _check_key(key, seen)
            yield from _read_group(key, events)


def _check_key(key: str, seen: set[str]) -> None:
    if key in seen:
        raise invalid_snapshot(key[:100], "occurs twice")
    if len(seen) == KEYS_MAX:
        raise invalid_snapshot("", f"has more than {KEYS_MAX} keys")
    seen.add(key)


def _read_group(key: str, events: Iterator[Event]) -> Iterator[tuple[str, int | None, Any]]:
    event, value = next(events)
    if event != "start_array":
        yield key, None, _ValueReader(events, key).read(event, value)
        return
    for index, (event, value) in enumerate(events):
        if event == "end_array":
            return
        yield key, index, _ValueReader(events, f"{key}.{index}").read(event, value)


class _ValueReader:
    """Builds one value from the events of the parser, within the limits of a row."""

    def __init__(self, events: Iterator[Event], path: str) -> None:
        self._events = events
        self._path = path
        self._remaining_characters = ROW_CHARACTERS_MAX

    def read(self, event: str, value: Any, depth: int = 0) -> Any:
        """Return the value that begins with an event."""
        self._count(CHARACTERS_PER_VALUE)
        if event == "string":
            return self._check_text(value)
        if event == "start_map":
            return self._read_object(self._next_depth(depth))
        if event == "start_array":
            return self._read_array(self._next_depth(depth))
        return value

    def _read_object(self, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for event, key in self._events:
            if event == "end_map":
                break
            if self._check_text(key) in result:
                raise invalid_snapshot(self._path, f"has the key {key[:100]!r} twice")
            result[key] = self.read(*next(self._events), depth)
        return result

    def _read_array(self, depth: int) -> list[Any]:
        result: list[Any] = []
        for event, value in self._events:
            if event == "end_array":
                break
            result.append(self.read(event, value, depth))
        return result

    def _check_text(self, text: str) -> str:
        self._count(len(text))
        if "\0" in text:
            raise invalid_snapshot(self._path, NO_NUL)
        return text

    def _count(self, characters: int) -> None:
        self._remaining_characters -= characters
        if self._remaining_characters < 0:
            raise invalid_snapshot(self._path, "is too large for one row")

    def _next_depth(self, depth: int) -> int:
        if depth == NESTING_MAX:
            raise invalid_snapshot(self._path, f"is nested more than {NESTING_MAX} levels deep")
        return depth + 1
