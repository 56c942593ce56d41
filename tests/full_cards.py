"""Cards and organizations on which very much lies, put straight into the database, to compare them with fresh ones.

Each function fills one dimension: it adds `count` rows of one kind to the card, or to the organization, of a place.
"""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

AT = "2026-11-20T09:00:00.000Z"
BY = '{"type":"User","id":"usr_other","label":"Ann Other"}'
NUMBERS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count) "
COMMENT = "Comment number ' || i || ' is a sentence of ordinary length, as people write them on cards."
CARDS = """
INSERT INTO cards (
    id, org_id, project_id, column_id, card_type_id, title, priority, rank_key, version, created_by, created_at,
    updated_at, number
)
SELECT
    :prefix || '_' || i, :org_id, :project_id, :column_id, :card_type_id, 'Neighbour ' || i, 'none', (i + 1000) << 32,
    1, :by, :at, :at, (SELECT last_number FROM projects WHERE id = :project_id) + i
FROM n
"""


@dataclass(frozen=True)
class Place:
    """A card on a board, and another board of its organization for the cards that belong to it."""

    org_id: str
    project_id: str
    column_id: str
    card_type_id: str
    card_id: str
    other_project_id: str
    other_column_id: str  # a done one
    other_card_type_id: str

    def values(self, count: int) -> dict[str, Any]:
        """Return the parameters that the statements share; ids begin with a prefix of their own."""
        return vars(self) | {"count": count, "at": AT, "by": BY, "prefix": f"full_{self.card_id[-12:]}"}


Fill = Callable[[sqlite3.Connection, Place, int], None]


def _run(connection: sqlite3.Connection, place: Place, count: int, statement: str, **more: Any) -> None:
    connection.execute(NUMBERS + statement, place.values(count) | more)


