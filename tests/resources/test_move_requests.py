"""Move requests: an agent asks, a person decides, and the card moves or stays."""

import asyncio
from typing import Any

import pytest

from .. import refusals
from ..builders import permit
from ..snapshots import send, snapshot_of
from ..world import Answer, Board, Client, World

CALLERS = 50


async def _scene(world: World) -> tuple[Board, Any, Client]:
    """Return a card in Review, from where the way to Done needs approval, and an agent that may work there."""
    board, agent = await world.board(), await world.agent()
    await world.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    return board, await world.card(board, "Review"), agent


async def _ask(agent: Client, board: Board, card: Any, column: str = "Done", **wishes: Any) -> Answer:
    return await agent.post(f"/cards/{card['id']}/move-requests/mcp", {"toColumnId": board.columns[column], **wishes})


async def _decide(who: Client, request: Any, verb: str = "approve", **wishes: Any) -> Answer:
    return await who.post(f"/move-requests/{request['id']}/{verb}", wishes)


async def _listed(who: Client, **query: Any) -> list[Any]:
    suffix = "/mcp" if "ApiKey" in who.headers["Authorization"] else ""
    page = (await who.get(who.org(f"/move-requests{suffix}"), params=query)).ok()
    assert set(page) == {"items", "page", "pageSize", "total"}
    items: list[Any] = page["items"]
    return items


async def _state(world: World, request: Any) -> Any:
    (row,) = [row for row in await _listed(world.sa) if row["id"] == request["id"]]
    return row


async def test_an_agent_asks_for_a_move_that_needs_approval(world: World) -> None:
    board, card, agent = await _scene(world)
    request = (await _ask(agent, board, card, note="Done, I think")).ok()
    assert request == {
        "id": request["id"],
        "cardId": card["id"],
        "cardKey": card["key"],
        "fromColumnId": board.columns["Review"],
        "toColumnId": board.columns["Done"],
        "requestedBy": {"type": "Agent", "id": "bot", "label": None},
        "note": "Done, I think",
        "state": "open",
        "decidedBy": None,
        "decisionNote": None,
        "createdAt": request["createdAt"],
        "decidedAt": None,
    }
    assert request["id"].startswith("req_")
    for who in (world.sa, world.member, agent):
        assert await _listed(who, state="open") == [request]
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card
    assert len(await world.history(card["id"])) == 1


async def test_approving_moves_the_card_and_history_names_both(world: World) -> None:
    board, card, agent = await _scene(world)
    await world.card(board, "Done")
    request = (await _ask(agent, board, card)).ok()
    decided = (await _decide(world.member, request, note="Well done")).ok()
    member = {"type": "User", "id": world.member.id, "label": "Mo Member"}
    changes = {"state": "approved", "decidedBy": member, "decisionNote": "Well done", "decidedAt": decided["decidedAt"]}
    assert decided == {**request, **changes}
    assert decided["decidedAt"] >= request["createdAt"]
    step = "The card is in Done, so nothing is left to do: take another one with claim_next."
    assert await _listed(world.sa) == [decided]
    assert await _listed(agent) == [decided | {"next": step}]
    moved = (await world.sa.get(f"/cards/{card['id']}")).ok()
    assert (moved["columnId"], moved["version"]) == (board.columns["Done"], 2)
    _, said, row = await world.history(card["id"])
    assert (said["action"], said["actor"]) == ("commented", member)
    assert (row["action"], row["actor"]) == ("moved", member)
    assert row["changes"] == {
        "columnId": {"from": board.columns["Review"], "to": board.columns["Done"]},
        "requestedBy": {"from": None, "to": "bot"},
        "moveRequestId": {"from": None, "to": request["id"]},
    }


async def test_a_request_names_the_agent_that_the_body_names(world: World) -> None:
    board, card, bot = await _scene(world)
    key = await world.script()
    assert (await _ask(bot, board, card, agentId="bot")).ok()["requestedBy"]["id"] == "bot"
    other = await world.card(board, "Review")
    assert (await _ask(key, board, other)).ok()["requestedBy"]["id"] == key.id
    (await _ask(key, board, other, agentId="nobody")).refused(403, "agent_unknown")


