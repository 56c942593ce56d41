"""Query plans of every statement: no product of two sets of rows, and no table that is read as a whole."""

import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from service.database.connections import add_functions
from service.database.migrate import migrate
from service.database.queries import sql
from service.database.statement import Statement

STATEMENTS: list[Statement] = [
    statement for _, folder in sorted(vars(sql).items()) for _, statement in sorted(vars(folder).items())
]
NUMBERS = {"limit": 50, "offset": 0, "since": 0, "at": 100, "seen": 0, "number": 1, "position": 0}
every_statement = pytest.mark.parametrize("statement", STATEMENTS, ids=lambda statement: statement.name)

# Statements for which SQLite builds an index each time, and why there is no better way.
AUTOMATIC_INDEXES = {
    "activity.list_events": "cards and mentions among the events that were read, which no table holds",
    "board.list_cards": "the numbers of unread events, which depend on the reader",
    "board.list_changed_cards": "the boards that the cards of the new events have left",
    "field_values.list_card_ids": "the values that match after folding",
    "series.list_days": "the cards that were closed, by day",
}
# Statements that compare a set of rows with each row of another one, and why the product is small.
SMALL_PRODUCTS = {
    "cards.count": "at most 10 ranges of due dates",
    "cards.list_sorted": "at most 10 ranges of due dates",
}
# Statements that read a whole table, and why: no request runs them, the table stays small, or they end early.
WHOLE_TABLES = {
    "imports.has_events_before": "its first row",
    "database_usage.list": "one row for each organization, once after the start",
    "files.list_all": "once after the start",
    "imports.list_card_types_of_fields": "in the database of the dry run, which holds only what is imported",
    "imports.list_changed_prompts": "in the database of the dry run",
    "imports.list_projects_of_columns": "in the database of the dry run",
    "imports.list_in_progress": "one row for each import in progress",
    "jobs.list": "one row for each job in progress",
    "monitoring.gauges": "live claims and pending deliveries, by index",
    "operations.list_database_usage": "one row for each organization, for doctor",
    "operations.last_event_id": "the last row",
    "operations.latest_timestamp": "a command of the operator",
    "operations.list_files": "a command of the operator",
    "operations.list_hashes": "a command of the operator",
    "operations.list_organizations": "a command of the operator",
    "operations.list_over_quota": "a command of the operator",
    "operations.list_wrong_counts": "a command of the operator",
    "organizations.list_ids": "once after the start",
    "search.create_card": "the last row",
    "search.list_backlog": "the first rows",
    "search.list_pending": "the rows of the current transaction",
    "users.exists": "the first row",
    "webhooks.create": "the last row of the events",
    "webhooks.list_enabled": "at the start, and when an organization is restored",
    "webhooks.skip_events": "the last row of the events",
}


class Step(NamedTuple):
    """A row of EXPLAIN QUERY PLAN."""

    id: int
    parent: int
    detail: str


class Plan:
    """The steps of a statement as a tree: steps with one parent are nested loops, or subqueries of these loops."""

    def __init__(self, statement: Statement, steps: list[Step]) -> None:
        self._text = statement.text
        self._steps = {step.id: step for step in steps}
        self.levels: defaultdict[int, list[str]] = defaultdict(list)
        for step in steps:
            self.levels[step.parent].append(step.detail)

    def products(self) -> list[str]:
        """Return the scans that are repeated for each row of another scan, or of the query around their subquery."""
        found = []
        for parent, details in self.levels.items():
            scans = [detail for detail in details if self._is_scan(detail)]
            if len(scans) > 1:
                found.append(", ".join(scans))
            elif scans and self._is_correlated(parent) and not self._is_computed_here(scans[0], details):
                found.append(f"{scans[0]} for each row")
        return found

    def _is_scan(self, detail: str) -> bool:
        """Return whether a step reads all rows of something; the items of the JSON value of one row are few."""
        if not detail.startswith("SCAN ") or detail == "SCAN CONSTANT ROW":
            return False
        if "VIRTUAL TABLE" not in detail:
            return True
        alias = detail.split()[1]
        named = "" if alias == "json_each" else rf" AS {alias}\b"
        return alias.startswith("search_") or bool(re.search(rf"json_each\(\?\d+\){named}", self._text))

    def _is_correlated(self, parent: int) -> bool:
        """Return whether a level runs again for each row of a query around it."""
        while parent in self._steps:
            step = self._steps[parent]
            if step.detail.startswith(("MATERIALIZE", "LIST SUBQUERY")):  # runs once
                return False
            if step.detail.startswith("CORRELATED"):
                return True
            parent = step.parent
        return False

    @staticmethod
    def _is_computed_here(scan: str, details: list[str]) -> bool:
        """Return whether a scan reads the rows of a subquery that was run for it."""
        return f"CO-ROUTINE {scan.split()[1]}" in details


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """Provide an empty database with the newest schema."""
    path = tmp_path_factory.mktemp("schema") / "service.db"
    migrate(path)
    connection = sqlite3.connect(path)
    add_functions(connection)
    yield connection
    connection.close()


def explain(database: sqlite3.Connection, statement: Statement) -> Plan:
    """Return the plan of a statement."""
    values = [NUMBERS.get(name, "[]") for name in statement.parameters]
    rows = database.execute("EXPLAIN QUERY PLAN " + statement.text, values)
    return Plan(statement, [Step(id, parent, detail) for id, parent, _, detail in rows])


