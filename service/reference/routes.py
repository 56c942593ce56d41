"""Routes of the OpenAPI document and of the HTML pages that show it: an index, and one page for each resource.

The pages are complete without JavaScript; with it, they offer a search and a form to send requests (web/reference.js).
"""

import asyncio
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import orjson
from aiohttp import web

from ..http.static_files import StaticFile, add_base_path, respond
from ..pipeline.routing import PREFIX

Json = dict[str, Any]
DOCUMENT, PAGE = PREFIX + "/openapi.json", "/api/docs"
HTML = "text/html; charset=utf-8"


def register(router: web.UrlDispatcher, base_path: str) -> None:
    """Add the routes of the document and its pages, which need no sign-in; links begin with the base path."""
    for path, make in ((DOCUMENT, _get_document), (PAGE, _get_index), (PAGE + "/{resource}", _get_resource_page)):
        router.add_get(path, _handler(partial(make, base_path)))


def _handler(make: Callable[..., StaticFile]) -> Callable[[web.Request], Any]:
    async def handler(request: web.Request) -> web.StreamResponse:
        # The document is built on the first request. That takes 0.1 s, too long for the event loop.
        return respond(request, await asyncio.to_thread(make, *request.match_info.values()))

    return handler


def _document(base_path: str) -> Json:
    from . import openapi  # takes almost 1 MB of memory that is not needed before the first request

    return openapi.document(base_path)


@cache
def _get_document(base_path: str) -> StaticFile:
    return StaticFile.create("application/json; charset=utf-8", orjson.dumps(_document(base_path)))


@cache
def _get_index(base_path: str) -> StaticFile:
    from . import pages

    return _create_page(pages.render_index(_document(base_path)), base_path)


def _get_resource_page(base_path: str, resource: str) -> StaticFile:
    if resource not in {tag["name"] for tag in _document(base_path)["tags"]}:
        raise web.HTTPNotFound
    return _resource_page(base_path, resource)


@cache
def _resource_page(base_path: str, resource: str) -> StaticFile:
    from . import pages

    return _create_page(pages.render_resource(_document(base_path), resource), base_path)


def _create_page(html: str, base_path: str) -> StaticFile:
    return StaticFile.create(HTML, add_base_path(html, base_path).encode())
