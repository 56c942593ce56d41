"""Boards with very many cards, put straight into the database: through the API they would take a minute."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .world import Board, World

CARDS = 10_000
AT, BY = "2026-11-20T09:00:00.000Z", '{"type": "System", "id": "system", "label": null}'
ADD = """
    INSERT INTO cards (
        id, org_id, project_id, column_id, card_type_id, title, priority, rank_key, version, created_by, created_at,
        updated_at, number, assigned_user_id, assigned_agent_id, archived_at, archive_id
    )
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
    SELECT
        'card_many_' || i, :org_id, :project_id, :column_id, :card_type_id, coalesce(:title, 'Card ' || i),
        'none', i << 32, 1, :by, :at, :at, 1000000 + i, :user_id, :agent_id, :archived_at, :archive_id
    FROM n
"""


class Many:
    """A board with very many cards, and what is asked of it."""

    def __init__(self, world: World, board: Board, path: Path | None = None) -> None:
        self.world, self.board = world, board
        self._path = path or world.service.store.path

    @contextlib.contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(self._path, isolation_level=None, timeout=10)) as connection:
            yield connection

    def fill(self, count: int = CARDS, column: str = "Todo", **about: Any) -> None:
        """Put cards straight into the database."""
        where = {"org_id": self.world.sa.org_id, "project_id": self.board.id, "at": AT, "by": BY, "count": count}
        where |= {"column_id": self.board.columns[column], "card_type_id": self.board.card_type["id"]}
        optional = {"title": None, "user_id": None, "agent_id": None, "archived_at": None, "archive_id": None}
        with self._database() as connection:
            connection.execute(ADD, where | optional | about)
            connection.execute("DELETE FROM search_pending")

    def count(self, condition: str = "1", *values: Any) -> int:
        """Count these cards."""
        with self._database() as connection:
            query = f"SELECT count(*) FROM cards WHERE id LIKE 'card_many_%' AND {condition}"
            return int(connection.execute(query, values).fetchone()[0])

    def ids(self, order: str) -> list[str]:
        """List these cards in an order."""
        with self._database() as connection:
            return [
                id for (id,) in connection.execute(f"SELECT id FROM cards WHERE id LIKE 'card_many_%' ORDER BY {order}")
            ]
