"""Texts of tools: names instead of ids, errors that say what to do, and no routes."""

import json
import re
from typing import Any

import pytest

from service.tools import server
from service.tools.registry import TOOLS
from service.tools.toolsets import list_tools

from ..walk import make_smallest_input
from ..world import OUTSIDER, Board, World
from .talk import Talk, talking

assert server  # importing it fills the registry
ROUTES = re.compile(r"/api/|/mcp\b|\b(GET|POST|PUT|PATCH|DELETE)\b|\bX-[A-Z]|\broute\b|\bHTTP\b|\{\w+_?[iI]d\}")
KEYS_OF_ROUTES = re.compile(
    r"\b(cardId|columnId|toColumnId|fromColumnId|projectId|cardTypeId|fieldId|fieldIds|fieldValues)\b"
)
NAMES = re.compile(r"\b[a-z]+_[a-z_]+\b")  # of tools, and error codes
UNLISTED = TOOLS.keys() - {tool.name for tool in list_tools("full")}
# Names of unlisted tools that are also words, as an instruction to call them.
CALLS_OF_WORDS = re.compile(
    r"\b(call|with|use) (renew|reply|context)\b|\b(renew|reply|context) (shows|with)\b|\brenew it\b"
)
# Arguments with which a tool passes its own validation.
RIGHT: dict[str, Any] = {
    "card": "BOA-1",
    "other": "BOA-2",
    "to": "Done",
    "field": "description",
    "content": "Words",
    "q": "Card",
    "name": "a.txt",
    "text": "Words",
    "kind": "blocks",
    "parts": [{"title": "Part"}],
    "title": "Card",
    "id": "another",
    "comment": "cmt_none",
    "file": "file_none",
    "prompt": "None",
    "part": "nothing",
    "project": "BOA",
    "column": "Done",
    "cardType": "Task",
    "fields": {"pull_request": "no address"},
}
WRONG = dict.fromkeys(("card", "to", "other", "field", "prompt", "project", "column", "cardType"), "Nonsense")


