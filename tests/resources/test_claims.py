"""Claims: an agent takes one card, or the best one that is free, for a while."""

import random
from datetime import timedelta
from typing import Any

import pytest

from service.clock import parse_timestamp

from ..direct_db import rows
from ..refusals import agents_only
from ..world import Answer, Board, Client, World

SHOWN = {"agentId", "token", "claimedAt", "renewedAt", "expiresAt", "promptVersionId"}


async def take(who: Client, card: Any, **body: Any) -> Answer:
    return await who.post(f"/cards/{card['id']}/claim/mcp", body)


async def take_next(who: Client, **body: Any) -> Answer:
    return await who.post(who.org("/cards/claim/mcp"), body)


def lease(claim: Any) -> float:
    """Return how many seconds a claim has from its last renewal."""
    length = parse_timestamp(claim["expiresAt"]) - parse_timestamp(claim["renewedAt"])
    return length / timedelta(seconds=1)


async def test_a_claim_answers_the_card_with_the_claim_and_is_no_new_version(world: World) -> None:
    agent = await world.agent()
    card = await world.card(await world.board())
    assert card["claim"] is None
    claimed = (await take(agent, card)).ok()
    claim = claimed.pop("claim")
    assert claimed | {"claim": None, "watching": True} == card
    assert set(claim) == SHOWN
    assert claim["agentId"] == "bot"
    assert len(claim["token"]) >= 32
    assert lease(claim) == 300
    assert (await world.history(card["id"]))[1:] == [
        {
            "id": (await world.history(card["id"]))[1]["id"],
            "cardId": card["id"],
            "cardKey": card["key"],
            "actor": {"type": "Agent", "id": "bot", "label": None},
            "action": "claimed",
            "changes": {"claim": {"from": None, "to": "bot"}},
            "imported": False,
            "createdAt": claim["renewedAt"],
        }
    ]


async def test_only_the_holder_sees_the_token(world: World) -> None:
    card = await world.card(await world.board())
    agent, other = await world.agent(), await world.agent("other")
    claim = (await take(agent, card)).ok()["claim"]
    public = {key: value for key, value in claim.items() if key != "token"}
    for who, seen in ((agent, claim), (other, public), (world.sa, public)):
        suffix = "" if who is world.sa else "/mcp"
        assert (await who.get(f"/cards/{card['id']}{suffix}")).ok()["claim"] == seen
        (listed,) = (await who.get(who.org(f"/cards{suffix}"))).ok()["items"]
        assert listed["claim"] == public  # lists show it to nobody
    edited = (await world.sa.patch(f"/cards/{card['id']}", {"title": "New"})).ok()
    assert edited["claim"] == public
    assert claim["token"] not in str(await world.history(card["id"]))


async def test_a_claim_that_has_expired_shows_nowhere_although_nothing_was_written(world: World) -> None:
    card, agent = await world.card(await world.board()), await world.agent()
    (await take(agent, card, leaseSeconds=30)).ok()
    world.clock.forward(29)
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["claim"]["agentId"] == "bot"
    world.clock.forward(1)
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["claim"] is None
    assert (await agent.get(f"/cards/{card['id']}/mcp")).ok()["claim"] is None
    assert (await world.sa.get(world.sa.org("/cards"))).ok()["items"][0]["claim"] is None
    assert len(await rows(world, "-- x\nSELECT token FROM claims")) == 1


@pytest.mark.parametrize("seconds", [30, 3600])
async def test_a_lease_is_as_long_as_asked_for(world: World, seconds: int) -> None:
    board, agent = await world.board(), await world.agent()
    one, _ = await world.card(board), await world.card(board)
    assert lease((await take(agent, one, leaseSeconds=seconds)).ok()["claim"]) == seconds
    assert lease((await take_next(agent, leaseSeconds=seconds)).ok()["claim"]) == seconds


@pytest.mark.parametrize("seconds", [29, 3601, 0, -1, 30.5, "300", None, True])
async def test_a_lease_out_of_bounds_is_refused(world: World, seconds: Any) -> None:
    card, agent = await world.card(await world.board()), await world.agent()
    path = f"/cards/{card['id']}/claim"
    assert (await take(agent, card, leaseSeconds=seconds)).invalid() == ["leaseSeconds"]
    assert (await take_next(agent, leaseSeconds=seconds)).invalid() == ["leaseSeconds"]
    assert (await agent.post(f"{path}/renew/mcp", {"leaseSeconds": seconds})).invalid() == ["leaseSeconds"]
    assert await rows(world, "-- x\nSELECT token FROM claims") == []