def whole_tables(database: sqlite3.Connection, statement: Statement) -> set[str]:
    """Return the tables that a statement or its triggers read from the first row to the last one."""
    names = dict(database.execute("SELECT rootpage, tbl_name FROM sqlite_schema WHERE rootpage > 1"))
    opened: dict[int, str] = {}
    begun: dict[int, int] = {}
    found = set()
    values = [NUMBERS.get(name, "[]") for name in statement.parameters]
    for address, code, cursor, target, *_ in database.execute("EXPLAIN " + statement.text, values):
        if code == "Init":  # of the statement, or of a trigger
            opened, begun = {}, {}
        elif code in ("OpenRead", "OpenWrite") and target in names:
            opened[cursor] = names[target]
        elif code == "OpenEphemeral":
            opened.pop(cursor, None)
        elif code in ("Rewind", "Last"):
            begun[address + 1] = cursor
        elif code in ("Next", "Prev") and cursor in opened and begun.get(target) == cursor:
            found.add(opened[cursor])
    return found - {"sqlite_sequence"}


@every_statement
def test_no_set_of_rows_is_read_again_for_each_row_of_another_one(
    statement: Statement, database: sqlite3.Connection
) -> None:
    products = explain(database, statement).products()
    assert bool(products) == (statement.name in SMALL_PRODUCTS), products


@every_statement
def test_an_index_that_is_built_for_one_query_has_a_reason(statement: Statement, database: sqlite3.Connection) -> None:
    levels = explain(database, statement).levels.values()
    automatic = [detail for details in levels for detail in details if "AUTOMATIC" in detail]
    assert bool(automatic) == (statement.name in AUTOMATIC_INDEXES), automatic


@every_statement
def test_no_table_is_read_as_a_whole_without_a_reason(statement: Statement, database: sqlite3.Connection) -> None:
    tables = whole_tables(database, statement)
    assert bool(tables) == (statement.name in WHOLE_TABLES), tables


def test_every_listed_exception_names_an_existing_statement() -> None:
    assert AUTOMATIC_INDEXES.keys() | SMALL_PRODUCTS.keys() | WHOLE_TABLES.keys() <= {row.name for row in STATEMENTS}


@pytest.mark.parametrize(
    ("text", "product"),
    [
        ("WITH a AS MATERIALIZED (SELECT title FROM cards LIMIT 9) SELECT 1 FROM a JOIN cards AS b", True),
        ("WITH a AS MATERIALIZED (SELECT id FROM cards LIMIT 9) SELECT 1 FROM a JOIN cards AS b ON b.id = a.id", False),
        ("SELECT (SELECT count(*) FROM cards AS b WHERE b.title = a.title) FROM cards AS a", True),
        ("SELECT (SELECT count(*) FROM cards AS b WHERE b.id = a.id) FROM cards AS a", False),
        ("SELECT 1 FROM cards AS c CROSS JOIN json_each(c.created_by) AS n", False),
        ("SELECT 1 FROM cards AS c CROSS JOIN json_each(:names) AS n", True),
        ("SELECT 1 FROM cards WHERE title IN (SELECT title FROM comments JOIN cards)", True),
    ],
)
def test_a_product_is_recognized(text: str, product: bool, database: sqlite3.Connection) -> None:
    assert bool(explain(database, Statement("tests", text)).products()) == product


NUMBERED = """
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
"""
CARDS = f"""
    INSERT INTO cards (id, org_id, project_id, column_id, card_type_id, title, assigned_agent_id, priority, rank_key,
        version, created_by, created_at, updated_at, number)
    {NUMBERED}
    SELECT 'card' || i, 'org', 'proj', 'col', 'type', 'Card', 'agent', 'none', i, 1, '{{}}', '', '', i FROM n
"""
EVENTS = f"""
    INSERT INTO events (org_id, type, card_id, actor_type, actor_id, created_at)
    {NUMBERED}
    SELECT 'org', 'card.updated', 'card' || i, 'User', 'somebody', '' FROM n
"""
HISTORY = f"""
    INSERT INTO history (id, org_id, card_id, actor_type, actor_id, action, changes, created_at)
    {NUMBERED}
    SELECT 'his' || i, 'org', 'card' || i, 'Agent', 'agent', 'claimed', '{{}}', '' FROM n
"""


def count_instructions(database: sqlite3.Connection, statement: Statement, values: dict[str, object]) -> int:
    """Return how many instructions of its virtual machine, in hundreds, SQLite needs for a statement."""
    count = 0

    def step() -> int:
        nonlocal count
        count += 1
        return 0

    database.set_progress_handler(step, 100)
    try:
        assert database.execute(statement.text, statement.values(values)).fetchall()
    finally:
        database.set_progress_handler(None, 0)
    return count


@pytest.mark.parametrize("reader", [("User", "me", False), ("Agent", "agent", True)])
def test_news_of_four_times_as_many_cards_cost_four_times_as_much(
    reader: tuple[str, str, bool], database: sqlite3.Connection
) -> None:
    costs = []
    values = {"org_id": "org", "since": 0, "limit": 5000, "reader_type": reader[0], "reader_id": reader[1]}
    for count in (500, 2000):
        database.execute("BEGIN")
        database.execute(
            "INSERT INTO projects (id, org_id, title, color, created_at) VALUES ('proj', 'org', '', '', '')"
        )
        for text in (CARDS, EVENTS, HISTORY):
            database.execute(text, {"count": count})
        more = {"only_concerning_reader": reader[2], "only_unseen": not reader[2]}
        costs.append(count_instructions(database, sql.activity.list_events, values | more))
        database.rollback()
    assert costs[1] < 5 * costs[0], costs
