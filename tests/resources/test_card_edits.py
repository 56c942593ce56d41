"""Cards that change: what a patch means, and who may send one."""

import io
from typing import Any

import pytest

from ..builders import permit
from ..world import World


async def test_a_patch_sets_every_field_that_it_names(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    for caller, suffix in ((world.member, ""), (agent, "/mcp")):
        card = await world.card(board)
        patch = {
            "title": "New",
            "assignedAgentId": "bot",
            "assignedUserId": world.sa.id,
            "priority": "high",
            "dueDate": "2026-12-01",
        }
        changed = (await caller.patch(f"/cards/{card['id']}{suffix}", patch)).ok()
        due = {"dueDate": "2026-12-01T00:00:00.000Z", "dueAllDay": True}
        own = {"updatedAt": changed["updatedAt"], "watching": changed["watching"]}
        assert changed == {**card, **patch, **due, "version": 2, **own}
        assert changed["updatedAt"] >= card["updatedAt"]
        assert (await world.sa.get(f"/cards/{card['id']}")).ok() == changed | {"watching": True}
        row = (await world.history(card["id"]))[-1]
        assert (row["action"], row["actor"]["id"], row["cardId"]) == ("updated", caller.id, card["id"])
        assert row["changes"] == {key: {"from": card[key], "to": value} for key, value in patch.items()}


async def test_null_clears_and_a_missing_key_stays(world: World) -> None:
    board = await world.board()
    await world.agent()
    full = {"assignedAgentId": "bot", "assignedUserId": world.sa.id, "priority": "low", "dueDate": "2026-12-01"}
    card = await world.card(board, **full)
    for version, key in enumerate(("assignedAgentId", "assignedUserId", "dueDate"), 2):
        changed = (await world.sa.patch(f"/cards/{card['id']}", {key: None})).ok()
        assert changed == {**card, key: None, "dueAllDay": key != "dueDate"} | {
            "version": version,
            "updatedAt": changed["updatedAt"],
        }
        assert (await world.history(card["id"]))[-1]["changes"] == {key: {"from": full[key], "to": None}}
        card = changed
    cleared = (await world.sa.patch(f"/cards/{card['id']}", {"priority": None})).ok()
    assert cleared["priority"] == "none"
    assert len(await world.history(card["id"])) == cleared["version"] == 5


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"title": None}, "title"),
        ({"title": ""}, "title"),
        ({"title": ["a"]}, "title"),
        ({"title": "x" * 501}, "title"),
        ({"title": "\0"}, "title"),
        ({"priority": "urgent!"}, "priority"),
        ({"dueDate": "never"}, "dueDate"),
        ({"dueDate": True}, "dueDate"),
        ({"assignedAgentId": "nobody"}, "assignedAgentId"),
        ({"assignedUserId": "usr_x"}, "assignedUserId"),
        ({"fieldValues": None}, "fieldValues"),
        ({"columnId": "col_x"}, "columnId"),
        ({"titel": "T"}, "titel"),
        ({"version": 2}, "version"),
    ],
)
async def test_a_wrong_patch_is_refused_and_changes_nothing(world: World, wrong: Any, path: str) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    for caller, suffix in ((world.sa, ""), (agent, "/mcp")):
        assert (await caller.patch(f"/cards/{card['id']}{suffix}", {"priority": "low", **wrong})).invalid() == [path]
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card
    assert len(await world.history(card["id"])) == 1


async def test_a_body_that_is_no_json_object_is_refused(world: World) -> None:
    card = await world.card(await world.board())
    path = f"/cards/{card['id']}"
    for data in (b"", b"{", b"[]", b"null", b'"title"', b"\xff"):
        answer = await world.sa.call("PATCH", path, data=data, headers={"Content-Type": "application/json"})
        answer.refused(400, "invalid_json")
    answer = await world.sa.call("PATCH", path, data=b"title=T", headers={"Content-Type": "text/plain"})
    answer.refused(415, "unsupported_media_type")
    too_much = io.BytesIO(b'{"title": "' + b"x" * (1 << 20) + b'"}')
    answer = await world.sa.call("PATCH", path, data=too_much, headers={"Content-Type": "application/json"})
    answer.refused(413, "payload_too_large")


async def test_assignees_belong_to_the_organization(world: World) -> None:
    card = await world.card(await world.board())
    await world.agent("stranger", world.outsider)
    for patch in ({"assignedAgentId": "stranger"}, {"assignedUserId": world.outsider.id}):
        assert (await world.sa.patch(f"/cards/{card['id']}", patch)).invalid() == list(patch)


