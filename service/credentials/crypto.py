"""Password hashes and agent keys."""

import hashlib
import hmac
import secrets
from functools import partial

import bcrypt

from ..turns import Turns

BCRYPT_COST = 12
KEY_PREFIX = "tdm_"
_UNKNOWN = b"$2b$12$cWKrR0249EpzB8NqngnIkeD7P0y8gDINuoOgATcPhh5/..XfE5kmC"  # of a password nobody knows
# A hash takes a quarter of a second: never on the event loop, and who signs in does not wait for other passwords.
_signing_in, _others = Turns("signing in", threads=2, most=32), Turns("passwords", threads=1, most=32)


def hash_now(password: str, cost: int = BCRYPT_COST) -> str:
    """Hash a password on this thread (a quarter of a second)."""
    return bcrypt.hashpw(password.encode(), bcrypt.gensalt(cost)).decode()


async def hash_password(password: str, who: str) -> str:
    """Hash a password off the event loop when the turn of who wants it comes; raise overloaded if too many wait."""
    return await _others.take(partial(hash_now, password), who)


def _check(password: str, stored: str | None) -> bool:
    given = password.encode()
    matches = bcrypt.checkpw(given[:72], stored.encode() if stored else _UNKNOWN)
    return matches and stored is not None and len(given) <= 72


async def check_password(password: str, stored: str | None, who: str) -> bool:
    """Compare a password with its hash off the event loop; None takes the same time and is never right."""
    return await _others.take(partial(_check, password, stored), who)


async def sign_in(password: str, stored: str | None, address: str, email: str) -> bool:
    """Compare a password like check_password, in turns that are fair to addresses and to e-mails."""
    return await _signing_in.take(partial(_check, password, stored), f"from {address}", f"as {email}")


def new_password() -> str:
    """Make a password for someone who was given none."""
    return secrets.token_urlsafe(12)


def new_key(key_id: str) -> str:
    """Make the secret of an agent key: tdm_<id>_<43 base64url characters> (contract, section 3)."""
    return f"{KEY_PREFIX}{key_id}_{secrets.token_urlsafe(32)}"


def key_id_of(secret: str) -> str | None:
    """Read the id out of an agent key, or None if it has not the form of one."""
    key_id, separator, rest = secret.removeprefix(KEY_PREFIX)[:-43], secret[-44:-43], secret[-43:]
    is_key = secret.startswith(KEY_PREFIX) and separator == "_" and len(rest) == 43
    return key_id.removesuffix("_") if is_key else None


def hash_key(secret: str) -> str:
    """Hash an agent key for storage; 32 random bytes need no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()


def same(one: str, other: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
