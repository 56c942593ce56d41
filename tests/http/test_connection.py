"""Misbehaving connections do not affect others: incomplete requests, compressed bodies, unread responses."""

import asyncio
import gzip
import json
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest

from service.http import connection, request_body
from service.runtime import memory_budget

from .. import forms, raw_http, walk
from ..world import Client, World

ANSWER_TIMEOUT_SECONDS = 15  # after which a test gives up
LARGE = "x" * 100_000


def head(method: str, path: str, who: Client | None = None, **fields: Any) -> bytes:
    lines = [f"{method} /api/v1{path} HTTP/1.1", "Host: tandem", "Content-Type: application/json"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    lines += [f"{name}: {value}" for name, value in (who.headers if who else {}).items()]
    return "\r\n".join([*lines, "", ""]).encode()


async def read_to_end(reader: asyncio.StreamReader) -> bytes:
    """Return what still comes up to the end of the connection, whichever way it ends."""
    read = bytearray()
    async with asyncio.timeout(ANSWER_TIMEOUT_SECONDS):
        try:
            while chunk := await reader.read(1 << 16):
                read += chunk
        except ConnectionError:
            pass
    return bytes(read)


async def send_without_reading(world: World, request: bytes) -> socket.socket:
    """Send requests on a connection whose answers nobody takes, as few as may be in the kernel's hands."""
    address = urlsplit(world.url)
    sender = socket.socket()
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sender.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(sender, (address.hostname, address.port))
    await loop.sock_sendall(sender, request)
    return sender


async def wait_until_closed(sender: socket.socket) -> None:
    """Wait until the service has given the connection up: to send on it fails."""
    async with asyncio.timeout(ANSWER_TIMEOUT_SECONDS):
        while True:
            await asyncio.sleep(0.1)
            try:
                sender.send(b"x")
            except BlockingIOError:
                continue
            except OSError:
                return


async def until(reached: Callable[[], bool]) -> None:
    for _ in range(ANSWER_TIMEOUT_SECONDS * 100):
        if reached():
            return
        await asyncio.sleep(0.01)
    raise TimeoutError


async def large_card(world: World, by: Client | None = None) -> Any:
    board = await world.board(by)
    return await world.card(board, by=by, fieldValues=[{"fieldId": board.field("description"), "value": LARGE}])


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "identity"])
async def test_every_route_refuses_a_compressed_body_before_anything_else(world: World, encoding: str) -> None:
    packed = {"data": gzip.compress(b"{}"), "headers": {"Content-Encoding": encoding}, "skip_auto_headers": []}
    answers = [(walk.name(route), await walk.send(world.nobody, route, {}, **packed)) for route in walk.with_bodies()]
    for path in ("/files", "/files/mcp", "/admin/import", "/nowhere"):
        answers.append((path, await world.nobody.post(path, **packed)))
    assert walk.list_unexpected(answers, (415, "unsupported_media_type")) == []


async def test_the_tool_server_refuses_a_compressed_body_too(world: World) -> None:
    head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n{}"
    answer = await raw_http.send(world.url, head)
    answer.refused(415, "unsupported_media_type")
    assert answer.headers["Connection"] == "close"
    assert answer.headers["Accept-Encoding"] == "identity"


@pytest.mark.slow
async def test_a_compressed_body_is_refused(world: World) -> None:
    body = raw_http.make_bomb(1 << 28)
    request = head("POST", "/auth/login", Content_Encoding="gzip", Content_Length=len(body)) + body
    async with raw_http.sent(world.url, request) as reader:
        (await raw_http.read_answer(reader)).refused(415, "unsupported_media_type")
        assert await read_to_end(reader) == b""


async def test_who_is_refused_early_reads_why_though_still_sending_and_the_connection_ends(world: World) -> None:
    size = 8 << 20
    request = head("PATCH", "/cards/none", Content_Length=size) + b"x" * (size - 1)
    async with raw_http.sent(world.url, request) as reader:
        answer = await raw_http.read_answer(reader)
        answer.refused(401, "unauthorized")
        assert answer.headers["Connection"] == "close"
        assert await read_to_end(reader) == b""


async def test_an_early_refusal_does_not_wait_for_the_rest_of_the_body(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "LINGER_SECONDS", 60)
    monkeypatch.setattr(connection, "LINGER_IDLE_SECONDS", 0.1)
    async with raw_http.sent(world.url, head("PATCH", "/cards/none", Content_Length=1000) + b"half") as reader:
        (await raw_http.read_answer(reader)).refused(401, "unauthorized")
        assert await read_to_end(reader) == b""


