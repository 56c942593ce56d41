"""Requests byte by byte, for what no HTTP client would send."""

import asyncio
import contextlib
import json
import zlib
from collections.abc import AsyncIterator
from email.parser import BytesParser
from urllib.parse import urlsplit

from .world import Answer


@contextlib.asynccontextmanager
async def sent(url: str, request: bytes) -> AsyncIterator[asyncio.StreamReader]:
    """Send these bytes on a connection of their own, and return what the answer is read from."""
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        writer.write(request)
        await writer.drain()
        yield reader
    finally:
        writer.close()


async def read_answer(reader: asyncio.StreamReader, seconds: float = 10) -> Answer:
    """Wait for the answer, at most this long."""
    async with asyncio.timeout(seconds):
        status, _, fields = (await reader.readuntil(b"\r\n\r\n")).partition(b"\r\n")
        headers = BytesParser().parsebytes(fields)
        raw = await reader.readexactly(int(headers["Content-Length"]))
    return Answer(int(status.split()[1]), json.loads(raw), headers)


async def send(url: str, request: bytes) -> Answer:
    """Send these bytes and return the one answer that comes back before the service closes the connection."""
    async with sent(url, request) as reader:
        return await read_answer(reader)


def make_bomb(size: int) -> bytes:
    """Compress a number of zero bytes to about a thousandth of their size."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join([packer.compress(bytes(1 << 20)) for _ in range(size >> 20)] + [packer.flush()])
