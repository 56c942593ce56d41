"""A context that fits is not searched for texts that could be cut, however much is in it."""

import sys
from typing import Any

from service.domain import truncation

TOKENS = 6000


def content(labels: int) -> dict[str, Any]:
    """Return a context with a value of so many labels."""
    fields = {"description": "Write it", "labels": [f"Label {number}" for number in range(labels)]}
    return {"leftOut": [], "card": {"id": "card_1", "fields": fields}, "comments": [{"content": "Hello"}]}


def count_calls(labels: int) -> int:
    """Return how many Python functions are called to truncate a context."""
    calls, given = 0, content(labels)

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        shown = truncation.truncate(given, TOKENS)
    finally:
        sys.setprofile(before)
    assert shown == content(labels)
    return calls


def test_a_context_that_fits_costs_the_same_with_any_number_of_labels() -> None:
    assert count_calls(labels=1000) == count_calls(labels=1) > 0
