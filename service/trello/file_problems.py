"""Sentences that say why a file is not the JSON export of a Trello board, and what to do."""

from __future__ import annotations

import codecs

BEGINNING_BYTES, END_BYTES = 1024, 64  # of a file, by which it is recognized
HOW_TO_EXPORT = "Export the board in Trello: board menu, “Print, export, and share”, “Export as JSON”."
BYTE_ORDER_MARK = codecs.BOM_UTF8  # some editors write it before the text


def explain_problem(beginning: bytes, end: bytes) -> str:
    """Return the rest of a sentence about a file that is not JSON, by its first and last bytes."""
    start = beginning.removeprefix(BYTE_ORDER_MARK).lstrip()
    if not start:
        problem = "is empty."
    elif start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in start:
        problem = "is not text in UTF-8. Import it as Trello saved it, or save it as UTF-8 in an editor."
    elif start.startswith(b"<"):
        problem = "is a web page, not JSON. Save the export itself, not the page."
    elif _is_table(start):
        problem = "is a table (CSV), not JSON."
    elif not start.startswith((b"{", b"[")):
        problem = "is not JSON."
    elif not end.rstrip().endswith((b"}", b"]")):
        problem = "ends too early, as if its download was cut off. Download it again."
    else:
        problem = "is damaged: it is not valid JSON. Import it as Trello saved it."
    return f"{problem} {HOW_TO_EXPORT}"


def _is_table(start: bytes) -> bool:
    """Return whether the first line has several columns, as in Trello's export as CSV."""
    first = start.splitlines()[0]
    return first[:1] not in (b"{", b"[") and max(map(first.count, (b",", b";", b"\t"))) > 1
