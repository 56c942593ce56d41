"""What grows with the number of cards is done in batches: others write meanwhile, and it goes on whatever happens."""

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from service.auth.authentication import API_KEY
from service.pipeline import jobs
from service.pipeline.routing import Route

from .. import walk
from ..builders import database
from ..many_cards import CARDS, Many
from ..process import ServiceProcess
from ..world import MEMBER, OUTSIDER, Answer, Board, World

VALUES = """
    INSERT INTO field_values (card_id, field_id, value)
    SELECT id, ?, '"a value"' FROM cards WHERE id LIKE 'card_many_%'
"""

WATCH = (
    "INSERT INTO card_watchers (card_id, user_id, org_id) SELECT id, ?, org_id FROM cards WHERE id LIKE 'card_many_%'"
)


@pytest.fixture
async def many(world: World) -> Many:
    return Many(world, await world.board())


@contextlib.asynccontextmanager
async def others_write(world: World) -> AsyncIterator[list[float]]:
    """Let somebody of another organization comment all the time; gives how long each took."""
    other = await world.login(OUTSIDER)
    card = await world.card(await world.board(other), by=other)
    waits: list[float] = []

    async def comment() -> None:
        while True:
            began = time.monotonic()
            (await other.post(f"/cards/{card['id']}/comments", {"content": "Still here."})).ok()
            waits.append(time.monotonic() - began)

    task = asyncio.create_task(comment())
    await asyncio.sleep(0.05)
    try:
        yield waits
    finally:
        assert not task.done(), task.exception()
        task.cancel()


async def expect_others_served(world: World, work: Callable[[], Awaitable[Answer]]) -> Answer:
    """Do something long; expect that others write all the time, none of them waiting for a second."""
    async with others_write(world) as waits:
        answer = await work()
    answer.ok()
    assert len(waits) >= 2
    assert sorted(waits)[int(len(waits) * 0.9)] < 1, waits
    with database(world) as connection:
        assert connection.execute("SELECT count(*) FROM jobs").fetchone() == (0,)
    return answer


async def test_an_agent_with_very_many_cards_is_removed(many: Many) -> None:
    world = many.world
    await world.agent("bot")
    many.fill(agent_id="bot")
    await expect_others_served(world, lambda: world.sa.delete("/agents/bot"))
    assert many.count("assigned_agent_id IS NOT NULL") == 0
    assert many.count("version = 2") == CARDS
    (await world.sa.patch("/agents/bot/approve")).refused(404, "not_found")


@pytest.mark.slow
async def test_a_member_with_very_many_cards_is_removed(many: Many) -> None:
    world = many.world
    many.fill(user_id=world.member.id)
    await expect_others_served(world, lambda: world.sa.delete(world.sa.org(f"/members/{world.member.id}")))
    assert many.count("assigned_user_id IS NOT NULL") == 0
    (await world.member.get(world.sa.org("/projects"))).refused(404, "not_found")


async def test_a_member_who_watches_very_many_cards_is_removed(many: Many) -> None:
    world = many.world
    await world.join(world.outsider, world.member, MEMBER)
    elsewhere = await world.card(await world.board(world.outsider), by=world.outsider)
    many.fill(1_200)
    with database(world) as connection:
        for user in (world.member, world.sa):
            connection.execute(WATCH, (user.id,))
        connection.execute(
            "INSERT INTO card_watchers VALUES (?, ?, ?)", (elsewhere["id"], world.member.id, world.outsider.org_id)
        )
    (await world.sa.delete(world.sa.org(f"/members/{world.member.id}"))).ok()
    with database(world) as connection:
        left = dict(connection.execute("SELECT user_id, count(*) FROM card_watchers GROUP BY user_id"))
        assert left[world.member.id] == 1  # where the person is a member still
        assert left[world.sa.id] == 1_200
        assert connection.execute("SELECT count(*) FROM jobs").fetchone() == (0,)


