"""Answers that are kept once they were made, until something changes in the organization that they are about."""

from collections.abc import Hashable
from dataclasses import dataclass
from threading import Lock

from .responses import Answer

ENTRY_BYTES = 1000  # of memory besides the answer and the texts of its key
ALWAYS = ("", "~")  # an answer that holds at any time: all times sort between these


@dataclass(slots=True)
class _Entry:
    revision: int
    span: tuple[str, str]
    answer: Answer
    bytes: int


class ResponseCache:
    """Some answers by what was asked, those made last; all of them together have a bound."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._entries: dict[Hashable, _Entry] = {}
        self._bytes = 0
        self._lock = Lock()  # readers keep answers, each on its own thread

    def get(self, key: Hashable, revision: int, now: str) -> Answer | None:
        """Give an answer, if it was made at this revision and holds now."""
        entry = self._entries.get(key)
        if entry is None or entry.revision != revision or not entry.span[0] <= now < entry.span[1]:
            return None
        return entry.answer

    def put(self, key: Hashable, revision: int, answer: Answer, span: tuple[str, str] = ALWAYS) -> None:
        """Keep an answer; with a span it holds from one moment until before another."""
        with self._lock:
            self._drop(key)
            self._entries[key] = _Entry(revision, span, answer, size := _size(key, answer))
            self._bytes += size
            while self._bytes > self._bytes_max:
                self._drop(next(iter(self._entries)))

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._entries.clear()
            self._bytes = 0

    def _drop(self, key: Hashable) -> None:
        if (entry := self._entries.pop(key, None)) is not None:
            self._bytes -= entry.bytes


def _size(key: Hashable, answer: Answer) -> int:
    return ENTRY_BYTES + len(repr(key)) + 2 * len(answer.body or b"")  # twice: it may be packed later, and kept so too
