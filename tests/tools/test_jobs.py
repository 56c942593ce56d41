"""Complete jobs of agents that use only tools and know only what the tools say."""

import asyncio
import json
import re
import signal
import sys
from typing import Any, Self

from service.tools.server import INSTRUCTIONS

from ..process import RUN, ServiceProcess, bare_environment
from ..world import Board, Client, World
from .talk import Talk, talking

TOKEN = 4  # bytes
ANSWER_SECONDS = 120  # until a test gives up on a process, which may have a busy machine to start on


async def approve(world: World, decision: str = "approve", **body: Any) -> None:
    """Decide the open move request as a person."""
    (request,) = (await world.sa.get(world.sa.org("/move-requests"), params={"state": "open"})).ok()["items"]
    (await world.sa.post(f"/move-requests/{request['id']}/{decision}", body)).ok()


async def column_of(world: World, board: Board, key: str) -> str:
    """Return the column of a card."""
    card = (await world.sa.get(f"/cards/{key}")).ok()
    return next(title for title, column_id in board.columns.items() if column_id == card["columnId"])


async def to_review(talk: Talk, context: Any) -> None:
    """Move a card along moves without blockers, until approval is required, as the instructions say."""
    key = context["card"]["key"]
    for column in ("In Progress", "Review"):
        if context["column"]["title"] != column:
            await talk.ok("move_card", card=key, to=column)


async def test_an_obedient_agent_leads_a_card_of_the_default_board_to_done_in_8_calls_without_a_refusal(
    world: World,
) -> None:
    board, agent = await world.board(), await world.agent()
    prose = "The login takes eleven seconds on a cold start; find out why and make it two. " * 4
    values = [{"fieldId": board.field("description"), "value": prose}]
    made = await world.card(board, title="Make the login faster", fieldValues=values)
    (await world.sa.post(f"/cards/{made['id']}/comments", {"content": "It began with release 4."})).ok()
    async with talking(agent) as talk:
        context = await talk.ok("claim_next")
        key = context["card"]["key"]
        assert context["card"]["fields"]["description"] == prose
        assert context["moves"] == [{"to": "In Progress"}]
        await talk.ok("move_card", card=key, to="In Progress")
        await talk.ok("comment", card=key, content="The cache was cold; it is warmed at the start now.")
        await talk.ok("update_card", card=key, fields={"pull_request": "https://git.example/pull/7"})
        since = (await talk.ok("wait_for_changes"))["next"]
        await talk.ok("move_card", card=key, to="Review")
        await talk.ok("request_move", card=key, to="Done", note="Two seconds, measured.")
        await approve(world)
        heard = await talk.ok("wait_for_changes", since=since)
        assert "moveRequest.approved" in [event["type"] for event in heard["items"]]
        assert talk.calls <= 8
        assert talk.read <= 3300 * TOKEN
        assert "card" not in await talk.ok("claim_next")
    assert await column_of(world, board, key) == "Done"
    assert (await world.sa.get(f"/cards/{key}")).ok()["claim"] is None
    assert (await world.sa.get(world.sa.org("/refusals"))).ok()["items"] == []


async def test_who_does_just_what_the_instructions_say_leads_a_card_to_done_with_one_approval_and_no_refusal(
    world: World,
) -> None:
    board, agent = await world.board(), await world.agent()
    await world.card(board)
    async with talking(agent) as talk:
        told = talk.client.instructions or INSTRUCTIONS
        done: list[str] = []

        async def do(name: str, **arguments: Any) -> Any:
            assert re.search(rf"\b{name}\b", told), name  # it knows of no other tool
            done.append(name)
            return await talk.ok(name, **arguments)

        assert "claims" not in await do("whoami")
        context = await do("claim_next")
        key = context["card"]["key"]
        for column in re.findall(r"\((In Progress|Review)\)", told):  # the ways that it names, in its order
            if context["column"]["title"] != column:
                assert {"to": column} in context["moves"]
                await do("move_card", card=key, to=column)
                await do("comment", card=key, content=f"Now in {column}.")
                context = await talk.ok("get_card", card=key)
        (goal,) = re.findall(r"request_move there \((\w+)\)", told)
        assert goal in [move["to"] for move in context["moves"] if "approval_required" in move.get("blockers", [])]
        await do("request_move", card=key, to=goal, note="Done as asked.")
        await do("release", card=key)
        assert "inbox with wait: 50" in (await do("claim_next"))["note"]
        await approve(world)
        assert (await do("inbox", wait=50))["items"][0]["decision"]["state"] == "approved"
    assert await column_of(world, board, key) == "Done"
    assert (await world.sa.get(world.sa.org("/refusals"))).ok()["items"] == []
    decided = (await world.sa.get(world.sa.org("/move-requests"))).ok()["items"]
    assert [request["state"] for request in decided] == ["approved"]


