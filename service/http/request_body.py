"""Bodies as they come in: never more of one than a route takes, and an end for one that does not come."""

import asyncio

from aiohttp import StreamReader, web

from ..errors import PayloadTooLarge, RequestTimeout

BODY_BYTES_MAX = 1 << 20  # of a body that is held in memory
IDLE_TIMEOUT_SECONDS = 30.0  # for which a body may bring nothing
BODY_TIMEOUT_SECONDS = 300.0  # in which one that is held in memory must have come
TRANSFER_TIMEOUT_SECONDS = 3600.0  # that an upload, an import or an export may take


async def more(content: StreamReader) -> bytes:
    """Give the next bytes of a body, none at its end; raise request_timeout if nothing comes for 30 s."""
    try:
        async with asyncio.timeout(IDLE_TIMEOUT_SECONDS):
            return await content.readany()
    except TimeoutError:
        raise RequestTimeout(None, f"Nothing came of the body for {IDLE_TIMEOUT_SECONDS:g} s; send it again.") from None


async def whole(request: web.Request, limit: int = BODY_BYTES_MAX) -> bytes:
    """Give a body; raise payload_too_large, or request_timeout if it is not there within 5 minutes."""
    content = request.content
    # As a rule all of it came with the headers, and need not be waited for part by part.
    if content.is_eof() and content.total_bytes <= limit:
        return content.read_nowait()
    _judge_size(request, limit)
    try:
        async with asyncio.timeout(BODY_TIMEOUT_SECONDS):
            return await _gathered(content, limit)
    except TimeoutError:
        raise RequestTimeout(None, f"The body did not come within {BODY_TIMEOUT_SECONDS:g} s; send it again.") from None


def size_ahead(request: web.Request) -> int:
    """Tell how many bytes a body will have at the most once it is there; raise payload_too_large."""
    content = request.content
    if content.is_eof():
        return content.total_bytes
    _judge_size(request, BODY_BYTES_MAX)
    return request.content_length or BODY_BYTES_MAX


async def _gathered(content: StreamReader, limit: int) -> bytes:
    body = bytearray()
    while chunk := await more(content):
        body += chunk
        if len(body) > limit:
            raise _too_large(limit)
    return bytes(body)


def _judge_size(request: web.Request, limit: int) -> None:
    if (request.content_length or 0) > limit:
        raise _too_large(limit)


def _too_large(limit: int) -> PayloadTooLarge:
    return PayloadTooLarge(None, f"The body is too large; {limit >> 20} MiB is the limit on this route.")
