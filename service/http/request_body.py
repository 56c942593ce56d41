"""Reading of request bodies with size limits and timeouts."""

import asyncio

from aiohttp import StreamReader, web

from ..errors import PayloadTooLarge, RequestTimeout

BODY_BYTES_MAX = 1 << 20  # of a body that is read into memory
IDLE_TIMEOUT_SECONDS = 30.0  # without a byte of the body
BODY_TIMEOUT_SECONDS = 300.0  # to receive a body that is read into memory
TRANSFER_TIMEOUT_SECONDS = 3600.0  # for an upload, an import or an export


async def read_chunk(content: StreamReader) -> bytes:
    """Return the next bytes of a body, empty at its end; raise request_timeout if none arrives for 30 s."""
    try:
        async with asyncio.timeout(IDLE_TIMEOUT_SECONDS):
            return await content.readany()
    except TimeoutError:
        raise RequestTimeout(None, f"No data arrived for {IDLE_TIMEOUT_SECONDS:g} s; send the body again.") from None


async def read_body(request: web.Request, limit: int = BODY_BYTES_MAX) -> bytes:
    """Return the whole body; raise payload_too_large, or request_timeout if it does not arrive within 5 minutes."""
    content = request.content
    # Fast path: a small body usually arrives together with the headers.
    if content.is_eof() and content.total_bytes <= limit:
        return content.read_nowait()
    _check_size(request, limit)
    try:
        async with asyncio.timeout(BODY_TIMEOUT_SECONDS):
            return await _read_to_end(content, limit)
    except TimeoutError:
        raise RequestTimeout(
            None, f"The body did not arrive within {BODY_TIMEOUT_SECONDS:g} s; send it again."
        ) from None


def get_max_size(request: web.Request) -> int:
    """Return the maximum size in bytes that the body of a request can have; raise payload_too_large."""
    content = request.content
    if content.is_eof():
        return content.total_bytes
    _check_size(request, BODY_BYTES_MAX)
    return request.content_length or BODY_BYTES_MAX


async def _read_to_end(content: StreamReader, limit: int) -> bytes:
    body = bytearray()
    while chunk := await read_chunk(content):
        body += chunk
        if len(body) > limit:
            raise _too_large(limit)
    return bytes(body)


def _check_size(request: web.Request, limit: int) -> None:
    if (request.content_length or 0) > limit:
        raise _too_large(limit)


def _too_large(limit: int) -> PayloadTooLarge:
    message = f"The body is too large; {limit >> 20} MiB is the limit on this route. Send less at a time."
    return PayloadTooLarge(None, message)
