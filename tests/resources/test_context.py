"""The context of a card: all that one needs to work on it, in one answer, within a number of tokens."""

import json
from typing import Any

import pytest

from .. import forms, refusals
from ..world import Board, Client, World
from .test_claims import take


async def context(who: Client, card: Any, **query: Any) -> Any:
    suffix = "/mcp" if "ApiKey" in who.headers["Authorization"] else ""
    return (await who.get(f"/cards/{card['id']}/context{suffix}", params=query)).ok()


async def scene(world: World) -> tuple[Board, Any, Client]:
    board, agent = await world.board(), await world.agent()
    values = [{"fieldId": board.field("description"), "value": "Paint the door"}]
    return board, await world.card(board, "In Progress", title="Paint", fieldValues=values), agent


async def relate(world: World, origin: Any, destination: Any, kind: str) -> None:
    body = {"fromCardId": origin["id"], "toCardId": destination["id"], "kind": kind}
    (await world.sa.post(world.sa.org("/relationships"), body)).ok()


async def test_a_card_with_nothing_around_it_shows_itself_its_column_and_its_moves(world: World) -> None:
    board, card, agent = await scene(world)
    shown = await context(agent, card)
    assert set(shown) == {
        "card", "column", "moves", "parent", "parts", "relations", "files", "comments", "question", "request", "leftOut"
    }  # fmt: skip
    assert shown["card"]["key"] == card["key"]
    assert shown["card"]["fields"] == {"description": "Paint the door"}
    assert (shown["card"]["project"], shown["card"]["cardType"]) == ("Board", "Task")
    assert {key: value for key, value in shown["card"].items() if key in card} == {
        key: value for key, value in card.items() if key in shown["card"]
    }
    assert (shown["column"]["id"], shown["column"]["title"]) == (board.columns["In Progress"], "In Progress")
    assert shown["column"]["prompt"] is None
    assert shown["moves"] == (await agent.get(f"/cards/{card['id']}/moves/mcp")).ok()
    assert [shown[name] for name in ("parent", "parts", "question", "request")] == [None] * 4
    assert [shown[name] for name in ("relations", "files", "comments", "leftOut")] == [[]] * 4


async def test_the_column_shows_the_current_version_of_its_prompt(world: World) -> None:
    board, card, agent = await scene(world)
    prompt = (await world.sa.post("/prompts", {"name": "Build", "body": "First"})).ok()
    await world.column(board, "In Progress", promptId=prompt["id"])
    assert (await context(agent, card))["column"]["prompt"] == {"name": "Build", "version": "v1", "body": "First"}
    path = f"/prompts/{prompt['id']}/versions"
    second = (await world.sa.post(path, {"body": "Second"}, params={"activate": "1"})).ok()
    assert (await context(agent, card))["column"]["prompt"] == {"name": "Build", "version": "v2", "body": "Second"}
    (await world.sa.patch(f"{path}/{second['id']}", {"active": False})).ok()
    assert (await context(agent, card))["column"]["prompt"] is None


async def test_parent_parts_and_relations_show_the_other_end_as_seen_from_the_card(world: World) -> None:
    board, card, agent = await scene(world)
    others = [await world.card(board, title=f"Other {number}") for number in range(9)]
    done = await world.card(board, "Done", title="Other 9")
    others.append(done)
    await relate(world, card, others[0], "partOf")
    for index, kind in ((1, "blocks"), (2, "dependsOn"), (3, "duplicates"), (4, "relatesTo")):
        await relate(world, card, others[index], kind)
    for index, kind in ((5, "blocks"), (6, "dependsOn"), (7, "duplicates"), (8, "partOf"), (9, "partOf")):
        await relate(world, others[index], card, kind)
    shown = await context(agent, card)
    seen = {row["title"]: row["kind"] for row in shown["relations"]}
    kinds = ["partOf", "blocks", "dependsOn", "duplicates", "relatesTo"]
    kinds += ["blockedBy", "neededBy", "duplicatedBy", "has", "has"]
    assert seen == {f"Other {number}": kind for number, kind in enumerate(kinds)}
    assert shown["relations"][0] == {
        "kind": "partOf", "key": others[0]["key"], "title": "Other 0", "column": "Todo", "done": False
    }  # fmt: skip
    assert shown["parent"] == {"id": others[0]["id"], "key": others[0]["key"], "title": "Other 0"}
    part = {"key": others[8]["key"], "title": "Other 8", "column": "Todo", "done": False}
    finished = {"key": done["key"], "title": "Other 9", "column": "Done", "done": True}
    assert shown["parts"] == {"done": 1, "total": 2, "items": [part, finished]}
    (await world.sa.delete(f"/cards/{others[4]['id']}")).ok()
    assert "relatesTo" not in [row["kind"] for row in (await context(agent, card))["relations"]]


