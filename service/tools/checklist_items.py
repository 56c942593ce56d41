"""Items of checklists, which tools name by their texts."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import MISSING

from ..auth.context import Call
from ..domain import checklist_ticks
from ..domain.checklist_ticks import PlacedItem
from ..errors import BadRequest, invalid
from ..text.comparison import fold_name

Json = dict[str, Any]
ITEMS_LISTED_MAX = 100  # in an error
_MARK = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?\[[ xX]\]\s+")  # agents copy it along with the text
NO_ITEM = "names no item of the card's checklists; take a text of details.items"
NO_CHECKLIST = "the card has no checklist; write one into a text with fields, for example - [ ] Test it"


def list_items(call: Call, card: Json) -> list[Json]:
    """Return the items of a card in the form in which tools show them."""
    placed = checklist_ticks.list_card_items(call, card["id"], card["cardTypeId"])
    return checklist_ticks.list_items([place.item for place in placed])


def resolve_ticks(placed: Sequence[PlacedItem], check: Any, uncheck: Any) -> list[Json]:
    """Return the ticks that the texts mean: of items with equal texts, the first ones in the other state.

    An item that has the wanted state already is left out. Raise validation_failed, with the items, for an unknown text.
    """
    places = _list_places(placed)
    ticks: dict[int, Json] = {}
    for name, texts, done in (("check", check, True), ("uncheck", uncheck, False)):
        waiting: dict[str, Iterator[int]] = {}  # by folded text: the places of the items that are in the other state
        for index, text in enumerate(() if texts is MISSING else texts):
            folded = next((folded for folded in _fold(text) if folded in places), None)
            if folded is None:
                raise _unknown_item(placed, f"{name}.{index}")
            if folded not in waiting:
                waiting[folded] = (at for at in places[folded] if placed[at].item.done != done)
            if (at := next(waiting[folded], None)) is not None:
                ticks[at] = _to_tick(placed[at], done)
    return list(ticks.values())


def _list_places(placed: Sequence[PlacedItem]) -> dict[str, list[int]]:
    """Return the places of the items by their folded texts."""
    places: dict[str, list[int]] = {}
    for at, place in enumerate(placed):
        places.setdefault(fold_name(place.item.text), []).append(at)
    return places


def _fold(text: str) -> Iterator[str]:
    """Yield the folded texts that an item which is meant can have: the whole one, then the one without a mark."""
    yield fold_name(text)
    yield fold_name(_MARK.sub("", text, count=1))


def _to_tick(place: PlacedItem, done: bool) -> Json:
    return {"fieldId": place.field_id, "item": place.number, "text": place.item.text, "done": done}


def _unknown_item(placed: Sequence[PlacedItem], path: str) -> BadRequest:
    error = invalid(path, NO_ITEM if placed else NO_CHECKLIST)
    if placed:
        error.details["items"] = checklist_ticks.list_items([place.item for place in placed[:ITEMS_LISTED_MAX]])
    return error
