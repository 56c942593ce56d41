"""Comparison of texts: what is equal, what is blank, and how names are stored."""

import sqlite3
import time
import tracemalloc
import unicodedata
from contextlib import closing
from pathlib import Path

import pytest

from service.auth.passwords import hash_password_sync
from service.text.comparison import fold_name, fold_text, is_blank, to_nfc
from service.trello import export

from ..comparison_pairs import DIFFERENT, EQUAL, EQUAL_NAMES, EQUAL_NAMES_ONLY
from ..direct_db import execute, rows
from ..old_schemas import ORG, settings_of
from ..running import running
from ..snapshots import card, send, small
from ..tools.talk import talking
from ..world import SA, World

DECOMPOSED, COMPOSED = "Cafe\u0301", "Caf\u00e9"
INVISIBLE = (
    "\u0000\u0009\u0085\u00ad\u200b\u200d\ufeff\u00a0\u2003\u3000\u2028\u2029\u115f\u1160\u3164\uffa0\u2800\U000e0041"
)


def test_texts_are_compared_without_case_and_accents() -> None:
    for one, other in EQUAL:
        assert fold_text(one) == fold_text(other), (one, other)
    for one, other in DIFFERENT + EQUAL_NAMES_ONLY:
        assert fold_text(one) != fold_text(other), (one, other)
    for one, other in EQUAL + EQUAL_NAMES:
        assert fold_name(one) == fold_name(other), (one, other)


def test_a_text_of_invisible_characters_is_blank() -> None:
    assert all(is_blank(character) for character in INVISIBLE)
    assert is_blank(INVISIBLE)
    assert export.line({"name": "\u200b\u2800"}, "name") == ""
    assert not any(is_blank(INVISIBLE + letter) for letter in ("x", "\u0301", "—", "가", "⠁"))


async def test_a_blank_text_is_refused_as_a_title_a_comment_and_a_tag(world: World) -> None:
    board = await world.board()
    made, blank = await world.card(board), "\u2800\u3164\u200b"
    assert (await world.sa.patch(f"/cards/{made['id']}", {"title": blank})).invalid() == ["title"]
    answer = await world.sa.post(f"/cards/{made['id']}/comments", {"content": blank})
    assert answer.invalid() == ["content"]
    assert "content: may not be blank" in answer.body["error"]["message"]
    tags = {"fieldValues": [{"fieldId": board.field("tags"), "value": [blank]}]}
    assert (await world.sa.patch(f"/cards/{made['id']}", tags)).invalid() == ["fieldValues.tags"]
    assert (await world.sa.patch("/settings/profile", {"fullName": blank})).invalid() == ["fullName"]


async def test_titles_names_and_tags_are_stored_in_nfc(world: World) -> None:
    board = await world.board(title=DECOMPOSED)
    made = await world.card(board, title=DECOMPOSED)
    size = await world.field(board, "size", "select", label=DECOMPOSED, options=[DECOMPOSED])
    values = [
        {"fieldId": board.field("tags"), "value": [DECOMPOSED, COMPOSED]},
        {"fieldId": size, "value": DECOMPOSED},
        {"fieldId": board.field("description"), "value": DECOMPOSED},
    ]
    (await world.sa.patch(f"/cards/{made['id']}", {"fieldValues": values})).ok()
    (await world.sa.patch("/settings/profile", {"fullName": DECOMPOSED})).ok()
    assert await rows(world, "SELECT title, key FROM projects") == [{"title": COMPOSED, "key": "CAF"}]
    assert await rows(world, "SELECT title FROM cards") == [{"title": COMPOSED}]
    assert await rows(world, "SELECT label, options FROM fields WHERE name = 'size'") == [
        {"label": COMPOSED, "options": f'["{COMPOSED}"]'}
    ]
    stored = {row["value"] for row in await rows(world, "SELECT value FROM field_values")}
    assert stored == {f'["{COMPOSED}"]', f'"{COMPOSED}"', f'"{DECOMPOSED}"'}  # a text stays as it was written
    assert (await world.sa.get("/auth/me")).ok()["fullName"] == COMPOSED


async def test_names_of_a_snapshot_are_stored_in_nfc(world: World) -> None:
    field = {"id": "f1", "cardTypeId": "t1", "name": "size", "label": "Size", "kind": "select", "options": [DECOMPOSED]}
    tags = {"id": "f2", "cardTypeId": "t1", "name": "tags", "label": "Tags", "kind": "multiselect"}
    values = [{"fieldId": "f1", "value": DECOMPOSED}, {"fieldId": "f2", "value": [DECOMPOSED]}]
    snapshot = small(fields=[field, tags], cards=[card(title=DECOMPOSED, fieldValues=values)])
    (await send(world.sa, snapshot)).ok()
    assert await rows(world, "SELECT title FROM cards") == [{"title": COMPOSED}]
    stored = await rows(world, "SELECT value FROM field_values ORDER BY field_id")
    assert [row["value"] for row in stored] == [f'"{COMPOSED}"', f'["{COMPOSED}"]']


