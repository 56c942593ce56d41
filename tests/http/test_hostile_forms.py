"""Hostile forms: each is answered with the error envelope, and delays no other request."""

import asyncio
import contextlib
from types import SimpleNamespace
from typing import Any

import pytest

from service.errors import BadRequest
from service.http.multipart import Form

from .. import raw_http
from ..forms import END, FORM, blob, head, send, target
from ..resources.test_file_refusals import nothing_left
from ..world import Client, World

FILE = head("file", "a.txt")
DELIMITER = b"\r\n--a-boundary"
NO_HEADERS = {
    "a header that is too long": b"--a-boundary\r\nX: " + b"x" * 5000,
    "a header that begins with many blanks": b"--a-boundary\r\nX:" + b" " * 5000,
    "a name of a header that is too long": b"--a-boundary\r\n" + b"x" * 5000,
    "many headers": b"--a-boundary\r\n" + b"X: y\r\n" * 9 + b"\r\n",
    "a header without a name": b"--a-boundary\r\n: x\r\n\r\n",
    "a header without a colon": b"--a-boundary\r\nContent-Disposition\r\n\r\n",
    "a header with control characters": b"--a-boundary\r\nX\0: x\r\n\r\n",
    "a header that is continued": b"--a-boundary\r\nX: x\r\n y\r\n\r\n",
    "a line that ends in CR only": b"--a-boundary\r\nX: x\ry\r\n\r\n",
    "text after a padded boundary": b"--a-boundary  x\r\n\r\n",
}


@pytest.mark.parametrize("part", NO_HEADERS.values(), ids=NO_HEADERS)
async def test_headers_that_are_none_are_refused(world: World, part: bytes) -> None:
    answer = await send(world.sa, part)
    answer.refused(400, "validation_failed")
    assert "the headers of a part are malformed or too long" in answer.body["error"]["message"]
    assert await nothing_left(world)


async def test_as_many_headers_as_a_client_may_need_are_read(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    headers = b"".join(b"X-%d: %s\r\n" % (number, b"x" * 4000) for number in range(6))
    part = b"--a-boundary\r\n" + headers + FILE.removeprefix(b"--a-boundary\r\n") + b"content\r\n"
    assert (await send(world.sa, target(card, board.field("attachments")), part)).ok()["sizeBytes"] == 7


async def test_a_form_has_a_hundred_parts_at_most(world: World) -> None:
    headers = {"Content-Type": FORM}
    for count, message in ((100, "is missing"), (101, "it has more than 100 parts")):
        body = (head("other") + b"\r\n") * count + END
        answer = await world.sa.call("POST", "/admin/import", data=body, headers=headers)
        answer.refused(400, "validation_failed")
        assert message in str(answer.body)


@pytest.mark.parametrize(
    ("boundary", "status"),
    [("x" * 70, 200), ("x" * 71, 400), ("x" * 10_000, 400), ('"' + "x y" * 20 + '"', 200), ("'()+_,-./:=?", 200)],
)
async def test_a_boundary_has_70_bytes_at_most(world: World, boundary: str, status: int) -> None:
    board = await world.board()
    parts = target(await world.card(board), board.field("attachments")) + blob()
    body = (parts + END).replace(b"a-boundary", boundary.strip('"').encode())
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    answer = await world.sa.call("POST", "/files", data=body, headers=headers)
    assert answer.status == status
    if status == 400:
        answer.refused(400, "validation_failed")
        assert "its boundary has more than 70 bytes" in answer.body["error"]["message"]


async def test_a_boundary_in_no_encoding_is_a_boundary_too(world: World) -> None:
    board = await world.board()
    parts = target(await world.card(board), board.field("attachments")) + blob() + END
    answer = await raw_http.send(world.url, _request(world.sa, b"caf\xe9", parts.replace(b"a-boundary", b"caf\xe9")))
    assert answer.ok()["sizeBytes"] == 7


@pytest.mark.parametrize("boundary", [b"", b'""', b" ; boundary=x", b";=;=", b'"unclosed'])
async def test_a_form_without_a_boundary_is_none(world: World, boundary: bytes) -> None:
    answer = await raw_http.send(world.url, _request(world.sa, boundary, FILE + END))
    assert answer.status in (400, 415)
    assert answer.body["error"]["code"] in ("unsupported_media_type", "validation_failed")


def _request(client: Client, boundary: bytes, body: bytes) -> bytes:
    lines = [
        b"POST /api/v1/files HTTP/1.1\r\nHost: test\r\nConnection: close",
        b"Authorization: " + client.headers["Authorization"].encode(),
        b"Content-Type: multipart/form-data; boundary=" + boundary,
        b"Content-Length: %d" % len(body),
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


READ_BYTES = 32_000
# Reads that the parser goes through byte by byte: what looks like a boundary and is none, and blanks after a boundary.
COSTLY = {
    "a letter": [b"x" + (DELIMITER + b"X") * (READ_BYTES // 14)] * 5,
    "a hyphen": [b"x" + (DELIMITER + b"-X") * (READ_BYTES // 15)] * 5,
    "half a line break": [b"x" + (DELIMITER + b"\rX") * (READ_BYTES // 15)] * 5,
    "blanks": [b"x" + DELIMITER + b" " * READ_BYTES] + [b" " * READ_BYTES] * 4,
    "blanks after a boundary in two reads": [b"x" + DELIMITER[:-3], DELIMITER[-3:] + b" " * READ_BYTES],
}


@pytest.mark.parametrize("reads", COSTLY.values(), ids=COSTLY)
async def test_parsing_a_hostile_form_yields_to_other_requests(reads: list[bytes]) -> None:
    turns, found = 0, bytearray()

    async def count_turns() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    counting = asyncio.create_task(count_turns())
    with contextlib.suppress(BadRequest):  # there must be a line break after the blanks
        async for part in _form([FILE, *reads, DELIMITER + b"--"]):
            async for chunk in part.chunks():
                found += chunk
    counting.cancel()
    assert turns > sum(map(len, reads)) // 1000  # others wait for no more than 1,000 bytes
    assert found == (b"x" if b" " in reads[-1] else b"".join(reads))


def _form(reads: list[bytes]) -> Form:
    rest = iter(reads)

    async def readany() -> bytes:
        return next(rest, b"")

    content = SimpleNamespace(readany=readany)
    request: Any = SimpleNamespace(headers={"Content-Type": FORM}, content=content, content_length=None)
    return Form(request, 1 << 20)
