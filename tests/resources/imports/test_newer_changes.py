"""Import into what is there: what it would undo is counted, and with unlessChanged nothing is undone."""

from typing import Any

from service.database.queries import sql

from ...direct_db import execute
from ...forms import upload
from ...snapshots import META, card, send, small, snapshot_of
from ...world import World

UNLESS, PREVIEW = {"unlessChanged": "true"}, {"dryRun": "true"}
NOTHING = {"changed": 0, "archived": 0, "removed": 0}


async def preview(world: World, snapshot: Any) -> dict[str, int]:
    found = (await send(world.sa, snapshot, params=PREVIEW)).ok()
    assert set(found) == {*NOTHING, "missingPeople"}
    return {name: found[name] for name in NOTHING}


async def expect(world: World, snapshot: Any, **counts: int) -> None:
    """See that the preview tells these numbers, and that an import that must not undo anything is refused with them."""
    expected = {**NOTHING, **counts}
    assert await preview(world, snapshot) == expected
    before = await snapshot_of(world.sa)
    answer = await send(world.sa, snapshot, params=UNLESS)
    if not any(expected.values()):
        answer.ok()
        return
    assert answer.refused(409, "conflict") == {"state": "changed", **expected}
    after = await snapshot_of(world.sa)
    assert {**after, "meta": 0, "exportedAt": 0} == {**before, "meta": 0, "exportedAt": 0}


async def test_each_card_counts_once_under_the_last_that_happened_to_it(world: World) -> None:
    board = await world.board()
    cards = [await world.card(board, title=f"Card {number}") for number in range(6)]
    snapshot = await snapshot_of(world.sa)
    await expect(world, snapshot)
    (await world.sa.patch(f"/cards/{cards[0]['id']}", {"title": "A"})).ok()
    (await world.sa.patch(f"/cards/{cards[0]['id']}", {"title": "B"})).ok()
    await expect(world, snapshot, changed=1)
    for number in (1, 2):
        (await world.sa.patch(f"/cards/{cards[number]['id']}", {"title": "C"})).ok()
        (await world.sa.delete(f"/cards/{cards[number]['id']}")).ok()
    await expect(world, snapshot, changed=1, archived=2)
    (await world.sa.post(f"/archive/card/{cards[2]['id']}/restore")).ok()
    await expect(world, snapshot, changed=2, archived=1)
    (await world.sa.delete(f"/cards/{cards[3]['id']}", params={"mode": "permanent"})).ok()
    (await world.sa.delete(f"/cards/{cards[1]['id']}", params={"mode": "permanent"})).ok()
    await expect(world, snapshot, changed=2, removed=2)


async def test_comments_new_items_and_claims_are_no_changes(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    one = await world.card(board)
    snapshot = await snapshot_of(world.sa)
    (await world.sa.post(f"/cards/{one['id']}/comments", {"content": "Hello"})).ok()
    await upload(world, one, board.field("attachments"), b"new")
    await world.card(board, title="New")
    (await world.sa.post(world.sa.org("/projects"), {"title": "New"})).ok()
    (await agent.post(f"/cards/{one['id']}/claim/mcp", {})).ok()
    await expect(world, snapshot)


async def test_agents_count_like_people(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    one = await world.card(board)
    snapshot = await snapshot_of(world.sa)
    (await agent.patch(f"/cards/{one['id']}/mcp", {"title": "By an agent"})).ok()
    await expect(world, snapshot, changed=1)


async def test_boards_columns_and_what_belongs_to_them_count_too(world: World) -> None:
    board = await world.board()
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "Builders"})).ok()
    snapshot = await snapshot_of(world.sa)
    (await world.sa.patch(world.sa.org(f"/projects/{board.id}"), {"title": "Renamed"})).ok()
    await expect(world, snapshot, changed=1)
    (await world.sa.patch(world.sa.org(f"/columns/{board.columns['Todo']}"), {"title": "Renamed"})).ok()
    await expect(world, snapshot, changed=2)
    (await world.sa.delete(world.sa.org(f"/teams/{team['id']}"))).ok()
    await expect(world, snapshot, changed=2, archived=1)


