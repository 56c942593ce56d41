"""Memory that large work needed is given back to the system: after imports, and after loads of many kinds."""

import asyncio
import io
import json
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest

from service import config

from . import memory
from .many_cards import Many
from .process import ServiceProcess
from .world import Board, Client, World

pytestmark = pytest.mark.slow
MIB_MAX = 70  # beyond the start: caches of answers (40), prepared statements, code that was loaded meanwhile
SECONDS = 25  # in which it is given back
TEXT = "x" * 99_000
Ask = Callable[[int], Awaitable[Any]]


async def wait_until_given_back(service: ServiceProcess, before: float) -> float:
    """Wait until the process has at most so much more memory than before; return how much it has, in MiB."""
    for _ in range(SECONDS):
        if (more := memory.resident_mib(service) - before) <= MIB_MAX:
            break
        await asyncio.sleep(1)
    return more


async def import_trello(client: Client, board: Any) -> None:
    body = io.BytesIO(json.dumps(board).encode())
    headers = {"Content-Type": "application/json"}
    (await client.call("POST", "/admin/import/trello", data=body, headers=headers)).ok()


def with_long_texts() -> Any:
    items = [{"name": "x" * 1000}] * 10_000
    checklists = [{"id": str(number), "idCard": "c", "checkItems": items} for number in range(4)]
    return {"lists": [{"id": "a"}], "cards": [{"id": "c", "idList": "a"}], "checklists": checklists}


def with_labels() -> Any:
    labels = [{"id": f"{number:x}", "name": f"{number}{'x' * 190}"} for number in range(200)]
    ids = [label["id"] for label in labels]
    return {"lists": [{"id": "a"}], "labels": labels, "cards": [{"idList": "a", "idLabels": ids}] * 100}


def with_cards() -> Any:
    cards = [{"id": str(number), "name": f"Card {number}", "idList": "a"} for number in range(4_000)]
    return {"lists": [{"id": "a"}], "cards": cards}