async def test_a_text_of_many_combining_marks_takes_nobodys_time(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    made = await world.card(board)
    size = await world.field(board, "size", "select", options=["S"])
    marks = "a" + "\u0301" * 15_000 + "\u0327" * 15_000
    started = time.monotonic()
    (await world.nobody.post("/auth/login", {"email": SA, "password": marks})).refused(401, "invalid_credentials")
    assert (await world.sa.patch(f"/cards/{made['id']}", {"title": marks})).invalid() == ["title"]
    value = {"fieldValues": [{"fieldId": size, "value": marks}]}
    assert (await world.sa.patch(f"/cards/{made['id']}", value)).invalid() == ["fieldValues.size"]
    snapshot = small(cards=[card(title=marks)])
    (await send(world.sa, snapshot)).refused(400, "InvalidSnapshotShape")
    async with talking(agent) as talk:
        for arguments in ({"fields": {"size": marks}}, {"assignedUserId": marks}, {"priority": marks}):
            await talk.error("update_card", "validation_failed", card=made["key"], **arguments)
    assert time.monotonic() - started < 2
    assert fold_text(marks) == to_nfc(marks) == marks


def test_long_texts_that_are_sent_as_names_are_not_kept() -> None:
    tracemalloc.start()
    try:
        for number in range(20):
            fold_name(f"{number:019} " * 30_000)  # few words, since each allocation is recorded
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 5 << 20


async def test_a_password_is_known_in_both_forms_and_an_old_hash_as_it_was_sent(world: World) -> None:
    composed = "\u00e9" * 36  # 72 bytes, and 108 decomposed
    decomposed = unicodedata.normalize("NFD", composed)

    async def signs_in(password: str) -> bool:
        return (await world.nobody.post("/auth/login", {"email": SA, "password": password})).status == 200

    change = {"currentPassword": "correct horse", "newPassword": decomposed}
    (await world.sa.post("/settings/password", change)).ok()
    assert [await signs_in(password) for password in (composed, decomposed, composed + "x")] == [True, True, False]
    old = "de\u0301licieux"
    stored = {"hash": hash_password_sync(old, 4), "email": SA}
    await execute(world, "UPDATE users SET password_hash = :hash WHERE email = :email", **stored)
    assert [await signs_in(password) for password in (old, unicodedata.normalize("NFC", old))] == [True, False]


@pytest.mark.parametrize("part", ["uber", "ÜBER", "U\u0308ber die str", "strasse", "ü", "lodz"])
async def test_part_of_a_title_is_found_without_case_and_accents(world: World, part: str) -> None:
    board = await world.board()
    found = await world.card(board, title="\u00dcber die Stra\u00dfe nach \u0141\u00f3d\u017a")
    await world.card(board, title="Another")
    for caller, path in ((world.sa, "/cards"), (await world.agent(), "/cards/mcp")):
        for query in ({}, {"projectId": board.id, "sort": "dueDate"}, {"columnId": board.columns["Todo"]}):
            page = (await caller.get(caller.org(path), params={"q": part, **query})).ok()
            assert ([row["id"] for row in page["items"]], page["total"]) == ([found["id"]], 1), query


async def test_an_upgrade_brings_names_into_nfc_and_finds_old_titles(tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "data", 47)
    with closing(sqlite3.connect(settings.database)) as database:
        database.execute("UPDATE cards SET title = ? WHERE id = 'card_1'", (DECOMPOSED + " au lait",))
        database.execute("UPDATE columns SET title = ? WHERE id = 'col_1'", (DECOMPOSED,))
        database.execute("UPDATE fields SET kind = 'select', options = ? WHERE id = 'fld_1'", (f'["{DECOMPOSED}"]',))
        database.execute("UPDATE field_values SET value = ? WHERE field_id = 'fld_1'", (f'"{DECOMPOSED}"',))
        names = "id, org_id, name, transport, args, env, enabled, created_at"
        for number, name in enumerate((COMPOSED, DECOMPOSED)):
            values = (f"mcp_{number}", ORG, name, "http", "[]", "{}", 0, "2026-01-01T00:00:00.000Z")
            database.execute(f"INSERT INTO mcp_servers ({names}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
        database.commit()
    async with running(settings) as world:
        assert await rows(world, "SELECT title FROM cards WHERE id = 'card_1'") == [{"title": COMPOSED + " au lait"}]
        assert await rows(world, "SELECT title FROM columns WHERE id = 'col_1'") == [{"title": COMPOSED}]
        assert await rows(world, "SELECT options FROM fields WHERE id = 'fld_1'") == [{"options": f'["{COMPOSED}"]'}]
        assert await rows(world, "SELECT value FROM field_values WHERE field_id = 'fld_1'") == [
            {"value": f'"{COMPOSED}"'}
        ]
        servers = await rows(world, "SELECT name FROM mcp_servers ORDER BY id")
        assert [row["name"] for row in servers] == [COMPOSED, DECOMPOSED]  # unique names stay apart
        page = (await world.sa.get(world.sa.org("/cards"), params={"q": "CAFE AU"})).ok()
        assert [row["id"] for row in page["items"]] == ["card_1"]
