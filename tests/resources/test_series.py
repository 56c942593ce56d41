"""The figures of each day, on scripted histories whose figures were worked out by hand."""

from typing import Any

import pytest

from ..direct_db import execute
from ..world import Client, World
from .test_analytics import Script, march


async def standing(script: Script) -> None:
    """Put the cards where their histories end."""
    for card_id, column in script.places.items():
        await execute(
            script.world,
            "UPDATE cards SET column_id = :column_id WHERE id = :card_id",
            column_id=script.board.columns[column],
            card_id=card_id,
        )


async def series(who: Client, **query: str) -> Any:
    return (await who.get(who.org("/analytics/series"), params=query)).ok()["days"]


@pytest.fixture
async def script(world: World) -> Script:
    return Script(world, await world.board())


def counted(script: Script, day: Any) -> dict[str, int]:
    """Return the cards at the end of a day by column title, where there were any."""
    titles = {column_id: title for title, column_id in script.board.columns.items()}
    assert set(day["columns"]) >= set(titles)
    return {titles[column_id]: count for column_id, count in day["columns"].items() if count}


async def test_each_day_tells_what_was_made_and_closed_and_where_cards_stood(script: Script) -> None:
    for hours in (10, 20, 30):  # closed on the 12th, after so many hours
        card = await script.card(march(11) if hours == 30 else march(12, 20 - hours))
        await script.move(card, march(12, 6) if hours == 30 else march(12, 20), "Done")
    slow = await script.card(march(10))
    await script.move(slow, march(10, 1), "In Progress")
    await script.move(slow, march(13), "Done")  # at the first moment of the day
    await script.card(march(14), "Backlog")
    await standing(script)

    days = await series(script.world.member, **{"from": "2026-03-10", "to": "2026-03-14"})

    assert [day["date"] for day in days] == [f"2026-03-{day}" for day in range(10, 15)]
    assert [(day["created"], day["closed"]) for day in days] == [(1, 0), (1, 0), (2, 3), (0, 1), (1, 0)]
    assert [(day["cycleMedian"], day["cycle85"]) for day in days[1:4]] == [(None, None), (20, 30), (72, 72)]
    assert [counted(script, day) for day in days] == [
        {"In Progress": 1},
        {"In Progress": 1, "Todo": 1},
        {"In Progress": 1, "Done": 3},
        {"Done": 4},
        {"Done": 4, "Backlog": 1},
    ]


async def test_the_median_of_an_even_number_is_between_the_two_in_the_middle(script: Script) -> None:
    for hours in (1, 2, 4, 8):
        card = await script.card(march(10, 12 - hours))
        await script.move(card, march(10, 12), "Done")
    (day,) = await series(script.world.sa, **{"from": march(10, 3), "to": march(10, 4)})
    assert (day["closed"], day["cycleMedian"], day["cycle85"]) == (4, 3, 8)


async def test_85_of_100_were_done_within_the_hours_that_are_told(script: Script) -> None:
    for hours in range(1, 21):
        card = await script.card(march(10, 20 - hours))
        await script.move(card, march(10, 20), "Done")
    (day,) = await series(script.world.sa, **{"from": "2026-03-10", "to": "2026-03-10"})
    assert (day["closed"], day["cycleMedian"], day["cycle85"]) == (20, 10.5, 17)


async def test_archived_and_restored_cards_leave_and_come_back(script: Script) -> None:
    card = await script.card(march(10))
    await script.archive(card, march(11))
    await script.restore(card, march(13))
    await standing(script)
    days = await series(script.world.sa, **{"from": "2026-03-09", "to": "2026-03-13"})
    assert [counted(script, day) for day in days] == [{}, {"Todo": 1}, {}, {}, {"Todo": 1}]
    assert sum(day["created"] for day in days) == 1


