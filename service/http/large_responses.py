"""Large answers go out in pieces, the next one when the client has taken what came before.

Written at once, an answer would be in memory twice, since aiohttp joins it with its head; and uvloop takes all of it
before it says that the client does not keep up, so that the answer would seem to be sent.
"""

from aiohttp import web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.payload import Payload

PIECE_BYTES = 1 << 16


class Pieces(Payload):
    """A body in memory that is written piece by piece."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.content = content

    @property
    def size(self) -> int:
        """Return how many bytes there are."""
        return len(self.content)

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Return the body as text."""
        return self.content.decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        """Write all pieces."""
        whole = memoryview(self.content)
        for start in range(0, len(whole), PIECE_BYTES):
            await writer.write(whole[start : start + PIECE_BYTES])


def send_in_pieces(response: web.StreamResponse) -> None:
    """Have a response that has a large body in memory sent in pieces."""
    if isinstance(response, web.Response) and isinstance(response.body, bytes) and len(response.body) > PIECE_BYTES:
        response.body = Pieces(response.body)


def forget_body(response: web.StreamResponse) -> None:
    """Drop the body of a response that was sent: aiohttp keeps the response until the next one of the connection."""
    if isinstance(response, web.Response):
        response.body = None
