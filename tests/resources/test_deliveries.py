"""GET /webhooks/{id}/deliveries: what became of each event."""

import re

from service.config import Settings

from .. import direct_db
from ..receivers import create_webhook, list_deliveries, receiving, sending, wait_for_deliveries
from ..world import World


async def test_a_delivery_says_what_was_sent_and_what_came_back(settings: Settings) -> None:
    async with receiving(status=204) as receiver, sending(settings) as world:
        made = await create_webhook(world.sa, receiver.url, "project.*")
        await world.board()
        (delivery,) = await wait_for_deliveries(world.sa, made, 1)
        sent = receiver.requests[0].body
    assert delivery == {
        "id": sent["id"],
        "eventId": sent["event"]["id"],
        "type": "project.created",
        "state": "delivered",
        "attempts": 1,
        "statusCode": 204,
        "error": None,
        "durationMs": delivery["durationMs"],
        "nextAttemptAt": None,
        "createdAt": delivery["createdAt"],
        "deliveredAt": delivery["deliveredAt"],
    }
    assert re.fullmatch("dlv_[0-9A-Z]{26}", delivery["id"])
    assert 0 <= delivery["durationMs"] < 10_000
    assert delivery["createdAt"] <= delivery["deliveredAt"]


async def test_a_failed_attempt_says_why_and_when_the_next_one_is(settings: Settings) -> None:
    async with receiving(status=503) as receiver, sending(settings, 3600) as world:
        made = await create_webhook(world.sa, receiver.url, "project.*")
        await world.board()
        await receiver.received(1)
        while not (delivery := (await wait_for_deliveries(world.sa, made, 1, "pending"))[0])["attempts"]:
            pass
    assert (delivery["state"], delivery["attempts"], delivery["statusCode"]) == ("pending", 1, 503)
    assert delivery["error"] == "the receiver answered 503"
    assert delivery["nextAttemptAt"] > delivery["createdAt"]
    assert delivery["deliveredAt"] is None


async def test_deliveries_come_in_pages_newest_first_and_by_state(settings: Settings) -> None:
    async with receiving() as receiver, sending(settings) as world:
        made = await create_webhook(world.sa, receiver.url, "project.*", "team.*")
        for _ in range(3):
            await world.board()
            (await world.sa.post(world.sa.org("/teams"), {"name": "Team"})).ok()
        await wait_for_deliveries(world.sa, made, 6)
        path = f"/webhooks/{made['id']}/deliveries"
        page = (await world.sa.get(path, params={"page": 2, "pageSize": 4})).ok()
        assert (page["page"], page["pageSize"], page["total"]) == (2, 4, 6)
        assert [item["type"] for item in page["items"]] == ["team.created", "project.created"]
        assert (await world.sa.get(path, params={"state": "failed"})).ok()["total"] == 0
        assert (await world.sa.get(path, params={"state": "delivered"})).ok()["total"] == 6
        for wrong in ({"state": "lost"}, {"pageSize": 101}, {"page": 0}, {"other": 1}):
            assert (await world.sa.get(path, params=wrong)).invalid() == list(wrong)


async def test_only_the_newest_thousand_are_kept_but_nothing_that_waits_is_forgotten(settings: Settings) -> None:
    async with receiving() as receiver, sending(settings) as world:
        made = await create_webhook(world.sa, receiver.url, "project.*")
        await _fill(world, made["id"], 1100)
        (await world.sa.patch(f"/webhooks/{made['id']}", {"events": ["project.*", "team.*"]})).ok()
        await world.board()
        await wait_for_deliveries(world.sa, made, 1)
        (kept,) = await direct_db.rows(
            world,
            "SELECT count(*) FILTER (WHERE state <> 'pending') AS settled,"
            " count(*) FILTER (WHERE state = 'pending') AS pending, min(event_id) AS oldest FROM deliveries",
        )
    assert kept["pending"] == 1
    assert kept["oldest"] == -2000  # it waits
    assert kept["settled"] <= 1000


async def _fill(world: World, webhook_id: str, count: int) -> None:
    """Put many settled deliveries behind a webhook, and one that waits before them all."""
    await direct_db.execute(
        world,
        "INSERT INTO deliveries (id, webhook_id, event_id, type, event, state, created_at, next_attempt_at)"
        " WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < :count)"
        " SELECT 'dlv_' || n, :webhook_id, n - 2000, 'card.moved', '{}',"
        " CASE n WHEN 0 THEN 'pending' ELSE 'failed' END, '2026-01-01', CASE n WHEN 0 THEN '2999-01-01' END"
        " FROM numbers",
        webhook_id=webhook_id,
        count=count,
    )


async def test_nothing_secret_is_in_the_list_of_deliveries(settings: Settings) -> None:
    async with receiving() as receiver, sending(settings) as world:
        made = await create_webhook(world.sa, receiver.url + "?key=hidden", "project.*")
        await world.board()
        await wait_for_deliveries(world.sa, made, 1)
        shown = str(await list_deliveries(world.sa, made))
    assert made["secret"] not in shown
    assert "taken" not in shown  # the body of the answer
