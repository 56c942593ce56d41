"""A queue that serves organizations, and the callers within each, in turn by the time that their items took.

It is a surplus round robin: a deficit round robin whose deficit may become negative, because the time of an item is
known only when it has ended. The quantum is so small that the turn always belongs to the one that was charged least
(known as start-time fair queueing, too). An item is charged by an estimate when it is taken, and by its time when it
has ended.

The clock of a round is the charge of the member that was served last. A member's debt is what it was charged beyond
the clock: it shrinks while others are served, and ends when there is nothing left to do. Nobody can save time up: a
member that comes back is charged at least what the clock shows.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, NamedTuple, TypeVar

ITEM_SECONDS_MIN = 0.001  # minimum charge of a waiting item, and the estimate for a caller's first one
MEAN_WEIGHT = 1 / 4  # of the newest item in the mean of the last ones
CALLERS_MAX = 10_000  # in memory; beyond, callers without items are forgotten
T = TypeVar("T")
_get_charged = attrgetter("charged")


class Share(NamedTuple):
    """The organization and the caller whose share an item uses; without a caller it is the service's own item."""

    org_id: str = ""
    caller_id: str = ""


SERVICE = Share()  # without an organization


class _Member:
    """An organization, whose callers take turns, or a caller; the root of both is the queue itself."""

    __slots__ = ("charged", "clock", "items_count", "latest", "parent", "waiting")

    def __init__(self, parent: "_Member | None" = None) -> None:
        self.parent = parent
        self.clock: float = 0.0  # seconds: the charge of the member that was served last
        self.latest: float = 0.0  # the highest charge of a member
        self.charged: float = parent.clock if parent else 0.0
        self.items_count = 0  # waiting or taken
        self.waiting: dict[_Member, None] = {}  # members with waiting items, in the order in which they came

    @property
    def debt(self) -> float:
        """Return the seconds that the member was charged beyond its share."""
        return max(0.0, self.charged - self.parent.clock) if self.parent else 0.0


class _Caller(_Member, Generic[T]):
    __slots__ = ("items", "mean", "organization", "path", "share")

    def __init__(self, organization: _Member, share: Share) -> None:
        super().__init__(organization)
        assert organization.parent is not None
        self.organization, self.share = organization, share
        self.path = ((organization, organization.parent), (self, organization))
        self.items: deque[T] = deque()  # waiting
        self.mean: float | None = None  # seconds that the last items took

    @property
    def waiting_seconds(self) -> float:
        """Return the time that the waiting items are expected to take."""
        return len(self.items) * max(self.mean or 0.0, ITEM_SECONDS_MIN)


@dataclass(frozen=True, slots=True)
class Turn(Generic[T]):
    """The next item, the seconds that it is expected to take, and the debt of its caller or organization in seconds."""

    item: T
    caller: _Caller[T]
    expected: float
    debt: float

    @property
    def share(self) -> Share:
        """Return the organization and the caller whose turn it is."""
        return self.caller.share


