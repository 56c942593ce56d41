"""Jobs of an agent that knows only what the server says: what stops it, and how it goes on."""

import asyncio
import os
import signal
from pathlib import Path

from ..world import World
from .jobs import Job, approve, count_actions, require_done
from .scripted_agent import over_http, over_stdio


async def test_an_agent_whose_bridge_is_killed_resumes_its_card(world: World, job: Job, tmp_path: Path) -> None:
    board, bot = await world.board(), await world.agent()
    await world.card(board, title="Begun")
    await world.card(board, title="Other")
    pid = tmp_path / "pid"
    async with over_stdio(bot, job.figures, pid) as agent:
        await agent.begin()
        key = (await agent.take())["card"]["key"]
        await agent.ok("move_card", card=key, to=agent.find_columns()[0])
        os.kill(int(pid.read_text()), signal.SIGKILL)
    async with over_stdio(bot, job.figures, pid) as agent:
        agent.people.extend([lambda: approve(world)])
        (claim,) = (await agent.begin())["otherClaims"]
        context = await agent.resume(claim)
        assert (context["card"]["key"], context["column"]["title"]) == (key, "In Progress")
        await agent.finish(context, "Done after a restart.")
        await agent.finish(await agent.take(), "Done as well.")
        assert await agent.take() is None
    await require_done(world, board, "BOA-1", "BOA-2")
    assert await count_actions(world, key, "moved") == 3
    job.check("A bridge that is killed, and its successor")


async def test_two_processes_of_one_agent_empty_a_column_and_share_no_card(
    world: World, job: Job, tmp_path: Path
) -> None:
    board, bot = await world.board(), await world.agent()
    for number in range(6):
        await world.card(board, title=f"Card {number}")
    done: list[str] = []

    async def work(name: str) -> None:
        async with over_stdio(bot, job.figures, tmp_path / name) as agent:
            projects = (await agent.begin())["projects"]
            todo = projects[0]["workIn"][0]
            while context := await agent.take(column=todo):
                done.append(context["card"]["key"])
                await agent.finish(context, f"By {name}.")

    await asyncio.gather(work("first"), work("second"))
    await approve(world)
    keys = [f"BOA-{number}" for number in range(1, 7)]
    assert sorted(done) == keys
    await require_done(world, board, *keys)
    assert [await count_actions(world, key, "claimed") for key in keys] == [1] * 6
    assert [await count_actions(world, key, "commented") for key in keys] == [1] * 6
    job.check("Two processes of one agent on one column of six")


async def test_a_freeze_in_the_middle_is_waited_for_and_the_claim_outlasts_it(world: World, job: Job) -> None:
    board, bot = await world.board(), await world.agent()
    await world.card(board)

    async def unfreeze() -> None:
        (await world.sa.delete(world.sa.org("/freeze"))).ok()

    async with over_http(bot, job.figures) as agent:
        agent.people.extend([unfreeze, lambda: approve(world)])
        await agent.begin()
        context = await agent.take()
        (await world.sa.post(world.sa.org("/freeze"), {"reason": "Release day"})).ok()
        await agent.finish(context, "Done despite the freeze.")
        assert await agent.take() is None
        assert any("Release day" in text for text in agent.heard)
    await require_done(world, board, "BOA-1")
    assert await count_actions(world, "BOA-1", "claimed") == 1
    job.check("A freeze in the middle")


async def test_an_agent_that_the_guard_stopped_goes_on_when_a_person_has_resumed_it(world: World, job: Job) -> None:
    assert world.service is not None
    world.service.settings = world.service.settings.model_copy(update={"guard_comments_per_hour": 3})
    board, bot = await world.board(), await world.agent()
    await world.card(board, title="Report each step")

    async def resume() -> None:
        (await world.sa.patch("/agents/bot/resume")).ok()

    async with over_http(bot, job.figures) as agent:
        agent.people.extend([resume, lambda: approve(world)])
        await agent.begin()
        context = await agent.take()
        for step in range(4):
            await agent.ok("comment", card=context["card"]["key"], content=f"Step {step}.")
        await agent.finish(context, "Reported.")
        assert await agent.take() is None
    await require_done(world, board, "BOA-1")
    comments = (await world.sa.get("/cards/BOA-1/comments")).ok()["items"]
    assert [comment["content"] for comment in comments] == [*(f"Step {step}." for step in range(4)), "Reported."]
    job.check("The guard stops the agent")
