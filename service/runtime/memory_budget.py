"""Bytes in flight: what is in memory for a caller, of bodies that were sent and of answers that are not taken yet.

Small ones are not counted: a connection holds no more of them than its buffers do.
"""

import asyncio
import contextlib
import fcntl
import struct
import termios
import threading
from collections import Counter
from functools import partial

from aiohttp import web

from ..errors import REQUEST_CONTEXT, Overloaded

UNCOUNTED_BYTES_MAX = 1 << 16
CALLER_BYTES_MAX = 32 << 20  # that one may have in flight; a single larger answer passes, if the rest has room for it
TOTAL_BYTES_MAX = 256 << 20  # of all together, whoever asks
TOO_MUCH = "Too much of what {} sent or asked for is still on its way; take the answers, then ask again."


class InFlightBytes:
    """The bytes in flight of one service process, by caller and by organization.

    An organization may have as many as it leaves free for all others: alone half of the total, beside one more a third.
    So there is room for whoever comes next, however many came before.
    """

    def __init__(self) -> None:
        self._of_callers: Counter[str] = Counter()
        self._of_organizations: Counter[str] = Counter()
        self._lock = threading.Lock()  # answers to writes are counted on the writer's thread
        self.held = 0  # by all of them

    def take(self, request: web.BaseRequest, who: str, org_id: str, size: int, *, is_forced: bool = False) -> None:
        """Count bytes until the request is answered; raise overloaded if that is too much, unless it is forced."""
        if size <= UNCOUNTED_BYTES_MAX:
            return
        with self._lock:
            if not is_forced:
                self._check(who, org_id, size)
            self._add(who, org_id, size)
        request[REQUEST_CONTEXT].held.append(partial(self._give_back, who, org_id, size))

    def _check(self, who: str, org_id: str, size: int) -> None:
        if self._of_callers[who] and self._of_callers[who] + size > CALLER_BYTES_MAX:
            raise Overloaded(None, TOO_MUCH.format("you"))
        if self._of_organizations[org_id] + size > TOTAL_BYTES_MAX - self.held - size:
            raise Overloaded(None, TOO_MUCH.format("your organization, or all together,"))

    def _give_back(self, who: str, org_id: str, size: int) -> None:
        with self._lock:
            self._add(who, org_id, -size)

    def _add(self, who: str, org_id: str, size: int) -> None:
        self.held += size
        for held, name in ((self._of_callers, who), (self._of_organizations, org_id)):
            held[name] += size
            if held[name] <= 0:
                del held[name]


def landed(request: web.BaseRequest) -> None:
    """Count no longer what was held for a request: it is answered, or nobody is there to take the answer."""
    request_context = request.get(REQUEST_CONTEXT)
    while request_context and request_context.held:
        request_context.held.pop()()


def untaken(pipe: asyncio.Transport) -> int:
    """Tell how many bytes the client has not taken: those here, and those that wait in the system where it tells."""
    waiting = pipe.get_write_buffer_size()
    with contextlib.suppress(OSError):
        queued = fcntl.ioctl(pipe.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4))
        waiting += struct.unpack("i", queued)[0]
    return waiting
