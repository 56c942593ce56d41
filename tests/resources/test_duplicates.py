"""Duplicating a card: all that was planned, nothing of what has happened to it."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from service import config
from service.pipeline import jobs

from ..builders import permit
from ..direct_db import execute, rows
from ..forms import upload
from ..refusals import expect_hidden, people_only
from ..repeated import KEY, get_first_answer, get_replay
from ..running import running
from ..streams import changes, position
from ..world import Answer, Board, Client, World


async def duplicate(who: Client, card: Any, **wishes: Any) -> Answer:
    return await who.post(f"/cards/{card['id']}/duplicate", wishes)


async def test_a_copy_has_what_was_planned_and_nothing_of_what_has_happened(world: World) -> None:
    board, agent = await world.board(title="Release"), await world.agent()
    notes, plan = await world.field(board, "notes"), await world.field(board, "plan", "file")
    values = [{"fieldId": notes, "value": "Look"}, {"fieldId": board.field("tags"), "value": ["a", "b, c"]}]
    people = {"assignedUserId": world.member.id, "assignedAgentId": "bot"}
    wishes = {"title": "Plan", "priority": "high", "dueDate": "2027-01-05T12:00:00.000Z", "fieldValues": values}
    card = await world.card(board, columnId=board.columns["In Progress"], **wishes, **people)
    await upload(world, card, plan)
    (await world.member.post(f"/cards/{card['id']}/comments", {"content": "Well"})).ok()
    (await agent.post(f"/cards/{card['id']}/claim/mcp")).ok()
    start = await position(world.sa)
    copy = (await duplicate(world.member, card)).ok()
    assert (copy["key"], copy["title"], copy["version"]) == ("REL-2", "Plan (copy)", 1)
    same = {"projectId", "columnId", "cardTypeId", "priority", "dueDate", "assignedUserId", "assignedAgentId"}
    assert {key: copy[key] for key in same} == {key: card[key] for key in same}
    assert sorted(copy["fieldValues"], key=str) == sorted(values, key=str)
    assert (copy["claim"], copy["createdBy"]["id"]) == (None, world.member.id)
    assert (await world.member.get(f"/cards/{copy['id']}/comments")).ok()["total"] == 0
    (row,) = await world.history(copy["id"])
    assert (row["action"], row["changes"]["title"]) == ("created", {"from": None, "to": "Plan (copy)"})
    assert row["changes"]["fieldValues.notes"] == {"from": None, "to": "Look"}
    (event,) = (await changes(world.sa, since=start))["items"]
    assert (event["type"], event["cardId"]) == ("card.created", copy["id"])


async def test_a_copy_comes_to_the_end_of_its_column_or_of_another_one(world: World) -> None:
    board = await world.board()
    first, second = await world.card(board), await world.card(board)
    assert await world.above((await duplicate(world.sa, first)).ok()) == second["id"]
    there = (await duplicate(world.sa, first, columnId=board.columns["Done"], title="Mine")).ok()
    assert (there["columnId"], there["title"]) == (board.columns["Done"], "Mine")
    other = await world.board(title="Other")
    assert (await duplicate(world.sa, first, columnId=other.columns["Todo"])).invalid() == ["columnId"]
    (await world.sa.patch(world.sa.org(f"/columns/{board.columns['Todo']}"), {"wipLimit": 3})).ok()
    (await duplicate(world.sa, first)).refused(400, "wip_limit_reached")


async def test_a_day_stays_a_day_in_the_copy_and_its_history_and_a_moment_a_moment(world: World) -> None:
    board = await world.board()
    for due in ("2027-01-05", "2027-01-05T00:00:00.000Z"):
        card = await world.card(board, dueDate=due)
        copy = (await duplicate(world.sa, card)).ok()
        assert (copy["dueDate"], copy["dueAllDay"]) == ("2027-01-05T00:00:00.000Z", card["dueAllDay"])
        (row,) = await world.history(copy["id"])
        assert row["changes"]["dueDate"] == {"from": None, "to": due}


async def test_a_long_title_stays_within_its_limit(world: World) -> None:
    card = await world.card(await world.board(), title="t" * 500)
    assert (await duplicate(world.sa, card)).ok()["title"] == "t" * 493 + " (copy)"


async def test_parts_are_copied_if_that_is_asked_for(world: World) -> None:
    board = await world.board(title="Release")
    card = await world.card(board)
    (await world.sa.post(f"/cards/{card['id']}/split", {"parts": [{"title": title} for title in "ABC"]})).ok()
    (await world.sa.delete("/cards/REL-3")).ok()
    assert (await duplicate(world.sa, card)).ok()["parts"] is None
    copy = (await duplicate(world.member, card, withParts=True)).ok()
    assert copy["parts"] == {"done": 0, "total": 2}
    relations = (await world.sa.get(world.sa.org("/relationships"), params={"cardId": copy["id"]})).ok()
    parts = [(await world.sa.get(f"/cards/{row['fromCardId']}")).ok() for row in relations]
    assert [(part["title"], part["key"]) for part in parts] == [("A", "REL-7"), ("C", "REL-8")]
    (await world.sa.patch(world.sa.org(f"/columns/{board.columns['Todo']}"), {"wipLimit": 9})).ok()
    (await duplicate(world.sa, card, withParts=True)).refused(400, "wip_limit_reached")
    assert (await world.sa.get(world.sa.org("/cards"))).ok()["total"] == 7  # nothing of it was created


async def test_more_than_fifty_parts_are_not_copied(world: World) -> None:
    card = await world.card(await world.board())
    for count in (50, 1):
        (await world.sa.post(f"/cards/{card['id']}/split", {"parts": [{"title": "P"}] * count})).ok()
    assert (await duplicate(world.sa, card, withParts=True)).invalid() == ["withParts"]
    (await duplicate(world.sa, card)).ok()


async def test_values_that_are_no_longer_valid_are_left_out(world: World) -> None:
    board = await world.board()
    who = await world.field(board, "reviewer", "user")
    card = await world.card(board, fieldValues=[{"fieldId": who, "value": world.member.id}])
    card = (await world.sa.patch(f"/cards/{card['id']}", {"assignedUserId": world.member.id})).ok()
    await execute(world, "DELETE FROM memberships WHERE user_id = :id", id=world.member.id)  # before the cards follow
    copy = (await duplicate(world.sa, card)).ok()
    assert (copy["assignedUserId"], copy["fieldValues"]) == (None, [])


async def test_who_may_not_create_cards_or_see_the_card_duplicates_nothing(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    path = f"/cards/{card['id']}/duplicate"
    await people_only(world, "POST", path, {})
    await expect_hidden(world, "POST", path, {})
    await permit(world, "Member", "Relationship", "read")
    (await duplicate(world.member, card)).ok()
    (await duplicate(world.member, card, withParts=True)).refused(403, "permission_denied")
    await permit(world, "Member", "Card", "read", "update")
    (await duplicate(world.member, card)).refused(403, "permission_denied")
    for body in ({"title": ""}, {"title": 1}, {"withParts": "yes"}, {"columnId": ""}, {"more": 1}):
        (await world.sa.post(path, body)).refused(400, "validation_failed")
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    (await duplicate(world.sa, card)).refused(409, "archived_parent")
    another = await world.card(board)
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    (await duplicate(world.sa, another)).refused(404, "not_found")


async def made_parts(world: World, card: Any) -> list[Any]:
    """List the parts of a card in the order in which they were made."""
    relations = (await world.sa.get(world.sa.org("/relationships"), params={"cardId": card["id"]})).ok()
    parts = [(await world.sa.get(f"/cards/{row['fromCardId']}")).ok() for row in relations if row["kind"] == "partOf"]
    return sorted(parts, key=lambda part: part["number"])


async def with_parts(world: World, board: Board, titles: str, **wishes: Any) -> Any:
    """Make a card with a part for each letter."""
    card = await world.card(board, **wishes)
    (await world.sa.post(f"/cards/{card['id']}/split", {"parts": [{"title": title} for title in titles]})).ok()
    return card


class Held:
    """A job of which each batch has a transaction of its own, and that waits before its second one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(jobs, "BATCH_SECONDS", 0.0)
        self._run_job, self._waits, self._go_on = jobs._run_job, asyncio.Event(), asyncio.Event()
        monkeypatch.setattr(jobs, "_run_job", self._run_later)

    async def _run_later(self, *arguments: Any) -> None:
        self._waits.set()
        await self._go_on.wait()
        await self._run_job(*arguments)

    async def begin(self, request: Coroutine[Any, Any, Answer]) -> asyncio.Task[Answer]:
        """Send a request, and wait until its first batch is stored."""
        task = asyncio.create_task(request)
        await asyncio.wait_for(self._waits.wait(), 20)
        return task

    async def end(self, task: asyncio.Task[Answer]) -> Answer:
        """Let the job go on, and return the answer."""
        self._go_on.set()
        return await asyncio.wait_for(task, 20)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    return Held(monkeypatch)


