"""Handles that an upgrade gives to the people who are there."""

import json

from service.text.handles import assign_handles


def test_namesakes_are_numbered_in_their_order() -> None:
    people = [["a", "Sam", "x@x"], ["b", "Sam 2", "x@x"], ["c", "SAM", "x@x"], ["d", "", "sam@x"], ["e", "Me", "me@x"]]
    assert json.loads(assign_handles(json.dumps(people))) == {
        "a": "sam",
        "b": "sam-2",
        "c": "sam-3",
        "d": "sam-4",
        "e": "user",
    }


def test_very_many_namesakes_are_numbered_without_trying_all_numbers_for_each() -> None:
    people = [[str(number), "Sam", "x@x"] for number in range(100_000)]  # would take an hour
    handles = json.loads(assign_handles(json.dumps(people)))
    assert len(set(handles.values())) == 100_000
    assert handles["99999"] == "sam-100000"
