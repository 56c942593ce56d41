"""Reading of imported files: in turns, so that no import waits for the whole of another, within a memory limit."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

from ...errors import Overloaded, TooExpensive
from ...runtime.turns import ThreadTurns, Turns

BOARD_SECONDS_MAX = 60.0  # for reading the file of another product, without the turns of others
BOARDS_BYTES_MAX = 128 << 20  # of all boards that are in memory at the same time
TOO_LONG = (
    f"Reading this board took longer than {BOARD_SECONDS_MAX:g} s, and nothing was imported. Split it in Trello first."
)
TOO_LARGE = "Too many large boards are being imported; try again in a minute."


class Reading:
    """The reading of one file."""

    def __init__(self, turn: ThreadTurns, sizes: dict["Reading", int]) -> None:
        self._turn = turn
        self._sizes = sizes  # in bytes, of all files that are in memory
        self.seconds_max = inf

    def pause(self) -> None:
        """Let others have their turn; raise TooExpensive if the reading has taken too long."""
        self._turn.pause()
        if self._turn.seconds > self.seconds_max:
            raise TooExpensive(None, TOO_LONG)

    def reserve(self, size: int) -> None:
        """Count bytes that stay in memory until the end; beyond the limit, raise Overloaded in the largest reading."""
        sizes = self._sizes
        sizes[self] = sizes.get(self, 0) + size
        if sum(sizes.values()) > BOARDS_BYTES_MAX and sizes[self] == max(sizes.values()):
            raise Overloaded(None, TOO_LARGE)


class Readings:
    """The files that are being read; one thread works at a time."""

    def __init__(self) -> None:
        self._turns = Turns()
        self._sizes: dict[Reading, int] = {}

    @contextmanager
    def begin(self) -> Iterator[Reading]:
        """Wait for a turn, and read a file in the block."""
        with self._turns.join() as turn:
            reading = Reading(turn, self._sizes)
            try:
                yield reading
            finally:
                self._sizes.pop(reading, None)