async def test_rejecting_leaves_the_card_where_it_is(world: World) -> None:
    board, card, agent = await _scene(world)
    request = (await _ask(agent, board, card)).ok()
    decided = (await _decide(world.member, request, "reject", note="Not yet")).ok()
    assert (decided["state"], decided["decidedBy"]["id"]) == ("rejected", world.member.id)
    assert decided["decisionNote"] == "Not yet"
    assert await _listed(world.sa, state="rejected") == [decided]
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card
    _, row, said = await world.history(card["id"])
    assert (row["action"], said["action"]) == ("rejected", "commented")
    assert row["actor"] == {"type": "User", "id": world.member.id, "label": "Mo Member"}
    assert row["changes"] == {
        "toColumnId": {"from": board.columns["Review"], "to": board.columns["Done"]},
        "requestedBy": {"from": None, "to": "bot"},
        "moveRequestId": {"from": None, "to": request["id"]},
    }
    (await _ask(agent, board, card)).ok()


async def test_rejecting_can_send_the_card_back_and_the_note_is_a_comment(world: World) -> None:
    board, card, agent = await _scene(world)
    request = (await _ask(agent, board, card)).ok()
    back = {"note": "Tests are missing", "toColumnId": board.columns["In Progress"]}
    decided = (await _decide(world.member, request, "reject", **back)).ok()
    assert (decided["state"], decided["decisionNote"]) == ("rejected", "Tests are missing")
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["columnId"] == board.columns["In Progress"]
    (comment,) = (await world.sa.get(f"/cards/{card['id']}/comments")).ok()["items"]
    assert (comment["content"], comment["actor"]["id"]) == ("Tests are missing", world.member.id)
    rows = await world.history(card["id"])
    assert [row["action"] for row in rows] == ["created", "rejected", "commented", "moved"]
    assert rows[-1]["changes"] == {
        "columnId": {"from": board.columns["Review"], "to": board.columns["In Progress"]},
        "moveRequestId": {"from": None, "to": request["id"]},
    }


async def test_rejecting_with_the_column_of_the_card_leaves_it_there(world: World) -> None:
    board, card, agent = await _scene(world)
    await world.column(board, "Review", wipLimit=1)
    request = (await _ask(agent, board, card)).ok()
    assert (await _decide(world.member, request, "reject", toColumnId=card["columnId"])).ok()["state"] == "rejected"
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card
    assert [row["action"] for row in await world.history(card["id"])] == ["created", "rejected"]


async def _way_back(world: World, card: Any) -> list[str]:
    """Return the titles of the moves that are marked as the one that sends the card back."""
    moves = (await world.member.get(f"/cards/{card['id']}/moves")).ok()
    assert all(move["sendsBack"] is True and move["allowed"] for move in moves if "sendsBack" in move)
    return [move["title"] for move in moves if "sendsBack" in move]


async def test_the_moves_mark_where_the_requester_last_moved_the_card_from(world: World) -> None:
    board, agent, other = await world.board(), await world.agent(), await world.agent("other")
    for title in ("Todo", "Backlog"):
        await world.edge(board, "Review", title)
    await world.edge(board, "Todo", "Review")
    card = await world.card(board)
    for who, title in ((other, "In Progress"), (other, "Todo"), (agent, "Review")):
        (await who.patch(f"/cards/{card['id']}/mcp/status", {"toColumnId": board.columns[title]})).ok()
    assert await _way_back(world, card) == []  # without a request
    request = (await _ask(agent, board, card)).ok()
    assert await _way_back(world, card) == ["Todo"]
    for caller, path in ((agent, f"/cards/{card['id']}/moves/mcp"), (agent, f"/cards/{card['id']}/context/mcp")):
        assert "sendsBack" not in str((await caller.get(path)).ok())
    await world.column(board, "Todo", wipLimit=1)
    await world.card(board)
    assert await _way_back(world, card) == ["Backlog"]  # the first allowed one, since Todo is full
    (await _decide(world.member, request, "reject", toColumnId=board.columns["Backlog"])).ok()
    assert await _way_back(world, card) == []


async def test_the_requested_column_is_never_the_way_back(world: World) -> None:
    board, card, agent = await _scene(world)
    path = world.sa.org(f"/transitions/{board.transitions['Review', 'In Progress']}")
    assert (await _ask(agent, board, card)).status == 200
    assert await _way_back(world, card) == ["In Progress"]
    (await world.sa.delete(path)).ok()
    assert await _way_back(world, card) == []


