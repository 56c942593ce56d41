"""Signed links: temporary access to one file on behalf of a person."""

import base64
import hashlib
import hmac
import time
from typing import NamedTuple

import orjson

from .passwords import is_same_secret


class LinkPayload(NamedTuple):
    """The person who created a link, issue time and session of the token used, and the expiry of the link."""

    user_id: str
    issued_at: str
    expires: float  # seconds since 1970
    session_id: str | None = None


def sign(secret: str, file_id: str, payload: LinkPayload) -> str:
    """Return the signed token of a link to a file."""
    encoded = base64.urlsafe_b64encode(orjson.dumps(list(payload))).decode().rstrip("=")
    return f"{encoded}.{_signature(secret, file_id, encoded)}"


def verify(secret: str, file_id: str, token: str) -> LinkPayload | None:
    """Return the payload of a link token, or None if it is invalid for the file or has expired."""
    encoded, _, signature = token.partition(".")
    if not is_same_secret(signature, _signature(secret, file_id, encoded)):
        return None
    payload = LinkPayload(*orjson.loads(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))))
    return payload if payload.expires > time.time() else None


def _signature(secret: str, file_id: str, encoded: str) -> str:
    # A derived key, so that no other signature of the secret can be used as a link or vice versa.
    key = hmac.digest(secret.encode(), b"links to files", "sha256")
    return hmac.new(key, f"{file_id}\n{encoded}".encode("utf-8", "replace"), hashlib.sha256).hexdigest()
