"""The OpenAPI document over HTTP, and the pages that show it: an index, and a part for each noun.

They are whole without script; with it they can be searched and requests tried (web/reference.js).
"""

import asyncio
from collections.abc import Callable
from functools import cache
from typing import Any

import orjson
from aiohttp import web

from ..http.static_files import File, answer
from ..pipeline.routing import PREFIX

Json = dict[str, Any]
DOCUMENT, PAGE = PREFIX + "/openapi.json", "/api/docs"
HTML = "text/html; charset=utf-8"


def register(router: web.UrlDispatcher) -> None:
    """Add the document and its pages; all are open to anyone."""
    for path, make in ((DOCUMENT, _encoded), (PAGE, _index), (PAGE + "/{noun}", _part)):
        router.add_get(path, _answering(make))


def _answering(make: Callable[..., File]) -> Callable[[web.Request], Any]:
    async def handler(request: web.Request) -> web.StreamResponse:
        # Built when first asked for, and not on the event loop: it takes a tenth of a second.
        return answer(request, await asyncio.to_thread(make, *request.match_info.values()))

    return handler


def _document() -> Json:
    from . import openapi  # most of a MB that a service whose reference nobody reads never needs

    return openapi.document()


@cache
def _encoded() -> File:
    return File.of("application/json; charset=utf-8", orjson.dumps(_document()))


@cache
def _index() -> File:
    from . import parts

    return File.of(HTML, parts.index(_document()).encode())


def _part(noun: str) -> File:
    if noun not in {tag["name"] for tag in _document()["tags"]}:
        raise web.HTTPNotFound
    return _made(noun)


@cache
def _made(noun: str) -> File:
    from . import parts

    return File.of(HTML, parts.part(_document(), noun).encode())
