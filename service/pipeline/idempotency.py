"""Requests sent again: the first answer to an Idempotency-Key is kept and given once more (contract, section 6).

The answer is written in the transaction of the work itself. So it is there if and only if the work was done,
whatever crashes; and since there is one writer, of two requests at once the second finds the answer of the first.
"""

import re
from datetime import timedelta
from hashlib import sha256

import orjson
from aiohttp import web

from ..auth.context import Call
from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Tx
from ..errors import Conflict, UnprocessableContent, invalid
from ..http.responses import Answer
from ..schemas import json_text

HEADER, REPLAYED = "Idempotency-Key", "Idempotent-Replayed"
RETENTION = timedelta(hours=24)
ANSWER_BYTES_MAX = 64 << 10  # of an answer that is kept: a small request may have a large one
_DONE = "null"  # sealed instead of an answer that is not kept
_KEY = re.compile("[ -~]{1,255}")


class Replay(Exception):
    """The request was answered before: raised like a refusal, so that whoever prepared something takes it back."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer


class Retry:
    """What tells whether a request is the same as an earlier one: its key, its path, its query and its body."""

    __slots__ = ("_digest", "is_whole", "key", "path")

    def __init__(self, key: str, path: str, query: str) -> None:
        self.key = key
        self.path = path
        self.is_whole = False  # the body has been taken to its end
        self._digest = sha256(query.encode() + b"\n")

    def feed(self, content: bytes, is_last: bool = False) -> None:
        """Take more of the body."""
        self._digest.update(content)
        self.is_whole = is_last

    @property
    def fingerprint(self) -> str:
        """Give what is equal for equal queries and bodies only."""
        return self._digest.hexdigest()


def named(request: web.Request) -> Retry | None:
    """Read the Idempotency-Key of a request; raise validation_failed if it cannot be one."""
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not _KEY.fullmatch(key):
        raise invalid(HEADER, "must be 1 to 255 printable ASCII characters")
    return Retry(key, request.rel_url.raw_path, request.rel_url.raw_query_string)


def replay(call: Call, retry: Retry) -> None:
    """Raise Replay if an admitted request was answered before, and idempotency_key_reused if another one was."""
    row = call.tx.one(sql.retries.find, id=_id(call, retry), since=_since(call.tx)) if retry.is_whole else None
    if row is None:
        return
    if row["fingerprint"] != retry.fingerprint:
        message = "This Idempotency-Key came with another body or query; send each new request with a key of its own."
        raise UnprocessableContent(None, message, idempotencyKey=retry.key)
    text = call.service.encryptor.decrypt(row["answer"], row["id"])
    if text is None:
        message = "This was done before, but its answer can no longer be decrypted; look at what is there."
        raise Conflict(None, message, idempotencyKey=retry.key)
    if text == _DONE:
        message = "This was done before, and its answer was not kept; look at what is there."
        raise Conflict(None, message, idempotencyKey=retry.key, state="done")
    raise Replay(_opened(text))


def keep(call: Call, retry: Retry, answer: Answer) -> None:
    """Write down the answer to a request, and drop some that are too old.

    Of an answer that is too large, or while the disk is nearly full, only that the request was done.
    """
    retry_id = _id(call, retry)
    call.tx.run(sql.retries.delete_old, since=_since(call.tx))
    call.tx.run(
        sql.retries.upsert,
        id=retry_id,
        org_id=call.org_id or None,
        fingerprint=retry.fingerprint,
        answer=call.service.encryptor.encrypt("retries.answer", _closed(call, answer), retry_id),
        now=call.now,
    )


def _id(call: Call, retry: Retry) -> str:
    """Name a request by who sent it, as whom, in which organization, where to and with which key."""
    assert call.caller is not None
    scope = [call.caller.id, call.actor.id, call.org_id, retry.path, retry.key]
    return sha256(json_text(scope).encode()).hexdigest()


def _since(tx: Tx) -> str:
    return timestamp(parse_timestamp(tx.now) - RETENTION)


def _closed(call: Call, answer: Answer) -> str:
    if len(answer.body or b"") > ANSWER_BYTES_MAX or call.service.disk_space.is_data_folder_low():
        return _DONE
    return json_text([answer.status, dict(answer.headers), answer.body and answer.body.decode()])


def _opened(text: str) -> Answer:
    status, headers, body = orjson.loads(text)
    return Answer(body and body.encode(), status, {**headers, REPLAYED: "true"})
