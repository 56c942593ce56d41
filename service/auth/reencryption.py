"""Re-encryption of all stored secrets after a rotation, so that the previous secret can be removed."""

from functools import partial
from time import monotonic

from ..database.queries import sql
from ..database.statement import Statement
from ..database.store import Row, Store, Tx
from ..schemas import json_text, stored_json
from .encryption import Encryptor

# For each table with encrypted columns: the statements that list them and write them back.
TABLES: tuple[tuple[Statement[Row], Statement[Row]], ...] = (
    (sql.mcp_servers.list_encrypted, sql.mcp_servers.reencrypt),
    (sql.webhooks.list_encrypted, sql.webhooks.reencrypt),
    (sql.retries.list_encrypted, sql.retries.reencrypt),
)
SECONDS_PER_WRITE = 0.02  # per batch, without its COMMIT
ROWS_PER_READ = 50


async def reencrypt_all(store: Store, encryptor: Encryptor) -> None:
    """Encrypt all secrets with the current key in small batches; undecryptable ones stay unchanged."""
    for read, write in TABLES:
        after: str | None = ""
        while after is not None:
            after = await store.write(
                partial(_reencrypt_batch, read=read, write=write, encryptor=encryptor, after=after)
            )


def _reencrypt_batch(
    tx: Tx, read: Statement[Row], write: Statement[Row], encryptor: Encryptor, after: str
) -> str | None:
    """Encrypt the next rows of a table for 20 ms, at least one; return the last one's id if there may be more."""
    table, ends_at = read.name.partition(".")[0], monotonic() + SECONDS_PER_WRITE
    is_first = True
    while is_first or monotonic() < ends_at:
        is_first = False
        row = tx.one(read, after=after, limit=1)  # single rows: stored responses are large
        if row is None:
            return None
        values = {
            name: _reencrypt(encryptor, f"{table}.{name}", row["id"], value)
            for name, value in row.items()
            if name != "id"
        }
        after = row["id"]
        tx.run(write, id=after, **values)
    return after


def list_undecryptable_rows(tx: Tx, encryptor: Encryptor) -> list[str]:
    """List the rows with a value that cannot be decrypted, as "table id"."""
    found: list[str] = []
    for read, _ in TABLES:
        after: str | None = ""
        while after is not None:
            rows = tx.all(read, after=after, limit=ROWS_PER_READ)
            found += [
                f"{read.name.partition('.')[0]} {row['id']}" for row in rows if not _is_decryptable(encryptor, row)
            ]
            after = rows[-1]["id"] if len(rows) == ROWS_PER_READ else None
    return found


def _is_decryptable(encryptor: Encryptor, row: Row) -> bool:
    for name, value in row.items():
        if name != "id" and value is not None:
            parts = stored_json(value).values() if value.startswith("{") else [value]
            if any(encryptor.decrypt(part, row["id"]) is None for part in parts):
                return False
    return True


def _reencrypt(encryptor: Encryptor, column: str, owner: str, value: str | None) -> str | None:
    if value is None:
        return None
    if value.startswith("{"):  # a JSON object whose values are encrypted one by one
        return json_text(
            {name: _reencrypt(encryptor, column, owner, part) for name, part in stored_json(value).items()}
        )
    text = encryptor.decrypt(value, owner)
    return value if text is None else encryptor.encrypt(column, text, owner)