async def test_memory_is_given_back_after_imports(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        before = memory.resident_mib(service_process)
        with memory.growth(service_process) as grown:
            for board in (with_long_texts(), with_labels(), with_cards()):
                await import_trello(world.sa, board)
            await asyncio.gather(*(import_trello(client, with_long_texts()) for client in (world.sa, world.outsider)))
        assert grown.mib > 2 * MIB_MAX  # so that there is something to give back
        more = await wait_until_given_back(service_process, before)
        assert more <= MIB_MAX


class Loads:
    """Many kinds of load on one board."""

    def __init__(self, world: World, board: Board, cards: list[Any], bot: Client) -> None:
        self.world, self.board, self.cards, self.bot = world, board, cards, bot
        self.large = f"/cards/{cards[0]['id']}"

    def kinds(self) -> dict[str, tuple[int, Ask]]:
        """Return the loads by name: how often a request is sent, and the request."""
        sa, org, large, cards = self.world.sa, self.world.sa.org, self.large, self.cards

        def read(path: str, **query: str) -> Ask:
            return lambda number: sa.get(path, params=query)

        return {
            "board": (20, read(org("/board"), projectId=self.board.id)),
            "board, compressed": (
                60,
                lambda _: sa.get(
                    org("/board"), params={"projectId": self.board.id}, headers={"Accept-Encoding": "gzip"}
                ),
            ),
            "large card": (66, read(large)),
            "context": (66, read(f"{large}/context")),
            "history": (66, read(f"{large}/history")),
            "comments": (66, read(f"{large}/comments")),
            "cards": (66, lambda number: sa.get(org("/cards"), params={"page": str(number + 1), "pageSize": "100"})),
            "search": (66, lambda number: sa.get(org("/search"), params={"q": f"card {number}"})),
            "field values": (16, read(org("/field-values"))),
            "changes": (33, read(org("/changes"), since="0")),
            "catch-up": (16, lambda _: self.world.member.get(org("/catch-up"), params={"since": "0"})),
            "attention": (16, read(org("/attention"))),
            "reports": (10, read(org("/analytics/series"))),
            "export": (4, lambda _: self._export()),
            "duplicate": (6, lambda _: sa.post(f"{large}/duplicate", {})),
            "edit of a large card": (16, lambda number: sa.patch(large, {"title": f"T{number}"})),
            "comment": (166, lambda number: sa.post(f"{large}/comments", {"content": TEXT[: 5000 + number]})),
            "batch": (6, lambda number: sa.post(org("/cards/batch"), {"operations": self._operations(number)})),
            "move": (66, self._move),
            "large bodies": (66, lambda _: sa.post(org("/cards"), {"title": "x", "x": ["a" * 100] * 9000})),
            "bodies with many values": (66, lambda _: sa.post(org("/cards"), {"title": "x", "x": [1] * 60_000})),
            "bodies that are no JSON": (33, lambda _: sa.call("POST", org("/cards"), data=b"{" * 1_000_000)),
            "uploads": (4, lambda number: self._upload(cards[number]["id"])),
            "tools": (33, lambda _: self._call_tool()),
            "sign-ins": (13, lambda _: self.world.nobody.post("/auth/login", {"email": "a@b.cd", "password": "x"})),
            "event streams": (33, lambda _: self._listen()),
            "reference": (33, lambda _: self.world.nobody.get("/../openapi.json")),
            "nothing there": (166, read("/nothing")),
        }

    async def _export(self) -> None:
        async with self._http.get(f"{self.world.url}/api/v1/admin/export", headers=self.world.sa.headers) as answer:
            while await answer.content.readany():
                pass

    def _operations(self, number: int) -> Any:
        return [{"cardId": row["id"], "priority": ("low", "high")[number % 2]} for row in self.cards[1:101]]

    async def _move(self, number: int) -> Any:
        column = self.board.columns[("Todo", "In Progress")[number % 2]]
        return await self.world.sa.patch(f"/cards/{self.cards[number]['id']}/status", {"toColumnId": column})

    async def _upload(self, card_id: str) -> Any:
        form = aiohttp.FormData({"cardId": card_id, "fieldId": self.board.field("attachments")})
        form.add_field("file", b"x" * 20_000_000, filename="a.bin")
        return await self.world.sa.call("POST", "/files", data=form)

    async def _call_tool(self) -> Any:
        arguments = {"card": self.cards[0]["key"]}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        body = {**message, "params": {"name": "get_card", "arguments": arguments}}
        headers = {**self.bot.headers, "Accept": "application/json, text/event-stream"}
        async with self._http.post(f"{self.world.url}/mcp", json=body, headers=headers) as answer:
            return await answer.read()

    async def _listen(self) -> Any:
        path = f"{self.world.url}/api/v1{self.world.sa.org('/events')}"
        async with self._http.get(path, headers=self.world.sa.headers) as answer:
            return await answer.content.read(1)

    @property
    def _http(self) -> aiohttp.ClientSession:
        return self.world.nobody.http


async def test_memory_is_given_back_after_many_kinds_of_load(
    service_process: ServiceProcess, settings: config.Settings
) -> None:
    async with World(service_process.url) as world:
        before = memory.resident_mib(service_process)
        board = await world.board()
        cards = [await world.card(board, title=f"Card {number}") for number in range(200)]
        for number in range(6):
            field_id = await world.field(board, f"text{number}", "richtext")
            values = [{"fieldId": field_id, "value": TEXT}]
            (await world.sa.patch(f"/cards/{cards[0]['id']}", {"fieldValues": values})).ok()
        Many(world, board, settings.database).fill(2_000, title=TEXT[:500])
        loads = Loads(world, board, cards, await world.agent())
        kinds = loads.kinds()
        assert len(kinds) > 25
        for count, ask in kinds.values():
            await _send(count, ask)
        more = await wait_until_given_back(service_process, before)
        assert more <= MIB_MAX


async def _send(count: int, ask: Ask) -> None:
    """Send a request very often, on up to 64 connections."""
    slots = asyncio.Semaphore(64)

    async def send_one(number: int) -> None:
        async with slots:
            await ask(number)

    await asyncio.gather(*(send_one(number) for number in range(count)), return_exceptions=True)
