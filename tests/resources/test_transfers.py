"""Transfer of a card to another board: what it keeps, what ends, and how its former key finds it (section 8.2)."""

import asyncio
from typing import Any

from ..builders import count_rows, database, permit
from ..direct_db import execute
from ..forms import upload, values
from ..process import ServiceProcess
from ..refusals import expect_hidden, people_only
from ..snapshots import remove_volatile_parts, send, snapshot_of
from ..streams import changes, position
from ..world import Answer, Board, Client, World
from .test_card_type_change import change_type, new_field, new_type, undo


async def transfer(who: Client, card: Any, board: Board, **wishes: Any) -> Answer:
    options = {"headers": wishes.pop("headers", {})}
    return await who.post(f"/cards/{card['id']}/transfer", {"projectId": board.id, **wishes}, **options)


async def two_boards(world: World) -> tuple[Board, Board]:
    return await world.board(title="Release"), await world.board(title="Operations")


async def ids_on(world: World, board: Board, **query: Any) -> Any:
    params = {"projectId": board.id, **query}
    return (await world.sa.get(world.sa.org("/board"), params=params)).ok()


async def test_a_card_keeps_what_it_is_under_a_new_key_and_both_boards_hear_of_it(world: World) -> None:
    release, operations = await two_boards(world)
    agent = await world.agent()
    await world.column(release, "Todo", agentPickupEnabled=True, agentCanModerate=True)
    plan = await world.field(release, "plan", "file")
    tags = [{"fieldId": release.field("tags"), "value": ["a"]}]
    there = await world.card(operations)
    card, other = await world.card(release, title="Move me", fieldValues=tags), await world.card(release)
    file = await upload(world, card, plan)
    related = {"fromCardId": card["id"], "toCardId": other["id"], "kind": "blocks"}
    (await world.sa.post(world.sa.org("/relationships"), related)).ok()
    asked = {"content": "Which?", "asks": True}
    (await agent.post(f"/cards/{card['id']}/claim/mcp")).ok()
    (await agent.post(f"/cards/{card['id']}/comments/mcp", asked)).ok()
    (await agent.post(f"/cards/{card['id']}/claim/mcp")).ok()
    edge = {"toColumnId": release.columns["In Progress"], "note": "please"}
    await world.sa.patch(
        world.sa.org(f"/transitions/{release.transitions['Todo', 'In Progress']}"), {"requiresApproval": True}
    )
    (await agent.post(f"/cards/{card['id']}/move-requests/mcp", edge)).ok()
    seen = {board.id: (await ids_on(world, board))["at"] for board in (release, operations)}
    start, before = await position(world.sa), (await world.sa.get(f"/cards/{card['id']}")).ok()
    moved = (await transfer(world.member, card, operations)).ok()
    assert (moved["id"], moved["key"], moved["projectId"]) == (card["id"], "OPE-2", operations.id)
    assert (moved["columnId"], moved["version"], moved["claim"]) == (
        operations.columns["Backlog"],
        before["version"] + 1,
        None,
    )
    same = {"title", "cardTypeId", "fieldValues", "createdAt", "createdBy"}
    assert {key: moved[key] for key in same} == {key: before[key] for key in same}
    # Each way to name it leads to it, whatever board it was on.
    for name in ("REL-1", "rel1", "OPE-2", card["id"]):
        assert (await world.sa.get(f"/cards/{name}")).ok()["id"] == card["id"]
    assert (await agent.get("/cards/REL-1/mcp")).ok()["key"] == "OPE-2"
    listed = (await world.sa.get(world.sa.org("/cards"), params={"ids": "REL-1,OPE-1"})).ok()["items"]
    assert [item["id"] for item in listed] == [card["id"], there["id"]]
    (relation,) = (await world.sa.get(world.sa.org("/relationships"), params={"cardId": "REL-1"})).ok()
    assert (relation["fromCardKey"], relation["toCardKey"]) == ("OPE-2", other["key"])
    (shown,) = (await world.sa.get(f"/files/card/{card['id']}")).ok()
    assert (shown["id"], shown["cardKey"]) == (file["id"], "OPE-2")
    # What agents had begun there has ended.
    (request,) = (await world.sa.get(world.sa.org("/move-requests"), params={"cardId": card["id"]})).ok()["items"]
    (question,) = (await world.sa.get(world.sa.org("/questions"))).ok()["items"]
    assert (request["state"], question["state"]) == ("stale", "withdrawn")
    released, row = (await world.history(card["id"]))[-2:]
    assert (released["action"], released["changes"]) == ("released", {"claim": {"from": "bot", "to": None}})
    assert (row["action"], row["actor"]["id"], row["changes"]) == (
        "transferred",
        world.member.id,
        {
            "projectId": {"from": release.id, "to": operations.id},
            "columnId": {"from": release.columns["Todo"], "to": operations.columns["Backlog"]},
            "key": {"from": "REL-1", "to": "OPE-2"},
        },
    )
    for board in (release, operations):
        found = (await changes(world.sa, since=start, projectId=board.id))["items"]
        (event,) = [event for event in found if event["type"] == "card.transferred"]
        assert (event["cardId"], event["cardKey"]) == (card["id"], "OPE-2")
        assert (event["projectId"], event["fromProjectId"]) == (operations.id, release.id)
        delta = await ids_on(world, board, since=seen[board.id])
        assert card["id"] in delta["changed"]
        assert (card["id"] in {item["id"] for item in delta["cards"]}) == (board is operations)
    found = (await world.sa.get(world.sa.org("/search"), params={"q": "Move me"})).ok()["items"]
    assert [item["cardKey"] for item in found] == ["OPE-2"]


