"""The tools that create, update, move and split cards: the same rules and history as the routes."""

import asyncio
import json
from typing import Any

import pytest

from ..world import World
from .talk import DEFAULT, get_size, talking

RECEIPT = {"key", "column", "version"}


async def test_a_card_is_created_updated_and_moved_with_short_results_and_the_agent_in_history(world: World) -> None:
    await world.board()
    agent = await world.agent()
    fields = {"description": "x" * 5000}
    async with talking(agent) as talk:
        place = {"project": "BOA", "column": "todo", "cardType": "Task"}
        made = await talk.ok("create_card", title="Made by a tool", fields=fields, **place)
        assert made == {"key": "BOA-1", "column": "Todo", "version": 1}
        changed = await talk.ok("update_card", card=made["key"], title="Changed", assignedAgentId="bot")
        assert changed["version"] == made["version"] + 1
        again = await talk.ok("update_card", card=made["key"], title="Changed", assignedAgentId="bot")
        assert again["version"] == changed["version"]
        result = await talk.raw("move_card", card=made["key"], to="in progress")
        assert json.loads(result.content[0].text) == {"key": "BOA-1", "column": "In Progress", "version": 3}
        assert get_size(result) < 80
        await talk.ok("update_card", card=made["key"], assignedAgentId=None)
        parts = [{"title": "Part", "priority": None}]
        await talk.ok("create_card", title="Null is none", priority=None, **place)
        await talk.ok("split_card", card="BOA-2", parts=parts)
    for key in ("BOA-2", "BOA-3"):
        assert (await world.sa.get(f"/cards/{key}")).ok()["priority"] == "none"
    rows = await world.history("BOA-1")
    assert [row["action"] for row in rows] == ["created", "updated", "moved", "updated"]
    assert {(row["actor"]["type"], row["actor"]["id"]) for row in rows} == {("Agent", "bot")}
    card = (await world.sa.get("/cards/BOA-1")).ok()
    assert (card["title"], card["assignedAgentId"]) == ("Changed", None)


async def test_presets_parts_options_people_and_agents_are_named_in_any_spelling(world: World) -> None:
    board, agent = await world.board(), await world.agent("bot")
    await world.field(board, "size", "select", options=["Très grand", "small"])
    await world.field(board, "areas", "multiselect", options=["Front-End", "API"])
    await world.field(board, "owner", "user")
    await world.field(board, "helper", "agent")
    row = {"cardTypeId": board.card_type["id"], "fieldId": board.field("description"), "value": "It was"}
    (await world.sa.post("/preset-fields", {**row, "presetName": "Bug Report"})).ok()
    fields = {"Size": "tres_GRAND", "areas": ["front end", "api"], "owner": "ada architect", "helper": "BOT"}
    async with talking(agent) as talk:
        made = await talk.ok("create_card", title="Card", column="Todo", preset="bug-REPORT", fields=fields)
        shown = await talk.ok("get_card", card=made["key"], part="DESCRIPTION")
        assert (shown["part"], shown["text"]) == ("DESCRIPTION", "It was")
        assert (await talk.ok("get_card", card=made["key"], part="Comments"))["part"] == "comments"
        for field, value, option in [
            ("size", "huge", "Très grand"),
            ("areas", ["Backend"], "Front-End"),
            ("owner", "Nobody", "Ada Architect"),
            ("helper", "nobody", "bot"),
        ]:
            error = await talk.error("update_card", "validation_failed", card=made["key"], fields={field: value})
            assert option in error["message"]
        error = await talk.error("create_card", "validation_failed", title="Card", column="Todo", preset="Feature")
        assert error["details"]["options"] == ["Bug Report"]
    (card,) = (await world.sa.get(world.sa.org("/cards"), params={"include": "fieldValues"})).ok()["items"]
    values = [value["value"] for value in card["fieldValues"]]
    assert [value for value in values if value != "It was"] == ["Très grand", ["Front-End", "API"], world.sa.id, "bot"]


