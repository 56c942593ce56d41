"""Comments and history that came with an import are marked wherever they are shown, and cannot be undone."""

from typing import Any

from ...snapshots import ACTOR, NOW, card, send, small, snapshot_of
from ...tools.talk import talking
from ...world import MEMBER, Client, World
from .test_trello import SMALL
from .test_trello import send as send_trello

AGENT = {"type": "Agent", "id": "bot"}
LATER = "2026-11-21T09:05:00.000Z"


def snapshot(**groups: Any) -> dict[str, Any]:
    """Make a snapshot with comments and history that claim not to be imported."""
    rows = {"cardId": "c1", "imported": False}
    return small(
        comments=[
            {"id": "m1", "content": "First", "actor": ACTOR, "createdAt": NOW, **rows},
            {"id": "m2", "content": "Reply", "actor": ACTOR, "createdAt": NOW, "parentId": "m1", **rows},
        ],
        history=[
            {"id": "h1", "action": "created", "actor": AGENT, "createdAt": NOW, "changes": {}, **rows},
            {"id": "h2", "action": "updated", "actor": AGENT, "createdAt": LATER, "changes": renamed(), **rows},
        ],
        **groups,
    )


def renamed() -> Any:
    return {"title": {"from": "Before", "to": "C"}}


async def imported(world: World, **groups: Any) -> Client:
    """Import the snapshot; return its Solution Architect."""
    (await send(world.sa, snapshot(**groups))).ok()
    return world.client({**world.sa.headers, "X-Organization-Id": "org_small"}, org_id="org_small")


async def test_each_row_that_came_with_an_import_says_so_and_no_other(world: World) -> None:
    sa = await imported(world)
    made = (await sa.post("/cards/c1/comments", {"content": "Here"})).ok()
    assert made["imported"] is False
    (await sa.post("/cards/c1/comments/m1/replies", {"content": "Here, too"})).ok()
    comments = (await sa.get("/cards/c1/comments")).ok()["items"]
    newest_first = (await sa.get("/cards/c1/comments", params={"order": "desc"})).ok()["items"]
    assert [comment["imported"] for comment in comments] == [True, False]
    assert newest_first == comments[::-1]
    assert [reply["imported"] for reply in comments[0]["replies"]] == [True, False]
    replies = (await sa.get("/cards/c1/comments/m1/replies")).ok()["items"]
    assert [reply["imported"] for reply in replies] == [True, False]
    said = (await sa.get("/cards/c1/context")).ok()["comments"]
    assert {comment["id"]: comment["imported"] for comment in said if comment["id"] in ("m1", "m2", made["id"])} == {
        "m1": True,
        "m2": True,
        made["id"]: False,
    }
    for query in ({}, {"order": "desc"}, {"page": 1}):
        rows = (await sa.get("/cards/c1/history", params=query)).ok()
        assert {row["action"]: row["imported"] for row in rows} == {
            "created": True,
            "updated": True,
            "commented": False,
            "replied": False,
        }
    shown = (await sa.get("/cards/c1", params={"include": "comments,history"})).ok()
    assert [row["imported"] for row in shown["comments"] + shown["history"]].count(True) == 3


async def test_the_next_export_keeps_the_marks_and_an_import_of_it_too(world: World) -> None:
    sa = await imported(world)
    (await sa.post("/cards/c1/comments", {"content": "Here"})).ok()
    exported = await snapshot_of(sa)
    assert {row["id"]: row["imported"] for row in exported["history"] if row["imported"]} == {"h1": True, "h2": True}
    assert [row["imported"] for row in exported["comments"]].count(True) == 2
    (await send(world.sa, exported)).ok()  # what was recorded here stays so
    assert await snapshot_of(sa, includeHistory="true") | {"meta": 0, "exportedAt": 0} == exported | {
        "meta": 0,
        "exportedAt": 0,
    }
    (await sa.delete("/cards/c1?mode=permanent")).ok()
    (await send(world.sa, exported)).ok()
    again = await snapshot_of(sa)
    assert {row["imported"] for row in again["comments"] + again["history"]} == {True}


async def test_what_the_import_itself_records_is_no_imported_row(world: World) -> None:
    sa = await imported(world)
    (await send(world.sa, snapshot(cards=[card(title="Changed")]))).ok()
    rows = (await sa.get("/cards/c1/history")).ok()
    assert [(row["action"], row["imported"]) for row in rows] == [
        ("created", True),
        ("updated", True),
        ("imported", False),
    ]


