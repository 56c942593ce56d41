"""An answer on its way out: its body, encoded, with its status and the headers that belong to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..wire import Output


@dataclass(slots=True)
class Answer:
    """An encoded answer, where a handler says more than its body."""

    body: bytes | None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class Versioned(Output):
    """An answer that carries its version as ETag, for If-Match."""

    version: int

    def headers(self) -> dict[str, str]:
        """Give the version as ETag."""
        return {"ETag": etag(self.version)}


def etag(version: int) -> str:
    """Write a version as an entity tag (RFC 9110)."""
    return f'"{version}"'


def encode(result: Any) -> Answer:
    """Encode what a handler returned: nothing is 204, bytes are JSON that the database made."""
    if type(result) is Answer:
        return result
    if result is None:
        return Answer(None, 204)
    if isinstance(result, bytes):
        return Answer(result)
    if isinstance(result, list):
        return Answer(b"[" + b",".join([item.encode() for item in result]) + b"]")
    return Answer(result.encode(), headers=result.headers())
