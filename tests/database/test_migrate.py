"""Migrations: forward only, all or nothing, and never without a copy of what was there."""

import json
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from service.database.connections import add_functions
from service.database.migrate import MigrationError, migrate, migrations, schema_version
from service.domain import board_display

from .. import old_schemas
from ..schema import FOLDER_OF_MIGRATIONS, SCHEMA, SUMS, hashes_of, parse_hashes, schema_of

FIRST = "BEGIN; CREATE TABLE notes (text TEXT) STRICT; PRAGMA user_version = 1; COMMIT;"
# Versions with tables that earlier ones do not have, and the last two.
WITH_NEW_TABLES = [version for version, file in enumerate(migrations(), start=1) if "CREATE TABLE" in file.read_text()]
WITH_NEW_TABLES = sorted({*WITH_NEW_TABLES, schema_version() - 1, schema_version()})
SECOND = "BEGIN; ALTER TABLE notes ADD COLUMN color TEXT; PRAGMA user_version = 2; COMMIT;"
TABLES = """
SELECT name, sql
FROM sqlite_schema
JOIN pragma_table_list USING (name)
WHERE schema = 'main' AND pragma_table_list.type = 'table' AND name NOT LIKE 'sqlite%'
    AND name <> 'new_history' -- what waited to be history: it has tests of its own
"""
THIRD = "-- A third.\nBEGIN; CREATE TABLE others (again TEXT); PRAGMA user_version = 3; COMMIT;"
THIRD_FAILS = "BEGIN; UPDATE notes SET text = 'lost'; CREATE TABLE notes (again TEXT); PRAGMA user_version = 3; COMMIT;"
FILL = "INSERT INTO others VALUES (hex(randomblob(4000000)));"
FOR_EVER = """
INSERT INTO notes (text)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT hex(randomblob(1000)) FROM n WHERE i % 1000 = 0;
"""