async def test_the_history_row_of_a_rejection_is_exported_and_imported(world: World) -> None:
    board, card, agent = await _scene(world)
    request = (await _ask(agent, board, card)).ok()
    (await _decide(world.member, request, "reject", toColumnId=board.columns["In Progress"])).ok()
    before = await world.history(card["id"])
    snapshot = await snapshot_of(world.sa)
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    (await world.sa.delete(f"/archive/card/{card['id']}")).ok()
    (await send(world.sa, snapshot)).ok()
    assert await world.history(card["id"]) == [row | {"imported": True} for row in before]


async def test_a_rejection_does_not_keep_the_work_of_an_agent_from_being_undone(world: World) -> None:
    board, _, agent = await _scene(world)
    body = {"title": "Made up", "projectId": board.id, "cardTypeId": board.card_type["id"]}
    body["columnId"] = board.columns["Todo"]
    made = (await agent.post(agent.org("/cards/mcp"), body)).ok()
    for title in ("In Progress", "Review"):
        (await agent.patch(f"/cards/{made['id']}/mcp/status", {"toColumnId": board.columns[title]})).ok()
    request = (await _ask(agent, board, made)).ok()
    (await _decide(world.sa, request, "reject")).ok()
    rows = await world.history(made["id"])
    assert rows[-1]["action"] == "rejected"
    (await world.sa.post(world.sa.org("/undo"), {"agentId": "bot", "from": rows[0]["createdAt"]})).ok()
    assert (await world.sa.get(f"/cards/{made['id']}")).ok()["archivedAt"]


async def test_a_card_is_sent_back_only_along_a_transition_that_takes_it(world: World) -> None:
    board, card, agent = await _scene(world)
    request = (await _ask(agent, board, card)).ok()
    (await _decide(world.sa, request, "reject", toColumnId=board.columns["Todo"])).refused(
        400, "transition_not_allowed"
    )
    assert (await _decide(world.sa, request, "reject", toColumnId="nowhere")).invalid() == ["toColumnId"]
    await world.column(board, "In Progress", wipLimit=1)
    await world.card(board, "In Progress")
    back = {"note": "No", "toColumnId": board.columns["In Progress"]}
    (await _decide(world.sa, request, "reject", **back)).refused(400, "wip_limit_reached")
    assert await _state(world, request) == request
    assert (await world.sa.get(f"/cards/{card['id']}/comments")).ok()["items"] == []


async def test_a_note_is_no_comment_where_none_are_taken_or_the_person_may_not_comment(world: World) -> None:
    board, card, agent = await _scene(world)
    request = (await _ask(agent, board, card)).ok()
    await permit(world, "Member", "Card", "read", "transition")
    (await _decide(world.member, request, "reject", note="No")).ok()
    request = (await _ask(agent, board, card)).ok()
    (await world.sa.patch(world.sa.org(f"/card-types/{board.card_type['id']}"), {"commentsEnabled": False})).ok()
    (await _decide(world.sa, request, "reject", note="No")).ok()
    assert (await world.sa.get(f"/cards/{card['id']}/comments")).ok()["items"] == []


async def test_an_agent_withdraws_what_it_asked_for_itself(world: World) -> None:
    board, card, agent = await _scene(world)
    request, path = (await _ask(agent, board, card)).ok(), "/move-requests/{id}/mcp"
    for other in (await world.agent("other"), await world.script()):
        (await other.delete(path.format(**request))).refused(403, "permission_denied")
    assert await _state(world, request) == request
    answer = await agent.delete(path.format(**request))
    assert (answer.status, answer.body) == (204, None)
    row = await _state(world, request)
    assert (row["state"], row["decidedBy"]["id"]) == ("withdrawn", "bot")
    assert row["decidedAt"]
    assert len(await world.history(card["id"])) == 1
    assert (await agent.delete(path.format(**request))).refused(409, "conflict") == {"state": "withdrawn"}
    (await _ask(agent, board, card)).ok()


async def test_a_request_can_be_withdrawn_where_agents_may_no_longer_work(world: World) -> None:
    board, card, agent = await _scene(world)
    request = (await _ask(agent, board, card)).ok()
    await world.column(board, "Review", agentPickupEnabled=False)
    assert (await agent.delete(f"/move-requests/{request['id']}/mcp")).status == 204


async def test_a_card_has_one_open_request(world: World) -> None:
    board, card, agent = await _scene(world)
    request = (await _ask(agent, board, card)).ok()
    for caller in (agent, await world.agent("other")):
        assert (await _ask(caller, board, card)).refused(409, "request_exists") == {"id": request["id"]}
    assert await _listed(world.sa) == [request]


