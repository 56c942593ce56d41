"""Encryption at rest of the secrets that the service keeps for others."""

import base64
import logging
import os
from functools import cached_property
from typing import Any

# The columns whose texts are sealed; whatever is among them is sealed anew after a rotation (journey/resealing.py).
SEALED = frozenset({"mcp_servers.env", "mcp_servers.auth_token", "webhooks.secret", "retries.answer"})


class Encryptor:
    """Encrypts small secrets at rest: AES-256-GCM, its key by HKDF from the secret of the service.

    After a rotation the previous secret still opens what it sealed.
    """

    def __init__(self, secret: str, previous: str | None = None) -> None:
        self._secrets = [known for known in (secret, previous) if known]

    @cached_property
    def _ciphers(self) -> list[Any]:
        return [_cipher(known) for known in self._secrets]

    def encrypt(self, column: str, text: str, owner: str) -> str:
        """Encrypt a text for a column that is known as sealed; only for the same owner (the id of its row) it opens."""
        if column not in SEALED:
            raise ValueError(f"{column} is not in SEALED, so a rotation would lose what it holds")
        nonce = os.urandom(12)
        sealed = self._ciphers[0].encrypt(nonce, text.encode(), owner.encode())
        return base64.b64encode(nonce + sealed).decode()

    def decrypt(self, sealed: str, owner: str) -> str | None:
        """Decrypt a text, or give None if no key opens it."""
        from cryptography.exceptions import InvalidTag

        raw = base64.b64decode(sealed)
        for cipher in self._ciphers:
            try:
                return str(cipher.decrypt(raw[:12], raw[12:], owner.encode()), "utf-8")
            except InvalidTag:
                continue
        logging.getLogger("service").warning("a secret of %s cannot be decrypted: the JWT secret has changed", owner)
        return None


def _cipher(secret: str) -> Any:
    # Loaded when there is a secret to keep: see tokens.py.
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return AESGCM(HKDF(SHA256(), length=32, salt=None, info=b"tandem secrets at rest").derive(secret.encode()))