async def test_a_removed_board_counts_with_all_that_was_on_it(world: World) -> None:
    board = await world.board()
    await world.card(board)
    snapshot = await snapshot_of(world.sa)
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"), params={"mode": "permanent"})).ok()
    found = await preview(world, snapshot)
    assert found["removed"] >= 2 + len(board.columns)
    assert (found["changed"], found["archived"]) == (0, 0)


async def test_after_an_import_only_what_is_newer_than_that_counts(world: World) -> None:
    board = await world.board()
    one, other = [await world.card(board, title=title) for title in ("One", "Other")]
    snapshot = await snapshot_of(world.sa)
    (await world.sa.patch(f"/cards/{one['id']}", {"title": "A"})).ok()
    await expect(world, snapshot, changed=1)
    (await send(world.sa, snapshot)).ok()
    await expect(world, snapshot)
    (await world.sa.delete(f"/cards/{other['id']}", params={"mode": "permanent"})).ok()
    await execute(world, "DELETE FROM events")  # an import knows what was there without them
    await expect(world, snapshot, removed=1)


async def test_a_file_with_new_items_from_elsewhere_removes_nothing(world: World) -> None:
    (await send(world.sa, small())).ok()
    later = {**META, "exportedAt": "2026-11-20T10:00:00.000Z"}
    there = world.client({**world.sa.headers, "X-Organization-Id": "org_small"}, org_id="org_small")
    await execute(world, "UPDATE events SET created_at = '2026-11-20T09:30:00.000Z' WHERE org_id = 'org_small'")
    newer = small(meta=later, cards=[card(), card(id="c2")])
    assert (await send(there, newer, params=PREVIEW)).ok() == {**NOTHING, "missingPeople": []}


async def test_the_last_part_of_a_file_completes_its_import(world: World) -> None:
    first = small(meta={**META, "part": {"number": 1, "last": False}}, cards=[])
    last = small(meta={**META, "part": {"number": 2, "last": True}})
    for part in (first, last, first):
        (await send(world.sa, part, params=UNLESS)).ok()
    marks = await world.service.store.read(
        lambda tx: tx.value(sql.imports.get_mark, org_id="org_small", exported_at=META["exportedAt"])
    )
    assert marks is not None
    (await world.sa.patch("/cards/c1", {"title": "Newer"}, headers={"X-Organization-Id": "org_small"})).ok()
    answer = await send(world.sa, last, params=UNLESS)
    assert answer.refused(409, "conflict") == {"state": "changed", **NOTHING, "changed": 1}
    (await send(world.sa, first, params=UNLESS)).ok()


async def test_a_preview_is_for_architects_of_the_organization_and_creates_none(world: World) -> None:
    snapshot = small(users=[{"id": "u1", "email": "gone@example.test", "fullName": "G", "role": "Member"}])
    found = (await send(world.sa, snapshot, params=PREVIEW)).ok()
    assert found == {**NOTHING, "missingPeople": ["gone@example.test"]}
    (await world.sa.get("/organizations/org_small")).refused(404, "not_found")
    (await send(world.sa, snapshot)).ok()
    (await send(world.outsider, snapshot, params=PREVIEW)).refused(403, "sa_required")
    (await send(world.sa, snapshot, params={"only": "cards"})).invalid()


async def test_an_import_without_a_condition_overwrites_as_before(world: World) -> None:
    (await send(world.sa, small())).ok()
    there = {"X-Organization-Id": "org_small"}
    (await world.sa.patch("/cards/c1", {"title": "Newer"}, headers=there)).ok()
    (await send(world.sa, small())).ok()
    assert (await world.sa.get("/cards/c1", headers=there)).ok()["title"] == "C"
