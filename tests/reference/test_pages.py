"""The pages of the reference: whole without script, small, and every link in them leads somewhere."""

import re
from collections.abc import AsyncIterator
from html.parser import HTMLParser
from urllib.parse import urldefrag

import pytest_asyncio

from service import resources
from service.http.static_files import CONTENT_SECURITY_POLICY
from service.reference import openapi

from ..world import World

assert resources  # importing them fills the table
DOCUMENT = openapi.document()
INDEX = "/api/docs"
PAGE_BYTES_MAX = 120_000


class Read(HTMLParser):
    """Collects what a page would fetch, where it leads, and the places in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.links: list[str] = []
        self.places: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        if tag in ("script", "link", "img", "iframe", "object", "embed", "video", "audio", "source"):
            self.fetched.append(named.get("src") or named.get("href") or "inline")
        self.links += [named["href"]] if tag == "a" else []
        self.places += [named["id"]] if "id" in named else []
        assert not {"style", "onclick", "onload"} & named.keys()


@pytest_asyncio.fixture
async def pages(world: World) -> AsyncIterator[dict[str, Read]]:
    """All pages of the reference, by their address, as anyone gets them."""
    found = {}
    for address in (INDEX, *(f"{INDEX}/{tag['name']}" for tag in DOCUMENT["tags"])):
        async with world.nobody.http.get(world.url + address) as response:
            assert response.status == 200, address
            assert response.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
            assert response.headers["Content-Type"] == "text/html; charset=utf-8"
            text = await response.text()
        assert len(text.encode()) <= PAGE_BYTES_MAX, address
        assert "url(" not in text
        found[address] = Read(text)
    yield found


async def test_every_operation_is_on_the_index_and_whole_on_the_page_of_its_noun(pages: dict[str, Read]) -> None:
    for methods in DOCUMENT["paths"].values():
        for operation in methods.values():
            address = f"{INDEX}/{operation['tags'][0]}"
            assert f"{address}#{operation['operationId']}" in pages[INDEX].links
            assert operation["operationId"] in pages[address].places


async def test_every_link_leads_somewhere_and_nothing_comes_from_outside(pages: dict[str, Read], world: World) -> None:
    others = set()
    for address, page in pages.items():
        assert len(page.places) == len(set(page.places)), address
        for link in page.links:
            target, place = urldefrag(link)
            if (known := pages.get(target or address)) is None:
                others.add(target)
            else:
                assert not place or place in known.places, (address, link)
        others.update(page.fetched)
    for path in others:
        assert re.match(r"/(?!/)", path), path
        async with world.nobody.http.get(world.url + path) as response:
            assert response.status == 200
            assert path == "/" or "html" not in response.headers["Content-Type"], path


async def test_pages_are_sent_compressed_and_not_again_to_clients_that_have_them(world: World) -> None:
    for path in (INDEX, f"{INDEX}/cards", "/api/v1/openapi.json"):
        async with world.nobody.http.get(world.url + path, headers={"Accept-Encoding": "gzip"}) as response:
            assert response.headers["Content-Encoding"] == "gzip"
            tag = response.headers["ETag"]
        headers = {"If-None-Match": tag, "Accept-Encoding": "gzip"}
        async with world.nobody.http.get(world.url + path, headers=headers) as response:
            assert response.status == 304


async def test_the_page_of_an_unknown_resource_is_404(world: World) -> None:
    for resource in ("nothing", "..%2f..", "cards%00"):
        async with world.nobody.http.get(f"{world.url}{INDEX}/{resource}") as response:
            assert response.status == 404, resource
            assert (await response.json())["error"]["code"] == "not_found"


async def test_a_key_of_a_body_is_described_with_its_bounds(world: World) -> None:
    async with world.nobody.http.get(f"{world.url}{INDEX}/comments") as response:
        text = await response.text()
    row = re.search(r"<tr><td><code>content</code></td>.*?</tr>", text)
    assert row
    assert "required" in row[0]
    assert "at most <code>20000</code> characters" in row[0]
    assert 'data-name="cardId" data-in="path" data-must="required"' in text
