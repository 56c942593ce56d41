"""Files: contents as they are sent back, whole, in ranges, and only if they changed."""

from typing import Any

import pytest

from ..forms import find_contents, upload
from ..world import Answer, World

CONTENT = bytes(range(256)) * 4096  # 1 MiB


async def _file(world: World, content: bytes = b"0123456789", **file: Any) -> Any:
    board = await world.board()
    return await upload(world, await world.card(board), board.field("attachments"), content, **file)


async def _content(world: World, file: Any, method: str = "GET", query: str = "", **headers: str) -> Answer:
    return await world.sa.call(method, f"/files/{file['id']}/content{query}", headers=headers)


async def test_contents_come_back_with_all_that_says_what_they_are(world: World) -> None:
    answer = await _content(world, file := await _file(world, CONTENT, mime_type="image/png"))
    assert (answer.status, answer.body) == (200, CONTENT)
    assert answer.headers["Content-Type"] == "image/png"
    assert answer.headers["Content-Length"] == str(len(CONTENT))
    assert answer.headers["ETag"] == f'"{file["id"]}"'
    assert answer.headers["Last-Modified"].endswith(" GMT")
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert answer.headers["Content-Disposition"] == "attachment; filename=\"a.txt\"; filename*=UTF-8''a.txt"
    assert answer.headers["X-Request-Id"]


@pytest.mark.parametrize("query", ["", "?inline=1"])
@pytest.mark.parametrize("mime_type", ["text/html", "image/svg+xml", "application/javascript", "text/xml"])
async def test_no_contents_run_script_in_the_services_origin(world: World, mime_type: str, query: str) -> None:
    page = b"<script>alert(1)</script>"
    answer = await _content(world, await _file(world, page, mime_type=mime_type, file_name="x.html"), query=query)
    assert (answer.body, answer.headers["Content-Type"]) == (page, mime_type)
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    kind = answer.headers["Content-Disposition"].partition(";")[0]
    assert kind == ("inline" if query else "attachment")


async def test_a_pdf_can_be_shown_and_is_never_anything_else(world: World) -> None:
    page, sandbox = b"<script>alert(1)</script>", "default-src 'none'; sandbox"
    shown = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"  # no browser shows one in a sandbox
    for mime_type, name, policy in (
        ("application/pdf", "x.html", shown),
        ("text/html", "x.pdf", sandbox),
        ("application/pdf+xml", "x.pdf", sandbox),
        ("application/xhtml+xml", "application/pdf", sandbox),
    ):
        file = await _file(world, page, mime_type=mime_type, file_name=name)
        link = (await world.sa.post(f"/files/{file['id']}/link")).ok()["url"].removeprefix("/api/v1")
        for answer in (await _content(world, file, query="?inline=1"), await world.nobody.get(f"{link}&inline=1")):
            assert answer.headers["Content-Type"] == file["mimeType"]
            assert answer.headers["Content-Security-Policy"] == policy, mime_type
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Content-Disposition"].startswith("inline;")
        answer = await world.nobody.get(link)
        assert answer.headers["Content-Security-Policy"] == sandbox  # it is downloaded
        assert answer.headers["Content-Disposition"].startswith("attachment;")


CODE = ["script", "style", "worker", "sharedworker", "serviceworker", "audioworklet", "paintworklet", "xslt", "Script"]


@pytest.mark.parametrize("destination", CODE)
async def test_no_browser_can_run_contents_as_code_of_the_page(world: World, destination: str) -> None:
    file, asked = await _file(world, b"alert(1)", mime_type="text/javascript"), {"Sec-Fetch-Dest": destination}
    link = (await world.sa.post(f"/files/{file['id']}/link")).ok()["url"].removeprefix("/api/v1")
    agent = await world.agent()
    for who, path in (
        (world.sa, f"/files/{file['id']}/content"),
        (world.sa, f"/files/{file['id']}/content?inline=1"),
        (agent, f"/files/{file['id']}/content/mcp"),
        (world.nobody, f"{link}&inline=1"),
    ):
        for known in ({}, {"If-None-Match": f'"{file["id"]}"'}, {"Range": "bytes=0-3"}):
            answer = await who.get(path, headers=asked | known)
            answer.refused(403, "permission_denied")
        assert (await who.call("HEAD", path, headers=asked)).status == 403
        assert (await who.get(path)).headers["Vary"] == "Sec-Fetch-Dest"


async def test_whoever_may_not_read_a_file_is_told_nothing_by_its_destination(world: World) -> None:
    file = await _file(world)
    for file_id in (file["id"], "file_none"):
        answer = await world.outsider.get(f"/files/{file_id}/content", headers={"Sec-Fetch-Dest": "script"})
        answer.refused(404, "not_found")


@pytest.mark.parametrize("destination", ["", "empty", "document", "iframe", "image", "audio", "video", "track"])
async def test_contents_are_shown_and_downloaded_as_before(world: World, destination: str) -> None:
    answer = await _content(world, await _file(world), query="?inline=1", **{"Sec-Fetch-Dest": destination})
    assert answer.ok() == b"0123456789"