def add_comments(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add comments without replies."""
    statement = f"""
    INSERT INTO comments (id, org_id, card_id, content, actor_type, actor_id, created_at)
    SELECT 'cmt_' || :prefix || '_' || i, :org_id, :card_id, '{COMMENT}', 'User', 'usr_other', :at FROM n
    """
    _run(connection, place, count, statement)


def add_replies(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add one comment with replies."""
    add_comments(connection, place, 1)
    statement = f"""
    INSERT INTO comments (id, org_id, card_id, parent_id, content, actor_type, actor_id, created_at)
    SELECT
        'cmt_' || :prefix || '_r' || i, :org_id, :card_id, 'cmt_' || :prefix || '_1', '{COMMENT}', 'User', 'usr_other',
        :at
    FROM n
    """
    _run(connection, place, count, statement)


def add_history(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add changes of people and of an agent to the history."""
    statement = """
    INSERT INTO history (id, org_id, card_id, actor_type, actor_id, action, changes, created_at)
    SELECT
        'his_' || :prefix || '_' || i, :org_id, :card_id, iif(i % 2, 'User', 'Agent'), iif(i % 2, 'usr_other', 'other'),
        'updated', '{"title":{"from":"One title","to":"Another title"}}', :at
    FROM n
    """
    _run(connection, place, count, statement)


def _add_cards(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add cards that are done to the other board."""
    names = ("project_id", "column_id", "card_type_id")
    _insert_cards(connection, place, count, {name: getattr(place, f"other_{name}") for name in names})


def _insert_cards(connection: sqlite3.Connection, place: Place, count: int, where: dict[str, str]) -> None:
    _run(connection, place, count, CARDS, **where)
    project_id = where.get("project_id", place.project_id)
    connection.execute("UPDATE projects SET last_number = last_number + ? WHERE id = ?", (count, project_id))


def _relate(connection: sqlite3.Connection, place: Place, count: int, origin: str, target: str, kind: str) -> None:
    statement = f"""
    INSERT INTO relationships (id, org_id, from_card_id, to_card_id, kind, created_at)
    SELECT 'rel_' || :prefix || '_' || i, :org_id, {origin}, {target}, :kind, :at FROM n
    """
    _run(connection, place, count, statement, kind=kind)


OTHER = ":prefix || '_' || i"


def add_parts(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add parts of the card, which are done."""
    _add_cards(connection, place, count)
    _relate(connection, place, count, OTHER, ":card_id", "partOf")


def add_relations(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add cards that the card is related to."""
    _add_cards(connection, place, count)
    _relate(connection, place, count, ":card_id", OTHER, "relatesTo")


def add_dependents(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add cards that the card blocks."""
    _add_cards(connection, place, count)
    _relate(connection, place, count, ":card_id", OTHER, "blocks")


def add_former_blockers(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add cards that have blocked the card and are done."""
    _add_cards(connection, place, count)
    _relate(connection, place, count, OTHER, ":card_id", "blocks")


def _add_field(connection: sqlite3.Connection, place: Place, name: str, kind: str, multiple: int = 0) -> str:
    field_id = f"fld_full_{place.card_id[-12:]}_{name}"
    connection.execute(
        """
        INSERT INTO fields (
            id, org_id, card_type_id, name, label, kind, required, options, position, multiple, created_at
        )
        VALUES (?, ?, ?, ?, ?, ?, 0, '[]', 1000, ?, ?)
        """,
        (field_id, place.org_id, place.card_type_id, name, name, kind, multiple, AT),
    )
    return field_id


def _set_value(connection: sqlite3.Connection, place: Place, field_id: str, value: Any) -> None:
    connection.execute(
        "INSERT INTO field_values (card_id, field_id, value) VALUES (?, ?, ?)",
        (place.card_id, field_id, json.dumps(value)),
    )


def add_files(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add files, without their contents, in one field."""
    field_id = _add_field(connection, place, "full_files", "file", multiple=1)
    statement = """
    INSERT INTO files (id, org_id, card_id, field_id, name, mime_type, size_bytes, uploaded_at)
    SELECT 'file_' || :prefix || '_' || i, :org_id, :card_id, :field_id, 'a.txt', 'text/plain', 10, :at FROM n
    """
    _run(connection, place, count, statement, field_id=field_id)
    prefix = place.values(count)["prefix"]
    _set_value(connection, place, field_id, [f"file_{prefix}_{number}" for number in range(1, count + 1)])


def add_values(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add values, each in a field of its own."""
    for number in range(count):
        _set_value(connection, place, _add_field(connection, place, f"full_{number}", "text"), f"A value {number} " * 5)


def add_labels(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add one value with many labels."""
    field_id = _add_field(connection, place, "full_labels", "multiselect", multiple=1)
    _set_value(connection, place, field_id, [f"Label {number}" for number in range(count)])


def add_text(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add a value of the given length."""
    field_id = _add_field(connection, place, "full_text", "text")
    _set_value(connection, place, field_id, ("Words of a long text that nobody changes. " * (count // 42 + 1))[:count])


def add_requests(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add move requests that were decided, and questions that were answered."""
    statement = """
    INSERT INTO move_requests (
        id, org_id, card_id, from_column_id, to_column_id, requested_by, state, created_at, decided_at
    )
    SELECT
        'req_' || :prefix || '_' || i, :org_id, :card_id, :column_id, :column_id,
        '{"type":"Agent","id":"other","label":null}', 'rejected', :at, :at
    FROM n
    """
    _run(connection, place, count, statement)
    add_comments(connection, place, count)
    statement = """
    INSERT INTO questions (comment_id, org_id, card_id, agent_id, state, answer_seen, created_at)
    SELECT 'cmt_' || :prefix || '_' || i, :org_id, :card_id, 'other', 'answered', 1, :at FROM n
    """
    _run(connection, place, count, statement)


def add_members(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add members to the organization."""
    statement = """
    INSERT INTO users (id, email, email_key, full_name, password_hash, tokens_valid_from, created_at, handle)
    SELECT
        'usr_' || :prefix || '_' || i, :prefix || i || '@full.test', :prefix || i || '@full.test', 'Member ' || i, '',
        :at, :at, lower(:prefix) || '-' || i
    FROM n
    """
    _run(connection, place, count, statement)
    statement = """
    INSERT INTO memberships (org_id, user_id, role, created_at)
    SELECT :org_id, 'usr_' || :prefix || '_' || i, 'Member', :at FROM n
    """
    _run(connection, place, count, statement)


def add_watchers(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add members who watch the card."""
    add_members(connection, place, count)
    statement = """
    INSERT INTO card_watchers (card_id, user_id, org_id)
    SELECT :card_id, 'usr_' || :prefix || '_' || i, :org_id FROM n
    """
    _run(connection, place, count, statement)


def add_claims(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add cards that other agents have claimed."""
    _add_cards(connection, place, count)
    statement = """
    INSERT INTO claims (card_id, org_id, agent_id, token, claimed_at, renewed_at, expires_at)
    SELECT :prefix || '_' || i, :org_id, 'other-' || i, 'token', :at, :at, '9999' FROM n
    """
    _run(connection, place, count, statement)


def add_agents(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add agents to the organization, half of them online."""
    statement = """
    INSERT INTO agents (org_id, id, title, status, is_online, last_seen_at, created_at)
    SELECT :org_id, :prefix || '-' || i, 'Agent ' || i, 'approved', i % 2, :at, :at FROM n
    """
    _run(connection, place, count, statement)


def add_fields(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add fields to other card types of the organization, 100 to each."""
    statement = """
    INSERT INTO card_types (id, org_id, title, color, comments_enabled, files_enabled, created_at)
    SELECT 'ctype_' || :prefix || '_' || i, :org_id, 'Type ' || i, '#fff', 1, 1, :at FROM n
    """
    _run(connection, place, count // 100 + 1, statement)
    statement = """
    INSERT INTO fields (
        id, org_id, card_type_id, name, label, kind, required, options, position, multiple, created_at
    )
    SELECT
        'fld_' || :prefix || '_' || i, :org_id, 'ctype_' || :prefix || '_' || (i / 100 + 1), 'field_' || i,
        'Field ' || i, 'text', 0, '[]', i, 0, :at
    FROM n
    """
    _run(connection, place, count, statement)


def add_events(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add events of others on other cards, 50 on each, which nobody has seen."""
    _add_cards(connection, place, count // 50 + 1)
    statement = """
    INSERT INTO events (org_id, type, card_id, project_id, actor_type, actor_id, actor_label, created_at)
    SELECT
        :org_id, 'card.updated', :prefix || '_' || (i / 50 + 1), :project_id, 'User', 'usr_other', 'Ann Other', :at
    FROM n
    """
    _run(connection, place, count, statement)


def add_cards(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add cards to the column of the card, below it."""
    _insert_cards(connection, place, count, {})


def add_files_elsewhere(connection: sqlite3.Connection, place: Place, count: int) -> None:
    """Add files to other cards of the organization, 100 to each."""
    _add_cards(connection, place, count // 100 + 1)
    field_id = _add_field(connection, place, "full_files", "file", multiple=1)
    statement = """
    INSERT INTO files (id, org_id, card_id, field_id, name, mime_type, size_bytes, uploaded_at)
    SELECT
        'file_' || :prefix || '_' || i, :org_id, :prefix || '_' || (i / 100 + 1), :field_id, 'a.txt', 'text/plain', 10,
        :at
    FROM n
    """
    _run(connection, place, count, statement, field_id=field_id)


# By name of the dimension: what lies on one card, and what is in one organization.
OF_A_CARD: dict[str, Fill] = {
    "comments": add_comments,
    "replies": add_replies,
    "history": add_history,
    "parts": add_parts,
    "relations": add_relations,
    "dependents": add_dependents,
    "former blockers": add_former_blockers,
    "files": add_files,
    "values": add_values,
    "labels": add_labels,
    "text": add_text,
    "requests": add_requests,
    "watchers": add_watchers,
}
OF_AN_ORGANIZATION: dict[str, Fill] = {
    "cards": add_cards,
    "fields": add_fields,
    "agents": add_agents,
    "members": add_members,
    "claims": add_claims,
    "unread events": add_events,
    "stored files": add_files_elsewhere,
}
