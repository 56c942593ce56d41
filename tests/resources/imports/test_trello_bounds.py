"""A Trello file makes no more than it has, within bounds, and its reading keeps nobody else's import waiting."""

import asyncio
import json
from time import sleep
from typing import Any

import pytest

from service.errors import Overloaded
from service.resources.imports import imports, reading, trello, trello_rows
from service.runtime.turns import Turns

from ... import raw_http
from ...http.test_connection import head, until
from ...process import ServiceProcess
from ...world import World
from .test_trello import LISTS, ROUTE, count, send

SMALL = {"name": "Small", "lists": LISTS, "cards": [{"name": "C", "idList": "a"}]}


def large(cards: int, text: str = "text " * 10) -> bytes:
    """Return a board whose reading takes seconds."""
    rows = [{"id": str(number), "name": f"Card {number}", "idList": "a", "desc": text} for number in range(cards)]
    return json.dumps({"name": "Large", "lists": LISTS, "cards": rows}).encode()


def request(world: World, content: bytes) -> bytes:
    return head("POST", ROUTE, world.sa, Content_Length=len(content)) + content


async def until_idle(world: World) -> None:
    """Wait until no import is in progress."""
    await until(lambda: not world.service.imports._in_use)


async def test_ids_that_repeat_make_nothing_more_and_are_counted(world: World) -> None:
    before = await count(world)
    many = 300
    comment = {"type": "commentCard", "data": {"text": "Hello", "card": {"id": "c"}}}
    board = {
        "lists": [{"id": "a", "name": "A", "closed": True}] * many + [{"id": "b"}],
        "cards": [{"id": "c", "name": "C", "idList": "a"}] * many,
        "actions": [{**comment, "id": str(number % 2)} for number in range(many)],
    }
    report = (await send(world.sa, board)).ok()
    made = dict(zip(("projects", "columns", "types", "fields", "cards", "comments"), await count(world), strict=False))
    assert [made[key] - old for key, old in zip(made, before, strict=False)] == [1, 2, 1, 3, 1, 2]
    found = {row["what"]: (row["count"], row["note"]) for row in report["left"]}
    reason = "an earlier one has the same id"
    assert found["repeated lists"] == (299, reason)
    assert found["repeated cards"] == (299, reason)
    assert found["repeated comments"] == (298, reason)


async def test_of_200_lists_the_further_ones_lead_to_their_neighbors(world: World) -> None:
    sa = world.sa
    lists = [{"id": str(number), "name": f"L{number}", "pos": number} for number in range(120)]
    report = (await send(sa, {"lists": lists, "cards": []})).ok()
    assert report["summary"]["imported"]["statusTransitions"] == 9_900 + 40
    where = {"projectId": report["project"]["id"]}
    columns = {row["id"]: row["title"] for row in (await sa.get(sa.org("/columns"), params=where)).ok()}
    transitions = (await sa.get(sa.org("/transitions"), params=where)).ok()
    moves = {(columns[row["fromColumnId"]], columns[row["toColumnId"]]) for row in transitions}
    assert {origin for origin, target in moves if target == "L110"} == {"L109", "L111"}
    assert len({origin for origin, target in moves if target == "L50"}) == 99


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"labels": [{"name": "L"}] * 2001}, "2,001 labels"),
        ({"customFields": [{"type": "text", "name": "X"}] * 12_000}, "12,000 custom fields"),
        ({"lists": [{"id": str(number)} for number in range(201)]}, "201 open lists"),
    ],
)
async def test_more_than_a_board_can_have_is_refused(world: World, more: Any, words: str) -> None:
    before = await count(world)
    for params in ({}, {"dryRun": "true"}):
        answer = await send(world.sa, {**SMALL, **more}, params=params)
        answer.refused(400, "InvalidSnapshotShape")
        assert words in answer.body["error"]["message"]
    assert await count(world) == before


@pytest.mark.parametrize(("name", "limit"), [("ROWS_MAX", 50), ("TEXT_BYTES_MAX", 5_000)])
async def test_rows_and_texts_that_are_made_have_bounds(
    world: World, monkeypatch: pytest.MonkeyPatch, name: str, limit: int
) -> None:
    before = await count(world)
    monkeypatch.setattr(trello_rows, name, limit)
    labels = [{"id": f"{number:x}", "name": f"{number:x}{'x' * 100}"} for number in range(30)]
    cards = [{"idList": "a", "idLabels": [row["id"] for row in labels], "desc": "D"}] * 20
    answer = await send(world.sa, {"lists": LISTS, "cards": cards, "labels": labels})
    answer.refused(400, "InvalidSnapshotShape")
    assert "500,000 rows" in answer.body["error"]["message"]
    assert "1 GiB of texts" in answer.body["error"]["message"]
    assert await count(world) == before
    (await send(world.sa, SMALL)).ok()


