"""Files: names and types as they are sent, kept and sent back."""

from urllib.parse import unquote

import pytest

from service.resources.file_contents import format_disposition
from service.resources.files import sanitize_name

from ..forms import blob, head, send, target, upload
from ..world import World

SENT = {
    # what a browser or a tool writes into the quotes -> what is kept
    "plain.txt": "plain.txt",
    "with spaces; and, signs = 'all' of them.txt": "with spaces; and, signs = 'all' of them.txt",
    "%22quoted%22.txt": '"quoted".txt',
    r"old \"quoted\".txt": 'old "quoted".txt',
    "new%0D%0Aline%0a.txt": "newline.txt",
    "tab\there.txt": "tabhere.txt",
    "../../etc/passwd": "passwd",
    r"C:\\Users\\me\\report.pdf": "report.pdf",
    r"C:\Users\me\report.pdf": "report.pdf",
    "folder/": "file",
    "..": "file",
    ".": "file",
    "": "file",
    "   ": "file",
    ".hidden": ".hidden",
    "100%25 sure.txt": "100%25 sure.txt",
    "🎉 Prüfung 日本語.txt": "🎉 Prüfung 日本語.txt",
    "family 👨‍👩‍👧.png": "family 👨‍👩‍👧.png",
    "x" * 251 + ".tar": "x" * 251 + ".tar",
    "folder/" * 40 + "y" * 255: "y" * 255,
}


@pytest.mark.parametrize(("sent", "kept"), SENT.items())
async def test_a_name_is_kept_as_sent_less_path_parts_and_control_characters(
    world: World, sent: str, kept: str
) -> None:
    board = await world.board()
    file = await upload(world, await world.card(board), board.field("attachments"), file_name=sent)
    assert file["name"] == kept
    header = (await world.sa.get(f"/files/{file['id']}/content")).headers["Content-Disposition"]
    plain, _, extended = header.partition("; filename*=UTF-8''")
    assert plain.startswith('attachment; filename="')
    assert plain.endswith('"')
    assert plain.count('"') == 2
    assert plain.isascii()
    assert unquote(extended) == kept


async def test_a_file_without_a_name_is_called_file(world: World) -> None:
    board = await world.board()
    file = await upload(world, await world.card(board), board.field("attachments"), file_name=None)
    assert file["name"] == "file"


async def test_an_extended_name_wins(world: World) -> None:
    board = await world.board()
    place = target(await world.card(board), board.field("attachments"))
    line = b'--a-boundary\r\ncontent-disposition: form-data; filename="a"; name=file; '
    line += b"filename*=utf-8'en'%e2%82%ac%20%22rates%22.txt\r\n\r\ncontent\r\n"
    assert (await send(world.sa, place, line)).ok()["name"] == '€ "rates".txt'


async def test_a_name_that_is_too_long_is_refused_instead_of_cut(world: World) -> None:
    board = await world.board()
    place = target(await world.card(board), board.field("attachments"))
    for name in ("x" * 252 + ".tar", "folder/" + "y" * 256):
        assert (await send(world.sa, place, blob(file_name=name))).invalid() == ["file"]


def test_names_never_break_their_header() -> None:
    assert sanitize_name("a\x00b\x85c\u2028d\x7f") == "abcd"
    assert (
        format_disposition("inline", 'a"\\\r\n%é;')
        == "inline; filename=\"a_______\"; filename*=UTF-8''a%22%5C%0D%0A%25%C3%A9%3B"
    )


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("image/svg+xml", "image/svg+xml"),
        ("Text/HTML; charset=utf-8", "text/html"),
        ("multipart/related", "multipart/related"),
        ("application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text"),
        (None, "application/octet-stream"),
        ("nonsense", "application/octet-stream"),
        ("text/", "application/octet-stream"),
        ("te xt/html", "application/octet-stream"),
        ("text/html\tx", "application/octet-stream"),
        ("a/" + "b" * 101, "application/octet-stream"),
    ],
)
async def test_any_type_is_taken_and_what_is_none_is_a_stream_of_bytes(
    world: World, sent: str | None, kept: str
) -> None:
    board = await world.board()
    file = await upload(world, await world.card(board), board.field("attachments"), mime_type=sent)
    assert file["mimeType"] == kept
    answer = await world.sa.get(f"/files/{file['id']}/content")
    assert (answer.headers["Content-Type"], answer.body) == (kept, b"content")


async def test_a_name_in_another_encoding_is_no_reason_to_refuse(world: World) -> None:
    board = await world.board()
    part = head("file", "NAME", "text/plain").replace(b"NAME", b"caf\xe9.txt") + b"content\r\n"
    place = target(await world.card(board), board.field("attachments"))
    assert (await send(world.sa, place, part)).ok()["name"] == "caf\ufffd.txt"
    assert (await send(world.sa, place, blob(file_name="ok"))).ok()["name"] == "ok"
