"""Bytes in flight: what is in memory for a caller, of bodies that were sent and of answers that are not taken yet.

Small ones are not counted: a connection holds no more of them than its buffers do.
"""

from collections import Counter
from functools import partial

from aiohttp import web

from ..errors import JOURNEY, Overloaded

UNCOUNTED_BYTES_MAX = 1 << 16
CALLER_BYTES_MAX = 32 << 20  # that one may have in flight, besides what is asked for now
TOTAL_BYTES_MAX = 256 << 20  # of all together; beyond, whoever has more than a fair share waits


class Flight:
    """The bytes in flight of one service process, by who they are for."""

    def __init__(self) -> None:
        self._held: Counter[str] = Counter()
        self.held = 0  # by all of them

    def take(self, request: web.Request, who: str, size: int) -> None:
        """Count bytes until the request is answered; raise overloaded if its caller has too many already."""
        if size <= UNCOUNTED_BYTES_MAX:
            return
        held = self._held[who]
        if held and held + size > (
            CALLER_BYTES_MAX
            if self.held + size <= TOTAL_BYTES_MAX
            else min(CALLER_BYTES_MAX, TOTAL_BYTES_MAX // len(self._held))
        ):
            message = "Too much of what you sent or asked for is still on its way; take the answers, then ask again."
            raise Overloaded(None, message)
        self._held[who] += size
        self.held += size
        request[JOURNEY].held.append(partial(self._give_back, who, size))

    def _give_back(self, who: str, size: int) -> None:
        self.held -= size
        self._held[who] -= size
        if self._held[who] <= 0:
            del self._held[who]


def landed(request: web.BaseRequest) -> None:
    """Count no longer what was held for a request: it is answered, or nobody is there to take the answer."""
    journey = request.get(JOURNEY)
    for give_back in journey.held if journey else ():
        give_back()
