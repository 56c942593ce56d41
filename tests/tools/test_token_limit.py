"""Errors of tools stay within the token limit: long texts and lists are cut, and the error says where lists end."""

import json
from typing import Any

from service.domain.truncation import get_size
from service.tools.token_limit import (
    BYTES_PER_TOKEN,
    ERROR_CHARACTERS_MAX,
    TOKENS_DEFAULT,
    truncate_error,
)

from ..world import World
from .talk import talking

BYTES_MAX = TOKENS_DEFAULT * BYTES_PER_TOKEN


def error_of(bytes_: int) -> dict[str, Any]:
    """Return an error whose JSON has this size."""
    error = {"code": "conflict", "message": "Changed.", "details": {"text": ""}}
    error["details"] = {"text": "x" * (bytes_ - get_size(error))}
    return error


def test_an_error_that_fills_the_limit_exactly_stays_as_it_is_and_a_longer_one_is_cut() -> None:
    exact = error_of(BYTES_MAX)
    assert truncate_error(exact) == exact
    cut = truncate_error(error_of(BYTES_MAX + 1))
    assert cut["details"] == {"text": "x" * ERROR_CHARACTERS_MAX}
    assert cut["leftOut"]


def test_a_list_in_an_error_keeps_as_many_entries_as_fit() -> None:
    error = {"code": "conflict", "message": "Changed.", "details": {"items": [{"text": "é" * 10}] * 1000}}
    cut = truncate_error(error)
    count = len(cut["details"]["items"])
    assert cut["leftOut"] == [f"Lists in details end at {count} entries"]
    assert (cut["code"], cut["message"]) == (error["code"], error["message"])
    one_more = {**cut, "details": {"items": [*cut["details"]["items"], {"text": "é" * 10}]}}
    assert get_size(cut) <= BYTES_MAX < get_size(one_more)


def test_long_keys_and_texts_of_an_error_are_cut_even_if_nothing_else_helps() -> None:
    long = "k" * (ERROR_CHARACTERS_MAX + 1)
    cut = truncate_error({"code": "conflict", "message": "x" * BYTES_MAX, "details": {long: [1], "done": True}})
    assert cut["message"] == "x" * ERROR_CHARACTERS_MAX
    assert cut["details"] == {long[:-1]: [1], "done": True}


async def test_an_error_with_a_long_checklist_reaches_the_agent_within_the_limit(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    items = "\n".join(f"- [ ] {number} {'long ' * 40}" for number in range(100))
    values = [{"fieldId": board.field("description"), "value": items}]
    card = await world.card(board, fieldValues=values)
    async with talking(agent) as talk:
        await talk.ok("claim", card=card["key"])
        error = await talk.error("update_card", "validation_failed", card=card["key"], check=["none of them"])
    shown = error["details"]["items"]
    assert [item["text"].split()[0] for item in shown] == [str(number) for number in range(len(shown))]
    assert error["leftOut"] == [f"Lists in details end at {len(shown)} entries"]
    assert BYTES_MAX * 0.9 < len(json.dumps(error, separators=(",", ":")).encode()) <= BYTES_MAX
