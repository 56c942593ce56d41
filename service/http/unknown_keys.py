"""Keys that a model does not know, refused before it looks: it would list each of them, however many there are."""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from ..errors import invalid_fields
from .json_body import join_path

UNKNOWN_TOLD_MAX = 5  # of one request


def check_keys(model: type[BaseModel], content: dict[str, Any], *extra_keys: str) -> None:
    """Raise validation_failed with the first keys that a model does not know, and those that it does."""
    if found := list(islice(_unknown(model, content, extra_keys), UNKNOWN_TOLD_MAX)):
        raise invalid_fields(found)


def _unknown(
    model: type[BaseModel], content: dict[str, Any], extra_keys: tuple[str, ...] = (), path: str = ""
) -> Iterator[dict[str, str]]:
    known = _known(model)
    for key, value in content.items():
        if key in known:
            inner, is_list = known[key]
            if inner is not None:
                yield from _unknown_inside(inner, is_list, value, join_path(path, key))
        elif key not in extra_keys:
            yield {"path": join_path(path, key), "message": unknown_key(model, extra_keys)}


def _unknown_inside(model: type[BaseModel], is_list: bool, value: Any, path: str) -> Iterator[dict[str, str]]:
    """Yield the unknown keys in one object or a list of them; what is neither is refused by the model."""
    if is_list and isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict):
                yield from _unknown(model, item, (), join_path(path, index))
    elif not is_list and isinstance(value, dict):
        yield from _unknown(model, value, (), path)


def unknown_key(model: type[BaseModel], extra_keys: tuple[str, ...] = ()) -> str:
    """Return the message about a key that a model does not know."""
    return f"unknown key; allowed here: {', '.join([*annotations(model), *extra_keys]) or 'none'}"


def annotations(model: type[BaseModel]) -> dict[str, Any]:
    """Return what the keys of a model take."""
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


@cache
def _known(model: type[BaseModel]) -> dict[str, tuple[type[BaseModel] | None, bool]]:
    """Return the keys of a model: for each the model under it, if one knows its keys, and whether that is in a list."""
    return {key: _inside(annotation) for key, annotation in annotations(model).items()}


def _inside(annotation: Any) -> tuple[type[BaseModel] | None, bool]:
    models = list(models_inside(annotation))
    is_clear = len(models) == 1 and models[0][0].model_config.get("extra") == "forbid"
    return models[0] if is_clear else (None, False)


def models_inside(annotation: Any, is_list: bool = False) -> Iterator[tuple[type[BaseModel], bool]]:
    """Yield the models that an annotation names, each with whether it is in a list."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation, is_list
        return
    for part in get_args(annotation):
        yield from models_inside(part, is_list or get_origin(annotation) is list)
