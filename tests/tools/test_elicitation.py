"""Questions that the user of the client answers in a form; the answer is recorded on the card."""

from typing import Any

import pytest

from ..world import Board, Client, World
from .talk import ERAS, AtClient, Talk, talking
from .test_endpoint import send

KEY = "io.modelcontextprotocol/"
BY = {"type": "Agent", "id": "bot", "label": "the person at the client of bot"}


async def scene(world: World) -> tuple[Board, Client]:
    board, agent = await world.board(), await world.agent()
    await world.card(board, title="Export the figures")
    return board, agent


async def asked(talk: Talk, **more: Any) -> Any:
    await talk.ok("claim", card="BOA-1")
    return await talk.ok("ask", card="BOA-1", content="Which format?", **more)


async def question(world: World) -> Any:
    (row,) = (await world.sa.get(world.sa.org("/questions"))).ok()["items"]
    return row


async def is_held(world: World) -> bool:
    return (await world.sa.get("/cards/BOA-1")).ok()["claim"] is not None


async def test_the_user_of_the_client_answers_at_once_and_the_agent_keeps_the_card(world: World) -> None:
    board, agent = await scene(world)
    await world.card(board, title="Urgent", priority="urgent")
    person = AtClient(answer="CSV")
    async with talking(agent, asked=person) as talk:
        said = await asked(talk, options=["CSV", "JSON"])
        assert (said["state"], said["answer"]) == ("answered", "CSV")
        (form,) = person.forms
        assert form.message == "BOA-1 Export the figures: Which format?"
        assert form.requested_schema["properties"]["answer"]["enum"] == ["CSV", "JSON"]
        assert await is_held(world)
        context = await talk.ok("get_card", card="BOA-1")
        by = {"type": "Agent", "name": "the person at the client of bot"}
        assert (context["question"]["answer"], context["question"]["answeredBy"]) == ("CSV", by)
        assert [(item["by"], item["content"]) for item in context["comments"][0]["replies"]] == [(by, "CSV")]
        await talk.ok("move_card", card="BOA-1", to="In Progress")
        await talk.ok("release", card="BOA-1")
        # It has the answer already: the card is one among others again.
        assert (await talk.ok("claim_next"))["card"]["key"] == "BOA-2"


async def test_history_and_events_name_the_agent_that_recorded_the_answer_and_never_a_person(world: World) -> None:
    _, agent = await scene(world)
    async with talking(agent, asked=AtClient(answer="CSV")) as talk:
        await asked(talk)
    row = await question(world)
    assert (row["state"], row["answer"], row["answeredBy"]) == ("answered", "CSV", BY)
    replied = [entry for entry in await world.history("BOA-1") if entry["action"] == "replied"]
    assert [entry["actor"] for entry in replied] == [BY]
    (comment,) = (await world.member.get("/cards/BOA-1/comments")).ok()["items"]
    assert [reply["actor"] for reply in comment["replies"]] == [BY]
    changes = (await world.sa.get(world.sa.org("/changes"), params={"since": "0"})).ok()["items"]
    assert [event["actor"] for event in changes if event["type"] == "question.answered"] == [BY]
    assert (await world.sa.get(world.sa.org("/attention"))).ok() == []


@pytest.mark.parametrize("action", ["decline", "cancel"])
@pytest.mark.parametrize("keeps", [False, True])
async def test_without_an_answer_at_the_client_the_question_stays_open_on_the_board(
    world: World, action: str, keeps: bool
) -> None:
    _, agent = await scene(world)
    async with talking(agent, asked=AtClient(action)) as talk:
        said = await asked(talk, keepClaim=keeps)
        assert said["state"] == "open"
        assert await is_held(world) == keeps
        assert (await question(world))["state"] == "open"
        (waiting,) = (await world.sa.get(world.sa.org("/attention"))).ok()
        assert waiting["kind"] == "question"
        (await world.sa.post(f"/cards/BOA-1/comments/{said['comment']}/replies", {"content": "JSON"})).ok()
        assert (await talk.ok("get_card", card="BOA-1"))["question"]["answer"] == "JSON"


@pytest.mark.parametrize("content", [{"answer": "  "}, {"answer": 7}, {"other": "x"}])
async def test_an_empty_form_is_not_an_answer(world: World, content: dict[str, Any]) -> None:
    _, agent = await scene(world)
    async with talking(agent, asked=AtClient(**content)) as talk:
        assert (await asked(talk))["state"] == "open"
    assert (await question(world))["state"] == "open"


