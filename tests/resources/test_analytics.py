"""Analytics from history, on scripted histories whose figures were worked out by hand."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from service.database.queries import sql
from service.database.statement import Statement
from service.ids import new_id

from ..world import Board, World

CARD = Statement(
    "card",
    """
    INSERT INTO cards (
        id, org_id, project_id, number, column_id, card_type_id, title, priority, rank_key, version, created_by,
        created_at, updated_at, archived_at
    )
    VALUES (
        :id, :org_id, :project_id, (SELECT count(*) + 1 FROM cards), :column_id, :type_id, 'Card', 'none', 1, 1, '{}',
        :at, :at, :archived_at
    )
    """,
)
WINDOW = {"from": "2026-03-10T00:00:00.000Z", "to": "2026-03-20T00:00:00.000Z"}  # 240 hours


def march(day: int, hour: int = 0) -> str:
    """Return a moment of March 2026."""
    return f"2026-03-{day:02d}T{hour:02d}:00:00.000Z"


@dataclass
class Script:
    """Cards and their history, at the moments that a test names."""

    world: World
    board: Board
    agent: str | None = None
    places: dict[str, str] = field(default_factory=dict)

    async def card(self, at: str, column: str = "Todo", archived_at: str | None = None) -> str:
        """Create a card."""
        card_id = new_id("card")
        values = {"id": card_id, "org_id": self.world.sa.org_id, "project_id": self.board.id, "at": at}
        place = {"column_id": self.board.columns[column], "type_id": self.board.card_type["id"]}
        await self.world.service.store.write(lambda tx: tx.run(CARD, **values, **place, archived_at=archived_at))
        self.places[card_id] = column
        await self.row(card_id, "created", at, columnId=(None, self.board.columns[column]))
        return card_id

    async def move(self, card_id: str, at: str, column: str, agent: str | None = None) -> None:
        """Move a card."""
        columns, before = self.board.columns, self.places[card_id]
        self.places[card_id] = column
        await self.row(card_id, "moved", at, agent, columnId=(columns[before], columns[column]))

    async def archive(self, card_id: str, at: str) -> None:
        """Archive a card; its row names no column."""
        await self.row(card_id, "archived", at, archivedAt=(None, at))

    async def restore(self, card_id: str, at: str, column: str | None = None) -> None:
        """Restore a card; its row names a column only if it is another one."""
        columns = self.board.columns
        moved = {"columnId": (columns[self.places[card_id]], columns[column])} if column else {}
        await self.row(card_id, "restored", at, archivedAt=(at, None), **moved)

    async def row(self, card_id: str, action: str, at: str, agent: str | None = None, **changes: Any) -> None:
        """Write a row of history."""
        text = json.dumps({name: {"from": old, "to": new} for name, (old, new) in changes.items()})
        who = {"actor_type": "Agent" if agent else "User", "actor_id": agent or self.world.sa.id, "actor_label": None}
        values = {
            "id": new_id("his"),
            "org_id": self.world.sa.org_id,
            "card_id": card_id,
            "created_at": at,
            **who,
            "imported": 0,
        }
        await self.world.service.store.write(
            lambda tx: tx.run(sql.imports.write_history, **values, action=action, changes=text)
        )

    async def figures(self, **query: str) -> Any:
        """Ask for the figures of the ten days in March, by column title."""
        answer = (await self.world.member.get(self.world.sa.org("/analytics"), params={**WINDOW, **query})).ok()
        titles = {column_id: title for title, column_id in self.board.columns.items()}
        answer["byColumn"] = {
            titles[row["columnId"]]: (row["cardsEntered"], row["averageDwellHours"])
            for row in answer["byColumn"]
            if row["columnId"] in titles
        }
        return answer


@pytest.fixture
async def script(world: World) -> Script:
    return Script(world, await world.board())


async def test_an_empty_window_is_all_zeros_and_lists_the_active_columns(script: Script) -> None:
    answer = await script.figures()
    assert answer == {
        "window": WINDOW,
        "throughput": {"cardsCreated": 0, "cardsClosed": 0, "averageCycleTimeHours": 0},
        "agents": [],
        "byColumn": dict.fromkeys(("Backlog", "Todo", "In Progress", "Review", "Done"), (0, 0)),
    }


async def test_dwell_is_cut_at_both_edges_of_the_window(script: Script) -> None:
    # Todo from 9 hours before the window, to 24 hours into it; In Progress until 36 hours past its end.
    card = await script.card(march(9, 15))
    await script.move(card, march(11), "In Progress")
    await script.move(card, march(21, 12), "Review")
    by_column = (await script.figures())["byColumn"]
    assert by_column["Todo"] == (0, 24)
    assert by_column["In Progress"] == (1, 216)
    assert by_column["Review"] == (0, 0)


async def test_a_stay_over_the_whole_window_counts_all_of_it_and_one_outside_nothing(script: Script) -> None:
    await script.card(march(1))
    gone = await script.card(march(1), "Review")
    await script.move(gone, march(10), "Done")  # right at the start: the stay before is not in the window
    await script.card(march(20), "Backlog")  # right at the end: not in it any more
    answer = await script.figures()
    assert answer["byColumn"] == {
        "Backlog": (0, 0),
        "Todo": (0, 240),
        "In Progress": (0, 0),
        "Review": (0, 0),
        "Done": (1, 240),
    }
    assert answer["throughput"] == {"cardsCreated": 0, "cardsClosed": 1, "averageCycleTimeHours": 216}


async def test_the_mean_is_over_completed_and_running_stays(script: Script) -> None:
    quick = await script.card(march(10))
    await script.move(quick, march(10, 6), "In Progress")  # 6 hours in Todo
    await script.card(march(19))  # 24 hours, still running
    answer = await script.figures()
    assert answer["byColumn"]["Todo"] == (2, 15)
    assert answer["throughput"]["cardsCreated"] == 2


async def test_each_closing_of_a_reopened_card_counts(script: Script) -> None:
    card = await script.card(march(10), "Review")
    await script.move(card, march(11), "Done")  # after 24 hours
    await script.move(card, march(12), "Todo")
    await script.move(card, march(14), "Review")
    await script.move(card, march(15), "Done")  # after 120 hours
    answer = await script.figures()
    assert answer["throughput"] == {"cardsCreated": 1, "cardsClosed": 2, "averageCycleTimeHours": 72}
    assert answer["byColumn"]["Done"] == (2, 72)  # 24 and 120 hours
    assert answer["byColumn"]["Review"] == (2, 24)
    assert answer["byColumn"]["Todo"] == (1, 48)


async def test_a_card_made_in_done_is_not_closed(script: Script) -> None:
    await script.card(march(12), "Done")
    answer = await script.figures()
    assert answer["throughput"]["cardsClosed"] == 0
    assert answer["byColumn"]["Done"] == (1, 192)


async def test_archived_cards_count_but_dwell_no_more(script: Script) -> None:
    card = await script.card(march(11), "Review", archived_at=march(13))
    await script.move(card, march(12), "Done")
    await script.archive(card, march(13))
    answer = await script.figures()
    assert answer["throughput"] == {"cardsCreated": 1, "cardsClosed": 1, "averageCycleTimeHours": 24}
    assert answer["byColumn"]["Done"] == (1, 24)


async def test_a_restored_card_begins_a_new_stay_where_it_stood(script: Script) -> None:
    card = await script.card(march(9))
    await script.archive(card, march(11))  # 24 hours of the window
    await script.restore(card, march(18))  # 48 hours
    assert (await script.figures())["byColumn"]["Todo"] == (0, 36)


async def test_a_card_archived_before_the_window_dwells_from_its_restoring(script: Script) -> None:
    card = await script.card(march(1))
    await script.archive(card, march(5))
    await script.restore(card, march(19), "Backlog")
    by_column = (await script.figures())["byColumn"]
    assert by_column["Todo"] == (0, 0)
    assert by_column["Backlog"] == (1, 24)


async def test_agents_are_counted_by_cards_comments_and_transitions(script: Script) -> None:
    first, second = await script.card(march(10)), await script.card(march(10))
    await script.move(first, march(11), "In Progress", "bot")
    await script.move(first, march(12), "Todo", "bot")
    await script.row(first, "commented", march(12), "bot")
    await script.row(second, "replied", march(13), "bot")
    await script.row(second, "updated", march(13), "aide")
    await script.move(second, march(13), "In Progress")  # by a person
    await script.move(second, march(25), "Todo", "bot")  # past the window
    assert (await script.figures())["agents"] == [
        {"agentId": "aide", "cardsTouched": 1, "comments": 0, "transitions": 0},
        {"agentId": "bot", "cardsTouched": 2, "comments": 2, "transitions": 2},
    ]


async def test_project_id_narrows_every_figure(script: Script) -> None:
    world = script.world
    other = Script(world, await world.board(title="Other board"))
    for each, agent in ((script, "bot"), (other, "aide")):
        card = await each.card(march(12), "Review")
        await each.move(card, march(13), "Done", agent)
    answer = await script.figures(projectId=script.board.id)
    assert answer["throughput"] == {"cardsCreated": 1, "cardsClosed": 1, "averageCycleTimeHours": 24}
    assert [row["agentId"] for row in answer["agents"]] == ["bot"]
    raw = (await world.sa.get(world.sa.org("/analytics"), params={**WINDOW, "projectId": other.board.id})).ok()
    assert [row["columnId"] for row in raw["byColumn"]] == list(other.board.columns.values())
    both = (await world.sa.get(world.sa.org("/analytics"), params=WINDOW)).ok()
    assert both["throughput"]["cardsClosed"] == 2
    assert len(both["byColumn"]) == 10


async def test_what_the_routes_write_is_what_analytics_reads(world: World) -> None:
    board, bot = await world.board(), await world.agent()
    card = await world.card(board, by=bot)
    to = {"toColumnId": board.columns["In Progress"]}
    (await bot.patch(f"/cards/{card['id']}/mcp/status", to)).ok()
    (await bot.post(f"/cards/{card['id']}/comments/mcp", {"content": "Done soon."})).ok()
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    (await world.sa.post(f"/cards/{card['id']}/restore")).ok()
    answer = (await world.sa.get(world.sa.org("/analytics"), params={"to": "2999-01-01T00:00:00Z"})).ok()
    assert answer["agents"] == [{"agentId": "bot", "cardsTouched": 1, "comments": 1, "transitions": 1}]
    entered = {row["columnId"]: row["cardsEntered"] for row in answer["byColumn"]}
    assert [entered[board.columns[title]] for title in ("Backlog", "Todo", "In Progress")] == [0, 1, 1]
    assert all(row["averageDwellHours"] < 1 for row in answer["byColumn"])  # nobody dwells in the future
    (await world.sa.delete(f"/cards/{card['id']}", params={"mode": "permanent"})).ok()
    after = (await world.sa.get(world.sa.org("/analytics"), params={"to": "2999-01-01T00:00:00Z"})).ok()
    assert after["agents"] == []
    assert {row["cardsEntered"] for row in after["byColumn"]} == {0}


async def test_the_window_is_the_last_30_days_unless_named(world: World) -> None:
    window = (await world.sa.get(world.sa.org("/analytics"))).ok()["window"]
    assert window["from"] < window["to"]
    assert len(window["from"]) == len("2026-03-10T00:00:00.000Z")
    offset = {"from": "2026-03-10T02:00:00+02:00", "to": "2026-03-20"}
    assert (await world.sa.get(world.sa.org("/analytics"), params=offset)).ok()["window"] == WINDOW


@pytest.mark.parametrize(
    "query",
    [
        {"from": WINDOW["to"], "to": WINDOW["from"]},
        {"from": WINDOW["to"], "to": WINDOW["to"]},
        {"from": "yesterday"},
        {"since": WINDOW["from"]},
        {"from": "2999-01-01T00:00:00Z"},
    ],
)
async def test_a_window_that_is_none_is_refused(world: World, query: dict[str, str]) -> None:
    (await world.sa.get(world.sa.org("/analytics"), params=query)).refused(400, "validation_failed")


async def test_only_people_of_the_organization_may_look(world: World) -> None:
    path, bot = world.sa.org("/analytics"), await world.agent()
    (await world.nobody.get(path)).refused(401, "unauthorized")
    (await bot.get(path)).refused(401, "unauthorized")
    (await world.outsider.get(path)).refused(404, "not_found")
    theirs = await world.board(world.outsider)
    for project_id in (theirs.id, "proj_none"):
        assert (await world.sa.get(path, params={"projectId": project_id})).invalid() == ["projectId"]
