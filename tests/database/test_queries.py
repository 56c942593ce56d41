"""The loader: a statement is the text of its file, with the parameters that SQLite sees in it."""

import contextlib
import sqlite3

import pytest

from service.database.queries import sql
from service.database.statement import FOLDER, Statement


def test_a_statement_is_the_text_of_its_file() -> None:
    text = (FOLDER / "cards" / "get.sql").read_text("utf-8")
    assert sql.cards.get.text == text.replace(":card_id", "?1")
    assert sql.cards.get.parameters == ("card_id",)
    assert sql.cards.get.name == "cards.get"
    assert "cards.get" in repr(sql.cards.get)


def test_a_statement_that_is_not_there_is_an_error_where_it_is_named() -> None:
    with pytest.raises(AttributeError):
        _ = sql.cards.juggle
    with pytest.raises(AttributeError):
        _ = sql.migrations


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("SELECT 1", ()),
        ("SELECT :two, :one, :two", ("two", "one")),
        ("SELECT :a_b2+:c", ("a_b2", "c")),
        ("SELECT ':quoted', :real", ("real",)),
        ("SELECT 'it''s :quoted', :real", ("real",)),
        ("-- a :comment\nSELECT :real -- and :another", ("real",)),
        ("SELECT '12:30:45'", ()),
        ("SELECT '--', :real", ("real",)),
        ("SELECT (:real)", ("real",)),
    ],
)
def test_parameters_are_found_in_the_code_but_not_in_comments_or_texts(text: str, parameters: tuple[str, ...]) -> None:
    statement = Statement("scratch", text)
    assert statement.parameters == parameters
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        assert len(connection.execute(statement.text, statement.values(dict.fromkeys(parameters))).fetchall()) == 1


def test_each_parameter_goes_to_its_place() -> None:
    statement = Statement("scratch", "SELECT :two, ':one', :one, :two")
    values = statement.values({"one": 1, "two": 2})
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        assert connection.execute(statement.text, values).fetchone() == (2, ":one", 1, 2)
