"""The loader: a statement is the text of its file, with the parameters that SQLite sees in it."""

import pytest

from service.queries import FOLDER, Statement, sql


def test_a_statement_is_the_text_of_its_file() -> None:
    assert sql.cards.read.text == (FOLDER / "cards" / "read.sql").read_text("utf-8")
    assert sql.cards.read.name == "cards.read"
    assert "cards.read" in repr(sql.cards.read)


def test_a_statement_that_is_not_there_is_an_error_where_it_is_named() -> None:
    with pytest.raises(AttributeError):
        _ = sql.cards.juggle
    with pytest.raises(AttributeError):
        _ = sql.migrations


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("SELECT 1", set()),
        ("SELECT :one, :two, :one", {"one", "two"}),
        ("SELECT :a_b2+:c", {"a_b2", "c"}),
        ("SELECT ':quoted', :real", {"real"}),
        ("SELECT 'it''s :quoted', :real", {"real"}),
        ("-- a :comment\nSELECT :real -- and :another", {"real"}),
        ("SELECT '12:30:45'", set()),
        ("SELECT '--', :real", {"real"}),
        ("SELECT (:real)", {"real"}),
    ],
)
def test_parameters_are_found_in_the_code_but_not_in_comments_or_texts(text: str, parameters: set[str]) -> None:
    assert Statement("scratch", text).parameters == parameters
