"""Webhooks receive every event, signed, with retries, also after a restart, and none waits for another."""

import asyncio
import hmac
import re
import sqlite3
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from typing import Any

from service import VERSION
from service.clock import parse_timestamp
from service.config import Settings
from service.delivery.dispatcher import RETRY_SECONDS
from service.reference.resource_notes import RESOURCE_NOTES

from ..process import ServiceProcess
from ..receivers import (
    REQUEST_TIMEOUT_SECONDS,
    SECRET,
    create_webhook,
    is_signed,
    list_deliveries,
    receiving,
    sending,
    wait_for_deliveries,
)
from ..streams import changes, position
from ..world import World

ALLOWED = {"SERVICE_WEBHOOKS_ALLOW_PRIVATE": "true"}


async def test_an_event_arrives_signed_and_as_the_api_shows_it(settings: Settings) -> None:
    async with receiving() as receiver, sending(settings) as world:
        made = await create_webhook(world.sa, receiver.url)
        before = await position(world.sa)
        await world.card(await world.board())
        (received,) = await receiver.received(1)
        event = (await changes(world.sa, since=before))["items"][-1]
        (delivery,) = await wait_for_deliveries(world.sa, made, 1)
    headers = received.headers
    assert received.body == {
        "id": delivery["id"],
        "type": "card.created",
        "organizationId": world.sa.org_id,
        "event": event,
    }
    assert is_signed(received)
    assert not is_signed(received, SECRET + "!")
    assert headers["X-Tandem-Event"] == "card.created"
    assert headers["X-Tandem-Delivery"] == delivery["id"]
    assert abs(int(headers["X-Tandem-Timestamp"]) - time.time()) < 30
    assert headers["User-Agent"] == f"Tandem/{VERSION}"
    assert headers["Content-Type"] == "application/json"


async def test_the_signature_check_in_the_reference_accepts_only_genuine_requests(settings: Settings) -> None:
    (text,) = re.findall(r"```python\n(.*?)```", RESOURCE_NOTES["webhooks"], re.DOTALL)
    known: dict[str, Any] = {"hmac": hmac, "time": time, "Mapping": Mapping}
    exec(text, known)  # noqa: S102  # our own
    async with receiving() as receiver, sending(settings) as world:
        await create_webhook(world.sa, receiver.url, "*")
        (received,) = await receiver.received(1)
    is_genuine = known["is_genuine"]
    assert is_genuine(SECRET, received.headers, received.raw)
    assert not is_genuine(SECRET, received.headers, received.raw + b" ")
    assert not is_genuine(SECRET + "!", received.headers, received.raw)
    earlier = {**received.headers, "X-Tandem-Timestamp": str(int(time.time()) - 1)}
    assert not is_genuine(SECRET, earlier, received.raw)


async def test_the_signature_is_that_of_the_secret_that_was_made_or_set_last(settings: Settings) -> None:
    async with receiving() as receiver, sending(settings) as world:
        made = (await world.sa.post("/webhooks", {"url": receiver.url, "events": ["project.*"]})).ok()
        await world.board()
        assert is_signed((await receiver.received(1))[0], made["secret"])
        (await world.sa.patch(f"/webhooks/{made['id']}", {"secret": "another secret of the hook"})).ok()
        await world.board()
        assert is_signed((await receiver.received(2))[1], "another secret of the hook")


async def test_a_delivery_is_tried_again_under_the_same_id_until_it_is_taken(settings: Settings) -> None:
    async with receiving(status=500) as receiver, sending(settings, 0.01, 0.01, 3600) as world:
        made = await create_webhook(world.sa, receiver.url, "project.*")
        await world.board()
        await receiver.received(2)
        receiver.status = 202
        (delivery,) = await wait_for_deliveries(world.sa, made, 1)
        requests = receiver.requests
    assert delivery["attempts"] == len(requests) == 3
    assert len({one.raw for one in requests}) == 1
    assert {one.headers["X-Tandem-Delivery"] for one in requests} == {delivery["id"]}
    assert all(is_signed(one) for one in requests)


