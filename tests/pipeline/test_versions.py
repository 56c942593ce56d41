"""ETag and If-Match: nobody overwrites a version of a card that they have not seen."""

import asyncio
from typing import Any

import pytest

from service.pipeline.routing import ROUTES

from .. import refusals, walk
from ..builders import permit
from ..world import Answer, Client, World

ALWAYS = ["*", '"1"', '"0", "1"', ',"1" ,\t"x",', 'W/"9", "1"', '"9"  ,"1"']
NEVER = ['"2"', '"0", "2"', 'W/"1"', '"*"', '"01"', '""', '"10"']
MALFORMED = ["", "1", '"1', '1"', '"1" "2"', "W/", 'w/"1"', '*, "1"', '"a b"', ",", '"1"; "2"']


async def _history(world: World, card: Any) -> list[str]:
    return [row["action"] for row in await world.history(card["id"])]


def _tag(answer: Answer) -> str:
    answer.ok()
    return str(answer.headers["ETag"])


async def test_every_answer_that_is_one_card_carries_its_version_as_etag(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    new = {"projectId": board.id, "columnId": board.columns["Todo"], "cardTypeId": board.card_type["id"], "title": "T"}
    made = [
        await world.sa.post(world.sa.org("/cards"), new),
        await agent.post(agent.org("/cards/mcp"), new),
    ]
    assert [_tag(answer) for answer in made] == ['"1"', '"1"']
    path, there = f"/cards/{made[0].body['id']}", {"toColumnId": board.columns["In Progress"]}
    back = {"toColumnId": board.columns["Todo"]}
    calls = [
        ("GET", world.sa, path, None, 1),
        ("GET", agent, path + "/mcp", None, 1),
        ("PATCH", world.sa, path, {"title": "A"}, 2),
        ("PATCH", world.sa, path, {}, 2),
        ("PATCH", agent, path + "/mcp", {"title": "B"}, 3),
        ("PATCH", world.sa, path + "/status", there, 4),
        ("PATCH", agent, path + "/mcp/status", back, 5),
        ("PATCH", world.sa, path + "/rank", {"afterCardId": None}, 6),
    ]
    for method, who, url, body, version in calls:
        answer = await who.call(method, url, body)
        assert (_tag(answer), answer.body["version"]) == (f'"{version}"', version), (method, url)
    for way in (path + "/restore", f"/archive/card/{made[0].body['id']}/restore"):
        assert "ETag" not in (await world.sa.delete(path)).headers
        answer = await world.sa.post(way)
        assert _tag(answer) == f'"{answer.body["version"]}"'


def test_exactly_the_writes_of_one_card_heed_if_match() -> None:
    assert {walk.name(route) for route in ROUTES if route.policy.supports_if_match} == {
        "PATCH /cards/{card_id}",
        "PATCH /cards/{card_id}/mcp",
        "PATCH /cards/{card_id}/status",
        "PATCH /cards/{card_id}/mcp/status",
        "PATCH /cards/{card_id}/rank",
        "PATCH /cards/{card_id}/checklist",
        "PATCH /cards/{card_id}/checklist/mcp",
        "POST /cards/{card_id}/transfer",
        "DELETE /cards/{card_id}",
    }


async def _writes(world: World) -> tuple[Any, list[tuple[str, Client, str, Any]]]:
    """Make a card, and list every write to it that heeds If-Match."""
    board, agent = await world.board(), await world.agent()
    description = board.field("description")
    card = await world.card(board, fieldValues=[{"fieldId": description, "value": "- [ ] one"}])
    other, target = await world.card(board), await world.board(title="Target")
    tick = {"fieldId": description, "item": 0, "text": "one", "done": True}
    path, there = f"/cards/{card['id']}", {"toColumnId": board.columns["In Progress"]}
    return card, [
        ("PATCH", world.sa, path, {"title": "New"}),
        ("PATCH", agent, path + "/mcp", {"title": "New"}),
        ("PATCH", world.sa, path + "/status", there),
        ("PATCH", agent, path + "/mcp/status", there),
        ("PATCH", world.sa, path + "/rank", {"afterCardId": other["id"]}),
        ("PATCH", world.sa, path + "/checklist", tick),
        ("PATCH", agent, path + "/checklist/mcp", tick),
        ("POST", world.sa, path + "/transfer", {"projectId": target.id, "columnId": target.columns["Todo"]}),
        ("DELETE", world.sa, path, None),
    ]


@pytest.mark.parametrize("number", range(9))
async def test_a_write_for_another_version_changes_nothing_and_for_this_one_goes_through(
    world: World, number: int
) -> None:
    card, writes = await _writes(world)
    method, who, path, body = writes[number]
    answer = await who.call(method, path, body, headers={"If-Match": '"7"'})
    assert answer.refused(412, "precondition_failed") == {"version": 1}
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card
    assert await _history(world, card) == ["created"]
    (await who.call(method, path, body, headers={"If-Match": '"1"'})).ok()
    assert len(await _history(world, card)) == 2


async def test_any_tag_of_a_list_matches_and_a_star_always(world: World) -> None:
    for header in ALWAYS:
        card = await world.card(await world.board())
        (await world.sa.patch(f"/cards/{card['id']}", {"title": "T"}, headers={"If-Match": header})).ok()


async def test_the_header_may_come_in_several_lines(world: World) -> None:
    card = await world.card(await world.board())
    url = f"{world.url}/api/v1/cards/{card['id']}"
    for tags, status in ((('"7"', '"8"'), 412), (('"7"', '"1"'), 200)):
        headers = [*world.sa.headers.items(), *(("If-Match", tag) for tag in tags)]
        async with world.sa.http.patch(url, json={"title": "T"}, headers=headers) as answer:
            assert answer.status == status


async def test_weak_tags_and_other_tags_never_match(world: World) -> None:
    card = await world.card(await world.board())
    for header in NEVER:
        answer = await world.sa.patch(f"/cards/{card['id']}", {"title": "T"}, headers={"If-Match": header})
        answer.refused(412, "precondition_failed")
    assert await _history(world, card) == ["created"]


async def test_a_malformed_header_is_a_wrong_request(world: World) -> None:
    card = await world.card(await world.board())
    for header in MALFORMED:
        answer = await world.sa.patch(f"/cards/{card['id']}", {"title": "T"}, headers={"If-Match": header})
        refusals.expect_invalid(answer, "If-Match")
    assert await _history(world, card) == ["created"]


async def test_a_change_that_changes_nothing_is_refused_too(world: World) -> None:
    card = await world.card(await world.board())
    answer = await world.sa.patch(f"/cards/{card['id']}", {}, headers={"If-Match": '"2"'})
    answer.refused(412, "precondition_failed")


async def test_whoever_may_not_write_learns_nothing_of_the_version(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card, backlog = await world.card(board), await world.card(board, "Backlog")
    path, body, other = f"/cards/{card['id']}", {"title": "T"}, {"headers": {"If-Match": '"7"'}}
    (await world.outsider.patch(path, body, **other)).refused(404, "not_found")
    (await world.nobody.patch(path, body, **other)).refused(401, "unauthorized")
    (await agent.patch(f"/cards/{backlog['id']}/mcp", body, **other)).refused(403, "agent_pickup_disabled")
    await permit(world, "Member", "Card", "read")
    (await world.member.patch(path, body, **other)).refused(403, "permission_denied")
    (await world.sa.patch(path, {"title": ""}, **other)).refused(400, "validation_failed")
    (await world.sa.delete(path)).ok()
    (await world.sa.patch(path, body, **other)).refused(409, "archived_parent")
    (await world.sa.delete(path, **other)).refused(412, "precondition_failed")
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    (await world.sa.delete(f"/cards/{backlog['id']}", **other)).refused(404, "not_found")


async def test_if_match_is_checked_before_the_rules_of_the_card(world: World) -> None:
    board = await world.board()
    path, other = f"/cards/{(await world.card(board))['id']}", {"headers": {"If-Match": '"7"'}}
    nowhere = {"toColumnId": board.columns["Done"]}
    (await world.sa.patch(path + "/status", nowhere, **other)).refused(412, "precondition_failed")
    (await world.sa.patch(path + "/status", nowhere)).refused(400, "transition_not_allowed")
    strange = {"assignedAgentId": "nobody"}
    (await world.sa.patch(path, strange, **other)).refused(412, "precondition_failed")
    (await world.sa.patch(path, strange)).refused(400, "validation_failed")


async def test_of_fifty_concurrent_changes_to_one_version_one_succeeds(world: World) -> None:
    card, agent = await world.card(await world.board()), await world.agent()
    path, tag = f"/cards/{card['id']}", {"headers": {"If-Match": '"1"'}}
    answers = await asyncio.gather(
        *[
            agent.patch(path + "/mcp", {"title": f"T{number}"}, **tag)
            if number % 2
            else world.sa.patch(path, {"title": f"T{number}"}, **tag)
            for number in range(50)
        ]
    )
    (winner,) = [answer.body for answer in answers if answer.status == 200]
    for answer in answers:
        assert answer.status == 200 or answer.refused(412, "precondition_failed") == {"version": 2}
    assert (await world.sa.get(path)).ok() == winner
    assert await _history(world, card) == ["created", "updated"]


async def test_readers_that_follow_the_etag_lose_no_update(world: World) -> None:
    """Twenty callers each put their tag on the card: read, change, write if unchanged, else again."""
    board = await world.board()
    card, tags = await world.card(board), board.field("tags")
    path = f"/cards/{card['id']}"

    async def add(tag: str) -> None:
        while True:
            seen = await world.sa.get(path)
            old = [row["value"] for row in seen.ok()["fieldValues"] if row["fieldId"] == tags]
            body = {"fieldValues": [{"fieldId": tags, "value": [*(old[0] if old else []), tag]}]}
            answer = await world.sa.patch(path, body, headers={"If-Match": seen.headers["ETag"]})
            if answer.status == 200:
                return
            answer.refused(412, "precondition_failed")

    await asyncio.gather(*[add(str(number)) for number in range(20)])
    (values,) = [row["value"] for row in (await world.sa.get(path)).ok()["fieldValues"] if row["fieldId"] == tags]
    assert sorted(values) == sorted(str(number) for number in range(20))


async def test_reading_again_with_the_etag_gives_the_card_since_its_blockers_may_differ(world: World) -> None:
    board = await world.board()
    first, second = await world.card(board), await world.card(board)
    relation = {"fromCardId": first["id"], "toCardId": second["id"], "kind": "blocks"}
    (await world.sa.post(world.sa.org("/relationships"), relation)).ok()
    seen = await world.sa.get(f"/cards/{second['id']}")
    (await world.sa.delete(f"/cards/{first['id']}")).ok()
    again = await world.sa.get(f"/cards/{second['id']}", headers={"If-None-Match": seen.headers["ETag"]})
    assert (again.status, again.body["blockedBy"], seen.body["blockedBy"]) == (200, [], [first["id"]])
