"""A card in one answer: what is around it, as the routes of each part tell it, and nothing that is not the caller's."""

from typing import Any

import pytest

from ..forms import upload
from ..world import World

PARTS = "place,moves,comments,history,relations,files,request"
EVERY = {
    "afterCardId",
    "moves",
    "comments",
    "commentsTotal",
    "history",
    "historyTotal",
    "relations",
    "files",
    "request",
}


async def create_full_card(world: World) -> Any:
    """Make a card with something of everything around it."""
    board = await world.board()
    await world.column(board, "Review", agentPickupEnabled=True)
    above, card, other = [await world.card(board, "Review", title=title) for title in ("Above", "Whole", "Other")]
    (await world.sa.post(world.sa.org("/relationships"), {
        "fromCardId": other["id"], "toCardId": card["id"], "kind": "relatesTo"
    })).ok()  # fmt: skip
    for number in range(22):
        (await world.member.post(f"/cards/{card['id']}/comments", {"content": f"Number {number}"})).ok()
    await upload(world, card, board.field("attachments"), file_name="notes.txt")
    bot = await world.agent()
    body = {"toColumnId": board.columns["Done"], "note": "Please"}
    request = (await bot.post(f"/cards/{card['id']}/move-requests/mcp", body)).ok()
    return above, card, other, bot, request


async def test_included_parts_equal_the_responses_of_their_own_routes(world: World) -> None:
    above, card, other, bot, request = await create_full_card(world)
    where = f"/cards/{card['id']}"
    plain = (await world.member.get(where)).ok()
    answer = await world.member.get(where, params={"include": PARTS})
    assert answer.headers["ETag"] == f'"{plain["version"]}"'
    whole = answer.ok()
    assert whole == {**plain, **{key: whole[key] for key in EVERY}}
    assert whole["afterCardId"] == above["id"]
    assert whole["moves"] == (await world.member.get(where + "/moves")).ok()
    newest = {"order": "desc", "pageSize": "20"}
    comments = (await world.member.get(where + "/comments", params=newest)).ok()
    assert (whole["comments"], whole["commentsTotal"]) == (comments["items"], 22)
    assert whole["history"] == (await world.member.get(where + "/history", params=newest)).ok()
    assert whole["historyTotal"] == len(await world.history(card["id"])) > 20
    assert whole["files"] == (await world.member.get(f"/files/card/{card['id']}")).ok()
    assert [file["name"] for file in whole["files"]] == ["notes.txt"]
    assert whole["request"] == request
    (relation,) = whole["relations"]
    end = {key: other[key] for key in ("id", "key", "title", "projectId", "columnId")}
    assert relation["card"] == {**end, "column": "Review", "done": False}
    (listed,) = (await world.sa.get(world.sa.org("/relationships"), params={"cardId": card["id"]})).ok()
    assert relation == {**listed, "card": relation["card"]}
    seen = (await bot.get(where + "/mcp", params={"include": PARTS})).ok()
    assert seen.keys() == whole.keys()


async def test_only_the_requested_parts_are_included(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    plain = (await world.sa.get(f"/cards/{card['id']}")).ok()
    for include, keys in (("moves", {"moves"}), ("request,files", {"request", "files"}), ("place", {"afterCardId"})):
        found = (await world.sa.get(f"/cards/{card['key'].lower()}", params={"include": include})).ok()
        assert found.keys() - plain.keys() == keys
    for wrong in ("", "rank", "moves,rank", "moves,,files", "moves, files"):
        assert (await world.sa.get(f"/cards/{card['id']}", params={"include": wrong})).invalid() == ["include"]
    (await world.outsider.get(f"/cards/{card['id']}", params={"include": PARTS})).refused(404, "not_found")


@pytest.mark.parametrize(("resource", "lost"), [("File", {"files"}), ("Relationship", {"relations"})])
async def test_what_the_caller_may_not_read_is_left_out(world: World, resource: str, lost: set[str]) -> None:
    card = await world.card(await world.board())
    rows = (await world.sa.get("/permissions")).ok()
    row = next(one for one in rows if (one["role"], one["resource"]) == ("Member", resource))
    (await world.sa.patch(f"/permissions/{row['id']}", {"actions": ["create"]})).ok()
    found = (await world.member.get(f"/cards/{card['id']}", params={"include": PARTS})).ok()
    assert EVERY - found.keys() == lost
    assert (await world.sa.get(f"/cards/{card['id']}", params={"include": PARTS})).ok().keys() >= EVERY


async def test_a_request_that_was_decided_and_a_relation_to_an_archived_card_are_not_shown(world: World) -> None:
    _, card, other, _, request = await create_full_card(world)
    (await world.sa.post(f"/move-requests/{request['id']}/reject", {"note": "Not yet"})).ok()
    (await world.sa.delete(f"/cards/{other['id']}")).ok()
    found = (await world.sa.get(f"/cards/{card['id']}", params={"include": "request,relations"})).ok()
    assert (found["request"], found["relations"]) == (None, [])


async def test_an_archived_card_is_shown_with_what_is_around_it(world: World) -> None:
    _, card, *_ = await create_full_card(world)
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    found = (await world.sa.get(f"/cards/{card['id']}", params={"include": PARTS})).ok()
    assert found["archivedAt"]
    assert found["commentsTotal"] == 22