async def test_after_the_last_attempt_a_delivery_has_failed(settings: Settings) -> None:
    async with receiving(status=302, headers={"Location": "/elsewhere"}) as receiver, sending(settings, 0, 0) as world:
        made = await create_webhook(world.sa, receiver.url, "project.*")
        await world.board()
        (delivery,) = await wait_for_deliveries(world.sa, made, 1, "failed")
        assert (delivery["attempts"], delivery["statusCode"]) == (3, 302)
        assert "redirects are not followed" in delivery["error"]
        assert delivery["nextAttemptAt"] is None
        receiver.status = 200
        await world.board()
        await wait_for_deliveries(world.sa, made, 1)
        assert len(receiver.requests) == 4


async def tried(world: World, webhook: Any, times: int) -> list[Any]:
    """Wait until all deliveries of a webhook have been tried a number of times, and return them."""
    found: list[Any] = []
    async with asyncio.timeout(REQUEST_TIMEOUT_SECONDS):
        while {one["attempts"] for one in found} != {times}:
            found = await list_deliveries(world.sa, webhook)
    return found


async def test_the_pauses_grow_to_six_hours_and_are_not_all_alike(settings: Settings) -> None:
    assert RETRY_SECONDS == (10, 60, 300, 1800, 7200, 21600)
    async with receiving(status=500) as receiver, sending(settings, *RETRY_SECONDS) as world:
        made, shares = await create_webhook(world.sa, receiver.url, "project.*"), set()
        await world.board()
        for attempt, pause in enumerate(RETRY_SECONDS, 1):
            before = parse_timestamp(world.clock())
            (delivery,) = await tried(world, made, attempt)
            seconds = (parse_timestamp(delivery["nextAttemptAt"]) - before).total_seconds()
            assert pause <= seconds + 1 <= pause * 1.2 + 20
            shares.add(round(seconds / pause, 5))
            world.clock.forward(pause * 1.2 + 1)
            (await world.sa.patch(f"/webhooks/{made['id']}", {})).ok()  # any change makes the senders look
        await wait_for_deliveries(world.sa, made, 1, "failed")
    assert len(receiver.requests) == 7
    assert len(shares) == 6


async def test_an_attempt_that_is_due_after_a_restart_is_made_then(settings: Settings) -> None:
    async with receiving(status=500) as receiver:
        async with sending(settings, 3600) as world:
            made = await create_webhook(world.sa, receiver.url, "project.*")
            await world.board()
            await tried(world, made, 1)
        async with sending(settings, 3600) as world:
            await world.board()  # this one is sent, the other still waits
            await receiver.received(2)
        with closing(sqlite3.connect(settings.database)) as database:
            database.execute("UPDATE deliveries SET next_attempt_at = '2026-01-01T00:00:00.000Z'")
            database.commit()
        receiver.status = 200
        async with sending(settings, 3600) as world:
            assert {one["attempts"] for one in await wait_for_deliveries(world.sa, made, 2)} == {2}
    assert len(receiver.requests) == 4


async def test_what_happens_while_nothing_is_sent_is_sent_after_the_next_start(settings: Settings) -> None:
    async with receiving() as receiver:
        async with sending(settings) as world:
            made = await create_webhook(world.sa, receiver.url, "project.*")
            assert world.service is not None
            await world.service.webhook_dispatcher.stop()
            for _ in range(3):
                await world.board()
            assert await list_deliveries(world.sa, made) == []
        async with sending(settings) as world:
            await wait_for_deliveries(world.sa, made, 3)
    assert len(receiver.requests) == 3


async def test_a_stop_does_not_wait_for_a_receiver_and_the_next_start_sends_again(settings: Settings) -> None:
    async with receiving(hangs=True) as receiver:
        async with sending(settings, 3600) as world:
            assert world.service is not None
            world.service.webhook_dispatcher.outbound.timeout_seconds = 600
            made = await create_webhook(world.sa, receiver.url, "project.*")
            await world.board()
            await receiver.received(1)
            stopping = time.monotonic()
        assert time.monotonic() - stopping < REQUEST_TIMEOUT_SECONDS
        receiver.hangs = False
        async with sending(settings, 3600) as world:
            (delivery,) = await wait_for_deliveries(world.sa, made, 1)
    assert delivery["attempts"] == 1
    assert [one.body["id"] for one in receiver.requests] == [delivery["id"]] * 2


