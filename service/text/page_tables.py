"""Tables that the service shares with the page: objects that modules of JavaScript have as JSON."""

import json
from pathlib import Path
from typing import Any

_DECODER = json.JSONDecoder()
_FOLDER = Path(__file__).parents[1] / "web" / "core"


def read_page_table(name: str) -> dict[str, Any]:
    """Return the first object in a module of `web/core`."""
    text = (_FOLDER / f"{name}.js").read_text("utf-8")
    table: dict[str, Any] = _DECODER.raw_decode(text, text.index("{\n"))[0]
    return table
