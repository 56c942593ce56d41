"""Items of checklists, which tools name by their texts."""

import re
from collections.abc import Sequence
from typing import Any

from pydantic import MISSING

from ..auth.context import Call
from ..domain import checklist_ticks
from ..domain.checklist_ticks import PlacedItem
from ..errors import BadRequest, invalid
from ..text_comparison import fold_name

Json = dict[str, Any]
ITEMS_LISTED_MAX = 100  # in an error
_MARK = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?\[[ xX]\]\s+")  # which agents copy along with the text
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
    ticks: dict[int, Json] = {}
    for name, texts, done in (("check", check, True), ("uncheck", uncheck, False)):
        for index, text in enumerate(() if texts is MISSING else texts):
            meant = _find_meant(placed, text)
            if not meant:
                raise _unknown_item(placed, f"{name}.{index}")
            number = next((at for at in meant if placed[at].item.done != done and at not in ticks), None)
            if number is not None:
                ticks[number] = _to_tick(placed[number], done)
    return list(ticks.values())


def _find_meant(placed: Sequence[PlacedItem], text: str) -> list[int]:
    folded = [fold_name(place.item.text) for place in placed]
    for name in (fold_name(text), fold_name(_MARK.sub("", text, count=1))):
        if name in folded:
            return [at for at, other in enumerate(folded) if other == name]
    return []


def _to_tick(place: PlacedItem, done: bool) -> Json:
    return {"fieldId": place.field_id, "item": place.number, "text": place.item.text, "done": done}


def _unknown_item(placed: Sequence[PlacedItem], path: str) -> BadRequest:
    error = invalid(path, NO_ITEM if placed else NO_CHECKLIST)
    if placed:
        error.details["items"] = checklist_ticks.list_items([place.item for place in placed[:ITEMS_LISTED_MAX]])
    return error
