"""How cost grows with what is not touched: CPU time of the server for a request, on 200, 5,000 and 100,000 cards.

    python -m tests.bench.growth [--plans] [--rounds N] [--only WORDS] [CARDS ...]

The cards stand on boards of 5,000, a quarter of them in one column of the first board. Another card is asked each
time; the fewest come again within a second, and are remembered unless something has changed. What is shown is the
median of several rounds, in µs of CPU of all threads of a server, which has one core: on the fewest cards, there also
in answers of a bare aiohttp "hello", and on more, with how many times that it is on the fewest (median, least and most;
! where it is over 1.3). Hello and the sizes are measured in turns, so other programs on the machine disturb little.

Before each list, and each card of one row, something changes in the organization, which is not counted: the answer is
made anew. What a list costs that is kept, since nothing has changed, a row of its own shows.
"""

import argparse
import asyncio
import http.client
import itertools
import random
import sqlite3
import statistics
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from service.database import queries

from ..process import ServiceProcess
from ..world import SA, Board, Client, World
from . import scene, yardstick

REQUESTS_PER_ROUND, CARDS_IN_SMALL_COLUMN = 40, 50
WORST_FACTOR = 1.3  # that a request on the most cards may cost, of what it costs on the fewest
AFTER_CHANGE = "GET, another after a change"
Ask = Callable[[], Any]