async def test_a_copy_denies_writes_until_its_last_part(world: World, held: Held) -> None:
    board, agent = await world.board(title="Release"), await world.agent()
    card = await with_parts(world, board, "ABC", priority="urgent")
    begun = await held.begin(duplicate(world.sa, card, withParts=True))
    copy = (await world.sa.get("/cards/REL-5")).ok()
    assert (copy["title"], copy["parts"]["total"]) == ("Card (copy)", 1)
    path, relation = f"/cards/{copy['id']}", {"fromCardId": card["id"], "toCardId": copy["id"], "kind": "relatesTo"}
    edit = {"operations": [{"cardId": copy["id"], "edit": {"title": "New"}}]}
    for method, url, body in (
        ("PATCH", path, {"title": "New"}),
        ("POST", f"{path}/comments", {"content": "Well"}),
        ("DELETE", path, None),
        ("POST", world.sa.org("/relationships"), relation),
    ):
        assert (await world.sa.call(method, url, body)).refused(409, "conflict")["state"] == "duplicating", url
    (result,) = (await world.sa.post(world.sa.org("/cards/batch"), edit)).ok()["results"]
    assert result["error"]["details"]["state"] == "duplicating"
    (part,) = await made_parts(world, copy)
    row = (await world.sa.get(world.sa.org("/relationships"), params={"cardId": part["id"]})).ok()[0]
    assert (await world.sa.delete(world.sa.org(f"/relationships/{row['id']}"))).status == 409
    (await world.sa.patch(f"/cards/{card['id']}", {"title": "Others can be changed"})).ok()
    claimed = [(await agent.post(agent.org("/cards/claim/mcp"), {})).ok()["key"] for _ in range(3)]
    assert copy["key"] not in claimed
    answer = (await held.end(begun)).ok()
    assert (answer["id"], answer["parts"]) == (copy["id"], {"done": 0, "total": 3})
    assert [part["title"] for part in await made_parts(world, copy)] == ["A", "B", "C"]
    (await world.sa.patch(path, {"title": "New"})).ok()


