"""Wrong values in the bodies and queries of cards, columns and profiles: each is named, and nothing is changed.

Unknown and missing keys, NUL characters and bodies that are no JSON object are walked by test_request_body.
"""

from typing import Any

from ..snapshots import remove_volatile_parts, snapshot_of
from ..world import Answer, World

BLANK = "\u200b\u3164 "  # characters that are not seen
HUGE = 10**30
LONG = "x" * 100_001
NO_ID: list[Any] = [None, 1, True, [], {}, "", "x" * 129]
NO_FLAG: list[Any] = [None, 0, 1, "true", "", [], {}]
NO_TITLE: list[Any] = [1, True, [], {}, "", BLANK, "x" * 501, "a\0b"]
TICK = {"fieldId": "fld", "item": 0, "text": "one", "done": True}
WRONG_TICKS: dict[str, list[Any]] = {
    "fieldId": [None, 1, [], "", "x" * 129],
    "item": [None, -1, 1.5, True, "0", HUGE],
    "text": [None, 1, [], LONG, "a\0b"],
    "done": NO_FLAG,
}


def wrong_bodies(project_id: str) -> list[tuple[str, str, dict[str, Any], str]]:
    """List (method, path below the card, body, path of what is wrong in it)."""
    wrong: list[tuple[str, str, dict[str, Any], str]] = []

    def add(method: str, route: str, body: dict[str, Any], values: dict[str, list[Any]], before: str = "") -> None:
        for key, choices in values.items():
            wrong.extend((method, route, {**body, key: value}, before + key) for value in choices)

    add("PATCH", "/checklist", TICK, WRONG_TICKS)
    for key, choices in WRONG_TICKS.items():
        for value in choices:
            wrong.append(("PATCH", "", {"checklist": [{**TICK, key: value}]}, f"checklist.0.{key}"))
    add("PATCH", "", {}, {"checklist": [None, {}, "x", [TICK] * 501], "cardTypeId": NO_ID})
    flags = {"withParts": NO_FLAG}
    add("POST", "/transfer", {"projectId": project_id}, {"projectId": NO_ID, "columnId": NO_ID[1:], **flags})
    add("POST", "/transfer", {"projectId": project_id}, {"cardTypeId": NO_ID[1:]})
    add("POST", "/duplicate", {}, {"title": NO_TITLE, "columnId": NO_ID[1:], **flags})
    parts = [{"title": "P"}]
    add("POST", "/split", {"parts": parts}, {"parts": [None, {}, [], parts * 51], "columnId": NO_ID[1:]})
    for value in [None, *NO_TITLE]:
        wrong.append(("POST", "/split", {"parts": [{"title": "P"}, {"title": value}]}, "parts.1.title"))
    return wrong


def expect(answer: Answer, path: str, request: Any) -> None:
    named = answer.invalid()
    assert path in named, (named, request)


async def test_wrong_values_are_named_and_change_nothing(world: World) -> None:
    board, other = await world.board(), await world.board(title="Other")
    values = [{"fieldId": board.field("description"), "value": "- [ ] one"}]
    card = await world.card(board, fieldValues=values)
    before = remove_volatile_parts(await snapshot_of(world.sa))
    for method, route, body, path in wrong_bodies(other.id):
        answer = await world.sa.call(method, f"/cards/{card['id']}{route}", body)
        expect(answer, path, (method, route, str(body)[:200]))
    for value in NO_FLAG:
        new = {"projectId": board.id, "title": "New", "connectToNeighbors": value}
        expect(await world.sa.post(world.sa.org("/columns"), new), "connectToNeighbors", value)
    for value in (None, 1, [], BLANK, "mo\u200b", "mo-member\0", "m\uff4f", LONG):
        expect(await world.sa.patch("/settings/profile", {"handle": value}), "handle", value)
    assert remove_volatile_parts(await snapshot_of(world.sa)) == before
    assert len(await world.history(card["id"])) == 1
    (await world.sa.call("PUT", f"/cards/{card['id']}/watch", {"more": 1})).refused(400, "validation_failed")


async def test_wrong_values_of_filters_are_named_and_none_is_too_long_to_answer(world: World) -> None:
    board = await world.board()
    await world.card(board)
    agent = await world.agent()
    wrong: dict[str, list[str]] = {
        "assignedUserId": ["", "usr_none", "ME", "a\0b", BLANK, "x" * 5_000],
        "assignedAgentId": ["", "nobody-here", "Me", BLANK],
        "projectId": ["", "none", "me", "x" * 5_000],
        "columnId": ["", "none"],
        "cardTypeId": ["", "none"],
        "claimedBy": ["", "none", "me"],
        "priority": ["", "High", "none,low", "5"],
        "due": ["", "Today", "tomorrow", "2026-02-30..2026-03-01", "2026-03-02..2026-03-01", "..", "2026-01-01"],
        "updatedSince": ["", "yesterday", "2d2h", "-1d", "9" * 400 + "d"],
        "field": ["", "tags", ":x", f"{BLANK}:x", "nothing:x", "tags:" + "x" * 500],
    }
    for caller, suffix in ((world.sa, ""), (agent, "/mcp")):
        for path in (f"/cards{suffix}", f"/search{suffix}"):
            params = {"q": "card"} if "search" in path else {}
            for key, values in wrong.items():
                for value in values:
                    answer = await caller.get(caller.org(path), params={**params, key: value})
                    expect(answer, key, (path, key, value[:100]))
            (await caller.get(caller.org(path), params=params)).ok()
    for key, value in (("state", "OPEN"), ("state", ""), ("pageSize", "101"), ("page", "0"), ("page", str(HUGE))):
        expect(await world.sa.get("/me/cards", params={key: value}), key, value)
    for path in (
        "/cards?archived=all",
        "/cards?archived=",
        "/move-requests?cardId=",
        "/refusals?cardId=",
        "/refusals?since=",
    ):
        expect(await world.sa.get(world.sa.org(path)), path.partition("?")[2].partition("=")[0], path)
