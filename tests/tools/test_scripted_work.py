"""Jobs of an agent that knows only what the server says: work on cards, from the claim to the approval."""

from ..world import World
from .jobs import Job, answer, approve, require_done
from .scripted_agent import over_http


async def test_an_unclear_card_waits_for_an_answer_while_the_agent_does_another_one(world: World, job: Job) -> None:
    board, bot = await world.board(), await world.agent()
    await world.card(board, title="Export the figures", priority="urgent")
    await world.card(board, title="Fix the login")
    async with over_http(bot, job.figures) as agent:
        agent.people.extend([lambda: answer(world, "CSV"), lambda: approve(world)])
        await agent.begin()
        unclear = await agent.take()
        assert unclear["card"]["key"] == "BOA-1"
        ask = agent.find_tool("Ask a person about a card")
        await agent.ok(ask, card="BOA-1", content="In which format?", options=["CSV", "JSON"])
        await agent.finish(await agent.take(), "The cache was cold.")
        answered = await agent.take()
        assert (answered["card"]["key"], answered["question"]["answer"]) == ("BOA-1", "CSV")
        await agent.finish(answered, f"Exported as {answered['question']['answer']}.")
        assert await agent.take() is None
    await require_done(world, board, "BOA-1", "BOA-2")
    comments = (await world.sa.get("/cards/BOA-1/comments")).ok()["items"]
    assert [comment["content"] for comment in comments] == ["In which format?", "Exported as CSV."]
    assert [reply["content"] for reply in comments[0]["replies"]] == ["CSV"]
    job.check("An unclear card, a question and its answer")


async def test_a_card_that_is_too_large_is_split_in_five_and_done_after_its_parts(world: World, job: Job) -> None:
    board, bot = await world.board(), await world.agent()
    parts = ["Read the file", "Check the rows", "Show the errors", "Write the rows", "Describe it"]
    values = [{"fieldId": board.field("description"), "value": "\n".join(f"- {part}" for part in parts)}]
    await world.card(board, title="Import a spreadsheet", fieldValues=values)
    async with over_http(bot, job.figures) as agent:
        agent.people.append(lambda: approve(world))
        await agent.begin()
        large = await agent.take()
        titles = [line.removeprefix("- ") for line in large["card"]["fields"]["description"].splitlines()]
        split = agent.find_tool("Split a card that is too large")
        made = await agent.ok(split, card=large["card"]["key"], parts=[{"title": title} for title in titles])
        for tool in agent.find_named_tools(made["next"])[:1]:
            await agent.ok(tool, card=large["card"]["key"])
        for title in titles:
            part = await agent.take()
            assert (part["card"]["title"], part["parent"]["title"]) == (title, "Import a spreadsheet")
            await agent.finish(part, f"{title}: done.")
        parent = await agent.take()
        assert (parent["card"]["key"], parent["parts"]["done"]) == (large["card"]["key"], 5)
        agent.people.append(lambda: approve(world))
        await agent.finish(parent, "All parts are done.")
        assert await agent.take() is None
    await require_done(world, board, *(f"BOA-{number}" for number in range(1, 7)))
    assert [(await world.sa.get(f"/cards/BOA-{number}")).ok()["title"] for number in range(2, 7)] == parts
    job.check("A card split into five parts")


async def test_a_result_file_is_attached_where_the_card_takes_files(world: World, job: Job) -> None:
    board, bot = await world.board(), await world.agent()
    await world.card(board, title="Measure the start, attach a report and link the change")
    async with over_http(bot, job.figures) as agent:
        agent.people.append(lambda: approve(world))
        await agent.begin()
        context = await agent.take()
        key = context["card"]["key"]
        shown = await agent.ok(agent.find_tool("^Show a card( with|, active)"), card=key)
        fields = {rule["kind"]: rule["name"] for rule in shown["takes"]}
        attach, report = agent.find_tool("^Attach a"), "# Start\n\nTwo seconds.\n"
        file = await agent.ok(attach, card=key, field=fields["file"], name="report.md", text=report)
        await agent.ok("update_card", card=key, fields={fields["url"]: "https://git.example/pull/7"})
        await agent.finish(context, "Measured: see report.md.")
        assert await agent.take() is None
    await require_done(world, board, key)
    card = (await world.sa.get(f"/cards/{key}")).ok()
    (value,) = [item["value"] for item in card["fieldValues"] if item["fieldId"] == board.field("pull_request")]
    assert value == "https://git.example/pull/7"
    assert (await world.sa.get(f"/files/{file['id']}/content")).body == report.encode()
    assert {row["actor"]["id"] for row in await world.history(key) if row["action"] == "updated"} == {"bot"}
    job.check("A result file and a link to the change")


async def test_missing_required_fields_are_filled_in_from_what_the_errors_say(world: World, job: Job) -> None:
    board, bot = await world.board(), await world.agent()
    size = await world.field(board, "size", "select", options=["small", "large"])
    await world.column(board, "Review", requiredFieldIds=[size, board.field("acceptance_criteria")])
    await world.card(board)
    async with over_http(bot, job.figures) as agent:
        agent.people.append(lambda: approve(world))
        await agent.begin()
        await agent.finish(await agent.take(), "It is faster now.")
        assert await agent.take() is None
    await require_done(world, board, "BOA-1")
    card = (await world.sa.get("/cards/BOA-1")).ok()
    values = {item["fieldId"]: item["value"] for item in card["fieldValues"]}
    assert values == {size: "small", board.field("acceptance_criteria"): "Fast"}
    job.check("Required fields that are missing")


async def test_a_blocked_card_is_done_after_the_card_that_its_error_names(world: World, job: Job) -> None:
    board, bot = await world.board(), await world.agent()
    late, early = await world.card(board, title="Late"), await world.card(board, title="Early")
    relation = {"fromCardId": early["id"], "toCardId": late["id"], "kind": "blocks"}
    (await world.sa.post(world.sa.org("/relationships"), relation)).ok()
    await world.column(board, "Review", rejectsBlocked=True)
    async with over_http(bot, job.figures) as agent:
        agent.people.extend([lambda: approve(world), lambda: approve(world)])
        await agent.begin()
        agent.heard.append(f"Please do {late['key']} first.")  # what its own user told it
        claim = agent.find_tool("^(Claim one|Take a certain) card")
        await agent.finish(await agent.ok(claim, card=late["key"]), "Late.")
        assert await agent.take() is None
    await require_done(world, board, late["key"], early["key"])
    assert (await world.sa.get("/cards/BOA-1")).ok()["blockedBy"] == []
    job.check("A blocked card, asked for by key")
