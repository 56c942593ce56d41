"""JSON web tokens of people, HS256."""

import hmac
import logging
import time
from collections.abc import Callable
from functools import cached_property
from typing import Any

from aiohttp import web

from ..errors import Unauthorized

ISSUER = "tandem"
# The verifier logs each invalid token with a traceback; an invalid token is not an error of the service.
logging.getLogger("aiohttp_jwt.middleware").disabled = True


class _TokenRequest(dict[str, Any]):
    """The part of a request that the verifier reads."""

    method = "GET"
    path = ""

    def __init__(self, token: str) -> None:
        super().__init__()
        self.token = token


async def _empty_response(_: Any) -> web.Response:
    return web.Response()


class Tokens:
    """An issuer and verifier of tokens."""

    def __init__(self, secret: str, lifetime: int, monotonic_seconds: Callable[[], float] = time.time) -> None:
        self._secret = secret
        self._lifetime = lifetime
        self._monotonic_seconds = monotonic_seconds  # seconds since 1970, increasing even if the clock goes back

    @cached_property
    def _jwt(self) -> Any:
        # PyJWT imports cryptography (10 MB), so it is imported at the first sign-in.
        import jwt

        return jwt

    @cached_property
    def _verifier(self) -> Any:
        from aiohttp_jwt import JWTMiddleware

        return JWTMiddleware(
            self._secret,
            algorithms=["HS256"],
            audience=ISSUER,
            issuer=ISSUER,
            token_getter=lambda carrier: carrier.token,
        )

    def issue(
        self,
        user_id: str,
        email: str,
        role: str | None,
        org_id: str | None,
        session_id: str | None = None,
        expires: float | None = None,
    ) -> tuple[str, float]:
        """Return a token and its expiry (seconds since 1970), which is a lifetime from now unless it is passed."""
        # With milliseconds, because a password change ends all tokens that were issued before it.
        issued = int(self._monotonic_seconds() * 1000 + 0.5) / 1000
        expires = expires or int(time.time() * 1000) / 1000 + self._lifetime
        claims = {"sub": user_id, "email": email, "role": role, "org_id": org_id}
        claims |= {"sid": session_id} if session_id else {}
        stamps = {"iat": issued, "exp": expires, "iss": ISSUER, "aud": ISSUER}
        token: str = self._jwt.encode(claims | stamps, self._secret, algorithm="HS256")
        return token, expires

    def hash_refresh_token(self, refresh_token: str) -> str:
        """Return the hash of a refresh token for storage; it depends on the secret of the service."""
        return hmac.new(self._secret.encode(), refresh_token.encode("utf-8", "replace"), "sha256").hexdigest()

    async def verify(self, token: str) -> dict[str, Any]:
        """Return the claims of a token; raise Unauthorized (unauthorized, token_expired) if it is invalid."""
        carrier = _TokenRequest(token)
        try:
            await self._verifier(carrier, _empty_response)
        except (web.HTTPException, ValueError) as error:
            if isinstance(error.__context__, self._jwt.ExpiredSignatureError):
                raise Unauthorized("token_expired", "The token has expired; sign in again.") from None
            if not isinstance(error.__context__, self._jwt.ImmatureSignatureError):
                raise _invalid_token() from None
            carrier["payload"] = self._decode_issued_later(token)
        claims: dict[str, Any] = carrier["payload"]
        if not isinstance(claims.get("sub"), str) or not {"exp", "iat"} <= claims.keys():
            raise _invalid_token()
        return claims

    def _decode_issued_later(self, token: str) -> dict[str, Any]:
        """Return the claims of a token that was issued before the clock went back; raise if it would live too long."""
        options = {"verify_iat": False, "require": ["iat", "exp"]}
        try:
            claims: dict[str, Any] = self._jwt.decode(
                token, self._secret, algorithms=["HS256"], audience=ISSUER, issuer=ISSUER, options=options
            )
        except self._jwt.PyJWTError:
            raise _invalid_token() from None
        # A sign-out now could not end a token with a later issue time; the same millisecond is a new sign-in.
        if claims["iat"] > self._monotonic_seconds() or claims["exp"] > time.time() + 2 * self._lifetime:
            raise _invalid_token()
        return claims


def _invalid_token() -> Unauthorized:
    return Unauthorized("unauthorized", "The token is not valid; sign in again.")
