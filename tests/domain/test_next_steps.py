"""The sentence beside a decision or an answer that tells an agent what it can do now."""

from typing import Any

import pytest

from ..tools.talk import talking
from ..world import World

WORK, TALK, READ = (True, True), (True, False), (False, False)


async def _decide(world: World, note: str = "Not yet", **changes: Any) -> Any:
    """Reject the open request; return what an agent reads about it."""
    (request,) = (await world.sa.get(world.sa.org("/move-requests"), params={"state": "open"})).ok()["items"]
    return (await world.sa.post(f"/move-requests/{request['id']}/reject", {"note": note, **changes})).ok()


@pytest.mark.parametrize(
    ("flags", "to", "expected"),
    [
        (WORK, None, "Take the card with claim, do what the note says"),
        (TALK, None, "You cannot change the card in Review: ask a person with ask"),
        (READ, None, "Agents can only read the card in Review"),
        (TALK, "In Progress", "Take the card with claim, do what the note says"),
    ],
)
async def test_after_a_rejection_it_depends_on_what_agents_may_do_where_the_card_is(
    world: World, flags: tuple[bool, bool], to: str | None, expected: str
) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, "Review")
    body = {"toColumnId": board.columns["Done"]}
    (await agent.post(f"/cards/{card['id']}/move-requests/mcp", body)).ok()
    await _decide(world, **({"toColumnId": board.columns[to]} if to else {}))
    await world.column(board, "Review", agentPickupEnabled=flags[0], agentCanModerate=flags[1])
    async with talking(agent) as talk:
        steps = [
            (await agent.get(agent.org("/inbox/mcp"))).ok()["items"][0]["decision"]["next"],
            (await agent.get(agent.org("/move-requests/mcp"))).ok()["items"][0]["next"],
            (await agent.get(f"/cards/{card['id']}/context/mcp")).ok()["request"]["next"],
            (await talk.ok("get_card", card=card["key"]))["request"]["next"],
            (await talk.ok("get_card", card=card["key"]))["request"]["next"],
        ]
    assert {step[: len(expected)] for step in steps} == {expected}
    for path in (f"/cards/{card['id']}/context", world.sa.org("/move-requests"), world.sa.org("/catch-up")):
        assert '"next"' not in str((await world.sa.get(path)).ok().get("items"))


async def test_the_tools_that_the_next_step_names_succeed(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, "Review")
    async with talking(agent) as talk:
        since = (await talk.ok("wait_for_changes"))["next"]
        await talk.ok("request_move", card=card["key"], to="Done")
        await _decide(world, toColumnId=board.columns["In Progress"])
        told = (await talk.ok("wait_for_changes", since=since, wait=0))["items"]
        steps = {item["type"]: item.get("next") for item in told}
        assert steps["moveRequest.rejected"] == "get_card shows it, and what you can do now."
        assert [kind for kind, step in steps.items() if step] == ["moveRequest.rejected"]
        assert (await talk.ok("inbox"))["items"][0]["decision"]["next"].startswith("Take the card with claim")
        claimed = await talk.ok("claim", card=card["key"])
        assert claimed["request"]["next"].startswith("Do what the note says")
        await talk.ok("move_card", card=card["key"], to="Review")
        await talk.ok("request_move", card=card["key"], to="Done")
        await _decide(world)
        shown = (await talk.ok("get_card", card=card["key"]))["request"]
        assert "ask a person with ask to move it back" in shown["next"]
        await talk.ok("ask", card=card["key"], content="Please move it back.")


async def test_another_process_of_the_agent_is_told_how_to_take_the_card_over(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, "Review")
    (await agent.post(f"/cards/{card['id']}/move-requests/mcp", {"toColumnId": board.columns["Done"]})).ok()
    await _decide(world, toColumnId=board.columns["In Progress"])
    steps = []
    for session in ("one", "two"):
        headers = {"X-Agent-Session": session}
        if session == "one":
            (await agent.post(f"/cards/{card['id']}/claim/mcp", headers=headers)).ok()
        shown = (await agent.get(f"/cards/{card['id']}/context/mcp", headers=headers)).ok()
        steps.append(shown["request"]["next"])
    assert steps[0].startswith("Do what the note says")
    assert "use claim with takeOver: true" in steps[1]


async def test_of_a_card_of_somebody_else_a_done_or_an_archived_one_nothing_is_left_to_do(world: World) -> None:
    board, agent, other = await world.board(), await world.agent(), await world.agent("other")
    card = await world.card(board, "Review")
    async with talking(agent) as talk:
        await talk.ok("request_move", card=card["key"], to="Done")
        await _decide(world, toColumnId=board.columns["In Progress"])
        (await other.post(f"/cards/{card['id']}/claim/mcp")).ok()
        expected = ["Another agent has claimed the card now"]
        steps = [(await talk.ok("get_card", card=card["key"]))["request"]["next"]]
        for title in ("Review", "Done"):
            (await world.sa.patch(f"/cards/{card['id']}/status", {"toColumnId": board.columns[title]})).ok()
        expected.append("The card is in Done, so nothing is left to do")
        steps.append((await talk.ok("get_card", card=card["key"]))["request"]["next"])
        (await world.sa.delete(f"/cards/{card['id']}")).ok()
        expected.append("The card is archived, so nothing is left to do")
        steps.append((await talk.ok("get_card", card=card["key"]))["request"]["next"])
    assert [step.split(":")[0] for step in steps] == expected


async def test_approved_stale_and_withdrawn_requests(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.edge(board, "Review", "Todo", requiresApproval=True)
    cards = [await world.card(board, "Review", title=title) for title in ("approved", "stale", "withdrawn")]
    async with talking(agent) as talk:
        for card in cards:
            await talk.ok("request_move", card=card["key"], to="Todo")
        approved, stale, withdrawn = [card["key"] for card in cards]
        await talk.ok("request_move", card=withdrawn, withdraw=True)
        to = {"toColumnId": board.columns["In Progress"]}
        (await world.sa.patch(f"/cards/{stale}/status", to)).ok()
        (request,) = (await world.sa.get(world.sa.org("/move-requests"), params={"state": "open"})).ok()["items"]
        (await world.sa.post(f"/move-requests/{request['id']}/approve", {})).ok()
        requests = {name: (await talk.ok("get_card", card=name))["request"] for name in (approved, stale, withdrawn)}
    assert requests[approved]["next"].startswith("The card is in Todo: take it with claim")
    assert requests[stale]["next"].startswith("The card or the board has changed: get_card shows the moves")
    assert "next" not in requests[withdrawn]