async def test_an_unclear_card_waits_for_a_person_and_comes_back_first_with_the_answer(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.card(board, title="Export the figures")
    await world.card(board, title="Urgent", priority="urgent")
    async with talking(agent) as talk:
        key = "BOA-1"
        await talk.ok("claim", card=key)
        asked = await talk.ok("ask", card=key, content="In which format?", options=["CSV", "JSON"])
        assert asked["state"] == "open"
        await talk.refused("ask", "question_exists", card=key, content="Please?")
        assert [item["content"] for item in (await talk.ok("whoami"))["openQuestions"]] == ["In which format?"]
        urgent = (await talk.ok("claim_next"))["card"]["key"]
        assert urgent == "BOA-2"
        await talk.ok("release", card=urgent)
        (waiting,) = (await world.sa.get(world.sa.org("/attention"))).ok()
        assert waiting["kind"] == "question"
        (await world.sa.post(f"/cards/{key}/comments/{asked['comment']}/replies", {"content": "CSV"})).ok()
        context = await talk.ok("claim_next")
        assert context["card"]["key"] == key
        answer = {"state": "answered", "content": "In which format?", "options": ["CSV", "JSON"], "answer": "CSV"}
        answer |= {"answeredBy": {"type": "User", "name": "Ada Architect"}, "next": "Go on with this answer."}
        assert context["question"] == answer


async def test_a_card_that_is_too_much_is_split_in_five_and_free_when_the_fifth_is_done(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.card(board, title="Too much")
    async with talking(agent) as talk:
        parent = (await talk.ok("claim_next"))["card"]["key"]
        parts = [{"title": f"Part {number}"} for number in range(5)]
        keys = [part["key"] for part in (await talk.ok("split_card", card=parent, parts=parts))["parts"]]
        await talk.ok("release", card=parent)
        for done in range(5):
            context = await talk.ok("claim_next")
            assert context["card"]["key"] in keys  # never the parent, which waits for them
            assert context["parent"] == {"key": parent, "title": "Too much"}
            progress = (await talk.ok("get_card", card=parent))["parts"]
            assert (progress["done"], progress["total"]) == (done, 5)
            await to_review(talk, context)
            await talk.ok("request_move", card=context["card"]["key"], to="Done")
            await approve(world)
        free = await talk.ok("claim_next")
        assert (free["card"]["key"], free["parts"]["done"]) == (parent, 5)
        assert "blockedBy" not in free["card"]


async def test_a_result_file_and_a_link_to_the_change_are_on_the_card_for_people(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.card(board)
    async with talking(agent) as talk:
        key = (await talk.ok("claim_next"))["card"]["key"]
        takes = {field["name"]: field["kind"] for field in (await talk.ok("get_card", card=key))["takes"]}
        (of_files,) = [name for name, kind in takes.items() if kind == "file"]
        file = await talk.ok("attach_file", card=key, field=of_files, name="report.md", text="# Measured\n")
        link = next(name for name, kind in takes.items() if kind == "url")
        await talk.ok("update_card", card=key, fields={link: "https://git.example/pull/7"})
        shown = await talk.ok("get_card", card=key)
        assert shown["files"] == [{"id": file["id"], "field": "attachments", "name": "report.md", "sizeBytes": 11}]
        assert shown["card"]["fields"] == {"pull_request": "https://git.example/pull/7"}
    assert (await world.sa.get(f"/files/{file['id']}/content")).body == b"# Measured\n"


class Bridge:
    """A process with the stdio bridge of an agent, which a test can kill."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, agent: Client) -> Self:
        environment = bare_environment() | {"SERVICE_API_URL": agent.base, "SERVICE_API_KEY": agent.secret}
        pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
        return cls(await asyncio.create_subprocess_exec(sys.executable, str(RUN), "mcp", env=environment, **pipes))

    def send(self, name: str, **arguments: Any) -> None:
        """Send a tool call without waiting for its result."""
        params = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    async def ok(self, name: str, **arguments: Any) -> Any:
        self.send(name, **arguments)
        assert self.process.stdout is not None
        result = json.loads(await asyncio.wait_for(self.process.stdout.readline(), ANSWER_SECONDS))["result"]
        assert not result["isError"], result
        return json.loads(result["content"][0]["text"])

    async def kill(self) -> None:
        self.process.kill()
        assert await self.process.wait() == -signal.SIGKILL


async def test_an_agent_continues_its_card_after_a_kill_of_the_bridge_or_the_service(
    service_process: ServiceProcess,
) -> None:
    async with World(service_process.url) as world:
        board, agent = await world.board(), await world.agent()
        await world.card(board, title="Begun")
        await world.card(board, title="Other")
        bridge = await Bridge.start(agent)
        key = (await bridge.ok("claim_next"))["card"]["key"]
        await bridge.ok("move_card", card=key, to="In Progress")
        bridge.send("comment", card=key, content="Half of it is done.")  # of which it never hears
        await bridge.kill()
        again = await Bridge.start(agent)  # which knows nothing any more
        (claim,) = (await again.ok("whoami"))["otherClaims"]
        assert (claim["key"], claim["title"]) == (key, "Begun")
        taken = (await again.ok("claim_next", takeOver=True))["card"]
        assert (taken["key"], taken["claim"]["session"] != claim["session"]) == (key, True)
        await again.ok("comment", card=key, content="Here again.")
        service_process.environment["SERVICE_PORT"] = str(service_process.port)
        service_process.kill()
        await asyncio.to_thread(service_process.start)
        assert (await again.ok("whoami"))["claims"][0]["key"] == key
        await again.ok("move_card", card=key, to="Review")
        await again.kill()
        said = [comment["content"] for comment in (await world.sa.get(f"/cards/{key}/comments")).ok()["items"]]
        assert said[-1] == "Here again."
        assert await column_of(world, board, key) == "Review"
        held = [row["action"] for row in await world.history(key) if row["action"] in ("claimed", "released")]
        assert held == ["claimed"]  # nobody else had it in between


async def test_two_agents_empty_one_column_and_never_do_the_same_card(world: World) -> None:
    board = await world.board()
    for number in range(12):
        await world.card(board, title=f"Card {number}")
    agents = [await world.agent(name) for name in ("left", "right")]
    done: list[str] = []

    async def work(agent: Client) -> None:
        async with talking(agent) as talk:
            while "card" in (context := await talk.ok("claim_next", project="BOA", column="Todo")):
                done.append(context["card"]["key"])
                await to_review(talk, context)
                await talk.ok("release", card=context["card"]["key"])

    await asyncio.gather(*(work(agent) for agent in agents))
    assert sorted(done, key=lambda key: int(key[4:])) == [f"BOA-{number}" for number in range(1, 13)]
    movers = {row["actor"]["id"] for key in done for row in await world.history(key) if row["action"] == "moved"}
    assert movers == {"left", "right"}


async def test_required_fields_are_filled_from_the_error_alone(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    size = await world.field(board, "size", "select", options=["small", "large"])
    needed = [size, board.field("acceptance_criteria")]
    await world.column(board, "Review", requiredFieldIds=needed)
    await world.card(board, "In Progress")
    async with talking(agent) as talk:
        key = (await talk.ok("claim_next"))["card"]["key"]
        error = await talk.error("move_card", "required_fields_missing", card=key, to="Review")
        names = [field if isinstance(field, str) else field["name"] for field in error["details"]["fields"]]
        assert sorted(names) == ["acceptance_criteria", "size"]
        guess = dict.fromkeys(names, "Fast enough")
        error = await talk.error("update_card", "validation_failed", card=key, fields=guess)
        (problem,) = error["details"]["fields"]
        assert problem["path"] == "fields.size"
        option = problem["message"].rpartition(": ")[2].split(", ")[0]
        await talk.ok("update_card", card=key, fields=guess | {"size": option})
        await talk.ok("move_card", card=key, to="Review")
    assert await column_of(world, board, key) == "Review"


async def test_a_blocked_card_is_passed_over_and_found_when_its_blocker_is_done(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    late, early = await world.card(board, title="Late", priority="urgent"), await world.card(board, title="Early")
    async with talking(agent) as talk:
        await talk.ok("relate", card=late["key"], kind="dependsOn", other=early["key"])
        context = await talk.ok("claim_next")
        assert context["card"]["key"] == early["key"]
        await to_review(talk, context)
        await talk.ok("request_move", card=early["key"], to="Done")
        assert "card" not in await talk.ok("claim_next")
        await approve(world)
        assert (await talk.ok("claim_next"))["card"]["key"] == late["key"]


async def test_a_freeze_in_the_middle_says_why_and_the_agent_goes_on_after_it_with_its_claim(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.card(board)
    async with talking(agent) as talk:
        key = (await talk.ok("claim_next"))["card"]["key"]
        (await world.sa.post(world.sa.org("/freeze"), {"reason": "Release day"})).ok()
        error = await talk.error("move_card", "frozen", card=key, to="In Progress")
        assert "Release day" in error["message"]
        assert (await talk.ok("get_card", card=key))["card"]["claim"]["agentId"] == "bot"
        (await world.sa.delete(world.sa.org("/freeze"))).ok()
        await talk.ok("move_card", card=key, to="In Progress")


async def test_a_runaway_is_stopped_and_told_so_and_works_again_once_a_person_resumed_it(world: World) -> None:
    assert world.service is not None
    world.service.settings = world.service.settings.model_copy(update={"guard_comments_per_hour": 5})
    card = await world.card(await world.board())
    async with talking(await world.agent()) as talk:
        for number in range(5):
            await talk.ok("comment", card=card["key"], content=f"Again {number}")
        await talk.refused("comment", "circuit_open", card=card["key"], content="And again")
        me = await talk.ok("whoami")
        assert me["agent"]["status"] == "stopped"
        assert "resume" in me["note"]
        await talk.refused("comment", "agent_stopped", card=card["key"], content="Still")
        (await world.sa.patch("/agents/bot/resume")).ok()
        assert (await talk.ok("whoami"))["agent"]["status"] == "approved"


async def test_a_rejected_card_that_was_sent_back_is_mended_and_approved(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.card(board)
    async with talking(agent) as talk:
        context = await talk.ok("claim_next")
        key = context["card"]["key"]
        await to_review(talk, context)
        await talk.ok("request_move", card=key, to="Done", note="Done")
        await talk.ok("release", card=key)
        await approve(world, "reject", note="It lacks a test.", toColumnId=board.columns["In Progress"])
        context = await talk.ok("claim_next")
        assert (context["card"]["key"], context["column"]["title"]) == (key, "In Progress")
        request = context["request"]
        assert (request["state"], request["decisionNote"]) == ("rejected", "It lacks a test.")
        assert request["decidedBy"] == {"type": "User", "name": "Ada Architect"}
        await talk.ok("comment", card=key, content="It has one now.")
        await talk.ok("move_card", card=key, to="Review")
        await talk.ok("request_move", card=key, to="Done", note="With a test")
        await approve(world)
    assert await column_of(world, board, key) == "Done"


async def test_an_earlier_decision_is_found_by_search(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    earlier = await world.card(board, "Review", title="Choose a queue")
    async with talking(agent) as talk:
        await talk.ok("request_move", card=earlier["key"], to="Done", note="Polling")
        await approve(world, note="Fine, but no Kafka before next year.")
        found = await talk.ok("search", q="kafka")
        assert [item["cardKey"] for item in found["items"]] == [earlier["key"]]
        assert "no Kafka before" in json.dumps(found["items"][0]["snippets"])


async def test_three_hours_with_1600_events_are_caught_up_on_in_one_call_of_1500_tokens(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    mine = [await world.card(board, title=f"Mine {number}", assignedAgentId="bot") for number in range(12)]
    others = [await world.card(board, title=f"Other {number}") for number in range(4)]
    async with talking(agent) as talk:
        while (await talk.ok("inbox"))["hasMore"]:
            pass

        async def say(card: Any, number: int) -> None:
            (await world.sa.post(f"/cards/{card['id']}/comments", {"content": f"Remark {number}"})).ok()

        for number in range(100):
            await asyncio.gather(*(say(card, number) for card in [*mine, *others]))
        talk.calls = talk.read = 0
        shown = await talk.ok("inbox")
        assert sorted(item["cardKey"] for item in shown["items"]) == sorted(card["key"] for card in mine)
        assert {item["what"]["commented"] for item in shown["items"]} == {100}
        assert (talk.calls, shown["hasMore"]) == (1, False)
        assert talk.read <= 1500 * TOKEN
        assert (await talk.ok("inbox"))["items"] == []


async def test_the_decision_and_the_answer_are_in_the_inbox(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, "Review")
    async with talking(agent) as talk:
        await talk.ok("request_move", card=card["key"], to="Done", note="Look")
        asked = await talk.ok("ask", card=card["key"], content="Which?")
        (await world.sa.post(f"/cards/{card['id']}/comments/{asked['comment']}/replies", {"content": "That."})).ok()
        await approve(world, "reject", note="Not yet")
        (item,) = (await talk.ok("inbox"))["items"]
        ada = {"type": "User", "name": "Ada Architect"}
        assert item["cardKey"] == card["key"]
        step = item["decision"]["next"]
        assert item["decision"] == {"state": "rejected", "note": "Not yet", "decidedBy": ada, "next": step}
        assert "You cannot change the card in Review: ask a person with ask" in step
        step = "You cannot change the card in Review: comment there, or take another one with claim_next."
        assert item["answer"] == {"content": "That.", "answeredBy": ada, "next": step}
        assert "col_" not in json.dumps(item)
