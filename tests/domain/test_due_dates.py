"""Due dates: a day stays that day for every reader and is late when it has ended, a moment when it has passed."""

from typing import Any

import pytest

from ..bodies import get_refused_keys
from ..direct_db import execute
from ..snapshots import META, card, send, small, snapshot_of
from ..tools.talk import talking
from ..world import SA, World

DAY = "2026-05-04T00:00:00.000Z"
LATER = "2026-05-05T05:30:00.000Z"


def due(card: dict[str, Any]) -> tuple[str | None, bool]:
    return card["dueDate"], card["dueAllDay"]


async def patched(world: World, card: dict[str, Any], **body: Any) -> tuple[str | None, bool]:
    return due((await world.sa.patch(f"/cards/{card['id']}", body)).ok())


async def set_zone(world: World, zone: str) -> None:
    (await world.sa.patch(world.sa.org(), {"timezone": zone})).ok()


INPUTS: list[tuple[dict[str, Any], tuple[str | None, bool]]] = [
    ({"dueDate": "2026-05-04"}, (DAY, True)),
    ({"dueDate": "2026-05-04", "dueAllDay": True}, (DAY, True)),
    ({"dueDate": "2026-05-04", "dueAllDay": False}, (DAY, False)),
    ({"dueDate": DAY}, (DAY, False)),
    ({"dueDate": "2026-05-04T22:30:00-07:00"}, (LATER, False)),
    ({"dueDate": "2026-05-04T22:30:00-07:00", "dueAllDay": True}, (DAY, True)),
    ({"dueDate": "2026-05-04T01:00:00+09:00", "dueAllDay": True}, (DAY, True)),
    ({"dueDate": None, "dueAllDay": False}, (None, False)),
    ({}, (None, False)),
]


