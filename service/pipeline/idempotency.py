"""Idempotency keys: a repeated request receives the stored response of the first one.

The response is stored in the transaction of the work, so it exists if and only if the work was committed. Writes are
serialized, so of two concurrent requests the second finds the response of the first.
"""

import re
from datetime import timedelta
from hashlib import sha256
from typing import Any

import orjson
from aiohttp import web

from ..auth import busy_resources
from ..auth.authentication import Person
from ..auth.context import Call
from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Tx
from ..errors import Conflict, UnprocessableContent, invalid
from ..http.responses import Answer
from ..schemas import json_text

HEADER, REPLAYED = "Idempotency-Key", "Idempotent-Replayed"
RETENTION = timedelta(hours=24)
SESSION_PATHS = ("/auth/switch", "/settings/sessions/current")  # about the session of the request
STORED_BYTES_MAX = 64 << 10  # per stored response
_DONE = "null"  # stored instead of a response that is too large
_KEY = re.compile("[ -~]{1,255}")


class Replay(Exception):
    """The stored response of a repeated request, raised so that prepared work is undone as after an error."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer


class IdempotentRequest:
    """The idempotency key of a request, with a fingerprint of its query and body."""

    __slots__ = ("_digest", "is_whole", "key", "method", "path")

    def __init__(self, key: str, method: str, path: str, query: str) -> None:
        self.key = key
        self.method = method
        self.path = path
        self.is_whole = False  # the body was read to its end
        self._digest = sha256(query.encode() + b"\n")

    def feed(self, content: bytes, is_last: bool = False) -> None:
        """Add a part of the body to the fingerprint."""
        self._digest.update(content)
        self.is_whole = is_last

    @property
    def fingerprint(self) -> str:
        """Return the hash of query and body."""
        return self._digest.hexdigest()


def parse_idempotency_key(request: web.Request) -> IdempotentRequest | None:
    """Return the idempotency key of a request, or None; raise validation_failed if it is malformed."""
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not _KEY.fullmatch(key):
        raise invalid(HEADER, "must be 1 to 255 printable ASCII characters")
    return IdempotentRequest(key, request.method, request.rel_url.raw_path, request.rel_url.raw_query_string)


def replay(call: Call, retry: IdempotentRequest) -> None:
    """Raise Replay if the request has a stored response, idempotency_key_reused if its key belongs to another one.

    Raise conflict (details.state) while the job that the first request started is in progress.
    """
    row = (
        call.tx.one(sql.retries.find, id=_compute_id(call, retry), since=_get_retention_start(call.tx))
        if retry.is_whole
        else None
    )
    if row is None:
        return
    if row["fingerprint"] != retry.fingerprint:
        message = "This Idempotency-Key was sent with another body or query; use a new key for each new request."
        raise UnprocessableContent(None, message, idempotencyKey=retry.key)
    text = call.service.encryptor.decrypt(row["answer"], row["id"])
    if text is None:
        message = "The request was done before, but its stored response cannot be decrypted; read the resource instead."
        raise Conflict(None, message, idempotencyKey=retry.key, state="done")
    if text == _DONE:
        message = "The request was done before, but its response was not stored; read the resource instead."
        raise Conflict(None, message, idempotencyKey=retry.key, state="done")
    answer, job_id = _decode_response(text)
    if job_id is not None:
        busy_resources.require_finished(call, job_id)
    raise Replay(answer)


def store_response(call: Call, retry: IdempotentRequest, answer: Answer, job_id: str | None = None) -> None:
    """Store the response to a request, which is sent after the job if there is one, and delete some old ones.

    If the response is too large, or the disk is nearly full, store only that the request was done.
    """
    retry_id = _compute_id(call, retry)
    call.tx.run(sql.retries.delete_old, since=_get_retention_start(call.tx))
    call.tx.run(
        sql.retries.upsert,
        id=retry_id,
        org_id=None if _may_delete_organization(call, retry) else call.org_id or None,
        fingerprint=retry.fingerprint,
        answer=call.service.encryptor.encrypt("retries.answer", _encode_response(call, answer, job_id), retry_id),
        now=call.now,
    )


def _may_delete_organization(call: Call, retry: IdempotentRequest) -> bool:
    """Return whether a request may delete its organization, with which all responses stored for it are deleted."""
    return retry.method == "DELETE" and call.path.keys() == {"org_id"}


def _compute_id(call: Call, retry: IdempotentRequest) -> str:
    """Return the id of a stored response: a hash of caller, actor, session, organization, method, path and key."""
    assert call.caller is not None
    scope: list[Any] = [call.caller.id, call.actor.id, call.org_id, retry.path, retry.key]
    if retry.method != "POST":  # an earlier version stored responses to POST only, without the method
        scope.append(retry.method)
    if isinstance(call.caller, Person) and retry.path.endswith(SESSION_PATHS):
        scope.append({"signIn": call.caller.session_id})
    if call.agent_session is not None:  # two processes of an agent may choose the same key
        scope.append({"session": call.agent_session})
    return sha256(json_text(scope).encode()).hexdigest()


def _get_retention_start(tx: Tx) -> str:
    return timestamp(parse_timestamp(tx.now) - RETENTION)


def _encode_response(call: Call, answer: Answer, job_id: str | None) -> str:
    if len(answer.body or b"") > STORED_BYTES_MAX or call.service.disk_space.is_data_folder_low():
        return _DONE
    stored = [answer.status, dict(answer.headers), answer.body and answer.body.decode()]
    return json_text(stored if job_id is None else [*stored, job_id])


def _decode_response(text: str) -> tuple[Answer, str | None]:
    """Return a stored response and the id of the job after which it was sent, or None."""
    status, headers, body, *job_ids = orjson.loads(text)
    return Answer(body and body.encode(), status, {**headers, REPLAYED: "true"}), next(iter(job_ids), None)
