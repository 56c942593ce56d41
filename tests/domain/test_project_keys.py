"""Keys of cards: REL-12 names a card wherever its id does, permanently, for callers who may see the card."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from service.database.queries import sql
from service.database.statement import Statement
from service.database.store import Tx
from service.domain import project_keys

from .. import forms
from ..builders import permit
from ..direct_db import execute
from ..streams import types
from ..world import Board, Client, World


async def project(world: World, title: str, by: Client | None = None, **wishes: Any) -> dict[str, Any]:
    by = by or world.sa
    made: dict[str, Any] = (await by.post(by.org("/projects"), {"title": title, **wishes})).ok()
    return made


async def take(world: World, *keys: str) -> None:
    """Reserve keys, as projects that were removed have left them."""
    text = "INSERT INTO project_keys SELECT :org, value, 'proj_removed' FROM json_each(:keys)"
    await execute(world, text, org=world.sa.org_id, keys=json.dumps(keys))


async def rename(world: World, board: Board, key: Any) -> Any:
    return await world.sa.patch(world.sa.org(f"/projects/{board.id}"), {"key": key})


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("Release", "REL"),
        ("Release work", "RW"),
        ("über alle maßen", "UAM"),
        ("Go", "GO"),
        ("C3PO", "C3P"),
        ("2024 plan", "P2P"),
        ("X", "X1"),
        ("日本", "P1"),
        ("a b c d e f g h i j k l", "ABCDEFGHIJ"),
        ("naïve-café", "NC"),
    ],
)
async def test_a_project_gets_its_key_from_its_title(world: World, title: str, key: str) -> None:
    assert (await project(world, title))["key"] == key


async def test_a_key_that_is_taken_gets_a_number(world: World) -> None:
    titles = ["Release", "Release", "relay", "X", "Y", "X", "a b c d e f g h i j", "a b c d e f g h i j"]
    keys = [(await project(world, title))["key"] for title in titles]
    assert keys == ["REL", "REL2", "REL3", "X1", "Y1", "X2", "ABCDEFGHIJ", "ABCDEFGHI2"]
    assert (await project(world, "Release", world.outsider))["key"] == "REL"


async def test_a_key_is_found_without_trying_all_that_are_taken(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = list(range(2000, 4001))  # that follow the number of keys like it
    await take(world, "REL", *(f"REL{number}" for number in numbers))
    tried = []
    find: Callable[..., Any] = Tx.value

    def count(tx: Tx, statement: Statement, /, **parameters: Any) -> Any:
        tried.extend([parameters["key"]] if statement is sql.project_keys.find_project else [])
        return find(tx, statement, **parameters)

    monkeypatch.setattr(Tx, "value", count)
    key = (await project(world, "Release"))["key"]
    assert key == "REL4050"
    assert len(set(tried)) < 30


async def test_a_title_whose_keys_are_all_taken_asks_for_one(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project_keys, "STEPS", (1, 2))
    await take(world, "X3", "X4")
    answer = await world.sa.post(world.sa.org("/projects"), {"title": "X"})
    answer.refused(409, "key_exists")
    assert "Choose a key" in answer.body["error"]["message"]
    assert (await project(world, "X", key="XX"))["key"] == "XX"


async def test_a_project_takes_the_key_that_is_wished_for(world: World) -> None:
    made = await project(world, "Release", key="OPS42")
    assert made["key"] == "OPS42"
    path = world.sa.org(f"/projects/{made['id']}")
    assert (await world.sa.get(path)).ok()["key"] == "OPS42"
    assert (await world.sa.patch(path, {"title": "Other"})).ok()["key"] == "OPS42"
    assert (await world.sa.patch(path, {"key": "NEW"})).ok()["key"] == "NEW"
    listed = (await world.sa.get(world.sa.org("/projects"))).ok()
    assert [row["key"] for row in listed] == ["NEW"]


@pytest.mark.parametrize("key", ["", "A", "rel", "Rel", "1A", "TOOLONGAKEY", "A-B", "Ä1", "AB ", 5])
async def test_a_key_that_is_none_is_refused(world: World, key: Any) -> None:
    board = await world.board()
    body = {"title": "T", "key": key}
    assert (await world.sa.post(world.sa.org("/projects"), body)).invalid() == ["key"]
    assert (await rename(world, board, key)).invalid() == ["key"]
    assert (await rename(world, board, None)).invalid() == ["key"]


async def test_a_key_stays_reserved_for_its_project_whatever_becomes_of_that(world: World) -> None:
    board, other = await world.board(title="Release"), await world.board(title="Other")
    assert (await rename(world, board, "NEW")).ok()["key"] == "NEW"
    assert (await rename(world, other, "REL")).refused(409, "key_exists") == {"key": "REL"}
    (await world.sa.post(world.sa.org("/projects"), {"title": "T", "key": "NEW"})).refused(409, "key_exists")
    assert (await rename(world, board, "REL")).ok()["key"] == "REL"
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    (await rename(world, other, "NEW")).refused(409, "key_exists")
    (await world.sa.delete(f"/archive/project/{board.id}")).ok()
    (await rename(world, other, "REL")).refused(409, "key_exists")
    assert (await world.sa.get(world.sa.org(f"/projects/{other.id}"))).ok()["key"] == "OTH"


async def test_cards_are_numbered_in_the_order_of_creation_and_no_number_comes_twice(world: World) -> None:
    board, other = await world.board(title="Release"), await world.board(title="Other")
    first, second = await world.card(board), await world.card(board)
    assert [(card["number"], card["key"]) for card in (first, second)] == [(1, "REL-1"), (2, "REL-2")]
    assert (await world.card(other))["key"] == "OTH-1"
    (await world.sa.delete(f"/cards/{second['id']}", params={"mode": "permanent"})).ok()
    assert (await world.card(board))["key"] == "REL-3"
    refused = {"projectId": board.id, "cardTypeId": board.card_type["id"], "title": "T", "presetName": "none"}
    (await world.sa.post(world.sa.org("/cards"), refused)).refused(400, "validation_failed")
    assert (await world.card(board))["key"] == "REL-4"


async def test_of_many_cards_made_at_once_each_has_a_number_of_its_own(world: World) -> None:
    board = await world.board(title="Release")
    made = await asyncio.gather(*[world.card(board) for _ in range(60)])
    assert sorted(card["number"] for card in made) == list(range(1, 61))


async def test_a_key_finds_its_card_in_either_case_and_under_former_keys(world: World) -> None:
    board, agent = await world.board(title="Release"), await world.agent()
    card = await world.card(board)
    (await rename(world, board, "NEW")).ok()
    for named in ("NEW-1", "new-1", "REL-1", "rEl-1"):
        assert (await world.member.get(f"/cards/{named}")).ok()["key"] == "NEW-1"
        assert (await agent.get(f"/cards/{named}/mcp")).ok()["id"] == card["id"]
    for named in ("NEW-2", "NEW-01", "NEW-0", "NEW-", "NEWER-1", "NEW-1-", "NEW-9999999999999999999"):
        (await world.sa.get(f"/cards/{named}")).refused(404, "not_found")
        (await agent.get(f"/cards/{named}/mcp")).refused(404, "not_found")


async def test_keys_are_looked_up_in_one_organization_only(world: World) -> None:
    here, there = await world.board(title="Release"), await world.board(world.outsider, title="Release")
    mine, foreign = await world.card(here), await world.card(there, by=world.outsider)
    second = await world.card(there, by=world.outsider)
    assert (await world.sa.get("/cards/REL-1")).ok()["id"] == mine["id"]
    assert (await world.outsider.get("/cards/REL-1")).ok()["id"] == foreign["id"]
    (await world.sa.get(f"/cards/{second['key']}")).refused(404, "not_found")
    elsewhere = {"X-Organization-Id": world.outsider.org_id}
    (await world.sa.get("/cards/REL-1", headers=elsewhere)).refused(404, "not_found")
    await world.join(world.outsider, world.member, "member@example.test")
    assert (await world.member.get("/cards/REL-1")).ok()["id"] == mine["id"]
    assert (await world.member.get("/cards/REL-1", headers=elsewhere)).ok()["id"] == foreign["id"]
    assert (await world.member.get("/cards/REL-2", headers=elsewhere)).ok()["id"] == second["id"]
    assert (await world.member.get(f"/cards/{second['id']}")).ok()["key"] == "REL-2"
    path = f"/organizations/{world.outsider.org_id}/relationships"
    (await world.outsider.post(path, {"fromCardId": "REL-1", "toCardId": "rel-2", "kind": "blocks"})).ok()
    (found,) = (await world.member.get(path, params={"cardId": "REL-2"})).ok()
    assert (found["fromCardId"], found["toCardKey"]) == (foreign["id"], "REL-2")


async def test_an_id_that_looks_like_a_key_wins_over_the_key(world: World) -> None:
    board = await world.board(title="Release")
    await world.card(board)
    snapshot = (await world.sa.get("/admin/export")).ok()
    (row,) = snapshot["cards"]
    row |= {"id": "REL-1", "number": None, "title": "By its id"}
    (await world.sa.post("/admin/import", snapshot)).ok()
    shown = (await world.sa.get("/cards/REL-1")).ok()
    assert (shown["id"], shown["key"], shown["title"]) == ("REL-1", "REL-2", "By its id")
    assert (await world.sa.get("/cards/rel-1")).ok()["title"] == "Card"


async def test_an_id_in_an_organization_that_one_does_not_know_takes_no_key_away(world: World) -> None:
    board = await world.board(world.outsider, title="Release")
    await world.card(board, by=world.outsider)
    snapshot = (await world.outsider.get("/admin/export")).ok()
    snapshot["cards"][0]["id"] = "REL-1"
    (await world.outsider.post("/admin/import", snapshot)).ok()
    mine, agent = await world.card(await world.board(title="Release")), await world.agent()
    assert (await world.sa.get("/cards/REL-1")).ok()["id"] == mine["id"]
    assert (await agent.get("/cards/REL-1/mcp")).ok()["id"] == mine["id"]


async def say(who: Client, card: str, suffix: str = "") -> Any:
    return (await who.post(f"/cards/{card}/comments{suffix}", {"content": "By key"})).ok()


async def test_every_route_about_a_card_takes_its_key_in_the_path(world: World) -> None:
    board, agent = await world.board(title="Release"), await world.agent()
    card_id, key = (await world.card(board))["id"], "REL-1"
    (await world.sa.patch(f"/cards/{key}", {"title": "Renamed"})).ok()
    (await agent.patch(f"/cards/{key}/mcp", {"priority": "high"})).ok()
    said = await say(world.member, key)
    (await agent.post(f"/cards/{key}/comments/{said['id']}/replies/mcp", {"content": "Yes"})).ok()
    assert (await world.sa.get(f"/cards/{key}/comments")).ok()["items"][0]["id"] == said["id"]
    assert (await agent.post(f"/cards/{key}/claim/mcp")).ok()["claim"]["agentId"] == "bot"
    (await agent.post(f"/cards/{key}/claim/renew/mcp")).ok()
    (await agent.delete(f"/cards/{key}/claim/mcp")).ok()
    (await agent.patch(f"/cards/{key}/mcp/status", {"toColumnId": board.columns["In Progress"]})).ok()
    assert (await agent.get(f"/cards/{key}/moves/mcp")).ok()
    assert (await world.sa.get(f"/cards/{key}", params={"include": "place"})).ok()["afterCardId"] is None
    (await world.sa.delete(f"/cards/{key}")).ok()
    (await world.sa.post(f"/cards/{key}/restore")).ok()
    rows = (await world.sa.get(f"/cards/{key}/history")).ok()
    assert {row["cardId"] for row in rows} == {card_id}
    assert {row["cardKey"] for row in rows} == {key}
    actions = ["created", "updated", "updated", "commented", "replied", "claimed", "released", "moved"]
    assert [row["action"] for row in rows] == [*actions, "archived", "restored"]
    (await world.sa.delete(f"/cards/{key}")).ok()
    assert (await world.sa.post(f"/archive/card/{key}/restore")).ok()["id"] == card_id
    (await world.sa.delete(f"/cards/{key}")).ok()
    (await world.sa.delete(f"/archive/card/{key}")).ok()
    (await world.sa.get(f"/cards/{card_id}")).refused(404, "not_found")


async def test_bodies_and_queries_take_keys_where_they_take_the_ids_of_cards(world: World) -> None:
    board, agent = await world.board(title="Release"), await world.agent()
    first, second = [await world.card(board) for _ in range(2)]
    relation = {"fromCardId": "REL-1", "toCardId": "rel-2", "kind": "blocks"}
    made = (await world.sa.post(world.sa.org("/relationships"), relation)).ok()
    ends = {"fromCardId": first["id"], "toCardId": second["id"], "fromCardKey": "REL-1", "toCardKey": "REL-2"}
    assert {name: made[name] for name in ends} == ends
    (await world.sa.post(world.sa.org("/relationships"), relation)).refused(409, "relationship_exists")
    same = {"fromCardId": first["id"], "toCardId": "REL-1", "kind": "blocks"}
    assert (await world.sa.post(world.sa.org("/relationships"), same)).invalid() == ["toCardId"]
    assert (await world.sa.get(world.sa.org("/relationships"), params={"cardId": "REL-1"})).ok() == [made]
    (await world.sa.patch(f"/cards/{first['id']}/rank", {"afterCardId": "REL-2"})).ok()
    assert await world.above(first) == second["id"]
    doing = board.columns["In Progress"]
    (await world.sa.patch("/cards/REL-2/status", {"toColumnId": doing})).ok()
    (await agent.patch("/cards/REL-1/mcp/status", {"toColumnId": doing, "afterCardId": "rel-2"})).ok()
    assert await world.above(first) == second["id"]
    (await world.edge(board, "In Progress", "Done", requiresApproval=True))
    asked = (await agent.post("/cards/REL-1/move-requests/mcp", {"toColumnId": board.columns["Done"]})).ok()
    assert (asked["cardId"], asked["cardKey"]) == (first["id"], "REL-1")
    found = (await agent.get(agent.org("/move-requests/mcp"), params={"cardId": "REL-1"})).ok()
    assert found["items"] == [asked]


async def test_a_file_that_is_sent_by_the_key_of_its_card_lies_where_its_id_says(world: World) -> None:
    board, agent = await world.board(title="Release"), await world.agent()
    card, field_id = await world.card(board), board.field("attachments")
    for who in (world.member, agent):
        file = (await forms.send(who, forms.target({"id": "REL-1"}, field_id), forms.blob())).ok()
        assert (file["cardId"], file["cardKey"]) == (card["id"], "REL-1")
        assert world.service is not None
        assert (world.service.settings.files / world.sa.org_id / card["id"] / file["id"]).is_file()
    assert not (world.service.settings.files / world.sa.org_id / "REL-1").exists()
    listed = (await world.sa.get(f"/files/card/rel-1/field/{field_id}")).ok()
    assert [row["cardKey"] for row in listed] == ["REL-1", "REL-1"]
    (await world.sa.get(f"/files/{file['id']}/content")).ok()


async def test_what_is_a_card_or_about_one_shows_its_key(world: World) -> None:
    board = await world.board(title="Release")
    card = await world.card(board, title="Harbour", dueDate="2020-01-01T00:00:00.000Z")
    listed = (await world.sa.get(world.sa.org("/cards"))).ok()["items"]
    assert [(row["number"], row["key"]) for row in listed] == [(1, "REL-1")]
    flow = (await world.sa.get(world.sa.org("/board-flow"), params={"projectId": board.id})).ok()
    assert [(row["id"], row["key"]) for row in flow["projects"]] == [(board.id, "REL")]
    assert [(row["id"], row["key"]) for row in flow["cards"]] == [(card["id"], "REL-1")]
    overview = (await world.sa.get(world.sa.org("/board-flow"))).ok()
    assert [row["key"] for row in overview["projects"]] == ["REL"]
    found = (await world.sa.get(world.sa.org("/search"), params={"q": "harbour"})).ok()["items"]
    assert [row["cardKey"] for row in found] == ["REL-1"]
    waiting = (await world.sa.get(world.sa.org("/attention"))).ok()
    assert [(row["kind"], row["cardKey"]) for row in waiting] == [("overdue_card", "REL-1")]
    (await world.sa.delete("/cards/REL-1")).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    archived = (await world.sa.get("/archive")).ok()["items"]
    assert {(row["type"], row["key"]) for row in archived} == {("project", "REL")}


async def test_a_key_opens_nothing_that_the_id_would_not(world: World) -> None:
    board, stopped = await world.board(title="Release"), await world.agent("stopped")
    await world.card(board)
    (await world.sa.patch("/agents/stopped/stop")).ok()
    (await stopped.get("/cards/REL-1/mcp")).refused(403, "agent_stopped")
    (await world.nobody.get("/cards/REL-1")).refused(401, "unauthorized")
    await permit(world, "Member", "Card", "create")
    (await world.member.get("/cards/REL-1")).refused(403, "permission_denied")
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    (await world.sa.get("/cards/REL-1")).refused(404, "not_found")


async def test_a_new_key_is_told_once(world: World) -> None:
    board = await world.board(title="Release")
    start = str((await world.sa.get(world.sa.org("/changes"))).ok()["next"])
    await rename(world, board, "NEW")
    await rename(world, board, "NEW")
    assert await types(world.sa, start) == ["project.updated"]


Change = Callable[[dict[str, Any]], None]


async def imported(world: World, change: Change, by: Callable[[], Awaitable[None]] | None = None) -> Any:
    """Export, change the snapshot (and the organization), import; return what the export says then."""
    snapshot = (await world.sa.get("/admin/export")).ok()
    change(snapshot)
    if by is not None:
        await by()
    (await world.sa.post("/admin/import", snapshot)).ok()
    return (await world.sa.get("/admin/export")).ok()


async def test_export_and_import_carry_keys_and_numbers(world: World) -> None:
    board = await world.board(title="Release")
    for _ in range(3):
        await world.card(board)
    (await rename(world, board, "NEW")).ok()
    (await world.sa.delete("/cards/NEW-3", params={"mode": "permanent"})).ok()
    snapshot = (await world.sa.get("/admin/export")).ok()
    (project_row,) = snapshot["projects"]
    assert {name: project_row[name] for name in ("key", "formerKeys", "lastNumber")} == {
        "key": "NEW",
        "formerKeys": ["REL"],
        "lastNumber": 3,
    }
    other = (await world.sa.post("/organizations", {"title": "Elsewhere"})).ok()
    (await world.sa.delete(world.sa.org(), params={"mode": "permanent"})).ok()
    elsewhere = {"X-Organization-Id": other["id"]}
    (await world.sa.post("/admin/import", snapshot, headers=elsewhere)).ok()
    home = {"X-Organization-Id": world.sa.org_id}
    assert (await world.sa.get("/cards/REL-2", headers=home)).ok()["key"] == "NEW-2"
    assert (await world.sa.get("/admin/export", headers=home)).ok()["projects"] == [project_row]
    assert (await world.card(board))["key"] == "NEW-4"


async def test_a_key_that_was_taken_meanwhile_is_given_anew(world: World) -> None:
    board = await world.board(title="Release")
    snapshot = (await world.sa.get("/admin/export")).ok()
    snapshot["projects"] = [{"id": "p1", "title": "Release", "key": "REL", "formerKeys": ["OLD", "REL"]}]
    snapshot |= {"columns": [], "transitions": [], "cards": []}
    (await world.sa.post("/admin/import", snapshot)).ok()
    (await world.sa.post("/admin/import", snapshot)).ok()
    listed = {row["id"]: row["key"] for row in (await world.sa.get(world.sa.org("/projects"))).ok()}
    assert listed == {board.id: "REL", "p1": "REL2"}
    (await rename(world, board, "OLD")).refused(409, "key_exists")


async def test_a_number_that_is_taken_is_given_anew_and_a_card_that_is_there_keeps_its_own(world: World) -> None:
    board = await world.board(title="Release")
    first, second = [await world.card(board) for _ in range(2)]

    def change(snapshot: dict[str, Any]) -> None:
        rows = {row["id"]: row for row in snapshot["cards"]}
        rows[first["id"]]["number"] = 2
        rows[second["id"]]["number"] = 9
        third = rows[first["id"]] | {"id": "c3", "number": 2}
        fourth = rows[first["id"]] | {"id": "c4", "number": 70}
        fifth = {key: value for key, value in rows[first["id"]].items() if key != "number"} | {"id": "c5"}
        snapshot["cards"] += [third, fourth, fifth]

    after = await imported(world, change)
    numbers = {row["id"]: row["number"] for row in after["cards"]}
    assert numbers == {first["id"]: 1, second["id"]: 2, "c3": 3, "c4": 70, "c5": 71}
    assert (await world.card(board))["number"] == 72
    again = await imported(world, lambda snapshot: None)
    assert {row["id"]: row["number"] for row in again["cards"]}.items() > numbers.items()


@pytest.mark.parametrize(
    "row",
    [
        {"key": "low"},
        {"key": 5},
        {"formerKeys": ["A"]},
        {"formerKeys": ["AB"] * 1001},
        {"lastNumber": -1},
        {"lastNumber": 1 << 41},
    ],
)
async def test_a_snapshot_with_a_key_that_is_none_is_refused(world: World, row: dict[str, Any]) -> None:
    await world.board(title="Release")
    snapshot = (await world.sa.get("/admin/export")).ok()
    snapshot["projects"][0] |= row
    (await world.sa.post("/admin/import", snapshot)).refused(400, "InvalidSnapshotShape")
