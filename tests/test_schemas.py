"""What goes over the wire: timestamps, ids, and models that let nothing slip through."""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pydantic
import pytest
from pydantic import MISSING, TypeAdapter

from service import schemas
from service.clock import now, parse_timestamp, timestamp
from service.ids import new_id
from service.pipeline import parsing

FORM = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("2026-11-20T09:05:00Z", "2026-11-20T09:05:00.000Z"),
        ("2026-11-20T09:05:00.123Z", "2026-11-20T09:05:00.123Z"),
        ("2026-11-20T09:05:00.123999Z", "2026-11-20T09:05:00.123Z"),
        ("2026-11-20T09:05:00+02:00", "2026-11-20T07:05:00.000Z"),
        ("2026-11-20T00:30:00+05:30", "2026-11-19T19:00:00.000Z"),
        ("2026-11-20T09:05:00-0330", "2026-11-20T12:35:00.000Z"),
        ("2026-11-20T09:05:00", "2026-11-20T09:05:00.000Z"),
        ("2026-11-20 09:05", "2026-11-20T09:05:00.000Z"),
        ("20261120T090500Z", "2026-11-20T09:05:00.000Z"),
        ("2026-11-20", "2026-11-20T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
    ],
)
def test_any_iso_8601_moment_is_written_as_utc_with_milliseconds(given: str, written: str) -> None:
    assert TypeAdapter(schemas.Timestamp).validate_python(given) == written
    assert timestamp(parse_timestamp(written)) == written


@pytest.mark.parametrize(
    "given",
    [
        "", "now", "1763629500", 1763629500, None, True, [], "2026-13-01T00:00:00Z", "2026-02-30", "24:00",
        "2026-11-20T25:00:00Z", "2026-11-20T09:05:60Z", "2026-11-20T09:05:00+99:00", "9999-12-31T23:59:59-01:00",
        "0001-01-01T00:00:00+14:00", "0999-12-31T00:00:00Z", "2026-11-20T09:05:00Z\n",
        "\u0662\u0660\u0662\u0666-11-20", "2" * 10_000,
    ],
)  # fmt: skip
def test_an_invalid_timestamp_is_refused(given: Any) -> None:
    with pytest.raises(pydantic.ValidationError):
        TypeAdapter(schemas.Timestamp).validate_python(given)


def test_the_time_is_told_in_the_form_of_the_contract() -> None:
    assert FORM.fullmatch(now())
    assert abs(parse_timestamp(now()) - datetime.now(UTC)) < timedelta(seconds=5)
    whole = datetime(2026, 11, 20, 9, 5, tzinfo=timezone(timedelta(hours=1)))
    assert timestamp(whole) == "2026-11-20T08:05:00.000Z"


def test_ids_have_the_form_of_the_contract_and_sort_as_they_were_made() -> None:
    made = [new_id("card") for _ in range(50_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert all(re.fullmatch(r"card_[0-7][0-9A-HJKMNP-TV-Z]{25}", card_id) for card_id in made[:1000])


def test_an_id_tells_when_it_was_made() -> None:
    alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    milliseconds = 0
    for character in new_id("org").removeprefix("org_")[:10]:
        milliseconds = milliseconds * 32 + alphabet.index(character)
    assert abs(milliseconds / 1000 - datetime.now(UTC).timestamp()) < 60


@pytest.mark.parametrize("given", ["a", "bot-1", "Agent.7:x@host_2", "x" * 128, "1"])
def test_an_id_from_outside_may_have_the_characters_of_the_contract(given: str) -> None:
    assert schemas.check_external_id(given) == given


@pytest.mark.parametrize("given", ["", "x" * 129, ".a", "-a", "_a", "a..b", "a/b", "a b", "a\n", "é", "a\\b", "a%2e"])
def test_an_id_from_outside_can_never_leave_its_path(given: str) -> None:
    with pytest.raises(ValueError, match="must match"):
        schemas.check_external_id(given)


class Edit(schemas.Input):
    full_name: schemas.Title | None | MISSING = MISSING
    count: int = 0


def test_a_missing_key_is_told_from_null() -> None:
    assert Edit.model_validate({}).changes() == {}
    assert Edit.model_validate({"fullName": None}).changes() == {"full_name": None}


@pytest.mark.parametrize(
    ("content", "path", "word"),
    [
        ({"fullname": "x"}, "fullname", "allowed here: fullName, count"),
        ({"full_name": "x"}, "full_name", "allowed here"),
        ({"fullName": 1}, "fullName", "string"),
        ({"fullName": " "}, "fullName", "blank"),
        ({"fullName": "a\tb"}, "fullName", "control"),
        ({"fullName": "a\x7f"}, "fullName", "control"),
        ({"fullName": "\x80a"}, "fullName", "control"),
        ({"fullName": "a\x9fb"}, "fullName", "control"),
        ({"fullName": "x" * 501}, "fullName", "500"),
        ({"count": "1"}, "count", "whole number"),
        ({"count": True}, "count", "whole number"),
        ({"count": 1.0}, "count", "whole number"),
    ],
)
def test_what_does_not_fit_is_refused_in_plain_words_that_name_the_key(
    content: dict[str, Any], path: str, word: str
) -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        Edit.model_validate(content)
    problems = parsing.list_problems(caught.value, Edit)
    assert problems
    assert {problem["path"] for problem in problems} == {path}
    assert any(word in problem["message"] for problem in problems)


def test_very_many_problems_are_cut_short() -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        Edit.model_validate({f"key{number}": 1 for number in range(10_000)})
    assert 0 < len(parsing.list_problems(caught.value, Edit)) <= 100


@pytest.mark.parametrize("color", ["red", "#12", "#12345", "#GGGGGG", "fff", "#fff\n", "#ffffff00", ""])
def test_a_color_is_hexadecimal(color: str) -> None:
    assert TypeAdapter(schemas.Color).validate_python("#4f46E5") == "#4f46E5"
    with pytest.raises(pydantic.ValidationError):
        TypeAdapter(schemas.Color).validate_python(color)


@pytest.mark.parametrize("email", ["", "@", "a@", "@b", "a b@c", "a@b@c", "a", "a@b\n", "x" * 250 + "@b.de"])
def test_an_email_has_a_name_and_a_host(email: str) -> None:
    assert TypeAdapter(schemas.Email).validate_python("ada@example.test") == "ada@example.test"
    with pytest.raises(pydantic.ValidationError):
        TypeAdapter(schemas.Email).validate_python(email)
