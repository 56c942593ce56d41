"""GET, POST /webhooks and PATCH, DELETE /webhooks/{id}: who is told what happens."""

import asyncio
from typing import Any

import pytest

from service.config import Settings

from .. import direct_db
from ..receivers import SECRET, create_webhook, list_deliveries, receiving, sending, wait_for_deliveries
from ..refusals import LEFT_OUT, change_body, expect_hidden, people_only
from ..streams import position, types
from ..world import World

PATH = "/webhooks"
BODY: dict[str, Any] = {"url": "https://hooks.test/a?b=c", "events": ["card.moved"], "secret": SECRET, "enabled": False}


async def test_a_new_webhook_answers_with_its_secret_and_nothing_shows_it_again(world: World) -> None:
    made = (await world.sa.post(PATH, BODY)).ok()
    assert made == {**BODY, "id": made["id"], "createdAt": made["createdAt"]}
    assert made["id"].startswith("hook_")
    shown = {key: value for key, value in made.items() if key != "secret"}
    assert (await world.sa.get(PATH)).ok() == [shown]
    assert (await world.sa.patch(f"{PATH}/{made['id']}", {})).ok() == shown
    assert (await world.sa.patch(f"{PATH}/{made['id']}", {"secret": SECRET * 2})).ok() == shown


async def test_a_secret_is_made_if_none_is_given_and_all_events_are_told(world: World) -> None:
    made = [(await world.sa.post(PATH, {"url": BODY["url"], "enabled": False})).ok() for _ in range(2)]
    assert len({one["secret"] for one in made}) == 2
    assert all(len(one["secret"]) == 43 for one in made)
    assert made[0]["events"] == ["*"]
    assert [one["id"] for one in (await world.sa.get(PATH)).ok()] == [one["id"] for one in made]


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"url": LEFT_OUT}, "url"),
        ({"url": "hooks.test"}, "url"),
        ({"url": "/hooks"}, "url"),
        ({"url": "ftp://hooks.test"}, "url"),
        ({"url": "http://"}, "url"),
        ({"url": "http://hooks.test:99999"}, "url"),
        ({"url": "http://user:word@hooks.test"}, "url"),
        ({"url": "http://user@hooks.test"}, "url"),
        ({"url": "http://hooks.test/#part"}, "url"),
        ({"url": "http://hooks.test/#"}, "url"),
        ({"url": "http://hooks.test/a b"}, "url"),
        ({"url": "http://hooks.test/\n"}, "url"),
        ({"url": "http://hooks.test/" + "a" * 2000}, "url"),
        ({"url": None}, "url"),
        ({"events": []}, "events"),
        ({"events": ["card"]}, "events.0"),
        ({"events": ["*.moved"]}, "events.0"),
        ({"events": ["card.moved", "card.mo*"]}, "events.1"),
        ({"events": ["card.moved.twice"]}, "events.0"),
        ({"events": ["card.moved\n"]}, "events.0"),
        ({"events": ["*"] * 101}, "events"),
        ({"events": "*"}, "events"),
        ({"secret": "s" * 15}, "secret"),
        ({"secret": "s" * 201}, "secret"),
        ({"enabled": "yes"}, "enabled"),
        ({"enabled": None}, "enabled"),
        ({"more": 1}, "more"),
    ],
)
async def test_a_wrong_body_is_refused(world: World, change: dict[str, Any], path: str) -> None:
    assert path in (await world.sa.post(PATH, change_body(BODY, change))).invalid()
    made = (await world.sa.post(PATH, BODY)).ok()
    if LEFT_OUT not in change.values():
        assert path in (await world.sa.patch(f"{PATH}/{made['id']}", change)).invalid()
    assert [one["url"] for one in (await world.sa.get(PATH)).ok()] == [BODY["url"]]


PRIVATE = "127.0.0.1 127.0.0.1. 10.1.2.3:8080 192.168.0.1 169.254.169.254 0.0.0.0 100.64.0.1 168.63.129.16 224.0.0.1"
PRIVATE_6 = "[::1] [::] [fd00::1] [fe80::1] [ff02::1] [::ffff:127.0.0.1] [64:ff9b::a00:1] [2002:a00:1::]"
OTHERWISE = "localhost LOCALHOST. a.localhost 2130706433 0x7f.1 0177.0.0.1 127.1 134744072"


