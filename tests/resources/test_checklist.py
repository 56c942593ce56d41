"""Ticking items of checklists: only the mark changes, and only that of the item that was meant."""

import asyncio
import random
from typing import Any

import pytest

from ..refusals import expect_hidden, expect_invalid
from ..snapshots import send, snapshot_of
from ..streams import changes, position
from ..text.test_checklists import random_texts
from ..world import Answer, Board, Client, World

TEXT = "Before\n\n- [ ] Schema\n  - [x] Draft\n- [ ] Page\r\n> 1. [ ] Page\n\n```\n- [ ] no item\n```\n"
CHECKLIST = {"done": 1, "total": 4}


async def create_card(world: World, text: str = TEXT, **wishes: Any) -> tuple[Board, dict[str, Any]]:
    """Make a card whose description is a text."""
    board = await world.board()
    values = [{"fieldId": board.field("description"), "value": text}]
    return board, await world.card(board, fieldValues=values, **wishes)


async def tick(who: Client, card: Any, item: int, text: str, done: bool = True, **options: Any) -> Answer:
    field_id = next(value["fieldId"] for value in card["fieldValues"] if "[" in value["value"])
    suffix = "/mcp" if "ApiKey" in who.headers["Authorization"] else ""
    body = {"fieldId": field_id, "item": item, "text": text, "done": done}
    return await who.patch(f"/cards/{card['id']}/checklist{suffix}", body, **options)


def text_of(card: Any) -> str:
    return str(next(value["value"] for value in card["fieldValues"] if "[" in value["value"]))


async def test_a_tick_changes_one_mark_and_is_told_to_everybody(world: World) -> None:
    board, card = await create_card(world)
    assert card["checklist"] == CHECKLIST
    start = await position(world.sa)
    ticked = (await tick(world.member, card, 2, "Page")).ok()
    assert text_of(ticked) == TEXT.replace("- [ ] Page", "- [x] Page")
    assert (ticked["checklist"], ticked["version"]) == ({"done": 2, "total": 4}, card["version"] + 1)
    row = (await world.history(card["id"]))[-1]
    assert (row["action"], row["actor"]["id"]) == ("updated", world.member.id)
    assert row["changes"] == {"fieldValues.description.2": {"from": "[ ] Page", "to": "[x] Page"}}
    (event,) = (await changes(world.sa, since=start))["items"]
    assert (event["type"], event["cardId"]) == ("checklist.updated", card["id"])
    assert (await tick(world.member, card, 2, "Page")).ok() == ticked  # it has that state already
    opened = (await tick(world.sa, card, 1, "Draft", done=False)).ok()
    assert text_of(opened) == TEXT.replace("- [ ] Page", "- [x] Page").replace("[x] Draft", "[ ] Draft")
    assert len(await world.history(card["id"])) == 3
    shown = (await world.sa.get(f"/cards/{card['id']}/context")).ok()["card"]
    (in_list,) = (await world.sa.get(world.sa.org("/cards"))).ok()["items"]
    (on_board,) = (await world.sa.get(world.sa.org("/board"), params={"projectId": board.id})).ok()["cards"]
    assert [found["checklist"] for found in (shown, in_list, on_board)] == [{"done": 1, "total": 4}] * 3


