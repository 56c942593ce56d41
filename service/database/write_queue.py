"""What waits to be written, in turns of organizations: whoever writes much keeps nobody waiting for all of it.

A group is over early as soon as somebody waits for it who has nothing more to gain by it: an organization that has
nothing in it, or has had all that it sent. So the others share one COMMIT as long as nobody waits for that.
"""

import asyncio
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import Any

from ..errors import Overloaded
from .commits import Committed, Outcome
from .connections import Work

UNITS_MAX = 2000  # that wait: by then the disk stands still, or somebody means harm
ORGANIZATION_UNITS_MAX = 1000  # of them, so that nobody fills the queue for others
GROUP_UNITS_MAX = 256  # that share a COMMIT
COMMITS_REMEMBERED = 8  # over which the time that they take is evened out
TOO_MANY = "So many changes wait to be stored that this one was not taken; try again in a few seconds."


@dataclass(slots=True)
class Unit:
    """A unit of work that waits for its commit, and for whom; without an organization it is the service's own."""

    work: Work[Any]
    org_id: str
    alone: bool
    future: asyncio.Future[Any]

    def answer(self, outcome: Outcome) -> None:
        """Tell whoever waits, unless they have left; the change stands all the same."""
        value, error = outcome
        if self.future.done():
            return
        if error is None:
            self.future.set_result(value)
        else:
            self.future.set_exception(error)


@dataclass(slots=True)
class Group:
    """Units that are to share a COMMIT: those of each organization that has some, and when it is over before the last.

    That is when so many are done as somebody waits for, but not before it has gone on for as long as a COMMIT takes:
    the slower the disk, the more is still done at once.
    """

    units: list[Unit]
    counts: Counter[str]
    enough: float = inf
    seconds: float = 0.0
    began: float = field(default_factory=monotonic)

    def is_over(self, done: int) -> bool:
        """Tell whether no further unit is to begin, when so many are done; asked on the thread that commits."""
        return done >= self.enough and monotonic() - self.began >= self.seconds


class WriteQueue:
    """The units that wait, each organization's in the order in which they came."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[Unit]] = OrderedDict()  # whoever is next comes first
        self._count = 0
        self._under_way: Group | None = None
        self._commit_seconds = 0.0  # that a COMMIT took lately

    def __len__(self) -> int:
        """Tell how many units wait."""
        return self._count

    def add(self, unit: Unit) -> None:
        """Have a unit wait; raise overloaded if too many do already."""
        theirs = len(self._waiting.get(unit.org_id, ())) if unit.org_id else 0
        if self._count >= UNITS_MAX or theirs >= ORGANIZATION_UNITS_MAX:
            raise Overloaded(None, TOO_MANY)
        self._waiting.setdefault(unit.org_id, deque()).append(unit)
        self._count += 1
        if unit.org_id and self._under_way and not self._under_way.counts[unit.org_id]:
            self._under_way.enough = 0

    def next_group(self) -> Group:
        """Take the units whose turn it is: one of each organization, then another.

        One that goes alone is a group by itself, and no other passes it.
        """
        units: list[Unit] = []
        while self._waiting and len(units) < GROUP_UNITS_MAX:
            org_id, theirs = next(iter(self._waiting.items()))
            if units and (theirs[0].alone or units[0].alone):
                break
            units.append(self._pop(org_id))
        counts = Counter(unit.org_id for unit in units if unit.org_id)
        self._under_way = Group(units, counts, _enough(units, counts), self._commit_seconds)
        return self._under_way

    def _pop(self, org_id: str) -> Unit:
        units = self._waiting[org_id]
        unit = units.popleft()
        if units:
            self._waiting.move_to_end(org_id)
        else:
            del self._waiting[org_id]
        self._count -= 1
        return unit

    def settle(self, group: Group, committed: Committed) -> list[Unit]:
        """Give those of a group that were seen to; the rest wait on, before all that came later."""
        if committed.commit_seconds:
            self._commit_seconds += (committed.commit_seconds - self._commit_seconds) / COMMITS_REMEMBERED
        self._under_way = None
        count = len(committed.outcomes)
        for unit in reversed(group.units[count:]):
            self._waiting.setdefault(unit.org_id, deque()).appendleft(unit)
            self._waiting.move_to_end(unit.org_id, last=False)
            self._count += 1
        return group.units[:count]

    def clear(self) -> Group:
        """Take all that wait."""
        left = Group([unit for units in self._waiting.values() for unit in units], Counter())
        self._waiting.clear()
        self._count = 0
        return left


def _enough(units: list[Unit], counts: Counter[str]) -> float:
    """Tell after how many units somebody has had all that they sent, while others go on."""
    fewest = min(counts.values(), default=0)
    if len(counts) < 2 or max(counts.values()) <= fewest + 1:
        return inf
    last = {unit.org_id: number for number, unit in enumerate(units, 1)}
    return min(number for org_id, number in last.items() if counts[org_id] == fewest)
