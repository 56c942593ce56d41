"""The tokens of people: JWT, HS256 (contract, section 3)."""

import logging
import time
from collections.abc import Callable
from functools import cached_property
from typing import Any

from aiohttp import web

from ..errors import Unauthorized

ISSUER = "tandem"
# The verifier logs every refused token with a traceback; a refusal is no event here.
logging.getLogger("aiohttp_jwt.middleware").disabled = True


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

    def __init__(self, secret: str, lifetime: int, following: Callable[[], float] = time.time) -> None:
        self._secret = secret
        self._lifetime = lifetime
        self._following = following  # seconds since 1970, later than ever before even if the clock has gone back

    @cached_property
    def _jwt(self) -> Any:
        # PyJWT brings all of cryptography with it, ten MB: loaded when somebody first signs in.
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

    def issue(self, user_id: str, email: str, role: str | None, org_id: str | None) -> tuple[str, float]:
        """Make a token and tell when it expires (seconds since 1970)."""
        # Milliseconds, not seconds: a password change ends every token issued before it, to the moment.
        issued = int(self._following() * 1000 + 0.5) / 1000
        expires = int(time.time() * 1000) / 1000 + self._lifetime
        claims = {"sub": user_id, "email": email, "role": role, "org_id": org_id}
        stamps = {"iat": issued, "exp": expires, "iss": ISSUER, "aud": ISSUER}
        token: str = self._jwt.encode(claims | stamps, self._secret, algorithm="HS256")
        return token, expires

    async def verify(self, token: str) -> dict[str, Any]:
        """Give the claims of a token; raise Unauthorized (unauthorized, token_expired) if it does not hold."""
        carrier = _Carrier(token)
        try:
            await self._verifier(carrier, _nothing)
        except (web.HTTPException, ValueError) as error:
            if isinstance(error.__context__, self._jwt.ExpiredSignatureError):
                raise Unauthorized("token_expired", "The token has expired; sign in again.") from None
            if not isinstance(error.__context__, self._jwt.ImmatureSignatureError):
                raise _refused() from None
            carrier["payload"] = self._from_before(token)
        claims: dict[str, Any] = carrier["payload"]
        if not isinstance(claims.get("sub"), str) or not {"exp", "iat"} <= claims.keys():
            raise _refused()
        return claims

    def _from_before(self, token: str) -> dict[str, Any]:
        """Give the claims of a token from before the clock went back; not of one that would last too long by it."""
        options = {"verify_iat": False, "require": ["iat", "exp"]}
        try:
            claims: dict[str, Any] = self._jwt.decode(
                token, self._secret, algorithms=["HS256"], audience=ISSUER, issuer=ISSUER, options=options
            )
        except self._jwt.PyJWTError:
            raise _refused() from None
        # What is later than all times that were ever told could not be ended by a sign-out of now; of this very
        # millisecond is whoever has just signed in.
        if claims["iat"] > self._following() or claims["exp"] > time.time() + 2 * self._lifetime:
            raise _refused()
        return claims


def _refused() -> Unauthorized:
    return Unauthorized("unauthorized", "The token is not valid; sign in again.")