async def test_the_next_card_is_the_most_urgent_then_the_earliest_due_then_the_first_in_rank(world: World) -> None:
    board, agent, chance = await world.board(), await world.agent(), random.Random(4)  # noqa: S311
    priorities, days = ["urgent", "high", "medium", "low", "none"], ["2026-11-30", "2026-12-24", None]
    kinds = [(priority, day) for priority in priorities for day in days for _ in range(2)]
    chance.shuffle(kinds)
    made = [
        (priorities.index(priority), days.index(day), (await world.card(board, priority=priority, dueDate=day)))
        for priority, day in kinds
    ]
    expected = [card["id"] for _, _, card in sorted(made, key=lambda one: one[:2])]
    got = [(await take_next(agent)).ok() for _ in made]
    assert [card["id"] for card in got] == expected
    assert len({card["claim"]["token"] for card in got}) == len(got)
    assert (await take_next(agent)).status == 204


async def test_rank_decides_and_not_the_time_of_making(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    first, second = await world.card(board), await world.card(board)
    (await world.sa.patch(f"/cards/{second['id']}/rank", {"afterCardId": None})).ok()
    assert [(await take_next(agent)).ok()["id"] for _ in range(2)] == [second["id"], first["id"]]


async def _unfree(world: World, board: Board) -> None:
    """Make a card of each kind that is not free for the agent."""
    other = await world.agent("other")
    await world.card(board, "Backlog")  # neither flag is on there, nor in Review and Done
    await world.card(board, "Review")
    await world.card(board, "Done")
    await world.card(board, assignedAgentId="other")
    await world.card(board, assignedUserId=world.member.id)
    archived, claimed = await world.card(board), await world.card(board)
    (await world.sa.delete(f"/cards/{archived['id']}")).ok()
    (await take(other, claimed)).ok()
    blocked, blocker = await world.card(board), await world.card(board, "Backlog")
    relation = {"fromCardId": blocker["id"], "toCardId": blocked["id"], "kind": "blocks"}
    (await world.sa.post(world.sa.org("/relationships"), relation)).ok()


async def test_a_card_that_is_not_free_is_never_the_next_card(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await _unfree(world, board)
    gone = await world.board(title="Gone")
    await world.card(gone, priority="urgent")
    (await world.sa.delete(world.sa.org(f"/projects/{gone.id}"))).ok()
    await world.card(await world.board(world.outsider), by=world.outsider, priority="urgent")
    answer = await take_next(agent)
    assert (answer.status, answer.body) == (204, None)
    own = await world.card(board, "In Progress", assignedAgentId="bot")
    free = await world.card(board)
    assert {(await take_next(agent)).ok()["id"] for _ in range(2)} == {own["id"], free["id"]}
    assert (await take_next(agent)).status == 204


@pytest.mark.parametrize("flags", [{"agentPickupEnabled": False}, {"agentCanModerate": False}, {"columnType": "done"}])
async def test_a_column_gives_no_next_card_unless_agents_work_there(world: World, flags: dict[str, Any]) -> None:
    board, agent = await world.board(), await world.agent()
    await world.card(board)
    await world.column(board, "Todo", **flags)
    assert (await take_next(agent)).status == 204
    await world.column(board, "Todo", agentPickupEnabled=True, agentCanModerate=True, columnType="standard")
    (await take_next(agent)).ok()


async def test_a_card_is_free_once_what_blocks_it_is_done(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    blocked, blocker = await world.card(board), await world.card(board, "Review")
    relation = {"fromCardId": blocker["id"], "toCardId": blocked["id"], "kind": "blocks"}
    (await world.sa.post(world.sa.org("/relationships"), relation)).ok()
    assert (await take_next(agent)).status == 204
    (await world.sa.patch(f"/cards/{blocker['id']}/status", {"toColumnId": board.columns["Done"]})).ok()
    assert (await take_next(agent)).ok()["id"] == blocked["id"]


async def test_filters_narrow_the_choice(world: World) -> None:
    one, other, agent = await world.board(), await world.board(title="Other"), await world.agent()
    bug = (await world.sa.post(world.sa.org("/card-types"), {"title": "Bug"})).ok()["id"]
    await world.card(one, priority="urgent")
    there = await world.card(other, "In Progress")
    typed = await world.card(other, cardTypeId=bug)
    assert (await take_next(agent, columnId=other.columns["Todo"], cardTypeId=other.card_type["id"])).status == 204
    assert (await take_next(agent, columnId=other.columns["In Progress"])).ok()["id"] == there["id"]
    assert (await take_next(agent, projectId=one.id, cardTypeId=bug)).status == 204
    assert (await take_next(agent, cardTypeId=bug)).ok()["id"] == typed["id"]
    assert (await take_next(agent, projectId=other.id)).status == 204
    assert (await take_next(agent, projectId=one.id)).ok()["priority"] == "urgent"


@pytest.mark.parametrize("key", ["projectId", "columnId", "cardTypeId"])
async def test_a_filter_that_names_nothing_is_refused(world: World, key: str) -> None:
    board, agent, foreign = await world.board(), await world.agent(), await world.board(world.outsider)
    await world.card(board)
    strange = {
        "projectId": foreign.id,
        "columnId": foreign.columns["Todo"],
        "cardTypeId": foreign.card_type["id"],
    }[key]
    for value in ("nothing", strange):
        assert (await take_next(agent, **{key: value})).invalid() == [key]
    assert (await take_next(agent, **{key: 1})).invalid() == [key]
    (await take_next(agent, **{key: None})).ok()


async def test_the_body_names_the_agent_that_claims(world: World) -> None:
    board, key = await world.board(), await world.key()
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "T"})).ok()["id"]
    for name in ("one", "two"):
        await world.register(key, team, name)
        (await world.sa.patch(f"/agents/{name}/approve")).ok()
    first, second = await world.card(board), await world.card(board)
    assert (await take_next(key, agentId="two")).ok()["claim"]["agentId"] == "two"
    (await take(key, first, agentId="one")).refused(409, "already_claimed")
    assert (await take(key, second, agentId="one")).ok()["claim"]["agentId"] == "one"
    (await take_next(key, agentId="three")).refused(403, "agent_unknown")
    seen = (await key.get(f"/cards/{first['id']}/mcp", headers={"X-Agent-Id": "one"})).ok()
    assert "token" not in seen["claim"]
    path = f"/cards/{first['id']}/claim/mcp"
    (await key.delete(path, json={"agentId": "one"})).refused(409, "already_claimed")
    assert (await key.delete(path, json={"agentId": "two"})).status == 204


