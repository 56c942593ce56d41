"""Archived projects: everything goes with them, and exactly that comes back."""

from typing import Any

from ..world import Board, World


async def _archive(world: World, board: Board) -> None:
    removed = await world.sa.delete(world.sa.org(f"/projects/{board.id}"))
    assert removed.status == 204


async def _restore(world: World, board: Board) -> Any:
    return (await world.sa.post(f"/archive/project/{board.id}/restore")).ok()


async def _shape(world: World, board: Board) -> dict[str, Any]:
    """Return all that makes up a board, without what any change of a card moves on."""
    params = {"projectId": board.id}
    shape = {
        name: (await world.sa.get(world.sa.org(f"/{name}"), params=params)).ok()
        for name in ("columns", "transitions", "card-types", "board-flow")
    }
    cards = (await world.sa.get(world.sa.org("/cards"), params={**params, "include": "fieldValues"})).ok()["items"]
    moving = ("version", "updatedAt")
    shape["cards"] = [{key: value for key, value in card.items() if key not in moving} for card in cards]
    return shape


async def _listed(world: World) -> dict[str, str]:
    return {item["id"]: item["type"] for item in (await world.sa.get("/archive")).ok()["items"]}


async def test_a_restored_project_is_as_it_was(world: World) -> None:
    board = await world.board()
    project = (await world.sa.get(world.sa.org(f"/projects/{board.id}"))).ok()
    own = {"title": "Own", "projectId": board.id}
    own_type = (await world.sa.post(world.sa.org("/card-types"), own)).ok()
    (await world.sa.post(world.sa.org(f"/card-types/{own_type['id']}/fields"), {"name": "n", "kind": "text"})).ok()
    for title, column in (("A", "Todo"), ("B", "Todo"), ("C", "Done")):
        await world.card(board, column, title=title)
    await world.card(board, "Todo", cardTypeId=own_type["id"])
    before = await _shape(world, board)
    await _archive(world, board)
    assert await _restore(world, board) == project
    assert (await world.sa.get(world.sa.org(f"/projects/{board.id}"))).ok() == project
    assert await _shape(world, board) == before
    assert await _listed(world) == {}


async def test_nothing_of_an_archived_project_is_found(world: World) -> None:
    board, key = await world.board(), await world.script()
    card = await world.card(board)
    own = (await world.sa.post(world.sa.org("/card-types"), {"title": "Own", "projectId": board.id})).ok()["id"]
    await _archive(world, board)
    edge, column = board.transitions["Backlog", "Todo"], board.columns["Todo"]
    for path in (f"/projects/{board.id}", f"/columns/{column}", f"/transitions/{edge}", f"/card-types/{own}"):
        (await world.sa.patch(world.sa.org(path), {})).refused(404, "not_found")
    (await world.sa.get(f"/cards/{card['id']}")).refused(404, "not_found")
    (await world.sa.patch(f"/cards/{card['id']}", {"title": "x"})).refused(404, "not_found")
    (await key.get(f"/cards/{card['id']}/mcp")).refused(404, "not_found")
    (await world.sa.get(world.sa.org("/board-flow"), params={"projectId": board.id})).refused(404, "not_found")
    overview = (await world.sa.get(world.sa.org("/board-flow"))).ok()
    assert (overview["projects"], overview["columns"], overview["transitions"]) == ([], [], [])
    assert own not in [card_type["id"] for card_type in overview["cardTypes"]]
    assert (await world.sa.get(world.sa.org("/cards"))).ok()["total"] == 0


async def test_restoring_a_project_leaves_cards_archived_that_were_archived_before(world: World) -> None:
    board = await world.board()
    earlier, active = await world.card(board, title="Earlier"), await world.card(board, title="Active")
    own = (await world.sa.post(world.sa.org("/card-types"), {"title": "Own", "projectId": board.id})).ok()["id"]
    (await world.sa.delete(f"/cards/{earlier['id']}")).ok()
    (await world.sa.delete(world.sa.org(f"/columns/{board.columns['Review']}"))).ok()
    (await world.sa.delete(world.sa.org(f"/transitions/{board.transitions['Backlog', 'Todo']}"))).ok()
    (await world.sa.delete(world.sa.org(f"/card-types/{own}"))).ok()
    before = await _shape(world, board)
    await _archive(world, board)
    await _restore(world, board)
    assert await _shape(world, board) == before
    assert [column["title"] for column in before["columns"]] == ["Backlog", "Todo", "In Progress", "Done"]
    assert [card["id"] for card in before["cards"]] == [active["id"]]
    assert await _listed(world) == {earlier["id"]: "card"}


async def test_the_archive_shows_the_cards_that_went_with_their_project_and_no_others(world: World) -> None:
    board, other = await world.board(), await world.board(title="Other")
    earlier, elsewhere = await world.card(board), await world.card(other)
    cascaded = [(await world.card(board))["id"] for _ in range(2)]
    for card in (earlier, elsewhere):
        (await world.sa.delete(f"/cards/{card['id']}")).ok()
    await _archive(world, board)
    shown = {board.id: "project", elsewhere["id"]: "card"} | dict.fromkeys(cascaded, "card")
    assert await _listed(world) == shown
    assert (await world.sa.get("/archive", params={"type": "card"})).ok()["total"] == 3
    await _restore(world, board)
    assert await _listed(world) == {earlier["id"]: "card", elsewhere["id"]: "card"}


