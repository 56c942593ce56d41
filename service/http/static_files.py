"""Static files of the web page, compressed once and served with a strict content security policy."""

import asyncio
import gzip
import hashlib
import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

import brotli
import rcssmin
import rjsmin
from aiohttp import web

from ..runtime.cpu_scheduling import lower_priority, use_all_cores
from .encodings import list_accepted_encodings

T = TypeVar("T")
FOLDER = Path(__file__).parents[1] / "web"
INDEX = "index.html"
# The style sheets of the first screen are served as one file, joined in this order, because that compresses better.
STYLE_SHEETS = (
    "core/base.css",
    "ui/avatar.css",
    "ui/form.css",
    "markdown/prose.css",
    "ui/dialog.css",
    "ui/listbox/listbox.css",
    "ui/toast.css",
    "sign-in.css",
    "board/selection.css",
    "sidebar.css",
    "ui/page.css",
    "board/header.css",
    "board/quick-add.css",
    "board/placeholders.css",
    "board/board.css",
    "ui/drag.css",
    "board/card-tile.css",
    "home/home.css",
    "ui/list.css",
    "ui/claim.css",
    "ui/controls.css",
)
# The style sheets of the card dialog and of other pages, which the page loads after its first screen or when needed.
FURTHER_SHEETS = (
    "command-palette.css",
    "shortcut-help.css",
    "card/dialog.css",
    "ui/listbox/picker.css",
    "board/labels-menu.css",
    "ui/inline-edit.css",
    "ui/listbox/completion.css",
    "ui/text/editor.css",
    "search/search.css",
    "settings/navigation.css",
    "agents/agent.css",
    "settings/secret-dialog.css",
    "settings/webhooks.css",
    "profile/profile.css",
    "ui/table.css",
    "design/design.css",
    "settings/permissions.css",
    "reports/reports.css",
    "settings/prompts.css",
    "design/sortable-list.css",
    "board/column-editing.css",
)
JOINED_SHEETS = {"page.css": STYLE_SHEETS, "further.css": FURTHER_SHEETS}
OTHER_SHEETS = ("print.css", "reference.css")  # served by themselves, since the first screen does not need them
METHODS = ("GET", "HEAD")
CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
IDENTITY = "identity"
ENCODINGS = ("br", "gzip", IDENTITY)  # the smallest first
# Removes comments and white space, a fifth of the size; names are not shortened.
MINIFY = {".css": rcssmin.cssmin, ".js": rjsmin.jsmin}
# Every other path that is not a file is a client-side route of the page, if it does not look like a file.
PAGE_PATHS = r"/{path:(?!(?:api|mcp|healthz|readyz|metrics|\.well-known)(?:/|$)).*}"
NAMED_PAGES = ("b/", "agents/")  # pages whose paths end in an id, which may contain a dot
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)
HEADERS = {"Cache-Control": "no-cache", "Vary": "Accept-Encoding", "X-Content-Type-Options": "nosniff"}
DOCUMENT_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
}
# Scripts and style sheets obey the policy of the document that loads them; opened by themselves they may do nothing.
SUBRESOURCE_HEADERS = {"Content-Security-Policy": "default-src 'none'"}
SUBRESOURCE_TYPES = {CONTENT_TYPES[".css"], CONTENT_TYPES[".js"]}


@dataclass(frozen=True)
class StaticFile:
    """A static file with its body in each content encoding."""

    content_type: str
    digest: str
    bodies: dict[str, bytes]  # by content encoding

    @classmethod
    def create(cls, content_type: str, content: bytes) -> "StaticFile":
        """Return the file of a content, plain and gzipped."""
        bodies = {IDENTITY: content, "gzip": gzip.compress(content, mtime=0)}
        return cls(content_type, hashlib.sha256(content).hexdigest()[:32], bodies)

    @property
    def headers(self) -> dict[str, str]:
        """The headers that every answer with this file has."""
        return HEADERS | (SUBRESOURCE_HEADERS if self.content_type in SUBRESOURCE_TYPES else DOCUMENT_HEADERS)

    def tag(self, encoding: str) -> str:
        """Return the entity tag of the file in an encoding (RFC 9110: each encoding has a tag of its own)."""
        return self.digest if encoding == IDENTITY else f"{self.digest}-{encoding}"


