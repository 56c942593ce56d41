"""Re-encryption of all stored secrets after a rotation, so that the previous secret can be removed."""

from collections.abc import Iterable, Iterator
from functools import partial
from time import monotonic

from ..database.queries import sql
from ..database.statement import Statement
from ..database.store import Row, Store, Tx
from ..schemas import json_text, stored_json
from .encryption import Encryptor

# For each table with encrypted columns: the statements that list them and write them back.
Table = tuple[Statement[Row], Statement[Row]]
SECRET_TABLES: tuple[Table, ...] = (  # with secrets that people have set
    (sql.mcp_servers.list_encrypted, sql.mcp_servers.reencrypt),
    (sql.webhooks.list_encrypted, sql.webhooks.reencrypt),
)
TABLES: tuple[Table, ...] = (*SECRET_TABLES, (sql.retries.list_encrypted, sql.retries.reencrypt))
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
    table, ends_at = get_table(read), monotonic() + SECONDS_PER_WRITE
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


def list_lost_rows(tx: Tx, encryptor: Encryptor) -> list[str]:
    """List the webhooks and tool servers with a value that cannot be decrypted, as "table id"."""
    return [
        f"{get_table(read)} {row['id']}"
        for read, _ in SECRET_TABLES
        for row in _each_row(tx, read)
        if is_lost(encryptor, row["id"], _list_values(row))
    ]


def has_only_lost_values(tx: Tx, encryptor: Encryptor) -> bool:
    """Return whether webhooks and tool servers have encrypted values, none of which can be decrypted."""
    has_values = False
    for read, _ in SECRET_TABLES:
        for row in _each_row(tx, read):
            for value in _list_values(row):
                has_values = True
                if encryptor.try_decrypt(value, row["id"]) is not None:
                    return False
    return has_values


def empty_lost_values(tx: Tx, encryptor: Encryptor) -> int:
    """Empty the values of webhooks and tool servers that cannot be decrypted, and return the number of their rows."""
    count = 0
    for read, write in SECRET_TABLES:
        for row in list(_each_row(tx, read)):
            values = {name: _empty_lost(encryptor, row["id"], value) for name, value in row.items() if name != "id"}
            if values != {name: value for name, value in row.items() if name != "id"}:
                tx.run(write, id=row["id"], **values)
                count += 1
    return count


def is_lost(encryptor: Encryptor, owner: str, values: Iterable[str]) -> bool:
    """Return whether one of the values of a row was emptied or cannot be decrypted."""
    return any(encryptor.try_decrypt(value, owner) is None for value in values)


def list_parts(value: str | None) -> list[str]:
    """Return the encrypted texts in a column: one, or the values of a JSON object."""
    if value is None:
        return []
    return [str(part) for part in stored_json(value).values()] if value.startswith("{") else [value]


def _each_row(tx: Tx, read: Statement[Row]) -> Iterator[Row]:
    after: str | None = ""
    while after is not None:
        rows = tx.all(read, after=after, limit=ROWS_PER_READ)
        yield from rows
        after = rows[-1]["id"] if len(rows) == ROWS_PER_READ else None


def _list_values(row: Row) -> list[str]:
    """Return the encrypted values of a row, without those that were emptied."""
    return [part for name, value in row.items() if name != "id" for part in list_parts(value) if part]


def _empty_lost(encryptor: Encryptor, owner: str, value: str | None) -> str | None:
    if value is None:
        return None
    if value.startswith("{"):
        return json_text({name: _empty_lost(encryptor, owner, part) for name, part in stored_json(value).items()})
    return "" if encryptor.try_decrypt(value, owner) is None else value


def get_table(read: Statement[Row]) -> str:
    """Return the table of a statement that lists encrypted values."""
    return read.name.partition(".")[0]


def _reencrypt(encryptor: Encryptor, column: str, owner: str, value: str | None) -> str | None:
    if value is None:
        return None
    if value.startswith("{"):  # a JSON object whose values are encrypted one by one
        return json_text(
            {name: _reencrypt(encryptor, column, owner, part) for name, part in stored_json(value).items()}
        )
    text = encryptor.try_decrypt(value, owner)
    return value if text is None else encryptor.encrypt(column, text, owner)