class FairQueue(Generic[T]):
    """The queue. Its owner peeks at the next turn, takes it, and finishes it or puts it back."""

    def __init__(self) -> None:
        self._root = _Member()
        self._organizations: dict[str, _Member] = {}
        self._callers: dict[Share, _Caller[T]] = {}
        self._count = 0  # items that wait
        self.callers_count = 0  # those of them that are not the service's own

    def __len__(self) -> int:
        """Return how many items wait."""
        return self._count

    def put(self, share: Share, item: T) -> None:
        """Add an item behind the others of its caller."""
        caller = self._callers.get(share) or self._create_caller(share)
        for member, parent in caller.path:
            if not member.items_count and member.charged <= parent.clock:
                member.charged, member.clock = parent.clock, member.latest
        caller.items.append(item)
        self._update_waiting(caller, 1)
        _count_items(caller, 1)

    def peek(self, is_allowed: Callable[[Share, T], bool] | None = None) -> Turn[T] | None:
        """Return the next turn, or None; with `is_allowed`, skip the callers whose first item is not allowed."""
        caller = self._find_allowed(is_allowed) if is_allowed else self._find_first()
        if caller is None:
            return None
        debt = max(caller.debt, caller.organization.debt)
        return Turn(caller.items[0], caller, caller.mean or ITEM_SECONDS_MIN, debt)

    def _find_first(self) -> _Caller[T] | None:
        if not self._count:
            return None
        organization = min(self._root.waiting, key=_get_charged)
        return min(organization.waiting, key=_get_charged)  # type: ignore[return-value]  # its members are callers

    def _find_allowed(self, is_allowed: Callable[[Share, T], bool]) -> _Caller[T] | None:
        allowed = (caller for caller in self._list_waiting() if is_allowed(caller.share, caller.items[0]))
        return min(allowed, key=lambda caller: (caller.organization.charged, caller.charged), default=None)

    def _list_waiting(self) -> Iterator[_Caller[T]]:
        for organization in self._root.waiting:
            yield from organization.waiting  # type: ignore[misc]  # its members are callers

    def take(self, turn: Turn[T]) -> None:
        """Take the item of a turn out of the queue; `finish` or `put_back` has to follow."""
        turn.caller.items.popleft()
        self._update_waiting(turn.caller, -1)
        for member, parent in turn.caller.path:
            parent.clock = max(parent.clock, member.charged)
        _charge(turn.caller, turn.expected)

    def put_back(self, turn: Turn[T]) -> None:
        """Put an item that was taken, but not begun, in front of the others of its caller."""
        turn.caller.items.appendleft(turn.item)
        self._update_waiting(turn.caller, 1)
        _charge(turn.caller, -turn.expected)

    def finish(self, turn: Turn[T], seconds: float) -> None:
        """Charge the seconds that a taken item took."""
        caller = turn.caller
        caller.mean = seconds if caller.mean is None else caller.mean + (seconds - caller.mean) * MEAN_WEIGHT
        _charge(caller, seconds - turn.expected)
        _count_items(caller, -1)

    def remove(self, share: Share, item: T) -> None:
        """Remove an item if it still waits."""
        caller = self._callers.get(share)
        if caller is not None and item in caller.items:
            caller.items.remove(item)
            self._update_waiting(caller, -1)
            _count_items(caller, -1)

    def remove_newest(self) -> T:
        """Remove the newest item of the caller whose waiting items take longest, but never one of the service's own."""
        callers = (caller for caller in self._list_waiting() if caller.share.caller_id)
        caller = max(callers, key=lambda caller: caller.waiting_seconds)
        item = caller.items.pop()
        self._update_waiting(caller, -1)
        _count_items(caller, -1)
        return item

    def get_load(self, share: Share) -> float:
        """Return the seconds of a caller's debt and of its waiting items."""
        caller = self._callers.get(share)
        if caller is None:
            return 0.0
        organization = caller.organization
        is_alone = organization.waiting.keys() <= {caller}  # then the debt of the organization is its own
        return caller.waiting_seconds + (min(caller.debt, organization.debt) if is_alone else caller.debt)

    def has_others(self, share: Share) -> bool:
        """Return whether items of other callers wait; the service's own do not count."""
        caller = self._callers.get(share)
        return self.callers_count > (len(caller.items) if caller else 0)

    def _create_caller(self, share: Share) -> _Caller[T]:
        if len(self._callers) >= CALLERS_MAX:
            self._callers = {share: caller for share, caller in self._callers.items() if caller.items_count}
            self._organizations = {share.org_id: caller.organization for share, caller in self._callers.items()}
        organization = self._organizations.setdefault(share.org_id, _Member(self._root))
        caller = self._callers[share] = _Caller(organization, share)
        return caller

    def _update_waiting(self, caller: _Caller[T], difference: int) -> None:
        """Count an item that waits or no longer does, and let its caller and organization take part in their rounds."""
        self._count += difference
        if caller.share.caller_id:
            self.callers_count += difference
        organization = caller.organization
        if caller.items:
            organization.waiting[caller] = None
            self._root.waiting[organization] = None
        else:
            organization.waiting.pop(caller, None)
            if not organization.waiting:
                self._root.waiting.pop(organization, None)


def _count_items(caller: _Caller[Any], difference: int) -> None:
    """Count an item that waits or was taken; without any, all debts end."""
    root = caller.path[0][1]
    for member in (caller, caller.organization, root):
        member.items_count += difference
    if not root.items_count:
        root.clock = root.latest


def _charge(caller: _Caller[Any], seconds: float) -> None:
    for member, parent in caller.path:
        member.charged += seconds
        parent.latest = max(parent.latest, member.charged)
