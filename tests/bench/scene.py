"""What benches ask about: boards with very many cards, written straight into the database, and who asks."""

import http.client
import json
import random
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from typing import Any

from service.database.point_reader import SNAPSHOT_SECONDS
from service.database.queries import sql
from service.ids import new_id

from ..process import ServiceProcess
from ..world import Board, Client

CARDS_PER_BOARD = 5000
AT = "2026-11-20T09:05:00.000Z"
TITLE = "Card number {} of this board"
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
        """Send one request, and give what came back."""
        headers = {**who.headers, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        data = None if body is None else json.dumps(body)
        self._line.request(method, path if path.startswith("/mcp") else "/api/v1" + path, data, headers)
        answer = self._line.getresponse()
        raw = answer.read()
        assert answer.status in (200, 204), (path, answer.status, raw)
        return json.loads(raw) if raw else None


def fill(
    service: ServiceProcess, who: Client, places: Iterable[tuple[Board, str]], is_searchable: bool = False
) -> list[str]:
    """Put a card into each of these columns of boards, straight into the database; give their ids."""
    dice, made = random.Random(1), []  # noqa: S311
    with closing(sqlite3.connect(service.folder / "data" / "service.db")) as connection:
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
        if not is_searchable:
            connection.execute("DELETE FROM search_pending")  # the index would be made meanwhile
            _make_titles_known(connection, made)
        connection.commit()
    time.sleep(SNAPSHOT_SECONDS + 0.5)  # for which a read may look back, if another program writes
    return made


def _make_titles_known(connection: sqlite3.Connection, cards: Iterable[str]) -> None:
    """Put the titles of cards, and nothing else of them, into the index."""
    for number, card in enumerate(cards):
        (place,) = connection.execute(sql.search.add.text, (card,)).fetchone()
        connection.execute(sql.search.write_title.text, (place, TITLE.format(number)))