async def test_a_column_with_very_many_cards_is_removed_and_they_keep_their_order(many: Many) -> None:
    world, columns = many.world, many.board.columns
    many.fill()
    path = world.sa.org(f"/columns/{columns['Todo']}")
    await expect_others_served(world, lambda: world.sa.delete(path, params={"moveTo": columns["Backlog"]}))
    with database(world) as connection:
        query = "SELECT id FROM cards WHERE column_id = ? ORDER BY rank_key"
        placed = [id for (id,) in connection.execute(query, (columns["Backlog"],))]
    assert placed == [f"card_many_{number}" for number in range(1, CARDS + 1)]
    assert columns["Todo"] not in {column["id"] for column in (await world.sa.get(world.sa.org("/columns"))).ok()}
    assert [row["action"] for row in await world.history("card_many_7")] == ["moved"]


@pytest.mark.slow
async def test_a_project_with_very_many_cards_is_archived_restored_and_removed(many: Many) -> None:
    world, project_id = many.world, many.board.id
    many.fill()
    before = await world.card(many.board)
    (await world.sa.delete(f"/cards/{before['id']}")).ok()  # into the archive, where it stays
    path = world.sa.org(f"/projects/{project_id}")
    await expect_others_served(world, lambda: world.sa.delete(path))
    assert many.count("archived_at IS NOT NULL") == CARDS
    assert len(set(_column(world, "archive_id"))) == 2
    (await world.sa.get(path)).refused(404, "not_found")
    answer = await expect_others_served(world, lambda: world.sa.post(f"/archive/project/{project_id}/restore"))
    assert answer.body["id"] == project_id
    assert many.count("archived_at IS NULL") == CARDS
    assert [row["action"] for row in await world.history("card_many_7")] == ["archived", "restored"]
    assert (await world.sa.get(f"/cards/{before['id']}")).ok()["archivedAt"]
    (await world.sa.delete(path)).ok()
    await expect_others_served(world, lambda: world.sa.delete(f"/archive/project/{project_id}"))
    assert many.count() == 0


def _column(world: World, name: str) -> list[Any]:
    with database(world) as connection:
        return [
            value for (value,) in connection.execute(f"SELECT {name} FROM cards WHERE org_id = ?", [world.sa.org_id])
        ]


async def test_an_active_project_with_very_many_cards_is_removed(many: Many) -> None:
    world = many.world
    many.fill()
    path = world.sa.org(f"/projects/{many.board.id}")
    await expect_others_served(world, lambda: world.sa.delete(path, params={"mode": "permanent"}))
    assert many.count() == 0


@pytest.mark.parametrize("way", ["active", "archived"])
async def test_an_organization_with_very_many_cards_is_removed(many: Many, way: str) -> None:
    world = many.world
    many.fill()
    path = world.sa.org()
    if way == "archived":
        await expect_others_served(world, lambda: world.sa.delete(path))
        await expect_others_served(world, lambda: world.sa.post(f"/archive/organization/{world.sa.org_id}/restore"))
        (await world.sa.delete(path)).ok()
        path = f"/archive/organization/{world.sa.org_id}"
    query = {"mode": "permanent"} if way == "active" else {}
    await expect_others_served(world, lambda: world.sa.delete(path, params=query))
    with database(world) as connection:
        for table in ("cards", "projects", "events", "memberships"):
            query = f"SELECT count(*) FROM {table} WHERE org_id = ?"
            assert connection.execute(query, (world.sa.org_id,)).fetchone() == (0,), table


async def test_a_field_of_which_very_many_cards_have_a_value_is_removed(many: Many) -> None:
    world = many.world
    field_id = await world.field(many.board, "size")
    many.fill()
    with database(world) as connection:
        connection.execute(VALUES, (field_id,))
        connection.execute("DELETE FROM search_pending")
    path = world.sa.org(f"/card-types/{many.board.card_type['id']}/fields/{field_id}")
    await expect_others_served(world, lambda: world.sa.delete(path))
    with database(world) as connection:
        assert connection.execute("SELECT count(*) FROM field_values WHERE field_id = ?", (field_id,)).fetchone() == (
            0,
        )
    assert "size" not in {row["name"] for row in (await _fields(world, many.board))}


