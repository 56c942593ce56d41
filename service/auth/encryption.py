"""Encryption at rest of stored secrets."""

import base64
import logging
import os
from functools import cached_property
from typing import Any

# Encrypted columns; auth/reencryption.py encrypts them again after a rotation of the secret.
ENCRYPTED_COLUMNS = frozenset({"mcp_servers.env", "mcp_servers.auth_token", "webhooks.secret", "retries.answer"})


class Encryptor:
    """AES-256-GCM encryption of small secrets, with a key derived by HKDF from the secret of the service.

    After a rotation, values encrypted with the previous secret can still be decrypted.
    """

    def __init__(self, secret: str, previous: str | None = None) -> None:
        self._secrets = [each for each in (secret, previous) if each]

    @cached_property
    def _ciphers(self) -> list[Any]:
        return [_create_cipher(secret) for secret in self._secrets]

    def encrypt(self, column: str, text: str, owner: str) -> str:
        """Encrypt a text for one of ENCRYPTED_COLUMNS, bound to its owner (the id of the row)."""
        if column not in ENCRYPTED_COLUMNS:
            raise ValueError(f"{column} is not in ENCRYPTED_COLUMNS, so a rotation would lose its values")
        nonce = os.urandom(12)
        encrypted = self._ciphers[0].encrypt(nonce, text.encode(), owner.encode())
        return base64.b64encode(nonce + encrypted).decode()

    def decrypt(self, encrypted: str, owner: str) -> str | None:
        """Return the decrypted text, or None and a line in the log if neither secret decrypts it."""
        text = self.try_decrypt(encrypted, owner)
        if text is None:
            message = "a secret of %s cannot be decrypted: the JWT secret has changed"
            logging.getLogger("service").warning(message, owner)
        return text

    def try_decrypt(self, encrypted: str, owner: str) -> str | None:
        """Return the decrypted text, or None if neither secret decrypts it, or if it was emptied."""
        from cryptography.exceptions import InvalidTag

        raw = base64.b64decode(encrypted)
        for cipher in self._ciphers if raw else ():
            try:
                return str(cipher.decrypt(raw[:12], raw[12:], owner.encode()), "utf-8")
            except InvalidTag:
                continue
        return None


def _create_cipher(secret: str) -> Any:
    # Imported on first use to save memory, see tokens.py.
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return AESGCM(HKDF(SHA256(), length=32, salt=None, info=b"tandem secrets at rest").derive(secret.encode()))
