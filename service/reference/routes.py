"""Routes of the OpenAPI document and of the HTML pages that show it: an index, and one page for each resource.

The pages are complete without JavaScript; with it, they offer a search and a form to send requests (web/reference.js).
"""

import asyncio
from collections.abc import Callable
from functools import cache
from typing import Any

import orjson
from aiohttp import web

from ..http.static_files import StaticFile, respond
from ..pipeline.routing import PREFIX

Json = dict[str, Any]
DOCUMENT, PAGE = PREFIX + "/openapi.json", "/api/docs"
HTML = "text/html; charset=utf-8"


def register(router: web.UrlDispatcher) -> None:
    """Add the routes of the document and its pages, which need no sign-in."""
    for path, make in ((DOCUMENT, _get_document), (PAGE, _get_index), (PAGE + "/{resource}", _get_resource_page)):
        router.add_get(path, _handler(make))


def _handler(make: Callable[..., StaticFile]) -> Callable[[web.Request], Any]:
    async def handler(request: web.Request) -> web.StreamResponse:
        # The document is built on the first request. That takes 0.1 s, too long for the event loop.
        return respond(request, await asyncio.to_thread(make, *request.match_info.values()))

    return handler


def _document() -> Json:
    from . import openapi  # takes almost 1 MB of memory that is not needed before the first request

    return openapi.document()


@cache
def _get_document() -> StaticFile:
    return StaticFile.create("application/json; charset=utf-8", orjson.dumps(_document()))


@cache
def _get_index() -> StaticFile:
    from . import pages

    return StaticFile.create(HTML, pages.render_index(_document()).encode())


def _get_resource_page(resource: str) -> StaticFile:
    if resource not in {tag["name"] for tag in _document()["tags"]}:
        raise web.HTTPNotFound
    return _resource_page(resource)


@cache
def _resource_page(resource: str) -> StaticFile:
    from . import pages

    return StaticFile.create(HTML, pages.render_resource(_document(), resource).encode())