class OnFirstRequest(Generic[T]):
    """A value that takes too long for the event loop: it is computed once, on a thread, when it is first needed."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._task: asyncio.Future[T] | None = None

    async def get(self) -> T:
        """Return the value; concurrent requests wait for the same computation."""
        if self._task is None or (self._task.done() and self._task.exception() is not None):
            self._task = asyncio.ensure_future(asyncio.to_thread(self._make))
        return await asyncio.shield(self._task)


def register(router: web.UrlDispatcher, base_path: str) -> None:
    """Add the route of the page, which is public: all data that it shows comes from the API."""
    router.add_route("*", PAGE_PATHS, partial(_serve, OnFirstRequest(partial(_load_files, base_path))))


async def _serve(all_files: OnFirstRequest[dict[str, StaticFile]], request: web.Request) -> web.StreamResponse:
    files = await all_files.get()
    path = request.match_info["path"]
    if request.method not in METHODS:
        raise web.HTTPMethodNotAllowed(request.method, METHODS) if path in {"", *files} else web.HTTPNotFound
    if path not in files and "." in path and not path.startswith(NAMED_PAGES):
        raise web.HTTPNotFound  # a program that asks for /robots.txt or a module must not get a page
    return respond(request, files.get(path) or files[INDEX])


def respond(request: web.Request, file: StaticFile) -> web.Response:
    """Return a file in the smallest available encoding that the client accepts, or 304 if the client has it already."""
    accepted = [*list_accepted_encodings(request.headers.get("Accept-Encoding", ""), ENCODINGS), IDENTITY]
    tags = {tag.value for tag in request.if_none_match or ()}
    for encoding in accepted:
        if tags & {"*", file.tag(encoding)}:
            return web.Response(status=304, headers={**file.headers, "ETag": f'"{file.tag(encoding)}"'})
    best = next(encoding for encoding in accepted if encoding in file.bodies)
    headers = {**file.headers, "ETag": f'"{file.tag(best)}"', "Content-Type": file.content_type}
    headers |= {} if best == IDENTITY else {"Content-Encoding": best}
    return web.Response(body=file.bodies[best], headers=headers)


def _load_files(base_path: str) -> dict[str, StaticFile]:
    """Read all files on the first request, so that an upgrade on disk does not mix files of two versions."""
    paths = [path for path in FOLDER.rglob("*") if path.is_file() and path.suffix != ".css" and path.name != INDEX]
    files = {path.relative_to(FOLDER).as_posix(): _create_file(path.read_text("utf-8"), path.suffix) for path in paths}
    files[INDEX] = _create_file(add_base_path((FOLDER / INDEX).read_text("utf-8"), base_path), ".html")
    for joined, names in JOINED_SHEETS.items():
        files[joined] = _create_file("".join((FOLDER / name).read_text("utf-8") for name in names), ".css")
    files |= {name: _create_file((FOLDER / name).read_text("utf-8"), ".css") for name in OTHER_SHEETS}
    compress_later(*files.values())
    return files


def add_base_path(html: str, base_path: str) -> str:
    """Return HTML whose links to paths of the service begin with the base path."""
    return re.sub(r' (href|src)="/', rf' \1="{base_path}/', html)


def _create_file(text: str, suffix: str) -> StaticFile:
    return StaticFile.create(CONTENT_TYPES[suffix], MINIFY.get(suffix, str)(text).encode())


def compress_later(*files: StaticFile) -> None:
    """Add the brotli bodies on a thread, which takes about a second; until then the files are sent in gzip."""
    threading.Thread(target=_compress, args=(files,), name="compression", daemon=True).start()


def _compress(files: Iterable[StaticFile]) -> None:
    lower_priority()
    use_all_cores()
    for file in files:
        file.bodies["br"] = brotli.compress(file.bodies[IDENTITY], mode=brotli.MODE_TEXT)
