"""Direct access to the database of a running service, for states that no route can produce."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from .world import World


@contextmanager
def database(world: World) -> Iterator[sqlite3.Connection]:
    """Open the database file that the service is using."""
    connection = sqlite3.connect(world.service.store.path, isolation_level=None, timeout=10)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        yield connection
    finally:
        connection.close()


async def permit(world: World, role: str, resource: str, *actions: str) -> None:
    """Let a role of the SA's organization do exactly these actions with a resource."""
    found = (await world.sa.get("/permissions")).ok()
    row = next(row for row in found if (row["role"], row["resource"]) == (role, resource))
    (await world.sa.patch(f"/permissions/{row['id']}", {"actions": list(actions)})).ok()


def count_rows(world: World, table: str, card_id: str) -> int:
    """Count what a table keeps of a card."""
    with database(world) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table} WHERE card_id = ?", (card_id,)).fetchone()[0])
