"""Comments and replies: written by people and agents, listed in pages, never changed."""

import sqlite3
from typing import Any

import pytest

from ..builders import database, permit
from ..world import Client, World


def _suffix(caller: Client) -> str:
    return "/mcp" if "ApiKey" in caller.headers["Authorization"] else ""


async def test_people_and_agents_comment_and_reply(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    for caller, actor in (
        (world.member, {"type": "User", "id": world.member.id, "label": "Mo Member"}),
        (agent, {"type": "Agent", "id": "bot", "label": None}),
    ):
        card = await world.card(board)
        path = f"/cards/{card['id']}/comments"
        comment = (await caller.post(path + _suffix(caller), {"content": "Look **here**"})).ok()
        keys = {"id", "content", "actor", "replies", "repliesTotal", "asks", "mentions", "imported", "createdAt"}
        assert set(comment) == keys
        assert (comment["content"], comment["actor"], comment["replies"]) == ("Look **here**", actor, [])
        assert comment["id"].startswith("cmt_")
        answer = await caller.post(f"{path}/{comment['id']}/replies{_suffix(caller)}", {"content": "Seen"})
        reply = answer.ok()
        assert (reply["content"], reply["actor"]) == ("Seen", actor)
        listed = {"items": [{**comment, "replies": [reply], "repliesTotal": 1}], "page": 1, "pageSize": 20, "total": 1}
        assert (await world.sa.get(path)).ok() == (await agent.get(path + "/mcp")).ok() == listed
        rows = (await world.history(card["id"]))[1:]
        assert [(row["action"], row["actor"]) for row in rows] == [("commented", actor), ("replied", actor)]


async def test_comments_come_in_pages_newest_last(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    path = f"/cards/{card['id']}/comments"
    for number in range(5):
        comment = (await world.sa.post(path, {"content": str(number)})).ok()
        (await world.sa.post(f"{path}/{comment['id']}/replies", {"content": f"{number}a"})).ok()
    (await world.sa.post(f"{path}/{comment['id']}/replies", {"content": "4b"})).ok()
    for caller in (world.member, agent):
        for page, contents in ((1, ["0", "1"]), (2, ["2", "3"]), (3, ["4"]), (4, [])):
            query = {"page": str(page), "pageSize": "2"}
            answer = (await caller.get(path + _suffix(caller), params=query)).ok()
            assert [comment["content"] for comment in answer["items"]] == contents
            assert (answer["page"], answer["pageSize"], answer["total"]) == (page, 2, 5)
    last = (await world.sa.get(path)).ok()["items"][-1]
    assert [reply["content"] for reply in last["replies"]] == ["4a", "4b"]


@pytest.mark.parametrize(
    ("name", "value"), [("page", "0"), ("page", "x"), ("pageSize", "0"), ("pageSize", "101"), ("size", "1")]
)
async def test_a_wrong_page_is_refused(world: World, name: str, value: str) -> None:
    card, key = await world.card(await world.board()), await world.key()
    for caller in (world.sa, key):
        path = f"/cards/{card['id']}/comments{_suffix(caller)}"
        assert (await caller.get(path, params={name: value})).invalid() == [name]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "content"),
        ({"content": None}, "content"),
        ({"content": ""}, "content"),
        ({"content": " \n"}, "content"),
        ({"content": 1}, "content"),
        ({"content": ["a"]}, "content"),
        ({"content": "x" * 20_001}, "content"),
        ({"content": "a\0b"}, "content"),
        ({"content": "a", "text": "b"}, "text"),
    ],
)
async def test_a_wrong_comment_is_refused(world: World, body: Any, path: str) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    route = f"/cards/{card['id']}/comments"
    comment = (await world.sa.post(route, {"content": "x" * 20_000})).ok()
    for caller in (world.sa, agent):
        assert (await caller.post(route + _suffix(caller), body)).invalid() == [path]
        answer = await caller.post(f"{route}/{comment['id']}/replies{_suffix(caller)}", body)
        assert answer.invalid() == [path]
    assert (await world.sa.get(route)).ok()["items"] == [comment]
    assert len(await world.history(card["id"])) == 2


async def test_a_blank_comment_is_told_so_in_plain_words(world: World) -> None:
    card = await world.card(await world.board())
    answer = await world.sa.post(f"/cards/{card['id']}/comments", {"content": " \t\n"})
    details = answer.refused(400, "validation_failed")
    assert details["fields"] == [{"path": "content", "message": "may not be blank"}]


