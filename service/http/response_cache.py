"""A cache of encoded responses, invalidated by any change in their organization."""

from collections.abc import Hashable
from dataclasses import dataclass
from threading import Lock

from .responses import Answer

ENTRY_BYTES = 1000  # memory of an entry in addition to its body and the texts of its key
ALWAYS = ("", "~")  # unlimited validity: all timestamps sort between these


@dataclass(slots=True)
class _Entry:
    revision: int
    span: tuple[str, str]
    answer: Answer
    bytes: int


class ResponseCache:
    """The most recently created responses by cache key, with a limit on their total size in bytes."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._entries: dict[Hashable, _Entry] = {}
        self._bytes = 0
        self._lock = Lock()  # reader threads add entries concurrently

    def get(self, key: Hashable, revision: int, now: str) -> Answer | None:
        """Return a cached response if it has this revision of the organization and is valid now, else None."""
        entry = self._entries.get(key)
        if entry is None or entry.revision != revision or not entry.span[0] <= now < entry.span[1]:
            return None
        return entry.answer

    def put(self, key: Hashable, revision: int, answer: Answer, span: tuple[str, str] = ALWAYS) -> None:
        """Add a response; `span` is its validity: the first timestamp and the one at which it ends."""
        with self._lock:
            self._drop(key)
            self._entries[key] = _Entry(revision, span, answer, size := _size(key, answer))
            self._bytes += size
            while self._bytes > self._bytes_max:
                self._drop(next(iter(self._entries)))

    def clear(self) -> None:
        """Remove all entries."""
        with self._lock:
            self._entries.clear()
            self._bytes = 0

    def _drop(self, key: Hashable) -> None:
        if (entry := self._entries.pop(key, None)) is not None:
            self._bytes -= entry.bytes


def _size(key: Hashable, answer: Answer) -> int:
    return ENTRY_BYTES + len(repr(key)) + 2 * len(answer.body or b"")  # twice: the gzipped body may be added later