def test_the_bounds_are_those_of_the_reference() -> None:
    assert (trello_rows.ROWS_MAX, trello_rows.TEXT_BYTES_MAX, reading.BOARD_SECONDS_MAX) == (500_000, 1 << 30, 60)


async def test_values_count_as_rows_and_texts_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"title": "ä", "fieldValues": [{"value": ["é", "x"]}, {"value": "1"}], "number": 5, "none": None}
    assert trello_rows._count_text_bytes(row) == 2 + 3 + 1
    monkeypatch.setattr(trello_rows, "ROWS_MAX", 3)
    assert len(list(trello_rows._limit(iter([("cards", 0, row)])))) == 1
    with pytest.raises(trello_rows.BadRequest):
        list(trello_rows._limit(iter([("cards", 0, row), ("cards", 1, {})])))


async def test_a_board_whose_reading_takes_too_long_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    before = await count(world)
    monkeypatch.setattr(trello, "BOARD_SECONDS_MAX", 0.2)
    answer = await send(world.sa, large(30_000))
    answer.refused(503, "too_expensive")
    assert "nothing was imported" in answer.body["error"]["message"]
    assert await count(world) == before
    await until_idle(world)


async def test_a_small_import_does_not_wait_for_the_reading_of_a_large_one(world: World) -> None:
    first = asyncio.create_task(send(world.sa, large(40_000)))
    await until(lambda: imports._readings._sizes)
    second = await send(world.outsider, SMALL)
    assert not first.done()
    assert second.ok()["summary"]["imported"]["cards"] == 1
    first.cancel()
    await asyncio.wait({first})
    await until_idle(world)


async def test_of_one_organization_one_file_is_read_at_a_time(world: World) -> None:
    tasks = [asyncio.create_task(send(world.sa, large(10_000), params={"dryRun": "true"})) for _ in range(2)]
    most = 0
    while not all(task.done() for task in tasks):
        most = max(most, len(imports._readings._sizes))
        await asyncio.sleep(0.01)
    for task in tasks:
        (await task).ok()
    assert most == 1


async def test_a_client_that_leaves_ends_the_import(world: World) -> None:
    before = await count(world)
    async with raw_http.sent(world.url, request(world, large(200_000, ""))):
        await until(lambda: imports._readings._sizes)
    await until_idle(world)  # its reading alone would take much longer
    assert not imports._readings._sizes
    assert await count(world) == before
    (await send(world.sa, SMALL)).ok()


async def test_a_client_that_leaves_while_rows_are_checked_ends_the_import(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, checked = await count(world), asyncio.Event()
    loop, dry_run = asyncio.get_running_loop(), imports._dry_run

    def begin(operation: Any, staged: Any, *others: Any) -> Any:
        loop.call_soon_threadsafe(checked.set)
        while not staged.is_cancelled:
            sleep(0.01)
        return dry_run(operation, staged, *others)

    monkeypatch.setattr(imports, "_dry_run", begin)
    async with raw_http.sent(world.url, request(world, large(6_000, ""))):
        await asyncio.wait_for(checked.wait(), 60)
    await until_idle(world)
    assert await count(world) == before


def test_the_largest_board_gives_way_if_all_together_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "BOARDS_BYTES_MAX", 100)
    sizes: dict[reading.Reading, int] = {}
    with Turns().join() as turn:
        small, big = reading.Reading(turn, sizes), reading.Reading(turn, sizes)
        big.reserve(95)
        small.reserve(10)
        with pytest.raises(Overloaded):
            big.reserve(1)
        assert sizes[small] == 10


@pytest.mark.slow
async def test_a_stop_does_not_wait_for_the_reading_of_a_file(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world, raw_http.sent(world.url, request(world, large(300_000, ""))):
        await asyncio.sleep(3)
        # 0: it was not ended by force, which happens after 7.5 s.
        assert await asyncio.to_thread(service_process.stop) == 0
