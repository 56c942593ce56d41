"""Passages: where a change takes its card, told alike by the migration, by an import and by the service itself."""

import json
import random
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from service.database.migrate import migrate, migrations
from service.database.queries import sql

from .direct_db import rows
from .world import World

NOUNS = """
INSERT INTO organizations (id, title, color, created_at) VALUES ('org', 'O', '#fff', '2026');
INSERT INTO projects (id, org_id, title, color, created_at) VALUES ('proj', 'org', 'P', '#fff', '2026');
INSERT INTO columns (
    id, org_id, project_id, title, position, agent_pickup_enabled, agent_can_moderate, column_type,
    required_field_ids, created_at
)
VALUES ('a', 'org', 'proj', 'A', 0, 0, 0, 'standard', '[]', '2026'),
    ('b', 'org', 'proj', 'B', 1, 0, 0, 'done', '[]', '2026');
INSERT INTO card_types (id, org_id, title, color, comments_enabled, files_enabled, created_at)
VALUES ('type', 'org', 'T', '#fff', 1, 1, '2026');
"""
CARD = """
INSERT INTO cards (
    id, org_id, project_id, column_id, card_type_id, title, priority, rank_key, version, created_by,
    created_at, updated_at
)
VALUES (?, 'org', 'proj', 'a', 'type', 'C', 'none', 1, 1, '{}', '2026', '2026')
"""
NUMBERED = CARD.replace("updated_at\n", "updated_at, number\n").replace("'2026')", "'2026', ?)")
ROW = """
INSERT INTO history (id, org_id, card_id, actor_type, actor_id, action, changes, created_at)
VALUES (?, 'org', ?, 'User', 'usr', ?, ?, ?)
"""


def _life(card: str, chance: random.Random) -> list[tuple[str, str, str, str, str]]:
    rows, place, archived = [("created", None, "a")], "a", False
    for _ in range(chance.randrange(8)):
        other = "b" if place == "a" else "a"
        if archived:
            back = chance.choice((None, other))
            rows.append(("restored", place if back else None, back))
            place, archived = back or place, False
        elif chance.random() < 0.4:
            rows.append(("archived", None, None))
            archived = True
        else:
            rows.append(("moved", place, other))
            place = other
    return [
        (f"his_{card}_{number}", card, action, _changes(old, new), f"2026-03-01T00:00:{number:02d}.123Z")
        for number, (action, old, new) in enumerate(rows)
    ]


def _changes(old: str | None, new: str | None) -> str:
    return json.dumps({"columnId": {"from": old, "to": new}} if new else {})


def _lives() -> list[tuple[str, str, str, str, str]]:
    chance = random.Random(7)  # noqa: S311
    return [row for number in range(200) for row in _life(f"card_{number:03d}", chance)]


def _furnish(connection: sqlite3.Connection) -> None:
    connection.executescript(NOUNS)
    has_numbers = "number" in [row[1] for row in connection.execute("PRAGMA table_info (cards)")]
    for number in range(200):
        values = (f"card_{number:03d}", number)
        connection.execute(NUMBERED if has_numbers else CARD, values if has_numbers else values[:1])


def _passages(path: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(path) as connection:
        columns = "card_id, column_changed_ms, id, column_change, from_column_id, to_column_id"
        return connection.execute(
            f"SELECT {columns} FROM history WHERE column_change IS NOT NULL ORDER BY 1, 2, 3"
        ).fetchall()


def _migrated(path: Path, schema: int) -> list[tuple[object, ...]]:
    """Return the passages of histories that were written under an older schema."""
    before = path.parent / f"before{schema}"
    before.mkdir()
    for file in migrations()[:schema]:
        shutil.copy(file, before)
    migrate(path, before)
    with sqlite3.connect(path) as connection:
        _furnish(connection)
        connection.executemany(ROW, _lives())
    migrate(path)
    return _passages(path)


def test_the_migrations_and_the_import_agree(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    migrate(path)
    names = ("id", "card_id", "action", "changes", "created_at")
    who = {"org_id": "org", "actor_type": "User", "actor_id": "usr", "actor_label": None, "imported": 0}
    with sqlite3.connect(path) as connection:
        _furnish(connection)
        for row in _lives():
            values = sql.imports.write_history.values(dict(zip(names, row, strict=True)) | who)
            connection.execute(sql.imports.write_history.text, values)
    written = _passages(path)
    assert len(written) > 500
    assert written == _migrated(tmp_path / "second.db", 2)
    assert written == _migrated(tmp_path / "third.db", 3)


def test_history_is_append_only_after_the_migration_too(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    _migrated(path, 3)
    with sqlite3.connect(path) as connection, pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute("UPDATE history SET to_column_id = 'b'")


async def test_the_recorded_column_changes_equal_those_of_an_import(world: World) -> None:
    board = await world.board()
    columns = board.columns
    cards = [(await world.card(board))["id"] for _ in range(4)]
    for card_id in cards[:3]:
        (await world.sa.patch(f"/cards/{card_id}/status", {"toColumnId": columns["In Progress"]})).ok()
        (await world.sa.patch(f"/cards/{card_id}", {"title": "New"})).ok()
    for card_id in cards[1:3]:
        (await world.sa.delete(f"/cards/{card_id}")).ok()
        (await world.sa.post(f"/cards/{card_id}/restore")).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    (await world.sa.post(f"/archive/project/{board.id}/restore")).ok()
    (await world.sa.delete(f"/cards/{cards[3]}")).ok()
    (await world.sa.delete(world.sa.org(f"/columns/{columns['Todo']}"))).ok()
    (await world.sa.post(f"/cards/{cards[3]}/restore")).ok()  # its column is gone: into the first one

    written = await passages(world)
    kinds = {row["column_change"] for row in written}
    assert kinds == {"created", "moved", "archived", "returned", "restored"}
    export = (await world.sa.get("/admin/export")).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"), params={"mode": "permanent"})).ok()
    assert await passages(world) == []
    (await world.sa.post("/admin/import", export)).ok()
    assert await passages(world) == written


async def passages(world: World) -> list[dict[str, Any]]:
    columns = "id, card_id, column_changed_ms, column_change, from_column_id, to_column_id"
    return await rows(world, f"SELECT {columns} FROM history WHERE column_change IS NOT NULL ORDER BY id")