@pytest.mark.parametrize("host", f"{PRIVATE} {PRIVATE_6} {OTHERWISE}".split())
async def test_an_address_that_is_private_to_see_is_refused_at_once(world: World, host: str) -> None:
    url = f"http://{host}/hook"
    assert (await world.sa.post(PATH, {**BODY, "url": url})).invalid() == ["url"]
    made = (await world.sa.post(PATH, BODY)).ok()
    assert (await world.sa.patch(f"{PATH}/{made['id']}", {"url": url})).invalid() == ["url"]


async def test_only_an_architect_of_the_organization_sees_or_changes_webhooks(world: World) -> None:
    path = f"{PATH}/{(await world.sa.post(PATH, BODY)).ok()['id']}"
    calls: list[tuple[str, str, Any]] = [("GET", PATH, None), ("POST", PATH, BODY), ("PATCH", path, {"enabled": True})]
    calls += [("DELETE", path, None), ("GET", f"{path}/deliveries", None)]
    for method, route, body in calls:
        await people_only(world, method, route, body)
        (await world.member.call(method, route, body)).refused(403, "sa_required")
    for method, route, body in calls[2:]:
        await expect_hidden(world, method, route, body)
        (await world.sa.call(method, route.replace("hook_", "hook_0"), body)).refused(404, "not_found")
    assert (await world.outsider.get(PATH)).ok() == []
    assert [one["enabled"] for one in (await world.sa.get(PATH)).ok()] == [False]


async def test_an_organization_has_fifty_webhooks_at_the_most_even_in_a_race(world: World) -> None:
    answers = await asyncio.gather(*(world.sa.post(PATH, BODY) for _ in range(60)))
    assert sorted(answer.status for answer in answers) == [200] * 50 + [409] * 10
    next(answer for answer in answers if answer.status == 409).refused(409, "conflict")
    (await world.outsider.post(PATH, BODY)).ok()
    (await world.sa.delete(f"{PATH}/{(await world.sa.get(PATH)).ok()[0]['id']}")).ok()
    (await world.sa.post(PATH, BODY)).ok()


async def test_changes_of_webhooks_are_events_themselves(world: World) -> None:
    before = await position(world.sa)
    path = f"{PATH}/{(await world.sa.post(PATH, BODY)).ok()['id']}"
    for change in ({"events": ["*"]}, {"events": ["*"]}, {}, {"secret": SECRET}):
        (await world.sa.patch(path, change)).ok()
    (await world.sa.delete(path)).ok()
    assert await types(world.sa, before) == ["webhook.created", "webhook.updated", "webhook.updated", "webhook.removed"]


async def test_the_first_event_of_a_webhook_is_its_own_creation(settings: Settings) -> None:
    async with receiving() as receiver, sending(settings) as world:
        await world.board()
        await create_webhook(world.sa, receiver.url, "*")
        assert (await receiver.received(1))[0].body["type"] == "webhook.created"


async def test_a_webhook_receives_only_events_that_match_its_patterns(settings: Settings) -> None:
    async with receiving() as receiver, sending(settings) as world:
        board = await world.board()
        made = await create_webhook(world.sa, receiver.url, "card.moved", "comment.*")
        card = await world.card(board)
        (await world.sa.patch(f"/cards/{card['id']}/status", {"toColumnId": board.columns["In Progress"]})).ok()
        (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "Here"})).ok()
        await wait_for_deliveries(world.sa, made, 2)
        (await world.sa.patch(f"{PATH}/{made['id']}", {"events": ["project.*"]})).ok()
        await world.board()
        await wait_for_deliveries(world.sa, made, 3)
        assert receiver.types() == ["card.moved", "comment.created", "project.created"]


async def test_a_webhook_hears_nothing_of_another_organization(settings: Settings) -> None:
    async with receiving() as receiver, receiving() as other, sending(settings) as world:
        made = await create_webhook(world.sa, receiver.url, "project.*")
        theirs = await create_webhook(world.outsider, other.url, "project.*")
        await world.board(world.outsider)
        await world.board(world.sa)
        await wait_for_deliveries(world.sa, made, 1)
        await wait_for_deliveries(world.outsider, theirs, 1)
        told = [receiver.requests[0].body, other.requests[0].body]
        assert [one["organizationId"] for one in told] == [world.sa.org_id, world.outsider.org_id]
        assert [len(one.requests) for one in (receiver, other)] == [1, 1]


