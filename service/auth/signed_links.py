"""Links: what lets whoever holds them read one file for a while, in the name of a person."""

import base64
import hashlib
import hmac
import time
from typing import NamedTuple

import orjson

from .passwords import same


class Named(NamedTuple):
    """Whom a link speaks for: the person, when the token was issued with which it was made, and when it ends."""

    user_id: str
    issued_at: str
    expires: float  # seconds since 1970


def sign(secret: str, file_id: str, named: Named) -> str:
    """Make the secret part of a link to a file."""
    told = base64.urlsafe_b64encode(orjson.dumps(list(named))).decode().rstrip("=")
    return f"{told}.{_signature(secret, file_id, told)}"


def opened(secret: str, file_id: str, token: str) -> Named | None:
    """Tell whom a link speaks for; None if it is not one to that file, or over."""
    told, _, signature = token.partition(".")
    if not same(signature, _signature(secret, file_id, told)):
        return None
    named = Named(*orjson.loads(base64.urlsafe_b64decode(told + "=" * (-len(told) % 4))))
    return named if named.expires > time.time() else None


def _signature(secret: str, file_id: str, told: str) -> str:
    # A key of its own: nothing else that the secret signs can be taken for a link, nor a link for that.
    key = hmac.digest(secret.encode(), b"links to files", "sha256")
    return hmac.new(key, f"{file_id}\n{told}".encode("utf-8", "replace"), hashlib.sha256).hexdigest()