async def _fields(world: World, board: Board) -> Any:
    types = (await world.sa.get(world.sa.org("/card-types"))).ok()
    return next(item["fields"] for item in types if item["id"] == board.card_type["id"])


# They end the session, or take what the others need; they have tests of their own above, or nothing to do with cards.
LEFT_OUT = {"POST /auth/logout", "POST /auth/login", "POST /settings/password", "POST /organizations"}
LAST = ["/fields/", "/columns/", "/card-types/", "/agents/", "/projects/", "/archive/", "/members/{user_id}"]


def _order(route: Route) -> int:
    """Put routes that remove what others need behind these."""
    if route.method != "DELETE":
        return 0
    if route.path == "/organizations/{org_id}":
        return len(LAST) + 1
    return next((place for place, part in enumerate(LAST, 2) if part in route.path), 1)


@pytest.mark.slow
async def test_no_route_keeps_others_from_writing_however_many_cards_there_are(world: World) -> None:
    ids, agent = await walk.create_one_of_each(world, world.sa, "bot")
    board = Board(ids["project_id"], {"Todo": ids["column_id"]}, {}, {"id": ids["card_type_id"], "fields": []})
    many = Many(world, board)
    many.fill(agent_id="bot", user_id=world.sa.id)
    took: dict[str, float] = {}
    async with others_write(world) as waits:
        for route in sorted(walk.with_bodies(), key=_order):
            if walk.name(route) in LEFT_OUT:
                continue
            who = agent if route.policy.scheme == API_KEY else world.sa
            began = time.monotonic()
            answer = await walk.send(who, route, ids)
            took[walk.name(route)] = time.monotonic() - began
            assert answer.status < 500, (walk.name(route), answer.body)
    waits.sort()
    assert waits[int(len(waits) * 0.99)] < 1, (waits[-5:], sorted(took.items(), key=lambda item: -item[1])[:5])


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have so little done in a batch that tests see what is in between."""
    monkeypatch.setattr(jobs, "BATCH_SECONDS", 0.0)


@contextlib.asynccontextmanager
async def halfway(many: Many, start: Awaitable[Answer], condition: str) -> AsyncIterator["asyncio.Task[Answer]"]:
    """Begin something, and go on while it is under way."""
    task = asyncio.ensure_future(start)
    async with asyncio.timeout(20):
        while not many.count(condition):  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.001)
    assert not task.done()
    yield task
    assert not task.done(), "it was over too soon to see anything"
    (await task).ok()


def refused(answer: Answer, state: str) -> None:
    assert answer.refused(409, "conflict")["state"] == state


async def test_writes_to_a_project_that_is_being_archived_are_denied_until_it_is(
    many: Many, small_batches: None
) -> None:
    world, board = many.world, many.board
    card = await world.card(board, "Backlog", title="Inside")
    elsewhere = await world.board(title="Elsewhere")
    many.fill(2000)
    project = world.sa.org(f"/projects/{board.id}")
    async with halfway(many, world.sa.delete(project), "archived_at IS NOT NULL"):
        new = {"projectId": board.id, "cardTypeId": board.card_type["id"], "title": "New"}
        column, edge = board.columns["Todo"], board.transitions["Todo", "In Progress"]
        for denied in (
            world.sa.patch(f"/cards/{card['id']}", {"title": "Changed"}),
            world.member.post(f"/cards/{card['id']}/comments", {"content": "Hello"}),
            world.sa.post(world.sa.org("/cards"), new),
            world.sa.post(world.sa.org("/columns"), {"projectId": board.id, "title": "New"}),
            world.sa.patch(world.sa.org(f"/columns/{column}"), {"title": "Changed"}),
            world.sa.delete(world.sa.org(f"/transitions/{edge}")),
            world.sa.patch(project, {"title": "Changed"}),
            world.sa.delete(project),
        ):
            refused(await denied, "archiving")
        batch = {"operations": [{"cardId": card["id"], "edit": {"title": "Changed"}}]}
        (result,) = (await world.sa.post(world.sa.org("/cards/batch"), batch)).ok()["results"]
        assert (result["error"]["code"], result["error"]["details"]["state"]) == ("conflict", "archiving")
        (await world.card(elsewhere))  # other boards go on
    assert (await world.sa.get("/archive?type=project")).ok()["total"] == 1


async def test_a_project_that_is_being_restored_or_removed_is_left_alone_until_then(
    many: Many, small_batches: None
) -> None:
    world, path = many.world, f"/archive/project/{many.board.id}"
    many.fill(2000)
    (await world.sa.delete(world.sa.org(f"/projects/{many.board.id}"))).ok()
    async with halfway(many, world.sa.post(path + "/restore"), "archived_at IS NULL"):
        refused(await world.sa.post(path + "/restore"), "restoring")
        refused(await world.sa.delete(path), "restoring")
    (await world.sa.delete(world.sa.org(f"/projects/{many.board.id}"))).ok()
    async with halfway(many, world.sa.delete(path), "id NOT NULL AND (SELECT count(*) FROM cards) < 2000"):
        refused(await world.sa.post(path + "/restore"), "removing")


async def test_cards_of_a_column_or_an_agent_that_is_being_removed_stay_writable(
    many: Many, small_batches: None
) -> None:
    world, columns = many.world, many.board.columns
    bot = await world.agent("bot")
    many.fill(2000, agent_id="bot")
    path, query = world.sa.org(f"/columns/{columns['Todo']}"), {"moveTo": columns["Backlog"]}
    moved = "column_id = '" + columns["Backlog"] + "'"
    async with halfway(many, world.sa.delete(path, params=query), moved):
        (await world.sa.patch("/cards/card_many_2000", {"title": "Changed"})).ok()
        refused(await world.sa.patch(path, {"title": "Changed"}), "removing")
        new = {"projectId": many.board.id, "columnId": columns["Todo"], "cardTypeId": many.board.card_type["id"]}
        refused(await world.sa.post(world.sa.org("/cards"), new | {"title": "New"}), "removing")
        refused(
            await world.sa.delete(world.sa.org(f"/columns/{columns['Backlog']}"), params={"moveTo": columns["Done"]}),
            "removing",
        )
    async with halfway(many, world.sa.delete("/agents/bot"), "assigned_agent_id IS NULL"):
        (await world.sa.patch("/cards/card_many_2000", {"title": "Changed again"})).ok()
        refused(await world.sa.patch("/agents/bot/stop"), "removing")
        refused(await bot.post("/cards/card_many_2000/comments/mcp", {"content": "Hello"}), "removing")
    assert many.count("assigned_agent_id IS NOT NULL") == 0


async def test_a_project_does_not_leave_while_a_column_of_it_is_being_removed(many: Many, small_batches: None) -> None:
    world, columns = many.world, many.board.columns
    many.fill(2000)
    path, query = world.sa.org(f"/columns/{columns['Todo']}"), {"moveTo": columns["Backlog"]}
    moved = "column_id = '" + columns["Backlog"] + "'"
    async with halfway(many, world.sa.delete(path, params=query), moved):
        for mode in ("archive", "permanent"):
            project = world.sa.org(f"/projects/{many.board.id}")
            refused(await world.sa.delete(project, params={"mode": mode}), "removing")
    (await world.sa.delete(world.sa.org(f"/projects/{many.board.id}"))).ok()


async def test_a_job_ends_when_its_organization_is_removed(many: Many, small_batches: None) -> None:
    world, board = many.world, many.board
    field_id = await world.field(board, "size")
    many.fill(2000)
    with database(world) as connection:
        connection.execute(VALUES, (field_id,))
        connection.execute("DELETE FROM search_pending")
    field = world.sa.delete(world.sa.org(f"/card-types/{board.card_type['id']}/fields/{field_id}"))
    column = world.sa.delete(
        world.sa.org(f"/columns/{board.columns['Todo']}"), params={"moveTo": board.columns["Done"]}
    )
    tasks = [asyncio.create_task(work) for work in (field, column)]
    async with asyncio.timeout(20):
        while not many.count("column_id = '" + board.columns["Done"] + "'"):  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.001)
    (await world.sa.delete(world.sa.org(), params={"mode": "permanent"})).ok()
    for task in tasks:
        assert (await task).status == 204
    with database(world) as connection:
        for table in ("jobs", "cards", "fields", "columns"):
            left = connection.execute(f"SELECT count(*) FROM {table} WHERE org_id = ?", (world.sa.org_id,)).fetchone()
            assert left == (0,), table


LONG_JOB = 80_000  # cards that keep a job busy for some seconds


@pytest.mark.slow
async def test_a_job_goes_on_when_its_client_has_left_and_after_a_kill(service_process: ServiceProcess) -> None:
    path = service_process.folder / "data" / "service.db"
    async with World(service_process.url) as world:
        board = await world.board()
        Many(world, board, path).fill(LONG_JOB)
        project, sa = world.sa.org(f"/projects/{board.id}"), world.sa
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(sa.delete(project), 0.2)  # the client leaves
        many = Many(world, board, path)
        async with asyncio.timeout(20):
            while not (done := many.count("archived_at IS NOT NULL")):  # noqa: ASYNC110  # nobody tells
                await asyncio.sleep(0.01)
            while done == many.count("archived_at IS NOT NULL"):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert many.count("archived_at IS NOT NULL") < LONG_JOB
    service_process.kill()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT state, resource_id FROM jobs").fetchall() == [("archiving", board.id)]
    service_process.start()
    async with World(service_process.url) as world:
        refused(await world.sa.patch(project, {"title": "Too late"}), "archiving")
        async with asyncio.timeout(60):
            while (await world.sa.get(project)).status == 200:  # noqa: ASYNC110  # nobody tells
                await asyncio.sleep(0.05)
        assert Many(world, board, path).count("archived_at IS NOT NULL") == LONG_JOB
    with contextlib.closing(sqlite3.connect(path)) as connection:
        query = "SELECT action, actor_id, count(*) FROM history WHERE card_id LIKE 'card_many_%' GROUP BY 1, 2"
        assert connection.execute(query).fetchall() == [("archived", sa.id, LONG_JOB)]
        assert connection.execute("SELECT count(*) FROM jobs").fetchone() == (0,)


async def test_no_job_waits_for_that_of_another_organization(many: Many, monkeypatch: pytest.MonkeyPatch) -> None:
    world, run_job, waits, go_on = many.world, jobs._run_job, asyncio.Event(), asyncio.Event()
    monkeypatch.setattr(jobs, "BATCH_SECONDS", 0.0)

    async def run_held(service: Any, row: Any) -> None:
        if row["org_id"] == world.sa.org_id:
            waits.set()
            await go_on.wait()
        await run_job(service, row)

    monkeypatch.setattr(jobs, "_run_job", run_held)
    many.fill(200)
    theirs = await world.board(world.outsider)
    for _ in range(60):
        await world.card(theirs, by=world.outsider)
    mode = {"params": {"mode": "permanent"}}
    first = asyncio.create_task(world.sa.delete(world.sa.org(f"/projects/{many.board.id}"), **mode))
    await waits.wait()
    path = world.outsider.org(f"/projects/{theirs.id}")
    (await asyncio.wait_for(world.outsider.delete(path, **mode), 20)).ok()
    assert not first.done()
    go_on.set()
    (await first).ok()
    assert many.count() == 0
