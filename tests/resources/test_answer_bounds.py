"""Answers are bounded: pages end at 4 MiB, and no answer grows as large as memory."""

import json
from typing import Any

import pytest

from service.database import transaction
from service.database.point_reader import ROWS_MAX
from service.database.store import SHORT, Share
from service.ids import new_id

from ..builders import database
from ..world import Board, World

PAGE_BYTES_MAX = 4 << 20
LONG = "x" * 100_000


async def _card_of(world: World, board: Board, fields: list[str], letter: str = "x") -> Any:
    """Make a card with a long text in each of some fields."""
    return await world.card(board, fieldValues=[{"fieldId": each, "value": letter * 100_000} for each in fields])


async def _fields(world: World, board: Board, count: int) -> list[str]:
    return [await world.field(board, f"long{number}", "richtext") for number in range(count)]


def _size(body: Any) -> int:
    return len(json.dumps(body))


async def test_a_page_of_cards_with_values_ends_at_4_mib_and_a_smaller_one_reads_the_rest(world: World) -> None:
    board, agent = await world.board(), await world.script()
    fields = await _fields(world, board, 9)
    ids = [(await _card_of(world, board, fields))["id"] for _ in range(6)]
    for caller, path in ((world.member, "/cards"), (agent, "/cards/mcp")):
        found: list[str] = []
        page = (await caller.get(caller.org(path), params={"include": "fieldValues", "pageSize": 100})).ok()
        assert page["truncated"] is True
        assert page["total"] == 6
        assert _size(page) < PAGE_BYTES_MAX
        assert len(page["items"]) == 4
        for number in (1, 2):
            query = {"include": "fieldValues", "pageSize": 3, "page": number}
            smaller = (await caller.get(caller.org(path), params=query)).ok()
            assert "truncated" not in smaller
            found += [card["id"] for card in smaller["items"]]
        assert found == ids
        assert "truncated" not in (await caller.get(caller.org(path), params={"pageSize": 100})).ok()