async def test_of_concurrent_requests_for_a_move_one_succeeds(world: World) -> None:
    board, card, agent = await _scene(world)
    answers = await asyncio.gather(*[_ask(agent, board, card) for _ in range(CALLERS)])
    assert sorted(answer.status for answer in answers) == [200] + [409] * (CALLERS - 1)
    assert len(await _listed(world.sa, cardId=card["id"])) == 1


async def test_of_concurrent_decisions_one_succeeds(world: World) -> None:
    board, card, agent = await _scene(world)
    request = (await _ask(agent, board, card)).ok()
    calls = [_decide(world.sa, request, "reject" if number % 3 else "approve") for number in range(CALLERS)]
    calls += [agent.delete(f"/move-requests/{request['id']}/mcp") for _ in range(5)]
    answers = await asyncio.gather(*calls)
    (made,) = [answer for answer in answers if answer.status < 400]
    for answer in answers:
        if answer is not made:
            answer.refused(409, "conflict")
    state = (await _state(world, request))["state"]
    rows = await world.history(card["id"])
    actions = {"approved": ["moved"], "rejected": ["rejected"], "withdrawn": []}[state]
    assert [row["action"] for row in rows] == ["created", *actions]


async def test_moves_and_approvals_at_once_move_a_card_once(world: World) -> None:
    board, card, agent = await _scene(world)
    request = (await _ask(agent, board, card)).ok()
    body = {"toColumnId": board.columns["Done"]}
    calls = [
        world.member.patch(f"/cards/{card['id']}/status", body) if number % 2 else _decide(world.sa, request)
        for number in range(CALLERS)
    ]
    answers = await asyncio.gather(*calls)
    moves, decisions = answers[1::2], answers[::2]
    state = (await _state(world, request))["state"]
    assert {answer.ok()["columnId"] for answer in moves} == {board.columns["Done"]}  # at most one of them moved it
    assert [row["action"] for row in await world.history(card["id"])] == ["created", "moved"]
    approved = [answer.body["state"] for answer in decisions if answer.status == 200]
    assert approved == (["approved"] if state == "approved" else [])
    code = "conflict" if state == "approved" else "stale_request"
    assert {answer.body["error"]["code"] for answer in decisions if answer.status != 200} == {code}


@pytest.mark.parametrize("verb", ["approve", "reject"])
async def test_what_is_decided_stays_decided(world: World, verb: str) -> None:
    board, card, agent = await _scene(world)
    request = (await _ask(agent, board, card)).ok()
    decided = (await _decide(world.sa, request, verb)).ok()
    for answer in (
        await _decide(world.sa, request, "approve"),
        await _decide(world.member, request, "reject"),
        await agent.delete(f"/move-requests/{request['id']}/mcp"),
    ):
        details = answer.refused(409, "conflict")
        step = details.pop("next", None)
        assert details == {"state": decided["state"]}
    assert step  # which only the agent is told
    assert await _state(world, request) == decided


async def test_approving_looks_at_all_rules_again_and_leaves_the_request_open(world: World) -> None:
    board, card, agent = await _scene(world)
    request = (await _ask(agent, board, card)).ok()
    blocker, tags = await world.card(board, "Todo"), board.field("tags")
    await world.column(board, "Done", wipLimit=1, requiredFieldIds=[tags], rejectsBlocked=True)
    await world.card(board, "Done")
    relation = {"fromCardId": blocker["id"], "toCardId": card["id"], "kind": "blocks"}
    relation_id = (await world.sa.post(world.sa.org("/relationships"), relation)).ok()["id"]
    filled = {"fieldValues": [{"fieldId": tags, "value": ["a"]}]}
    remedies: list[tuple[str, str, str, Any]] = [
        ("required_fields_missing", "PATCH", f"/cards/{card['id']}", filled),
        ("card_blocked", "DELETE", world.sa.org(f"/relationships/{relation_id}"), None),
        ("wip_limit_reached", "PATCH", world.sa.org(f"/columns/{board.columns['Done']}"), {"wipLimit": 2}),
    ]
    codes = [code for code, *_ in remedies]
    for number, (code, method, path, body) in enumerate(remedies):
        details = (await _decide(world.member, request)).refused(400, code)
        assert [entry["code"] for entry in details["blockers"]] == codes[number:]
        assert await _state(world, request) == request
        assert (await world.sa.get(f"/cards/{card['id']}")).ok()["columnId"] == board.columns["Review"]
        (await world.sa.call(method, path, body)).ok()
    (await _decide(world.member, request)).ok()


