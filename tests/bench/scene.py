"""What benches ask about: boards with very many cards, written straight into the database, and who asks."""

import http.client
import json
import random
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from service.database.point_reader import SNAPSHOT_SECONDS
from service.ids import new_id

from ..process import ServiceProcess
from ..world import Board, Client

CARDS_PER_BOARD = 5000
AT = "2026-11-20T09:05:00.000Z"
TITLE = "Card number {} of this board"
INDEX_POLL_SECONDS = 0.2
CARD = """
INSERT INTO cards (
    id, org_id, project_id, column_id, card_type_id, title, priority, due_date, assigned_agent_id, rank_key, version,
    created_by, created_at, updated_at, number
)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, '{"type":"User","id":"usr","label":"Ada"}', ?, ?, ?)
"""


class Line:
    """One connection, on which one request follows the other."""

    def __init__(self, service: ServiceProcess) -> None:
        self._line = http.client.HTTPConnection("127.0.0.1", service.port)

    def ask(self, who: Client, method: str, path: str, body: Any = None) -> Any:
        """Send one request, and return what came back."""
        headers = {**who.headers, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        data = None if body is None else json.dumps(body)
        self._line.request(method, path if path.startswith("/mcp") else "/api/v1" + path, data, headers)
        answer = self._line.getresponse()
        raw = answer.read()
        assert answer.status in (200, 204), (path, answer.status, raw)
        return json.loads(raw) if raw else None


def fill(service: ServiceProcess, who: Client, places: Iterable[tuple[Board, str]]) -> list[str]:
    """Insert a card into each of these columns of boards; return their ids once the service has indexed all of them."""
    dice, made = random.Random(1), []  # noqa: S311
    with closing(sqlite3.connect(path := database(service))) as connection:
        for number, (board, column) in enumerate(places):
            made.append(new_id("card"))
            chosen = dice.choice(["none", "none", "low", "medium", "high"])
            day, minute = dice.randint(1, 28), dice.randrange(1440)
            date = f"2026-12-{day:02d}T{minute // 60:02d}:{minute % 60:02d}:00.000Z"
            agent = dice.choice([None] * 9 + ["other"])
            place = (made[-1], who.org_id, board.id, board.columns[column], board.card_type["id"])
            about = (TITLE.format(number), chosen, dice.choice([None, None, date]), agent, (number + 1) << 32)
            connection.execute(CARD, (*place, *about, AT, AT, number + 1))
        connection.execute("UPDATE projects SET last_number = ? WHERE org_id = ?", (len(made), who.org_id))
        defer_indexing(connection)
        connection.commit()
    time.sleep(SNAPSHOT_SECONDS + 0.5)  # for which a read may look back, if another program writes
    wait_until_indexed(path)
    return made


def database(service: ServiceProcess) -> Path:
    """Return the path of a service's database."""
    return service.folder / "data" / "service.db"


def defer_indexing(connection: sqlite3.Connection) -> None:
    """Have the service index in the background, a few at a time, the cards that this transaction has written.

    Otherwise its next write would index all of them.
    """
    connection.execute("INSERT OR IGNORE INTO search_backlog SELECT org_id, card_id FROM search_pending")
    connection.execute("DELETE FROM search_pending")


def wait_until_indexed(path: Path) -> float:
    """Wait until a running service has indexed every card that was left to it; return the seconds that it took."""
    began = time.perf_counter()
    with closing(sqlite3.connect(path)) as connection:
        while connection.execute("SELECT EXISTS (SELECT 1 FROM search_backlog)").fetchone()[0]:
            time.sleep(INDEX_POLL_SECONDS)
    return time.perf_counter() - began
