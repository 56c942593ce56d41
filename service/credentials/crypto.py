"""Password hashes and agent keys."""

import asyncio
import hashlib
import hmac
import secrets
from concurrent.futures import ThreadPoolExecutor

import bcrypt

COST = 12
KEY_PREFIX = "tdm_"
_UNKNOWN = b"$2b$12$cWKrR0249EpzB8NqngnIkeD7P0y8gDINuoOgATcPhh5/..XfE5kmC"  # of a password nobody knows
_threads = ThreadPoolExecutor(2, "bcrypt")  # a hash takes a quarter of a second: never on the event loop


def hash_now(password: str, cost: int = COST) -> str:
    """Hash a password on this thread (a quarter of a second)."""
    return bcrypt.hashpw(password.encode(), bcrypt.gensalt(cost)).decode()


async def hash_password(password: str) -> str:
    """Hash a password off the event loop."""
    return await asyncio.get_running_loop().run_in_executor(_threads, hash_now, password)


def _check(password: str, stored: str | None) -> bool:
    given = password.encode()
    matches = bcrypt.checkpw(given[:72], stored.encode() if stored else _UNKNOWN)
    return matches and stored is not None and len(given) <= 72


async def check_password(password: str, stored: str | None) -> bool:
    """Compare a password with its hash off the event loop; None takes the same time and is never right."""
    return await asyncio.get_running_loop().run_in_executor(_threads, _check, password, stored)


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
    return hmac.compare_digest(one.encode(), other.encode())