async def test_parts_that_were_made_stay_after_an_error(world: World, held: Held) -> None:
    board = await world.board(title="Release")
    card = await with_parts(world, board, "ABC")
    (await world.sa.patch(world.sa.org(f"/columns/{board.columns['Todo']}"), {"wipLimit": 8})).ok()
    begun = await held.begin(duplicate(world.sa, card, withParts=True))
    for _ in range(2):
        await world.card(board)
    details = (await held.end(begun)).refused(400, "wip_limit_reached")
    copy = (await world.sa.get("/cards/REL-5")).ok()
    assert (details["cardId"], details["cardKey"]) == (copy["id"], "REL-5")
    assert [part["title"] for part in await made_parts(world, copy)] == ["A"]
    (await world.sa.patch(f"/cards/{copy['id']}", {"title": "It can be changed"})).ok()
    assert await rows(world, "SELECT id FROM jobs") == []


async def test_parts_that_leave_meanwhile_are_left_out(world: World, held: Held) -> None:
    board, other = await world.board(title="Release"), await world.board(title="Other")
    card = await with_parts(world, board, "ABCDE")
    begun = await held.begin(duplicate(world.sa, card, withParts=True))
    (await world.sa.delete("/cards/REL-3")).ok()
    (await world.sa.delete("/cards/REL-4", params={"mode": "permanent"})).ok()
    (await world.sa.post("/cards/REL-5/transfer", {"projectId": other.id})).ok()
    copy = (await held.end(begun)).ok()
    assert [part["title"] for part in await made_parts(world, copy)] == ["A", "E"]