async def test_cards_that_go_and_come_with_their_project_have_it_in_their_history(world: World) -> None:
    board = await world.board()
    earlier, card = await world.card(board), await world.card(board)
    (await world.sa.delete(f"/cards/{earlier['id']}")).ok()
    await _archive(world, board)
    (await world.member.post(f"/archive/project/{board.id}/restore")).ok()
    rows = await world.history(card["id"])
    assert [(row["action"], row["actor"]["id"]) for row in rows[1:]] == [
        ("archived", world.sa.id),
        ("restored", world.member.id),
    ]
    assert rows[1]["changes"]["archivedAt"]["from"] is None
    assert rows[2]["changes"]["archivedAt"] == {"from": rows[1]["changes"]["archivedAt"]["to"], "to": None}
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["version"] == 3
    assert [row["action"] for row in await world.history(earlier["id"])] == ["created", "archived"]


async def test_each_archiving_of_a_project_is_an_operation_of_its_own(world: World) -> None:
    board, other = await world.board(), await world.board(title="Other")
    first, second, far = await world.card(board), await world.card(board), await world.card(other)
    await _archive(world, board)
    await _restore(world, board)
    (await world.sa.delete(f"/cards/{first['id']}")).ok()
    await _archive(world, board)
    await _archive(world, other)
    await _restore(world, board)
    assert await _listed(world) == {first["id"]: "card", other.id: "project", far["id"]: "card"}
    listed = (await world.sa.get(world.sa.org("/cards"))).ok()["items"]
    assert [card["id"] for card in listed] == [second["id"]]
    (await world.sa.post(f"/archive/project/{board.id}/restore")).refused(404, "not_found")


async def test_a_restored_board_works(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    await _archive(world, board)
    await _restore(world, board)
    moved = await agent.patch(f"/cards/{card['id']}/mcp/status", {"toColumnId": board.columns["In Progress"]})
    assert moved.ok()["columnId"] == board.columns["In Progress"]
    await world.card(board)


async def test_a_project_removed_from_the_archive_takes_its_cards_out_of_it(world: World) -> None:
    board, other = await world.board(), await world.board(title="Other")
    earlier, elsewhere, cascaded = await world.card(board), await world.card(other), await world.card(board)
    for card in (earlier, elsewhere):
        (await world.sa.delete(f"/cards/{card['id']}")).ok()
    await _archive(world, board)
    removed = await world.sa.delete(f"/archive/project/{board.id}")
    assert removed.status == 204
    assert removed.body is None
    assert await _listed(world) == {elsewhere["id"]: "card"}
    for card in (earlier, cascaded):
        (await world.sa.get(f"/cards/{card['id']}")).refused(404, "not_found")
        (await world.sa.post(f"/archive/card/{card['id']}/restore")).refused(404, "not_found")
    (await world.sa.post(f"/archive/project/{board.id}/restore")).refused(404, "not_found")


async def test_an_active_project_removed_for_good_takes_its_cards_out_of_the_archive(world: World) -> None:
    board = await world.board()
    (await world.sa.delete(f"/cards/{(await world.card(board))['id']}")).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"), params={"mode": "permanent"})).ok()
    assert await _listed(world) == {}


async def test_archiving_and_restoring_a_board_is_no_news_of_its_cards(world: World) -> None:
    board = await world.board()
    card = await world.card(board)

    async def list_news() -> tuple[Any, Any]:
        """Return the unread changes of the card on the board, and the number of cards in the catch-up."""
        seen = (await world.member.get(world.member.org("/board"), params={"projectId": board.id})).ok()
        caught = (await world.member.get(world.member.org("/catch-up"))).ok()
        return [one.get("unread") for one in seen["cards"]], caught["total"]

    before = await list_news()
    await _archive(world, board)
    await _restore(world, board)
    assert await list_news() == before
    (await world.sa.delete(f"/cards/{card['id']}")).ok()  # that of a single card still is
    (await world.sa.post(f"/cards/{card['id']}/restore")).ok()
    assert (await list_news())[0] == [(before[0][0] or 0) + 2]


async def test_the_events_of_an_archived_board_name_the_operation(world: World) -> None:
    board = await world.board()
    await world.card(board)
    before = (await world.sa.get(world.sa.org("/changes"), params={"since": "1h"})).ok()["next"]
    await _archive(world, board)
    await _restore(world, board)
    found = (await world.sa.get(world.sa.org("/changes"), params={"since": before})).ok()["items"]
    events = {event["type"]: event.get("archiveId") for event in found}
    assert events["card.archived"] == events["card.restored"]
    assert events["card.archived"].startswith("op_")
    assert events["project.archived"] is None