async def test_only_a_comment_of_the_card_can_be_replied_to(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card, other = await world.card(board), await world.card(board)
    comment = (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "C"})).ok()["id"]
    reply = (await world.sa.post(f"/cards/{card['id']}/comments/{comment}/replies", {"content": "R"})).ok()["id"]
    for caller in (world.sa, agent):
        end = f"/replies{_suffix(caller)}"
        answer = await caller.post(f"/cards/{card['id']}/comments/{reply}{end}", {"content": "R"})
        answer.refused(400, "validation_failed")
        for path in (f"/cards/{card['id']}/comments/cmt_x{end}", f"/cards/{other['id']}/comments/{comment}{end}"):
            (await caller.post(path, {"content": "R"})).refused(404, "not_found")


async def test_agents_comment_where_they_may_pick_up_even_if_they_may_not_moderate(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.column(board, "In Progress", agentCanModerate=False)
    await world.column(board, "Backlog", agentCanModerate=True)
    for column, allowed in (("In Progress", True), ("Review", True), ("Backlog", False)):
        card = await world.card(board, column)
        path = f"/cards/{card['id']}/comments"
        comment = (await world.member.post(path, {"content": "C"})).ok()
        for route in (f"{path}/mcp", f"{path}/{comment['id']}/replies/mcp"):
            answer = await agent.post(route, {"content": "A"})
            assert answer.ok() if allowed else answer.refused(403, "agent_pickup_disabled") == {}
        assert (await agent.get(path + "/mcp")).ok()["total"] == (2 if allowed else 1)


async def test_a_card_type_that_takes_no_comments_says_so_before_the_column_does(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, "Review")
    comment = (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "C"})).ok()["id"]
    path = world.sa.org(f"/card-types/{board.card_type['id']}")
    (await world.sa.patch(path, {"commentsEnabled": False})).ok()
    for caller in (world.sa, world.member, agent):
        for route in (f"/cards/{card['id']}/comments", f"/cards/{card['id']}/comments/{comment}/replies"):
            (await caller.post(route + _suffix(caller), {"content": "C"})).refused(400, "comments_disabled")
    assert (await world.member.get(f"/cards/{card['id']}/comments")).ok()["total"] == 1
    assert len(await world.history(card["id"])) == 2


async def test_commenting_needs_the_permission(world: World) -> None:
    card = await world.card(await world.board())
    path = f"/cards/{card['id']}/comments"
    await permit(world, "Member", "Card", "read", "update", "create")
    details = (await world.member.post(path, {"content": "C"})).refused(403, "permission_denied")
    assert details == {"resource": "Card", "action": "comment"}
    (await world.nobody.post(path, {"content": "C"})).refused(401, "unauthorized")
    (await world.sa.post(path + "/mcp", {"content": "C"})).refused(401, "unauthorized")


async def test_the_agent_named_in_a_comment_is_its_actor(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card, unbound = await world.card(board), await world.script()
    path = f"/cards/{card['id']}/comments/mcp"
    named = (await agent.post(path, {"content": "C", "agentId": "bot"})).ok()
    assert named["actor"]["id"] == "bot"
    assert (await unbound.post(path, {"content": "C"})).ok()["actor"]["id"] == unbound.id
    (await unbound.post(path, {"content": "C", "agentId": "who"})).refused(403, "agent_unknown")


async def test_comments_can_neither_be_changed_nor_deleted(world: World) -> None:
    card = await world.card(await world.board())
    comment = (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "C"})).ok()
    for method in ("PATCH", "PUT", "DELETE"):
        answer = await world.sa.call(method, f"/cards/{card['id']}/comments/{comment['id']}", {"content": "D"})
        assert answer.status in (404, 405)
    with database(world) as connection:
        for statement in ("UPDATE comments SET content = 'D'", "DELETE FROM comments"):
            with pytest.raises(sqlite3.IntegrityError):
                connection.execute(statement)
    assert (await world.sa.get(f"/cards/{card['id']}/comments")).ok()["items"] == [comment]


async def test_an_agents_key_comments_sixty_times_a_minute(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    path = f"/cards/{card['id']}/comments/mcp"
    first = await agent.post(path, {"content": "C"})
    assert (first.headers["X-RateLimit-Limit"], first.headers["X-RateLimit-Remaining"]) == ("60", "59")
    answers = [await agent.post(path, {"content": "C"}) for _ in range(65)]
    refused = [answer for answer in answers if answer.status == 429]
    assert refused
    for answer in refused:
        answer.refused(429, "rate_limited")
        assert int(answer.headers["Retry-After"]) >= 1
    made = 66 - len(refused)
    assert made >= 60
    assert (await world.sa.get(f"/cards/{card['id']}/comments")).ok()["total"] == made
    (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "C"})).ok()
    (await (await world.script()).post(path, {"content": "C"})).ok()
