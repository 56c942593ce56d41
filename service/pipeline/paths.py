"""Route lookup in a tree of path segments, faster than the sequential pattern matching of aiohttp."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import unquote

from aiohttp import web

from .routing import PREFIX, ROUTES, Route


@dataclass(slots=True)
class _Node:
    """A node of the tree: its children (`words`: literal segments, `id`: any id), and the routes that end at it."""

    words: dict[str, Self] = field(default_factory=dict)
    id: Self | None = None
    routes: dict[str, tuple[Route, list[str]]] = field(default_factory=dict)  # by method, with the names of the ids


class Paths:
    """A tree of the paths of a route table."""

    def __init__(self, table: Iterable[Route] = ROUTES) -> None:
        self._root = _Node()
        for route in table:
            self._add(route)

    def _add(self, route: Route) -> None:
        node, names = self._root, []
        for part in _split(PREFIX + route.path):
            if part.startswith("{"):
                names.append(part[1:-1])
                node.id = node.id or _Node()
                node = node.id
            else:
                node = node.words.setdefault(part, _Node())
        for method in ("GET", "HEAD") if route.method == "GET" else (route.method,):
            node.routes[method] = route, names

    def find(self, method: str, path: str) -> tuple[Route, dict[str, str]] | None:
        """Return the route of an undecoded path and the ids in it; a literal segment takes precedence over an id.

        Raise HTTPMethodNotAllowed if there are routes, but none with the method.
        """
        node, ids = self._root, []
        for part in _split(path):
            below = node.words.get(part)
            if below is None:
                ids.append(part)
                below = node.id if part else None
            if below is None:
                return None
            node = below
        return _get_route(node, method, ids)


def _split(path: str) -> list[str]:
    return path[1:].split("/")


def _get_route(node: _Node, method: str, ids: list[str]) -> tuple[Route, dict[str, str]] | None:
    if not node.routes:
        return None
    if method not in node.routes:
        raise web.HTTPMethodNotAllowed(method, node.routes)
    route, names = node.routes[method]
    return route, dict(zip(names, map(_decode, ids), strict=True))


def _decode(part: str) -> str:
    text = unquote(part) if "%" in part else part
    return text if text.isascii() else text.encode("ascii", "replace").decode()  # ids are ASCII
