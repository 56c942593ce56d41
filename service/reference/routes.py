"""Routes of the OpenAPI document and of the HTML pages that show it: an index, and one page for each resource.

The pages are complete without JavaScript; with it, they offer a search and a form to send requests (web/reference.js).
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import orjson
from aiohttp import web

from ..http.static_files import OnFirstRequest, StaticFile, add_base_path, compress_later, respond
from ..pipeline.routing import PREFIX

Json = dict[str, Any]
DOCUMENT, PAGE = PREFIX + "/openapi.json", "/api/docs"
HTML = "text/html; charset=utf-8"


class Reference:
    """The document and its pages. They need no sign-in, so each is made and compressed only once."""

    def __init__(self, base_path: str) -> None:
        self._base_path = base_path
        self._document = OnFirstRequest(partial(_get_document, base_path))
        self._files: dict[str, OnFirstRequest[StaticFile]] = {}  # by path

    async def show_document(self, request: web.Request) -> web.StreamResponse:
        """Return the OpenAPI document."""
        return await self._respond(request, _create_document)

    async def show_index(self, request: web.Request) -> web.StreamResponse:
        """Return the page that lists the resources."""
        return await self._respond(request, _create_index)

    async def show_resource(self, request: web.Request) -> web.StreamResponse:
        """Return the page of a resource."""
        name = request.match_info["resource"]
        if name not in {tag["name"] for tag in (await self._document.get())["tags"]}:
            raise web.HTTPNotFound
        return await self._respond(request, partial(_create_resource_page, name))

    async def _respond(self, request: web.Request, create: Callable[[str, Json], StaticFile]) -> web.StreamResponse:
        document = await self._document.get()
        if request.path not in self._files:
            self._files[request.path] = OnFirstRequest(partial(create, self._base_path, document))
        return respond(request, await self._files[request.path].get())


def register(router: web.UrlDispatcher, base_path: str) -> None:
    """Add the routes of the document and its pages, which need no sign-in; links begin with the base path."""
    reference = Reference(base_path)
    router.add_get(DOCUMENT, reference.show_document)
    router.add_get(PAGE, reference.show_index)
    router.add_get(PAGE + "/{resource}", reference.show_resource)


def _get_document(base_path: str) -> Json:
    from . import openapi  # takes almost 1 MB of memory that is not needed before the first request

    return openapi.document(base_path)


def _create_document(base_path: str, document: Json) -> StaticFile:
    return _create_file("application/json; charset=utf-8", orjson.dumps(document))


def _create_index(base_path: str, document: Json) -> StaticFile:
    from . import pages

    return _create_page(pages.render_index(document), base_path)


def _create_resource_page(resource: str, base_path: str, document: Json) -> StaticFile:
    from . import pages

    return _create_page(pages.render_resource(document, resource), base_path)


def _create_page(html: str, base_path: str) -> StaticFile:
    return _create_file(HTML, add_base_path(html, base_path).encode())


def _create_file(content_type: str, content: bytes) -> StaticFile:
    file = StaticFile.create(content_type, content)
    compress_later(file)
    return file
