"""How cost grows with what is not touched: CPU time of the server for a request, on 200, 5,000 and 100,000 cards.

    python -m tests.bench.growth [--plans] [CARDS ...]

The cards stand on boards of 5,000, a quarter of them in one column of the first board. Another card is asked each
time, so nothing is remembered from the request before. What is shown is the median of several rounds, in µs of CPU of
all threads of the server, which has one core: so other programs on the machine disturb little.
"""

import argparse
import asyncio
import http.client
import itertools
import json
import os
import random
import sqlite3
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from service.database import queries
from service.database.migrate import migrate
from service.ids import new_id

from ..conftest import make
from ..process import ServiceProcess
from ..world import SA, SECRET, Client, World

AT = "2026-11-20T09:05:00.000Z"
ENVIRONMENT = {"SERVICE_JWT_SECRET": SECRET, "SERVICE_RATE_LIMITS": "disabled", "SERVICE_GUARD_COMMENTS_PER_HOUR": "0"}
CARDS_PER_BOARD = 5000
CARD = """
INSERT INTO cards (
    id, org_id, project_id, column_id, card_type_id, title, priority, due_date, assigned_agent_id, rank_key, version,
    created_by, created_at, updated_at, number
)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, '{"type":"User","id":"usr","label":"Ada"}', ?, ?, ?)
"""
Ask = Callable[[], Any]


