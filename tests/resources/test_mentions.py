"""Mentions: @ and a handle or the id of an agent, in comments and rich texts."""

import json
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from service.domain.mentions import BEGINNINGS_MAX, NAMES_MAX

from ..direct_db import execute
from ..snapshots import snapshot_of
from ..tools.talk import talking
from ..world import MEMBER, Board, Client, World

# Texts, and whether they mention the member mo-member; tests/web holds the page to the same table.
CASES: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data" / "mentions.json").read_text("utf-8"))
ADA, MO, BOT = "ada-architect", "mo-member", "bot"


def ids(mentions: list[dict[str, Any]]) -> list[str]:
    assert all(set(mention) == {"type", "id", "label"} for mention in mentions)
    return [mention["id"] for mention in mentions]


async def mentioned(by: Client, card: dict[str, Any], content: str) -> list[str]:
    """Write a comment and return whom it mentions, as its answer and the list say alike."""
    path = f"/cards/{card['id']}/comments"
    written = (await by.post(path, {"content": content})).ok()
    listed = (await by.get(path, params={"order": "desc", "pageSize": "1"})).ok()["items"][0]
    assert listed == written
    return ids(written["mentions"])


@pytest.fixture
async def card(world: World) -> Any:
    """Provide a card on a board where an agent may work."""
    await world.agent(BOT)
    return await world.card(await world.board())


async def test_a_handle_or_the_id_of_an_agent_after_an_at_sign_mentions(world: World, card: Any) -> None:
    path = f"/cards/{card['id']}/comments"
    text = f"@{MO} and @{BOT}, please; thanks @{MO}"
    comment = (await world.sa.post(path, {"content": text})).ok()
    assert comment["mentions"] == [
        {"type": "User", "id": world.member.id, "label": "Mo Member"},
        {"type": "Agent", "id": "bot", "label": "bot"},
    ]
    reply = (await world.member.post(f"{path}/{comment['id']}/replies", {"content": f"no, @{ADA}"})).ok()
    assert ids(reply["mentions"]) == [world.sa.id]
    (listed,) = (await world.sa.get(path)).ok()["items"]
    assert (listed["mentions"], listed["replies"]) == (comment["mentions"], [reply])
    assert (await world.sa.get(f"{path}/{comment['id']}/replies")).ok()["items"] == [reply]
    seen = (await world.sa.get(f"/cards/{card['id']}", params={"include": "comments"})).ok()
    assert seen["comments"] == [listed]


@pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case["text"])[:40])
async def test_a_name_mentions_as_the_table_says(world: World, card: Any, case: dict[str, Any]) -> None:
    found = await mentioned(world.sa, card, case["text"])
    assert found == ([world.member.id] if case["mentioned"] else [])


async def test_the_longest_name_counts_and_a_person_before_an_agent(world: World, card: Any) -> None:
    for agent_id in ("bot.v2", "Bot", "twin"):
        await world.agent(agent_id)
    # Earlier versions let an agent have the id of a member's handle.
    await execute(world, "UPDATE agents SET id = :id WHERE id = 'twin'", id=MO)
    assert await mentioned(world.sa, card, "@bot.v2 @bot.v3 @Bot. @mo-member@bot") == [
        "bot.v2",
        "bot",
        "Bot",
        world.member.id,
    ]


async def test_of_a_name_with_many_separators_only_the_longest_and_shortest_beginnings_count(
    world: World, card: Any
) -> None:
    parts = [".a"] * 20
    long, middle = BOT + "".join(parts), BOT + "".join(parts[:10])
    await world.agent(middle)
    assert await mentioned(world.sa, card, f"@{long}") == [BOT]
    assert await mentioned(world.sa, card, f"@{middle}") == [middle]
    await world.agent(long)
    assert await mentioned(world.sa, card, f"@{long}.") == [long]
    shortest = "".join(parts[:BEGINNINGS_MAX])
    await world.agent(BOT + shortest)  # one beginning further than the shortest ones
    assert await mentioned(world.sa, card, f"@{BOT}{shortest}.x{''.join(parts)}") == [BOT]


