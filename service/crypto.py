"""Password hashes, agent keys and tokens."""

import asyncio
import base64
import hashlib
import hmac
import logging
import os
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

import bcrypt
import jwt
from aiohttp import web
from aiohttp_jwt import JWTMiddleware
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from pydantic import AfterValidator

from .errors import Unauthorized

COST = 12
ISSUER = "tandem"
KEY_PREFIX = "tdm_"
_UNKNOWN = b"$2b$12$cWKrR0249EpzB8NqngnIkeD7P0y8gDINuoOgATcPhh5/..XfE5kmC"  # of a password nobody knows
_threads = ThreadPoolExecutor(2, "bcrypt")  # a hash takes a quarter of a second: never on the event loop
# The verifier logs every refused token with a traceback; a refusal is no event here.
logging.getLogger("aiohttp_jwt").disabled = True
logging.getLogger("aiohttp_jwt.middleware").disabled = True


def _bcrypt_length(password: str) -> str:
    if not 8 <= len(password.encode()) <= 72:
        raise ValueError("a password has 8 to 72 bytes")
    return password


Password = Annotated[str, AfterValidator(_bcrypt_length)]


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


class _Carrier(dict[str, Any]):
    """The little of a request that the verifier looks at."""

    method = "GET"
    path = ""

    def __init__(self, token: str) -> None:
        super().__init__()
        self.token = token


async def _nothing(_: Any) -> web.Response:
    return web.Response()


class Tokens:
    """Makes and verifies the tokens of people (JWT, HS256; contract, section 3)."""

    def __init__(self, secret: str, lifetime: int) -> None:
        self._secret = secret
        self._lifetime = lifetime
        self._verifier: Any = JWTMiddleware(
            secret,
            algorithms=["HS256"],
            audience=ISSUER,
            issuer=ISSUER,
            token_getter=lambda carrier: carrier.token,
        )

    def issue(self, user_id: str, email: str, role: str | None, org_id: str | None) -> tuple[str, float]:
        """Make a token and tell when it expires (seconds since 1970)."""
        # Milliseconds, not seconds: a password change ends every token issued before it, to the moment.
        issued = round(time.time(), 3)
        expires = issued + self._lifetime
        claims = {"sub": user_id, "email": email, "role": role, "org_id": org_id}
        stamps = {"iat": issued, "exp": expires, "iss": ISSUER, "aud": ISSUER}
        return jwt.encode(claims | stamps, self._secret, algorithm="HS256"), expires

    async def verify(self, token: str) -> dict[str, Any]:
        """Give the claims of a token; raise Unauthorized (unauthorized, token_expired) if it does not hold."""
        carrier = _Carrier(token)
        try:
            await self._verifier(carrier, _nothing)
        except (web.HTTPException, ValueError) as error:
            if isinstance(error.__context__, jwt.ExpiredSignatureError):
                raise Unauthorized("token_expired", "The token has expired; sign in again.") from None
            raise _refused() from None
        claims: dict[str, Any] = carrier["payload"]
        if not isinstance(claims.get("sub"), str) or not {"exp", "iat"} <= claims.keys():
            raise _refused()
        return claims


def _refused() -> Unauthorized:
    return Unauthorized("unauthorized", "The token is not valid; sign in again.")


class Vault:
    """Encrypts small secrets at rest: AES-256-GCM, its key by HKDF from the secret of the service.

    After a rotation the previous secret still opens what it sealed.
    """

    def __init__(self, secret: str, previous: str | None = None) -> None:
        self._ciphers = [_cipher(known) for known in (secret, previous) if known]

    def seal(self, text: str, owner: str) -> str:
        """Encrypt a text; only for the same owner (the id of its row) can it be opened again."""
        nonce = os.urandom(12)
        sealed = self._ciphers[0].encrypt(nonce, text.encode(), owner.encode())
        return base64.b64encode(nonce + sealed).decode()

    def opened(self, sealed: str, owner: str) -> str | None:
        """Decrypt a text, or give None if no key opens it."""
        raw = base64.b64decode(sealed)
        for cipher in self._ciphers:
            try:
                return cipher.decrypt(raw[:12], raw[12:], owner.encode()).decode()
            except InvalidTag:
                continue
        logging.getLogger("service").warning("a secret of %s cannot be decrypted: the JWT secret has changed", owner)
        return None


def _cipher(secret: str) -> AESGCM:
    return AESGCM(HKDF(SHA256(), length=32, salt=None, info=b"tandem secrets at rest").derive(secret.encode()))
