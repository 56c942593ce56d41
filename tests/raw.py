"""Requests byte by byte, for what no HTTP client would send."""

import asyncio
import json
from email.parser import BytesParser
from urllib.parse import urlsplit

from .world import Answer


async def send(url: str, request: bytes) -> Answer:
    """Send these bytes and give the one answer that comes back before the service closes the connection."""
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        writer.write(request)
        async with asyncio.timeout(10):
            status, _, fields = (await reader.readuntil(b"\r\n\r\n")).partition(b"\r\n")
            headers = BytesParser().parsebytes(fields)
            raw = await reader.readexactly(int(headers["Content-Length"]))
        return Answer(int(status.split()[1]), json.loads(raw), headers)
    finally:
        writer.close()
