"""Jobs of an agent that knows only what the server says: what people decided, before, meanwhile and long ago."""

import asyncio

from ..world import World
from .jobs import Job, answer, approve, reject, require_done
from .scripted_agent import over_http


async def test_a_rejected_card_is_corrected_as_the_note_says_and_approved(world: World, job: Job) -> None:
    board, bot = await world.board(), await world.agent()
    await world.card(board, title="Make the login faster")
    async with over_http(bot, job.figures) as agent:
        agent.people.extend([lambda: reject(world, board, "It lacks a test."), lambda: approve(world)])
        await agent.begin()
        await agent.finish(await agent.take(), "It is faster now.")
        context = await agent.take()
        request = context["request"]
        assert (request["state"], request["decisionNote"]) == ("rejected", "It lacks a test.")
        assert agent.find_named_tools(request["next"])[-1] == "request_move"
        await agent.ok("comment", card=context["card"]["key"], content=f"You said: {request['decisionNote']} Added.")
        await agent.finish(context, "It has a test now.")
        assert await agent.take() is None
    await require_done(world, board, "BOA-1")
    decided = (await world.sa.get(world.sa.org("/move-requests"))).ok()["items"]
    assert sorted((request["state"], request["note"]) for request in decided) == [
        ("approved", "It has a test now."),
        ("rejected", "It is faster now."),
    ]
    comments = (await world.sa.get("/cards/BOA-1/comments")).ok()["items"]
    assert "You said: It lacks a test. Added." in [comment["content"] for comment in comments]
    job.check("A rejection with a note, corrected and approved")


async def test_an_earlier_decision_is_found_by_search_and_obeyed(world: World, job: Job) -> None:
    board, bot, other = await world.board(), await world.agent(), await world.agent("other")
    await world.card(board, "Review", title="Choose a message queue")
    asked = {"toColumnId": board.columns["Done"], "note": "Kafka or Redis?"}
    (await other.post("/cards/BOA-1/move-requests/mcp", asked)).ok()
    await approve(world, "Redis; no Kafka before next year.")
    await world.card(board, title="Send mails through the message queue")
    async with over_http(bot, job.figures) as agent:
        agent.people.append(lambda: approve(world))
        await agent.begin()
        context = await agent.take()
        found = await agent.ok(agent.find_tool("^Find cards by words"), q="message queue")
        known = [item for item in found["items"] if item["cardKey"] != context["card"]["key"]]
        assert [item["title"] for item in known] == ["Choose a message queue"]
        decision = await agent.ok(agent.find_tool("^Show a card( with|, active)"), card=known[0]["cardKey"])
        assert decision["request"]["state"] == "approved"
        choice = decision["request"]["decisionNote"].partition(";")[0]
        await agent.finish(context, f"Mails go through {choice}, as decided on {known[0]['cardKey']}.")
        assert await agent.take() is None
    await require_done(world, board, "BOA-2")
    (comment,) = (await world.sa.get("/cards/BOA-2/comments")).ok()["items"]
    assert comment["content"] == "Mails go through Redis, as decided on BOA-1."
    job.check("An earlier decision, found by search")


async def test_three_hours_without_the_agent_are_caught_up_on_in_few_calls(world: World, job: Job) -> None:
    assert world.clock is not None
    board, bot = await world.board(), await world.agent()
    for title in ("Asked", "Requested", "Begun"):
        await world.card(board, title=title)
    others = [await world.card(board, "Backlog", title=f"Other {number}") for number in range(9)]
    async with over_http(bot, job.figures) as agent:
        await agent.begin()
        ask = agent.find_tool("Ask a person about a card")
        await agent.ok(ask, card=(await agent.take())["card"]["key"], content="In which format?")
        await agent.finish(await agent.take(), "It is faster now.")
        begun = await agent.take()
        await agent.ok("move_card", card=begun["card"]["key"], to=agent.find_columns()[0])

    async def say(key: str, number: int) -> None:
        (await world.member.post(f"/cards/{key}/comments", {"content": f"Remark {number}"})).ok()

    for number in range(50):
        world.clock.forward(3 * 3600 / 50)
        await asyncio.gather(*(say(card["key"], number) for card in [begun["card"], *others]))
    await answer(world, "CSV")
    await reject(world, board, "It lacks a test.")
    before = job.figures.calls
    async with over_http(bot, job.figures) as agent:
        agent.people.append(lambda: approve(world))
        me = await agent.begin()
        assert "claims" not in me
        inbox = await agent.ok(agent.find_tool("others did that concerns you"))
        news = {item["cardKey"]: item for item in inbox["items"]}
        assert sorted(news) == ["BOA-1", "BOA-2", "BOA-3"]
        assert news["BOA-1"]["answer"]["content"] == "CSV"
        assert news["BOA-2"]["decision"]["note"] == "It lacks a test."
        assert news["BOA-3"]["what"]["commented"] == 50
        assert job.figures.calls - before == 2
        while (context := await agent.take()) is not None:
            await agent.finish(context, "Caught up and done.")
    await require_done(world, board, "BOA-1", "BOA-2", "BOA-3")
    decided = (await world.sa.get(world.sa.org("/move-requests"), params={"cardId": "BOA-2"})).ok()["items"]
    assert sorted(request["state"] for request in decided) == ["approved", "rejected"]
    (question,) = (await world.sa.get(world.sa.org("/questions"))).ok()["items"]
    assert (question["state"], question["answer"]) == ("answered", "CSV")
    job.check("Three hours with 500 changes of others")