async def test_mentions_stay_with_those_whom_they_named(world: World, card: Any) -> None:
    path = f"/cards/{card['id']}/comments"
    await mentioned(world.sa, card, f"@{MO} and @{BOT}")
    (await world.member.patch("/settings/profile", {"handle": "moira", "fullName": "Moira"})).ok()
    (await world.sa.patch("/settings/profile", {"handle": MO})).ok()
    (comment,) = (await world.sa.get(path)).ok()["items"]
    assert [(mention["id"], mention["label"]) for mention in comment["mentions"]] == [
        (world.member.id, "Moira"),
        ("bot", "bot"),
    ]
    (await world.sa.delete(world.sa.org(f"/members/{world.member.id}"))).ok()
    (comment,) = (await world.sa.get(path)).ok()["items"]
    assert ids(comment["mentions"]) == ["bot"]  # who has left is not shown


async def write(world: World, card: dict[str, Any], field_id: str, text: str | None) -> list[str]:
    body = {"fieldValues": [{"fieldId": field_id, "value": text}]}
    written = (await world.sa.patch(f"/cards/{card['id']}", body)).ok()
    assert (await world.member.get(f"/cards/{card['id']}")).ok()["mentions"] == written["mentions"]
    return ids(written["mentions"])


async def test_a_card_has_the_mentions_of_its_rich_texts(world: World) -> None:
    board, bot = await world.board(), await world.agent(BOT)
    more = await world.field(board, "more", "richtext")
    line = await world.field(board, "line", "text")
    values = [{"fieldId": more, "value": f"@{MO}"}]
    card = await world.card(board, fieldValues=values)
    assert ids(card["mentions"]) == [world.member.id]
    description = board.field("description")
    assert await write(world, card, description, f"@{BOT} and @{MO}") == [world.member.id, "bot"]
    assert await write(world, card, line, f"@{ADA}") == [world.member.id, "bot"]  # a line is no rich text
    assert await write(world, card, more, f"`@{ADA}`") == [world.member.id, "bot"]
    assert ids((await bot.get(f"/cards/{card['id']}/mcp")).ok()["mentions"]) == [world.member.id, "bot"]
    (row, *_) = (await world.sa.get(f"/cards/{card['id']}/history", params={"order": "desc", "page": "1"})).ok()
    assert set(row["changes"]) == {"fieldValues.more"}
    assert await write(world, card, more, f"@{ADA}") == [world.sa.id, world.member.id, "bot"]
    other = (await world.sa.post(world.sa.org("/card-types"), {"title": "Other", "projectId": board.id})).ok()
    made = {"name": "description", "kind": "richtext"}
    (await world.sa.post(world.sa.org(f"/card-types/{other['id']}/fields"), made)).ok()
    changed = (await world.sa.patch(f"/cards/{card['id']}", {"cardTypeId": other["id"]})).ok()
    assert ids(changed["mentions"]) == [world.member.id, "bot"]  # of the text that the new type takes
    (await world.sa.patch(f"/cards/{card['id']}", {"cardTypeId": board.card_type["id"]})).ok()
    assert await write(world, card, description, None) == []
    assert await write(world, card, more, f"@{MO}") == [world.member.id]
    (await world.sa.delete(world.sa.org(f"/card-types/{board.card_type['id']}/fields/{more}"))).ok()
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["mentions"] == []


async def test_an_import_maps_mentions_to_those_who_are_there(world: World) -> None:
    board: Board = await world.board()
    await world.agent(BOT)
    text = {"fieldId": board.field("description"), "value": f"@{MO} @{BOT}"}
    card = await world.card(board, fieldValues=[text])
    await mentioned(world.sa, card, f"@{ADA} @{MO} @{BOT}")
    snapshot = await snapshot_of(world.sa)
    assert [user["handle"] for user in snapshot["users"]] == [ADA, MO]
    assert snapshot["comments"][0]["mentions"] == [
        {"type": "User", "id": world.sa.id},
        {"type": "User", "id": world.member.id},
        {"type": "Agent", "id": "bot"},
    ]
    (await world.sa.delete(f"/cards/{card['id']}", params={"mode": "permanent"})).ok()
    for user in snapshot["users"]:  # the same people have other ids where the snapshot is from
        if user["id"] == world.member.id:
            user["id"] = "usr_elsewhere"
    for row in (*snapshot["comments"][0]["mentions"], *snapshot["cards"][0]["fieldValues"][0]["mentions"]):
        row["id"] = {world.member.id: "usr_elsewhere", world.sa.id: "usr_unknown"}.get(row["id"], row["id"])
    (await world.sa.post("/admin/import", snapshot)).ok()
    assert ids((await world.sa.get(f"/cards/{card['id']}")).ok()["mentions"]) == [world.member.id, "bot"]
    (comment,) = (await world.sa.get(f"/cards/{card['id']}/comments")).ok()["items"]
    assert ids(comment["mentions"]) == [world.member.id, "bot"]