async def test_the_counts_are_those_of_all_rich_texts_and_of_no_other_field(world: World) -> None:
    board, card = await create_card(world)
    more, plain = await world.field(board, "more", "richtext"), await world.field(board, "plain")
    values = [{"fieldId": more, "value": "- [x] a\n- [ ] b"}, {"fieldId": plain, "value": "- [ ] c"}]
    edited = (await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": values})).ok()
    assert edited["checklist"] == {"done": 2, "total": 6}
    copy = (await world.sa.post(f"/cards/{card['id']}/duplicate", {})).ok()
    assert copy["checklist"] == {"done": 2, "total": 6}
    values = [{"fieldId": more, "value": None}, {"fieldId": board.field("description"), "value": "No list"}]
    cleared = (await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": values})).ok()
    assert cleared["checklist"] is None
    cards = (await world.sa.get(world.sa.org("/board"), params={"projectId": board.id})).ok()["cards"]
    assert [found.get("checklist") for found in cards] == [None, {"done": 2, "total": 6}]


async def test_an_item_with_another_text_is_not_ticked_and_the_answer_shows_the_items(world: World) -> None:
    board, card = await create_card(world)
    items = [
        {"text": "Schema", "done": False},
        {"text": "Draft", "done": True},
        {"text": "Page", "done": False},
        {"text": "Page", "done": False},
    ]
    for item, text in ((0, "Page"), (0, "schema"), (4, "Page"), (99_999, "")):
        details = (await tick(world.sa, card, item, text)).refused(409, "conflict")
        assert (details["items"], details["fieldId"]) == (items, board.field("description"))
    tags, description = board.field("tags"), board.field("description")
    body = {"item": 0, "text": "Schema", "done": True}
    path = f"/cards/{card['id']}/checklist"
    expect_invalid(await world.sa.patch(path, {**body, "fieldId": tags}), "fieldId")
    expect_invalid(await world.sa.patch(path, {**body, "fieldId": "fld_none"}), "fieldId")
    for key, value in (("item", -1), ("item", True), ("item", 1.5), ("text", None), ("done", "yes")):
        expect_invalid(await world.sa.patch(path, {**body, "fieldId": description, key: value}), key)
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card
    assert len(await world.history(card["id"])) == 1


async def test_who_may_not_edit_the_card_may_not_tick(world: World) -> None:
    _, card = await create_card(world)
    body = {"fieldId": card["fieldValues"][0]["fieldId"], "item": 0, "text": "Schema", "done": True}
    await expect_hidden(world, "PATCH", f"/cards/{card['id']}/checklist", body)
    stale = {"headers": {"If-Match": '"9"'}}
    (await tick(world.sa, card, 0, "Schema", **stale)).refused(412, "precondition_failed")
    agent, other = await world.agent(), await world.agent("other")
    (await other.post(f"/cards/{card['id']}/claim/mcp", {})).ok()
    (await tick(agent, card, 0, "Schema")).refused(409, "already_claimed")
    (await tick(other, card, 0, "Schema")).ok()
    (await world.sa.patch(world.sa.org(f"/columns/{card['columnId']}"), {"agentCanModerate": False})).ok()
    (await tick(other, card, 0, "Schema", done=False)).refused(403, "agent_cannot_moderate")
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["checklist"] == {"done": 2, "total": 4}


async def test_ticks_at_the_same_time_all_hold_and_overwrite_no_edit(world: World) -> None:
    text = "\n".join(f"- [ ] item {number}" for number in range(12))
    board, card = await create_card(world, text)
    title = world.sa.patch(f"/cards/{card['id']}", {"title": "Edited"})
    ticks = [tick(world.sa, card, number, f"item {number}") for number in range(12)]
    answers = await asyncio.gather(title, *ticks)
    assert {answer.status for answer in answers} == {200}
    found = (await world.sa.get(f"/cards/{card['id']}")).ok()
    assert (found["title"], text_of(found)) == ("Edited", text.replace("[ ]", "[x]"))
    edited = "- [ ] new\n" + text_of(found)
    values = [{"fieldId": board.field("description"), "value": edited}]
    (await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": values})).ok()
    (await tick(world.sa, card, 3, "item 3", done=False)).refused(409, "conflict")  # it is the fifth one now
    assert text_of((await world.sa.get(f"/cards/{card['id']}")).ok()) == edited


@pytest.mark.parametrize("newer", ["tick", "text"])
async def test_an_undo_of_ticks_takes_back_the_marks_and_leaves_the_texts(world: World, newer: str) -> None:
    """What an agent ticked and wrote comes back to what was there, in whichever order it did both."""
    agent = await world.agent()
    board, card = await create_card(world)
    field_id = board.field("description")
    path, period = f"/cards/{card['id']}", {"agentId": "bot", "from": card["createdAt"]}
    write = {"fieldValues": [{"fieldId": field_id, "value": TEXT.replace("Before", "After").replace("[x] D", "[ ] D")}]}
    for done in ("tick", "text") if newer == "text" else ("text", "tick"):
        await asyncio.sleep(0.002)
        if done == "tick":
            (await tick(agent, card, 2, "Page")).ok()
        else:
            (await agent.patch(path + "/mcp", write)).ok()
    undone = (await world.sa.post(world.sa.org("/undo"), period)).ok()
    if newer == "text":  # it has overwritten the tick: only the text that was there before comes back, and the mark
        assert undone["kept"] == 0
    assert text_of((await world.sa.get(path)).ok()) == TEXT
    assert (await world.sa.get(path)).ok()["checklist"] == CHECKLIST


async def test_one_tick_is_undone_after_others_have_edited_the_text_around_it(world: World) -> None:
    board, card = await create_card(world)
    at = (await tick(world.member, card, 0, "Schema")).ok()["updatedAt"]
    edited = "- [ ] First\n" + TEXT.replace("[ ] Schema", "[x] Schema")
    values = [{"fieldId": board.field("description"), "value": edited}]
    (await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": values})).ok()
    undo = {"operations": [{"cardId": card["id"], "undo": {"at": at}}]}
    (done,) = (await world.member.post(world.sa.org("/cards/batch"), undo)).ok()["results"]
    assert text_of(done["card"]) == edited.replace("[x] Schema", "[ ] Schema")
    row = (await world.history(card["id"]))[-1]
    assert row["changes"] == {"fieldValues.description.0": {"from": "[x] Schema", "to": "[ ] Schema"}}
    again = {"operations": [{"cardId": card["id"], "undo": {"at": row["createdAt"]}}]}
    (done,) = (await world.member.post(world.sa.org("/cards/batch"), again)).ok()["results"]
    assert text_of(done["card"]) == edited
    values = [{"fieldId": board.field("description"), "value": "All new"}]
    (await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": values})).ok()
    (failed,) = (await world.member.post(world.sa.org("/cards/batch"), undo)).ok()["results"]
    assert failed["error"]["code"] == "conflict"


async def test_the_history_shows_the_beginning_of_a_long_item_and_its_tick_can_be_undone(world: World) -> None:
    texts = ["x" * 600, "x" * 601]
    _, card = await create_card(world, "\n".join(f"- [ ] {text}" for text in texts))
    ticked = (await tick(world.sa, card, 1, texts[1])).ok()
    shown = "x" * 499 + "…"
    (change,) = (await world.history(card["id"]))[-1]["changes"].values()
    assert change == {"from": f"[ ] {shown}", "to": f"[x] {shown}"}
    undo = {"operations": [{"cardId": card["id"], "undo": {"at": ticked["updatedAt"]}}]}
    (done,) = (await world.sa.post(world.sa.org("/cards/batch"), undo)).ok()["results"]
    assert text_of(done["card"]) == text_of(card)


async def test_an_edit_takes_ticks_along_in_one_version_and_none_if_one_of_them_fails(world: World) -> None:
    board, card = await create_card(world)
    start = await position(world.sa)
    field_id, path = board.field("description"), f"/cards/{card['id']}"
    ticks = [{"fieldId": field_id, "item": item, "text": text, "done": True} for item, text in ((0, "One"), (1, "Two"))]
    values = [{"fieldId": field_id, "value": "- [ ] One\n- [ ] Two"}]
    (await world.sa.patch(path, {"title": "New", "checklist": ticks})).refused(409, "conflict")
    body = {"title": "New", "fieldValues": values, "checklist": ticks}
    edited = (await world.sa.patch(path, body)).ok()
    assert (edited["title"], text_of(edited), edited["version"]) == ("New", "- [x] One\n- [x] Two", card["version"] + 1)
    assert len(await world.history(card["id"])) == 2
    found = (await changes(world.sa, since=start))["items"]
    assert [event["type"] for event in found] == ["card.updated", "checklist.updated"]


async def test_the_number_of_items_has_no_part_in_how_long_the_writer_is_busy(world: World) -> None:
    """The longest text, with as many items as fit: a tick stays a short unit of work, and is exact."""
    text = "\n".join(["- [ ] a"] * 12_000)
    _, card = await create_card(world, text)
    assert card["checklist"] == {"done": 0, "total": 12_000}
    ticked = (await tick(world.sa, card, 11_999, "a")).ok()
    assert text_of(ticked) == text[:-7] + "- [x] a"
    assert len((await tick(world.sa, card, 12_000, "a")).refused(409, "conflict")["items"]) == 12_000


async def test_an_export_brings_the_counts_along_and_an_import_counts_again(world: World) -> None:
    generator = random.Random(4)  # noqa: S311
    board, card = await create_card(world)
    texts = {f"card {number}": text for number, text in enumerate(generator.sample(random_texts(300, 9), 30))}
    for title, text in texts.items():
        if text.strip():
            await world.card(board, title=title, fieldValues=[{"fieldId": board.field("description"), "value": text}])
    before = (await world.sa.get(world.sa.org("/cards"), params={"pageSize": "100"})).ok()["items"]
    snapshot = await snapshot_of(world.sa)
    (await world.sa.delete(f"/cards/{card['id']}", params={"mode": "permanent"})).ok()
    changed = [{"fieldId": board.field("description"), "value": "- [ ] other"}]
    (await world.sa.patch(f"/cards/{before[1]['id']}", {"fieldValues": changed})).ok()
    (await send(world.sa, snapshot)).ok()
    after = (await world.sa.get(world.sa.org("/cards"), params={"pageSize": "100"})).ok()["items"]
    counts = [{item["id"]: item["checklist"] for item in items} for items in (before, after)]
    assert counts[0] == counts[1]
    assert counts[1][card["id"]] == CHECKLIST
