"""The web page: the files under web/, read and packed once, under a policy that leaves no place for foreign script."""

import asyncio
import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from aiohttp import web

from .wire import takes_gzip

FOLDER = Path(__file__).parent / "web"
INDEX = "index.html"
METHODS = ("GET", "HEAD")
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
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
    """What is the same for everybody until the program changes, as it goes over the wire: plain and packed."""

    kind: str
    tag: str
    plain: bytes
    packed: bytes

    @classmethod
    def of(cls, kind: str, content: bytes) -> "File":
        """Pack a content of a kind, and name it by what it is."""
        return cls(kind, hashlib.sha256(content).hexdigest()[:32], content, gzip.compress(content, mtime=0))


def register(router: web.UrlDispatcher) -> None:
    """Add the page; it is open to anyone, since all that it shows comes over the API."""
    router.add_route("*", ADDRESSES, _answer)


async def _answer(request: web.Request) -> web.StreamResponse:
    files, path = await asyncio.to_thread(_files), request.match_info["path"]  # the first time it takes a while
    if request.method not in METHODS:
        raise web.HTTPMethodNotAllowed(request.method, METHODS) if path in {"", *files} else web.HTTPNotFound
    return answer(request, files.get(path) or files[INDEX])


def answer(request: web.Request, file: File) -> web.Response:
    """Give a file packed or plain, as the caller takes it, or say that the caller has it."""
    packs = takes_gzip(request.headers.get("Accept-Encoding", ""))
    tag = f"{file.tag}-gzip" if packs else file.tag  # each encoding is an entity of its own (RFC 9110)
    headers = {**HEADERS, "ETag": f'"{tag}"'}
    if any(known.value in ("*", tag) for known in request.if_none_match or ()):
        return web.Response(status=304, headers=headers)
    headers |= {"Content-Type": file.kind} | ({"Content-Encoding": "gzip"} if packs else {})
    return web.Response(body=file.packed if packs else file.plain, headers=headers)


@cache
def _files() -> dict[str, File]:
    """Read all files at once, when the first is asked for: those of one program, whatever is installed meanwhile."""
    found = (path for path in FOLDER.rglob("*") if path.is_file())
    return {path.relative_to(FOLDER).as_posix(): File.of(KINDS[path.suffix], path.read_bytes()) for path in found}