def ask(path: Path, question: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(question).fetchall()


def database_before(tmp_path: Path, migration: int | str) -> Path:
    """Make a database as it was before a migration, which its number or a part of its name tells."""
    number = migration
    if isinstance(migration, str):
        number = next(int(file.name[:4]) for file in migrations() if migration in file.name)
    before, path = tmp_path / "migrations", tmp_path / "service.db"
    before.mkdir()
    for file in migrations()[: number - 1]:
        (before / file.name).symlink_to(file)
    migrate(path, before)
    return path


def contents(path: Path) -> list[str]:
    """Return everything in a database as statements, and its version."""
    with closing(sqlite3.connect(path)) as connection:
        return [*connection.iterdump(), str(connection.execute("PRAGMA user_version").fetchone())]


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    """Provide a folder with one migration; tests add the next ones."""
    folder = tmp_path / "migrations"
    folder.mkdir()
    (folder / "0001_first.sql").write_text(FIRST)
    return folder


@pytest.fixture
def old(tmp_path: Path, scripts: Path) -> Path:
    """Provide a database with the schema of the first migration and a row in it."""
    path = tmp_path / "data" / "service.db"
    path.parent.mkdir()
    migrate(path, scripts)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO notes (text) VALUES ('kept')")
        connection.commit()
    return path


def test_a_fresh_database_gets_the_newest_schema(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    assert migrate(path) == schema_version()
    assert ask(path, "PRAGMA user_version") == [(schema_version(),)]
    assert ask(path, "PRAGMA integrity_check") == [("ok",)]
    assert [file.name for file in tmp_path.iterdir()] == ["service.db"]


def test_a_database_with_the_newest_schema_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    migrate(path)
    before = path.read_bytes()
    migrate(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["service.db"]


def test_migrations_are_numbered_without_gaps_and_each_sets_its_own_version(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "service.db", isolation_level=None)
    add_functions(connection)
    for number, file in enumerate(migrations(), start=1):
        assert file.name.startswith(f"{number:04d}_")
        connection.executescript(file.read_text("utf-8"))
        assert connection.execute("PRAGMA user_version").fetchone() == (number,)
        assert not connection.in_transaction
    connection.close()


def test_a_migration_says_first_what_is_new() -> None:
    assert [file.name for file in migrations() if not re.match(r"-- [A-Z]", file.read_text("utf-8"))] == []


def test_a_migration_that_has_landed_never_changes() -> None:
    written = parse_hashes((FOLDER_OF_MIGRATIONS / SUMS).read_text("utf-8"))
    changed = [name for name, digest in hashes_of().items() if written.get(name, digest) != digest]
    assert changed == [], (
        "databases ran it as it was: bring it back, and write a new migration (python -m tests.schema)"
    )
    assert list(written) == list(hashes_of()), "run python -m tests.schema"


def test_the_schema_is_written_down_as_it_is_and_makes_a_database_like_it(tmp_path: Path) -> None:
    migrate(tmp_path / "migrated.db")
    written = SCHEMA.read_text("utf-8")
    assert schema_of(tmp_path / "migrated.db") == written, "run python -m tests.schema"
    with closing(sqlite3.connect(tmp_path / "made.db")) as connection:
        connection.executescript(written)
    assert schema_of(tmp_path / "made.db") == written


def _value(column: str, line: str) -> Any:
    """Make a value that a column takes, equal in all columns that refer to each other."""
    if found := re.search(r"CHECK \(\w+ (?:=|IN) ?\(?'(\w+)'", line):
        return found[1]
    if " INTEGER" in line:
        return 1
    if " BLOB" in line:
        return b"one"
    if "JSON" in line:
        return "[]" if "array" in line else "{}"
    return "2026-01-02T03:04:05.678Z" if column.endswith("_at") else "one"


def fill(database: Path) -> None:
    """Put a row into each table that has none."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        for table, text in connection.execute(TABLES).fetchall():
            if connection.execute(f"SELECT 1 FROM {table}").fetchone():
                continue
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            lines = {column: re.search(rf"(?m)^.*\b{column} (TEXT|INTEGER|BLOB|REAL)\b.*$", text) for column in columns}
            values = [_value(column, lines[column][0]) for column in columns]
            marks = ", ".join("?" * len(columns))
            connection.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", values)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def filled(database: Path) -> set[str]:
    """Name the tables that have rows."""
    return {table for table, _ in ask(database, TABLES) if ask(database, f"SELECT 1 FROM {table}")}


@pytest.fixture(scope="module")
def histories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Provide a folder with a database of each version, with rows in every table since that table was created."""
    folder, now = tmp_path_factory.mktemp("histories"), tmp_path_factory.mktemp("now") / "service.db"
    scripts = tmp_path_factory.mktemp("migrations")
    for number, file in enumerate(migrations(), start=1):
        shutil.copy(file, scripts)
        migrate(now, scripts)
        fill(now)
        shutil.copy(now, folder / f"{number}.db")
    return folder


@pytest.mark.parametrize("version", WITH_NEW_TABLES)
def test_a_database_of_any_version_comes_with_all_its_rows_to_exactly_the_schema_of_today(
    histories: Path, version: int
) -> None:
    path = histories / f"{version}.db"
    before = filled(path)
    migrate(path)
    assert schema_of(path) == SCHEMA.read_text("utf-8")
    assert ask(path, "PRAGMA integrity_check") == [("ok",)]
    assert ask(path, "PRAGMA foreign_key_check") == []
    # By the 34th into search_backlog, and by the 39th without an event that names the sender.
    emptied = {"search_pending", "invitations"}
    assert before & {name for name, _ in ask(path, TABLES)} - emptied <= filled(path)
    assert {"users", "cards", "comments", "history"} <= before


@pytest.mark.parametrize("version", [12, 13])
def test_what_waited_beside_the_history_is_in_it_afterwards_and_what_was_there_stays_as_it_was(
    tmp_path: Path, version: int
) -> None:
    path = database_before(tmp_path, version + 1)
    columns = (
        "id, org_id, card_id, actor_type, actor_id, actor_label, action, changes, created_at, passage,"
        " from_column_id, to_column_id, moment"
    )
    renamed = columns.replace("passage", "column_change").replace("moment", "column_changed_ms")
    tables = {"his_1": "history", "his_2": "new_history", "his_3": "new_history"}
    about = ("org", "card", "User", "usr", "Ada", "moved", "{}", "2026-01-02T03:04:05.678Z", "moved", "a", "b", 5)
    with closing(sqlite3.connect(path)) as connection:
        for row_id, table in tables.items():
            connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({'?, ' * 12}?)", (row_id, *about))
        connection.commit()
    assert migrate(path) == schema_version()
    assert ask(path, f"SELECT {renamed} FROM history ORDER BY id") == [(row_id, *about) for row_id in tables]
    assert ask(path, "SELECT name FROM sqlite_schema WHERE name LIKE '%new_history%' OR name LIKE 'old_%'") == []


def test_renamed_columns_keep_their_values(tmp_path: Path) -> None:
    path = database_before(tmp_path, 36)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("""
            INSERT INTO relationships (id, org_id, from_card_id, to_card_id, kind, created_at)
            VALUES ('1', 'o', 'a', 'b', 'blocks', ''), ('2', 'o', 'a', 'b', 'dependsOn', ''),
                ('3', 'o', 'a', 'b', 'relatesTo', '');
            INSERT INTO questions (comment_id, org_id, card_id, agent_id, state, taken_up, created_at)
            VALUES ('1', 'o', 'a', 'agent', 'answered', 0, ''), ('2', 'o', 'a', 'agent', 'answered', 1, '');
            INSERT INTO history (
                id, org_id, card_id, actor_type, actor_id, action, changes, created_at, passage, moment
            )
            VALUES ('1', 'o', 'a', 'User', 'u', 'moved', '{}', '', 'moved', 5);
            INSERT INTO refusals (
                id, org_id, agent_id, card_id, code, hour, message, blockers, count, first_at, last_at, told_at
            )
            VALUES ('1', 'o', 'agent', '', 'c', 'h', 'm', '[]', 1, 'f', 'l', 'reported');
            INSERT INTO imports (org_id, begun_at) VALUES ('o', 'started');
        """)
    assert migrate(path) == schema_version()
    found = ask(path, "SELECT blocking_card_id, blocked_card_id FROM relationships ORDER BY id")
    assert found == [("a", "b"), ("b", "a"), (None, None)]
    assert ask(path, "SELECT answer_seen FROM questions ORDER BY comment_id") == [(0,), (1,)]
    assert ask(path, "SELECT column_change, column_changed_ms FROM history") == [("moved", 5)]
    assert ask(path, "SELECT reported_at FROM refusals") == [("reported",)]
    assert ask(path, "SELECT started_at FROM imports") == [("started",)]


def test_a_position_shared_by_a_person_and_an_agent_becomes_one_of_each(tmp_path: Path) -> None:
    path = database_before(tmp_path, "types_of_readers")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("""
            INSERT INTO users (id, email, email_key, full_name, password_hash, tokens_valid_from, created_at)
            VALUES ('usr_1', 'a', 'a', 'A', '', '', ''), ('usr_2', 'b', 'b', 'B', '', '', '');
            INSERT INTO organizations (id, title, color, created_at) VALUES ('o', 'O', '', '');
            INSERT INTO agents (org_id, id, title, status, created_at)
            VALUES ('o', 'usr_2', 'Twin', 'approved', ''), ('o', 'bot', 'Bot', 'approved', '');
            INSERT INTO seen (org_id, reader_id, card_id, event_id)
            VALUES ('o', 'usr_1', '', 1), ('o', 'usr_1', 'c', 2), ('o', 'usr_2', '', 3), ('o', 'bot', '', 4),
                ('o', 'key_1', '', 5);
        """)
    assert migrate(path) == schema_version()
    assert ask(path, "SELECT reader_type, reader_id, card_id, event_id FROM seen ORDER BY event_id, reader_type") == [
        ("User", "usr_1", "", 1),
        ("User", "usr_1", "c", 2),
        ("Agent", "usr_2", "", 3),
        ("User", "usr_2", "", 3),
        ("Agent", "bot", "", 4),
        ("Agent", "key_1", "", 5),
    ]


def test_a_claim_of_an_earlier_version_belongs_to_every_session(tmp_path: Path) -> None:
    path = database_before(tmp_path, "sessions_of_claims")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("""
            INSERT INTO claims (card_id, org_id, agent_id, token, claimed_at, renewed_at, expires_at, lease_seconds)
            VALUES ('card', 'org', 'bot', 'secret', '2026', '2027', '2028', 60);
        """)
    assert migrate(path) == schema_version()
    found = ask(path, "SELECT card_id, agent_id, token, renewed_at, expires_at, lease_seconds, session FROM claims")
    assert found == [("card", "bot", "secret", "2027", "2028", 60, None)]


def test_an_agent_of_an_earlier_version_is_online_until_ten_minutes_after_it_was_last_seen(tmp_path: Path) -> None:
    path = database_before(tmp_path, "online_agents")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("""
            INSERT INTO organizations (id, title, color, created_at) VALUES ('o', 'O', '', '');
            INSERT INTO agents (org_id, id, title, status, is_online, last_seen_at, created_at)
            VALUES ('o', '1', '', 'approved', 1, '2026-01-31T23:55:00.123Z', ''),
                ('o', '2', '', 'approved', 1, NULL, ''),
                ('o', '3', '', 'approved', 0, '2026-01-31T23:55:00.123Z', ''),
                ('o', '4', '', 'stopped', 1, '2026-01-31T23:55:00.123Z', '');
        """)
    assert migrate(path) == schema_version()
    found = ask(path, "SELECT online_until FROM agents ORDER BY id")
    assert found == [("2026-02-01T00:05:00.123Z",), ("",), ("",), ("",)]


def test_those_who_left_before_can_still_be_named_in_filters(tmp_path: Path) -> None:
    path = database_before(tmp_path, "removed_ids")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("""
            INSERT INTO users (id, email, email_key, full_name, password_hash, tokens_valid_from, created_at)
            VALUES ('usr_1', 'a', 'a', 'A', '', '', ''), ('usr_2', 'b', 'b', 'B', '', '', '');
            INSERT INTO organizations (id, title, color, created_at) VALUES ('o', 'O', '', '');
            INSERT INTO memberships (org_id, user_id, role, created_at) VALUES ('o', 'usr_1', 'Member', '');
            INSERT INTO agents (org_id, id, title, status, created_at) VALUES ('o', 'bot', 'Bot', 'approved', '');
        """)
        for number, actor in enumerate(["User usr_1", "User usr_2", "Agent bot", "Agent left", "System system"]):
            about = (str(number), *actor.split())
            connection.execute(
                "INSERT INTO history (id, org_id, card_id, actor_type, actor_id, action, changes, created_at)"
                " VALUES (?, 'o', 'card', ?, ?, 'updated', '{}', '')",
                about,
            )
        connection.commit()
    assert migrate(path) == schema_version()
    assert ask(path, "SELECT org_id, id FROM removed_ids ORDER BY id") == [("o", "left"), ("o", "usr_2")]


def test_an_invitation_stays_only_with_an_architect_who_is_known_to_have_sent_it(tmp_path: Path) -> None:
    path = database_before(tmp_path, "senders_of_invitations")
    user = "INSERT INTO users (id, email, email_key, full_name, password_hash, tokens_valid_from, created_at)"
    invitation = "INSERT INTO invitations (org_id, user_id, email, role, code_hash, created_at, expires_at)"
    event = "INSERT INTO events (org_id, type, about, actor_type, actor_id, created_at)"
    people = ["sa", "former", "kept", "of_former", "of_removed", "of_unknown"]
    sent = [("kept", "sa", 2), ("of_former", "former", 2), ("of_removed", "removed", 2), ("of_unknown", "sa", 1)]
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("""
            INSERT INTO organizations (id, title, color, created_at) VALUES ('o', 'O', '', '');
            INSERT INTO memberships (org_id, user_id, role, created_at)
            VALUES ('o', 'sa', 'SolutionArchitect', ''), ('o', 'former', 'Member', '');
        """)
        for person in people:
            connection.execute(f"{user} VALUES (?1, ?1, ?1, ?1, '', '', '')", (person,))
        for person, sender, day in sent:
            connection.execute(f"{invitation} VALUES ('o', ?1, ?1, 'Member', ?1, '2026-01-02', '9')", (person,))
            values = (person, sender, f"2026-01-0{day}")  # of_unknown has only an event of an earlier invitation
            connection.execute(
                f"{event} VALUES ('o', 'member.invited', json_object('userId', ?), 'User', ?, ?)", values
            )
        connection.commit()
    assert migrate(path) == schema_version()
    assert ask(path, "SELECT user_id, invited_by FROM invitations") == [("kept", "sa")]


def test_rows_that_were_there_before_the_mark_count_as_recorded_here(tmp_path: Path) -> None:
    path = database_before(tmp_path, "_imported_rows.sql")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("""
            INSERT INTO comments (id, org_id, card_id, content, actor_type, actor_id, created_at)
            VALUES ('1', 'o', 'a', 'text', 'User', 'u', '');
            INSERT INTO history (id, org_id, card_id, actor_type, actor_id, action, changes, created_at)
            VALUES ('1', 'o', 'a', 'User', 'u', 'moved', '{}', '');
        """)
    assert migrate(path) == schema_version()
    assert ask(path, "SELECT content, imported FROM comments") == [("text", 0)]
    assert ask(path, "SELECT action, imported FROM history") == [("moved", 0)]


def test_the_first_multiselect_field_of_each_card_type_is_shown_on_cards(tmp_path: Path) -> None:
    path = database_before(tmp_path, "_field_display.sql")
    fields = [
        ("later", "t1", "multiselect", 2),
        ("first", "t1", "multiselect", 1),
        ("text", "t1", "text", 0),
        ("other", "t2", "multiselect", 5),
        ("none", "t3", "select", 0),
    ]
    with closing(sqlite3.connect(path)) as connection:
        connection.executemany(
            "INSERT INTO fields (id, org_id, card_type_id, name, label, kind, required, options, position, multiple, "
            "created_at) VALUES (?1, 'o', ?2, ?1, ?1, ?3, 0, '[]', ?4, 0, '')",
            fields,
        )
        connection.commit()
    assert migrate(path) == schema_version()
    assert ask(path, "SELECT id FROM fields WHERE show_on_card = 1 ORDER BY id") == [("first",), ("other",)]
    assert ask(path, "SELECT DISTINCT option_colors FROM fields") == [("{}",)]


def test_boards_of_earlier_versions_get_the_display_of_new_ones(tmp_path: Path) -> None:
    path = database_before(tmp_path, "display_of_projects")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO projects (id, org_id, title, color, created_at) VALUES ('p', 'o', 'P', '', '')")
        connection.commit()
    assert migrate(path) == schema_version()
    assert ask(path, "SELECT display FROM projects") == [(board_display.to_json(board_display.BoardDisplay()),)]


def test_the_checklists_of_rich_texts_are_counted(tmp_path: Path) -> None:
    path = database_before(tmp_path, "_checklists.sql")
    kinds = [("rich", "richtext"), ("more", "richtext"), ("plain", "text"), ("tags", "multiselect")]
    values = {
        "rich": '"- [ ] a\\n* [X] b\\n```\\n- [ ] c"',
        "more": '"[ ] no item"',
        "plain": '"- [ ] a"',
        "tags": '["- [ ] a"]',
    }
    with closing(sqlite3.connect(path)) as connection:
        connection.executemany(
            "INSERT INTO fields (id, org_id, card_type_id, name, label, kind, required, options, position, multiple, "
            "created_at) VALUES (?1, 'o', 't', ?1, ?1, ?2, 0, '[]', 0, 0, '')",
            kinds,
        )
        connection.executemany(
            "INSERT INTO field_values (card_id, field_id, value) VALUES ('c', ?, ?)", list(values.items())
        )
        connection.commit()
    assert migrate(path) == schema_version()
    question = "SELECT field_id, checklist_done, checklist_total FROM field_values ORDER BY field_id"
    assert ask(path, question) == [("more", 0, 0), ("plain", 0, 0), ("rich", 1, 2), ("tags", 0, 0)]
    assert dict(ask(path, "SELECT field_id, value FROM field_values")) == values


def test_checklists_are_counted_anew_line_by_line(tmp_path: Path) -> None:
    path = database_before(tmp_path, "checklists_by_lines")
    indented, below = '"text\\n2. [X] a\\n\\n    - [ ] b"', '"-\\n  [ ] below its marker"'
    with closing(sqlite3.connect(path)) as connection:
        connection.executemany(
            "INSERT INTO fields (id, org_id, card_type_id, name, label, kind, required, options, position, multiple, "
            "created_at) VALUES (?1, 'o', 't', ?1, ?1, ?1, 0, '[]', 0, 0, '')",
            [("richtext",), ("text",)],
        )
        connection.executemany(
            "INSERT INTO field_values (card_id, field_id, value, checklist_done, checklist_total) "
            "VALUES (?, ?, ?, ?, ?)",
            [
                ("more", "richtext", indented, 0, 0),
                ("fewer", "richtext", below, 0, 1),
                ("equal", "richtext", '"- [x] a"', 1, 1),
                ("plain", "text", indented, 0, 0),
                ("none", "richtext", '"[link](https://a.test)"', 0, 0),
            ],
        )
        connection.commit()
    assert migrate(path) == schema_version()
    question = "SELECT card_id, checklist_done, checklist_total FROM field_values ORDER BY card_id"
    assert ask(path, question) == [
        ("equal", 1, 1),
        ("fewer", 0, 0),
        ("more", 1, 2),
        ("none", 0, 0),
        ("plain", 0, 0),
    ]
    assert ask(path, "SELECT value FROM field_values WHERE card_id = 'more'") == [(indented,)]


def test_members_without_a_seen_mark_get_that_of_a_week_ago_or_of_when_they_joined(tmp_path: Path) -> None:
    path = database_before(tmp_path, "seen_marks_of_members")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("""
            INSERT INTO users (id, email, email_key, full_name, password_hash, tokens_valid_from, created_at)
            SELECT value, value, value, value, '', '', '' FROM json_each('["old", "new", "marked", "lone"]');
            INSERT INTO organizations (id, title, color, created_at) VALUES ('o', 'O', '', ''), ('empty', 'E', '', '');
            INSERT INTO memberships (org_id, user_id, role, created_at)
            VALUES ('o', 'old', 'Member', '2026-01-01'), ('o', 'new', 'Member', '2026-03-09T12:00:00.000Z'),
                ('o', 'marked', 'Member', '2026-01-01'), ('empty', 'lone', 'Member', '2026-01-01');
            INSERT INTO seen (org_id, reader_type, reader_id, card_id, event_id)
            VALUES ('o', 'User', 'marked', '', 1), ('o', 'User', 'old', 'c', 4), ('o', 'Agent', 'new', '', 2);
            INSERT INTO events (id, org_id, type, actor_type, actor_id, created_at)
            SELECT value, 'o', 'card.updated', 'User', 'x', format('2026-03-%02dT00:00:00.000Z', value)
            FROM json_each('[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]');
        """)
    assert migrate(path) == schema_version()
    assert ask(path, "SELECT reader_id, event_id FROM seen WHERE reader_type = 'User' AND card_id = '' ORDER BY 1") == [
        ("marked", 1),
        ("new", 9),
        ("old", 2),  # the newest event is of the 10th
    ]
    with closing(sqlite3.connect(path)) as connection:
        joins = "INSERT INTO memberships (org_id, user_id, role, created_at) VALUES ('o', 'lone', 'Member', '')"
        connection.execute(joins)
        connection.commit()
    assert ask(path, "SELECT event_id FROM seen WHERE reader_id = 'lone'") == [(10,)]


def test_a_due_date_at_midnight_is_a_day_afterwards_in_the_card_and_in_its_history(tmp_path: Path) -> None:
    path = database_before(tmp_path, "_due_days.sql")
    midnight, moment = "2026-05-04T00:00:00.000Z", "2026-05-04T00:00:00.001Z"
    changes = [
        {"title": {"from": midnight, "to": "x"}, "dueDate": {"from": None, "to": midnight}},
        {"dueDate": {"from": midnight, "to": moment}},
        {"title": {"from": midnight, "to": midnight}},
    ]
    card = "INSERT INTO cards (id, org_id, project_id, column_id, card_type_id, title, priority, rank_key, version,"
    card += " created_by, created_at, updated_at, number, due_date)"
    row = "INSERT INTO history (id, org_id, card_id, actor_type, actor_id, action, changes, created_at)"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO organizations (id, title, color, created_at) VALUES ('o', 'O', '', '')")
        for id, due in enumerate((midnight, moment, None)):
            values = f"VALUES ({id}, 'o', 'p', 'c', 't', '', 'none', 1, 1, '{{}}', '', '', {id}, ?)"
            connection.execute(f"{card} {values}", (due,))
        for id, text in enumerate([*map(json.dumps, changes), 'no JSON "dueDate": T00:00:00.000Z"']):
            connection.execute(f"{row} VALUES (?, 'o', '0', 'User', 'u', 'updated', ?, '')", (id, text))
        connection.commit()
    assert migrate(path) == schema_version()
    rows = ask(path, "SELECT due_date, due_all_day, due_order FROM cards ORDER BY id")
    assert rows == [(midnight, 1, "2026-05-04"), (moment, 0, moment), (None, 0, "~")]
    found = [text for (text,) in ask(path, "SELECT changes FROM history ORDER BY id")]
    changes[0]["dueDate"]["to"] = changes[1]["dueDate"]["from"] = "2026-05-04"
    assert [json.loads(text) for text in found[:3]] == changes
    assert found[3].startswith("no JSON")
    assert ask(path, "SELECT timezone FROM organizations") == [("UTC",)]
    with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute("UPDATE history SET changes = '{}'")


def test_a_change_that_waited_under_an_id_that_is_in_the_history_keeps_no_database_from_opening(tmp_path: Path) -> None:
    path = database_before(tmp_path, 14)
    columns = "id, org_id, card_id, actor_type, actor_id, action, changes, created_at"
    with closing(sqlite3.connect(path)) as connection:
        for table, card in [("history", "first"), ("new_history", "second"), ("new_history", "third")]:
            row = ("his_1", "org", card, "User", "usr", "moved", "{}", "2026-01-02T03:04:05.678Z")
            connection.execute(f"INSERT INTO {table} ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        connection.commit()
    assert migrate(path) == schema_version()
    assert ask(path, "SELECT id, card_id FROM history") == [("his_1", "first")]


def test_a_newer_schema_is_refused_and_left_as_it_is(old: Path, scripts: Path) -> None:
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("PRAGMA user_version = 7")
    before = old.read_bytes()
    with pytest.raises(MigrationError, match=r"schema 7, newer than this program's 1"):
        migrate(old, scripts)
    assert old.read_bytes() == before
    assert list(old.parent.iterdir()) == [old]


def copies_of(database: Path) -> dict[str, list[str]]:
    """Return what is in the copies beside a database, by their names."""
    return {path.name: contents(path) for path in sorted(database.parent.iterdir()) if path != database}


def note(database: Path, text: str) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("INSERT INTO notes (text) VALUES (?)", (text,))
        connection.commit()


def test_an_older_database_is_copied_before_it_is_migrated_and_the_copy_named_by_the_schema_it_holds(
    old: Path, scripts: Path
) -> None:
    (scripts / "0002_second.sql").write_text(SECOND)
    (scripts / "0003_third.sql").write_text(THIRD)
    before = contents(old)
    assert migrate(old, scripts) == 3
    assert ask(old, "SELECT text, color FROM notes") == [("kept", None)]
    assert copies_of(old) == {"service.db.schema-0001": before}


def test_a_copy_that_is_there_is_never_overwritten(old: Path, scripts: Path) -> None:
    first = contents(old)
    (scripts / "0002_second.sql").write_text(SECOND)
    shutil.copy(old, old.with_name("service.db.aside"))
    migrate(old, scripts)
    old.with_name("service.db.aside").replace(old)  # an operator went back, worked on, and updates again
    note(old, "later")
    second = contents(old)
    migrate(old, scripts)
    assert copies_of(old) == {"service.db.schema-0001": first, "service.db.schema-0001.2": second}


def test_a_migration_that_fails_leaves_the_database_as_it_was_before_all_of_the_update(
    old: Path, scripts: Path
) -> None:
    (scripts / "0002_second.sql").write_text(SECOND)
    (scripts / "0003_third.sql").write_text(THIRD_FAILS)
    before = contents(old)
    for _ in range(3):  # whoever starts a service again and again fills no disk with copies
        with pytest.raises(MigrationError, match=r"0003_third\.sql failed, .* is unchanged"):
            migrate(old, scripts)
        assert contents(old) == before
        assert copies_of(old) == {"service.db.schema-0001": before}
    (scripts / "0003_third.sql").write_text(THIRD)
    assert migrate(old, scripts) == 3


def test_a_disk_that_fills_up_in_an_update_leaves_the_database_as_it_was(old: Path, scripts: Path) -> None:
    (scripts / "0002_second.sql").write_text(SECOND)
    (scripts / "0003_third.sql").write_text(THIRD.replace("COMMIT;", f"{FILL} COMMIT;"))
    before, limits = contents(old), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, limits[1]))
    try:
        with pytest.raises(MigrationError, match="is unchanged"):
            migrate(old, scripts)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert contents(old) == before
    assert migrate(old, scripts) == 3


def test_an_update_that_is_killed_between_two_migrations_leaves_the_database_as_it_was(
    old: Path, scripts: Path
) -> None:
    (scripts / "0002_second.sql").write_text(SECOND)
    (scripts / "0003_third.sql").write_text(THIRD.replace("BEGIN;", f"BEGIN; {FOR_EVER}"))
    before = contents(old)
    code = "import sys, pathlib; from service.database.migrate import migrate; print(flush=True)\n"
    code += "migrate(*map(pathlib.Path, sys.argv[1:]))"
    with subprocess.Popen([sys.executable, "-c", code, old, scripts], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.5)
        assert process.poll() is None
        process.kill()
    assert contents(old) == before
    (scripts / "0003_third.sql").write_text(THIRD)
    assert migrate(old, scripts) == 3
    assert copies_of(old) == {"service.db.schema-0001": before}


def test_nobody_but_its_owner_may_look_into_a_database_its_log_and_its_copies(old: Path, scripts: Path) -> None:
    shutil.copy(old, old.with_name("service.db.before-0001"))  # of an earlier version
    for path in old.parent.iterdir():
        path.chmod(0o664)
    (scripts / "0002_second.sql").write_text(SECOND)
    umask = os.umask(0)
    try:
        migrate(old, scripts)
        migrate(old.with_name("fresh.db"), scripts)
        with closing(sqlite3.connect(old)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("INSERT INTO notes (text) VALUES ('logged')")
            modes = {path.name: oct(path.stat().st_mode & 0o777) for path in old.parent.iterdir()}
    finally:
        os.umask(umask)
    beside = {"service.db-wal", "service.db-shm", "service.db.before-0001", "service.db.schema-0001", "fresh.db"}
    assert modes == dict.fromkeys({"service.db", *beside}, oct(0o600))


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    path.write_bytes(b"a shopping list, surely no database\n" * 100)
    with pytest.raises(MigrationError, match=r"service\.db"):
        migrate(path)
    assert path.read_bytes().startswith(b"a shopping list")


def test_accounts_of_an_earlier_version_get_different_handles_the_oldest_first(tmp_path: Path) -> None:
    path = database_before(tmp_path, "handles")
    people = [
        ("1", "anna@a", "Anna Öst", "3"),
        ("2", "anna@b", "anna ost", "1"),
        ("3", "ann@c", "Anna Ost 2", "2"),
        ("4", "hana@d", "하나", "4"),
        ("5", "하나@e", "하나", "4"),
    ]
    with closing(sqlite3.connect(path)) as connection:
        connection.executemany(
            "INSERT INTO users (id, email, email_key, full_name, password_hash, tokens_valid_from, created_at)"
            " VALUES (?1, ?2, ?2, ?3, '', '', ?4)",
            people,
        )
        connection.commit()
    assert migrate(path) == schema_version()
    assert ask(path, "SELECT id, handle FROM users ORDER BY id") == [
        ("1", "anna-ost-3"),
        ("2", "anna-ost"),
        ("3", "anna-ost-2"),
        ("4", "hana"),
        ("5", "user"),
    ]


def test_texts_of_earlier_versions_mention_nobody_and_keep_their_place(tmp_path: Path) -> None:
    path = database_before(tmp_path, "_mentions")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("""
            INSERT INTO comments (id, org_id, card_id, content, actor_type, actor_id, created_at)
            VALUES ('m', 'o', 'c', '@anna', 'User', 'u', '');
            INSERT INTO field_values (card_id, field_id, value, checklist_done, checklist_total)
            VALUES ('c', 'f', '"- [x] @anna"', 1, 1);
        """)
    assert migrate(path) == schema_version()
    assert ask(path, "SELECT content, mentions FROM comments") == [("@anna", None)]
    values = ask(path, "SELECT value, checklist_done, checklist_total, mentions FROM field_values")
    assert values == [('"- [x] @anna"', 1, 1, None)]
    assert ask(path, "SELECT * FROM comment_mentions UNION ALL SELECT * FROM card_mentions") == []


def test_cards_of_earlier_versions_are_watched_by_the_members_who_have_to_do_with_them(tmp_path: Path) -> None:
    path = database_before(tmp_path, "watchers")
    cards = [  # organization, who created it, who is assigned, who has commented
        ("by member", "o", "User anna", None, None),
        ("by agent", "o", "Agent ben", None, "Agent ben"),  # an agent may be called as a person's id
        ("assigned", "o", "System system", "ben", None),
        ("commented", "o", "User left", "left", "User cleo"),
        ("elsewhere", "p", "User anna", "ben", "User cleo"),  # of these only Cleo is a member there
    ]
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("""
            INSERT INTO organizations (id, title, color, created_at) VALUES ('o', 'O', '', ''), ('p', 'P', '', '');
            INSERT INTO projects (id, org_id, title, color, created_at) VALUES ('b', 'o', 'B', '', '');
        """)
        for user in ("anna", "ben", "cleo", "left"):
            connection.execute(
                "INSERT INTO users (id, email, email_key, full_name, password_hash, tokens_valid_from, created_at,"
                " handle) VALUES (?1, ?1, ?1, ?1, '', '', '', ?1)",
                (user,),
            )
        seats = [("o", "anna"), ("o", "ben"), ("o", "cleo"), ("p", "cleo")]
        member = "INSERT INTO memberships (org_id, user_id, role, created_at) VALUES (?, ?, 'Member', '')"
        connection.executemany(member, seats)
        for number, (card, org, creator, assigned, author) in enumerate(cards):
            by = json.dumps(dict(zip(("type", "id"), creator.split())))
            connection.execute(
                "INSERT INTO cards (id, org_id, project_id, column_id, card_type_id, title, assigned_user_id, priority,"
                " rank_key, version, created_by, created_at, updated_at, number)"
                " VALUES (?, ?, 'b', 'l', 't', '', ?, 'none', ?, 1, ?, '', '', ?)",
                (card, org, assigned, number, by, number),
            )
            if author:
                connection.execute(
                    "INSERT INTO comments (id, org_id, card_id, content, actor_type, actor_id, created_at)"
                    " VALUES (?1, ?2, ?1, 'text', ?3, ?4, '')",
                    (card, org, *author.split()),
                )
        connection.commit()
    assert migrate(path) == schema_version()
    assert ask(path, "SELECT card_id, user_id, org_id FROM card_watchers ORDER BY card_id, user_id") == [
        ("assigned", "ben", "o"),
        ("by member", "anna", "o"),
        ("commented", "cleo", "o"),
        ("elsewhere", "cleo", "p"),
    ]


def test_a_job_that_an_upgrade_interrupts_keeps_the_cards_of_its_board_from_agents(tmp_path: Path) -> None:
    path = database_before(tmp_path, "claimable_columns")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("""
            INSERT INTO organizations (id, title, color, created_at) VALUES ('o', 'O', '', '');
            INSERT INTO projects (id, org_id, title, color, created_at)
            VALUES ('leaving', 'o', 'L', '', ''), ('staying', 'o', 'S', '', '');
            INSERT INTO columns (id, org_id, project_id, title, position, agent_pickup_enabled, agent_can_moderate,
                column_type, required_field_ids, created_at)
            VALUES ('a', 'o', 'leaving', 'A', 0, 1, 1, 'standard', '[]', ''),
                ('b', 'o', 'staying', 'B', 0, 1, 1, 'standard', '[]', ''),
                ('closed', 'o', 'staying', 'C', 1, 1, 0, 'standard', '[]', '');
            INSERT INTO jobs (id, org_id, kind, resource_type, resource_id, state, actor, parameters)
            VALUES ('j', 'o', 'archive_project', 'project', 'leaving', 'archiving', '{}', '{}');
        """)
    claimable = "SELECT id FROM claimable_columns ORDER BY id"
    assert ask(path, claimable) == [("a",), ("b",)]
    assert migrate(path) == schema_version()
    assert ask(path, claimable) == [("b",)]


def test_a_job_that_an_upgrade_interrupts_is_kept_and_a_copy_can_be_one(tmp_path: Path) -> None:
    path = database_before(tmp_path, "duplicates_in_batches")
    add = """
        INSERT INTO jobs (id, org_id, kind, resource_type, resource_id, state, actor, parameters)
        VALUES (?, 'o', 'remove_project', 'project', 'p', ?, '{"type":"System","id":"system"}', '{"a":1}')
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(add, ("j", "removing"))
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(add, ("k", "duplicating"))
    before = ask(path, "SELECT * FROM jobs")
    assert migrate(path) == schema_version()
    assert ask(path, "SELECT * FROM jobs") == before
    assert ask(path, "SELECT name FROM sqlite_schema WHERE name LIKE '%unfinished%'") == []
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(add, ("k", "duplicating"))
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(add, ("l", "sleeping"))


def test_files_of_before_have_no_hash_and_are_not_lost(tmp_path: Path) -> None:
    number = next(int(file.name[:4]) for file in migrations() if "lost_files" in file.name)
    old_schemas.make(tmp_path / "service.db", number - 1)
    migrate(tmp_path / "service.db")
    assert ask(tmp_path / "service.db", "SELECT name, size_bytes, sha256, lost_since FROM files") == [
        ("a.txt", 7, None, None)
    ]


def test_mentions_of_comments_of_before_can_be_filled_in_once_and_nothing_else_of_them_changed(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    number = next(int(file.name[:4]) for file in migrations() if "import_marks" in file.name)
    old_schemas.make(path, number - 1)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute("UPDATE comments SET mentions = '[]' WHERE id = 'cmt_1'")
        connection.execute("PRAGMA user_version")
    migrate(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE comments SET mentions = '[]' WHERE id = 'cmt_1' AND mentions IS NULL")
        assert connection.execute("SELECT mentions FROM comments WHERE id = 'cmt_1'").fetchone() == ("[]",)
        for change in ("mentions = NULL", "content = 'changed'", "created_at = ''"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(f"UPDATE comments SET {change} WHERE id = 'cmt_1'")
        assert connection.execute("SELECT count(*) FROM import_marks").fetchone() == (0,)


def test_cards_of_an_archived_board_are_no_news_after_the_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    number = next(int(file.name[:4]) for file in migrations() if "news_without_archived_boards" in file.name)
    old_schemas.make(path, number - 1)
    add = """
        INSERT INTO events (org_id, type, card_id, about, actor_type, actor_id, actor_label, created_at)
        SELECT org_id, 'card.archived', id, ?, 'User', 'usr_sa', 'Ada', created_at FROM cards WHERE id = 'card_1'
    """
    news = "SELECT count(*) FROM card_news WHERE type = 'card.archived'"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(add, ('{"archiveId":"a"}',))
        connection.execute(add, (None,))
        assert connection.execute(news).fetchone() == (2,)
    migrate(path)
    assert ask(path, news) == [(1,)]