async def test_the_values_of_a_card_are_bounded_together(world: World) -> None:
    board = await world.board()
    fields = await _fields(world, board, 22)
    card = await _card_of(world, board, fields[:9])
    for number in (9, 18):
        more = [{"fieldId": each, "value": LONG} for each in fields[number : number + 9]]
        answer = await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": more})
    assert answer.invalid() == ["fieldValues"]
    less = [{"fieldId": fields[0], "value": "short"}]
    assert (await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": less})).ok()["version"] == 3


async def test_history_ends_at_4_mib_and_at_500_rows_the_newest_first_of_all(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    fields = await _fields(world, board, 9)
    card = await _card_of(world, board, fields)
    for letter in "abcde":
        values = [{"fieldId": each, "value": letter * 100_000} for each in fields]
        (await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": values})).ok()
    name = "fieldValues.long0"
    for caller, path in ((world.member, "history"), (agent, "history/mcp")):
        answer = await caller.get(f"/cards/{card['id']}/{path}")
        assert [row["changes"][name]["to"][0] for row in answer.ok()] == ["d", "e"]
        assert (answer.headers["X-Total-Count"], answer.headers["X-Truncated"]) == ("6", "true")
        assert _size(answer.body) < PAGE_BYTES_MAX
        newest = await caller.get(f"/cards/{card['id']}/{path}?order=desc")
        assert newest.body == answer.body[::-1]
        seen: list[str] = []
        for number in (1, 2, 3):
            page = await caller.get(f"/cards/{card['id']}/{path}", params={"page": number, "pageSize": 2})
            assert "X-Truncated" not in page.headers
            seen += [row["changes"][name]["to"][0] for row in page.ok()]
        assert seen == ["x", "a", "b", "c", "d", "e"]
        whole = await caller.get(f"/cards/{card['id']}/{path}", params={"pageSize": 100})
        assert [row["changes"][name]["to"][0] for row in whole.ok()] == ["x", "a"]
        assert whole.headers["X-Truncated"] == "true"


async def test_history_without_a_page_shows_the_newest_500_rows(world: World) -> None:
    card = await world.card(await world.board())
    with database(world) as connection:
        connection.executemany(
            "INSERT INTO history (id, org_id, card_id, actor_type, actor_id, action, changes, created_at)"
            " VALUES (?, ?, ?, 'System', 'system', 'updated', '{}', '2030-01-01T00:00:00.000Z')",
            [(new_id("his"), world.sa.org_id, card["id"]) for _ in range(600)],
        )
    answer = await world.sa.get(f"/cards/{card['id']}/history")
    assert (len(answer.ok()), answer.headers["X-Total-Count"]) == (500, "601")
    assert answer.body == sorted(answer.body, key=lambda row: (row["createdAt"], row["id"]))
    assert "created" not in {row["action"] for row in answer.body}
    assert (await world.sa.get(f"/cards/{card['id']}/history?order=desc")).ok() == answer.body[::-1]


async def test_a_comment_shows_its_first_100_replies_and_pages_have_the_rest(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    path = f"/cards/{card['id']}/comments"
    comment = (await world.sa.post(path, {"content": "Here"})).ok()
    assert comment["repliesTotal"] == 0
    for number in range(103):
        (await world.sa.post(f"{path}/{comment['id']}/replies", {"content": str(number)})).ok()
    for caller, suffix in ((world.member, ""), (agent, "/mcp")):
        (shown,) = (await caller.get(path + suffix)).ok()["items"]
        assert [reply["content"] for reply in shown["replies"]] == [str(number) for number in range(100)]
        assert shown["repliesTotal"] == 103
        query = {"page": 2, "pageSize": 100}
        rest = (await caller.get(f"{path}/{comment['id']}/replies{suffix}", params=query)).ok()
        assert [reply["content"] for reply in rest["items"]] == ["100", "101", "102"]
        assert (rest["total"], rest["page"], rest["pageSize"]) == (103, 2, 100)
        assert set(rest["items"][0]) == set(comment)
    for caller, suffix in ((world.outsider, ""), (await world.script(world.outsider), "/mcp")):
        (await caller.get(f"{path}/{comment['id']}/replies{suffix}")).refused(404, "not_found")
    (await world.sa.get(f"{path}/cmt_x/replies")).refused(404, "not_found")


async def test_a_page_of_comments_ends_at_4_mib(world: World) -> None:
    card = await world.card(await world.board())
    path = f"/cards/{card['id']}/comments"
    for _ in range(3):
        comment = (await world.sa.post(path, {"content": "x" * 20_000})).ok()
        for _ in range(80):
            (await world.sa.post(f"{path}/{comment['id']}/replies", {"content": "y" * 20_000})).ok()
    page = (await world.sa.get(path)).ok()
    assert (len(page["items"]), page["total"], page["truncated"]) == (2, 3, True)
    assert _size(page) < PAGE_BYTES_MAX
    last = (await world.sa.get(path, params={"pageSize": 1, "page": 3})).ok()["items"]
    assert last[0]["id"] == comment["id"]
    newest = (await world.sa.get(path, params={"order": "desc"})).ok()
    assert newest["items"][0]["id"] == comment["id"]


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("{org}/cards", "columnId"),
        ("{org}/search?q=a", "words"),
        ("{org}/move-requests", "filter"),
        ("{org}/refusals", "filter"),
        ("/archive", "filter"),
        ("/cards/{card}/comments", "order=desc"),
        ("/cards/{card}/history", "order=desc"),
    ],
)
async def test_pages_end_with_the_20000th_row_and_say_how_to_go_on(world: World, path: str, hint: str) -> None:
    card = await world.card(await world.board())
    path = path.format(org=world.sa.org(), card=card["id"])
    (await world.sa.get(path, params={"page": "1000"})).ok()
    (await world.sa.get(path, params={"page": "200", "pageSize": "100"})).ok()
    for page, size in (("1001", "20"), ("201", "100"), ("2000000", "1"), ("20001", "1")):
        answer = await world.sa.get(path, params={"page": page, "pageSize": size})
        assert answer.invalid() == ["page"]
        assert hint in answer.body["error"]["message"]


async def test_presets_and_versions_of_prompts_are_bounded_together(world: World) -> None:
    board = await world.board()
    field_id = await world.field(board, "long", "richtext")
    row = {"cardTypeId": board.card_type["id"], "fieldId": field_id, "value": LONG}
    answers = [await world.sa.post("/preset-fields", {**row, "presetName": str(number)}) for number in range(42)]
    assert [answer.status for answer in answers] == [200] * 41 + [409]
    assert answers[-1].refused(409, "conflict")["state"] == "full"
    assert _size((await world.sa.get("/preset-fields")).ok()) < PAGE_BYTES_MAX + (1 << 16)
    (await world.sa.patch(f"/preset-fields/{answers[0].body['id']}", {"value": LONG[1:]})).ok()
    prompt = (await world.sa.post("/prompts", {"name": "Long", "body": "x" * 500_000})).ok()
    versions = [await world.sa.post(f"/prompts/{prompt['id']}/versions", {"body": "x" * 500_000}) for _ in range(16)]
    assert [answer.status for answer in versions] == [200] * 15 + [409]
    assert versions[-1].refused(409, "conflict")["state"] == "full"


async def test_attention_without_a_limit_shows_500_of_a_kind_and_counts_tell_all(world: World) -> None:
    with database(world) as connection:
        connection.executemany(
            "INSERT INTO agents (id, org_id, title, status, created_at) VALUES (?, ?, ?, 'pending', '2026-01-01')",
            [(f"bot{number}", world.sa.org_id, "Bot") for number in range(600)],
        )
    assert len((await world.sa.get(world.sa.org("/attention"))).ok()) == 500
    counts = (await world.sa.get(world.sa.org("/attention?counts=true"))).ok()["counts"]
    assert counts["pending_agent"] == 600


async def test_a_list_that_is_larger_than_memory_should_hold_is_refused(world: World) -> None:
    with database(world) as connection:
        connection.execute("BEGIN")  # each row by itself would be a commit
        connection.executemany(
            "INSERT INTO prompt_categories (id, org_id, name, color, created_at) VALUES (?, ?, ?, '#000000', '2026')",
            [(f"cat_{number}", world.sa.org_id, f"C{number}") for number in range(transaction.ROWS_MAX + 1)],
        )
        connection.execute("COMMIT")
    (await world.sa.post("/prompt-categories", {"name": "One more"})).ok()  # what other programs write is seen by then
    answer = await world.sa.get("/prompt-categories")
    answer.refused(503, "too_expensive")
    assert answer.headers["Retry-After"]
    with database(world) as connection:
        connection.execute("DELETE FROM prompt_categories")
        connection.executemany(
            "INSERT INTO prompt_categories (id, org_id, name, color, created_at) VALUES (?, ?, ?, '#000000', '2026')",
            [(f"cat_{number}", world.sa.org_id, LONG * 10) for number in range(50)],
        )
    (await world.sa.get("/prompt-categories")).refused(503, "too_expensive")


async def test_a_long_list_waits_its_turn_on_a_thread_and_keeps_nobody_else(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert world.service is not None
    read, turns = world.service.store.read, []

    async def noted(work: Any, *share: Any) -> Any:
        turns.append(share)
        return await read(work, *share)

    with database(world) as connection:
        connection.executemany(
            "INSERT INTO shortcuts (id, user_id, action, binding) VALUES (?, ?, ?, ?)",
            [(f"sc_{number}", world.member.id, f"a{number}", f"b{number}") for number in range(ROWS_MAX - 1)],
        )
    monkeypatch.setattr(world.service.store, "read", noted)
    for count, binding, expected in (
        (0, "ctrl+k", []),
        (1, "ctrl+j", [(Share(world.member.org_id, world.member.id), SHORT)]),
    ):
        (await world.member.post("/settings/shortcuts", {"action": f"more{count}", "binding": binding})).ok()
        assert len((await world.member.get("/settings/shortcuts")).ok()) == ROWS_MAX + count
        assert turns == expected
