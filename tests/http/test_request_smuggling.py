"""A request whose end a proxy may see elsewhere is refused, and nothing after it on the connection is answered."""

import asyncio

import pytest

from .. import raw_http
from ..world import World

START = "POST /api/v1/organizations HTTP/"
CHUNKED = "5\r\nhello\r\n0\r\n\r\n"
AMBIGUOUS = {
    "chunks in HTTP/1.0": ("1.0", "Transfer-Encoding: chunked"),
    "chunks in HTTP/1.0 that keeps the connection": ("1.0", "Connection: keep-alive\r\nTransfer-Encoding: chunked"),
    "another encoding in HTTP/1.0": ("1.0", "Transfer-Encoding: identity"),
    "chunks and a length in HTTP/1.0": ("1.0", "Content-Length: 5\r\nTransfer-Encoding: chunked"),
    "a length, then chunks": ("1.1", "Content-Length: 5\r\nTransfer-Encoding: chunked"),
    "chunks, then a length": ("1.1", "Transfer-Encoding: chunked\r\nContent-Length: 5"),
    "an empty encoding and a length": ("1.1", "Transfer-Encoding:\r\nContent-Length: 5"),
    "an empty encoding": ("1.1", "Transfer-Encoding:"),
    "an unknown encoding": ("1.1", "Transfer-Encoding: xchunked"),
    "chunks that are packed": ("1.1", "Transfer-Encoding: gzip, chunked"),
    "chunks that are not last": ("1.1", "Transfer-Encoding: chunked, identity"),
    "chunks twice": ("1.1", "Transfer-Encoding: chunked, chunked"),
    "two encodings": ("1.1", "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked"),
    "an encoding after a vertical tab": ("1.1", "Transfer-Encoding: \x0bchunked"),
    "a blank before the colon": ("1.1", "Transfer-Encoding : chunked"),
    "a folded encoding": ("1.1", "Transfer-Encoding:\r\n chunked"),
    "a folded length": ("1.1", "Content-Length:\r\n 5"),
    "a folded header": ("1.1", "X-Note: a\r\n b\r\nContent-Length: 5"),
    "a folded first line": ("1.1", " X-Note: a"),
    "two lengths": ("1.1", "Content-Length: 5\r\nContent-Length: 6"),
    "one length twice": ("1.1", "Content-Length: 5\r\nContent-Length: 5"),
    "a list of lengths": ("1.1", "Content-Length: 5, 5"),
    "a length with a sign": ("1.1", "Content-Length: +5"),
    "a length below zero": ("1.1", "Content-Length: -5"),
    "an empty length": ("1.1", "Content-Length:"),
    "a line that ends with LF": ("1.1", "X-Note: a\nContent-Length: 5"),
    "a carriage return within a line": ("1.1", "X-Note: a\rContent-Length: 5"),
    "two hosts": ("1.1", "Host: other"),
    "a version of which nobody knows the rules": ("1.2", "Content-Length: 5"),
    "a version that has other frames": ("2.0", "Content-Length: 5"),
    "a version without headers": ("0.9", "Content-Length: 5"),
}


def _request(version: str, fields: str) -> bytes:
    return f"{START}{version}\r\n{fields}\r\nHost: tandem\r\n\r\n".encode()


async def _end(reader: asyncio.StreamReader) -> bytes:
    try:
        async with asyncio.timeout(10):
            return await reader.read()
    except ConnectionError:  # the service had closed before it had read everything
        return b""


@pytest.mark.parametrize("name", AMBIGUOUS)
async def test_an_ambiguous_request_is_refused_and_its_connection_closed(world: World, name: str) -> None:
    async with raw_http.sent(world.url, _request(*AMBIGUOUS[name])) as reader:
        (await raw_http.read_answer(reader)).refused(400, "bad_request")
        assert await _end(reader) == b""


@pytest.mark.parametrize("version", ["1.0", "1.1"])
async def test_what_follows_an_ambiguous_request_is_neither_read_nor_done(world: World, version: str) -> None:
    fields = "Transfer-Encoding: chunked" if version == "1.0" else "Transfer-Encoding:\r\nContent-Length: 5"
    card = await world.card(board := await world.board())
    hidden = f"DELETE /api/v1/cards/{card['id']} HTTP/1.1\r\nHost: tandem\r\n"
    hidden += "".join(f"{name}: {value}\r\n" for name, value in world.sa.headers.items()) + "\r\n"
    body = CHUNKED if version == "1.0" else "hello"
    request = _request(version, f"Connection: keep-alive\r\n{fields}") + (body + hidden).encode()
    async with raw_http.sent(world.url, request) as reader:
        (await raw_http.read_answer(reader)).refused(400, "bad_request")
        assert await _end(reader) == b""
    (shown,) = (await world.sa.get(world.sa.org(f"/cards?columnId={board.columns['Todo']}"))).ok()["items"]
    assert shown["id"] == card["id"]


async def test_chunks_are_taken_where_they_are_allowed(world: World) -> None:
    body = b'{"email": "nobody@example.test", "password": "wrong password"}'
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    for coding in (b"chunked", b"Chunked", b"\tchunked "):
        head = b"POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: "
        (await raw_http.send(world.url, head + coding + b"\r\n\r\n" + chunks)).refused(401, "invalid_credentials")


async def test_a_plain_request_in_http_1_0_is_answered(world: World) -> None:
    assert (await raw_http.send(world.url, b"GET /healthz HTTP/1.0\r\n\r\n")).status == 200
