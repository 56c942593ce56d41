"""Requests that are sent again: a key for them, and what tells a replay."""

from typing import Any

from .world import Answer

KEY = {"headers": {"Idempotency-Key": "once"}}


def get_first_answer(answer: Answer) -> Any:
    """Return the body of a success that is no replay."""
    assert "Idempotent-Replayed" not in answer.headers
    return answer.ok()


def get_replay(answer: Answer) -> Any:
    """Return the body of a replay; fail the test on anything else."""
    answer.ok()
    assert answer.headers.get("Idempotent-Replayed") == "true"
    return answer.body