async def test_who_goes_on_sending_after_a_refusal_is_cut_off(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LINGER_SECONDS", 0.5)
    sender = await send_without_reading(world, head("PATCH", "/cards/none", Content_Length=1 << 40))
    await wait_until_closed(sender)
    sender.close()


@pytest.mark.slow
async def test_a_body_without_progress_times_out_on_every_kind_of_route(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_body, "IDLE_TIMEOUT_SECONDS", 0.2)
    card = await world.card(await world.board())
    field = {"fieldId": "f", "value": "v"}
    for method, path, kind in (
        ("PATCH", f"/cards/{card['id']}", "application/json"),
        ("POST", "/auth/login", "application/json"),
        ("POST", "/files", "multipart/form-data; boundary=b"),
        ("POST", "/admin/import", "application/json"),
        ("POST", "/admin/import", "multipart/form-data; boundary=b"),
    ):
        request = head(method, path, world.sa, Content_Length=1000).replace(b"application/json", kind.encode())
        async with raw_http.sent(world.url, request + json.dumps(field).encode()) as reader:
            (await raw_http.read_answer(reader)).refused(408, "request_timeout")
            assert await read_to_end(reader) == b""


async def test_a_body_that_arrives_byte_by_byte_times_out(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_body, "BODY_TIMEOUT_SECONDS", 0.5)
    monkeypatch.setattr(connection, "LINGER_SECONDS", 0.5)
    card = await world.card(await world.board())
    sender = await send_without_reading(world, head("PATCH", f"/cards/{card['id']}", world.sa, Content_Length=1000))
    await wait_until_closed(sender)  # which sends a byte from time to time
    sender.close()


def _total(world: World, name: str) -> float:
    """Return the sum of all series of a counter."""
    metrics = world.service.counters.registry.collect()
    return sum(sample.value for metric in metrics if metric.name == name for sample in metric.samples)


@pytest.mark.parametrize("path", ["/files", "/organizations", "/admin/import", "/auth/login"])
async def test_a_client_that_leaves_before_the_end_of_its_body_is_no_failure_of_the_service(
    world: World, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert world.service is not None
    before = _total(world, "tandem_requests")
    request = head("POST", path, world.sa, Content_Length=5000) + b'{"title": '
    if path == "/files":
        request = request.replace(b"application/json", forms.FORM.encode()) + b"\r\n" + forms.head("file", "a")
    async with raw_http.sent(world.url, request):
        await asyncio.sleep(0.1)
    (await world.sa.get("/auth/me")).ok()
    await asyncio.sleep(0.1)
    assert _total(world, "tandem_requests") == before + 1
    assert _total(world, "tandem_errors") == 0
    assert caplog.messages == []


async def test_no_upload_takes_longer_than_an_hour(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_body, "TRANSFER_TIMEOUT_SECONDS", 0.3)
    request = head("POST", "/admin/import", world.sa, Content_Length=1000)
    async with raw_http.sent(world.url, request) as reader:
        (await raw_http.read_answer(reader)).refused(408, "request_timeout")


async def test_half_a_head_is_kept_for_a_moment_only(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEAD_TIMEOUT_SECONDS", 0.5)
    async with raw_http.sent(world.url, b"GET /api/v1/auth/me HTTP/1.1\r\nHost: tan") as reader:
        assert await read_to_end(reader) == b""


async def test_a_head_may_have_64_kib(world: World) -> None:
    fields = {f"X-Field-{number}": "x" * 8000 for number in range(7)}
    (await raw_http.send(world.url, head("GET", "/nowhere", **fields))).refused(404, "not_found")
    fields |= {f"X-More-{number}": "x" * 8000 for number in range(90)}
    request = head("GET", "/nowhere", **fields)[:-2]  # so that it never ends
    async with raw_http.sent(world.url, request) as reader:
        (await raw_http.read_answer(reader)).refused(400, "bad_request")
        assert await read_to_end(reader) == b""


async def test_a_body_is_not_taken_for_a_head(world: World) -> None:
    comment = {"content": "x" * 19_000}
    card = await world.card(await world.board())
    body = json.dumps({"title": "T", "fieldValues": [{"fieldId": "none", "value": LARGE}] * 8}).encode()
    request = head("PATCH", f"/cards/{card['id']}", world.sa, Content_Length=len(body))
    async with raw_http.sent(world.url, request) as reader:
        await asyncio.sleep(0.1)
        assert not reader.at_eof()
    async with raw_http.sent(world.url, request + body) as reader:
        assert (await raw_http.read_answer(reader)).invalid()
    (await world.sa.post(f"/cards/{card['id']}/comments", comment)).ok()


@pytest.mark.slow
async def test_an_answer_of_which_nothing_is_taken_is_ended(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "SEND_TIMEOUT_SECONDS", 1)
    card = await large_card(world)
    senders = [await send_without_reading(world, head("GET", f"/cards/{card['id']}", world.sa) * 200) for _ in range(3)]
    await until(lambda: world.service.in_flight_bytes.total > 0)
    for sender in senders:
        await wait_until_closed(sender)
        sender.close()
    await until(lambda: world.service.in_flight_bytes.total == 0)


@pytest.mark.slow
async def test_who_takes_an_answer_slowly_gets_all_of_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "SEND_TIMEOUT_SECONDS", 1)
    card = await large_card(world)
    times, read = 20, 0
    sender = await send_without_reading(world, head("GET", f"/cards/{card['id']}", world.sa) * times)
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(60):
        while read < times * len(LARGE):
            chunk = await loop.sock_recv(sender, 1 << 16)
            assert chunk
            read += len(chunk)
            await asyncio.sleep(0.02)
    sender.close()


async def test_a_caller_with_too_many_unread_bytes_is_refused_and_others_are_not(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = await large_card(world)
    monkeypatch.setattr(memory_budget, "CALLER_BYTES_MAX", 150_000)
    path = f"/cards/{card['id']}"
    sender = await send_without_reading(world, head("GET", path, world.sa) * 200)
    await until(lambda: world.service.in_flight_bytes.total > 0)
    answer = await world.sa.get(path)
    answer.refused(503, "overloaded")
    assert int(answer.headers["Retry-After"]) > 0
    (await world.sa.get("/auth/me")).ok()  # small answers are not held
    (await world.member.get(path)).ok()
    sender.close()
    await until(lambda: world.service.in_flight_bytes.total == 0)
    (await world.sa.get(path)).ok()


async def test_bodies_on_their_way_count_as_well(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_budget, "CALLER_BYTES_MAX", 1_500_000)
    card = await world.card(await world.board())
    request = head("PATCH", f"/cards/{card['id']}", world.member, Content_Length=1_000_000)
    async with raw_http.sent(world.url, request + b"{"):
        await until(lambda: world.service.in_flight_bytes.total > 0)
        async with raw_http.sent(world.url, request + b"{") as reader:
            (await raw_http.read_answer(reader)).refused(503, "overloaded")
        (await world.sa.patch(f"/cards/{card['id']}", {"title": "By another"})).ok()


async def test_an_organization_may_have_as_many_unread_bytes_as_remain_free(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = {who.id: f"/cards/{(await large_card(world, who))['id']}" for who in (world.sa, world.outsider)}
    monkeypatch.setattr(memory_budget, "TOTAL_BYTES_MAX", 450_000)
    path = paths[world.sa.id]
    senders = [await send_without_reading(world, head("GET", path, world.sa) * 200) for _ in range(2)]
    await until(lambda: world.service.in_flight_bytes.total >= 200_000)
    answer = await world.member.get(path)  # the first of this caller
    answer.refused(503, "overloaded")
    assert int(answer.headers["Retry-After"]) > 0
    (await world.member.get("/auth/me")).ok()
    (await world.outsider.get(paths[world.outsider.id])).ok()
    for sender in senders:
        sender.close()
    await until(lambda: world.service.in_flight_bytes.total == 0)
    (await world.member.get(path)).ok()


async def test_the_unread_bytes_of_all_callers_have_a_limit(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path = f"/cards/{(await large_card(world))['id']}"
    monkeypatch.setattr(memory_budget, "TOTAL_BYTES_MAX", 190_000)
    (await world.sa.get(path)).refused(503, "overloaded")


async def test_a_write_whose_answer_has_no_room_changes_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    card = await large_card(world)
    path = f"/cards/{card['id']}"
    monkeypatch.setattr(memory_budget, "TOTAL_BYTES_MAX", 190_000)
    (await world.sa.patch(path, {"title": "Another"})).refused(503, "overloaded")
    monkeypatch.undo()
    assert (await world.sa.get(path)).ok() == card
    assert world.service.in_flight_bytes.total == 0
    assert (await world.sa.patch(path, {"title": "Another"})).ok()["title"] == "Another"
    assert len(await world.history(card["id"])) == 2


async def test_an_answer_to_a_write_is_counted_once(world: World) -> None:
    path = f"/cards/{(await large_card(world))['id']}"
    body = b'{"title": "A third"}'
    sender = await send_without_reading(world, (head("PATCH", path, world.sa, Content_Length=len(body)) + body) * 200)
    await until(lambda: world.service.in_flight_bytes.total > 0)
    await asyncio.sleep(1)  # the system takes no more by then
    assert 100_000 < world.service.in_flight_bytes.total < 150_000
    sender.close()
    await until(lambda: world.service.in_flight_bytes.total == 0)