def fitting(name: str, values: dict[str, Any], more: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the required arguments of a tool, and those of `more` that it has."""
    schema = TOOLS[name].input_schema
    needed = {key: values.get(key, value) for key, value in make_smallest_input(TOOLS[name].arguments_model).items()}
    return needed | {key: values[key] for key in more if key in schema["properties"] and key in values}


async def provoked(talk: Talk) -> list[tuple[str, str]]:
    """Call every tool with correct and wrong arguments, and return all texts."""
    said = []
    for name in sorted(TOOLS.keys() - {"wait_for_changes", "set_offline"}):
        for values in (RIGHT, RIGHT | WRONG):
            for more in ((), ("project", "column", "cardType", "fields", "text", "part"), ("claimToken", "fields")):
                arguments = fitting(name, values | {"claimToken": "stale"}, more)
                said.append((name, (await talk.raw(name, **arguments)).content[0].text))
        said.append((name, (await talk.raw(name, **fitting(name, RIGHT), bogus=1)).content[0].text))
    return said


async def spoiled(world: World) -> Board:
    """Create a board that denies almost every change."""
    board = await world.board()
    await world.edge(board, "Todo", "Done", requiresApproval=True)
    await world.column(board, "Done", requiredFieldIds=[board.field("pull_request")], rejectsBlocked=True, wipLimit=1)
    card, other = await world.card(board, title="Card"), await world.card(board, title="Other")
    await world.card(board, "Done")
    relation = {"fromCardId": other["id"], "toCardId": card["id"], "kind": "blocks"}
    (await world.sa.post(world.sa.org("/relationships"), relation)).ok()
    return board


@pytest.mark.parametrize("state", ["open", "claimed", "frozen", "unapproved", "unregistered", "closed"])
async def test_no_result_and_no_error_of_any_tool_names_a_route_or_a_key_of_one(world: World, state: str) -> None:
    board = await spoiled(world)
    agent = await (world.key() if state == "unregistered" else world.agent(approve=state != "unapproved"))
    if state == "claimed":
        (await (await world.agent("other")).post("/cards/BOA-1/claim/mcp", {})).ok()
    if state == "frozen":
        (await world.sa.post(world.sa.org("/freeze"), {"reason": "Release"})).ok()
    if state == "closed":
        await world.column(board, "Todo", agentCanModerate=False)
    async with talking(agent) as talk:
        said = await provoked(talk)
    assert len([text for _, text in said if '"code":' in text]) > 20
    assert [(name, text) for name, text in said if ROUTES.search(text) or KEYS_OF_ROUTES.search(text)] == []
    named = [(name, text) for name, text in said if name not in UNLISTED and UNLISTED.intersection(NAMES.findall(text))]
    assert named + [(name, text) for name, text in said if CALLS_OF_WORDS.search(text)] == []


def test_no_description_names_a_route_or_an_unknown_tool() -> None:
    for tool in list_tools("full"):
        text = tool.title + tool.description + json.dumps(tool.input_schema)
        assert not ROUTES.search(text), tool.name
        assert not KEYS_OF_ROUTES.search(text), tool.name
    told = set(NAMES.findall(server.INSTRUCTIONS + " ".join(tool.description for tool in list_tools("full"))))
    assert told - {tool.name for tool in list_tools("full")} == {"already_claimed", "approval_required", "rate_limited"}


async def test_the_error_for_a_wrong_name_lists_the_existing_names(world: World) -> None:
    await world.board(title="Alpha")
    board = await world.board(title="Beta")
    await world.card(board)
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("move_card", {"card": "BET-1", "to": "Doen"}, "to: no column 'Doen'; the columns are Backlog, Todo, In Progr"),
        ("list_cards", {"project": "Gamma"}, "project: no project 'Gamma'; the projects are ALP, BET"),
        ("get_board", {"projectId": board.id}, "projectId: unknown key; allowed here: maxTokens, project"),
        ("create_card", {"title": "Where"}, "project: name one; the projects are ALP, BET"),
        (
            "create_card",
            {"title": "What", "project": "BET", "cardType": "Bug"},
            "no card type 'Bug'; the card types are Task",
        ),
        (
            "update_card",
            {"card": "BET-1", "fields": {"tag": []}},
            "fields: no field 'tag'; the fields are description, acc",
        ),
        (
            "attach_file",
            {"card": "BET-1", "field": "files", "name": "a", "text": "b"},
            "field: no field 'files'; the fields",
        ),
        ("get_prompt", {"prompt": "Triage"}, "prompt: no prompt 'Triage'; there are no prompts"),
    ]
    async with talking(await world.agent()) as talk:
        for name, arguments, sentence in cases:
            error = await talk.error(name, "validation_failed", **arguments)
            assert sentence in error["message"], error
        error = await talk.error("claim_next", "validation_failed", column="Todo")
        assert "'Todo' names several columns; use an id: Todo (col_" in error["message"]
        assert len(error["details"]["options"]) == 2
        assert (await talk.ok("claim_next", column="todo", project="beta"))["card"]["key"] == "BET-1"
        error = await talk.error("get_card", "not_found", card="BET-99")
        hint = "search and list_cards find cards; if its board is archived, ask a person to restore the board"
        assert error["message"] == f"There is no such card; {hint}."


async def test_an_invited_person_is_no_member_by_any_name_before_accepting(world: World) -> None:
    card = await world.card(await world.board())
    invited = (await world.sa.post(world.sa.org("/members"), {"email": OUTSIDER, "role": "Member"})).ok()
    async with talking(await world.agent()) as talk:
        for name in (OUTSIDER, world.outsider.id):
            error = await talk.error("update_card", "validation_failed", card=card["key"], assignedUserId=name)
            assert f"no member '{name}'; the members are " in error["message"]
            assert len(error["details"]["options"]) == 2
        (await world.outsider.post("/auth/invitations/accept", {"code": invited["invitationCode"]})).ok()
        await talk.ok("update_card", card=card["key"], assignedUserId=OUTSIDER)
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["assignedUserId"] == world.outsider.id


async def test_the_name_in_a_result_finds_the_object_despite_equal_names(world: World) -> None:
    await world.board(title="Ops")
    board = await world.board(title="OPS")  # whose key has to be another one
    path = world.sa.org(f"/card-types/{board.card_type['id']}/fields")
    (await world.sa.post(path, {"name": "labels", "label": "Tags", "kind": "text"})).ok()
    await world.card(board)
    async with talking(await world.agent()) as talk:
        keys = [project["key"] for project in (await talk.ok("whoami"))["projects"]]
        assert keys == ["OPS", "OPS2"]
        assert [(await talk.ok("get_board", project=key))["projects"][0]["key"] for key in keys] == keys
        await talk.ok("update_card", card="OPS2-1", fields={"tags": ["a"], "labels": "b"})
        assert (await talk.ok("get_card", card="OPS2-1"))["card"]["fields"] == {"tags": ["a"], "labels": "b"}


async def test_an_error_says_what_to_do(world: World) -> None:
    board = await world.board()
    await world.card(board)
    await world.card(board)
    where = "set column to Todo or In Progress"
    cases: list[tuple[str, str, dict[str, Any], str]] = [
        ("create_card", "agent_pickup_disabled", {"title": "Card", "column": "Done"}, where),
        (
            "split_card",
            "agent_cannot_moderate",
            {"card": "BOA-1", "parts": [{"title": "P"}], "column": "Review"},
            where,
        ),
        ("update_card", "validation_failed", {"card": "BOA-1", "assignedAgentId": "nobody"}, "the agents are bot."),
        ("update_card", "validation_failed", {"card": "BOA-1", "assignedUserId": "nobody"}, "the members are "),
        (
            "relate",
            "not_found",
            {"card": "BOA-1", "kind": "blocks", "other": "BOA-2", "remove": True},
            "get_card shows the rel",
        ),
        ("request_move", "not_found", {"card": "BOA-1", "withdraw": True}, "get_card shows the last one"),
        ("request_move", "validation_failed", {"card": "BOA-1"}, "to: name the column; or set withdraw to true"),
        ("request_move", "validation_failed", {"card": "BOA-1", "to": "Done", "withdraw": True}, "to: leave it out"),
        ("request_move", "validation_failed", {"card": "BOA-1", "note": "x", "withdraw": True}, "note: leave it out"),
        ("move_card", "transition_not_allowed", {"card": "BOA-1", "to": "Done"}, "can go to In Progress."),
        (
            "split_card",
            "validation_failed",
            {"card": "BOA-1", "parts": [{"title": "P", "assignee": "bot"}]},
            "parts.0.assignee: unknown key; allowed here: title, cardType, priority, assignedAgentId, fields",
        ),
    ]
    async with talking(await world.agent()) as talk:
        for name, code, arguments, sentence in cases:
            assert sentence in (await talk.error(name, code, **arguments))["message"], name


async def test_names_of_another_organization_are_neither_accepted_nor_shown(world: World) -> None:
    foreign = await world.board(world.outsider, title="Secret plan")
    (await world.outsider.post("/prompts", {"name": "Secret prompt", "body": "x"})).ok()
    await world.board()
    async with talking(await world.agent()) as talk:
        for name, arguments in [
            ("get_board", {"project": "Secret plan"}),
            ("list_cards", {"column": foreign.columns["Todo"]}),
            ("list_cards", {"cardType": foreign.card_type["id"]}),
            ("get_prompt", {"prompt": "Secret prompt"}),
        ]:
            error = await talk.error(name, "validation_failed", **arguments)
            assert "Secret" not in json.dumps(error["details"].get("options"))
