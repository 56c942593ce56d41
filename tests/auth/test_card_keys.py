"""Card keys: how they may be written, and what happens if a text means several cards."""

from typing import Any

import pytest

from ..builders import database, permit
from ..tools.talk import talking
from ..world import Board, World

WRITINGS = ["AB-11", "ab-11", "#AB-11", "#ab-11", "AB11", "ab11", "#AB11", " AB-11 "]


async def keyed_board(world: World, key: str, cards: int) -> tuple[Board, list[Any]]:
    """Create a board with a key and a number of cards."""
    board = await world.board(title=f"Board {key}")
    (await world.sa.patch(world.sa.org(f"/projects/{board.id}"), {"key": key})).ok()
    return board, [await world.card(board) for _ in range(cards)]


def quoted(key: str) -> str:
    return key.replace("#", "%23").replace(" ", "%20")


@pytest.mark.parametrize("written", WRITINGS)
async def test_a_card_is_found_however_its_key_is_written(world: World, written: str) -> None:
    _, cards = await keyed_board(world, "AB", 11)
    card, agent = cards[-1], await world.agent()
    assert (await world.member.get(f"/cards/{quoted(written)}")).ok()["id"] == card["id"]
    assert (await agent.get(f"/cards/{quoted(written)}/mcp")).ok()["id"] == card["id"]
    listed = (await world.member.get(world.member.org("/cards"), params={"ids": written})).ok()["items"]
    assert [item["id"] for item in listed] == [card["id"]]
    change = {"operations": [{"cardId": written, "edit": {"title": "New"}}]}
    assert (await world.sa.post(world.sa.org("/cards/batch"), change)).ok()["results"][0]["card"]["title"] == "New"
    async with talking(agent) as talk:
        assert (await talk.ok("get_card", card=written))["card"]["key"] == "AB-11"
        assert (await talk.ok("update_card", card=written, title="Newer"))["key"] == "AB-11"


@pytest.mark.parametrize(
    "written", ["AB-011", "AB 11", "##AB-11", "AB--11", "A-11", "AB-0", "AB", "11", "AB-11x", "ÄB-11"]
)
async def test_what_is_no_key_names_no_card(world: World, written: str) -> None:
    await keyed_board(world, "AB", 11)
    assert (await world.sa.get(f"/cards/{quoted(written)}")).status == 404


async def test_a_key_without_hyphen_that_means_several_cards_is_an_error_with_their_keys(world: World) -> None:
    _, cards = await keyed_board(world, "AB", 11)
    other, others = await keyed_board(world, "AB1", 1)
    agent = await world.agent()
    for who, path in ((world.sa, "/cards/ab11"), (world.member, "/cards/ab11"), (agent, "/cards/ab11/mcp")):
        details = (await who.get(path)).refused(400, "validation_failed")
        assert sorted(details["options"]) == ["AB-11", "AB1-1"]
        assert "AB-11" in details["fields"][0]["message"]
    assert (await world.sa.get("/cards/AB12")).status == 404
    assert (await world.sa.get("/cards/AB1-1")).ok()["id"] == others[0]["id"]
    async with talking(agent) as talk:
        error = await talk.error("get_card", "validation_failed", card="AB11")
        assert error["message"] == "Correct the call: card: 'AB11' means AB-11 or AB1-1; write the key with its hyphen."
        error = await talk.error("update_card", "validation_failed", card="AB11", title="New")
        assert "AB-11 or AB1-1" in error["message"]
        for tool, key, more in (("relate", "other", {"kind": "blocks"}), ("move_card", "after", {"to": "Todo"})):
            error = await talk.error(tool, "validation_failed", card="AB-1", **more, **{key: "AB11"})
            assert error["message"].startswith(f"Correct the call: {key}: 'AB11' means")
            assert error["details"]["fields"][0]["path"] == key
    first = f"/cards/{cards[0]['id']}"
    for method, path, body, key in [
        ("GET", world.sa.org("/cards?ids=AB-1,AB11"), None, "ids"),
        ("PATCH", f"{first}/rank", {"afterCardId": "AB11"}, "afterCardId"),
        ("PATCH", f"{first}/status", {"toColumnId": cards[0]["columnId"], "afterCardId": "AB11"}, "afterCardId"),
        (
            "POST",
            world.sa.org("/relationships"),
            {"fromCardId": "AB11", "toCardId": "AB-1", "kind": "blocks"},
            "fromCardId",
        ),
        (
            "POST",
            world.sa.org("/relationships"),
            {"fromCardId": "AB-1", "toCardId": "AB11", "kind": "blocks"},
            "toCardId",
        ),
    ]:
        assert (await world.sa.call(method, path, body)).invalid() == [key]
    edit, undo = {"edit": {"title": "New"}}, {"undo": {"at": cards[0]["updatedAt"]}}
    changes = {"operations": [{"cardId": name, **change} for name in ("AB11", "AB-11") for change in (edit, undo)]}
    results = (await world.sa.post(world.sa.org("/cards/batch"), changes)).ok()["results"]
    assert [result.get("error", {}).get("status") for result in results[:3]] == [400, 400, None]
    # A board in the archive is not meant.
    (await world.sa.delete(world.sa.org(f"/projects/{other.id}"))).ok()
    assert (await world.sa.get("/cards/AB11")).ok()["id"] == cards[-1]["id"]


async def test_who_may_not_read_cards_is_not_told_which_a_text_means(world: World) -> None:
    await keyed_board(world, "AB", 11)
    await keyed_board(world, "AB1", 1)
    foreign = {"headers": {"X-Organization-Id": world.sa.org_id}}
    unknown = (await world.outsider.get("/cards/AB99", **foreign)).body["error"]
    told = (await world.outsider.get("/cards/AB11", **foreign)).body["error"]
    assert (told["code"], told["details"]) == (unknown["code"], unknown["details"]) == ("not_found", unknown["details"])
    await permit(world, "Member", "Card")
    assert "options" not in (await world.member.get("/cards/AB11")).body["error"]["details"]


@pytest.mark.parametrize("imported_id", ["AB1", "AB-1"])
async def test_an_id_comes_before_a_key(world: World, imported_id: str) -> None:
    board, _ = await keyed_board(world, "AB", 1)
    await world.card(board)
    with database(world) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("UPDATE cards SET id = ? WHERE number = 2", (imported_id,))
    assert (await world.sa.get(f"/cards/{imported_id}")).ok()["key"] == "AB-2"
    assert (await world.sa.get(f"/cards/{imported_id.lower()}")).ok()["key"] == "AB-1"
