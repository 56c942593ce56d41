"""Ticks of single items of the checklists in a card's rich texts."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from ..auth import busy_resources
from ..auth.context import Call
from ..database.queries import sql
from ..database.store import Row
from ..errors import Conflict, invalid
from ..pipeline import reference_errors
from ..schemas import Id, Input, stored_json
from ..text import checklists
from ..text.checklists import Item
from . import field_values

TICKS_MAX = 500
SHOWN_CHARACTERS_MAX = 500  # of an item in the history
KIND = "richtext"
CHANGED = "The checklist has changed, and nothing was ticked: take the item from details.items."
Changes = dict[str, tuple[str, str]]


class Tick(Input):
    """The new state of an item: its number in the text of a field, from 0, and the text that it must still have."""

    field_id: Id
    item: Annotated[int, Field(ge=0, le=field_values.RICHTEXT_CHARACTERS_MAX)]
    text: Annotated[str, Field(max_length=field_values.RICHTEXT_CHARACTERS_MAX)]
    done: bool


def write_ticks(call: Call, card_id: str, card_type_id: str, ticks: Sequence[Tick]) -> Changes:
    """Set the marks of items and return the changes by their names in the history.

    Only the marks change, so that a pattern of the field is not checked again. Raise validation_failed, with the path
    in `checklist`, for a field that has none, and conflict with the current items if one of them has another text.
    """
    changes: Changes = {}
    if not ticks:
        return changes
    first_places = {tick.field_id: place for place, tick in reversed(list(enumerate(ticks)))}
    fields = field_values.list_fields(call, card_type_id, first_places)
    texts = field_values.list_values(call, card_id, first_places)
    for field_id, place in first_places.items():
        field = _require_rich_text(call, fields, card_type_id, field_id, f"checklist.{place}.fieldId")
        own = [tick for tick in ticks if tick.field_id == field_id]
        text, changed = _tick_items(str(texts.get(field_id) or ""), own, field["name"])
        field_values.write_values(call, card_id, {field_id: (field, text)})
        changes |= changed
    return changes


def _require_rich_text(call: Call, fields: Mapping[str, Row], card_type_id: str, field_id: str, path: str) -> Row:
    field = fields.get(field_id)
    if field is None:
        raise reference_errors.unknown_field(call, path, card_type_id, "names no field of the card's type")
    if field["kind"] != KIND:
        raise invalid(path, "names a field without checklists; only rich texts have them")
    busy_resources.require_idle(call, field_id=field_id)
    return field


def _tick_items(text: str, ticks: Sequence[Tick], field_name: str) -> tuple[str, Changes]:
    """Return a text with the ticks; marks have one character, so the positions of the other items stay."""
    items, changes = checklists.find_items(text), Changes()
    for tick in ticks:
        item = items[tick.item] if tick.item < len(items) else None
        if item is None or item.text != tick.text:
            raise Conflict(None, CHANGED, state="changed", fieldId=tick.field_id, items=list_items(items))
        if item.done != tick.done:
            items[tick.item] = item._replace(done=tick.done)
            text = checklists.set_mark(text, item, tick.done)
            changes[get_change_name(field_name, tick.item)] = show_item(item), show_item(items[tick.item])
    return text, changes


class PlacedItem(NamedTuple):
    """An item of a card, with the field that has it and its number there."""

    field_id: str
    number: int
    item: Item


def list_card_items(
    call: Call, card_id: str, card_type_id: str, new_values: Mapping[str, Any] = MappingProxyType({})
) -> list[PlacedItem]:
    """Return the items in the rich texts that a card has with new values (by field id), in the order of its fields."""
    texts = {row["name"]: stored_json(row["value"]) for row in call.tx.all(sql.field_values.list, card_id=card_id)}
    fields = [row for row in call.tx.all(sql.fields.list, card_type_id=card_type_id) if row["kind"] == KIND]
    found: list[PlacedItem] = []
    for field in fields:
        text = new_values.get(field["id"], texts.get(field["name"]))
        items = checklists.find_items(text) if isinstance(text, str) else []
        found += [PlacedItem(field["id"], number, item) for number, item in enumerate(items)]
    return found


def list_items(items: Sequence[Item]) -> list[dict[str, Any]]:
    """Return items as details of an error show them."""
    return [{"text": item.text, "done": item.done} for item in items]


def get_change_name(field_name: str, number: int) -> str:
    """Return the name of a tick in the history; names of fields have no dot."""
    return f"{field_values.history_name(field_name)}.{number}"


def show_item(item: Item) -> str:
    """Return an item as the history shows it, a long one cut."""
    text = item.text if len(item.text) <= SHOWN_CHARACTERS_MAX else item.text[: SHOWN_CHARACTERS_MAX - 1] + "…"
    return f"[{'x' if item.done else ' '}] {text}"