async def test_inline_is_a_switch_and_nothing_else_is_taken(world: World) -> None:
    file = await _file(world)
    assert (await _content(world, file, query="?inline=0")).headers["Content-Disposition"].startswith("attachment")
    (await _content(world, file, query="?inline=maybe")).refused(400, "validation_failed")
    (await _content(world, file, query="?download=1")).refused(400, "validation_failed")


@pytest.mark.parametrize(
    ("asked", "start", "stop"),
    [("0-0", 0, 1), ("2-4", 2, 5), ("5-", 5, 10), ("0-", 0, 10), ("-3", 7, 10), ("-99", 0, 10), ("8-99", 8, 10)],
)
async def test_a_range_gives_that_part(world: World, asked: str, start: int, stop: int) -> None:
    answer = await _content(world, await _file(world), Range=f"bytes={asked}")
    assert (answer.status, answer.body) == (206, b"0123456789"[start:stop])
    assert answer.headers["Content-Range"] == f"bytes {start}-{stop - 1}/10"
    assert answer.headers["Content-Length"] == str(stop - start)
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"


@pytest.mark.parametrize("asked", ["10-", "10-20", "-0", "999999999999-"])
async def test_a_range_outside_is_refused_with_the_size(world: World, asked: str) -> None:
    answer = await _content(world, await _file(world), Range=f"bytes={asked}")
    assert answer.refused(416, "range_not_satisfiable") == {"sizeBytes": 10}
    assert answer.headers["Content-Range"] == "bytes */10"


@pytest.mark.parametrize("asked", ["bytes=5-2", "bytes=-", "bytes=a-b", "lines=1-2", "bytes=0-1,3-4", "bytes 0-1", ""])
async def test_a_range_that_is_none_or_several_gives_the_whole(world: World, asked: str) -> None:
    answer = await _content(world, await _file(world), Range=asked)
    assert (answer.status, answer.body) == (200, b"0123456789")
    assert "Content-Range" not in answer.headers


async def test_a_large_range_comes_in_pieces(world: World) -> None:
    answer = await _content(world, await _file(world, CONTENT), Range="bytes=1-1000000")
    assert (answer.status, answer.body) == (206, CONTENT[1:1000001])


async def test_contents_that_the_client_has_are_not_sent_again(world: World) -> None:
    file = await _file(world)
    whole = await _content(world, file)
    tag, modified = whole.headers["ETag"], whole.headers["Last-Modified"]
    for headers in (
        {"If-None-Match": tag},
        {"If-None-Match": f'"other", W/{tag}'},
        {"If-None-Match": "*"},
        {"If-Modified-Since": modified},
        {"If-None-Match": tag, "Range": "bytes=0-1"},
    ):
        answer = await _content(world, file, **headers)
        assert (answer.status, answer.body, answer.headers["ETag"]) == (304, None, tag)
    for headers in (
        {"If-None-Match": '"other"'},
        {"If-None-Match": '"other"', "If-Modified-Since": modified},
        {"If-Modified-Since": "Fri, 01 Jan 2010 00:00:00 GMT"},
        {"If-Modified-Since": "nonsense"},
    ):
        assert (await _content(world, file, **headers)).status == 200


async def test_a_range_may_depend_on_the_contents_being_the_same(world: World) -> None:
    file = await _file(world)
    whole = await _content(world, file)
    for condition in (whole.headers["ETag"], whole.headers["Last-Modified"]):
        answer = await _content(world, file, Range="bytes=2-3", **{"If-Range": condition})
        assert (answer.status, answer.body) == (206, b"23")
    for condition in ('"other"', f"W/{whole.headers['ETag']}", "Fri, 01 Jan 2010 00:00:00 GMT"):
        answer = await _content(world, file, Range="bytes=2-3", **{"If-Range": condition})
        assert (answer.status, answer.body) == (200, b"0123456789")


async def test_head_answers_the_headers_alone(world: World) -> None:
    file = await _file(world)
    whole = await _content(world, file)
    answer = await _content(world, file, "HEAD", Range="bytes=0-1")
    assert (answer.status, answer.body) == (200, None)
    for name in ("Content-Length", "Content-Type", "ETag", "Last-Modified", "Content-Disposition", "Accept-Ranges"):
        assert answer.headers[name] == whole.headers[name]


async def test_an_empty_file_has_no_ranges(world: World) -> None:
    file = await _file(world, b"")
    (await _content(world, file, Range="bytes=0-")).refused(416, "range_not_satisfiable")


async def test_lost_or_damaged_contents_are_not_found_and_logged(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    file = await _file(world)
    path = find_contents(world, file)
    path.write_bytes(b"short")
    assert (await _content(world, file)).refused(404, "not_found") == {"resource": "file"}
    path.unlink()
    assert (await _content(world, file)).refused(404, "not_found") == {"resource": "file"}
    assert caplog.text.count(f"the contents of file {file['id']} are missing or incomplete") == 2
    (await world.sa.delete(f"/files/{file['id']}")).ok()