async def test_approvals_never_fill_a_column_past_its_limit(world: World) -> None:
    board, _, agent = await _scene(world)
    await world.column(board, "Done", wipLimit=3)
    cards = [await world.card(board, "Review") for _ in range(20)]
    requests = [(await _ask(agent, board, card)).ok() for card in cards]
    answers = await asyncio.gather(*[_decide(world.member, request) for request in requests])
    assert sorted(answer.status for answer in answers) == [200] * 3 + [400] * 17
    assert len(await _listed(world.sa, state="approved")) == 3
    assert (await world.sa.get(world.sa.org("/cards"), params={"columnId": board.columns["Done"]})).ok()["total"] == 3


async def test_a_transition_that_needs_no_approval_any_more_can_be_approved_all_the_same(world: World) -> None:
    board, card, agent = await _scene(world)
    request = (await _ask(agent, board, card)).ok()
    path = world.sa.org(f"/transitions/{board.transitions['Review', 'Done']}")
    (await world.sa.patch(path, {"requiresApproval": False})).ok()
    (await _decide(world.member, request)).ok()
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["columnId"] == board.columns["Done"]


async def test_what_cannot_be_is_not_asked_for(world: World) -> None:
    board, card, agent = await _scene(world)
    foreign = await world.board(world.outsider)
    (await _ask(agent, board, card, "Todo")).refused(400, "transition_not_allowed")
    for can_moderate in (True, False):
        await world.column(board, "Review", agentCanModerate=can_moderate)
        assert (await _ask(agent, board, card, "Review")).invalid() == ["toColumnId"]  # it is there already
    await world.column(board, "Review", agentCanModerate=True)
    assert (await _ask(agent, board, card, "In Progress")).invalid() == ["toColumnId"]  # it can move there itself
    assert (await _ask(agent, foreign, card)).invalid() == ["toColumnId"]
    await world.column(board, "Done", requiredFieldIds=[board.field("tags")], wipLimit=1)
    await world.card(board, "Done")
    details = (await _ask(agent, board, card)).refused(400, "required_fields_missing")
    assert [blocker["code"] for blocker in details["blockers"]] == ["required_fields_missing", "wip_limit_reached"]
    assert await _listed(world.sa) == []


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"toColumnId": refusals.LEFT_OUT}, "toColumnId"),
        ({"toColumnId": None}, "toColumnId"),
        ({"toColumnId": 1}, "toColumnId"),
        ({"toColumnId": "col_x"}, "toColumnId"),
        ({"note": 1}, "note"),
        ({"note": "x" * 2001}, "note"),
        ({"state": "approved"}, "state"),
        ({"requestedBy": "x"}, "requestedBy"),
    ],
)
async def test_a_wrong_request_is_refused(world: World, change: dict[str, Any], path: str) -> None:
    board, card, agent = await _scene(world)
    body = refusals.change_body({"toColumnId": board.columns["Done"]}, change)
    refusals.expect_invalid(await agent.post(f"/cards/{card['id']}/move-requests/mcp", body), path)
    assert await _listed(world.sa) == []


@pytest.mark.parametrize("verb", ["approve", "reject"])
async def test_a_wrong_decision_is_refused(world: World, verb: str) -> None:
    board, card, agent = await _scene(world)
    request = (await _ask(agent, board, card)).ok()
    for wishes, path in (({"note": 1}, "note"), ({"note": "x" * 2001}, "note"), ({"agentId": "bot"}, "agentId")):
        refusals.expect_invalid(await _decide(world.sa, request, verb, **wishes), path)
    assert (await _decide(world.sa, request, verb, note=None)).ok()["decisionNote"] is None


async def test_asking_is_for_agents_that_may_work_on_the_card(world: World) -> None:
    board, card, agent = await _scene(world)
    path, body = f"/cards/{card['id']}/move-requests/mcp", {"toColumnId": board.columns["Done"]}
    await refusals.agents_only(world, "POST", path, body)
    (await (await world.script(world.outsider)).post(path, body)).refused(404, "not_found")
    (await agent.post("/cards/card_x/move-requests/mcp", body)).refused(404, "not_found")
    (await (await world.agent("new", approve=False)).post(path, body)).refused(403, "agent_not_approved")
    await world.column(board, "Review", agentPickupEnabled=False)
    (await agent.post(path, body)).refused(403, "agent_pickup_disabled")
    await world.column(board, "Review", agentPickupEnabled=True)
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    (await agent.post(path, body)).refused(409, "archived_parent")
    assert await _listed(world.sa) == []