class Scene:
    """An organization with very many cards, and who asks for them."""

    def __init__(self, service: ServiceProcess, sa: Client, agent: Client) -> None:
        self.service, self.sa, self.agent = service, sa, agent
        self.line = http.client.HTTPConnection("127.0.0.1", service.port)
        self.dice = random.Random(1)  # noqa: S311
        self.boards: list[Any] = []
        self.cards: list[str] = []  # of the large column
        self.turns = itertools.count()

    def ask(self, who: Client, method: str, path: str, body: Any = None) -> Any:
        """Send one request, and give what came back."""
        headers = {**who.headers, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body)
        self.line.request(method, "/api/v1" + path, data, headers)
        answer = self.line.getresponse()
        raw = answer.read()
        assert answer.status in (200, 204), (path, answer.status, raw)
        return json.loads(raw) if raw else None

    def fill(self, path: Path, count: int) -> None:
        """Write the cards straight into the database."""
        self.cards = []
        with closing(sqlite3.connect(path)) as connection:
            for number in range(count):
                board = self.boards[number // CARDS_PER_BOARD]
                is_large = number < count // 4 or (len(self.boards) == 1 and number % 4 == 0)
                board = self.boards[0] if is_large else board
                column = "Todo" if is_large else self.dice.choice([*board.columns])
                card_id = new_id("card")
                self.cards += [card_id] if is_large else []
                chosen = self.dice.choice(["none", "none", "low", "medium", "high"])
                day, minute = self.dice.randint(1, 28), self.dice.randrange(1440)
                date = f"2026-12-{day:02d}T{minute // 60:02d}:{minute % 60:02d}:00.000Z"
                due = self.dice.choice([None, None, date])
                agent = self.dice.choice([None] * 9 + ["other"])
                place = (card_id, self.sa.org_id, board.id, board.columns[column], board.card_type["id"])
                about = (f"Card number {number}", chosen, due, agent, (number + 1) << 32)
                connection.execute(CARD, (*place, *about, AT, AT, number + 1))
            connection.execute("UPDATE projects SET last_number = ?", (count,))
            connection.execute("DELETE FROM search_pending")  # the index would be made meanwhile
            connection.commit()
        self.dice.shuffle(self.cards)

    def requests(self) -> dict[str, Ask]:
        """Name what is measured."""
        turn, sa, org = self.turns, self.sa, self.sa.org
        board, cards, some = self.boards[0], self.cards, self.dice.choice
        new = {"projectId": board.id, "cardTypeId": board.card_type["id"], "columnId": board.columns["Todo"]}
        columns = itertools.cycle([board.columns["In Progress"], board.columns["Todo"]])
        moved: Iterator[str] = itertools.chain.from_iterable(
            itertools.repeat(card, 2) for card in itertools.cycle(cards)
        )

        def rank() -> None:
            card, above = self.dice.sample(cards, 2)
            self.ask(sa, "PATCH", f"/cards/{card}/rank", {"afterCardId": above})

        def claim() -> None:
            claimed = self.ask(self.agent, "POST", self.agent.org("/cards/claim/mcp"), {})
            self.ask(self.agent, "DELETE", f"/cards/{claimed['id']}/claim/mcp")

        lists = {
            "first page, one board": f"projectId={board.id}",
            "first page, organization": "",
            "first page, one column": f"columnId={board.columns['Todo']}",
            "first page, by change": "sort=-updatedAt",
            "first page, by due date": "sort=dueDate",
            "first page, by priority": "sort=priority",
            "first page, of a priority": "priority=high",
            "first page, of a type": f"cardTypeId={board.card_type['id']}",
            "page 50, organization": "page=50",
            "100 cards, one board": f"pageSize=100&projectId={board.id}",
        }
        asked: dict[str, Ask] = {
            "GET, one card": lambda: self.ask(sa, "GET", f"/cards/{cards[0]}"),
            "GET, another each time": lambda: self.ask(sa, "GET", f"/cards/{cards[next(turn) % len(cards)]}"),
            "rank": rank,
            "move": lambda: self.ask(sa, "PATCH", f"/cards/{next(moved)}/status", {"toColumnId": next(columns)}),
            "comment": lambda: self.ask(sa, "POST", f"/cards/{some(cards)}/comments", {"content": "As people write."}),
            "create": lambda: self.ask(sa, "POST", org("/cards"), {**new, "title": f"Card {next(turn)}"}),
            "claim_next + release": claim,
        }
        return asked | {
            name: (lambda query=query: self.ask(sa, "GET", org(f"/cards?{query}"))) for name, query in lists.items()
        }


def cpu(service: ServiceProcess) -> float:
    """Give the CPU time of all threads of a service so far, in µs."""
    tasks = Path(f"/proc/{service.process.pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1000


def measured(service: ServiceProcess, ask: Ask, rounds: int = 5, requests: int = 60) -> float:
    """Give the median CPU time of one request in µs."""
    ask()
    found = []
    for _ in range(rounds):
        before = cpu(service)
        for _ in range(requests):
            ask()
        found.append((cpu(service) - before) / requests)
    return statistics.median(found)


async def _furnished(service: ServiceProcess, count: int) -> Scene:
    async with World(service.url).visit() as world:
        world.sa = await world.login(SA)
        scene = Scene(service, world.sa, await world.agent())
        scene.boards = [await world.board(title=f"B{n}") for n in range(max(1, count // CARDS_PER_BOARD))]
        await asyncio.to_thread(scene.fill, service.folder / "data" / "service.db", count)
        await asyncio.sleep(1.5)  # a read may look back so long, if another program writes
        return scene


def grown(count: int, plans: bool) -> dict[str, float]:
    """Measure on so many cards."""
    with tempfile.TemporaryDirectory() as folder:
        (data := Path(folder) / "data").mkdir()
        migrate(data / "service.db")
        asyncio.run(make(data / "service.db"))
        with ServiceProcess(Path(folder), ENVIRONMENT) as service:
            os.sched_setaffinity(service.process.pid, {0})
            scene = asyncio.run(_furnished(service, count))
            found = {name: measured(service, ask) for name, ask in scene.requests().items()}
        if plans:
            _plans(data / "service.db")
    return found


def _plans(path: Path) -> None:
    statements = [queries.sql.claims.best, queries.sql.cards.in_rank, queries.sql.cards.by_change]
    statements += [queries.sql.cards.by_due_date, queries.sql.cards.by_urgency, queries.sql.columns.count_all_cards]
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            print(f"\n{statement.name}")
            for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {statement.text}", [1] * len(statement.parameters)):
                print(f"  {step}")


def main() -> None:
    """Measure each size, and print them side by side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cards", type=int, nargs="*", default=[200, 5000, 100_000])
    parser.add_argument("--plans", action="store_true", help="print by which indexes the largest one is asked")
    options = parser.parse_args()
    tables = [grown(count, options.plans and count == options.cards[-1]) for count in options.cards]
    print("\n" + "CPU µs a request".ljust(28) + "".join(f"{count:>10,}" for count in options.cards) + "     worst")
    for name in tables[0]:
        cells = [table[name] for table in tables]
        print(name.ljust(28) + "".join(f"{cell:>10,.0f}" for cell in cells) + f"{max(cells) / cells[0]:>9.2f}x")


if __name__ == "__main__":
    main()
