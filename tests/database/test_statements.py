"""Every statement under sql/ fits the schema, says what it is, and is used."""

import ast
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.auth.context import CREDENTIAL_TABLES
from service.database.connections import add_functions
from service.database.migrate import migrate
from service.database.queries import sql
from service.database.statement import FOLDER, Statement

SERVICE = Path(__file__).parents[2] / "service"
STATEMENTS: list[Statement] = [
    statement for _, noun in sorted(vars(sql).items()) for _, statement in sorted(vars(noun).items())
]
WRITES = {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}
every_statement = pytest.mark.parametrize("statement", STATEMENTS, ids=lambda statement: statement.name)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """Provide a database with the newest schema and nothing in it."""
    path = tmp_path_factory.mktemp("schema") / "service.db"
    migrate(path)
    connection = sqlite3.connect(path)
    add_functions(connection)
    yield connection
    connection.close()


def tables(database: sqlite3.Connection, statement: Statement, actions: set[int]) -> set[str]:
    """Ask SQLite which tables a statement itself, and no trigger, touches in these ways."""
    touched: set[str] = set()

    def note(action: int, table: str | None, _: str | None, __: str | None, trigger: str | None) -> int:
        if action in actions and table and trigger is None and not table.startswith("sqlite_"):
            touched.add(table)
        return sqlite3.SQLITE_OK

    database.set_authorizer(note)
    try:
        database.execute("EXPLAIN " + statement.text, [None] * len(statement.parameters))
    finally:
        database.set_authorizer(None)
    return touched


def test_every_file_is_a_statement_in_the_folder_of_its_noun() -> None:
    files = {file.relative_to(FOLDER) for file in FOLDER.rglob("*") if file.is_file()}
    names = {Path(statement.name.replace(".", "/") + ".sql") for statement in STATEMENTS}
    assert {file for file in files if len(file.parts) > 1 and file.parts[0] != "migrations"} == names
    assert {file.name for file in files if len(file.parts) == 1} == {"schema.sql", ".gitattributes"}


@every_statement
def test_a_statement_compiles_and_takes_exactly_the_parameters_that_the_loader_read(
    statement: Statement, database: sqlite3.Connection
) -> None:
    values = [None] * len(statement.parameters)
    # It refuses a file with more than one statement, and more or fewer values than there are parameters.
    database.execute("EXPLAIN " + statement.text, values)


@every_statement
def test_a_statement_says_truly_which_tables_it_writes_to(statement: Statement, database: sqlite3.Connection) -> None:
    assert statement.changed == tables(database, statement, WRITES)


def test_a_change_to_any_credential_table_clears_the_credential_cache(database: sqlite3.Connection) -> None:
    remembered = (sql.access.get_user, sql.access.get_api_key)  # by caller.py
    assert (
        set().union(*(tables(database, statement, {sqlite3.SQLITE_READ}) for statement in remembered))
        <= CREDENTIAL_TABLES
    )
    for table in CREDENTIAL_TABLES:  # a row that goes takes along, or changes, those that hang on it
        parents = database.execute('SELECT "table" FROM pragma_foreign_key_list(?)', (table,))
        assert {name for (name,) in parents} <= CREDENTIAL_TABLES, table


@every_statement
def test_a_statement_says_first_what_it_is(statement: Statement) -> None:
    assert re.match(r"-- [A-Z].*[.:?]\n", statement.text)


@every_statement
def test_a_statement_names_its_columns(statement: Statement) -> None:
    code = re.sub(r"--[^\n]*", "", statement.text)
    assert not re.search(r"(?i)(\bSELECT|\bRETURNING|,)\s+(DISTINCT\s+)?(\w+\.)?\*", code)


def test_names_are_found_by_ids_however_much_there_is_to_be_named(database: sqlite3.Connection) -> None:
    plan = database.execute("EXPLAIN QUERY PLAN " + sql.directory.list_names.text, ["org", "[]"])
    looks = [step for *_, step in plan if step.startswith(("SCAN", "SEARCH"))]
    assert looks
    assert all(step.startswith("SCAN ids") or step.endswith("(id=?)") for step in looks), looks


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        (sql.cards.list_of_organization, "cards_by_organization (org_id=? AND archived_at=?)"),
        (sql.cards.list_of_agent, "cards_by_agent (org_id=? AND assigned_agent_id=? AND archived_at=?)"),
        (sql.cards.list_of_user, "cards_by_user (assigned_user_id=? AND org_id=? AND archived_at=?)"),
        (sql.cards.list_of_type, "cards_by_type (card_type_id=? AND org_id=? AND archived_at=?)"),
    ],
    ids=lambda value: value.name if isinstance(value, Statement) else "",
)
def test_a_page_of_cards_in_rank_order_is_found_without_a_look_at_others(
    statement: Statement, found: str, database: sqlite3.Connection
) -> None:
    values = ["some"] * (len(statement.parameters) - 2)
    plan = database.execute("EXPLAIN QUERY PLAN " + statement.text, [*values, 20, 0])
    (step,) = [step for *_, step in plan]  # nothing is sorted either
    assert step == f"SEARCH cards USING COVERING INDEX {found}", step


def test_a_page_of_cards_by_due_date_is_found_without_a_look_at_those_before_it(database: sqlite3.Connection) -> None:
    plan = [
        step for *_, step in database.execute("EXPLAIN QUERY PLAN " + sql.cards.list_by_due_date.text, ["org", 0, 20])
    ]
    due = plan.index("MATERIALIZE due") + 1
    assert plan[due].startswith("SEARCH cards USING INDEX cards_by_due_date (org_id=?"), plan
    assert plan[due + 1] == "SCAN due", plan  # nothing is sorted


@pytest.mark.parametrize("statement", [sql.cards.count, sql.cards.list_sorted], ids=lambda statement: statement.name)
def test_only_the_cards_that_the_narrowest_filter_leaves_are_read(
    statement: Statement, database: sqlite3.Connection
) -> None:
    values = ["[]"] * len(statement.parameters)
    plan = [step for *_, step in database.execute("EXPLAIN QUERY PLAN " + statement.text, values)]
    read = plan.index("SCAN candidates") + 1
    assert re.fullmatch(r"SEARCH c USING INDEX \w+ \(id=\?\)", plan[read]), plan


@pytest.mark.parametrize(
    "statement", [sql.my_cards.list, sql.my_cards.count], ids=lambda statement: str(statement.name)
)
def test_cards_of_a_person_are_found_without_a_look_at_those_of_others(
    statement: Statement, database: sqlite3.Connection
) -> None:
    values = ["some"] * len(statement.parameters)
    plan = [step for *_, step in database.execute("EXPLAIN QUERY PLAN " + statement.text, values)]
    index = "cards_by_user (assigned_user_id=? AND org_id=? AND archived_at=?)"
    assert f"SEARCH c USING INDEX {index}" in plan, plan


def test_every_statement_is_used_and_every_one_used_is_there() -> None:
    used: set[str] = set()
    for file in SERVICE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and re.fullmatch(r"sql\.\w+\.\w+", ast.unparse(node)):
                used.add(ast.unparse(node).removeprefix("sql."))
    assert used == {statement.name for statement in STATEMENTS}
