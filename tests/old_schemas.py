"""Databases as earlier versions left them: brought to an earlier schema, with something of everything in them."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from service import config
from service.auth.passwords import hash_password_sync
from service.database.connections import add_functions
from service.database.migrate import migrations
from service.resources.permissions import DEFAULT_PERMISSIONS

from .world import HOME, MEMBER, OTHER, OUTSIDER, PASSWORD, SA, SECRET

NOW, ORG = "2026-01-02T03:04:05.678Z", "org_home"
ELSEWHERE = "org_other"
PEOPLE = [("usr_sa", SA, "Ada Architect"), ("usr_member", MEMBER, "Mo Member"), ("usr_out", OUTSIDER, "Oz Outsider")]
ARCHITECT = "SolutionArchitect"
SEATS = [(ORG, "usr_sa", ARCHITECT), (ORG, "usr_member", "Member"), (ELSEWHERE, "usr_out", ARCHITECT)]
CONTENT = b"content"  # of the file
ACTOR = '{"type":"User","id":"usr_sa","label":"Ada Architect"}'
# What is written once a migration has made the tables for it, by its number.
ROWS = {
    1: f"""
    INSERT INTO teams (id, org_id, name, created_at) VALUES ('team_1', '{ORG}', 'Builders', '{NOW}');
    INSERT INTO team_members (team_id, user_id) VALUES ('team_1', 'usr_member');
    INSERT INTO agents (org_id, id, title, team_id, status, created_at)
    VALUES ('{ORG}', 'builder-1', 'Builder', 'team_1', 'approved', '{NOW}');
    INSERT INTO projects (id, org_id, title, color, created_at) VALUES ('proj_1', '{ORG}', 'Board', '#123456', '{NOW}');
    INSERT INTO columns (id, org_id, project_id, title, position, agent_pickup_enabled, agent_can_moderate,
        column_type, wip_limit, required_field_ids, created_at)
    VALUES ('col_1', '{ORG}', 'proj_1', 'Todo', 0, 1, 1, 'standard', NULL, '[]', '{NOW}'),
        ('col_2', '{ORG}', 'proj_1', 'Done', 1, 0, 0, 'done', 5, '["fld_1"]', '{NOW}');
    INSERT INTO card_types (id, org_id, title, color, comments_enabled, files_enabled, created_at)
    VALUES ('type_1', '{ORG}', 'Task', '#123456', 1, 1, '{NOW}');
    INSERT INTO fields (id, org_id, card_type_id, name, label, kind, required, options, position, multiple, created_at)
    VALUES ('fld_1', '{ORG}', 'type_1', 'notes', 'Notes', 'text', 0, '[]', 0, 0, '{NOW}'),
        ('fld_2', '{ORG}', 'type_1', 'files', 'Files', 'file', 0, '[]', 1, 1, '{NOW}');
    INSERT INTO transitions (id, org_id, project_id, from_column_id, to_column_id, requires_approval, created_at)
    VALUES ('tr_1', '{ORG}', 'proj_1', 'col_1', 'col_2', 1, '{NOW}');
    INSERT INTO cards (id, org_id, project_id, column_id, card_type_id, title, assigned_agent_id, assigned_user_id,
        priority, rank_key, version, created_by, created_at, updated_at)
    VALUES ('card_1', '{ORG}', 'proj_1', 'col_1', 'type_1', 'A card', 'builder-1', 'usr_member', 'high', 1024, 3,
            '{ACTOR}', '{NOW}', '{NOW}'),
        ('card_2', '{ORG}', 'proj_1', 'col_2', 'type_1', 'Another one', NULL, NULL, 'none', 2048, 1,
            '{ACTOR}', '{NOW}', '{NOW}');
    INSERT INTO field_values (card_id, field_id, value) VALUES ('card_1', 'fld_1', '"a note"');
    INSERT INTO comments (id, org_id, card_id, parent_id, content, actor_type, actor_id, actor_label, created_at)
    VALUES ('cmt_1', '{ORG}', 'card_1', NULL, 'Hello', 'User', 'usr_member', 'Mo Member', '{NOW}'),
        ('cmt_2', '{ORG}', 'card_1', 'cmt_1', 'Yes', 'Agent', 'builder-1', 'Builder', '{NOW}');
    INSERT INTO history (id, org_id, card_id, actor_type, actor_id, actor_label, action, changes, created_at)
    VALUES ('his_1', '{ORG}', 'card_1', 'User', 'usr_sa', 'Ada Architect', 'created', '{{}}', '{NOW}'),
        ('his_2', '{ORG}', 'card_1', 'User', 'usr_sa', 'Ada Architect', 'updated',
            '{{"title":{{"from":"Card","to":"A card"}}}}', '{NOW}'),
        ('his_3', '{ORG}', 'card_2', 'User', 'usr_sa', 'Ada Architect', 'created', '{{}}', '{NOW}');
    """,
    2: f"""
    INSERT INTO relationships (id, org_id, from_card_id, to_card_id, kind, created_at)
    VALUES ('rel_1', '{ORG}', 'card_1', 'card_2', 'relatesTo', '{NOW}');
    INSERT INTO prompts (id, org_id, name, current_version_id, created_at, updated_at)
    VALUES ('prm_1', '{ORG}', 'How to', 'ver_1', '{NOW}', '{NOW}');
    INSERT INTO prompt_versions (id, prompt_id, label, body, active, created_at)
    VALUES ('ver_1', 'prm_1', 'v1', 'Do it well.', 1, '{NOW}');
    INSERT INTO files (id, org_id, card_id, field_id, name, mime_type, size_bytes, uploaded_at)
    VALUES ('file_1', '{ORG}', 'card_1', 'fld_2', 'a.txt', 'text/plain', 7, '{NOW}');
    INSERT INTO preset_fields (id, org_id, card_type_id, preset_name, field_id, value)
    VALUES ('pre_1', '{ORG}', 'type_1', 'Bug', 'fld_1', '"seen"');
    """,
    5: f"""
    INSERT INTO claims (card_id, org_id, agent_id, token, claimed_at, renewed_at, expires_at)
    VALUES ('card_1', '{ORG}', 'builder-1', 'token', '{NOW}', '{NOW}', '{NOW}');
    """,
    6: f"""
    INSERT INTO move_requests (id, org_id, card_id, from_column_id, to_column_id, requested_by, state, created_at)
    VALUES ('req_1', '{ORG}', 'card_1', 'col_1', 'col_2', '{ACTOR}', 'open', '{NOW}');
    """,
    10: f"""
    INSERT INTO events (org_id, type, card_id, project_id, actor_type, actor_id, actor_label, created_at)
    VALUES ('{ORG}', 'card.updated', 'card_1', 'proj_1', 'User', 'usr_sa', 'Ada Architect', '{NOW}');
    """,
    42: f"""
    INSERT INTO sessions (id, user_id, token_hash, created_at, last_seen_at, expires_at, ends_at)
    VALUES ('ses_1', 'usr_sa', 'hash', '{NOW}', '{NOW}', '9999', '9999');
    """,
}


def make(path: Path, schema: int) -> None:
    """Make a database of an earlier schema: the people of the tests, and a board with all that belongs to it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        add_functions(database)
        for number, file in enumerate(migrations()[:schema], start=1):
            database.executescript(file.read_text("utf-8"))
            if number == 1:
                _people(database)
            database.executescript(ROWS.get(number, ""))
        assert database.execute("PRAGMA user_version").fetchone() == (schema,)
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []


def settings_of(folder: Path, schema: int) -> config.Settings:
    """Make the data folder that a version with this schema left, and the settings of a service on it."""
    folder.mkdir()
    make(folder / "service.db", schema)
    content = folder / "files" / ORG / "card_1" / "file_1"
    content.parent.mkdir(parents=True)
    content.write_bytes(CONTENT)
    environment = {"SERVICE_DATA_PATH": str(folder), "SERVICE_JWT_SECRET": SECRET, "SERVICE_RATE_LIMIT_LOGIN": "1000"}
    return config.load(environment=environment)


def _people(database: sqlite3.Connection) -> None:
    password = hash_password_sync(PASSWORD, cost=4)
    for user_id, email, name in PEOPLE:
        row = (user_id, email, email, name, password, NOW, NOW)
        names = "id, email, email_key, full_name, password_hash, tokens_valid_from, created_at"
        database.execute(f"INSERT INTO users ({names}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    for org_id, title, owner in ((ORG, HOME, "usr_sa"), (ELSEWHERE, OTHER, "usr_out")):
        names, values = "id, title, color, owner_id, created_at", (org_id, title, "#123456", owner, NOW)
        database.execute(f"INSERT INTO organizations ({names}) VALUES (?, ?, ?, ?, ?)", values)
        _permissions(database, org_id)
    for org_id, user_id, role in SEATS:
        names = "org_id, user_id, role, created_at"
        database.execute(f"INSERT INTO memberships ({names}) VALUES (?, ?, ?, ?)", (org_id, user_id, role, NOW))


def _permissions(database: sqlite3.Connection, org_id: str) -> None:
    for role, resources in DEFAULT_PERMISSIONS.items():
        for resource, actions in resources.items():
            row = (f"perm_{org_id}_{role}_{resource}", org_id, role, resource, json.dumps(actions))
            names = "id, org_id, role, resource, actions"
            database.execute(f"INSERT INTO permissions ({names}) VALUES (?, ?, ?, ?, ?)", row)
