"""Custom fields of a Trello board, and their values on cards."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from . import export
from .export import Record
from .labels import COLORS, shorten_choice
from .source import TrelloSource

# Fields that every imported board can have, which custom fields may not be called.
DESCRIPTION, LABELS, MEMBERS, START, DUE_COMPLETE = "description", "labels", "members", "start", "due_complete"
KINDS = {"text": "text", "number": "number", "date": "date", "checkbox": "checkbox", "list": "select"}
NAME_CHARACTERS_MAX, LABEL_CHARACTERS_MAX, TEXT_CHARACTERS_MAX, OPTIONS_MAX = 60, 500, 10_000, 500
_NUMBER = re.compile(r"[+-]?[0-9]{1,100}(\.[0-9]{1,100})?")


@dataclass(frozen=True)
class TrelloField:
    """A custom field, with the name and the kind that it gets as a field of the service."""

    name: str
    label: str
    kind: str
    is_shown: bool
    options: Mapping[str, str] = field(default_factory=dict)  # texts by id
    option_colors: Mapping[str, str] = field(default_factory=dict)


class CustomFields:
    """The custom fields of a board in their order; one without an id has no values."""

    def __init__(self, source: TrelloSource) -> None:
        names = FreeNames({DESCRIPTION, LABELS, MEMBERS, START, DUE_COMPLETE})
        rows = [row for row in sorted(source.rows("customFields"), key=export.position) if is_known(row)]
        self.fields = [_read_field(row, names) for row in rows]
        self._by_id = {export.text(row, "id"): field for row, field in zip(rows, self.fields, strict=True)}
        self._by_id.pop("", None)

    def read_values(self, card: Record) -> dict[str, str]:
        """Return the values of a card by the names of their fields."""
        items = export.records(card, "customFieldItems")
        values = ((self._by_id.get(export.text(item, "idCustomField")), self.read_value(item)) for item in items)
        return {custom.name: value for custom, value in values if custom and value is not None}

    def read_value(self, item: Record) -> str | None:
        """Return a value in the form of the service, None if it is empty, invalid, or of something removed."""
        custom = self._by_id.get(export.text(item, "idCustomField"))
        value = export.record(item, "value")
        match custom.kind if custom else None:
            case "text":
                return export.text(value, "text").strip()[:TEXT_CHARACTERS_MAX] or None
            case "number":
                return _read_number(value)
            case "date":
                time = export.timestamp(value, "date")
                return export.to_text(time) if time else None
            case "checkbox":
                return {"true": "true", "false": "false"}.get(str(value.get("checked")).lower())
            case "select":
                return custom.options.get(export.text(item, "idValue")) if custom else None
        return None

    def is_cut(self, item: Record) -> bool:
        """Return whether a text is longer than a text field takes."""
        custom = self._by_id.get(export.text(item, "idCustomField"))
        text = export.text(export.record(item, "value"), "text").strip()
        return custom is not None and custom.kind == "text" and len(text) > TEXT_CHARACTERS_MAX


class FreeNames:
    """Names of fields; each name is given only once."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self._numbers: Counter[str] = Counter()  # the last number behind each name

    def take(self, label: str) -> str:
        """Return a name of letters, digits and `_` that no other field has, made from the label of a field."""
        base = name = _to_name(label)
        while name in self._taken:
            self._numbers[base] = max(self._numbers[base], 1) + 1
            name = f"{base}_{self._numbers[base]}"
        self._taken.add(name)
        return name


def is_known(row: Record) -> bool:
    """Return whether the service has a kind of field for a custom field."""
    return export.text(row, "type") in KINDS


def _read_field(row: Record, names: FreeNames) -> TrelloField:
    label = export.line(row, "name")[:LABEL_CHARACTERS_MAX] or "(untitled)"
    is_shown = export.record(row, "display").get("cardFront") is True
    kind = KINDS[export.text(row, "type")]
    rows = sorted(export.records(row, "options"), key=export.position)[:OPTIONS_MAX] if kind == "select" else []
    options = {export.text(option, "id"): _option_text(option) for option in rows}
    colors = {_option_text(option): COLORS.get(export.text(option, "color")) for option in reversed(rows)}
    shown_colors = {text: color for text, color in colors.items() if color}
    return TrelloField(names.take(label), label, kind, is_shown, options, shown_colors)


def _option_text(option: Record) -> str:
    return shorten_choice(export.line(export.record(option, "value"), "text") or "(untitled)")


def _to_name(label: str) -> str:
    letters = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "_", letters).strip("_")[:NAME_CHARACTERS_MAX] or "field"
    return name if name[0].isalpha() else f"field_{name}"[:NAME_CHARACTERS_MAX]


def _read_number(value: Record) -> str | None:
    try:
        number = Decimal(str(value.get("number")).strip())
        text = format(number, "f") if number.is_finite() and abs(number.adjusted()) < 100 else ""
    except InvalidOperation:
        return None
    return text if _NUMBER.fullmatch(text) else None