async def test_an_earlier_answer_on_the_board_wins(world: World) -> None:
    _, agent = await scene(world)

    async def reply() -> None:
        row = await question(world)
        (await world.member.post(f"/cards/BOA-1/comments/{row['commentId']}/replies", {"content": "JSON"})).ok()

    async with talking(agent, asked=AtClient(meanwhile=reply, answer="CSV")) as talk:
        said = await asked(talk)
        assert (said["state"], said.get("answer")) == ("answered", None)
        assert "get_card" in said["note"]
    row = await question(world)
    assert (row["answer"], row["answeredBy"]["id"]) == ("JSON", world.member.id)


async def test_a_question_survives_a_freeze_during_the_form(world: World) -> None:
    _, agent = await scene(world)

    async def freeze() -> None:
        (await world.sa.post(world.sa.org("/freeze"), {"reason": "Release"})).ok()

    async with talking(agent, asked=AtClient(meanwhile=freeze, answer="CSV")) as talk:
        await talk.ok("claim", card="BOA-1")
        await talk.error("ask", "frozen", card="BOA-1", content="Which format?")
    assert (await question(world))["state"] == "open"


async def test_a_client_that_fails_during_the_form_leaves_the_question_open(world: World) -> None:
    _, agent = await scene(world)

    async def fail() -> None:
        raise RuntimeError("the window was closed")

    with pytest.raises(BaseException):  # noqa: B017, PT011
        async with talking(agent, asked=AtClient(meanwhile=fail)) as talk:
            await asked(talk)
    assert (await question(world))["state"] == "open"


@pytest.mark.parametrize("mode", ERAS)
async def test_without_elicitation_a_question_waits_on_the_board(world: World, mode: str) -> None:
    _, agent = await scene(world)
    async with talking(agent, mode) as talk:
        assert (await asked(talk))["state"] == "open"
        assert not await is_held(world)


async def test_a_client_of_an_older_protocol_version_over_http_gets_no_form(
    world: World,
) -> None:
    _, agent = await scene(world)
    person = AtClient(answer="CSV")
    async with talking(agent, "legacy", person) as talk:
        assert (await asked(talk))["state"] == "open"
    assert person.forms == []


@pytest.mark.parametrize(
    ("offered", "is_asked"),
    [
        ({}, False),
        ({"elicitation": {}}, True),
        ({"elicitation": {"form": {}}}, True),
        ({"elicitation": {"url": {}}}, False),
        ({"sampling": {}}, False),
    ],
)
async def test_only_clients_that_support_forms_get_one(world: World, offered: dict[str, Any], is_asked: bool) -> None:
    _, agent = await scene(world)
    result = (await call(agent, {"card": "BOA-1", "content": "Which?"}, offered)).ok()["result"]
    assert result["resultType"] == ("input_required" if is_asked else "complete")
    if is_asked:
        assert result["inputRequests"]["form"]["method"] == "elicitation/create"


async def test_a_forged_state_gives_no_access_to_other_questions(world: World) -> None:
    _, agent = await scene(world)
    other = await world.agent("other")
    theirs = (await other.post("/cards/BOA-1/comments/mcp", {"content": "Mine?", "asks": True})).ok()["id"]
    said = (await world.sa.post("/cards/BOA-1/comments", {"content": "Words"})).ok()["id"]
    filled = {"form": {"action": "accept", "content": {"answer": "Yes"}}}
    offered = {"elicitation": {}}
    for state, code in ((theirs, "permission_denied"), (said, "not_found"), ("../x", "not_found"), ("", "not_found")):
        again = {"inputResponses": filled, "requestState": state}
        result = (await call(agent, {"card": "BOA-1", "content": "Which?"}, offered, **again)).ok()["result"]
        assert result["isError"]
        assert f'"code":"{code}"' in result["content"][0]["text"], state
    assert (await question(world))["state"] == "open"


async def call(agent: Client, arguments: Any, offered: Any, **more: Any) -> Any:
    """Call ask as a client of the stateless protocol version with the given capabilities."""
    meta = {f"{KEY}protocolVersion": "2026-07-28", f"{KEY}clientCapabilities": offered}
    params = {"name": "ask", "arguments": arguments, "_meta": meta, **more}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    said = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "ask"}
    return await send(agent, message, **said)
