"""Pattern checks of field values before the transaction that writes them (see patterns.py)."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from pydantic import BaseModel

from ..auth.context import Call
from ..database.queries import sql
from ..database.store import Row
from ..pipeline.pipeline import Operation
from ..schemas import json_text, stored_json
from . import patterns
from .field_values import CHECKS, NewFieldValue

ValueSource = Callable[[Call], Iterable[NewFieldValue]]


async def precheck_patterns(operation: Operation[Any], source: ValueSource | None = None) -> None:
    """Match all field values of the request body and its presets with the patterns of their fields.

    A route that accepts field values declares this function with `before`. `source` returns values that are not in the
    body. The outcomes are stored in the operation, where `field_values.check_values` reads them.
    """
    body = operation.parsed.inputs["body"]
    find = source or partial(_find_values, body)
    if source is None and not any(True for _ in _find_values_and_presets(body)):
        return
    org_id, pairs = operation.read_inline(partial(_list_pairs, find))
    await patterns.match_pairs(pairs, operation.outcomes, org_id)


def _list_pairs(find: ValueSource, call: Call) -> tuple[str, list[tuple[str, str]]]:
    """Return the id of the organization, and (pattern, text) pairs to match."""
    items = list(find(call))
    field_ids = json_text(list({item.field_id for item in items}))
    rows = call.tx.all(sql.fields.list_patterns, field_ids=field_ids, org_id=call.org_id)
    fields = {row["id"]: row for row in rows}
    texts = [(fields[item.field_id], item.value) for item in items if item.field_id in fields]
    pairs = [(field["validation"], _find_text(call, field, value)) for field, value in texts]
    return call.org_id, [(pattern, text) for pattern, text in pairs if text is not None]


def _find_text(call: Call, field: Row, value: Any) -> str | None:
    """Return the normalized text that the pattern applies to; None for an empty or invalid value."""
    try:
        text = CHECKS[field["kind"]](call, field, value)
    except ValueError:
        return None
    return text if isinstance(text, str) and text else None


def _find_values(body: Any, call: Call) -> Iterator[NewFieldValue]:
    for item in _find_values_and_presets(body):
        if isinstance(item, NewFieldValue):
            yield item
        else:
            name = {"card_type_id": item.card_type_id, "preset_name": item.preset_name}
            for row in call.tx.all(sql.preset_fields.list_of_preset, **name):
                yield NewFieldValue(fieldId=row["field_id"], value=stored_json(row["value"]))


def _find_values_and_presets(value: Any) -> Iterator[Any]:
    """Yield all field values in a body, and all models with a preset name."""
    if isinstance(value, NewFieldValue):
        yield value
    elif isinstance(value, BaseModel | list):
        if getattr(value, "preset_name", None) is not None:
            yield value
        for part in value if isinstance(value, list) else vars(value).values():
            yield from _find_values_and_presets(part)