async def test_a_crash_in_the_middle_of_an_attempt_loses_nothing(service_process: ServiceProcess) -> None:
    process = service_process
    async with receiving(hangs=True) as receiver:
        process.stop()
        process.environment |= ALLOWED
        process.start()
        async with World(process.url) as world:
            made = await create_webhook(world.sa, receiver.url, "project.*", "card.*")
            board = await world.board()
            await receiver.received(1)
            cards = [await world.card(board) for _ in range(20)]
            process.kill()
        receiver.hangs = False
        process.start()
        async with World(process.url) as world:
            await wait_for_deliveries(world.sa, made, 21)
    told = {one.body["event"].get("cardId") for one in receiver.requests}
    assert told == {None} | {card["id"] for card in cards}
    assert len({one.body["id"] for one in receiver.requests}) == 21  # some came twice, under one id


@asynccontextmanager
async def busy(settings: Settings, *urls: str) -> AsyncIterator[tuple[World, list[Any]]]:
    """Run a service with webhooks in which 200 things have happened at once."""
    async with sending(settings, 3600) as world:
        assert world.service is not None
        world.service.webhook_dispatcher.outbound.timeout_seconds = 600  # who hangs does so for the whole test
        hooks = [await create_webhook(world.sa, url) for url in urls]
        board = await world.board()
        await asyncio.gather(*(world.card(board) for _ in range(200)))
        yield world, hooks


async def test_two_hundred_events_reach_two_webhooks_each_once(settings: Settings) -> None:
    async with receiving() as one, receiving() as other, busy(settings, one.url, other.url) as (world, hooks):
        for made, receiver in zip(hooks, (one, other), strict=True):
            await receiver.received(200)
            async with asyncio.timeout(REQUEST_TIMEOUT_SECONDS):
                while await list_deliveries(world.sa, made, state="pending"):
                    pass
            cards = [request.body["event"]["cardId"] for request in receiver.requests]
            assert len(cards) == len(set(cards)) == 200


async def test_a_receiver_that_hangs_holds_up_nobody_else(settings: Settings) -> None:
    async with (
        receiving(hangs=True) as slow,
        receiving() as quick,
        busy(settings, slow.url, quick.url, slow.url, slow.url) as (world, _),
    ):
        await quick.received(200)
        assert len(slow.requests) <= 3 * 8
        (await world.sa.get("/organizations")).ok()


async def test_a_receiver_that_fails_holds_up_nobody_else(settings: Settings) -> None:
    async with (
        receiving(status=500) as broken,
        receiving() as sound,
        busy(settings, broken.url, "http://127.0.0.1:1/", sound.url),
    ):
        await sound.received(200)


async def test_a_private_address_is_tried_and_refused_where_it_is_not_allowed(settings: Settings) -> None:
    async with receiving() as receiver, sending(settings) as world:
        made = await create_webhook(world.sa, receiver.url, "project.*")
        assert world.service is not None
        world.service.webhook_dispatcher.outbound.allow_private = False
        await world.board()
        (delivery,) = await wait_for_deliveries(world.sa, made, 1, "failed")
    assert delivery["error"] == "the host has no public address"
    assert (delivery["statusCode"], receiver.requests) == (None, [])


async def test_where_nothing_is_to_be_sent_there_is_no_task(settings: Settings) -> None:
    def tasks() -> set[str]:
        return {
            str(task.get_coro()) for task in asyncio.all_tasks() if re.search("WebhookDispatcher", str(task.get_coro()))
        }

    async with receiving() as receiver, sending(settings) as world:
        await world.board()
        assert tasks() == set()
        made = await create_webhook(world.sa, receiver.url, "project.*", enabled=False)
        await world.board()
        assert tasks() == set()
        (await world.sa.patch(f"/webhooks/{made['id']}", {"enabled": True})).ok()
        assert len(tasks()) == 1
        await world.board()
        await wait_for_deliveries(world.sa, made, 1)
        (await world.sa.delete(f"/webhooks/{made['id']}")).ok()
        async with asyncio.timeout(REQUEST_TIMEOUT_SECONDS):
            while tasks():  # noqa: ASYNC110  # there is nothing to be told of
                await asyncio.sleep(0)
