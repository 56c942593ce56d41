"""Forms read as a stream, wherever the network cuts them."""

from types import SimpleNamespace
from typing import Any

import pytest

from service.errors import BadRequest, PayloadTooLarge, UnsupportedMediaType
from service.http.multipart import Form

CONTENTS = b"\r\n--\r\n-b\r\n--\r\n--a\r\n--bX\r\n--b-X\r\n--b\rX"  # much like a boundary
BODY = (
    b"a preamble that nobody reads\r\n"
    b'--b\r\nContent-Disposition: form-data; name="one"\r\n\r\n1\r\n'
    b'--b  \r\nContent-Disposition: form-data; name="file"; filename="a;b;c.txt"\r\nContent-Type: a/b\r\n\r\n'
    + CONTENTS
    + b"\r\n"
    b'--b\r\nContent-Disposition: form-data; name="empty"\r\n\r\n\r\n'
    b"--b--\r\nan epilogue"
)
PARTS = [("one", None, b"1"), ("file", "a;b;c.txt", CONTENTS), ("empty", None, b"")]


def _form(body: bytes, size: int = 1000, limit: int = 1000, kind: str = "multipart/form-data; boundary=b") -> Form:
    pieces = iter([body[start : start + size] for start in range(0, len(body), size)])

    async def readany() -> bytes:
        return next(pieces, b"")

    request: Any = SimpleNamespace(
        headers={"Content-Type": kind}, content=SimpleNamespace(readany=readany), content_length=None
    )
    return Form(request, limit)


@pytest.mark.parametrize("size", range(1, 80))
async def test_the_parts_are_the_same_wherever_the_network_cuts(size: int) -> None:
    found = []
    async for part in _form(BODY, size):
        found.append((part.name, part.file_name, b"".join([chunk async for chunk in part.chunks()])))
    assert found == PARTS


@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_what_is_not_read_of_a_part_is_skipped(size: int) -> None:
    assert [part.name async for part in _form(BODY, size)] == ["one", "file", "empty"]


async def test_a_text_part_has_no_nul_character() -> None:
    body = b'--b\r\nContent-Disposition: form-data; name="cardId"\r\n\r\na\0b\r\n--b--\r\n'
    with pytest.raises(BadRequest, match="cardId: text may not contain NUL"):
        _ = [await part.text() async for part in _form(body)]


async def test_a_form_that_is_cut_off_anywhere_is_refused() -> None:
    end = BODY.index(b"--b--") + len(b"--b--")
    for length in range(end):
        with pytest.raises(BadRequest, match="it ends before its last boundary"):
            _ = [part.name async for part in _form(BODY[:length])]


@pytest.mark.parametrize(
    "kind",
    [
        'multipart/form-data; boundary="b"',
        "Multipart/Form-Data;boundary=b",
        "multipart/form-data; charset=utf-8; Boundary=b; x=y",
    ],
)
async def test_the_boundary_is_found_however_it_is_written(kind: str) -> None:
    assert len([part async for part in _form(BODY, kind=kind)]) == 3


@pytest.mark.parametrize(
    "kind", ["", "multipart/form-data", "multipart/form-data; boundary=", "multipart/mixed; boundary=b", "text/plain"]
)
def test_another_type_of_body_is_refused(kind: str) -> None:
    with pytest.raises(UnsupportedMediaType):
        _form(BODY, kind=kind)


async def test_a_body_that_never_ends_is_cut_off() -> None:
    for endless in (b"no boundary " * 100_000, b"--b\r\nX: " + b"x" * 1_000_000):
        with pytest.raises((PayloadTooLarge, BadRequest)):
            _ = [part async for part in _form(endless)]
