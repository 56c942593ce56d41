"""Columns that go: what becomes of their cards and transitions."""

from ..world import World


async def test_a_column_with_active_cards_stays(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    path = world.sa.org(f"/columns/{board.columns['Todo']}")
    (await world.sa.delete(path)).refused(409, "column_not_empty")
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    assert (await world.sa.delete(path)).status == 204


async def test_a_column_that_goes_hands_its_active_cards_over(world: World) -> None:
    board = await world.board()
    there = await world.card(board, "Review")
    cards = [await world.card(board) for _ in range(3)]
    archived = await world.card(board)
    (await world.sa.delete(f"/cards/{archived['id']}")).ok()
    path = world.sa.org(f"/columns/{board.columns['Todo']}")
    answer = await world.sa.delete(path, params={"moveTo": board.columns["Review"]})
    assert (answer.status, answer.body) == (204, None)
    for above, card in zip([there, *cards], cards):
        moved = (await world.sa.get(f"/cards/{card['id']}")).ok()
        assert (moved["columnId"], moved["version"]) == (board.columns["Review"], 2)
        assert await world.above(card) == above["id"]
        row = (await world.history(card["id"]))[-1]
        assert (row["action"], row["actor"]["id"]) == ("moved", world.sa.id)
        assert row["changes"]["columnId"] == {"from": board.columns["Todo"], "to": board.columns["Review"]}
    assert await world.above(there) is None
    assert len(await world.history(archived["id"])) == 2


async def test_cards_are_handed_over_to_another_column_of_the_project_only(world: World) -> None:
    board, other, foreign = await world.board(), await world.board(title="O"), await world.board(world.outsider)
    card = await world.card(board)
    path = world.sa.org(f"/columns/{board.columns['Todo']}")
    for target in (board.columns["Todo"], other.columns["Todo"], foreign.columns["Todo"], "col_x"):
        assert (await world.sa.delete(path, params={"moveTo": target})).invalid() == ["moveTo"]
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card


async def test_a_full_column_takes_no_cards_over(world: World) -> None:
    board = await world.board()
    for _ in range(2):
        await world.card(board)
    await world.column(board, "Review", wipLimit=1)
    path = world.sa.org(f"/columns/{board.columns['Todo']}")
    answer = await world.sa.delete(path, params={"moveTo": board.columns["Review"]})
    answer.refused(400, "wip_limit_reached")
    listed = (await world.sa.get(world.sa.org("/cards"), params={"columnId": board.columns["Todo"]})).ok()
    assert listed["total"] == 2


async def test_the_transitions_of_a_column_go_with_it(world: World) -> None:
    board = await world.board()
    (await world.sa.delete(world.sa.org(f"/columns/{board.columns['Todo']}"))).ok()
    left = (await world.sa.get(world.sa.org("/transitions"))).ok()
    gone = {key for edge, key in board.transitions.items() if "Todo" in edge}
    assert {edge["id"] for edge in left} == set(board.transitions.values()) - gone


async def test_a_column_that_is_gone_can_be_named_nowhere(world: World) -> None:
    board = await world.board()
    gone = board.columns["Backlog"]
    card = await world.card(board)
    (await world.sa.delete(world.sa.org(f"/columns/{gone}"))).ok()
    (await world.sa.patch(world.sa.org(f"/columns/{gone}"), {"title": "T"})).refused(404, "not_found")
    (await world.sa.delete(world.sa.org(f"/columns/{gone}"))).refused(404, "not_found")
    body = {"projectId": board.id, "columnId": gone, "cardTypeId": board.card_type["id"], "title": "T"}
    assert (await world.sa.post(world.sa.org("/cards"), body)).invalid() == ["columnId"]
    assert (await world.sa.patch(f"/cards/{card['id']}/status", {"toColumnId": gone})).invalid() == ["toColumnId"]
    edge = {"fromColumnId": board.columns["Done"], "toColumnId": gone}
    assert (await world.sa.post(world.sa.org("/transitions"), edge)).invalid() == ["toColumnId"]
