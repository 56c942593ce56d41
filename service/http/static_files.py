"""The web page: the files under web/, read and packed once, under a policy that leaves no place for foreign script."""

import asyncio
import gzip
import hashlib
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import brotli
import rcssmin
import rjsmin
from aiohttp import web

from ..runtime.cpu_scheduling import lower_priority, use_all_cores
from .encodings import encodings

FOLDER = Path(__file__).parents[1] / "web"
INDEX = "index.html"
# The style sheets are served as one file, `page.css`, joined in this order: compressed one by one they are larger.
STYLE_SHEETS = (
    "core/base.css",
    "ui/avatar.css",
    "ui/form.css",
    "markdown/prose.css",
    "ui/dialog.css",
    "ui/menu.css",
    "ui/toast.css",
    "sign-in.css",
    "shortcut-help.css",
    "command-palette.css",
    "board/selection.css",
    "sidebar.css",
    "ui/page.css",
    "board/header.css",
    "board/quick-add.css",
    "board/placeholders.css",
    "board/board.css",
    "ui/drag.css",
    "board/card-tile.css",
    "card/dialog.css",
    "ui/inline-edit.css",
    "home/home.css",
    "ui/list.css",
    "ui/claim.css",
    "search/search.css",
    "settings/navigation.css",
    "agents/agent.css",
    "ui/controls.css",
    "ui/secret-dialog.css",
    "settings/webhooks.css",
    "profile/profile.css",
    "ui/table.css",
    "design/design.css",
    "settings/permissions.css",
    "reports/reports.css",
    "settings/prompts.css",
    "ui/sortable-list.css",
    "reference.css",
)
METHODS = ("GET", "HEAD")
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
PLAIN = "identity"
ENCODINGS = ("br", "gzip", PLAIN)  # the smallest first
# Comments and blanks are for who reads the code, and a fifth of what it weighs; names stay as they are.
SHORTEN = {".css": rcssmin.cssmin, ".js": rjsmin.jsmin}
# Whatever is neither these nor a file is an address of the page, which finds its way by itself.
ADDRESSES = "/{path:(?!(?:api|mcp|healthz|readyz|metrics)(?:/|$)).*}"
POLICY = "; ".join(
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
HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "Vary": "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True)
class File:
    """What is the same for everybody until the program changes, by the encodings in which it goes over the wire."""

    kind: str
    name: str  # by what it is
    bodies: dict[str, bytes]

    @classmethod
    def of(cls, kind: str, content: bytes) -> "File":
        """Name a content of a kind, and pack it for everybody."""
        bodies = {PLAIN: content, "gzip": gzip.compress(content, mtime=0)}
        return cls(kind, hashlib.sha256(content).hexdigest()[:32], bodies)

    def tag(self, encoding: str) -> str:
        """Name the file in an encoding: each is an entity of its own (RFC 9110)."""
        return self.name if encoding == PLAIN else f"{self.name}-{encoding}"


def register(router: web.UrlDispatcher) -> None:
    """Add the page; it is open to anyone, since all that it shows comes over the API."""
    router.add_route("*", ADDRESSES, _answer)


async def _answer(request: web.Request) -> web.StreamResponse:
    files, path = await asyncio.to_thread(_files), request.match_info["path"]  # the first time it takes a while
    if request.method not in METHODS:
        raise web.HTTPMethodNotAllowed(request.method, METHODS) if path in {"", *files} else web.HTTPNotFound
    return answer(request, files.get(path) or files[INDEX])


def answer(request: web.Request, file: File) -> web.Response:
    """Give a file in the smallest encoding that the caller takes and that there is, or say that the caller has it."""
    taken = [*encodings(request.headers.get("Accept-Encoding", ""), ENCODINGS), PLAIN]
    known = {tag.value for tag in request.if_none_match or ()}
    for encoding in taken:
        if known & {"*", file.tag(encoding)}:
            return web.Response(status=304, headers={**HEADERS, "ETag": f'"{file.tag(encoding)}"'})
    best = next(encoding for encoding in taken if encoding in file.bodies)
    headers = {**HEADERS, "ETag": f'"{file.tag(best)}"', "Content-Type": file.kind}
    headers |= {} if best == PLAIN else {"Content-Encoding": best}
    return web.Response(body=file.bodies[best], headers=headers)


@cache
def _files() -> dict[str, File]:
    """Read all files at once, when the first is asked for: those of one program, whatever is installed meanwhile."""
    paths = [path for path in FOLDER.rglob("*") if path.is_file() and path.suffix != ".css"]
    files = {path.relative_to(FOLDER).as_posix(): _read(path.read_text("utf-8"), path.suffix) for path in paths}
    files["page.css"] = _read("".join((FOLDER / name).read_text("utf-8") for name in STYLE_SHEETS), ".css")
    threading.Thread(target=_pack, args=(files,), name="packing", daemon=True).start()
    return files


def _read(text: str, suffix: str) -> File:
    return File.of(KINDS[suffix], SHORTEN.get(suffix, str)(text).encode())


def _pack(files: dict[str, File]) -> None:
    """Pack the files as well as can be, which takes half a second; until then they are sent in gzip."""
    lower_priority()
    use_all_cores()
    for file in files.values():
        file.bodies["br"] = brotli.compress(file.bodies[PLAIN], mode=brotli.MODE_TEXT)
