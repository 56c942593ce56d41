"""GET /organizations/{orgId}/changes: the log of events for those who ask now and then."""

import asyncio
import signal
import sqlite3
import time
from contextlib import closing
from typing import Any

import pytest

from service.database.queries import sql

from .. import raw_http
from ..direct_db import execute, rows
from ..process import ServiceProcess
from ..streams import all_changes, changes, listening, position, types
from ..world import Client, World

COPIED = "org_id, type, card_id, card_key, project_id, about, actor_type, actor_id, actor_label, created_at"


async def retitle(who: Client, title: str) -> None:
    (await who.patch(who.org(), {"title": title})).ok()


async def test_without_since_there_is_only_the_id_to_start_from(world: World) -> None:
    assert await changes(world.sa) == {"items": [], "next": "0", "hasMore": False, "reset": False}
    await retitle(world.sa, "One")
    assert await changes(world.sa) == {"items": [], "next": "1", "hasMore": False, "reset": False}


async def test_changes_are_the_events_that_listeners_hear(world: World) -> None:
    board, bot = await world.board(), await world.agent()
    start = await position(world.sa)
    async with listening(world.sa) as listener:
        card = await world.card(board, by=bot)
        (await world.member.patch(f"/cards/{card['id']}", {"title": "New"})).ok()
        heard = await listener.events(2)
    found = await changes(world.sa, since=start)
    assert found == {"items": heard, "next": heard[-1]["id"], "hasMore": False, "reset": False}
    assert await changes(bot, since=start) == found
    assert await changes(world.sa, since=found["next"]) == {**found, "items": []}


async def test_a_long_list_comes_in_parts_without_gap_or_overlap(world: World) -> None:
    start = await position(world.sa)
    for number in range(25):
        await retitle(world.sa, f"Title {number}")
    found, last, parts = [], start, 0
    while True:
        part = await changes(world.sa, since=last, limit=10)
        found, last, parts = found + part["items"], part["next"], parts + 1
        if not part["hasMore"]:
            break
    assert [event["id"] for event in found] == [str(int(start) + number) for number in range(1, 26)]
    assert parts == 3
    assert (await changes(world.sa, since=start, limit=25))["hasMore"] is False
    assert len((await changes(world.sa, since=start))["items"]) == 25


async def test_no_position_tells_what_happened_in_another_organization(world: World) -> None:
    bot = await world.agent()
    await world.card(board := await world.board())
    start, expected = await position(world.sa), await positions_shown(world, bot, board.id)
    assert set(expected) == {start}
    for number in range(3):
        await retitle(world.outsider, f"Other {number}")
    other = await position(world.outsider)
    assert int(other) > int(start)
    assert await positions_shown(world, bot, board.id) == expected
    for since in (other, str(int(start) + 1)):  # nor does the answer to a guess
        guess = {"items": [], "next": start, "hasMore": False, "reset": True}
        assert await changes(world.sa, since=since) == guess
        assert (await world.sa.call("PUT", world.sa.org("/seen"), {"eventId": since})).invalid() == ["eventId"]
    async with listening(world.sa, last_id=other, first="reset") as listener:
        assert listener.opening.id == start


async def positions_shown(world: World, bot: Client, project_id: str) -> list[str]:
    """Return each id of an event by which the routes say where the log ends."""
    sa = world.sa
    board = (await sa.get(sa.org("/board"), params={"projectId": project_id})).ok()
    caught_up = (await sa.get(sa.org("/catch-up"), params={"since": "0s"})).ok()
    waiting = (await bot.get(bot.org("/inbox/mcp"))).ok()
    async with listening(sa) as listener:
        opening = listener.opening.id
    polled = [await changes(sa), await changes(sa, since="0s"), await changes(bot)]
    ids = [answer["next"] for answer in polled]
    return [*ids, board["at"], caught_up["since"], caught_up["at"], caught_up["next"], waiting["next"], opening]


async def test_the_position_of_one_response_is_known_to_the_next(world: World) -> None:
    """The writer commits on its own thread, so a response can show an event before the event loop knows of it."""
    await retitle(world.sa, "One")
    assert world.service is not None
    store = world.service.store
    for number in range(3):
        start = await position(world.sa)
        store.read_inline(lambda tx: tx.one(sql.events.id_range, org_id=world.sa.org_id))
        with closing(sqlite3.connect(store.path)) as another, another:
            another.execute(f"INSERT INTO events ({COPIED}) SELECT {COPIED} FROM events ORDER BY id DESC LIMIT 1")
        shown = await changes(world.sa, since=start)
        assert [event["id"] for event in shown["items"]] == [shown["next"]] == [str(int(start) + 1)], number
        assert await changes(world.sa, since=shown["next"]) == {**shown, "items": []}
        async with listening(world.sa, since=shown["next"]):  # the first message is "ready", not "reset"
            pass


