"""The guard: no request leaves for a private address, however the address came about."""

import asyncio
import contextlib
import datetime
import socket
import ssl
import threading
import time
from collections.abc import AsyncIterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from service.delivery.lookups import Lookup, look_up
from service.delivery.outbound import Outbound, Reply, check_url, is_public

from ..receivers import receiving

BROKEN = Reply(error="the connection broke, or the answer was not valid HTTP")
REFUSED = "the host has no public address"
PUBLIC = ["1.1.1.1", "93.184.216.34", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
PRIVATE = [
    *["0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254"],  # noqa: S104
    *["169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.168.255.255", "198.18.0.1"],
    *["203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16"],
    *["::", "::1", "::127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b:1::1"],
    *["fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "2001:db8::1", "2001::1", "2002:7f00:1::"],
    *["100::1", "4000::1"],
]


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_open_internet_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_is_not_of_the_open_internet_is_not(address: str) -> None:
    assert not is_public(ip_address(address))


def answering(*addresses: str) -> Lookup:
    """Be a name server that answers these addresses."""

    def lookup(host: str, port: int) -> list[Any]:
        families = {False: socket.AF_INET, True: socket.AF_INET6}
        return [(families[":" in one], socket.SOCK_STREAM, 6, "", (one, port)) for one in addresses]

    return lookup


@contextlib.asynccontextmanager
async def guarded(lookup: Lookup = look_up, allow_private: bool = False, **more: Any) -> AsyncIterator[Outbound]:
    outbound = Outbound(allow_private, lookup, **more)
    try:
        yield outbound
    finally:
        await outbound.close()


async def post(outbound: Outbound, url: str) -> Reply:
    return await outbound.post(url, b"{}", {})


@pytest.mark.parametrize("address", ["127.0.0.1", "::ffff:127.0.0.1", "10.1.2.3", "fd00::1", "169.254.169.254"])
async def test_a_name_that_turns_out_to_be_private_is_refused(address: str) -> None:
    async with receiving() as receiver, guarded(answering(address)) as outbound:
        reply = await post(outbound, receiver.url.replace("127.0.0.1", "hooks.test"))
        assert reply.status is None
        assert reply.error == REFUSED
        assert receiver.requests == []


async def test_a_name_with_a_private_address_among_others_never_leads_there() -> None:
    async with receiving() as receiver, guarded(answering("127.0.0.1", "::1", "10.0.0.1")) as outbound:
        assert REFUSED in str((await post(outbound, receiver.url.replace("127.0.0.1", "hooks.test"))).error)
        assert receiver.requests == []


async def test_a_name_whose_answer_changes_is_judged_by_the_answer_that_is_used() -> None:
    answers = ["127.0.0.1", "192.52.193.1"]  # the last one first: public, and nobody is there

    def lookup(host: str, port: int) -> list[Any]:
        return answering(answers.pop())(host, port)

    async with receiving() as receiver, guarded(lookup, timeout_seconds=0.2) as outbound:
        url = receiver.url.replace("127.0.0.1", "hooks.test")
        replies = [await post(outbound, url)]
        async with asyncio.timeout(10):
            while answers:  # an answer holds for a second
                replies.append(await post(outbound, url))
        assert REFUSED not in str(replies[0].error)
        assert REFUSED in str(replies[-1].error)
        assert receiver.requests == []


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.0.0.1.", "localhost"]
)
async def test_an_address_that_is_written_out_is_judged_as_well(host: str) -> None:
    async with receiving() as receiver, guarded() as outbound:
        reply = await post(outbound, receiver.url.replace("127.0.0.1", host))
        assert reply.status is None
        assert reply.error
        assert receiver.requests == []


async def test_with_the_guard_off_private_addresses_are_reached() -> None:
    async with receiving() as receiver, guarded(answering("127.0.0.1"), allow_private=True) as outbound:
        assert await post(outbound, receiver.url) == Reply(200)
        assert await post(outbound, receiver.url.replace("127.0.0.1", "hooks.test")) == Reply(200)


async def test_a_redirect_is_not_followed() -> None:
    async with receiving() as inside, guarded(allow_private=True) as outbound:
        for status in (301, 302, 303, 307, 308):
            async with receiving(status=status, headers={"Location": inside.url}) as receiver:
                reply = await post(outbound, receiver.url)
                assert reply == Reply(status, f"the receiver answered {status}, and redirects are not followed")
        assert inside.requests == []


async def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with receiving() as proxy, receiving() as receiver, guarded(allow_private=True) as outbound:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        assert await post(outbound, receiver.url) == Reply(200)
        assert proxy.requests == []


async def test_cookies_are_not_kept() -> None:
    async with receiving(headers={"Set-Cookie": "a=b"}) as receiver, guarded(allow_private=True) as outbound:
        for _ in range(2):
            await post(outbound, receiver.url)
        assert ["Cookie" in one.headers for one in receiver.requests] == [False, False]


async def test_an_unanswered_form_times_out() -> None:
    async with receiving(hangs=True) as receiver, guarded(allow_private=True, timeout_seconds=0.2) as outbound:
        assert await post(outbound, receiver.url) == Reply(error="no answer within 0.2 seconds")


async def _talk(text: bytes, times: int) -> tuple[asyncio.Server, str]:
    """Answer each connection with bytes, a number of times over, whatever it asks."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            await reader.readuntil(b"\r\n\r\n")
            for _ in range(times):
                writer.write(text)
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    return server, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@pytest.mark.parametrize(
    ("text", "times", "reply"),
    [
        (b"HTTP/1.1 100 Continue\r\n\r\n", 1_000_000, Reply(error="no answer within 1 seconds")),
        (b"nonsense\r\n\r\n", 1, BROKEN),
        (b"", 1, BROKEN),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000, 1, BROKEN),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\n" + b"x" * 65536, 1, Reply(200)),
    ],
)  # fmt: skip
async def test_malformed_webhook_responses_are_handled(text: bytes, times: int, reply: Reply) -> None:
    server, url = await _talk(text, times)
    async with server, guarded(allow_private=True, timeout_seconds=1.0) as outbound:
        assert await post(outbound, url) == reply


async def test_an_endless_answer_is_not_read() -> None:
    server, url = await _talk(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 1)
    async with server, guarded(allow_private=True) as outbound:
        started = time.monotonic()
        assert await post(outbound, url) == Reply(200)
        assert time.monotonic() - started < 5


async def test_a_name_that_is_not_known_is_told_from_no_name_inside() -> None:
    def unknown(host: str, port: int) -> list[Any]:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    async with guarded(unknown) as outbound:
        assert await post(outbound, "http://hooks.test/") == Reply(error=REFUSED)
    async with guarded() as outbound:
        assert (await post(outbound, f"http://{'a' * 70}.test/")).error  # no name server takes such a name


async def test_nobody_there_is_said_to_be_so() -> None:
    async with receiving() as receiver:
        url = receiver.url
    async with guarded(allow_private=True) as outbound:
        assert await post(outbound, url) == Reply(error="no connection to the host")


async def test_a_name_server_that_hangs_delays_nobody_else_and_is_asked_once() -> None:
    asked, released = [], threading.Event()

    def lookup(host: str, port: int) -> list[Any]:
        asked.append(host)
        if host == "slow.test":
            released.wait(20)
        return answering("127.0.0.1")(host, port)

    async with receiving() as receiver, guarded(lookup, allow_private=True, timeout_seconds=5.0) as outbound:
        slow = [asyncio.create_task(post(outbound, "http://slow.test/")) for _ in range(50)]
        quick = [post(outbound, receiver.url.replace("127.0.0.1", f"{n}.test")) for n in range(20)]
        assert await asyncio.gather(*quick) == [Reply(200)] * 20
        assert asked.count("slow.test") == 1
        for task in slow:
            task.cancel()
        released.set()


def _certificate(folder: Path) -> Path:
    """Make a certificate that nobody has reason to trust."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    day = datetime.datetime(2026, 1, 1)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, day, day + datetime.timedelta(3650))
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    text = builder.sign(key, hashes.SHA256()).public_bytes(pem)
    text += key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    path = folder / "certificate.pem"
    path.write_bytes(text)
    return path


async def test_a_certificate_that_cannot_be_trusted_is_not(tmp_path: Path) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(_certificate(tmp_path))
    server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0, ssl=context)
    url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, guarded(allow_private=True) as outbound:
        reply = await post(outbound, url)
    assert reply == Reply(error="no secure connection: the certificate or the TLS version was not accepted")


@pytest.mark.parametrize("url", ["http://127.1/", "http://2130706433", "http://0x7f000001/", "http://0177.0.0.1:80/"])
def test_an_old_notation_of_an_address_is_refused_even_if_it_were_public(url: str) -> None:
    with pytest.raises(ValueError, match="four decimal numbers"):
        check_url(url)


@pytest.mark.parametrize(
    "url", ["https://hooks.test", "http://8.8.8.8:8080/a?b=c", "https://[2606:4700::1111]/", "http://bücher.test/"]
)
def test_a_good_address_is_kept_as_it_is(url: str) -> None:
    assert check_url(url) == url
