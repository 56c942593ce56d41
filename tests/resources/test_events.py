"""GET /organizations/{orgId}/events: what happens, as it happens."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from service.database.store import Store
from service.resources import events

from ..builders import permit
from ..streams import Listener, all_changes, listening, position, types
from ..world import PASSWORD, World


async def test_a_listener_hears_of_a_change_as_it_happens(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 3600.0)  # with which it would hear of it too
    board = await world.board()
    async with listening(world.sa) as listener:
        card = await world.card(board, by=world.member)
        event = await listener.event()
    assert event == {
        "id": event["id"],
        "type": "card.created",
        "cardId": card["id"],
        "cardKey": "BOA-1",
        "projectId": board.id,
        "columnId": board.columns["Todo"],
        "actor": {"type": "User", "id": world.member.id, "label": "Mo Member"},
        "at": card["createdAt"],
    }


async def test_a_refused_change_leaves_no_event(world: World) -> None:
    card = await world.card(await world.board())
    before = await position(world.sa)
    (await world.sa.patch(f"/cards/{card['id']}", {"assignedAgentId": "nobody"})).refused(400, "validation_failed")
    assert await types(world.sa, before) == []
    (await world.sa.patch(f"/cards/{card['id']}", {"title": "New"})).ok()
    assert await types(world.sa, before) == ["card.updated"]


async def test_agents_hear_of_what_people_do_and_people_of_what_agents_do(world: World) -> None:
    card = await world.card(await world.board())
    bot = await world.agent()
    async with listening(bot) as agents, listening(world.member) as peoples:
        comment = {"content": "Done?"}
        (await world.sa.post(f"/cards/{card['id']}/comments", comment)).ok()
        (await bot.post(f"/cards/{card['id']}/comments/mcp", comment)).ok()
        heard = await agents.events(2)
        assert heard == await peoples.events(2)
    assert [event["type"] for event in heard] == ["comment.created"] * 2
    assert [event["actor"]["label"] for event in heard] == ["Ada Architect", None]
    assert heard[1]["actor"] == {"type": "Agent", "id": "bot", "label": None}


async def test_an_event_that_is_about_no_card_and_no_project_names_none(world: World) -> None:
    async with listening(world.sa) as listener:
        (await world.sa.patch(world.sa.org(), {"title": "Renamed"})).ok()
        assert set(await listener.event()) == {"id", "type", "actor", "at"}


async def get_last_event(client: Any, before: str, type: str) -> dict[str, Any]:
    """Return what the last event of a type since then is about."""
    event = [item for item in await all_changes(client, before) if item["type"] == type][-1]
    return {key: value for key, value in event.items() if key not in ("id", "type", "actor", "at", "projectId")}


async def test_events_of_cards_name_columns_comments_and_the_agent_that_holds_them(world: World) -> None:
    board, bot = await world.board(), await world.agent()
    todo, doing = board.columns["Todo"], board.columns["In Progress"]
    card = (await world.card(board))["id"]
    before, named = await position(world.sa), {"cardId": card, "cardKey": "BOA-1"}
    (await bot.post(f"/cards/{card}/claim/mcp")).ok()
    assert await get_last_event(world.sa, before, "card.claimed") == {**named, "agentId": "bot"}
    (await bot.delete(f"/cards/{card}/claim/mcp")).ok()
    assert await get_last_event(world.sa, before, "card.released") == {**named, "agentId": "bot"}
    (await world.sa.patch(f"/cards/{card}/status", {"toColumnId": doing})).ok()
    moved = {**named, "fromColumnId": todo, "toColumnId": doing}
    assert await get_last_event(world.sa, before, "card.moved") == moved
    comment = (await world.sa.post(f"/cards/{card}/comments", {"content": "So"})).ok()["id"]
    assert await get_last_event(world.sa, before, "comment.created") == {**named, "commentId": comment}
    reply = (await world.sa.post(f"/cards/{card}/comments/{comment}/replies", {"content": "Yes"})).ok()["id"]
    assert await get_last_event(world.sa, before, "comment.replied") == {**named, "commentId": reply}
    other = (await world.card(board))["id"]
    body = {"fromCardId": card, "toCardId": other, "kind": "blocks"}
    relation = (await world.sa.post(world.sa.org("/relationships"), body)).ok()["id"]
    ends = {"cardId": other, "fromCardId": card, "toCardId": other}
    ends |= {"cardKey": "BOA-2", "fromCardKey": "BOA-1", "toCardKey": "BOA-2"}
    assert await get_last_event(world.sa, before, "relationship.created") == ends
    (await world.sa.delete(world.sa.org(f"/relationships/{relation}"))).ok()
    assert await get_last_event(world.sa, before, "relationship.deleted") == ends
    (await world.sa.delete(f"/cards/{card}")).ok()
    assert await get_last_event(world.sa, before, "card.archived") == {**named, "columnId": doing}


async def test_events_of_requests_name_them_with_who_asked_for_which_way(world: World) -> None:
    board, bot = await world.board(), await world.agent()
    await world.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    card, before = (await world.card(board, "Review"))["id"], await position(world.sa)
    way = {"fromColumnId": board.columns["Review"], "toColumnId": board.columns["Done"]}
    asked = {"toColumnId": way["toColumnId"]}
    request = (await bot.post(f"/cards/{card}/move-requests/mcp", asked)).ok()["id"]
    named = {"cardId": card, "cardKey": "BOA-1", "requestId": request, "agentId": "bot", **way}
    assert await get_last_event(world.sa, before, "moveRequest.created") == named
    (await world.sa.post(f"/move-requests/{request}/reject")).ok()
    assert await get_last_event(world.sa, before, "moveRequest.rejected") == named


async def test_events_of_agents_members_and_columns_name_them(world: World) -> None:
    board, before = await world.board(), await position(world.sa)
    await world.agent("bot")
    assert await get_last_event(world.sa, before, "agent.registered") == {"agentId": "bot"}
    assert await get_last_event(world.sa, before, "agent.approved") == {"agentId": "bot"}
    (await world.sa.patch("/agents/bot/stop")).ok()
    assert await get_last_event(world.sa, before, "agent.stopped") == {"agentId": "bot"}
    (await world.sa.delete("/agents/bot")).ok()
    assert await get_last_event(world.sa, before, "agent.removed") == {"agentId": "bot"}
    (await world.sa.patch(world.sa.org(f"/members/{world.member.id}"), {"role": "SolutionArchitect"})).ok()
    assert await get_last_event(world.sa, before, "member.updated") == {"userId": world.member.id}
    (await world.sa.delete(world.sa.org(f"/members/{world.member.id}"))).ok()
    assert await get_last_event(world.sa, before, "member.removed") == {"userId": world.member.id}
    await world.column(board, "Todo", wipLimit=3)
    assert await get_last_event(world.sa, before, "column.updated") == {"columnId": board.columns["Todo"]}


async def test_an_answer_says_that_nobody_may_keep_or_hold_back_the_stream(world: World) -> None:
    async with listening(world.sa) as listener:
        headers = listener.response.headers
    assert headers["Content-Type"] == "text/event-stream"
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Accel-Buffering"] == "no"
    assert headers["X-Request-Id"]
    head = await world.sa.call("HEAD", world.sa.org("/events"))
    assert (head.status, head.body) == (200, None)


@pytest.mark.parametrize("way", ["last_id", "since"])
async def test_a_listener_goes_on_where_it_left_off(world: World, way: str) -> None:
    board = await world.board()
    async with listening(world.sa) as listener:
        for _ in range(3):
            await world.card(board)
        first, *missed = await listener.events(3)
    for _ in range(120):  # more than is read at a time
        await world.card(board)
    async with listening(world.sa, **{way: first["id"]}) as again:
        heard = await again.events(122)
        await world.card(board)
        heard.append(await again.event())
    assert heard[:2] == missed
    assert len({event["cardId"] for event in heard}) == 123
    assert [int(event["id"]) for event in heard] == sorted(int(event["id"]) for event in heard)


async def test_a_listener_begins_at_a_moment_or_an_age(world: World) -> None:
    board = await world.board()
    first = (await world.card(board))["createdAt"]
    for since, told in (("1m", True), (first, True), ("0s", False), ("2999-01-01T00:00:00Z", False)):
        async with listening(world.sa, since=since) as listener:
            later = await world.card(board)
            events = [await listener.event()]
            while events[-1].get("cardId") != later["id"]:
                events.append(await listener.event())
            assert ("card.created" in [event["type"] for event in events[:-1]]) is told, since


async def test_the_header_of_a_reconnection_wins_over_the_address(world: World) -> None:
    start = await position(world.sa)
    await world.board()
    async with listening(world.sa, last_id=await position(world.sa), since=start) as listener:
        await world.board(title="Second")
        assert (await listener.event())["type"] == "project.created"


@pytest.mark.parametrize(
    "start",
    [{"last_id": text} for text in ("-1", "x", "1.5", "1d", "9" * 30, "evt_1")]
    + [{"since": text} for text in ("999999999", "9" * 30)],
)
async def test_an_unknown_id_resets_the_listener_who_then_hears_what_is_new(
    world: World, start: dict[str, str]
) -> None:
    await world.board()
    current = await position(world.sa)
    async with listening(world.sa, first="reset", **start) as listener:
        assert listener.opening.id == current
        (await world.sa.patch(world.sa.org(), {"title": "Renamed"})).ok()
        assert (await listener.event())["type"] == "organization.updated"


@pytest.mark.parametrize("since", ["-1", "x", "1.5", "\uff19", "1 OR 1", "evt_1", "3 hours"])
async def test_an_invalid_since_is_refused(world: World, since: str) -> None:
    answer = await world.sa.get(world.sa.org("/events"), params={"since": since})
    assert answer.invalid() == ["since"]
    assert "an age like 15m" in answer.body["error"]["message"]


async def test_nobody_hears_of_another_organization(world: World) -> None:
    start = await position(world.outsider)
    async with listening(world.outsider, since=start) as listener:
        await world.board()
        (await world.outsider.patch(world.outsider.org(), {"title": "Mine"})).ok()
        event = await listener.event()
    assert (event["type"], event["actor"]["id"]) == ("organization.updated", world.outsider.id)
    assert await types(world.outsider, start) == ["organization.updated"]


async def test_fifty_writers_at_once_are_each_heard_once_and_in_order(world: World) -> None:
    cards = [await world.card(board) for board in [await world.board()] for _ in range(50)]

    async def write(card_id: str) -> None:
        for number in range(6):
            (await world.sa.patch(f"/cards/{card_id}", {"title": f"Title {number}"})).ok()

    async with listening(world.sa) as listener:
        writers = asyncio.gather(*[write(card["id"]) for card in cards])
        heard = await listener.events(300)
        await writers
    numbers = [int(event["id"]) for event in heard]
    assert numbers == list(range(numbers[0], numbers[0] + 300))
    assert Counter(event["cardId"] for event in heard) == {card["id"]: 6 for card in cards}


async def test_a_new_stream_beside_writers_misses_and_repeats_nothing(world: World) -> None:
    card = await world.card(await world.board())
    start = await position(world.sa)

    async def write() -> None:
        for number in range(200):
            (await world.sa.post(f"/cards/{card['id']}/comments", {"content": f"{number}"})).ok()

    async def join() -> list[int]:
        async with listening(world.sa, last_id=start) as listener:
            return [int(event["id"]) for event in await listener.events(200)]

    writing = asyncio.create_task(write())
    joined = [asyncio.create_task(join()) for _ in range(10)]
    await writing
    for heard in await asyncio.gather(*joined):
        assert heard == list(range(int(start) + 1, int(start) + 201))


async def test_a_quiet_stream_gives_a_sign_of_life(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.05)
    async with listening(world.sa) as listener:
        for _ in range(2):
            message = await listener.message()
            assert message is not None
            assert message.name == "comment"


async def leave(world: World) -> None:
    (await world.sa.delete(world.sa.org(f"/members/{world.member.id}"))).ok()


async def lose_the_right(world: World) -> None:
    await permit(world, "Member", "Card", "create")


async def change_the_password(world: World) -> None:
    (await world.member.post("/settings/password", {"currentPassword": PASSWORD, "newPassword": "long enough"})).ok()


async def archive(world: World) -> None:
    (await world.sa.delete(world.sa.org())).ok()


async def remove_for_good(world: World) -> None:
    (await world.sa.delete(world.sa.org("?mode=permanent"))).ok()


@pytest.mark.parametrize("deed", [leave, lose_the_right, change_the_password, archive, remove_for_good])
async def test_a_stream_ends_with_the_right_to_it(
    world: World, deed: Callable[[World], Awaitable[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.3)
    board = await world.board()
    async with listening(world.member) as listener:
        await world.card(board)
        assert (await listener.event())["type"] == "card.created"
        await deed(world)
        assert await end(listener) == []


@pytest.mark.parametrize("deed", ["stop", "disable", "remove", "rotate"])
async def test_a_stream_of_an_agent_ends_with_its_key_or_its_stop(
    world: World, deed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.3)
    bot = await world.agent()
    (key,) = (await world.sa.get("/settings/api-keys")).ok()
    path = f"/settings/api-keys/{key['id']}"
    async with listening(bot) as listener:
        if deed == "stop":
            (await world.sa.patch("/agents/bot/stop")).ok()
        elif deed == "disable":
            (await world.sa.patch(path, {"enabled": False})).ok()
        elif deed == "remove":
            (await world.sa.delete(path)).ok()
        else:
            (await world.sa.post(path + "/rotate")).ok()
        assert await end(listener) == []


async def test_events_read_while_the_credential_ends_are_not_sent(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = await world.agent()
    (key,) = (await world.sa.get("/settings/api-keys")).ok()
    read = Store.read

    async def late(store: Store, work: Any, *about: Any) -> Any:
        await asyncio.sleep(0.5)  # as if the thread had other things to read first
        return await read(store, work, *about)

    monkeypatch.setattr(Store, "read", late)
    async with listening(bot) as listener:
        (await world.sa.patch(f"/settings/api-keys/{key['id']}", {"enabled": False})).ok()
        assert await end(listener) == []


async def end(listener: Listener) -> list[str]:
    """Wait for the end of a stream and name what was heard until then, signs of life aside."""
    heard = []
    async with asyncio.timeout(20):
        while message := await listener.message():
            if message.name != "comment":
                heard.append(message.data["type"])
    return heard