@pytest.mark.parametrize("verb", ["approve", "reject"])
async def test_deciding_is_for_people_who_may_move_cards(world: World, verb: str) -> None:
    board, card, agent = await _scene(world)
    request = (await _ask(agent, board, card)).ok()
    path = f"/move-requests/{request['id']}/{verb}"
    await refusals.people_only(world, "POST", path, {})
    await refusals.expect_hidden(world, "POST", path, {})
    (await world.sa.post(f"/move-requests/req_x/{verb}", {})).refused(404, "not_found")
    await permit(world, "Member", "Card", "read", "update")
    details = (await world.member.post(path, {})).refused(403, "permission_denied")
    assert details == {"resource": "Card", "action": "transition"}
    assert await _state(world, request) == request
    await permit(world, "Member", "Card", "transition")
    (await world.member.post(path, {})).ok()


async def test_withdrawing_is_for_agents_of_the_organization(world: World) -> None:
    board, card, agent = await _scene(world)
    request = (await _ask(agent, board, card)).ok()
    path = f"/move-requests/{request['id']}/mcp"
    await refusals.agents_only(world, "DELETE", path)
    spy = await world.agent("bot", world.outsider)  # of the same name, elsewhere
    (await spy.delete(path)).refused(404, "not_found")
    (await agent.delete("/move-requests/req_x/mcp")).refused(404, "not_found")
    assert await _state(world, request) == request


async def test_the_list_is_filtered_paged_and_newest_first(world: World) -> None:
    board, first, agent = await _scene(world)
    second = await world.card(board, "Review")
    made = [(await _ask(agent, board, first)).ok()]
    (await _decide(world.sa, made[0], "reject")).ok()
    made += [(await _ask(agent, board, card)).ok() for card in (first, second)]
    ids = [request["id"] for request in reversed(made)]
    for who in (world.sa, world.member, agent):
        assert [row["id"] for row in await _listed(who)] == ids
        assert [row["id"] for row in await _listed(who, state="open")] == ids[:2]
        assert [row["id"] for row in await _listed(who, state="rejected")] == ids[2:]
        assert [row["id"] for row in await _listed(who, cardId=first["id"])] == ids[1:]
        assert [row["id"] for row in await _listed(who, cardId=first["id"], state="open")] == [ids[1]]
        assert await _listed(who, cardId="card_x") == await _listed(who, state="stale") == []
    page = (await world.sa.get(world.sa.org("/move-requests"), params={"page": "2", "pageSize": "2"})).ok()
    assert ([row["id"] for row in page["items"]], page["total"], page["page"], page["pageSize"]) == (ids[2:], 3, 2, 2)
    page = (await world.sa.get(world.sa.org("/move-requests"), params={"page": "9", "state": "open"})).ok()
    assert (page["items"], page["total"]) == ([], 2)


async def test_the_list_is_of_one_organization_and_for_its_own(world: World) -> None:
    board, card, agent = await _scene(world)
    await _ask(agent, board, card)
    path = world.sa.org("/move-requests")
    await refusals.people_only(world, "GET", path)
    await refusals.agents_only(world, "GET", f"{path}/mcp")
    await refusals.expect_hidden(world, "GET", path)
    spy = await world.agent("spy", world.outsider)
    (await spy.get(f"{path}/mcp")).refused(403, "cross_organization")
    for stranger in (world.outsider, spy):
        assert await _listed(stranger) == await _listed(stranger, cardId=card["id"]) == []
    for query in ({"state": "asked"}, {"page": "0"}, {"pageSize": "101"}, {"pageSize": "x"}, {"card": "x"}):
        assert (await world.sa.get(path, params=query)).invalid() == [*query]
    await permit(world, "Member", "Card", "transition")
    (await world.member.get(path)).refused(403, "permission_denied")


async def test_a_request_goes_stale_with_the_archiving_of_its_card(world: World) -> None:
    board, card, agent = await _scene(world)
    request = (await _ask(agent, board, card)).ok()
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    assert (await _state(world, request))["state"] == "stale"
    (await world.sa.post(f"/cards/{card['id']}/restore")).ok()
    (await _decide(world.sa, request)).refused(409, "stale_request")
    (await _ask(agent, board, card)).ok()
