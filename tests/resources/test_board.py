"""GET /organizations/{orgId}/board: all that a board shows, and what changed since, exactly in the service's order."""

import asyncio
import random
from typing import Any

import pytest

from service.resources import board as board_module

from ..builders import permit
from ..forms import upload
from ..world import Board, Client, World

FRAME = {"project", "columns", "cardTypes", "transitions", "people", "agents", "can", "timezone"}
BOTH = {"at", "now", "claims", "freeze", "cards"}


async def shown(caller: Client, board: Board, since: str | None = None, **options: Any) -> Any:
    params = {"projectId": board.id} | ({"since": since} if since is not None else {})
    return (await caller.get(caller.org("/board"), params=params, **options)).ok()


def order(cards: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the order of each column."""
    columns: dict[str, list[str]] = {}
    for card in cards:
        columns.setdefault(card["columnId"], []).append(card["id"])
    return columns


def applied(cards: list[dict[str, Any]], news: dict[str, Any]) -> list[dict[str, Any]]:
    """Do with a delta what whoever shows a board does: take all changed cards out, put back those that are there."""
    left = [card for card in cards if card["id"] not in news["changed"]]
    for card in news["cards"]:
        above = card["afterCardId"]
        place = next((at for at, other in enumerate(left) if other["id"] == above), -1) + 1
        assert place or above is None, "the card above is there by then"
        left.insert(place, {key: value for key, value in card.items() if key != "afterCardId"})
    return left


async def test_a_board_is_all_there_in_one_answer(world: World) -> None:
    board, bot = await world.board(), await world.agent()
    other = await world.board(title="Other")
    await world.card(other)
    plain = await world.card(board, "Done")
    card = await world.card(board, priority="high", assignedUserId=world.member.id, dueDate="2026-12-01T00:00:00Z")
    found = await shown(world.member, board)
    assert set(found) == FRAME | BOTH
    assert found["project"]["id"] == board.id
    assert [column["title"] for column in found["columns"]] == list(board.columns)
    assert found["columns"] == (await world.sa.get(world.sa.org(f"/columns?projectId={board.id}"))).ok()
    assert found["cardTypes"] == [board.card_type]
    assert {edge["id"] for edge in found["transitions"]} == set(board.transitions.values())
    assert found["people"] == [
        {"id": world.sa.id, "name": "Ada Architect", "handle": "ada-architect"},
        {"id": world.member.id, "name": "Mo Member", "handle": "mo-member"},
    ]
    (agent,) = found["agents"]
    assert (agent["id"], agent["status"], agent["stopReason"]) == (bot.id, "approved", None)
    assert found["can"]["Card"] == ["read", "create", "update", "transition", "comment"]
    assert found["freeze"] is None
    assert found["claims"] == []
    assert found["project"]["key"] == "BOA"
    assert found["cards"] == [
        {
            "id": card["id"],
            "key": card["key"],
            "number": 2,
            "columnId": board.columns["Todo"],
            "cardTypeId": board.card_type["id"],
            "title": "Card",
            "version": 1,
            "updatedAt": card["updatedAt"],
            "priority": "high",
            "dueDate": "2026-12-01T00:00:00.000Z",
            "assignedUserId": world.member.id,
            "unread": 1,
        },
        {
            "id": plain["id"],
            "key": plain["key"],
            "number": 1,
            "columnId": board.columns["Done"],
            "cardTypeId": board.card_type["id"],
            "title": "Card",
            "version": 1,
            "updatedAt": plain["updatedAt"],
            "unread": 1,
        },
    ]


async def test_a_card_shows_what_hangs_on_it(world: World) -> None:
    board, bot = await world.board(), await world.agent()
    await world.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    card, blocker = (await world.card(board, "Review"))["id"], (await world.card(board))["id"]
    comment = (await world.sa.post(f"/cards/{card}/comments", {"content": "One"})).ok()
    (await world.sa.post(f"/cards/{card}/comments/{comment['id']}/replies", {"content": "Two"})).ok()
    await upload(world, {"id": card}, board.field("attachments"))
    (await bot.post(f"/cards/{card}/claim/mcp")).ok()
    body = {"toColumnId": board.columns["Done"], "note": "Please"}
    request = (await bot.post(f"/cards/{card}/move-requests/mcp", body)).ok()
    relation = {"fromCardId": blocker, "toCardId": card, "kind": "blocks"}
    (await world.sa.post(world.sa.org("/relationships"), relation)).ok()
    found = await shown(world.sa, board)
    on_board = next(item for item in found["cards"] if item["id"] == card)
    assert (on_board["comments"], on_board["files"], on_board["blockedBy"]) == (2, 1, [blocker])
    assert on_board["request"] == {
        "id": request["id"],
        "toColumnId": board.columns["Done"],
        "requestedBy": {"type": "Agent", "id": "bot", "label": None},
        "note": "Please",
        "createdAt": request["createdAt"],
    }
    (claim,) = found["claims"]
    assert (claim["cardId"], claim["cardKey"], claim["agentId"]) == (card, on_board["key"], "bot")
    assert set(claim) == {"cardId", "cardKey", "agentId", "claimedAt", "renewedAt", "expiresAt"}


async def test_a_claim_that_ran_out_and_a_freeze_that_ended_are_gone_and_the_tag_is_another(world: World) -> None:
    board, bot = await world.board(), await world.agent()
    card = (await world.card(board))["id"]
    (await bot.post(f"/cards/{card}/claim/mcp", {"leaseSeconds": 60})).ok()
    freeze = (await world.sa.post(world.sa.org("/freeze"), {"reason": "Look"})).ok()
    path = world.sa.org(f"/board?projectId={board.id}")
    before = await world.sa.get(path)
    assert len(before.ok()["claims"]) == 1
    assert before.body["freeze"] == {key: value for key, value in freeze.items() if key != "frozen"}
    (await world.sa.delete(world.sa.org("/freeze"))).ok()
    assert world.clock is not None
    world.clock.forward(600)
    after = await world.sa.get(path, headers={"If-None-Match": before.headers["ETag"]})
    assert after.ok()["claims"] == []
    assert after.body["freeze"] is None
    assert after.body["now"] > before.body["now"]


async def test_the_tag_covers_all_but_the_time(world: World) -> None:
    board = await world.board()
    path = world.member.org(f"/board?projectId={board.id}")
    tag = (await world.member.get(path)).headers["ETag"]
    assert world.clock is not None
    world.clock.forward(1)
    assert (await world.member.get(path, headers={"If-None-Match": tag})).status == 304
    assert (await world.sa.get(path, headers={"If-None-Match": tag})).status == 200, "others may do other things"
    await permit(world, "Member", "Card", "read")
    changed = await world.member.get(path, headers={"If-None-Match": tag})
    assert changed.ok()["can"]["Card"] == ["read"]


async def test_who_may_not_read_cards_or_knows_no_such_board_sees_none(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    assert (await world.sa.get(world.sa.org("/board"))).invalid() == ["projectId"]
    (await world.outsider.get(world.sa.org(f"/board?projectId={board.id}"))).refused(404, "not_found")
    (await world.outsider.get(world.outsider.org(f"/board?projectId={board.id}"))).refused(404, "not_found")
    (await world.nobody.get(world.sa.org(f"/board?projectId={board.id}"))).refused(401, "unauthorized")
    (await agent.get(agent.org(f"/board?projectId={board.id}"))).refused(401, "unauthorized")
    await permit(world, "Member", "Card", "create")
    (await world.member.get(world.member.org(f"/board?projectId={board.id}"))).refused(403, "permission_denied")
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    (await world.sa.get(world.sa.org(f"/board?projectId={board.id}"))).refused(404, "not_found")


async def test_a_delta_has_what_happened_and_nothing_else(world: World) -> None:
    board, other = await world.board(), await world.board(title="Other")
    first, second, third = [(await world.card(board, title=title))["id"] for title in "abc"]
    whole = await shown(world.sa, board)
    nothing = await shown(world.member, board, whole["at"])
    assert set(nothing) == BOTH | {"changed", "nouns"}
    assert (nothing["changed"], nothing["cards"], nothing["nouns"]) == ([], [], [])
    (await world.sa.patch(f"/cards/{second}", {"title": "B"})).ok()
    await world.card(other)
    news = await shown(world.sa, board, whole["at"])
    assert news["changed"] == [second]
    assert news["nouns"] == ["card"]
    (card,) = news["cards"]
    assert (card["title"], card["version"], card["afterCardId"]) == ("B", 2, first)
    (await world.sa.patch(f"/cards/{first}/status", {"toColumnId": board.columns["Backlog"]})).refused(
        400, "transition_not_allowed"
    )
    (await world.sa.delete(f"/cards/{third}?mode=permanent")).ok()
    (await world.sa.delete(f"/cards/{first}")).ok()
    await world.column(board, "Todo", wipLimit=5)
    news = await shown(world.sa, board, news["at"])
    assert set(news["changed"]) == {first, third}
    assert news["cards"] == []
    assert set(news["nouns"]) == {"card", "column"}


@pytest.mark.parametrize("ends", ["done", "archived"])
async def test_a_delta_names_the_card_whose_blocker_is_done_or_gone_on_another_board_too(
    world: World, ends: str
) -> None:
    board, other = await world.board(), await world.board(title="Other")
    await world.edge(other, "Todo", "Done")
    blocked = (await world.card(board))["id"]
    for home in (board, other):
        blocker = (await world.card(home))["id"]
        if home is board and ends == "done":
            await world.edge(board, "Todo", "Done")
        relation = {"fromCardId": blocker, "toCardId": blocked, "kind": "blocks"}
        (await world.sa.post(world.sa.org("/relationships"), relation)).ok()
        before = await shown(world.sa, board)
        assert next(card for card in before["cards"] if card["id"] == blocked)["blockedBy"] == [blocker]
        if ends == "done":
            (await world.sa.patch(f"/cards/{blocker}/status", {"toColumnId": home.columns["Done"]})).ok()
        else:
            (await world.sa.delete(f"/cards/{blocker}")).ok()
        news = await shown(world.sa, board, before["at"])
        assert "blockedBy" not in next(card for card in news["cards"] if card["id"] == blocked)
        assert order(applied(before["cards"], news)) == order((await shown(world.sa, board))["cards"])


async def test_both_ends_of_a_relation_change_when_it_goes(world: World) -> None:
    board = await world.board()
    ends = [(await world.card(board))["id"] for _ in range(2)]
    body = {"fromCardId": ends[0], "toCardId": ends[1], "kind": "dependsOn"}
    relation = (await world.sa.post(world.sa.org("/relationships"), body)).ok()["id"]
    before = (await shown(world.sa, board))["at"]
    (await world.sa.delete(world.sa.org(f"/relationships/{relation}"))).ok()
    assert set((await shown(world.sa, board, before))["changed"]) == set(ends)


async def test_a_claim_that_is_renewed_shows_without_any_event(world: World) -> None:
    board, bot = await world.board(), await world.agent()
    card = (await world.card(board))["id"]
    (await bot.post(f"/cards/{card}/claim/mcp")).ok()
    before = await shown(world.sa, board)
    assert world.clock is not None
    world.clock.forward(30)
    (await bot.post(f"/cards/{card}/claim/renew/mcp")).ok()
    news = await shown(world.sa, board, before["at"])
    assert news["changed"] == []
    assert news["claims"][0]["expiresAt"] > before["claims"][0]["expiresAt"]


@pytest.mark.parametrize("since", ["999999999", "-1", "yesterday", "0"])
async def test_an_id_that_is_not_known_gives_the_whole_board(world: World, since: str) -> None:
    board = await world.board()
    found = await shown(world.sa, board, since)
    assert (set(found) == FRAME | BOTH) == (since != "0" or "project" in found)


async def test_too_much_to_tell_gives_the_whole_board(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    board = await world.board()
    at = (await shown(world.sa, board))["at"]
    for _ in range(3):
        await world.card(board)
    monkeypatch.setattr(board_module, "CARDS_CHANGED_MAX", 3)
    assert "changed" in await shown(world.sa, board, at)
    monkeypatch.setattr(board_module, "CARDS_CHANGED_MAX", 2)
    assert "columns" in await shown(world.sa, board, at)
    monkeypatch.setattr(board_module, "CARDS_CHANGED_MAX", 2000)
    monkeypatch.setattr(board_module, "EVENTS_SEARCHED_MAX", 2)
    assert "columns" in await shown(world.sa, board, at)


async def test_a_project_that_came_back_is_told_whole(world: World) -> None:
    board = await world.board()
    await world.card(board)
    at = (await shown(world.sa, board))["at"]
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    (await world.sa.post(f"/archive/project/{board.id}/restore")).ok()
    assert "columns" in await shown(world.sa, board, at)


async def test_deltas_give_the_order_of_the_service_whatever_many_writers_do(world: World) -> None:
    board, chance = await world.board(), random.Random(11)  # noqa: S311
    titles = ["Todo", "In Progress", "Review"]
    await world.edge(board, "Todo", "Review")
    await world.edge(board, "Review", "Todo")
    ids = [(await world.card(board, chance.choice(titles)))["id"] for _ in range(24)]
    mine = await shown(world.member, board)

    async def write(client: Client) -> None:
        for _ in range(25):
            card, above = chance.choice(ids), chance.choice([*ids, None])
            kind = chance.random()
            if kind < 0.4:
                await client.patch(f"/cards/{card}/rank", {"afterCardId": above})
            elif kind < 0.8:
                place = {"afterCardId": above} if chance.random() < 0.5 else {}
                to = board.columns[chance.choice(titles)]
                await client.patch(f"/cards/{card}/status", {"toColumnId": to, **place})
            else:
                await client.patch(f"/cards/{card}", {"title": f"{chance.random()}"})

    writers = [asyncio.create_task(write(client)) for client in (world.sa, world.member, world.sa)]
    cards, at, deltas = mine["cards"], mine["at"], 0
    while True:
        is_over = all(writer.done() for writer in writers)
        news = await shown(world.member, board, at)
        cards, at, deltas = applied(cards, news), news["at"], deltas + bool(news["changed"])
        if is_over:
            break
    await asyncio.gather(*writers)
    truth = await shown(world.member, board)
    assert order(cards) == order(truth["cards"])
    assert sorted(cards, key=lambda card: card["id"]) == sorted(truth["cards"], key=lambda card: card["id"])
    assert deltas > 5


async def test_a_card_counts_what_others_did_since_the_caller_has_seen_it(world: World) -> None:
    board = await world.board()
    one, other = await world.card(board, title="One"), await world.card(board, title="Other")

    async def unread(caller: Client, since: str | None = None) -> dict[str, int | None]:
        found = (await shown(caller, board, since))["cards"]
        return {card["title"]: card.get("unread") for card in found}

    async def see(caller: Client, **about: str) -> None:
        at = (await shown(caller, board))["at"]
        assert (await caller.call("PUT", caller.org("/seen"), {"eventId": at, **about})).status == 204

    assert await unread(world.sa) == {"One": None, "Other": None}  # one's own do not count
    assert await unread(world.member) == {"One": 1, "Other": 1}
    await see(world.member)
    assert await unread(world.member) == {"One": None, "Other": None}
    at = (await shown(world.member, board))["at"]
    for card in (one, one, other):
        (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "News"})).ok()
    (await world.sa.patch(f"/cards/{other['id']}/rank", {"afterCardId": None})).ok()  # which is no news
    where, params = world.member.org("/board"), {"projectId": board.id}
    tag = (await world.member.get(where, params=params)).headers["ETag"]
    assert await unread(world.member) == await unread(world.member, at) == {"One": 2, "Other": 1}
    await see(world.member, cardId=one["key"])
    assert await unread(world.member) == {"One": None, "Other": 1}
    assert (await world.member.get(where, params=params, headers={"If-None-Match": tag})).status == 200
    (await world.sa.post(f"/cards/{one['id']}/comments", {"content": "More"})).ok()
    assert await unread(world.member) == {"One": 1, "Other": 1}
    await see(world.member)
    assert await unread(world.member) == {"One": None, "Other": None}


async def test_only_the_newest_changes_count_as_unread(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_module, "EVENTS_UNREAD_MAX", 2)
    board = await world.board()
    card = await world.card(board)
    for number in range(4):
        (await world.sa.post(f"/cards/{card['id']}/comments", {"content": f"Comment {number}"})).ok()
    assert (await shown(world.member, board))["cards"][0]["unread"] == 2


async def test_board_cards_have_the_values_of_shown_fields_and_a_board_is_sent_again_when_these_change(
    world: World,
) -> None:
    board = await world.board()
    tags, text = board.field("tags"), board.field("description")
    values = [{"fieldId": tags, "value": ["[", 'b"ß']}, {"fieldId": text, "value": "ä" * 300}]
    await world.card(board, fieldValues=values)
    await world.card(board, fieldValues=values[1:])
    first = await shown(world.member, board)
    assert [card.get("values") for card in first["cards"]] == [{tags: ["[", 'b"ß']}, None]
    fields = world.sa.org(f"/card-types/{board.card_type['id']}/fields")
    (await world.sa.patch(f"{fields}/{text}", {"showOnCard": True})).ok()
    again = await shown(world.member, board, since=first["at"])
    assert again["columns"] == first["columns"]  # all of the board
    assert [card["values"] for card in again["cards"]] == [
        {tags: ["[", 'b"ß'], text: "ä" * 200},
        {text: "ä" * 200},
    ]
    (
        await world.sa.patch(f"/cards/{again['cards'][1]['id']}", {"fieldValues": [{"fieldId": text, "value": "new"}]})
    ).ok()
    delta = await shown(world.member, board, since=again["at"])
    assert [card["values"] for card in delta["cards"]] == [{text: "new"}]