async def test_agents_see_the_marks_in_their_tools(world: World) -> None:
    sa = await imported(world, agents=[{"id": "old", "title": "Old"}])
    key = await world.agent("reader", sa)
    (await sa.post("/cards/c1/comments", {"content": "Here"})).ok()
    async with talking(key) as talk:
        shown = (await talk.ok("get_card", card="c1"))["comments"]
        said = {comment["content"]: comment.get("imported") for comment in shown}
        assert (said["First"], said["Here"]) == (True, None)
        items = (await talk.ok("history", card="c1"))["items"]
        assert [item.get("imported") for item in items] == [None, True, True]


async def test_imported_changes_are_not_undone_and_say_why(world: World) -> None:
    sa = await imported(world)
    body = {"operations": [{"cardId": "c1", "undo": {"at": LATER}}]}
    error = (await sa.post(sa.org("/cards/batch"), body)).ok()["results"][0]["error"]
    assert (error["code"], error["details"]["state"]) == ("conflict", "imported")
    assert error["message"] == "The change came with an import and was not recorded here. Set the value yourself."
    for is_dry in (True, False):
        undone = {"agentId": "bot", "from": NOW, "dryRun": is_dry}
        (item,) = (await sa.post(sa.org("/undo"), undone)).ok()["items"]
        assert {kept["name"]: kept["reason"] for kept in item["kept"]} == {"created": "imported", "title": "imported"}
    now = (await sa.get("/cards/c1")).ok()
    assert (now["title"], now["archivedAt"]) == ("C", None)


async def test_a_change_made_here_is_undone_back_to_what_was_imported(world: World) -> None:
    sa = await imported(world)
    changed = (await sa.patch("/cards/c1", {"title": "Here"})).ok()
    body = {"operations": [{"cardId": "c1", "undo": {"at": changed["updatedAt"]}}]}
    assert (await sa.post(sa.org("/cards/batch"), body)).ok()["results"][0]["card"]["title"] == "C"


async def test_comments_of_a_trello_board_are_imported_ones(world: World) -> None:
    project = (await send_trello(world.sa, SMALL.read_bytes())).ok()["project"]["id"]
    cards = (await world.sa.get(world.sa.org("/cards"), params={"projectId": project})).ok()["items"]
    well = next(card for card in cards if card["title"] == "Dig a well")
    comments = (await world.sa.get(f"/cards/{well['id']}/comments")).ok()["items"]
    assert {comment["imported"] for comment in comments} == {True}
    assert [(row["action"], row["imported"]) for row in await world.history(well["id"])] == [("imported", False)]


async def test_an_imported_question_shows_no_answer_from_another_organization(world: World) -> None:
    theirs = await world.card(await world.board(world.outsider), by=world.outsider)
    secret = (await world.outsider.post(f"/cards/{theirs['id']}/comments", {"content": "Secret"})).ok()
    asks = {"state": "answered", "answerId": secret["id"], "answeredBy": ACTOR, "answeredAt": NOW}
    question = {"id": "m1", "cardId": "c1", "content": "Which?", "actor": AGENT, "asks": asks}
    (await send(world.sa, small(comments=[question]))).ok()
    (shown,) = (await world.sa.get("/organizations/org_small/questions")).ok()["items"]
    assert (shown["content"], shown["answer"]) == ("Which?", None)
    assert (await world.sa.get("/cards/c1/context")).ok()["question"]["answer"] is None


async def test_catching_up_shows_no_answer_that_is_no_reply_to_its_question(world: World) -> None:
    theirs = await world.card(await world.board(world.outsider), by=world.outsider)
    secret = (await world.outsider.post(f"/cards/{theirs['id']}/comments", {"content": "Secret"})).ok()
    question = {"id": "m1", "cardId": "c1", "content": "Which?", "actor": AGENT, "asks": {"state": "open"}}
    (await send(world.sa, small(comments=[question]))).ok()
    sa = world.client({**world.sa.headers, "X-Organization-Id": "org_small"}, org_id="org_small")
    (await sa.post("/cards/c1/comments/m1/replies", {"content": "This"})).ok()
    await world.join(sa, world.member, MEMBER)
    member = world.client({**world.member.headers, "X-Organization-Id": "org_small"}, org_id="org_small")
    (item,) = (await member.get(member.org("/catch-up"), params={"since": "1d"})).ok()["items"]
    assert item["answer"]["content"] == "This"
    (await sa.delete("/cards/c1?mode=permanent")).ok()
    asks = {"state": "answered", "answerId": secret["id"], "answeredBy": ACTOR, "answeredAt": NOW}
    (await send(world.sa, small(comments=[question | {"asks": asks}]))).ok()
    (item,) = (await member.get(member.org("/catch-up"), params={"since": "1d"})).ok()["items"]
    assert item["what"]["commented"] == 1  # the reply is told of, also after its card was removed
    assert "answer" not in item