async def test_files_comments_question_and_request_are_there(world: World) -> None:
    board, card, agent = await scene(world)
    await world.edge(board, "In Progress", "Done", requiresApproval=True)
    (await forms.send(agent, forms.target(card, board.field("attachments")), forms.blob(file_name="door.txt"))).ok()
    path = f"/cards/{card['id']}/comments"
    asked = (await agent.post(f"{path}/mcp", {"content": "Which?", "asks": True, "options": ["Red", "Blue"]})).ok()
    reply = (await world.member.post(f"{path}/{asked['id']}/replies", {"content": "Red"})).ok()
    for number in range(12):
        (await world.sa.post(path, {"content": f"Word {number}"})).ok()
    body = {"toColumnId": board.columns["Done"], "note": "Ready"}
    request = (await agent.post(f"/cards/{card['id']}/move-requests/mcp", body)).ok()
    shown = await context(world.member, card)
    (file,) = shown["files"]
    assert (file["name"], file["field"], set(file)) == ("door.txt", "attachments", {"id", "name", "field", "sizeBytes"})
    assert "attachments" not in shown["card"]["fields"]
    assert [comment["content"] for comment in shown["comments"]] == [f"Word {number}" for number in range(2, 12)]
    assert shown["leftOut"] == [{"what": "comments", "shown": 10, "total": 14}]
    assert (shown["question"]["state"], shown["question"]["answer"]) == ("answered", reply["content"])
    assert shown["request"] == request
    again = (await agent.post(f"{path}/mcp", {"content": "And now?", "asks": True})).ok()
    (await world.sa.post(f"/move-requests/{request['id']}/reject", {"note": "No"})).ok()
    shown = await context(agent, card)
    assert (shown["question"]["commentId"], shown["question"]["state"]) == (again["id"], "open")
    assert (shown["request"]["state"], shown["request"]["decisionNote"]) == ("rejected", "No")


async def test_only_the_holder_sees_its_token(world: World) -> None:
    _, card, agent = await scene(world)
    claim = (await take(agent, card)).ok()["claim"]
    assert (await context(agent, card))["card"]["claim"] == claim
    for who in (world.member, await world.agent("other")):
        assert "token" not in (await context(who, card))["card"]["claim"]


@pytest.mark.parametrize("tokens", [500, 1000, 2000, 8000])
async def test_an_answer_never_has_more_tokens_than_asked_for_and_says_what_was_left_out(
    world: World, tokens: int
) -> None:
    board, agent = await world.board(), await world.agent()
    prompt = (await world.sa.post("/prompts", {"name": "Build", "body": "Do it well. " * 5000})).ok()
    await world.column(board, "In Progress", promptId=prompt["id"])
    paid = await world.field(board, "paid", "richtext")  # a name that ends as those of ids do
    values = [{"fieldId": field, "value": "D" * 90_000} for field in (board.field("description"), paid)]
    card = await world.card(board, "In Progress", title="T" * 500, fieldValues=values)
    parts = [{"title": f"{number} " + "P" * 400} for number in range(50)]
    (await world.sa.post(f"/cards/{card['id']}/split", {"parts": parts, "columnId": board.columns["Todo"]})).ok()
    for number in range(12):
        (await world.sa.post(f"/cards/{card['id']}/comments", {"content": f"{number} " + "ü" * 9000})).ok()
    shown = await context(agent, card, maxTokens=tokens)
    assert len(json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()) <= tokens * 4
    left = {row["what"]: row for row in shown["leftOut"]}
    assert len(left) == len(shown["leftOut"])
    assert left["card.fields.description"]["total"] == 90_000
    assert left["card.fields.description"]["shown"] == len(shown["card"]["fields"].get("description", "x" * 40)) >= 40
    assert left["card.fields.paid"]["total"] == 90_000
    assert left["comments"]["total"] == 12
    assert shown["card"]["key"] == card["key"]
    assert shown["column"]["title"] == "In Progress"
    if tokens < 8000:
        assert left["parts.items"]["shown"] == len(shown["parts"]["items"]) < 50


async def test_a_long_text_costs_nothing_but_its_own_end(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    values = [{"fieldId": board.field("description"), "value": "D" * 90_000}]
    card = await world.card(board, fieldValues=values)
    (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "Words"})).ok()
    shown = await context(agent, card)
    assert [row["what"] for row in shown["leftOut"]] == ["card.fields.description"]
    assert len(shown["card"]["fields"]["description"]) > 30_000
    assert ([move["title"] for move in shown["moves"]], len(shown["comments"])) == (["In Progress"], 1)


async def test_an_archived_card_shows_its_context_too_and_one_of_an_archived_project_does_not(world: World) -> None:
    board, card, agent = await scene(world)
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    assert (await context(agent, card))["card"]["archivedAt"]
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    for who, suffix in ((world.sa, ""), (agent, "/mcp")):
        (await who.get(f"/cards/{card['id']}/context{suffix}")).refused(404, "not_found")


async def test_the_context_is_for_who_may_see_the_card(world: World) -> None:
    _, card, _ = await scene(world)
    path = f"/cards/{card['id']}/context"
    await refusals.people_only(world, "GET", path)
    await refusals.hidden(world, "GET", path)
    await refusals.agents_only(world, "GET", path + "/mcp")
    (await (await world.script(world.outsider)).get(path + "/mcp")).refused(404, "not_found")
    for tokens in ("499", "100001", "many", "-1"):
        assert (await world.sa.get(path, params={"maxTokens": tokens})).invalid() == ["maxTokens"]