async def test_a_plain_date_is_a_day_and_a_timestamp_a_moment(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    edited, changed = await world.card(board), await world.card(board)
    for body, expected in INPUTS:
        created = await world.card(board, **body)
        operations = [{"cardId": edited["id"], "edit": {"dueDate": None}}, {"cardId": edited["id"], "edit": body}]
        *_, result = (await world.sa.post(world.sa.org("/cards/batch"), {"operations": operations})).ok()["results"]
        (await world.sa.patch(f"/cards/{changed['id']}", {"dueDate": None})).ok()
        by_agent = (await agent.patch(f"/cards/{changed['id']}/mcp", body)).ok()
        (item,) = (await world.sa.get(world.sa.org("/cards"), params={"ids": created["id"]})).ok()["items"]
        context = (await world.sa.get(f"/cards/{created['id']}/context")).ok()["card"]
        for found in (created, result["card"], by_agent, item, context):
            assert due(found) == expected, body
        shown = (await world.sa.get(world.sa.org("/board"), params={"projectId": board.id})).ok()["cards"]
        (on_board,) = [found for found in shown if found["id"] == created["id"]]
        assert (on_board.get("dueDate"), on_board.get("dueAllDay", False)) == expected


async def test_a_timestamp_that_is_sent_back_changes_nothing_and_all_day_alone_counts_for_the_stored_date(
    world: World,
) -> None:
    board = await world.board()
    made = await world.card(board, dueDate="2026-05-04")
    assert await patched(world, made, dueDate=DAY) == (DAY, True)
    assert len(await world.history(made["id"])) == 1
    assert await patched(world, made, dueDate="2026-05-04T01:00:00+01:00", title="Other") == (DAY, True)
    assert await patched(world, made, dueAllDay=False) == (DAY, False)
    assert await patched(world, made, dueDate=DAY) == (DAY, False)
    assert await patched(world, made, dueDate=LATER) == (LATER, False)
    assert await patched(world, made, dueAllDay=True) == ("2026-05-05T00:00:00.000Z", True)
    assert await patched(world, made, dueDate=DAY) == (DAY, False)  # another timestamp
    assert await patched(world, made, dueDate=DAY, dueAllDay=True) == (DAY, True)
    assert await patched(world, made, dueDate=None) == (None, False)
    path = f"/cards/{made['id']}"
    assert get_refused_keys(await world.sa.patch(path, {"dueAllDay": True})) == {"dueAllDay"}
    assert get_refused_keys(await world.sa.patch(path, {"dueDate": None, "dueAllDay": True})) == {"dueAllDay"}
    assert "dueAllDay" in get_refused_keys(await world.sa.patch(path, {"dueDate": DAY, "dueAllDay": "yes"}))
    assert get_refused_keys(
        await world.sa.patch(path, {"dueDate": "0999-12-31T23:00:00-05:00", "dueAllDay": True})
    ) == {"dueDate"}
    body = {"projectId": board.id, "cardTypeId": board.card_type["id"], "title": "New", "dueAllDay": True}
    assert get_refused_keys(await world.sa.post(world.sa.org("/cards"), body)) == {"dueAllDay"}
    changes = [row["changes"].get("dueDate") for row in await world.history(made["id"])]
    assert changes[0] == {"from": None, "to": "2026-05-04"}
    assert changes[2:5] == [
        {"from": "2026-05-04", "to": DAY},
        {"from": DAY, "to": LATER},
        {"from": LATER, "to": "2026-05-05"},
    ]


@pytest.mark.parametrize(("first", "second"), [("2026-05-04", DAY), (DAY, "2026-05-04"), (LATER, "2026-05-05")])
async def test_undo_brings_a_day_back_as_a_day_and_a_moment_as_a_moment(world: World, first: str, second: str) -> None:
    board, agent = await world.board(), await world.agent()
    made = await world.card(board, dueDate=first)
    single = await world.card(board, dueDate=first)
    for one in (made, single):
        changed = (
            await agent.patch(f"/cards/{one['id']}/mcp", {"dueDate": second, "dueAllDay": len(second) == 10})
        ).ok()
        assert due(changed) != due(one)
    undo = {"operations": [{"cardId": single["id"], "undo": {"at": changed["updatedAt"]}}]}
    (result,) = (await world.sa.post(world.sa.org("/cards/batch"), undo)).ok()["results"]
    assert due(result["card"]) == due(single)
    (await world.sa.post(world.sa.org("/undo"), {"agentId": "bot", "from": made["createdAt"]})).ok()
    assert due((await world.sa.get(f"/cards/{made['id']}")).ok()) == due(made)
    (restored,) = [row["changes"] for row in await world.history(made["id"]) if row["action"] == "undone"]
    assert restored == {"dueDate": {"from": second, "to": first}}


async def overdue(world: World) -> set[str]:
    items = (await world.sa.get(world.sa.org("/attention"))).ok()
    counts = (await world.sa.get(world.sa.org("/attention"), params={"counts": "true"})).ok()["counts"]
    found = {item["card"]["title"] for item in items if item["kind"] == "overdue_card"}
    assert counts["overdue_card"] == len(found)
    return found


ENDS = [
    ("UTC", "2030-05-04T23:59:59.999Z", "2030-05-05T00:00:00.000Z"),
    ("America/Los_Angeles", "2030-05-05T06:59:59.999Z", "2030-05-05T07:00:00.000Z"),
    ("Asia/Tokyo", "2030-05-04T14:59:59.999Z", "2030-05-04T15:00:00.000Z"),
    ("Pacific/Kiritimati", "2030-05-04T09:59:59.999Z", "2030-05-04T10:00:00.000Z"),
]


async def test_a_day_is_overdue_when_it_has_ended_in_the_zone_of_the_organization_and_a_moment_when_it_has_passed(
    world: World,
) -> None:
    board = await world.board()
    await world.card(board, title="day", dueDate="2030-05-04")
    await world.card(board, title="passed", dueDate="2030-05-04T09:00:00Z")
    await world.card(board, title="ahead", dueDate="2030-05-05T08:00:00Z")
    await world.card(board, "Done", title="done", dueDate="2020-05-04")
    await stop_clock(world, "2030-05-04T09:30:00.000Z")
    for zone, last, first in ENDS:
        await set_zone(world, zone)
        await stop_clock(world, last)
        assert await overdue(world) == {"passed"}, zone
        await stop_clock(world, first)
        assert await overdue(world) == {"day", "passed"}, zone


async def stop_clock(world: World, moment: str) -> None:
    """Stop the clock, and sign in, since a session of today has ended then."""
    assert world.clock
    world.clock.stop(moment)
    world.sa = await world.login(SA)


async def test_days_end_at_local_midnight_across_a_change_of_daylight_saving_time(world: World) -> None:
    board = await world.board()
    await world.card(board, title="spring", dueDate="2030-03-30")
    await world.card(board, title="change", dueDate="2030-03-31")  # Berlin goes from +1 to +2 on this day
    await set_zone(world, "Europe/Berlin")
    await stop_clock(world, "2030-03-30T22:59:59.999Z")
    assert await overdue(world) == set()
    await stop_clock(world, "2030-03-30T23:00:00.000Z")
    assert await overdue(world) == {"spring"}
    await stop_clock(world, "2030-03-31T21:59:59.999Z")
    assert await overdue(world) == {"spring"}
    await stop_clock(world, "2030-03-31T22:00:00.000Z")
    assert await overdue(world) == {"spring", "change"}


async def test_a_zone_that_this_machine_does_not_know_counts_as_utc_and_only_iana_zones_are_set(world: World) -> None:
    for zone in ("localtime", "Factory"):  # which zone data have, and no browser
        assert get_refused_keys(await world.sa.patch(world.sa.org(), {"timezone": zone})) == {"timezone"}
    board = await world.board()
    await world.card(board, title="day", dueDate="2026-05-04")
    await execute(world, "UPDATE organizations SET timezone = 'Mars/Base'")  # the database comes from another machine
    await execute(world, "UPDATE users SET timezone = 'Mars/Base'")
    assert await overdue(world) == {"day"}
    (await world.sa.get(world.sa.org("/analytics/series"))).ok()


async def test_a_day_comes_before_its_moments_in_every_order(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    for title, date in (("next", "2026-05-05"), ("noon", "2026-05-04T12:00:00Z"), ("midnight", DAY), ("never", None)):
        await world.card(board, title=title, dueDate=date)
    await world.card(board, title="day", dueDate="2026-05-04")
    expected = ["day", "midnight", "noon", "next", "never"]
    for filters in ({}, {"columnId": board.columns["Todo"], "q": ""}):
        query = {"sort": "dueDate", **filters}
        for size in (2, 100):
            titles = []
            for page in range(1, 4 if size == 2 else 2):
                path = world.sa.org("/cards")
                answer = await world.sa.get(path, params={**query, "pageSize": str(size), "page": str(page)})
                titles += [item["title"] for item in answer.ok()["items"]]
            assert titles == expected
    for title in expected:
        assert (await agent.post(agent.org("/cards/claim/mcp"), {})).ok()["title"] == title


async def test_tools_show_a_plain_date_for_a_day_and_take_one(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    moment = await world.card(board, title="moment", dueDate=DAY)
    async with talking(agent) as talk:
        made = await talk.ok("create_card", title="day", dueDate="2026-05-04")
        assert (await talk.ok("get_card", card=made["key"]))["card"]["dueDate"] == "2026-05-04"
        assert (await talk.ok("get_card", card=moment["key"]))["card"]["dueDate"] == DAY
        found = {card["title"]: card["dueDate"] for card in (await talk.ok("list_cards"))["items"]}
        assert found == {"day": "2026-05-04", "moment": DAY}
        await talk.ok("update_card", card=moment["key"], dueDate="2026-05-04")
        await talk.ok("update_card", card=made["key"], dueDate=LATER)
    assert due((await world.sa.get(f"/cards/{moment['id']}")).ok()) == (DAY, True)
    assert due((await world.sa.get(f"/cards/{made['key']}")).ok()) == (LATER, False)


async def test_an_older_snapshot_has_days_at_midnight_and_a_new_one_says_which(world: World) -> None:
    texts = {
        "old": {"dueDate": DAY},
        "oldmoment": {"dueDate": LATER},
        "day": {"dueDate": DAY, "dueAllDay": True},
        "moment": {"dueDate": DAY, "dueAllDay": False},
        "none": {"dueAllDay": True},
    }
    snapshot = small(cards=[card(id=name, **values) for name, values in texts.items()])
    (await send(world.sa, snapshot)).ok()
    login = await world.sa.post("/auth/switch", {"orgId": "org_small"})
    mover = world.client({"Authorization": f"Bearer {login.ok()['token']}"}, org_id="org_small")
    exported = await snapshot_of(mover)
    found = {row["id"]: due(row) for row in exported["cards"]}
    moments = {"oldmoment": (LATER, False), "moment": (DAY, False), "none": (None, False)}
    assert found == {"old": (DAY, True), "day": (DAY, True), **moments}
    assert exported["organization"]["timezone"] == "UTC"
    (await mover.patch(mover.org(), {"timezone": "Asia/Tokyo"})).ok()
    (await send(mover, {**snapshot, "meta": META})).ok()  # names no time zone
    assert (await mover.get(mover.org())).ok()["timezone"] == "Asia/Tokyo"
    (await send(mover, exported)).ok()
    assert (await mover.get(mover.org())).ok()["timezone"] == "UTC"
    changed = small(cards=[card(id="old", dueDate=DAY, dueAllDay=False)])
    (await send(mover, changed)).ok()
    row = (await mover.get("/cards/old/history")).ok()[-1]
    assert row["changes"] == {"dueDate": {"from": "2026-05-04", "to": DAY}}
    wrong = {**snapshot, "organization": {**snapshot["organization"], "timezone": "Mars/Base"}}
    answer = await send(mover, wrong)
    assert answer.refused(400, "InvalidSnapshotShape")["path"] == "organization.timezone"


async def test_the_error_for_an_invalid_date_shows_both_valid_forms(world: World) -> None:
    board = await world.board()
    one = await world.card(board)
    for wrong in ("tomorrow", "31.2.", "2026-02-30", 5):
        (problem,) = (await world.sa.patch(f"/cards/{one['id']}", {"dueDate": wrong})).refused(
            400, "validation_failed"
        )["fields"]
        told = "must be a day like 2026-11-20 or a moment like 2026-11-20T09:05:00Z"
        assert problem == {"path": "dueDate", "message": told}, wrong


async def test_a_date_of_trello_is_a_moment(world: World) -> None:
    cards = [{"name": "x", "idList": "a", "due": DAY}]
    body = {"name": "Board", "lists": [{"id": "a", "name": "A"}], "cards": cards}
    (await world.sa.post("/admin/import/trello", body)).ok()
    (found,) = (await world.sa.get(world.sa.org("/cards"))).ok()["items"]
    assert due(found) == (DAY, False)


async def test_an_organization_has_a_time_zone_that_architects_change(world: World) -> None:
    path = world.sa.org()
    assert (await world.sa.get(path)).ok()["timezone"] == "UTC"
    assert (await world.sa.patch(path, {"timezone": "America/New_York"})).ok()["timezone"] == "America/New_York"
    (*_, event) = (await world.sa.get(world.sa.org("/changes"), params={"since": "0"})).ok()["items"]
    assert event["type"] == "organization.updated"
    assert (await world.member.get(path)).ok()["timezone"] == "America/New_York"
    assert [row["timezone"] for row in (await world.member.get("/organizations")).ok()] == ["America/New_York"]
    for wrong in ("", "Berlin", "europe/berlin", "../../etc/passwd", "America", "UTC\0", "x" * 10_000, 1, None):
        assert get_refused_keys(await world.sa.patch(path, {"timezone": wrong})) == {"timezone"}
    (await world.member.patch(path, {"timezone": "UTC"})).refused(403, "sa_required")
    (await world.outsider.patch(path, {"timezone": "UTC"})).refused(404, "not_found")
    assert (await world.sa.get(path)).ok()["timezone"] == "America/New_York"