async def test_days_are_those_of_the_callers_time_zone(script: Script) -> None:
    member = script.world.member
    (await member.patch("/settings/profile", {"timezone": "America/New_York"})).ok()
    await script.card(march(8, 4))  # 23 h of the 7th there
    await script.card(march(8, 5))
    await script.card(march(9, 3))  # 23 h of the 8th, which has 23 hours
    await script.card(march(9, 4))
    query = {"from": "2026-03-07", "to": "2026-03-09"}
    assert [day["created"] for day in await series(member, **query)] == [1, 2, 1]
    assert [day["created"] for day in await series(script.world.sa, **query)] == [0, 2, 2]
    moments = {"from": march(8, 4), "to": march(9, 4)}  # the same days, as moments
    assert [day["date"] for day in await series(member, **moments)] == ["2026-03-07", "2026-03-08", "2026-03-09"]


async def test_30_days_up_to_today_are_shown_unless_named_and_today_as_it_is_now(world: World) -> None:
    board, other = await world.board(), await world.board()
    card, _ = await world.card(board), await world.card(other)
    days = await series(world.sa, projectId=board.id)
    assert len(days) == 30
    assert [(day["created"], sum(day["columns"].values())) for day in days[-2:]] == [(0, 0), (1, 1)]
    assert days[-1]["columns"][board.columns["Todo"]] == 1
    assert set(days[-1]["columns"]) == set(board.columns.values())
    assert sum((await series(world.sa, bucket="day"))[-1]["columns"].values()) == 2
    (await world.sa.delete(f"/cards/{card['id']}?mode=permanent")).ok()
    assert (await series(world.sa, projectId=board.id, to="2999-01-01"))[-1]["created"] == 0


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ({"from": "2026-03-10", "to": "2026-03-09"}, "from"),
        ({"from": "2999-03-10"}, "from"),
        ({"from": "2024-01-01", "to": "2025-02-04"}, "from"),
        ({"from": "2026-02-30"}, "from"),
        ({"to": "tomorrow"}, "to"),
        ({"bucket": "hour"}, "bucket"),
        ({"since": "2026-03-10"}, "since"),
    ],
)
async def test_days_that_are_none_or_too_many_are_refused(world: World, query: dict[str, str], path: str) -> None:
    assert (await world.sa.get(world.sa.org("/analytics/series"), params=query)).invalid() == [path]


async def test_400_days_are_not_too_many(world: World) -> None:
    assert len(await series(world.sa, **{"from": "2024-01-01", "to": "2025-02-03"})) == 400


async def test_only_people_of_the_organization_with_the_right_may_look(world: World) -> None:
    path, bot, board = world.sa.org("/analytics/series"), await world.agent(), await world.board()
    (await world.nobody.get(path)).refused(401, "unauthorized")
    (await bot.get(path)).refused(401, "unauthorized")
    (await world.outsider.get(path)).refused(404, "not_found")
    theirs = await world.board(world.outsider)
    for project_id in (theirs.id, "proj_none"):
        assert (await world.sa.get(path, params={"projectId": project_id})).invalid() == ["projectId"]
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    (await world.sa.get(path, params={"projectId": board.id})).refused(404, "not_found")
    rows = (await world.sa.get("/permissions")).ok()
    row = next(row for row in rows if (row["role"], row["resource"]) == ("Member", "Analytics"))
    (await world.sa.patch(f"/permissions/{row['id']}", {"actions": []})).ok()
    (await world.member.get(path)).refused(403, "permission_denied")


async def test_many_columns_of_many_days_are_too_many_at_once(world: World) -> None:
    board = await world.board()
    template = board.columns["Todo"]
    await execute(
        world,
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO columns (id, org_id, project_id, title, position, agent_pickup_enabled, agent_can_moderate,
            column_type, required_field_ids, created_at)
        SELECT 'col_more' || i, org_id, project_id, 'More ' || i, 100 + i, agent_pickup_enabled, agent_can_moderate,
            column_type, required_field_ids, created_at
        FROM columns, n WHERE id = :template
        """,
        template=template,
    )
    asked = {"from": "2024-01-01", "to": "2025-02-03"}
    assert (await world.sa.get(world.sa.org("/analytics/series"), params=asked)).invalid() == ["from"]
    assert len(await series(world.sa, **{"from": "2024-01-01", "to": "2024-10-01"})) == 275
