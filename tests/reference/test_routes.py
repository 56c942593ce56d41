"""The document and its pages are made and compressed once, however many strangers ask for them at the same time."""

import asyncio
import gzip
from collections import Counter
from typing import Any

import brotli
import pytest

from service.http import static_files
from service.http.static_files import StaticFile
from service.reference import openapi

from ..http.test_static_files import fetch_compressed
from ..world import World

PATHS = ("/api/v1/openapi.json", "/api/docs", "/api/docs/cards", "/")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the files that are compressed, by their types, and how often the document is built."""
    found: Counter[str] = Counter()
    create, build = StaticFile.create, openapi.document.__wrapped__

    def count_file(content_type: str, content: bytes) -> StaticFile:
        found[content_type.partition(";")[0]] += 1
        return create(content_type, content)

    def count_document(base_path: str = "") -> Any:
        found["document"] += 1
        return build(base_path)

    monkeypatch.setattr(StaticFile, "create", count_file)
    monkeypatch.setattr(openapi, "document", count_document)
    return found


async def test_strangers_who_come_together_get_the_same_copy(world: World, made: Counter[str]) -> None:
    async def fetch(path: str) -> tuple[int, bytes, str]:
        async with world.nobody.http.get(world.url + path, headers={"Accept-Encoding": "gzip"}) as answer:
            return answer.status, await answer.read(), answer.headers["ETag"]

    answers = await asyncio.gather(*(fetch(path) for path in PATHS * 20))
    assert {status for status, _, _ in answers} == {200}
    assert len(set(answers)) == len(PATHS)
    # The page itself, whose files are made together, and two pages of the reference are HTML.
    assert (made["document"], made["application/json"], made["text/html"]) == (1, 1, 3)
    before = made.copy()
    await asyncio.gather(*(fetch(path) for path in PATHS * 5))
    assert made == before


@pytest.mark.parametrize("path", PATHS[:3])
async def test_the_reference_comes_in_each_encoding_with_a_tag(world: World, path: str) -> None:
    packed, headers = await fetch_compressed(world, path)
    tag = headers["ETag"]
    async with world.nobody.http.get(world.url + path, headers={"Accept-Encoding": "identity"}) as answer:
        plain = await answer.read()
        assert "Content-Encoding" not in answer.headers
    assert brotli.decompress(packed) == plain
    known = {"Accept-Encoding": "br", "If-None-Match": tag}
    async with world.nobody.http.get(world.url + path, headers=known) as answer:
        assert (answer.status, answer.headers["ETag"]) == (304, tag)
    assert len(packed) < len(gzip.compress(plain))


async def test_a_failure_to_make_something_is_not_kept() -> None:
    attempts = 0

    def make() -> int:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            raise OSError("too many open files")
        return attempts

    once = static_files.OnFirstRequest(make)
    with pytest.raises(OSError, match="too many"):
        await once.get()
    assert [await once.get(), await once.get()] == [2, 2]


async def test_who_waits_for_the_first_copy_and_leaves_does_not_end_it() -> None:
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()
    once = static_files.OnFirstRequest(lambda: loop.call_soon_threadsafe(begun.set))
    first = asyncio.create_task(once.get())
    await begun.wait()
    first.cancel()
    await asyncio.wait_for(once.get(), 5)