@pytest.mark.parametrize("since", ["999999999", "9" * 30])
async def test_an_unknown_id_says_that_everything_must_be_loaded_again(world: World, since: str) -> None:
    await retitle(world.sa, "One")
    current = await position(world.sa)
    expected = {"items": [], "next": current, "hasMore": False, "reset": True}
    assert await changes(world.sa, since=since, wait=50) == expected


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"limit": "all"}, "limit"),
        ({"limit": "1.0"}, "limit"),
        *[({"since": since}, "since") for since in ("-1", "+1", "x", "1.5", "1 OR 1", "2w", "3H", "9999999d")],
        ({"wait": -1}, "wait"),
        ({"wait": 51}, "wait"),
        ({"page": 1}, "page"),
    ],
)
async def test_a_wrong_query_is_refused(world: World, query: dict[str, Any], path: str) -> None:
    assert (await world.sa.get(world.sa.org("/changes"), params=query)).invalid() == [path]


async def test_a_long_poll_returns_when_something_changes(world: World) -> None:
    bot = await world.agent()
    start = await position(bot)
    waiting = [asyncio.create_task(changes(who, since=start, wait=50)) for who in (bot, world.member) for _ in range(5)]
    started = time.monotonic()
    await retitle(world.outsider, "Elsewhere")
    await retitle(world.sa, "Here")
    for found in await asyncio.gather(*waiting):
        assert [event["type"] for event in found["items"]] == ["organization.updated"]
        assert found["items"][0]["actor"]["id"] == world.sa.id
    assert time.monotonic() - started < 10


async def test_a_long_poll_without_since_returns_the_next_change(world: World) -> None:
    waiting = asyncio.create_task(changes(world.sa, wait=50))
    async with asyncio.timeout(20):
        while not waiting.done():
            await retitle(world.sa, f"Title {time.monotonic()}")
    assert len((await waiting)["items"]) >= 1


async def test_a_long_poll_without_changes_returns_an_empty_list(world: World) -> None:
    start, started = await position(world.sa), time.monotonic()
    assert (await changes(world.sa, since=start, wait=1))["items"] == []
    assert 1 <= time.monotonic() - started < 10


async def test_a_long_poll_returns_earlier_changes_at_once(world: World) -> None:
    start, started = await position(world.sa), time.monotonic()
    await retitle(world.sa, "Before")
    assert len((await changes(world.sa, since=start, wait=50))["items"]) == 1
    assert time.monotonic() - started < 10


async def test_a_long_poll_ends_with_the_access_of_its_caller(world: World) -> None:
    bot = await world.agent()
    start = await position(bot)
    waiting = asyncio.create_task(bot.get(bot.org("/changes/mcp"), params={"since": start, "wait": 50}))
    (await world.sa.patch("/agents/bot/stop")).ok()
    (await waiting).refused(403, "agent_stopped")