async def test_the_removal_of_the_column_or_of_the_board_ends_it(world: World, held: Held) -> None:
    board = await world.board(title="Release")
    card = await with_parts(world, board, "AB")
    begun = await held.begin(duplicate(world.sa, card, withParts=True, columnId=board.columns["Done"]))
    path = world.sa.org(f"/columns/{board.columns['Done']}")
    (await world.sa.delete(path, params={"moveTo": board.columns["Todo"]})).ok()
    assert (await held.end(begun)).refused(409, "conflict")["state"] == "removed"
    assert [part["title"] for part in await made_parts(world, {"id": "REL-4"})] == ["A"]
    assert await rows(world, "SELECT id FROM jobs") == []


async def test_a_repeated_request_makes_no_second_copy(world: World, held: Held) -> None:
    board = await world.board(title="Release")
    card = await with_parts(world, board, "ABC")
    path, body = f"/cards/{card['id']}/duplicate", {"withParts": True}
    begun = await held.begin(world.sa.post(path, body, **KEY))
    assert (await world.sa.post(path, body, **KEY)).refused(409, "conflict")["state"] == "duplicating"
    made = get_first_answer(await held.end(begun))
    assert made["parts"]["total"] == 3
    assert get_replay(await world.sa.post(path, body, **KEY)) == made
    assert (await world.sa.get(world.sa.org("/cards"))).ok()["total"] == 8


@pytest.mark.slow
async def test_duplication_continues_after_a_restart_and_a_repeated_request_gets_the_copy(
    settings: config.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, body = "/cards/REL-1/duplicate", {"withParts": True}
    async with running(settings) as world:
        await with_parts(world, await world.board(title="Release"), "ABCD")
        with monkeypatch.context() as patch:
            begun = await Held(patch).begin(world.sa.post(path, body, **KEY))
            begun.cancel()
    async with running(settings) as world:
        async with asyncio.timeout(20):
            while (await world.sa.get("/cards/REL-6")).ok()["parts"]["total"] < 4:  # noqa: ASYNC110  # nobody tells
                await asyncio.sleep(0.05)
        await asyncio.sleep(0.1)
        assert get_replay(await world.sa.post(path, body, **KEY))["key"] == "REL-6"
        assert (await world.sa.get(world.sa.org("/cards"))).ok()["total"] == 10


async def test_parts_that_are_too_large_for_one_transaction_are_copied(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.database.deadline.UNIT_CPU_SECONDS_MAX", 0.2)
    board = await world.board(title="Release")
    card = await world.card(board)
    values = [{"fieldId": board.field("description"), "value": "- [ ] an item to do\n" * 4500}]
    for _ in range(12):
        (await world.sa.post(f"/cards/{card['id']}/split", {"parts": [{"title": "P", "fieldValues": values}]})).ok()
    copy = (await duplicate(world.sa, card, withParts=True)).ok()
    assert copy["parts"] == {"done": 0, "total": 12}
    assert [part["checklist"]["total"] for part in await made_parts(world, copy)] == [4500] * 12