async def test_a_key_without_an_agent_claims_in_its_own_name(world: World) -> None:
    card, key = await world.card(await world.board()), await world.script()
    claim = (await take_next(key)).ok()["claim"]
    assert claim["agentId"] == key.id
    assert (await key.get(f"/cards/{card['id']}/mcp")).ok()["claim"] == claim


async def test_claims_are_for_agents_of_the_organization_only(world: World) -> None:
    card, stranger = await world.card(await world.board()), await world.script(world.outsider)
    path = f"/cards/{card['id']}/claim"
    for method, url in (("POST", "/mcp"), ("POST", "/renew/mcp"), ("DELETE", "/mcp")):
        await agents_only(world, method, path + url)
        (await stranger.call(method, path + url)).refused(404, "not_found")
    await agents_only(world, "POST", world.sa.org("/cards/claim/mcp"))
    (await stranger.post(world.sa.org("/cards/claim/mcp"), {})).refused(403, "cross_organization")
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["claim"] is None


async def test_a_claim_notes_which_version_of_the_columns_prompt_was_current(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    prompt = (await world.sa.post("/prompts", {"name": "Build", "body": "Do it"})).ok()
    await world.column(board, "Todo", promptId=prompt["id"])
    version = prompt["currentVersionId"]
    first, _ = await world.card(board), await world.card(board)
    for claimed in ((await take(agent, first)).ok(), (await take_next(agent)).ok()):
        assert claimed["claim"]["promptVersionId"] == version
        row = (await world.history(claimed["id"]))[-1]
        assert row["changes"]["promptVersionId"] == {"from": None, "to": version}
    path = f"/prompts/{prompt['id']}/versions/{version}"
    (await world.sa.patch(path, {"active": False})).ok()
    assert (await take(agent, await world.card(board))).ok()["claim"]["promptVersionId"] is None


async def test_the_next_card_never_waits_for_a_decision(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, "In Progress")
    await world.edge(board, "In Progress", "Done", requiresApproval=True)
    path = f"/cards/{card['id']}/move-requests/mcp"
    request = (await agent.post(path, {"toColumnId": board.columns["Done"]})).ok()
    assert (await take_next(agent)).status == 204
    (await world.sa.post(f"/move-requests/{request['id']}/reject", {})).ok()
    assert (await take_next(agent)).ok()["id"] == card["id"]


async def test_lists_are_narrowed_to_what_an_agent_holds(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.card(board)
    held, late = await world.card(board), await world.card(board)
    (await take(agent, late, leaseSeconds=30)).ok()
    (await take(agent, held)).ok()
    world.clock.forward(31)
    for query, expected in (({}, [held["id"]]), ({"columnId": board.columns["Done"]}, [])):
        page = (await world.sa.get(world.sa.org("/cards"), params={"claimedBy": "bot", **query})).ok()
        assert ([card["id"] for card in page["items"]], page["total"]) == (expected, len(expected))
    assert (await world.sa.get(world.sa.org("/cards"), params={"claimedBy": "nobody"})).invalid() == ["claimedBy"]
