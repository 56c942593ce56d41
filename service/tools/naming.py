"""Names in tools: arguments and results have card keys, titles and names where the routes have ids."""

from collections.abc import Iterator
from typing import Any

from ..auth.context import Call
from ..pipeline import name_resolution
from .registry import ToolContext

Json = dict[str, Any]
# Keys of the routes, whose values are ids, with the keys of the tools, whose values are card keys, titles or names.
TOOL_KEYS = {
    "cardId": "card",
    "fromCardId": "card",
    "toCardId": "other",
    "afterCardId": "after",
    "toColumnId": "to",
    "fromColumnId": "from",
    "columnId": "column",
    "projectId": "project",
    "cardTypeId": "cardType",
    "fieldId": "field",
    "fieldIds": "fields",
    "fieldValues": "fields",
    "promptId": "prompt",
    "commentId": "comment",
    "fileId": "file",
    "teamId": "team",
    "presetName": "preset",
    "blockedBy": "blockedBy",
}
_ID_KEYS = {"id", "orgId"}  # omitted where the same object has a name


def render_author(actor: Json) -> Json:
    """Return the type and the name of an actor.

    The type has a key of its own, because actors can choose their names.
    """
    return {"type": actor["type"], "name": actor["label"] or actor["id"]}


def to_argument_path(path: str) -> str:
    """Return the path of a tool's argument for the path of a key in the body of its route."""
    return ".".join(TOOL_KEYS.get(part, part) for part in path.split("."))


def look_up_names(ctx: ToolContext, content: Json) -> Json:
    """Return a result or an error with names instead of ids. Ids without a name stay.

    Reads in a transaction of its own; raises ServiceError if the caller may not look up names.
    """
    return ctx.lookup(lambda call: replace_ids(call, content)) if any(_find_ids(content)) else _replace(content, {})


def replace_ids(call: Call, content: Json) -> Json:
    """Return a result with names instead of ids, in the transaction that read it."""
    ids = set(_find_ids(content))
    replaced: Json = _replace(content, name_resolution.get_names(call, ids) if ids else {})
    return replaced


def _find_ids(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        for key, value in part.items():
            yield from _ids_of(value) if key in TOOL_KEYS else _find_ids(value)
    elif isinstance(part, list):
        for item in part:
            yield from _find_ids(item)


def _ids_of(value: Any) -> Iterator[str]:
    """Yield the ids of a value: a single id, a list, or a change with the old and the new id."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
    yield from (text for text in inside if isinstance(text, str))


def _replace(part: Any, names: dict[str, str]) -> Any:
    if isinstance(part, list):
        return [_replace(item, names) for item in part]
    if not isinstance(part, dict):
        return part
    return _replace_in_object(part, names)


def _replace_in_object(part: Json, names: dict[str, str]) -> Json:
    has_name = not part.keys().isdisjoint({"key", "name", "title"})
    replaced: Json = {}
    for key, value in part.items():
        if (key in _ID_KEYS and has_name) or (key == "fieldIds" and "fields" in part):
            continue
        replaced[TOOL_KEYS.get(key, key)] = _get_names(value, names) if key in TOOL_KEYS else _replace(value, names)
    if replaced.get("to") is not None and replaced["to"] == replaced.get("title"):
        del replaced["title"]
    return replaced


def _get_names(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_get_names(item, names) for item in value]
    if isinstance(value, dict):
        return {key: _get_names(inside, names) for key, inside in value.items()}
    return names.get(value, value) if isinstance(value, str) else value