async def test_waiting_long_polls_do_not_delay_the_shutdown(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        start = await position(world.sa)
        line = f"GET /api/v1{world.sa.org('/changes')}?since={start}&wait=50 HTTP/1.1"
        request = f"{line}\r\nHost: tests\r\nAuthorization: {world.sa.headers['Authorization']}\r\n\r\n".encode()
        async with raw_http.sent(service_process.url, request) as waiting, listening(world.sa):
            await position(world.sa)  # whoever answers this has read the request above
            started = time.monotonic()
            service_process.signal(signal.SIGTERM)
            assert (await raw_http.read_answer(waiting)).ok()["items"] == []
        assert await asyncio.to_thread(service_process.wait) == 0
        assert time.monotonic() - started < 3


async def test_an_archived_organization_tells_nobody_until_it_is_back(world: World) -> None:
    start = await position(world.sa)
    (await world.sa.delete(world.sa.org())).ok()
    (await world.member.get(world.member.org("/changes"))).refused(404, "not_found")
    (await world.member.get(world.member.org("/events"))).refused(404, "not_found")
    (await world.sa.post(f"/archive/organization/{world.sa.org_id}/restore")).ok()
    assert await types(world.member, start) == ["organization.archived", "organization.restored"]


async def test_an_organization_that_is_removed_for_good_leaves_no_events(world: World) -> None:
    await retitle(world.outsider, "Renamed")
    await world.board()
    kept = await types(world.outsider, "0")
    assert kept == ["organization.updated"]
    (await world.sa.delete(world.sa.org("?mode=permanent"))).ok()
    found = await rows(world, "SELECT count(*) AS count FROM events WHERE org_id = :org_id", org_id=world.sa.org_id)
    assert found == [{"count": 0}]
    assert await types(world.outsider, "0") == kept


async def test_events_are_not_exported(world: World) -> None:
    await world.board()
    document = (await world.sa.get("/admin/export")).ok()
    assert "events" not in document


async def test_an_empty_since_is_none(world: World) -> None:
    await retitle(world.sa, "One")
    answer = (await world.sa.get(world.sa.org("/changes"), params={"since": "", "limit": "1"})).ok()
    assert answer == {"items": [], "next": "1", "hasMore": False, "reset": False}


async def told(who: Client, since: str, **filters: Any) -> list[tuple[str, str | None]]:
    """List what happened by type and key of the card, page by page."""
    found: list[tuple[str, str | None]] = []
    while True:
        page = await changes(who, since=since, limit=3, **filters)
        found += [(event["type"], event.get("cardKey")) for event in page["items"]]
        since = page["next"]
        if not page["hasMore"]:
            return found


async def test_changes_are_filtered_by_project_card_and_type(world: World) -> None:
    alpha, beta = await world.board(title="Alpha"), await world.board(title="Beta")
    start = await position(world.sa)
    one, two = await world.card(alpha), await world.card(beta)
    for number in range(4):
        for card in (one, two):
            (await world.sa.patch(f"/cards/{card['id']}", {"title": f"Title {number}"})).ok()
    (await world.sa.post(f"/cards/{one['id']}/comments", {"content": "Words"})).ok()
    related = {"fromCardId": one["id"], "toCardId": two["id"], "kind": "relatesTo"}
    (await world.sa.post(world.sa.org("/relationships"), related)).ok()
    every = await told(world.sa, start)
    assert len(every) == 12
    own = [("card.created", "ALP-1"), *[("card.updated", "ALP-1")] * 4, ("comment.created", "ALP-1")]
    ends = [("relationship.created", "BET-1")]
    agent = await world.agent()
    for who in (world.sa, world.member, agent):
        assert await told(who, start, projectId=alpha.id, type="*") == own + ends
        assert await told(who, start, cardId=one["id"]) == await told(who, start, cardId="alp-1") == own + ends
        assert await told(who, start, type="comment.*") == [own[-1]]
        assert await told(who, start, type="card.created", projectId=beta.id) == [("card.created", "BET-1")]
        assert await told(who, start, cardId=two["id"], type="comment.created") == []
        assert await told(who, start, cardId="card_x") == []
    assert (await world.sa.get(world.sa.org("/changes"), params={"type": "card"})).invalid() == ["type"]


async def test_changes_begin_at_a_moment_or_an_age(world: World) -> None:
    await world.board()
    world.clock.forward(3600)
    board = await world.board(title="Later")
    moment = (await world.card(board))["createdAt"]
    world.clock.forward(7200)
    await world.card(board)
    every = [event["id"] for event in await all_changes(world.sa, "0")]
    for since, first in (("1d", every[0]), (moment, None), ("150m", None), ("5400s", every[-1])):
        found = await all_changes(world.sa, since)
        assert [event["id"] for event in found] == every[-len(found) :]
        if first is not None:
            assert found[0]["id"] == first
        else:
            assert [event["type"] for event in found].count("card.created") == 2
    assert (await changes(world.sa, since="0s"))["items"] == []
    assert (await changes(world.sa, since="2999-01-01T00:00:00+02:00"))["items"] == []


async def test_a_moment_of_which_events_were_forgotten_says_that_everything_must_be_loaded_again(world: World) -> None:
    for number in range(3):
        await retitle(world.sa, f"Title {number}")
        world.clock.forward(3600)
    every = (await changes(world.sa, since="1d"))["items"]
    assert len(every) == 3
    await execute(world, "DELETE FROM events WHERE id < 3")
    assert (await changes(world.sa, since="1d"))["reset"] is True
    found = await changes(world.sa, since=every[2]["at"])
    assert (found["items"], found["reset"]) == (every[2:], False)


async def test_a_long_poll_with_filters_ignores_other_changes(world: World) -> None:
    board = await world.board()
    one, two = await world.card(board), await world.card(board)
    start = await position(world.sa)
    waiting = asyncio.create_task(changes(world.sa, since=start, wait=30, cardId=two["key"]))
    for number in range(5):
        (await world.sa.patch(f"/cards/{one['id']}", {"title": f"Title {number}"})).ok()
    assert not waiting.done()
    (await world.sa.patch(f"/cards/{two['id']}", {"title": "Title"})).ok()
    assert [event["cardKey"] for event in (await waiting)["items"]] == [two["key"]]


async def test_filtered_changes_are_scanned_in_pages(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.resources.changes.EVENTS_SCANNED_MAX", 10)
    monkeypatch.setattr("service.resources.changes.EVENTS_SCANNED_INLINE_MAX", 5)
    start = await position(world.sa)
    for number in range(24):
        await retitle(world.sa, f"Title {number}")
    page = await changes(world.sa, since=start, type="card.*", wait=50)
    assert (page["items"], page["hasMore"], int(page["next"])) == ([], True, int(start) + 10)
    await world.card(await world.board())
    assert [type for type, _ in await told(world.sa, start, type="card.*")] == ["card.created"]
