"""Password hashes and secrets of API keys."""

import hashlib
import hmac
import secrets
from functools import partial

import bcrypt

from ..runtime.thread_pool import BoundedThreadPool
from ..text.comparison import to_nfc

BCRYPT_COST = 12
KEY_PREFIX = "tdm_"
_UNKNOWN = (
    b"$2b$12$cWKrR0249EpzB8NqngnIkeD7P0y8gDINuoOgATcPhh5/..XfE5kmC"  # hash of a random password, for equal timing
)
# A hash takes 0.25 s; with these limits one source delays others by less than a second.
_sign_ins = BoundedThreadPool("signing in", threads=2, total_max=32, source_max=4)
_passwords = BoundedThreadPool("passwords", threads=2, total_max=32, source_max=4)


def hash_password_sync(password: str, cost: int = BCRYPT_COST) -> str:
    """Hash a password on this thread (a quarter of a second)."""
    return bcrypt.hashpw(password.encode(), bcrypt.gensalt(cost)).decode()


async def hash_password(password: str, source: str) -> str:
    """Hash a password on a thread; raise overloaded if too many wait, of this source or in total."""
    return await _passwords.run(partial(hash_password_sync, password), source)


def _check(password: str, stored: str | None) -> bool:
    """Check a password in NFC, then as it was sent, because earlier versions hashed that form."""
    matches = any(_matches(form.encode(), stored) for form in dict.fromkeys((to_nfc(password), password)))
    return matches and stored is not None


def _matches(password: bytes, stored: str | None) -> bool:
    return bcrypt.checkpw(password[:72], stored.encode() if stored else _UNKNOWN) and len(password) <= 72


async def check_password(password: str, stored: str | None, source: str) -> bool:
    """Return whether a password matches its hash; a hash of None never matches, but takes the same time."""
    return await _passwords.run(partial(_check, password, stored), source)


async def check_sign_in(password: str, stored: str | None, address: str) -> bool:
    """Do the same as check_password on a separate thread pool, limited by the address of the caller."""
    return await _sign_ins.run(partial(_check, password, stored), address)


def new_password() -> str:
    """Return a random password."""
    return secrets.token_urlsafe(12)


def new_key(key_id: str) -> str:
    """Return a new API key: tdm_<id>_<43 base64url characters>."""
    return f"{KEY_PREFIX}{key_id}_{secrets.token_urlsafe(32)}"


def parse_key_id(secret: str) -> str | None:
    """Return the id in an API key, or None if the text does not have the form of one."""
    key_id, separator, rest = secret.removeprefix(KEY_PREFIX)[:-43], secret[-44:-43], secret[-43:]
    is_key = secret.startswith(KEY_PREFIX) and separator == "_" and len(rest) == 43
    return key_id.removesuffix("_") if is_key else None


def hash_key(secret: str) -> str:
    """Return the hash of an API key for storage; 32 random bytes need no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()


def is_same_secret(first: str, second: str) -> bool:
    """Return whether two secrets are equal, in constant time."""
    return hmac.compare_digest(first.encode("utf-8", "replace"), second.encode("utf-8", "replace"))
