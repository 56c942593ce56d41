"""Questions: an agent asks a person by a comment, and the first reply of a person answers it."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from .. import refusals
from ..snapshots import send, snapshot_of
from ..streams import changes, position
from ..world import Answer, Board, Client, World
from .test_claims import take, take_next

OPTIONS = ["Blue", "Green"]


async def ask(agent: Client, card: Any, content: str = "Which colour?", **more: Any) -> Answer:
    return await agent.post(f"/cards/{card['id']}/comments/mcp", {"content": content, "asks": True, **more})


async def answer(who: Client, card: Any, comment: Any, content: str = "Blue") -> Answer:
    suffix = "/mcp" if "ApiKey" in who.headers["Authorization"] else ""
    return await who.post(f"/cards/{card['id']}/comments/{comment['id']}/replies{suffix}", {"content": content})


async def withdraw(agent: Client, card: Any, comment: Any) -> Answer:
    return await agent.delete(f"/cards/{card['id']}/comments/{comment['id']}/question/mcp")


async def pass_on(agent: Client, card: Any, comment: Any, content: str = "Blue") -> Answer:
    return await agent.post(f"/cards/{card['id']}/comments/{comment['id']}/question/answer/mcp", {"content": content})


async def list_questions(who: Client, **query: Any) -> list[Any]:
    suffix = "/mcp" if "ApiKey" in who.headers["Authorization"] else ""
    page = (await who.get(who.org(f"/questions{suffix}"), params=query)).ok()
    assert set(page) == {"items", "page", "pageSize", "total"}
    assert page["total"] == len(page["items"])
    items: list[Any] = page["items"]
    return items


async def asks(who: Client, card: Any) -> Any:
    """Return what became of the first comment of a card as a question."""
    suffix = "/mcp" if "ApiKey" in who.headers["Authorization"] else ""
    return (await who.get(f"/cards/{card['id']}/comments{suffix}")).ok()["items"][0]["asks"]


async def scene(world: World) -> tuple[Board, Any, Client]:
    board, agent = await world.board(), await world.agent()
    return board, await world.card(board, title="Paint it"), agent


async def test_a_question_is_asked_listed_and_answered_by_the_first_reply_of_a_person(world: World) -> None:
    _, card, agent = await scene(world)
    comment = (await ask(agent, card, options=OPTIONS)).ok()
    open_one = {"state": "open", "options": OPTIONS, "answeredBy": None, "answeredAt": None}
    assert comment["asks"] == open_one == await asks(world.member, card)
    row = {
        "commentId": comment["id"],
        "cardId": card["id"],
        "cardKey": card["key"],
        "title": "Paint it",
        "agentId": "bot",
        "content": "Which colour?",
        "state": "open",
        "options": OPTIONS,
        "createdAt": comment["createdAt"],
        "answeredBy": None,
        "answeredAt": None,
        "answer": None,
    }
    for who in (world.sa, world.member, agent):
        assert await list_questions(who, state="open") == [row] == await list_questions(who)
    assert (await agent.get("/agent/mcp")).ok()["openQuestions"] == [row]
    (await answer(agent, card, comment, "Anybody?")).ok()
    assert await asks(agent, card) == open_one
    reply = (await answer(world.member, card, comment, "Green, please")).ok()
    (await answer(world.sa, card, comment, "Blue")).ok()
    by = {"type": "User", "id": world.member.id, "label": "Mo Member"}
    done = {"state": "answered", "options": OPTIONS, "answeredBy": by, "answeredAt": reply["createdAt"]}
    assert await asks(agent, card) == done
    answered = row | done | {"answer": "Green, please"}
    assert await list_questions(world.sa, state="answered") == [answered]
    step = "Take the card with claim and go on with this answer."
    assert await list_questions(agent, state="answered") == [answered | {"next": step}]
    assert await list_questions(world.sa, state="open") == []
    assert (await agent.get("/agent/mcp")).ok()["openQuestions"] == []


async def test_other_comments_and_replies_ask_nothing(world: World) -> None:
    _, card, agent = await scene(world)
    comment = (await agent.post(f"/cards/{card['id']}/comments/mcp", {"content": "Look"})).ok()
    assert comment["asks"] is None
    assert (await answer(world.sa, card, comment)).ok()["asks"] is None
    (shown,) = (await world.sa.get(f"/cards/{card['id']}/comments")).ok()["items"]
    assert (shown["asks"], shown["replies"][0]["asks"]) == (None, None)
    assert await list_questions(world.sa) == []


async def test_what_happens_to_a_question_is_told(world: World) -> None:
    _, card, agent = await scene(world)
    start = await position(world.sa)
    comment = (await ask(agent, card)).ok()
    (await answer(world.sa, card, comment)).ok()
    again = (await ask(agent, card)).ok()
    (await withdraw(agent, card, again)).ok()
    told = [event for event in (await changes(world.sa, since=start))["items"] if event["type"].startswith("question.")]
    assert [(event["type"], event["commentId"], event["agentId"], event["cardKey"]) for event in told] == [
        ("question.asked", comment["id"], "bot", card["key"]),
        ("question.answered", comment["id"], "bot", card["key"]),
        ("question.asked", again["id"], "bot", card["key"]),
        ("question.withdrawn", again["id"], "bot", card["key"]),
    ]


async def test_asking_ends_the_claim_unless_it_is_to_be_kept(world: World) -> None:
    board, card, agent = await scene(world)
    kept, other = await world.card(board), await world.agent("other")
    for one in (card, kept):
        (await take(agent, one)).ok()
    (await ask(agent, card)).ok()
    (await ask(agent, kept, keepClaim=True)).ok()
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["claim"] is None
    assert (await world.history(card["id"]))[-1]["changes"]["claim"] == {"from": "bot", "to": None}
    (await ask(other, kept)).ok()  # which takes nothing from the holder
    assert (await world.sa.get(f"/cards/{kept['id']}")).ok()["claim"]["agentId"] == "bot"


async def test_an_agent_has_one_open_question_a_card(world: World) -> None:
    board, card, agent = await scene(world)
    comment = (await ask(agent, card)).ok()
    assert (await ask(agent, card)).refused(409, "question_exists")["commentId"] == comment["id"]
    (await ask(await world.agent("other"), card)).ok()
    (await ask(agent, await world.card(board))).ok()
    (await answer(world.sa, card, comment)).ok()
    (await ask(agent, card)).ok()


async def test_of_20_questions_at_once_one_is_asked_and_of_20_answers_one_counts(world: World) -> None:
    _, card, agent = await scene(world)
    answers = await asyncio.gather(*[ask(agent, card) for _ in range(20)])
    assert Counter(one.status for one in answers) == {200: 1, 409: 19}
    (comment,) = [one.body for one in answers if one.status == 200]
    start = await position(world.sa)
    await asyncio.gather(*[answer(world.sa, card, comment, str(number)) for number in range(20)])
    told = [event["type"] for event in (await changes(world.sa, since=start))["items"]]
    assert Counter(told)["question.answered"] == 1
    (shown,) = (await world.sa.get(f"/cards/{card['id']}/comments")).ok()["items"]
    (row,) = await list_questions(world.sa)
    assert row["answer"] == shown["replies"][0]["content"]


async def test_only_the_asker_withdraws_and_only_what_is_open(world: World) -> None:
    _, card, agent = await scene(world)
    comment, other = (await ask(agent, card)).ok(), await world.agent("other")
    path = f"/cards/{card['id']}/comments/{comment['id']}/question/mcp"
    await refusals.agents_only(world, "DELETE", path)
    (await other.delete(path)).refused(403, "permission_denied")
    (await (await world.script(world.outsider)).delete(path)).refused(404, "not_found")
    answer_to_withdrawal = await agent.delete(path)
    assert (answer_to_withdrawal.status, answer_to_withdrawal.body) == (204, None)
    assert (await asks(world.sa, card))["state"] == "withdrawn"
    assert (await agent.delete(path)).refused(409, "conflict")["state"] == "withdrawn"
    (await answer(world.sa, card, comment)).ok()
    assert (await asks(world.sa, card))["state"] == "withdrawn"
    plain = (await agent.post(f"/cards/{card['id']}/comments/mcp", {"content": "Look"})).ok()
    (await withdraw(agent, card, plain)).refused(404, "not_found")


async def test_asking_needs_pickup_only_and_no_claim(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, "Review")
    comment = (await ask(agent, card)).ok()
    await world.column(board, "Review", agentPickupEnabled=False)
    (await ask(agent, card)).refused(403, "agent_pickup_disabled")
    (await withdraw(agent, card, comment)).ok()  # for which nothing is asked
    (await world.sa.post(world.sa.org("/freeze"), {"reason": "Audit"})).ok()
    (await ask(agent, card)).refused(423, "frozen")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"options": OPTIONS}, "options"),
        ({"keepClaim": True}, "keepClaim"),
        ({"asks": "true"}, "asks"),
        ({"asks": True, "options": ["One"]}, "options"),
        ({"asks": True, "options": ["x"] * 11}, "options"),
        ({"asks": True, "options": ["x", "y" * 201]}, "options.1"),
        ({"asks": True, "options": ["x", " "]}, "options.1"),
        ({"asks": True, "keepClaim": 1}, "keepClaim"),
        ({"asks": True, "answer": "x"}, "answer"),
    ],
)
async def test_a_wrong_question_is_refused(world: World, body: dict[str, Any], path: str) -> None:
    _, card, agent = await scene(world)
    assert (await agent.post(f"/cards/{card['id']}/comments/mcp", {"content": "What?", **body})).invalid() == [path]
    assert (await world.sa.get(f"/cards/{card['id']}/comments")).ok()["items"] == []


async def test_people_do_not_ask_agents_this_way(world: World) -> None:
    _, card, _ = await scene(world)
    (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "What?", "asks": True})).invalid()


async def test_where_no_comments_are_taken_nothing_is_asked(world: World) -> None:
    board, card, agent = await scene(world)
    (await world.sa.patch(world.sa.org(f"/card-types/{board.card_type['id']}"), {"commentsEnabled": False})).ok()
    (await ask(agent, card)).refused(400, "comments_disabled")


async def test_of_a_card_that_is_archived_or_done_no_question_counts_as_open(world: World) -> None:
    board, card, agent = await scene(world)
    done = await world.card(board, "Review")
    for one in (card, done):
        (await ask(agent, one)).ok()
    (await world.sa.patch(f"/cards/{done['id']}/status", {"toColumnId": board.columns["Done"]})).ok()
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    assert await list_questions(world.sa, state="open") == []
    assert (await agent.get("/agent/mcp")).ok()["openQuestions"] == []
    assert "question" not in {item["kind"] for item in (await world.sa.get(world.sa.org("/attention"))).ok()}
    (await ask(agent, card)).refused(409, "archived_parent")
    (await world.sa.post(f"/cards/{card['id']}/restore")).ok()
    assert [row["cardId"] for row in await list_questions(world.sa, state="open")] == [card["id"]]


async def test_removing_an_agent_withdraws_its_questions(world: World) -> None:
    _, card, agent = await scene(world)
    comment = (await ask(agent, card)).ok()
    start = await position(world.sa)
    (await world.sa.delete("/agents/bot")).ok()
    assert (await asks(world.sa, card))["state"] == "withdrawn"
    told = [event for event in (await changes(world.sa, since=start))["items"] if event["type"] == "question.withdrawn"]
    assert [event["commentId"] for event in told] == [comment["id"]]


async def test_questions_are_listed_for_who_may_read_cards_of_the_organization(world: World) -> None:
    _, card, agent = await scene(world)
    (await ask(agent, card)).ok()
    path = world.sa.org("/questions")
    await refusals.people_only(world, "GET", path)
    await refusals.expect_hidden(world, "GET", path)
    (await (await world.script(world.outsider)).get(path + "/mcp")).refused(403, "cross_organization")
    assert (await world.sa.get(path, params={"state": "closed"})).invalid() == ["state"]


async def test_a_question_waits_for_a_person_with_all_that_is_needed_to_answer_it(world: World) -> None:
    board, card, agent = await scene(world)
    comment = (await ask(agent, card, options=OPTIONS)).ok()
    attention = (await world.sa.get(world.sa.org("/attention"), params={"limit": "5"})).ok()
    assert attention["counts"]["question"] == 1
    (item,) = attention["items"]
    assert (item["kind"], item["since"], item["cardId"]) == ("question", comment["createdAt"], card["id"])
    assert (item["commentId"], item["content"], item["options"]) == (comment["id"], "Which colour?", OPTIONS)
    assert item["agent"] == {"id": "bot", "title": "bot"}
    query = {"params": {"projectId": board.id}}
    (shown,) = (await world.sa.get(world.sa.org("/board"), **query)).ok()["cards"]
    assert shown["question"] == {
        "commentId": comment["id"],
        "askedBy": {"type": "Agent", "id": "bot", "label": None},
        "content": "Which colour?",
        "options": OPTIONS,
        "createdAt": comment["createdAt"],
    }
    (await answer(world.sa, card, comment)).ok()
    assert (await world.sa.get(world.sa.org("/attention"))).ok() == []
    assert "question" not in (await world.sa.get(world.sa.org("/board"), **query)).ok()["cards"][0]


async def test_the_next_card_has_no_open_question_and_an_answered_one_comes_first_to_its_asker_once(
    world: World,
) -> None:
    board, card, agent = await scene(world)
    other = await world.agent("other")
    comment = (await ask(agent, card)).ok()
    for who in (agent, other):
        assert (await take_next(who)).status == 204
    urgent = await world.card(board, priority="urgent")
    (await answer(world.sa, card, comment)).ok()
    assert (await take_next(other)).ok()["id"] == urgent["id"]
    (await other.delete(f"/cards/{urgent['id']}/claim/mcp")).ok()
    assert (await take_next(agent)).ok()["id"] == card["id"]
    (await agent.delete(f"/cards/{card['id']}/claim/mcp")).ok()
    assert (await take_next(agent)).ok()["id"] == urgent["id"]


async def test_a_question_travels_with_its_comment(world: World) -> None:
    _, card, agent = await scene(world)
    comment = (await ask(agent, card, options=OPTIONS)).ok()
    (await answer(world.sa, card, comment)).ok()
    (await ask(agent, card, "And how?")).ok()
    before, snapshot = await list_questions(world.sa), await snapshot_of(world.sa)
    (await world.sa.delete(f"/cards/{card['id']}", params={"mode": "permanent"})).ok()
    assert await list_questions(world.sa) == []
    (await send(world.sa, snapshot)).ok()
    assert await list_questions(world.sa) == before
    (await send(world.sa, snapshot)).ok()
    assert await list_questions(world.sa) == before


async def test_an_agent_passes_on_what_the_person_at_its_client_said_and_is_named_as_its_author(world: World) -> None:
    _, card, agent = await scene(world)
    (await take(agent, card)).ok()
    comment = (await ask(agent, card, keepClaim=True)).ok()
    by = {"type": "Agent", "id": "bot", "label": "the person at the client of bot"}
    reply = (await pass_on(agent, card, comment, "Green")).ok()
    assert (reply["content"], reply["actor"], reply["asks"]) == ("Green", by, None)
    done = {"state": "answered", "options": None, "answeredBy": by, "answeredAt": reply["createdAt"]}
    assert await asks(world.sa, card) == done
    assert (await world.history(card["id"]))[-1]["actor"] == by
    (await pass_on(agent, card, comment)).refused(409, "conflict")
    assert (await asks(world.sa, card))["answeredBy"] == by
    # It goes on with the card, so that does not come first once more.
    (await agent.delete(f"/cards/{card['id']}/claim/mcp")).ok()
    urgent = await world.card(await world.board(title="Urgent"), priority="urgent")
    assert (await take_next(agent)).ok()["id"] == urgent["id"]


async def test_only_the_asker_passes_an_answer_on_and_only_where_it_may_talk(world: World) -> None:
    board, card, agent = await scene(world)
    comment, other = (await ask(agent, card)).ok(), await world.agent("other")
    plain = (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "Words"})).ok()
    path = f"/cards/{card['id']}/comments/{comment['id']}/question/answer/mcp"
    for content in ("", " ", "x" * 20_001, 7, None):
        assert (await agent.post(path, {"content": content})).invalid() == ["content"]
    (await pass_on(other, card, comment)).refused(403, "permission_denied")
    (await pass_on(agent, card, plain)).refused(404, "not_found")
    (await pass_on(world.sa, card, comment)).refused(401, "unauthorized")
    foreign = await world.card(await world.board(title="Other"), "Todo")
    (await pass_on(agent, foreign, comment)).refused(404, "not_found")
    await world.column(board, "Todo", agentPickupEnabled=False)
    (await pass_on(agent, card, comment)).refused(403, "agent_pickup_disabled")
    await world.column(board, "Todo", agentPickupEnabled=True)
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    (await pass_on(agent, card, comment)).refused(409, "archived_parent")
    assert (await asks(world.sa, card))["state"] == "open"


async def test_a_passed_on_answer_and_a_persons_reply_are_one_after_the_other(world: World) -> None:
    _, card, agent = await scene(world)
    comment = (await ask(agent, card)).ok()
    done = await asyncio.gather(
        *(pass_on(agent, card, comment, f"Way {n}") for n in range(5)), answer(world.sa, card, comment)
    )
    kinds = Counter(row.status for row in done)
    assert kinds[200] in (1, 2)
    assert kinds[200] + kinds[409] == 6
    replies = (await world.sa.get(f"/cards/{card['id']}/comments")).ok()["items"][0]["replies"]
    assert (await list_questions(agent))[0]["answer"] == replies[0]["content"]


async def test_an_answered_question_reserves_the_card_for_its_asker_for_a_quarter_of_an_hour(world: World) -> None:
    board, card, agent = await scene(world)
    other = await world.agent("other")
    later = await world.card(board, title="Later")
    comment = (await ask(agent, card)).ok()
    (await answer(world.sa, card, comment)).ok()
    world.clock.forward(14 * 60)
    assert (await take_next(other)).ok()["id"] == later["id"]
    assert (await take_next(other)).status == 204
    assert (await take_next(agent)).ok()["id"] == card["id"]
    (await agent.delete(f"/cards/{card['id']}/claim/mcp")).ok()
    assert (await take_next(other)).ok()["id"] == card["id"]  # its asker has had it


async def test_a_reservation_ends_after_a_quarter_of_an_hour_and_with_its_asker(world: World) -> None:
    board, card, agent = await scene(world)
    other, third = await world.agent("other"), await world.agent("third")
    (await answer(world.sa, card, (await ask(agent, card)).ok())).ok()
    assert (await take_next(other)).status == 204
    world.clock.forward(15 * 60)
    assert (await take_next(other)).ok()["id"] == card["id"]
    second = await world.card(board)
    (await answer(world.sa, second, (await ask(agent, second)).ok())).ok()
    assert (await take_next(third)).status == 204
    assert (await take(third, second)).ok()["claim"]["agentId"] == "third"  # a reservation denies no named card
    (await third.delete(f"/cards/{second['id']}/claim/mcp")).ok()
    (await world.sa.patch("/agents/bot/stop", {"reason": "Test"})).ok()
    assert (await take_next(third)).ok()["id"] == second["id"]
