"""Responses: encoded bodies with status and headers, entity tags, compression and paging."""

import gzip
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from ..schemas import Output, PageQuery
from .encodings import list_accepted_encodings

COMPRESSED_BYTES_MIN = 4096  # below, compression has no noticeable effect
PAGE_BYTES_MAX = 4 << 20  # a page ends before an item that would exceed it
HASH_MASK = (1 << 64) - 1
COMPRESSION_LEVEL = 3  # of gzip: output one seventh larger than at the best level, in one sixth of the time


@dataclass(slots=True)
class Answer:
    """An encoded response."""

    body: bytes | None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    tag: str | None = None  # hash of the content, computed on first use
    gzipped: bytes | None = None  # the gzipped body, created on first use


@dataclass(frozen=True, slots=True)
class JobStarted:
    """The result of a transaction that started a job (pipeline/jobs.py); the response follows when the job ends."""

    job_id: str
    answer: Answer | None  # to a repeated request after the job, if it is known before the job ends


class Versioned(Output):
    """A response body with a version, sent as ETag for If-Match."""

    version: int

    def headers(self) -> dict[str, str]:
        """Return the version as ETag header."""
        return {"ETag": etag(self.version)}


def etag(version: int) -> str:
    """Return a version as an entity tag (RFC 9110)."""
    return f'"{version}"'


def add_etag(answer: Answer, request_headers: Mapping[str, str]) -> Answer:
    """Return a response with a weak ETag: 304 if the client already has it, gzipped if the client accepts that.

    Tag and gzipped body are stored in `answer`, so that a cached response is compressed only once.
    """
    assert answer.body is not None
    answer.tag = answer.tag or hash_content(answer.body)
    headers = {**answer.headers, "ETag": f'W/"{answer.tag}"', "Vary": "Accept-Encoding"}
    tags = [tag.strip().removeprefix("W/") for tag in request_headers.get("If-None-Match", "").split(",")]
    if f'"{answer.tag}"' in tags or "*" in tags:
        return Answer(None, 304, headers)
    if not _is_gzipped_for(answer, request_headers):
        return Answer(answer.body, answer.status, headers)
    answer.gzipped = answer.gzipped or gzip.compress(answer.body, COMPRESSION_LEVEL, mtime=0)
    return Answer(answer.gzipped, answer.status, {**headers, "Content-Encoding": "gzip"})


def is_ready(answer: Answer, request_headers: Mapping[str, str]) -> bool:
    """Return whether a cached response can be sent without compressing it first."""
    return answer.gzipped is not None or not _is_gzipped_for(answer, request_headers)


def _is_gzipped_for(answer: Answer, request_headers: Mapping[str, str]) -> bool:
    accepts_gzip = list_accepted_encodings(request_headers.get("Accept-Encoding", ""), ("gzip",))
    return len(answer.body or b"") >= COMPRESSED_BYTES_MIN and bool(accepts_gzip)


def hash_content(content: bytes) -> str:
    """Return a tag of a content: its length and its Python hash, which is five times as fast as SHA-256."""
    return f"{len(content):x}.{hash(content) & HASH_MASK:016x}"


def list_fitting(items: Iterable[bytes]) -> tuple[list[bytes], bool]:
    """Return the encoded items that fit into a page, at least one, and whether some were left out."""
    fitting: list[bytes] = []
    size = 0
    for item in items:
        size += len(item) + 1
        if fitting and size > PAGE_BYTES_MAX:
            return fitting, True
        fitting.append(item)
    return fitting, False


def encode_page(query: PageQuery, total: int, items: Iterable[bytes]) -> Answer:
    """Return encoded items in the paging envelope, with `truncated` if not all of them fit."""
    fitting, is_truncated = list_fitting(items)
    envelope = {
        "page": query.page,
        "pageSize": query.page_size,
        "total": total,
        **({"truncated": True} if is_truncated else {}),
    }
    return Answer(b'{"items":[%s],%s' % (b",".join(fitting), orjson.dumps(envelope)[1:]))


def encode(result: Any) -> Answer:
    """Return the result of a handler as a response: None is 204, bytes are JSON that the database encoded."""
    if type(result) is Answer:
        return result
    if result is None:
        return Answer(None, 204)
    if isinstance(result, bytes):
        return Answer(result)
    if isinstance(result, list):
        return Answer(b"[" + b",".join([item.encode() for item in result]) + b"]")
    return Answer(result.encode(), headers=result.headers())
