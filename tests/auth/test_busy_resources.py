"""Writes to what a job is archiving, restoring or removing: refused with its state, and nothing is changed."""

from typing import Any

from ..direct_db import execute
from ..resources.test_agent_sessions import in_session
from ..resources.undo.test_undo_values import JOB
from ..world import Client, World

Request = tuple[str, str, Any]  # method, path, body


async def refused(world: World, request: Request, kind: str, id: str, state: str, by: Client | None = None) -> None:
    """Send a request while a job is at work; expect that it is refused with the state of the job."""
    await execute(world, JOB, org=world.sa.org_id, type=kind, id=id, state=state)
    method, path, body = request
    answer = await (by or world.sa).call(method, path, body)
    if path.endswith("/batch") and answer.status == 200:
        error = answer.body["results"][0]["error"]
        found = error["status"], error["code"], error["details"].get("state")
        assert found == (409, "conflict", state), (request, kind)
    else:
        assert answer.refused(409, "conflict")["state"] == state, (request, kind)
    await execute(world, "DELETE FROM jobs")


async def portrait(world: World, *card_ids: str) -> list[Any]:
    """Show cards with their history, and all boards, columns and transitions."""
    cards = [((await world.sa.get(f"/cards/{id}")).ok(), await world.history(id)) for id in card_ids]
    lists = [(await world.sa.get(world.sa.org(f"/{name}"))).ok() for name in ("cards", "columns", "transitions")]
    return [*cards, *lists]


async def test_cards_do_not_change_where_a_job_is_at_work_and_do_not_come_there(world: World) -> None:
    board, other = await world.board(), await world.board(title="Other")
    tasks = (await world.sa.post(world.sa.org("/card-types"), {"title": "Plan"})).ok()["id"]
    description = board.field("description")
    values = [{"fieldId": description, "value": "- [ ] one"}]
    card = await world.card(board, fieldValues=values)
    moved = await world.card(other, fieldValues=values)
    path, tick = f"/cards/{card['id']}", {"fieldId": description, "item": 0, "text": "one", "done": True}
    (await world.sa.post(f"/cards/{moved['id']}/transfer", {"projectId": board.id})).ok()
    at = (await world.history(moved["id"]))[-1]["createdAt"]
    todo, there = board.columns["Todo"], {"projectId": other.id, "columnId": other.columns["Todo"]}
    ticked: Request = ("PATCH", f"{path}/checklist", tick)
    transferred: Request = ("POST", f"{path}/transfer", there)
    column = {"projectId": board.id, "title": "New", "order": 2, "connectToNeighbors": True}
    connected: Request = ("POST", world.sa.org("/columns"), column)
    undo = {"operations": [{"cardId": moved["id"], "undo": {"at": at}}]}
    undone: Request = ("POST", world.sa.org("/cards/batch"), undo)
    duplicated: Request = ("POST", f"{path}/duplicate", {})
    on_the_board: list[Request] = [
        ticked,
        transferred,
        connected,
        duplicated,
        undone,
        ("PATCH", path, {"cardTypeId": tasks}),
        ("PATCH", path, {"checklist": [tick]}),
        ("POST", f"{path}/split", {"parts": [{"title": "Part"}]}),
        ("PUT", f"{path}/watch", None),
        ("DELETE", f"{path}/watch", None),
        ("DELETE", f"{path}/claim", None),
        ("PATCH", world.sa.org(f"/projects/{board.id}"), {"display": {"progress": False}}),
    ]
    jobs = [(request, "project", board.id, state) for request in on_the_board for state in ("archiving", "removing")]
    jobs += [(request, "organization", world.sa.org_id, "archiving") for request in on_the_board]
    jobs += [(request, "project", other.id, "archiving") for request in (transferred, undone)]
    jobs += [(transferred, "column", other.columns["Todo"], "removing")]
    jobs += [(undone, "column", moved["columnId"], "removing")]
    jobs += [(duplicated, "column", todo, "removing"), (ticked, "field", description, "removing")]
    jobs += [(connected, "column", board.columns[title], "removing") for title in ("Todo", "In Progress")]
    bot = await world.agent()
    question = (await bot.post(f"{path}/comments/mcp", {"content": "Which?", "asks": True})).ok()["id"]
    before = await portrait(world, card["id"], moved["id"])
    for job in jobs:
        await refused(world, *job)
    withdrawal: Request = ("DELETE", f"{path}/comments/{question}/question/mcp", None)
    await refused(world, withdrawal, "project", board.id, "archiving", by=bot)
    assert await portrait(world, card["id"], moved["id"]) == before
    for method, url, body in [ticked, duplicated, undone, transferred, connected]:  # they go through afterwards
        answer = (await world.sa.call(method, url, body)).ok()
        assert "error" not in str(answer)


async def test_no_card_of_a_board_that_a_job_archives_or_removes_is_the_next_one(world: World) -> None:
    board, other = await world.board(), await world.board(title="Other")
    bot = await world.agent()
    first, second = in_session(world, bot, "first"), in_session(world, bot, "second")
    asked, held = await world.card(board, "In Progress"), await world.card(board, "In Progress")
    question = {"content": "Which?", "asks": True}
    comment = (await first.post(f"/cards/{asked['id']}/comments/mcp", question)).ok()["id"]
    (await world.sa.post(f"/cards/{asked['id']}/comments/{comment}/replies", {"content": "This"})).ok()
    (await first.post(f"/cards/{held['id']}/claim/mcp", {})).ok()
    free, elsewhere = await world.card(board, priority="urgent"), await world.card(other)
    path, take_over = bot.org("/cards/claim/mcp"), {"takeOver": True}
    for state in ("archiving", "removing"):
        await execute(world, JOB, org=world.sa.org_id, type="project", id=board.id, state=state)
        assert (await second.post(path, {"projectId": board.id, **take_over})).status == 204
        assert (await second.post(path, take_over)).ok()["id"] == elsewhere["id"]
        (await second.delete(f"/cards/{elsewhere['id']}/claim/mcp")).ok()
        await execute(world, "DELETE FROM jobs")
    found = [(await second.post(path, body)).ok()["id"] for body in (take_over, {}, {}, {})]
    assert found == [held["id"], asked["id"], free["id"], elsewhere["id"]]
