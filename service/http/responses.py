"""An answer on its way out: its body, encoded, with its status and the headers that belong to it."""

import gzip
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from ..schemas import Output, PageQuery
from .encodings import encodings

COMPRESSED_BYTES_MIN = 4096  # below, packing saves nothing that anybody would notice
ANSWER_BYTES_MAX = 4 << 20  # of a page; it ends before an item that would not fit
HASH_MASK = (1 << 64) - 1
COMPRESSION_LEVEL = 3  # of gzip: a seventh larger than at its best, in a sixth of the time


@dataclass(slots=True)
class Answer:
    """An encoded answer, where a handler says more than its body."""

    body: bytes | None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    tag: str | None = None  # of the content, known once it was asked for
    packed: bytes | None = None  # the body in gzip, kept once somebody took it so


@dataclass(frozen=True, slots=True)
class Started:
    """What a transaction answers whose work goes on in a job (see jobs.py): the answer itself comes later."""

    job_id: str


class Versioned(Output):
    """An answer that carries its version as ETag, for If-Match."""

    version: int

    def headers(self) -> dict[str, str]:
        """Give the version as ETag."""
        return {"ETag": etag(self.version)}


def etag(version: int) -> str:
    """Write a version as an entity tag (RFC 9110)."""
    return f'"{version}"'


def tagged(answer: Answer, asked: Mapping[str, str]) -> Answer:
    """Give an answer with a weak tag of its content: 304 to who has it already, in gzip to who takes it so.

    What is worked out for that stays with the answer, so that one which is kept is packed once.
    """
    assert answer.body is not None
    answer.tag = answer.tag or content_tag(answer.body)
    headers = {**answer.headers, "ETag": f'W/"{answer.tag}"', "Vary": "Accept-Encoding"}
    known = [tag.strip().removeprefix("W/") for tag in asked.get("If-None-Match", "").split(",")]
    if f'"{answer.tag}"' in known or "*" in known:
        return Answer(None, 304, headers)
    if not _is_packed_for(answer, asked):
        return Answer(answer.body, answer.status, headers)
    answer.packed = answer.packed or gzip.compress(answer.body, COMPRESSION_LEVEL, mtime=0)
    return Answer(answer.packed, answer.status, {**headers, "Content-Encoding": "gzip"})


def is_ready(answer: Answer, asked: Mapping[str, str]) -> bool:
    """Tell whether an answer that is kept can be sent as it is, without being packed first."""
    return answer.packed is not None or not _is_packed_for(answer, asked)


def _is_packed_for(answer: Answer, asked: Mapping[str, str]) -> bool:
    takes_gzip = encodings(asked.get("Accept-Encoding", ""), ("gzip",))
    return len(answer.body or b"") >= COMPRESSED_BYTES_MIN and bool(takes_gzip)


def content_tag(content: bytes) -> str:
    """Make the tag of a content: as Python hashes it, with a secret of the process, five times as fast as SHA-256."""
    return f"{len(content):x}.{hash(content) & HASH_MASK:016x}"


def fitting(items: Iterable[bytes]) -> tuple[list[bytes], bool]:
    """Take encoded items as long as they fit into one answer, the first one in any case; tell whether some are left."""
    taken: list[bytes] = []
    size = 0
    for item in items:
        size += len(item) + 1
        if taken and size > ANSWER_BYTES_MAX:
            return taken, True
        taken.append(item)
    return taken, False


def page(query: PageQuery, total: int, items: Iterable[bytes]) -> Answer:
    """Put encoded items into the paging envelope; one that they do not all fit into says that it is truncated."""
    taken, is_truncated = fitting(items)
    about = {
        "page": query.page,
        "pageSize": query.page_size,
        "total": total,
        **({"truncated": True} if is_truncated else {}),
    }
    return Answer(b'{"items":[%s],%s' % (b",".join(taken), orjson.dumps(about)[1:]))


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
