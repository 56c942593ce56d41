"""Passages: the migration reads them out of old history as the trigger does from then on."""

import json
import random
import shutil
import sqlite3
from pathlib import Path

from service.migrate import migrate, migrations

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


def _passages(path: Path, folder_before: Path | None) -> list[tuple[object, ...]]:
    chance = random.Random(7)  # noqa: S311
    migrate(path, folder_before) if folder_before else migrate(path)
    with sqlite3.connect(path) as connection:
        connection.executescript(NOUNS)
        for number in range(200):
            connection.execute(CARD, (f"card_{number:03d}",))
            connection.executemany(ROW, _life(f"card_{number:03d}", chance))
    migrate(path)
    with sqlite3.connect(path) as connection:
        rows = "SELECT card_id, moment, history_id, kind, from_column_id, to_column_id FROM passages ORDER BY 1, 2, 3"
        return connection.execute(rows).fetchall()


def test_the_migration_and_the_trigger_agree(tmp_path: Path) -> None:
    before = tmp_path / "before"
    before.mkdir()
    for file in migrations():
        if file.name < "0003":
            shutil.copy(file, before)
    old = _passages(tmp_path / "old.db", before)
    assert len(old) > 500
    assert old == _passages(tmp_path / "new.db", None)


def test_a_card_that_is_removed_takes_its_passages_along(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    assert len({row[0] for row in _passages(path, None)}) == 200
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("DELETE FROM cards WHERE id = 'card_007'")
        left = connection.execute("SELECT card_id FROM passages WHERE card_id = 'card_007'").fetchall()
        assert left == []
        assert connection.execute("SELECT count(DISTINCT card_id) FROM passages").fetchone() == (199,)