async def test_undo_brings_it_back_with_its_key_and_undoing_that_again_there(world: World) -> None:
    release, operations = await two_boards(world)
    card = await world.card(release, "Review", title="There and back")
    for number in (1, 2):
        assert (await transfer(world.sa, card, operations)).ok()["key"] == "OPE-1"
        result = await undo(world, card)
        assert (result["card"]["key"], result["card"]["columnId"]) == ("REL-1", release.columns["Review"])
        assert (await world.sa.get("/cards/OPE-1")).ok()["key"] == "REL-1"
        assert count_rows(world, "former_card_keys", card["id"]) == 1, number
    await world.column(release, "Review", agentPickupEnabled=True, agentCanModerate=True)
    agent = await world.agent()
    (await agent.post(f"/cards/{card['id']}/claim/mcp")).ok()
    start = await position(world.sa)
    at = (await world.history(card["id"]))[-2]["createdAt"]  # of the undo before the claim
    body = {"operations": [{"cardId": card["id"], "undo": {"at": at}}]}
    (result,) = (await world.sa.post(world.sa.org("/cards/batch"), body)).ok()["results"]
    assert (result["card"]["key"], result["card"]["claim"]) == ("OPE-1", None)
    assert [row["action"] for row in (await world.history(card["id"]))[-2:]] == ["released", "undone"]
    with database(world) as connection:  # reports do not count it as a move
        query = "SELECT column_change FROM history WHERE card_id = ? AND action = 'undone'"
        assert set(connection.execute(query, (card["id"],))) == {("transferred",)}
    # Who did not transfer it needs no transition either.
    at = (await world.history(card["id"]))[-1]["createdAt"]
    body = {"operations": [{"cardId": card["id"], "undo": {"at": at}}]}
    (result,) = (await world.member.post(world.member.org("/cards/batch"), body)).ok()["results"]
    assert result["card"]["key"] == "REL-1"
    assert (await undo(world, card))["card"]["key"] == "OPE-1"
    found = (await changes(world.sa, since=start, projectId=release.id))["items"]
    event = next(event for event in found if event["type"] == "card.undone")
    assert (event["type"], event["fromProjectId"], event["projectId"]) == ("card.undone", release.id, operations.id)
    assert (await world.sa.get("/cards/REL-1")).ok()["key"] == "OPE-1"
    # A card that comes back by itself has its former key, too; the next card gets a new one.
    assert (await transfer(world.sa, card, release)).ok()["key"] == "REL-1"
    assert (await world.card(release))["key"] == "REL-2"
    # The transfer cannot be undone once the board is gone, or the column is full.
    (await transfer(world.sa, card, operations)).ok()
    (await world.sa.patch(world.sa.org(f"/columns/{release.columns['Backlog']}"), {"wipLimit": 1})).ok()
    await world.card(release, "Backlog")
    await permit(world, "Member", "Card", "read", "update")
    at = (await world.history(card["id"]))[-1]["createdAt"]
    body = {"operations": [{"cardId": card["id"], "undo": {"at": at}}]}
    (result,) = (await world.member.post(world.member.org("/cards/batch"), body)).ok()["results"]
    assert (result["error"]["code"], result["error"]["details"]["action"]) == ("permission_denied", "create")
    assert (await undo(world, card))["error"]["code"] == "wip_limit_reached"
    (await world.sa.delete(world.sa.org(f"/projects/{release.id}"))).ok()
    assert (await undo(world, card))["error"]["details"]["state"] == "board_gone"


