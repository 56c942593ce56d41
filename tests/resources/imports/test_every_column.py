"""Every column of every table comes back from an export: one that is added and forgotten on the way fails here."""

import shutil
import sqlite3
from collections.abc import Iterator, Set
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic.alias_generators import to_camel

from service.config import Settings
from service.resources.exports import FURTHER_GROUPS, GROUPS

from ...running import running
from ...snapshots import send, snapshot_of
from ...world import World

ORG = "whole"  # the organization of which every column says something
# The tables of what an organization owns, in the order of their references, and how a snapshot calls them.
TRAVEL = {
    "projects": "projects",
    "teams": "teams",
    "agents": "agents",
    "card_types": "cardTypes",
    "fields": "fields",
    "prompt_categories": "promptCategories",
    "prompts": "prompts",
    "columns": "columns",
    "transitions": "transitions",
    "prompt_versions": "promptVersions",
    "mcp_servers": "toolServers",
    "cards": "cards",
    "relationships": "relationships",
    "comments": "comments",
    "history": "history",
    "preset_fields": "presets",
    "files": "files",
}
INSIDE = {
    "organizations": "organization",
    "field_values": "cards.fieldValues",
    "team_members": "teams.memberIds",
    "project_keys": "projects.formerKeys",
    "former_card_keys": "cards.formerKeys",
    "questions": "comments.asks",
}
SHOWN = {"permissions": "permissions", "api_keys": "apiKeys"}  # in a snapshot, but never taken over
STAY = {
    "users": "people have accounts of their own; a snapshot names them",
    "memberships": "who belongs to an organization is decided where it is",
    "shortcuts": "personal",
    "sessions": "sign-ins to this service",
    "claims": "they end within the hour",
    "move_requests": "questions to people who may not be there",
    "freezes": "a measure of the moment",
    "webhooks": "an import must not begin to send",
    "deliveries": "the same",
    "retries": "answers to requests of the last day",
    "events": "of this service; the import is one itself",
    "invitations": "whoever is invited is asked where the organization is",
    "refusals": "of this service",
    "seen": "events are of this service",
    "readiness": "of this service",
    "imports": "under way, here",
    "import_steps": "the same",
    "import_marks": "of imports into this service",
    "jobs": "what is left to do of a change that is under way",
    "card_counts": "of the cards that are there",
    "card_watchers": "personal",
    "database_usage": "an estimate for this service",
    "removed_ids": "what this service has removed",
    "search_pending": "made anew",
    "search_backlog": "made anew",
    "search_cards": "made anew",
    "search_values": "made anew",
}
# Columns that do not come back as they were, and why.
NOT_EXPORTED = {
    "agents": {"key_id": "keys do not travel"}
    | dict.fromkeys(("stopped_at", "stop_reason", "resumed_at"), "the guard's"),
    "columns": {"card_count": "of the cards that are there"},
    "cards": dict.fromkeys(
        ("comment_count", "reply_count", "history_count", "file_count", "part_count", "done_part_count"),
        "of what is there",
    ),
    "comments": {"reply_count": "of the replies that are there"},
    "files": {"lost_since": "of the disk of this service"},
    "organizations": {"file_bytes": "of the files that are there"},
    "relationships": {"is_open": "whether the card that blocks is open"},
    "field_values": dict.fromkeys(("checklist_done", "checklist_total"), "counted in the value"),
    "mcp_servers": {"env": "only its names", "auth_token": "only whether it is set"},
    "history": dict.fromkeys(
        ("column_change", "from_column_id", "to_column_id", "column_changed_ms"), "told by the changes"
    ),
    "api_keys": {"hash": "a secret", "last_used_at": "of this service"},
}
NOT_IMPORTED = {
    "agents": {"is_online": "it says so itself"},
    "organizations": dict.fromkeys(("owner_id", "archived_at", "archived_by", "archive_id"), "whoever imports decides"),
}
CHANGED_BY_IMPORT = {"cards": {"updated_at": "then"}, "organizations": {"created_at": "of the one that is there"}}
PARTS = {"actor_type": "actor", "actor_id": "actor", "actor_label": "actor", "auth_kind": "auth", "position": "order"}
# Keys that are no column.
BESIDES = {
    "cards": {"fieldValues", "formerKeys"},
    "comments": {"asks"},
    "teams": {"memberIds"},
    "mcp_servers": {"env"},
    "projects": {"formerKeys"},
}

