"""Undo of ticks: items of checklists get their former state, and the texts around them stay as they are."""

from collections.abc import Iterable, Mapping
from typing import Any

from ...domain import checklist_ticks
from ...text import checklists

FIELD = "fieldValues."


def get_field_name(name: str) -> str | None:
    """Return the name of the field whose item a change of the history ticked; None for another change."""
    field_name, dot, number = name.removeprefix(FIELD).rpartition(".")
    return field_name if name.startswith(FIELD) and dot and number.isdecimal() else None


def revert_ticks(text: Any, names: Iterable[str], targets: Mapping[str, tuple[Any, Any]]) -> tuple[Any, list[str]]:
    """Return a text in which items have their former state, and the changes whose item is not found any more.

    An item that has moved within the text is found by what it says.
    """
    items = checklists.find_items(text) if isinstance(text, str) else []
    missing: list[str] = []
    for name in names:
        number = _find_item(items, int(name.rpartition(".")[2]), targets[name][0])
        if number is None:
            missing.append(name)
            continue
        item = items[number]
        items[number] = item._replace(done=not item.done)
        text = checklists.set_mark(text, item, not item.done)
    return text, missing


def _find_item(items: list[checklists.Item], number: int, shown: str) -> int | None:
    candidates = [*range(len(items))[number : number + 1], *range(len(items))]
    return next((place for place in candidates if checklist_ticks.show_item(items[place]) == shown), None)