async def test_the_type_is_one_that_the_board_can_use_and_values_follow_its_fields(world: World) -> None:
    release, operations = await two_boards(world)
    bug = await new_type(world, "Bug", projectId=release.id)
    task = await new_type(world, "Chore", projectId=operations.id)
    notes, extra = await new_field(world, bug, "notes"), await new_field(world, bug, "extra")
    notes_there = await new_field(world, task, "notes", validation="^L")
    filled = [{"fieldId": notes, "value": "Look"}, {"fieldId": extra, "value": "More"}]
    card = await world.card(release, cardTypeId=bug, fieldValues=filled)
    answer = await transfer(world.sa, card, operations)
    assert answer.invalid() == ["cardTypeId"]
    assert answer.body["error"]["details"]["options"] == [release.card_type["title"], "Chore"]
    assert (await transfer(world.sa, card, operations, cardTypeId=bug)).invalid() == ["cardTypeId"]
    moved = (await transfer(world.sa, card, operations, cardTypeId=task)).ok()
    assert (moved["cardTypeId"], moved["fieldValues"]) == (task, [{"fieldId": notes_there, "value": "Look"}])
    row = (await world.history(card["id"]))[-1]["changes"]
    assert row["cardTypeId"] == {"from": bug, "to": task}
    assert row["fieldValues.extra"] == {"from": "More", "to": None}
    assert "fieldValues.notes" not in row
    back = (await undo(world, card))["card"]
    assert (back["cardTypeId"], back["projectId"]) == (bug, release.id)
    assert await values(world, card) == {notes: "Look", extra: "More"}
    bug_there = await new_type(world, "bug", projectId=operations.id)
    assert (await transfer(world.sa, card, operations)).ok()["cardTypeId"] == bug_there
    (await change_type(world.sa, card, bug)).invalid()


