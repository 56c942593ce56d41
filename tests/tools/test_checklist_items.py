"""Checklists by tools: items are named by their texts, and all that a call names are ticked, or none."""

from ..world import World
from .talk import talking

TEXT = "- [ ] Write  Tests\n- [x] Draft\n- [ ] page\n- [ ] Page\n"
ITEMS = [
    {"text": "Write  Tests", "done": False},
    {"text": "Draft", "done": True},
    {"text": "page", "done": False},
    {"text": "Page", "done": False},
]


async def test_an_agent_sees_the_items_and_ticks_them_by_their_texts(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.field(board, "review", "richtext")
    card = await world.card(board, fieldValues=[{"fieldId": board.field("description"), "value": TEXT}])
    path = f"/cards/{card['id']}"
    async with talking(agent) as talk:
        shown = await talk.ok("get_card", card=card["key"])
        assert (shown["checklist"], shown["card"]["checklist"]) == (ITEMS, {"done": 1, "total": 4})
        listed = await talk.ok("get_card", card=card["key"], part="checklist", offset=3)
        assert (listed["items"], listed["total"]) == (ITEMS[3:], 4)
        # As names are compared, with the mark if an agent copies it; of equal ones the first in the other state.
        await talk.ok("update_card", card=card["key"], check=["write_tests", "PAGE", "page"], uncheck=["- [x] draft"])
        text = TEXT.replace("[x] Draft", "[ ] Draft").replace("[ ] Write", "[x] Write").replace("[ ] p", "[x] p")
        text = text.replace("[ ] Page", "[x] Page")
        assert (await world.sa.get(path)).ok()["fieldValues"][0]["value"] == text
        assert (await talk.ok("list_cards"))["items"][0]["checklist"] == {"done": 3, "total": 4}
        await talk.ok("update_card", card=card["key"], check=["page", "page", "Draft"])  # one of them is there already
        assert (await world.sa.get(path)).ok()["checklist"] == {"done": 4, "total": 4}
        fields = {"review": "1. [ ] Look\n2. [ ] Ask"}
        await talk.ok("update_card", card=card["key"], fields=fields, check=["Look"], uncheck=["Page"], title="New")
    found = (await world.sa.get(path)).ok()
    assert (found["title"], found["checklist"]) == ("New", {"done": 4, "total": 6})
    assert [row["action"] for row in await world.history(card["id"])] == ["created", *["updated"] * 3]


async def test_of_a_call_with_an_unknown_item_nothing_is_done_and_the_error_lists_the_items(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, fieldValues=[{"fieldId": board.field("description"), "value": TEXT}])
    bare = await world.card(board)
    async with talking(agent) as talk:
        wishes = {"card": card["key"], "title": "New", "check": ["Page", "Deploy"]}
        error = await talk.error("update_card", "validation_failed", **wishes)
        assert "check.1" in error["message"]
        assert error["details"]["items"] == ITEMS
        fields = {"description": "- [ ] Deploy", "nothing": "x"}
        await talk.refused("update_card", "validation_failed", card=card["key"], check=["Deploy"], fields=fields)
        error = await talk.error("update_card", "validation_failed", card=bare["key"], uncheck=["Page"])
        assert "- [ ]" in error["message"]
        (await world.sa.patch(world.sa.org(f"/columns/{card['columnId']}"), {"agentCanModerate": False})).ok()
        await talk.refused("update_card", "agent_cannot_moderate", card=card["key"], check=["Page"])
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card
