"""Tools that others have replaced: not listed, but they answer, and say first what replaces them."""

import json
from typing import Any

from service.tools import server
from service.tools.registry import TOOLS

from ..world import World
from .talk import Talk, get_size, talking
from .test_server import PROMISED

assert server  # importing it fills the registry
REPLACED = {"context", "reply", "renew", "unrelate", "withdraw_request", "list_prompts", "list_people"}
SILENT = {"set_online", "set_offline"}


async def answer(talk: Talk, name: str, **arguments: Any) -> dict[str, Any]:
    """Call a deprecated tool, and return its result without the note, which must be the first key."""
    result = await talk.raw(name, **arguments)
    found = json.loads(result.content[0].text)
    assert next(iter(found)) == "deprecated"
    note = found.pop("deprecated")
    assert note.startswith(f"{name} ends with version 0.4. ")
    return dict(found)


def test_the_tools_that_are_not_listed() -> None:
    assert TOOLS.keys() - PROMISED == REPLACED | SILENT
    assert {name for name, tool in TOOLS.items() if tool.replacement} == REPLACED


async def test_each_deprecated_tool_still_works(world: World) -> None:
    board = await world.board()
    (await world.sa.post("/prompts", {"name": "Triage", "body": "Read it."})).ok()
    await world.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    card, other = await world.card(board, "Review"), await world.card(board)
    pair = {"card": card["key"], "kind": "blocks", "other": other["key"]}
    async with talking(await world.agent()) as talk:
        assert await answer(talk, "list_prompts") == {"prompts": ["Triage"]}
        assert await answer(talk, "list_people") == await talk.ok("whoami", show="people")
        claimed = await talk.ok("claim", card=card["key"], leaseSeconds=60)
        renewed = await answer(talk, "renew", card=card["key"], leaseSeconds=3600)
        assert renewed["expiresAt"] > claimed["card"]["claim"]["expiresAt"]
        said = await talk.ok("comment", card=card["key"], content="First")
        token = claimed["card"]["claim"]["token"]
        arguments = {"card": card["key"], "comment": said["comment"], "content": "Second", "claimToken": token}
        assert (await answer(talk, "reply", **arguments)).keys() == {"comment", "at"}
        await talk.ok("relate", **pair)
        assert await answer(talk, "unrelate", **pair) == {**pair, "removed": True}
        await talk.ok("request_move", card=card["key"], to="Done")
        assert await answer(talk, "withdraw_request", card=card["key"]) == {"key": card["key"], "state": "withdrawn"}
        context = await answer(talk, "context", card=card["key"])
    assert [(item["content"], item.get("replyTo")) for item in context["comments"]] == [
        ("First", None),
        ("Second", said["comment"]),
    ]
    assert context["request"]["state"] == "withdrawn"
    actions = [row["action"] for row in await world.history(card["id"])]
    assert actions == ["created", "claimed", "commented", "replied", "related", "unrelated"]


async def test_an_error_of_a_deprecated_tool_names_its_replacement(world: World) -> None:
    async with talking(await world.agent()) as talk:
        for name, code, arguments in (
            ("context", "not_found", {"card": "nothing"}),
            ("list_people", "validation_failed", {"bogus": 1}),
        ):
            error = await answer(talk, name, **arguments)
            assert (error["code"], list(error)) == (code, ["code", "message", "details"])


async def test_the_note_counts_as_part_of_the_token_limit(world: World) -> None:
    card = await world.card(await world.board())
    async with talking(await world.agent()) as talk:
        for number in range(5):
            await talk.ok("comment", card=card["key"], content=f"{number} " + "word " * 500)
        result = await talk.raw("context", card=card["key"], maxTokens=1000)
        assert 3500 < get_size(result) <= 4000
        assert list(json.loads(result.content[0].text))[:2] == ["deprecated", "leftOut"]


async def test_online_and_offline_answer_without_a_note(world: World) -> None:
    async with talking(await world.agent()) as talk:
        assert await talk.ok("set_online") == {"agentId": "bot", "isOnline": True}
        assert await talk.ok("set_offline") == {"agentId": "bot", "isOnline": False}
