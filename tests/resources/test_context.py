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


SAID = "\u00fc" * 900  # 1,800 bytes
FIELD_CHARACTERS = 6200


async def crowded(world: World) -> tuple[Any, Client]:
    """Return a card with a description, a further text, 10 long comments, 40 parts and a prompt, and an agent."""
    board, agent = await world.board(), await world.agent()
    prompt = (await world.sa.post("/prompts", {"name": "Build", "body": "P" * 2000})).ok()
    await world.column(board, "In Progress", promptId=prompt["id"])
    notes = await world.field(board, "notes", "richtext")
    values = [
        {"fieldId": board.field("description"), "value": "D" * FIELD_CHARACTERS},
        {"fieldId": notes, "value": "N" * FIELD_CHARACTERS},
    ]
    card = await world.card(board, "In Progress", fieldValues=values)
    parts = [{"title": f"{number:02} " + "P" * 100} for number in range(40)]
    (await world.sa.post(f"/cards/{card['id']}/split", {"parts": parts, "columnId": board.columns["Todo"]})).ok()
    for number in range(10):
        (await world.sa.post(f"/cards/{card['id']}/comments", {"content": f"{number} {SAID}"})).ok()
    return card, agent


async def test_by_default_an_answer_has_6000_tokens_and_begins_with_what_was_left_out(world: World) -> None:
    card, agent = await crowded(world)
    answer = (await agent.get(f"/cards/{card['id']}/context/mcp")).body
    assert 5900 * 4 < len(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()) <= 6000 * 4
    assert next(iter(answer)) == "leftOut"
    assert len(answer["card"]["fields"]["description"]) == FIELD_CHARACTERS


LISTED = ["comments", "relations", "parts.items"]
PROMPT, NOTES, DESCRIPTION = "column.prompt.body", "card.fields.notes", "card.fields.description"


# What is no longer complete, with ever fewer tokens, and how many comments are shown.
@pytest.mark.parametrize(
    ("tokens", "incomplete", "comments"),
    [
        (20_000, [], 10),
        (12_000, LISTED[:1], 8),
        (9000, LISTED[:2], 3),
        (6500, LISTED, 3),
        (5500, [*LISTED, *(f"comments.{index}.content" for index in range(3))], 3),
        (4500, [*LISTED, "comments.0.content"], 1),
        (4100, [*LISTED, PROMPT], 0),
        (3000, [*LISTED, NOTES, PROMPT], 0),
        (1500, [*LISTED, DESCRIPTION, NOTES, PROMPT], 0),
    ],
)
async def test_the_least_important_is_left_out_first_and_the_description_last(
    world: World, tokens: int, incomplete: list[str], comments: int
) -> None:
    card, agent = await crowded(world)
    shown = await context(agent, card, maxTokens=tokens)
    assert [row["what"] for row in shown["leftOut"]] == incomplete
    assert [comment["content"][0] for comment in shown["comments"]] == [str(9 - n) for n in reversed(range(comments))]
    left = {row["what"]: (row["shown"], row["total"]) for row in shown["leftOut"]}
    fields = {name: len(value) for name, value in shown["card"]["fields"].items()}
    for name, path in (("description", DESCRIPTION), ("notes", NOTES)):
        assert (fields[name], FIELD_CHARACTERS) == left.get(path, (FIELD_CHARACTERS, FIELD_CHARACTERS))
    assert len(shown["column"]["prompt"]["body"]) == left.get(PROMPT, (2000, 2000))[0] >= 500
    assert len(shown["moves"]) == 2
    assert left.get("comments", (10, 10)) == (comments, 10)


async def test_without_a_description_the_first_field_is_cut_last(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    first, second = [await world.field(board, name, "richtext") for name in ("summary", "notes")]
    values = [{"fieldId": field, "value": "D" * 3000} for field in (second, first)]
    card = await world.card(board, fieldValues=values)
    shown = await context(agent, card, maxTokens=1500)
    assert len(shown["card"]["fields"]["summary"]) == 3000
    assert len(shown["card"]["fields"]["notes"]) < 3000
    assert [row["what"] for row in shown["leftOut"]] == [NOTES]


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
    await refusals.expect_hidden(world, "GET", path)
    await refusals.agents_only(world, "GET", path + "/mcp")
    (await (await world.script(world.outsider)).get(path + "/mcp")).refused(404, "not_found")
    for tokens in ("499", "100001", "many", "-1"):
        assert (await world.sa.get(path, params={"maxTokens": tokens})).invalid() == ["maxTokens"]
