"""Chunked sending of large responses, with backpressure from the client.

A response that is written at once is in memory twice, because aiohttp concatenates head and body. uvloop would also
buffer all of it before it reports that the client reads slowly, so the response would seem to be sent already.
"""

from aiohttp import web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.payload import Payload

CHUNK_BYTES = 1 << 16


class ChunkedPayload(Payload):
    """A body in memory that is written in chunks."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.content = content

    @property
    def size(self) -> int:
        """Return the size of the body in bytes."""
        return len(self.content)

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Return the body as text."""
        return self.content.decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        """Write the body in chunks, waiting for the client after each."""
        whole = memoryview(self.content)
        for start in range(0, len(whole), CHUNK_BYTES):
            await writer.write(whole[start : start + CHUNK_BYTES])


def send_in_chunks(response: web.StreamResponse) -> None:
    """Prepare a response with a large body in memory to be sent in chunks."""
    if isinstance(response, web.Response) and isinstance(response.body, bytes) and len(response.body) > CHUNK_BYTES:
        response.body = ChunkedPayload(response.body)


def release_body(response: web.StreamResponse) -> None:
    """Drop the body of a sent response: aiohttp keeps the response until the next one on the connection."""
    if isinstance(response, web.Response):
        response.body = None