async def test_a_disabled_webhook_misses_what_happens_meanwhile(settings: Settings) -> None:
    async with receiving() as receiver, sending(settings) as world:
        made = await create_webhook(world.sa, receiver.url, "project.*", "team.*", enabled=False)
        await world.board()
        (await world.sa.patch(f"{PATH}/{made['id']}", {"enabled": True})).ok()
        (await world.sa.post(world.sa.org("/teams"), {"name": "Team"})).ok()
        await wait_for_deliveries(world.sa, made, 1)
        assert receiver.types() == ["team.created"]


async def test_what_waited_when_a_webhook_was_disabled_is_sent_once_it_is_enabled(settings: Settings) -> None:
    async with receiving(status=500) as receiver, sending(settings, 3600) as world:
        made = await create_webhook(world.sa, receiver.url, "project.*")
        await world.board()
        while not (await list_deliveries(world.sa, made))[:1]:
            await receiver.received(1)
        (await world.sa.patch(f"{PATH}/{made['id']}", {"enabled": False, "url": receiver.url + "/new"})).ok()
        receiver.status = 200
        assert [one["state"] for one in await list_deliveries(world.sa, made)] == ["pending"]
        (await world.sa.patch(f"{PATH}/{made['id']}", {"enabled": True})).ok()
        await wait_for_deliveries(world.sa, made, 1)


async def test_with_a_new_url_what_waits_is_sent_there_at_once(settings: Settings) -> None:
    async with receiving(status=500) as wrong, receiving() as right, sending(settings, 3600) as world:
        made = await create_webhook(world.sa, wrong.url, "project.*")
        await world.board()
        await wrong.received(1)
        (await world.sa.patch(f"{PATH}/{made['id']}", {"url": right.url})).ok()
        await wait_for_deliveries(world.sa, made, 1)
        assert wrong.requests[0].body == right.requests[0].body


async def test_a_removed_webhook_leaves_no_deliveries_and_is_told_nothing_more(settings: Settings) -> None:
    async with receiving(status=500) as receiver, receiving() as other, sending(settings, 3600) as world:
        made = await create_webhook(world.sa, receiver.url, "project.*")
        rest = await create_webhook(world.sa, other.url, "project.*")
        await world.board()
        await receiver.received(1)
        (await world.sa.delete(f"{PATH}/{made['id']}")).ok()
        await world.board()
        await wait_for_deliveries(world.sa, rest, 2)
        assert len(receiver.requests) == 1
        (await world.sa.get(f"{PATH}/{made['id']}/deliveries")).refused(404, "not_found")


async def test_an_archived_organization_sends_nothing_until_it_is_restored(settings: Settings) -> None:
    async with receiving(hangs=True) as receiver:
        async with sending(settings) as world:
            made = await create_webhook(world.sa, receiver.url, "*")
            await receiver.received(1)
            organization = world.sa.org_id
            (await world.sa.delete(world.sa.org())).ok()
        receiver.hangs = False
        async with receiving() as other, sending(settings) as world:
            theirs = await create_webhook(world.outsider, other.url, "*")
            await wait_for_deliveries(world.outsider, theirs, 1)
            assert len(receiver.requests) == 1
            (await world.sa.post(f"/archive/organization/{organization}/restore")).ok()
            here = world.client({**world.sa.headers, "X-Organization-Id": organization}, org_id=organization)
            await wait_for_deliveries(here, made, 3)
        assert receiver.types() == ["webhook.created", "organization.archived", "organization.restored"]


async def test_an_organization_that_is_removed_takes_its_webhooks_along(settings: Settings) -> None:
    async with receiving() as receiver, sending(settings) as world:
        organization = (await world.sa.post("/organizations", {"title": "Short-lived"})).ok()
        there = world.client({**world.sa.headers, "X-Organization-Id": organization["id"]}, org_id=organization["id"])
        made = await create_webhook(there, receiver.url, "*")
        await wait_for_deliveries(there, made, 1)
        (await there.delete(there.org() + "?mode=permanent")).ok()
        assert await direct_db.rows(world, "SELECT id FROM deliveries UNION ALL SELECT id FROM webhooks") == []