ACTOR = '{"type":"User","id":"usr","label":"Ada"}'
# Of columns that take only certain values: one for each row and, where it may change, each time.
TEXTS: dict[str, tuple[str, str]] = {
    "color": ("#111111", "#222222"),
    "organizations.timezone": ("Europe/Berlin", "Asia/Tokyo"),
    "projects.display": (
        '{"attachments":false,"progress":true,"listColumns":["title"]}',
        '{"attachments":true,"progress":false,"listColumns":["field:size","key"]}',
    ),
    "projects.key": ("A{ID}", "B{ID}"),
    "status": ("approved", "stopped"),
    "fields.name": ("machine_{id}", "another_{id}"),
    "fields.option_colors": ('{"a":"#111111"}', '{"b":"#222222"}'),
    "fields.options": ('["a"]', '["b","c"]'),
    "columns.column_type": ("done", "standard"),
    "columns.required_field_ids": ('["one"]', "[]"),
    "cards.priority": ("high", "low"),
    "cards.due_date": ("2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"),  # a day or a moment
    "transport": ("stdio", "stdio"),
    "mcp_servers.command": ("tool", "tool"),  # another address would disable the server
    "mcp_servers.args": ('["-v"]', '["-v"]'),
    "mcp_servers.url": ("https://tools.test", "https://tools.test"),
    "mcp_servers.env": ("{}", "{}"),
    "actor_type": ("Agent", "Agent"),
    "action": ("updated", "updated"),
    "changes": ('{"title":{"from":"a","to":"b"}}',) * 2,
    "relationships.kind": ("blocks", "blocks"),
    "value": ('"a"', '"b"'),
    "mentions": ('[["Agent","one"]]', '[["Agent","two"]]'),
    "mime_type": ("text/plain", "image/png"),
    "files.sha256": ("0" * 64, "1" * 64),
    "options": ('["a","b"]', '["a","b"]'),
    "answered_by": (ACTOR, ACTOR.replace("Ada", "Eve")),
    "created_by": (ACTOR, ACTOR.replace("Ada", "Eve")),
    "archived_by": (ACTOR, ACTOR.replace("Ada", "Eve")),
}
FIXED: dict[str, dict[str, Any]] = {  # by row, where one depends on the other
    "projects.last_number": {"one": 7, "two": 9},
    "cards.number": {"one": 1, "two": 2, "three": 3},
    "fields.kind": {"one": "text", "two": "file"},
    "to_column_id": {"one": "two", "two": "one"},
    "from_column_id": {"one": "one", "two": "two"},
    "from_card_id": {"one": "one", "two": "one"},
    "to_card_id": {"one": "two", "two": "three"},
    "comments.card_id": {"one": "one", "two": "one"},
    "comments.parent_id": {"one": None, "two": "one"},
    "files.field_id": {"one": "two", "two": "two"},
    "prompt_versions.prompt_id": {"one": "one", "two": "two"},
    "current_version_id": {"one": "one", "two": None},
    "prompt_versions.active": {"one": 1, "two": 0},
    "auth_kind": {"one": "bearer", "two": None},
    "mcp_servers.enabled": {"one": 0, "two": 1},  # one that had secrets comes in disabled
    "card_id": {"one": "one", "two": "two"},
    "imported": {"one": 1, "two": 1},  # an import marks each row
}
ROWS = ("one", "two")


def value(table: str, column: str, kind: str, row_id: str, time: int) -> Any:
    """Make what a column holds in a row: never its default in both rows, and another value the second time."""
    name = f"{table}.{column}" if f"{table}.{column}" in FIXED.keys() | TEXTS.keys() else column
    if name in FIXED:
        return FIXED[name].get(row_id, row_id)
    is_first = (row_id == "one") == (time == 0)
    if column.startswith("archive") and is_first:
        return None
    if name in TEXTS:
        return TEXTS[name][time].replace("{id}", row_id).replace("{ID}", row_id.upper())
    if kind.startswith("INTEGER"):
        # A switch, a number from 1 on, or a place among those that are not archived.
        return {"version": 1 + time, "wip_limit": 1 + time, "position": int(not is_first)}.get(column, int(is_first))
    if column.endswith("_at"):
        return f"2026-01-0{time + 1}T02:03:04.567Z"
    return "one" if column.endswith("_id") else f"{column} of {row_id}, {time}"


