"""What a refusal of a body names, and values that are wrong for a key of a kind."""

from typing import Any

from .world import Answer

LONG_TITLE = "x" * 501
NO_TEXT: list[Any] = [None, 1, 1.5, True, [], {}]  # for a key that takes text
NO_LINE: list[Any] = [*NO_TEXT, "", "   ", "two\nlines", "a\0b"]  # for a key that takes one line of text
NO_COLOR: list[Any] = [*NO_TEXT, "", "red", "#12", "#12345", "#gggggg", "123456", "#1234567", "#123456\n"]


def get_refused_keys(answer: Answer) -> set[str]:
    """Return the keys that a refusal names; fail the test if the body was not refused."""
    fields = answer.refused(400, "validation_failed")["fields"]
    assert fields
    assert all(set(field) == {"path", "message"} and field["message"] for field in fields)
    return {field["path"] for field in fields}