async def test_mentions_of_those_who_left_travel_and_are_shown_when_they_are_back(world: World) -> None:
    board = await world.board()
    text = {"fieldId": board.field("description"), "value": f"@{ADA} @{MO}"}
    card = await world.card(board, fieldValues=[text])
    path = f"/cards/{card['id']}"
    await mentioned(world.sa, card, f"@{ADA} @{MO}")
    (await world.sa.delete(world.sa.org(f"/members/{world.member.id}"))).ok()
    snapshot = await snapshot_of(world.sa)
    both = [{"type": "User", "id": who.id} for who in (world.sa, world.member)]
    assert snapshot["comments"][0]["mentions"] == snapshot["cards"][0]["fieldValues"][0]["mentions"] == both
    (await world.sa.delete(path, params={"mode": "permanent"})).ok()
    (await world.sa.post("/admin/import", snapshot)).ok()  # knows no member of that id now
    await world.join(world.sa, world.member, MEMBER)
    for again, found in ((False, [world.sa.id]), (True, [world.sa.id, world.member.id])):
        if again:
            (await world.sa.delete(path, params={"mode": "permanent"})).ok()
            (await world.sa.post("/admin/import", snapshot)).ok()
        (comment,) = (await world.sa.get(f"{path}/comments")).ok()["items"]
        assert ids(comment["mentions"]) == found
        assert ids((await world.sa.get(path)).ok()["mentions"]) == found


async def test_an_earlier_snapshot_mentions_nobody_and_a_wrong_one_is_refused(world: World, card: Any) -> None:
    await mentioned(world.sa, card, f"@{MO}")
    snapshot = await snapshot_of(world.sa)
    (await world.sa.delete(f"/cards/{card['id']}", params={"mode": "permanent"})).ok()
    snapshot["comments"][0]["mentions"] = [{"type": "Team", "id": "x"}]
    (await world.sa.post("/admin/import", snapshot)).refused(400, "InvalidSnapshotShape")
    del snapshot["comments"][0]["mentions"]
    (await world.sa.post("/admin/import", snapshot)).ok()
    assert (await world.sa.get(f"/cards/{card['id']}/comments")).ok()["items"][0]["mentions"] == []


LONG = (
    "a@b" * 33_000,
    "@a\uff0e" * 33_000,
    "https://a" * 11_000,
    "看@" * 50_000,
    "<!--" * 25_000,
    "<!-- `" * 16_000 + "-->",
    "https://看\uff0c" * 10_000,
    "]( " * 33_000,
)


async def test_hostile_texts_take_no_time_and_only_the_first_names_count(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    field_id = board.field("description")
    names = " ".join(f"@nobody-{number}" for number in range(NAMES_MAX))
    assert await write(world, card, field_id, f"{names} @{MO}") == []
    assert await write(world, card, field_id, f"@{MO} {names}") == [world.member.id]
    for hostile in (
        "@a" * 50_000,
        "@a:" * 33_000,
        " @a.b-c" * 14_000,
        "`" * 100_000,
        "` `` " * 20_000,
        "> " * 50_000,
        *LONG,
    ):
        begun = monotonic()
        assert await write(world, card, field_id, hostile) == []
        assert monotonic() - begun < 2


async def test_tools_tell_whom_a_text_mentions(world: World) -> None:
    bot, board = await world.agent(BOT), await world.board()
    card = await world.card(board)
    async with talking(bot) as talk:
        said = await talk.ok("comment", card=card["key"], content=f"@{MO} is it right?")
        assert said["mentions"] == ["Mo Member"]
        assert "mentions" not in await talk.ok("comment", card=card["key"], content="It is.")
        changed = await talk.ok("update_card", card=card["key"], fields={"description": f"For @{ADA}"})
        assert changed["mentions"] == ["Ada Architect"]
        created = await talk.ok("create_card", title="New", fields={"description": f"For @{ADA}"})
        assert created["mentions"] == ["Ada Architect"]