class File:
    """The database of a service that does not run, opened by hand."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        connection.execute("PRAGMA foreign_keys = ON")

    def tables(self) -> set[str]:
        query = (
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'"
        )
        return {name for (name,) in self.connection.execute(query)}

    def columns(self, table: str) -> dict[str, str]:
        """Return the columns of a table with their kinds; those that need not hold anything end in a question mark."""
        info = self.connection.execute(f"PRAGMA table_info({table})")
        return {name: kind if needed or key else f"{kind}?" for _, name, kind, needed, _, key in info}

    def rows(self, table: str, left_out: Set[str]) -> list[dict[str, Any]]:
        """Return the rows that were written by hand, without some columns."""
        names = [name for name in self.columns(table) if name not in left_out]
        others = {"field_values": "card_id", "team_members": "team_id", "project_keys": "project_id"}
        others["former_card_keys"] = "card_id"
        key = {**others, "questions": "comment_id"}.get(table, "id")
        query = f"SELECT {', '.join(names)} FROM {table} WHERE {key} IN ('one', 'two', '{ORG}') ORDER BY {key}, 1, 2"
        return [dict(zip(names, row)) for row in self.connection.execute(query)]

    def fill(self, user_id: str, time: int) -> None:
        """Write the rows, over those of the last time."""
        self.write("organizations", time, id=ORG, owner_id=user_id, archived_at=None, archive_id=None, archived_by=None)
        self.write("memberships", 0, org_id=ORG, user_id=user_id, role="SolutionArchitect")
        for table in TRAVEL:
            if time == 0 or table not in ("comments", "history"):  # these are never changed
                for row_id in ROWS + (("three",) if table == "cards" else ()):
                    self.write(table, time, id=row_id, org_id=ORG, assigned_user_id=user_id)
        for row_id in ROWS:
            self.write(
                "project_keys", time, project_id=row_id, org_id=ORG, key=value("projects", "key", "", row_id, time)
            )
            self.write("field_values", time, card_id=row_id, field_id="one")
        self.write("former_card_keys", 0, project_id="two", number=9, card_id="one")
        self.write("team_members", time, team_id="one", user_id=user_id)
        asker = {"agent_id": "one", "created_at": "2026-01-01T02:03:04.567Z"}
        if time == 0:  # like the comment that asks, it is never changed by an import
            self.write("questions", 0, comment_id="one", card_id="one", org_id=ORG, state="answered", **asker)

    def write(self, table: str, time: int, **given: Any) -> None:
        """Write one row, with what is not given made up."""
        row_id, kinds = given.get("id", "one"), self.columns(table)
        row = {name: given.get(name, value(table, name, kind, row_id, time)) for name, kind in kinds.items()}
        row |= {name: None for name in NOT_EXPORTED.get(table, {}) if kinds[name].endswith("?")}
        marks, changes = ", ".join("?" * len(row)), ", ".join(f"{name} = excluded.{name}" for name in row)
        text = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks}) ON CONFLICT DO UPDATE SET {changes}"
        self.connection.execute(text, list(row.values()))


@contextmanager
def opened(settings: Settings) -> Iterator[File]:
    with closing(sqlite3.connect(settings.database, isolation_level=None, timeout=10)) as connection:
        yield File(connection)


async def _exported(world: World) -> Any:
    return await snapshot_of(world.client({**world.sa.headers, "X-Organization-Id": ORG}))


@pytest.fixture
def there(settings: Settings, tmp_path: Path, template: Path) -> Settings:
    """Provide settings of another service, into which a snapshot is imported."""
    data = tmp_path / "there"
    data.mkdir()
    shutil.copy(template, data / "service.db")
    return settings.model_copy(update={"data_path": data, "files_path": data / "files"})


def test_every_table_travels_or_stays_for_a_reason(settings: Settings) -> None:
    known = [*TRAVEL, *INSIDE, *SHOWN, *STAY]
    assert len(known) == len(set(known))
    with opened(settings) as file:
        assert set(known) == file.tables()
    assert {key for key, _ in (*GROUPS, *FURTHER_GROUPS)} == {*TRAVEL.values(), "permissions"}


async def test_every_column_is_a_key_of_the_export(settings: Settings) -> None:
    async with running(settings) as world:
        with opened(settings) as file:
            file.fill(world.sa.id, 0)
            file.write("permissions", 0, org_id=ORG, role="Member", actions="[]")
            file.write("api_keys", 0, org_id=ORG)
            columns = {table: file.columns(table).keys() for table in TRAVEL | SHOWN}
        snapshot = await _exported(world)
    for table, key in (TRAVEL | SHOWN).items():
        names = columns[table] - NOT_EXPORTED.get(table, {}).keys() - {"org_id"}
        wanted = {PARTS.get(name) or to_camel(name) for name in names} | BESIDES.get(table, set())
        assert set(snapshot[key][0]) == wanted, table


async def test_every_column_comes_back_into_a_new_organization_and_over_one_that_is_there(
    settings: Settings, there: Settings
) -> None:
    for time in (0, 1):
        async with running(settings) as world:
            with opened(settings) as file:
                file.fill(world.sa.id, time)
            snapshot = await _exported(world)
        async with running(there) as world:
            (await send(world.sa, snapshot)).ok()
        with opened(settings) as here, opened(there) as copy:
            for table in TRAVEL | INSIDE:
                left_out = NOT_EXPORTED.get(table, {}).keys() | NOT_IMPORTED.get(table, {}).keys()
                left_out |= CHANGED_BY_IMPORT.get(table, {}).keys() if time else set()
                assert copy.rows(table, left_out) == here.rows(table, left_out) != [], table
