"""How tools name things: the words of their arguments and answers, where the routes have ids."""

from collections.abc import Iterator
from typing import Any

from ..auth.context import Call
from ..pipeline import name_resolution
from .registry import ToolContext

Json = dict[str, Any]
# What the routes call a thing by its id, and tools by its key, title or name.
WORDS = {
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
_DROPPED = {"id", "orgId"}  # beside the name of the same thing


def author(actor: Json) -> Json:
    """Tell who did something: which kind of actor, and apart from that its name, which it may have chosen itself."""
    return {"type": actor["type"], "name": actor["label"] or actor["id"]}


def path(named: str) -> str:
    """Name an argument of a tool by the path of a key in the body of its route."""
    return ".".join(WORDS.get(part, part) for part in named.split("."))


def in_names(ctx: ToolContext, answer: Json) -> Json:
    """Say the names of what an answer or an error has the ids of; what has no name here keeps its id."""
    return ctx.lookup(lambda call: told(call, answer)) if any(_ids(answer)) else _renamed(answer, {})


def told(call: Call, answer: Json) -> Json:
    """Say the names of what an answer has the ids of, in the transaction that it comes from."""
    ids = set(_ids(answer))
    renamed: Json = _renamed(answer, name_resolution.names(call, ids) if ids else {})
    return renamed


def _ids(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        for key, value in part.items():
            yield from _texts(value) if key in WORDS else _ids(value)
    elif isinstance(part, list):
        for item in part:
            yield from _ids(item)


def _texts(value: Any) -> Iterator[str]:
    """Find the ids under a word: one, several, or what it was and is."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
    yield from (text for text in inside if isinstance(text, str))


def _renamed(part: Any, names: dict[str, str]) -> Any:
    if isinstance(part, list):
        return [_renamed(item, names) for item in part]
    if not isinstance(part, dict):
        return part
    return _words(part, names)


def _words(part: Json, names: dict[str, str]) -> Json:
    is_named = not part.keys().isdisjoint({"key", "name", "title"})
    found: Json = {}
    for key, value in part.items():
        if (key in _DROPPED and is_named) or (key == "fieldIds" and "fields" in part):
            continue
        found[WORDS.get(key, key)] = _named(value, names) if key in WORDS else _renamed(value, names)
    if found.get("to") is not None and found["to"] == found.get("title"):
        del found["title"]
    return found


def _named(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_named(item, names) for item in value]
    if isinstance(value, dict):
        return {key: _named(inside, names) for key, inside in value.items()}
    return names.get(value, value) if isinstance(value, str) else value
