"""Password hashes and agent keys."""

import hashlib
import hmac
import secrets
from functools import partial

import bcrypt

from ..runtime.thread_pool import BoundedThreadPool

BCRYPT_COST = 12
KEY_PREFIX = "tdm_"
_UNKNOWN = b"$2b$12$cWKrR0249EpzB8NqngnIkeD7P0y8gDINuoOgATcPhh5/..XfE5kmC"  # of a password nobody knows
# A hash takes a quarter of a second: with these bounds nobody waits for a second because of one other source.
_sign_ins = BoundedThreadPool("signing in", threads=2, total_max=32, source_max=4)
_passwords = BoundedThreadPool("passwords", threads=2, total_max=32, source_max=4)


def hash_now(password: str, cost: int = BCRYPT_COST) -> str:
    """Hash a password on this thread (a quarter of a second)."""
    return bcrypt.hashpw(password.encode(), bcrypt.gensalt(cost)).decode()


async def hash_password(password: str, source: str) -> str:
    """Hash a password on a thread; raise overloaded if too many wait, of this source or in total."""
    return await _passwords.run(partial(hash_now, password), source)


def _check(password: str, stored: str | None) -> bool:
    given = password.encode()
    matches = bcrypt.checkpw(given[:72], stored.encode() if stored else _UNKNOWN)
    return matches and stored is not None and len(given) <= 72


async def check_password(password: str, stored: str | None, source: str) -> bool:
    """Compare a password with its hash on a thread; None takes the same time and is never right."""
    return await _passwords.run(partial(_check, password, stored), source)


async def check_sign_in(password: str, stored: str | None, address: str) -> bool:
    """Compare a password like check_password, on threads of its own; the source is the address of the caller."""
    return await _sign_ins.run(partial(_check, password, stored), address)


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