class Scene:
    """An organization with very many cards, and who asks for them."""

    def __init__(self, service: ServiceProcess, sa: Client, agent: Client, boards: list[Board], count: int) -> None:
        self.sa, self.agent, self.boards, self.pid = sa, agent, boards, service.process.pid
        self.ask = scene.Line(service).ask
        self.dice = random.Random(1)  # noqa: S311
        self.turns = itertools.count()
        places = [self._place(number, count) for number in range(count)] + [
            (boards[-1], "Todo")
        ] * CARDS_IN_SMALL_COLUMN
        made = scene.fill(service, sa, places)
        large = boards[0], "Todo"
        self.cards = [card for card, place in zip(made, places, strict=True) if place == large]
        self.dice.shuffle(self.cards)

    def _place(self, number: int, count: int) -> tuple[Board, str]:
        """Say where a card stands: a quarter of them in one column, the others anywhere on a board of their own."""
        if number < count // 4:
            return self.boards[0], "Todo"
        board = self.boards[number // scene.CARDS_PER_BOARD]
        others = [title for title in board.columns if title != "Todo" or board is not self.boards[0]]
        return board, self.dice.choice(others)

    def requests(self) -> dict[str, Ask]:
        """Name what is measured."""
        turn, sa, cards, some = self.turns, self.sa, self.cards, self.dice.choice
        columns = itertools.cycle([self.boards[0].columns[title] for title in ("In Progress", "Todo")])
        moved = itertools.chain.from_iterable(itertools.repeat(card, 2) for card in itertools.cycle(cards))
        return {
            "GET, one card": lambda: self.ask(sa, "GET", f"/cards/{cards[0]}"),
            "GET, another each time": lambda: self.ask(sa, "GET", f"/cards/{cards[next(turn) % len(cards)]}"),
            AFTER_CHANGE: lambda: self.ask(sa, "GET", f"/cards/{cards[next(turn) % len(cards)]}"),
            "move": lambda: self.ask(sa, "PATCH", f"/cards/{next(moved)}/status", {"toColumnId": next(columns)}),
            "comment": lambda: self.ask(sa, "POST", f"/cards/{some(cards)}/comments", {"content": "As people write."}),
            "create, column of 50": lambda: self._create(self.boards[-1]),
            "create, a quarter of all": lambda: self._create(self.boards[0]),
            "rank": self._rank,
            "claim_next + release": self._claim,
            "first page, kept": lambda: self._list(""),
            **self.lists(),
        }

    def _create(self, board: Board) -> None:
        place = {"projectId": board.id, "cardTypeId": board.card_type["id"], "columnId": board.columns["Todo"]}
        self.ask(self.sa, "POST", self.sa.org("/cards"), {**place, "title": f"Card {next(self.turns)}"})

    def _rank(self) -> None:
        card, above = self.dice.sample(self.cards, 2)
        self.ask(self.sa, "PATCH", f"/cards/{card}/rank", {"afterCardId": above})

    def _claim(self) -> None:
        claimed = self.ask(self.agent, "POST", self.agent.org("/cards/claim/mcp"), {})
        self.ask(self.agent, "DELETE", f"/cards/{claimed['id']}/claim/mcp")

    def change(self) -> None:
        """Change something about the organization that no list shows."""
        self.ask(
            self.sa, "PATCH", self.sa.org(f"/projects/{self.boards[-1].id}"), {"title": f"Board {next(self.turns)}"}
        )

    def lists(self) -> dict[str, Ask]:
        """Name the lists that are measured."""
        board = self.boards[0]
        queries = {
            "first page, organization": "",
            "first page, one board": f"projectId={board.id}",
            "first page, one column": f"columnId={board.columns['Todo']}",
            "first page, of a type": f"cardTypeId={board.card_type['id']}",
            "first page, of a priority": "priority=high",
            "first page, of an agent": "assignedAgentId=other",
            "first page, of a person": f"assignedUserId={self.sa.id}",
            "first page, of nobody": "assignedUserId=none",
            "first page, overdue": "due=overdue",
            "first page, changed since": "updatedSince=2026-01-01",
            "first page, claimed by": f"claimedBy={self.agent.id}",
            "first page, part of a title": "q=number%20{}%20of",
            "first page, part of all titles": "q=number",
            "first page, by change": "sort=-updatedAt",
            "first page, by due date": "sort=dueDate",
            "first page, by priority": "sort=priority",
            "page 8, organization": "page=8",
            "100 cards, one board": f"pageSize=100&projectId={board.id}",
        }
        return {
            name: (lambda query=query: self._list(query.format(self.dice.randrange(len(self.cards)))))
            for name, query in queries.items()
        }

    def _list(self, query: str) -> None:
        self.ask(self.sa, "GET", self.sa.org(f"/cards?{query}"))


def measured(hello: yardstick.Hello, scenes: list[Scene], name: str, rounds: int) -> list[list[float]]:
    """Give what hello and a request in a scene cost in each round, in µs of CPU: in turns, as the machine changes."""
    line = http.client.HTTPConnection(urlsplit(hello.url).netloc)
    asks = [scenery.requests()[name] for scenery in scenes]
    for ask in asks * 2:  # an even number, so that what was moved there has come back
        ask()
    found: list[list[float]] = []
    for _ in range(rounds):
        found.append([_cost(hello.pid, partial(_greet, line))])
        for scenery, ask in zip(scenes, asks, strict=True):
            found[-1].append(
                _cost(scenery.pid, ask, scenery.change if name in [AFTER_CHANGE, *scenery.lists()] else None)
            )
    return [list(costs) for costs in zip(*found, strict=True)]


def _greet(line: http.client.HTTPConnection) -> None:
    line.request("GET", "/")
    line.getresponse().read()


def _cost(pid: int, ask: Ask, prepare: Ask | None = None) -> float:
    """Give what a request costs, of some; what prepares each is not counted."""
    total = 0.0
    for _ in range(REQUESTS_PER_ROUND):
        if prepare:
            prepare()
        before = yardstick.cpu(pid)
        ask()
        total += yardstick.cpu(pid) - before
    return total / REQUESTS_PER_ROUND


async def _furnished(service: ServiceProcess, count: int) -> Scene:
    async with World(service.url).ctx() as world:
        world.sa = await world.login(SA)
        boards = [await world.board(title=f"B{n}") for n in range(max(1, count // scene.CARDS_PER_BOARD) + 1)]
        return await asyncio.to_thread(Scene, service, world.sa, await world.agent(), boards, count)


def _plans(path: Path) -> None:
    cards, columns = queries.sql.cards, queries.sql.columns
    statements = [
        queries.sql.claims.find_best,
        cards.get,
        cards.list_by_rank,
        cards.list_by_change,
        cards.list_by_due_date,
    ]
    statements += [
        cards.list_by_urgency,
        cards.list_of_organization,
        cards.list_of_type,
        cards.list_of_agent,
        cards.list_of_user,
    ]
    statements += [columns.count_all_cards]
    statements += [queries.sql.moves.list_destinations, queries.sql.ranks.find_above]
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            print(f"\n{statement.name}")
            for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {statement.text}", [1] * len(statement.parameters)):
                print(f"  {step}")


def show(name: str, hellos: list[float], first: list[float], *others: list[float]) -> None:
    """Print what a request costs in each scene, and how many times that of the first: the median of rounds, and all."""
    cells = [f"{statistics.median(ratios(first, hellos)):>8.1f}{statistics.median(first):>8,.0f}"]
    for costs in others:
        factors = ratios(costs, first)
        mark = "!" if statistics.median(factors) > WORST_FACTOR else " "
        cells.append(f"{statistics.median(costs):>9,.0f}{yardstick.spread(factors, '.2f'):>23}{mark}")
    print(name.ljust(28) + "".join(cells), flush=True)


def ratios(costs: list[float], others: list[float]) -> list[float]:
    """Give how many times others something costs, round by round."""
    return [cost / other for cost, other in zip(costs, others, strict=True)]


def main() -> None:
    """Measure all sizes in turns, and print them side by side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cards", type=int, nargs="*", default=[200, 5000, 100_000])
    parser.add_argument("--plans", action="store_true", help="print by which indexes the largest one is asked")
    parser.add_argument("--only", default="", help="words of the requests to measure")
    parser.add_argument("--rounds", type=int, default=5, help="the median of so many is shown")
    options = parser.parse_args()
    yardstick.describe()
    with ExitStack() as stack:
        hello = stack.enter_context(yardstick.hello())
        services = [stack.enter_context(yardstick.service()) for _ in options.cards]
        scenes = [asyncio.run(_furnished(one, count)) for one, count in zip(services, options.cards, strict=True)]
        first, *others = options.cards
        head = "".join(f"{count:>9,}{'factor':>23} " for count in others)
        print(f"{'CPU µs a request':<28}{'hellos':>8}{first:>8,}{head}")
        for name in (name for name in scenes[0].requests() if options.only in name):
            show(name, *measured(hello, scenes, name, options.rounds))
        if options.plans:
            _plans(services[-1].folder / "data" / "service.db")


if __name__ == "__main__":
    main()