async def test_a_patch_without_a_change_writes_nothing_for_an_agent_either(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    for patch in ({}, {"agentId": "bot"}, {"title": "Card", "agentId": "bot"}, {"priority": "none"}):
        assert (await agent.patch(f"/cards/{card['id']}/mcp", patch)).ok() == card | {"watching": False}
    assert len(await world.history(card["id"])) == 1


async def test_the_agent_named_in_the_body_is_the_actor(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    (await agent.patch(f"/cards/{card['id']}/mcp", {"title": "A", "agentId": "bot"})).ok()
    unbound = await world.script()
    (await unbound.patch(f"/cards/{card['id']}/mcp", {"title": "B"})).ok()
    (await unbound.patch(f"/cards/{card['id']}/mcp", {"title": "C", "agentId": "who"})).refused(403, "agent_unknown")
    actors = [row["actor"] for row in await world.history(card["id"])][1:]
    assert actors == [
        {"type": "Agent", "id": "bot", "label": None},
        {"type": "Agent", "id": unbound.id, "label": "key"},
    ]
    assert (await world.sa.patch(f"/cards/{card['id']}", {"agentId": "bot"})).invalid() == ["agentId"]


async def test_an_agent_changes_cards_only_where_both_flags_are_on(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.column(board, "In Progress", agentCanModerate=False)
    for column, code in (("Backlog", "agent_pickup_disabled"), ("In Progress", "agent_cannot_moderate")):
        card = await world.card(board, column)
        (await agent.patch(f"/cards/{card['id']}/mcp", {"title": "A"})).refused(403, code)
        assert (await agent.get(f"/cards/{card['id']}/mcp")).ok() == card | {"watching": False}
        (await world.member.patch(f"/cards/{card['id']}", {"title": "A"})).ok()


async def test_changing_and_reading_cards_needs_the_permission(world: World) -> None:
    card = await world.card(await world.board())
    path = f"/cards/{card['id']}"
    await permit(world, "Member", "Card", "read")
    details = (await world.member.patch(path, {"title": "A"})).refused(403, "permission_denied")
    assert details == {"resource": "Card", "action": "update"}
    await permit(world, "Member", "Card", "update")
    for read in (path, path + "/history", path + "/comments", world.member.org("/cards")):
        details = (await world.member.get(read)).refused(403, "permission_denied")
        assert details == {"resource": "Card", "action": "read"}
    (await world.member.patch(path, {"title": "A"})).ok()
    await permit(world, "SolutionArchitect", "Card", "read")
    (await world.sa.patch(path, {"title": "B"})).refused(403, "permission_denied")


async def test_a_card_of_another_organization_cannot_be_told_from_none(world: World) -> None:
    card, stranger = await world.card(await world.board()), await world.script(world.outsider)
    for card_id in (card["id"], "card_x"):
        for caller, suffix in ((world.outsider, ""), (stranger, "/mcp")):
            path = f"/cards/{card_id}{suffix}"
            (await caller.get(path)).refused(404, "not_found")
            (await caller.patch(path, {"title": "A"})).refused(404, "not_found")
            (await caller.get(f"/cards/{card_id}/history{suffix}")).refused(404, "not_found")
            (await caller.get(f"/cards/{card_id}/comments{suffix}")).refused(404, "not_found")
            (await caller.patch(f"{path}/status", {"toColumnId": "c"})).refused(404, "not_found")
            (await caller.post(f"/cards/{card_id}/comments{suffix}", {"content": "C"})).refused(404, "not_found")
        (await world.outsider.delete(f"/cards/{card_id}")).refused(404, "not_found")
        (await world.outsider.post(f"/cards/{card_id}/restore")).refused(404, "not_found")
        (await world.outsider.patch(f"/cards/{card_id}/rank", {"afterCardId": None})).refused(404, "not_found")
    for caller, path in ((world.sa, f"/cards/{card['id']}/mcp"), (stranger, f"/cards/{card['id']}")):
        (await caller.get(path)).refused(401, "unauthorized")
    (await world.nobody.get(f"/cards/{card['id']}")).refused(401, "unauthorized")


async def test_a_key_acts_for_no_agent_but_its_own(world: World) -> None:
    card = await world.card(await world.board())
    await world.agent("bot")
    await world.agent("other")
    bound, path = await world.key(agentId="bot"), f"/cards/{card['id']}/mcp"
    for body, headers in (({"title": "A", "agentId": "other"}, {}), ({"title": "A"}, {"X-Agent-Id": "other"})):
        (await bound.patch(path, body, headers=headers)).refused(403, "agent_unknown")
    assert (await bound.patch(path, {"title": "A"})).ok()["version"] == 2
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "Another team"})).ok()
    of_team = await world.key(teamId=team["id"])
    (await of_team.patch(path, {"title": "B", "agentId": "bot"})).refused(403, "agent_unknown")
    assert [row["actor"]["id"] for row in await world.history(card["id"])] == [world.sa.id, "bot"]