async def test_the_rules_of_the_target_column_hold_but_no_transition_is_needed(world: World) -> None:
    release, operations = await two_boards(world)
    card = await world.card(release)
    first = operations.columns["Backlog"]
    assert (await transfer(world.sa, card, operations, columnId=release.columns["Todo"])).invalid() == ["columnId"]
    path = world.sa.org(f"/columns/{first}")
    (await world.sa.patch(path, {"wipLimit": 1, "requiredFieldIds": [release.field("tags")]})).ok()
    details = (await transfer(world.sa, card, operations)).refused(400, "required_fields_missing")
    assert (details["fieldIds"], details["cardKey"]) == ([release.field("tags")], card["key"])
    filled = [{"fieldId": release.field("tags"), "value": ["a"]}]
    (await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": filled})).ok()
    await world.card(operations, "Backlog")
    (await transfer(world.sa, card, operations)).refused(400, "wip_limit_reached")
    await world.column(operations, "Done", rejectsBlocked=True)
    blocker = await world.card(release)
    related = {"fromCardId": blocker["id"], "toCardId": card["id"], "kind": "blocks"}
    (await world.sa.post(world.sa.org("/relationships"), related)).ok()
    (await transfer(world.sa, card, operations, columnId=operations.columns["Done"])).refused(400, "card_blocked")
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["key"] == card["key"]
    last = await world.card(operations, "Review")
    there = (await transfer(world.sa, card, operations, columnId=operations.columns["Review"])).ok()
    assert await world.above(there) == last["id"]


async def test_the_column_requires_the_fields_of_the_type_that_the_card_gets(world: World) -> None:
    release, operations = await two_boards(world)
    bug = await new_type(world, "Bug", projectId=release.id)
    chore = await new_type(world, "Chore", projectId=operations.id)
    notes, notes_there = await new_field(world, bug, "notes"), await new_field(world, chore, "notes")
    steps = await new_field(world, chore, "steps", required=True)
    card = await world.card(release, cardTypeId=bug, fieldValues=[{"fieldId": notes, "value": "Look"}])
    wishes = {"columnId": operations.columns["Review"], "cardTypeId": chore}
    details = (await transfer(world.sa, card, operations, **wishes)).refused(400, "required_fields_missing")
    assert details["fieldIds"] == [steps]
    (await world.sa.patch(world.sa.org(f"/card-types/{chore}/fields/{steps}"), {"required": False})).ok()
    await world.column(operations, "Review", requiredFieldIds=[notes_there])
    assert (await transfer(world.sa, card, operations, **wishes)).ok()["columnId"] == wishes["columnId"]


async def test_the_exact_title_of_a_type_counts_first_and_parts_keep_their_own_type(world: World) -> None:
    release, operations = await two_boards(world)
    bug = await new_type(world, "Bug", projectId=release.id)
    _, exact, chore = [await new_type(world, title, projectId=operations.id) for title in ("bug", "Bug", "Chore")]
    card = await world.card(release, cardTypeId=bug)
    parts = [{"title": "Own"}, {"title": "Shared", "cardTypeId": release.card_type["id"]}]
    made = (await world.sa.post(f"/cards/{card['id']}/split", {"parts": parts})).ok()["items"]
    moved = (await transfer(world.sa, card, operations, withParts=True, cardTypeId=chore)).ok()
    types = [(await world.sa.get(f"/cards/{part['id']}")).ok()["cardTypeId"] for part in made]
    assert (moved["cardTypeId"], types) == (chore, [exact, release.card_type["id"]])


async def test_parts_come_along_all_or_none_and_else_remain_parts_from_afar(world: World) -> None:
    release, operations = await two_boards(world)
    card = await world.card(release)
    (await world.sa.post(f"/cards/{card['id']}/split", {"parts": [{"title": title} for title in "ABC"]})).ok()
    (await world.sa.delete("/cards/REL-3")).ok()
    moved = (await transfer(world.sa, card, operations)).ok()
    assert (moved["key"], moved["parts"]) == ("OPE-1", {"done": 0, "total": 2})
    assert (await world.sa.get("/cards/REL-2")).ok()["parent"]["key"] == "OPE-1"
    (await transfer(world.sa, card, release)).ok()
    (await world.sa.patch(world.sa.org(f"/columns/{operations.columns['Backlog']}"), {"wipLimit": 2})).ok()
    (await transfer(world.sa, card, operations, withParts=True)).refused(400, "wip_limit_reached")
    assert (await world.sa.get("/cards/REL-1")).ok()["projectId"] == release.id
    bug = await new_type(world, "Bug", projectId=release.id)
    (await change_type(world.sa, {"id": "REL-4"}, bug)).ok()
    review = operations.columns["Review"]
    answer = await transfer(world.sa, card, operations, withParts=True, columnId=review)
    assert (answer.invalid(), answer.body["error"]["details"]["cardKey"]) == (["cardTypeId"], "REL-4")
    assert (await world.sa.get("/cards/REL-2")).ok()["key"] == "REL-2"
    wishes = {"withParts": True, "columnId": review, "cardTypeId": release.card_type["id"]}
    assert (await transfer(world.sa, card, operations, **wishes)).ok()["key"] == "OPE-1"
    parts = [(await world.sa.get(f"/cards/{key}")).ok() for key in ("REL-2", "REL-4")]
    assert [(part["key"], part["columnId"]) for part in parts] == [("OPE-2", review), ("OPE-3", review)]
    assert parts[1]["cardTypeId"] == release.card_type["id"]
    assert (await world.sa.get("/cards/REL-3")).ok()["key"] == "REL-3"  # it is in the archive
    for count in (50, 1):
        (await world.sa.post(f"/cards/{card['id']}/split", {"parts": [{"title": "P"}] * count})).ok()
    assert (await transfer(world.sa, card, release, withParts=True)).invalid() == ["withParts"]


async def test_who_may_not_update_and_create_cards_or_names_no_other_active_board_transfers_nothing(
    world: World,
) -> None:
    release, operations = await two_boards(world)
    card, theirs = await world.card(release), await world.board(world.outsider)
    path, body = f"/cards/{card['id']}/transfer", {"projectId": operations.id}
    await people_only(world, "POST", path, body)
    await expect_hidden(world, "POST", path, body)
    for actions in (("read", "update"), ("read", "create")):
        await permit(world, "Member", "Card", *actions)
        (await transfer(world.member, card, operations)).refused(403, "permission_denied")
    (await transfer(world.sa, card, operations, headers={"If-Match": '"9"'})).refused(412, "precondition_failed")
    assert (await transfer(world.sa, card, release)).invalid() == ["projectId"]
    for board_id in (theirs.id, "nothing"):
        answer = await world.sa.post(path, {"projectId": board_id})
        assert answer.invalid() == ["projectId"]
        assert answer.body["error"]["details"]["options"] == ["Release", "Operations"]
    for wrong in ({}, {"projectId": None}, body | {"withParts": "yes"}, body | {"columnId": ""}, body | {"more": 1}):
        (await world.sa.post(path, wrong)).refused(400, "validation_failed")
    (await world.sa.delete(world.sa.org(f"/projects/{operations.id}"))).ok()
    assert (await transfer(world.sa, card, operations)).invalid() == ["projectId"]
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    (await transfer(world.sa, card, await world.board(title="Third"))).refused(409, "archived_parent")


async def test_former_keys_go_with_their_card_or_board_and_an_ambiguous_text_names_them(world: World) -> None:
    release, operations = await two_boards(world)
    for board, key in ((release, "AB"), (operations, "AB1")):
        (await world.sa.patch(world.sa.org(f"/projects/{board.id}"), {"key": key})).ok()
    cards = [await world.card(release) for _ in range(11)]
    (await transfer(world.sa, cards[-1], operations)).ok()  # AB-11 is AB1-1 now
    assert (await world.sa.get("/cards/AB11")).ok()["id"] == cards[-1]["id"]
    (await transfer(world.sa, cards[0], operations)).ok()
    (await transfer(world.sa, cards[0], release)).ok()
    third = await world.board(title="Third")
    (await transfer(world.sa, cards[-1], third)).ok()
    (await world.sa.patch(world.sa.org(f"/projects/{release.id}"), {"key": "NEW"})).ok()
    for name in ("AB-11", "NEW-11", "AB1-1", "THI-1"):
        assert (await world.sa.get(f"/cards/{name}")).ok()["id"] == cards[-1]["id"], name
    # Without its hyphen a former key can mean several cards, as any key.
    (await world.sa.patch(world.sa.org(f"/projects/{release.id}"), {"key": "AB"})).ok()
    other, moved = await world.card(operations), await world.card(release)
    assert (other["key"], moved["key"]) == ("AB1-3", "AB-12")
    await execute(world, "UPDATE cards SET number = 13 WHERE id = :id", id=moved["id"])
    (await transfer(world.sa, moved, third)).ok()
    details = (await world.sa.get("/cards/AB13")).refused(400, "validation_failed")
    assert sorted(details["options"]) == ["AB-13", "AB1-3"]
    (await transfer(world.sa, other, third)).ok()
    (await world.sa.delete(f"/cards/{cards[-1]['id']}", params={"mode": "permanent"})).ok()
    assert count_rows(world, "former_card_keys", cards[-1]["id"]) == 0
    assert (await world.sa.get("/cards/AB-11")).status == 404
    (await world.sa.delete(world.sa.org(f"/projects/{operations.id}"), params={"mode": "permanent"})).ok()
    assert count_rows(world, "former_card_keys", other["id"]) == 0
    assert (await world.sa.get(f"/cards/{other['id']}")).ok()["projectId"] == third.id


async def test_former_keys_come_back_from_an_export_and_an_import_moves_a_card_as_well(world: World) -> None:
    release, operations = await two_boards(world)
    card, _ = await world.card(release), await world.card(operations)
    before = await snapshot_of(world.sa)
    (await transfer(world.sa, card, operations)).ok()
    after = await snapshot_of(world.sa)
    row = next(row for row in after["cards"] if row["id"] == card["id"])
    assert (row["formerKeys"], row["number"]) == (["REL-1"], 2)
    # Into an empty organization, over the same one, and over the state of then.
    copy = {**after, "organization": {**after["organization"], "title": "Same"}}
    (await send(world.sa, copy)).ok()
    assert remove_volatile_parts(await snapshot_of(world.sa))["cards"] == remove_volatile_parts(after)["cards"]
    (await send(world.sa, before)).ok()
    assert (await world.sa.get("/cards/OPE-2")).ok()["key"] == "REL-1"
    (await send(world.sa, after)).ok()
    assert (await world.sa.get("/cards/REL-1")).ok()["key"] == "OPE-2"
    assert count_rows(world, "former_card_keys", card["id"]) == 1
    older = {**after, "cards": [{key: value for key, value in row.items() if key != "formerKeys"}]}
    (await send(world.sa, older)).ok()
    assert (await world.sa.get("/cards/REL-1")).ok()["key"] == "OPE-2"
    for wrong in ("REL", "rel-1", "REL-0", "REL-" + "9" * 13, 1):
        answer = await send(world.sa, {**after, "cards": [{**row, "formerKeys": [wrong]}]})
        assert answer.refused(400, "InvalidSnapshotShape")["path"].startswith("cards.0.formerKeys")


async def test_no_new_card_gets_a_former_key_of_an_import(world: World) -> None:
    release, operations = await two_boards(world)
    card = await world.card(operations)
    snapshot = await snapshot_of(world.sa)
    projects = [{key: value for key, value in row.items() if key != "lastNumber"} for row in snapshot["projects"]]
    (row,) = snapshot["cards"]
    (await send(world.sa, {**snapshot, "projects": projects, "cards": [{**row, "formerKeys": ["REL-2"]}]})).ok()
    assert [(await world.card(release))["key"] for _ in range(2)] == ["REL-3", "REL-4"]
    assert (await world.sa.get("/cards/REL-2")).ok()["id"] == card["id"]
    (await send(world.sa, await snapshot_of(world.sa))).ok()  # a later import takes what this one has raised
    assert (await world.card(release))["key"] == "REL-5"


async def test_transfers_and_moves_at_once_leave_one_card_with_one_number(world: World) -> None:
    boards = [*await two_boards(world), await world.board(title="Third")]
    card = await world.card(boards[0])
    move = {"toColumnId": boards[0].columns["In Progress"]}
    writes = [transfer(world.sa, card, board) for board in boards[1:] * 5]
    writes += [world.sa.patch(f"/cards/{card['id']}/status", move) for _ in range(5)]
    answers = await asyncio.gather(*writes)
    assert {answer.status for answer in answers} <= {200, 400}
    place = (await world.sa.get(f"/cards/{card['id']}")).ok()
    history = await world.history(card["id"])
    assert place["version"] == len(history)
    keys = {row["changes"]["key"]["to"] for row in history if row["action"] == "transferred"} | {"REL-1"}
    for key in keys:
        assert (await world.sa.get(f"/cards/{key}")).ok()["key"] == place["key"]
    for board in boards:
        cards = (await ids_on(world, board))["cards"]
        assert [item["key"] for item in cards] == ([place["key"]] if board.id == place["projectId"] else [])
    # With one version only one of them is done.
    version = {"headers": {"If-Match": f'"{place["version"]}"'}}
    elsewhere = [board for board in boards if board.id != place["projectId"]]
    answers = await asyncio.gather(*[transfer(world.sa, card, board, **version) for board in elsewhere])
    assert sorted(answer.status for answer in answers) == [200, 412]


async def test_a_transfer_that_is_killed_is_whole_or_not_at_all(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        release, operations = await two_boards(world)
        card = await world.card(release)
        (await world.sa.post(f"/cards/{card['id']}/split", {"parts": [{"title": "P"}] * 50})).ok()
        task = asyncio.ensure_future(transfer(world.sa, card, operations, withParts=True))
        await asyncio.sleep(0.05)
        service_process.kill()
        await asyncio.gather(task, return_exceptions=True)
    service_process.start()
    async with World(service_process.url) as world:
        counts = [len((await ids_on(world, board))["cards"]) for board in (release, operations)]
        assert sorted(counts) == [0, 51]
        if counts[0]:
            (await transfer(world.sa, card, operations, withParts=True)).ok()
        assert len((await ids_on(world, operations))["cards"]) == 51