async def test_a_card_is_created_with_the_values_of_a_preset(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    for name, value in (("description", "Steps to reproduce"), ("tags", ["bug"])):
        row = {"cardTypeId": board.card_type["id"], "fieldId": board.field(name), "presetName": "Bug", "value": value}
        (await world.sa.post("/preset-fields", row)).ok()
    async with talking(agent) as talk:
        place = {"project": "BOA", "column": "Todo", "title": "It fails"}
        preset = await talk.ok("create_card", preset="Bug", **place)
        explicit = await talk.ok("create_card", preset="Bug", fields={"description": "Mine"}, **place)
        plain = await talk.ok("create_card", **place)
        shown = [(await talk.ok("get_card", card=made["key"]))["card"] for made in (preset, explicit, plain)]
        await talk.refused("create_card", "validation_failed", preset="Unknown", **place)
    assert [card["fields"] for card in shown] == [
        {"description": "Steps to reproduce", "tags": ["bug"]},
        {"description": "Mine", "tags": ["bug"]},
        {},
    ]


async def test_a_denied_move_lists_all_blockers(world: World) -> None:
    board = await world.board()
    await world.column(board, "In Progress", requiredFieldIds=[board.field("description")], wipLimit=1)
    await world.card(board, "In Progress")
    card = await world.card(board)
    async with talking(await world.agent()) as talk:
        to = {"card": card["key"], "to": "In Progress"}
        details = await talk.refused("move_card", "required_fields_missing", **to)
        assert [blocker["code"] for blocker in details["blockers"]] == ["required_fields_missing", "wip_limit_reached"]
    assert len(await world.history(card["id"])) == 1


async def test_column_policies_and_field_rules_apply_to_tools(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    closed, half = await world.card(board, "Backlog"), await world.card(board)
    async with talking(agent) as talk:
        for name, arguments in [
            ("update_card", {"title": "No"}),
            ("move_card", {"to": "Todo"}),
            ("comment", {"content": "No"}),
        ]:
            await talk.refused(name, "agent_pickup_disabled", card=closed["id"], **arguments)
        await world.column(board, "Todo", agentCanModerate=False)
        await talk.refused("update_card", "agent_cannot_moderate", card=half["id"], title="No")
        await talk.ok("comment", card=half["id"], content="Yes")
        await talk.refused("update_card", "validation_failed", card=half["id"], title="")


async def test_an_agent_requests_a_move_and_sees_the_decision(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    card = await world.card(board, "Review")
    to = {"card": card["key"], "to": "Done"}
    async with talking(agent) as talk:
        await talk.refused("move_card", "approval_required", **to)
        asked = await talk.ok("request_move", note="It is done", **to)
        assert asked["state"] == "open"
        await talk.refused("request_move", "request_exists", **to)
        assert (await talk.ok("request_move", card=card["key"], withdraw=True))["state"] == "withdrawn"
        await talk.refused("request_move", "not_found", card=card["key"], withdraw=True)
        await talk.ok("request_move", note="It is done now", **to)
        requests = (await world.sa.get(world.sa.org("/move-requests"))).ok()["items"]
        (await world.sa.post(f"/move-requests/{requests[0]['id']}/reject", {"note": "Not yet"})).ok()
        request = (await talk.ok("get_card", card=card["key"]))["request"]
        told = {
            "state": "rejected",
            "note": "It is done now",
            "to": "Done",
            "decidedBy": {"type": "User", "name": "Ada Architect"},
            "decisionNote": "Not yet",
            "next": "Take the card with claim, do what the note says (ask if it is unclear), then request_move again.",
        }
        assert request == told


async def test_claims_are_created_shown_and_released(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    other = await world.agent("other")
    card = await world.card(board, title="Claim me", priority="urgent")
    async with talking(agent) as talk, talking(other) as rival:
        taken = await talk.ok("claim_next", project="Board", leaseSeconds=60)
        assert (taken["card"]["key"], taken["card"]["title"]) == (card["key"], "Claim me")
        assert taken["card"]["claim"]["token"]
        assert (await talk.ok("claim_next"))["note"]
        details = await rival.refused("claim", "already_claimed", card=card["id"])
        assert details["claim"]["agentId"] == "bot"
        await rival.refused("update_card", "already_claimed", card=card["id"], title="Mine")
        shown = await rival.ok("get_card", card=card["id"])
        assert shown["card"]["claim"] == {"agentId": "bot", "expiresAt": taken["card"]["claim"]["expiresAt"]}
        await talk.refused("update_card", "already_claimed", card=card["id"], title="Old", claimToken="stale")
        await talk.ok("comment", card=card["id"], content="Done", claimToken=taken["card"]["claim"]["token"])
        for _ in range(2):
            assert await talk.ok("release", card=card["id"]) == {"released": True}
        assert (await rival.ok("claim", card=card["id"]))["card"]["key"] == card["key"]


@pytest.mark.slow
async def test_fifty_callers_never_claim_one_card_twice(world: World) -> None:
    board = await world.board()
    for _ in range(20):
        await world.card(board)
    agents = [await world.agent(f"bot-{number}") for number in range(10)]

    async def claim(number: int) -> Any:
        async with talking(agents[number % 10]) as talk:
            return (await talk.ok("claim_next")).get("card", {}).get("key")

    taken = await asyncio.gather(*(claim(number) for number in range(50)))
    cards = [card_id for card_id in taken if card_id]
    assert len(cards) == len(set(cards)) == 20


async def test_no_tool_finds_cards_of_another_organization(world: World) -> None:
    foreign = await world.board(world.outsider)
    card = await world.card(foreign, by=world.outsider)
    before = (await world.outsider.get(f"/cards/{card['id']}")).ok()
    async with talking(await world.agent()) as talk:
        for name, arguments in [
            ("update_card", {"title": "No"}),
            ("move_card", {"to": "In Progress"}),
            ("split_card", {"parts": [{"title": "No"}]}),
            ("relate", {"kind": "blocks", "other": "x"}),
            ("relate", {"kind": "blocks", "other": "x", "remove": True}),
            ("history", {}),
            ("request_move", {"withdraw": True}),
            ("comment", {"content": "No"}),
            ("comment", {"content": "No", "replyTo": "cmt_1"}),
            ("claim", {}),
            ("release", {}),
            ("request_move", {"to": "In Progress"}),
            ("attach_file", {"field": "attachments", "name": "a", "text": "b"}),
        ]:
            await talk.refused(name, "not_found", card=card["id"], **arguments)
        place = {"project": foreign.id, "cardType": foreign.card_type["id"]}
        await talk.refused("create_card", "validation_failed", title="No", **place)
    assert (await world.outsider.get(f"/cards/{card['id']}")).ok() == before
    assert len((await world.outsider.get(f"/cards/{card['id']}/history")).ok()) == 1


async def test_a_freeze_denies_writing_tools_and_allows_reading_ones(world: World) -> None:
    card = await world.card(await world.board())
    async with talking(await world.agent()) as talk:
        (await world.sa.post(world.sa.org("/freeze"), {"reason": "Release day"})).ok()
        for name, arguments in [
            ("update_card", {"title": "No"}),
            ("comment", {"content": "No"}),
            ("claim", {}),
            ("attach_file", {"field": "attachments", "name": "a", "text": "b"}),
        ]:
            await talk.refused(name, "frozen", card=card["id"], **arguments)
        await talk.refused("claim_next", "frozen")
        assert (await talk.ok("get_card", card=card["id"]))["card"]["version"] == 1


async def test_the_longest_error_stays_within_the_token_limit(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.column(board, "In Progress", rejectsBlocked=True)
    card = await world.card(board)
    for _ in range(200):
        other = await world.card(board, "Backlog")
        relation = {"fromCardId": other["id"], "toCardId": card["id"], "kind": "blocks"}
        (await world.sa.post(world.sa.org("/relationships"), relation)).ok()
    move = {"card": card["id"], "to": "In Progress"}
    odd = {"x" * 500 + str(number): 1 for number in range(1500)}
    async with talking(agent) as talk:
        for result in (await talk.raw("move_card", **move), await talk.raw("whoami", **odd)):
            assert get_size(result) <= DEFAULT
        refusal = json.loads((await talk.raw("move_card", **move)).content[0].text)
    assert refusal["code"] == "card_blocked"
    assert len(refusal["details"]["blockedBy"]) == 200
    assert "and 190 more" in refusal["message"]


async def test_a_card_is_split_into_parts_that_block_it_until_the_last_is_done(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    parent = await world.card(board, "In Progress", title="Too much")
    await world.column(board, "Review", rejectsBlocked=True)
    parts = [{"title": "Schema", "fields": {"tags": ["db"]}}, {"title": "Page", "priority": "high"}]
    async with talking(agent) as talk:
        made = await talk.ok("split_card", card=parent["key"], parts=parts, column="Todo")
        assert made["column"] == "Todo"
        assert [part["title"] for part in made["parts"]] == ["Schema", "Page"]
        shown = await talk.ok("get_card", card=parent["key"])
        assert [part["key"] for part in shown["parts"]["items"]] == [part["key"] for part in made["parts"]]
        part = await talk.ok("get_card", card=made["parts"][0]["key"])
        assert part["parent"] == {"key": parent["key"], "title": "Too much"}
        assert part["card"]["fields"] == {"tags": ["db"]}
        error = await talk.error("move_card", "card_blocked", card=parent["key"], to="Review")
        assert all(part["key"] in error["message"] for part in made["parts"])
        assert sorted(error["details"]["blockedBy"]) == sorted(part["key"] for part in made["parts"])
        wrong = [{"title": "One"}, {"title": "Two", "fields": {"tag": []}}]
        error = await talk.error("split_card", "validation_failed", card=parent["key"], parts=wrong)
        assert error["details"]["fields"][0]["path"] == "parts.1.fields"
        assert "no field 'tag'; the fields are description" in error["message"]
    assert len((await world.sa.get(world.sa.org("/cards"))).ok()["items"]) == 3


async def test_cards_are_related_by_key_and_a_cycle_is_denied(world: World) -> None:
    board = await world.board()
    first, second = await world.card(board), await world.card(board)
    pair = {"card": second["key"], "kind": "dependsOn", "other": first["key"]}
    async with talking(await world.agent()) as talk:
        assert await talk.ok("relate", **pair, comment="First things first") == pair
        circle = {**pair, "kind": "blocks"}
        details = await talk.refused("relate", "validation_failed", **circle)
        assert details["fields"][0]["path"] == "other"
        await talk.refused("relate", "relationship_exists", **pair)
        shown = await talk.ok("get_card", card=second["key"])
        assert shown["card"]["blockedBy"] == [first["key"]]
        assert await talk.ok("relate", **pair, remove=True) == {**pair, "removed": True}
        await talk.refused("relate", "not_found", **pair, remove=True)
    assert [row["action"] for row in await world.history(first["id"])] == ["created", "related", "unrelated"]


async def test_the_history_of_a_card_is_newest_first_with_names(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    async with talking(agent) as talk:
        await world.card(board, title="Old")
        await talk.ok("update_card", card="BOA-1", title="New", fields={"tags": ["a"]})
        await talk.ok("move_card", card="BOA-1", to="In Progress")
        items = (await talk.ok("history", card="boa-1"))["items"]
        assert [item["action"] for item in items] == ["moved", "updated", "created"]
        assert items[0]["changes"] == {"column": {"from": "Todo", "to": "In Progress"}}
        assert items[1]["changes"]["title"] == {"from": "Old", "to": "New"}
        assert items[1]["by"] == {"type": "Agent", "name": "bot"}
        (item,) = (await talk.ok("history", card="BOA-1", limit=1, page=2))["items"]
        assert item["action"] == "updated"
