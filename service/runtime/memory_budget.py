"""Memory limits for request bodies and for responses that clients have not received yet ("bytes in flight").

Small bodies and responses are not counted: the buffers of a connection already limit them.
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
CALLER_BYTES_MAX = 32 << 20  # in flight per caller; a single larger response passes if the other limits allow it
TOTAL_BYTES_MAX = 128 << 20  # in flight for all callers together
TOO_MUCH = "Too many bytes of {} are still being sent or received; read the responses, then try again."


class InFlightBytes:
    """The bytes in flight of one service process, by caller and by organization.

    An organization may use at most as many bytes as remain free: half of the total if it is alone, a third next to one
    other organization that also uses its maximum. So there is always room for another organization.
    """

    def __init__(self) -> None:
        self._of_callers: Counter[str] = Counter()
        self._of_organizations: Counter[str] = Counter()
        self._lock = threading.Lock()  # responses to writes are counted on the writer thread
        self.total = 0

    def reserve(
        self, request: web.BaseRequest, caller_id: str, org_id: str, size: int, *, is_forced: bool = False
    ) -> None:
        """Count bytes until `release` is called for the request; raise Overloaded beyond a limit, unless forced."""
        if size <= UNCOUNTED_BYTES_MAX:
            return
        with self._lock:
            if not is_forced:
                self._check_limits(caller_id, org_id, size)
            self._add(caller_id, org_id, size)
        request[REQUEST_CONTEXT].releases.append(partial(self._subtract, caller_id, org_id, size))

    def _check_limits(self, caller_id: str, org_id: str, size: int) -> None:
        if self._of_callers[caller_id] and self._of_callers[caller_id] + size > CALLER_BYTES_MAX:
            raise Overloaded(None, TOO_MUCH.format("your requests"))
        if self._of_organizations[org_id] + size > TOTAL_BYTES_MAX - self.total - size:
            raise Overloaded(None, TOO_MUCH.format("your organization or of all organizations together"))

    def _subtract(self, caller_id: str, org_id: str, size: int) -> None:
        with self._lock:
            self._add(caller_id, org_id, -size)

    def _add(self, caller_id: str, org_id: str, size: int) -> None:
        self.total += size
        for counts, key in ((self._of_callers, caller_id), (self._of_organizations, org_id)):
            counts[key] += size
            if counts[key] <= 0:
                del counts[key]


def release(request: web.BaseRequest) -> None:
    """Release all bytes that are reserved for a request; call it when the response is sent or the client is gone."""
    request_context = request.get(REQUEST_CONTEXT)
    while request_context and request_context.releases:
        request_context.releases.pop()()


def get_unsent_bytes(transport: asyncio.Transport) -> int:
    """Return the bytes that the client has not received: in the transport, and in the kernel where it reports them."""
    unsent = transport.get_write_buffer_size()
    with contextlib.suppress(OSError):
        queued = fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4))
        unsent += struct.unpack("i", queued)[0]
    return unsent
