"""Labels of Trello cards: their names and colors."""

from __future__ import annotations

from collections.abc import Iterable

from . import export
from .export import Record

CHOICES_MAX, CHOICE_CHARACTERS_MAX = 200, 200  # labels or members of a card
COLORS_MAX = 500  # of options of a field
COLORS = {
    "green": "#4bce97",
    "green_dark": "#1f845a",
    "green_light": "#baf3db",
    "yellow": "#f5cd47",
    "yellow_dark": "#946f00",
    "yellow_light": "#f8e6a0",
    "orange": "#fea362",
    "orange_dark": "#c25100",
    "orange_light": "#fedec8",
    "red": "#f87168",
    "red_dark": "#c9372c",
    "red_light": "#ffd5d2",
    "purple": "#9f8fef",
    "purple_dark": "#6e5dc6",
    "purple_light": "#dfd8fd",
    "blue": "#579dff",
    "blue_dark": "#0c66e4",
    "blue_light": "#cce0ff",
    "sky": "#6cc3e0",
    "sky_dark": "#227d9b",
    "sky_light": "#c6edfb",
    "lime": "#94c748",
    "lime_dark": "#5b7f24",
    "lime_light": "#d3f1a7",
    "pink": "#e774bb",
    "pink_dark": "#ae4787",
    "pink_light": "#fdd0ec",
    "black": "#8590a2",
    "black_dark": "#626f86",
    "black_light": "#dcdfe4",
}  # by the name that Trello gives it


def label_name(row: Record) -> str:
    """Return the name of a label, that of its color if it has none."""
    color = export.line(row, "color").replace("_", " ")
    return shorten_choice(export.line(row, "name") or color or "(unnamed label)")


def shorten_choice(name: str) -> str:
    """Return the name of a label, member or option, cut to the length that the service accepts."""
    return name if len(name) <= CHOICE_CHARACTERS_MAX else name[: CHOICE_CHARACTERS_MAX - 1] + "…"


def label_colors(rows: Iterable[Record]) -> dict[str, str]:
    """Return the colors of labels by name; of labels with the same name, the first one counts."""
    found: dict[str, str] = {}
    for row in rows:
        color = COLORS.get(export.text(row, "color"))
        if color and len(found) < COLORS_MAX:
            found.setdefault(label_name(row), color)
    return found
