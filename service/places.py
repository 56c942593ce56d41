"""Places at what lasts: so many for each name, and whoever finds none is told so at once."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from .errors import Overloaded


class Bound(NamedTuple):
    """How many places a name has, and whose they are, in the words of the refusal."""

    name: str
    most: int
    whose: str


class Places:
    """The places that are taken in one service process."""

    def __init__(self, message: str) -> None:
        self._message = message  # of the refusal; names {most} and {whose}
        self._taken: Counter[str] = Counter()

    @contextmanager
    def taken(self, *bounds: Bound) -> Iterator[None]:
        """Take a place under each name meanwhile; raise overloaded if one has none left."""
        for bound in bounds:
            if self._taken[bound.name] >= bound.most:
                raise Overloaded(None, self._message.format(**bound._asdict()), limit=bound.most)
        names = Counter(bound.name for bound in bounds)
        self._taken += names
        try:
            yield
        finally:
            self._taken -= names
