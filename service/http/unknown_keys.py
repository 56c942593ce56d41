"""Rejection of unknown keys before validation: the model would report every one, without a limit."""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from ..errors import invalid_fields
from .json_body import join_path

UNKNOWN_LISTED_MAX = 5  # per request


def check_keys(model: type[BaseModel], content: dict[str, Any], *extra_keys: str) -> None:
    """Raise validation_failed with the first keys that a model does not have, and the keys that it has."""
    if found := list(islice(_find_unknown(model, content, extra_keys), UNKNOWN_LISTED_MAX)):
        raise invalid_fields(found)


def _find_unknown(
    model: type[BaseModel], content: dict[str, Any], extra_keys: tuple[str, ...] = (), path: str = ""
) -> Iterator[dict[str, str]]:
    submodels = _list_submodels(model)
    for key, value in content.items():
        if key in submodels:
            inner, is_list = submodels[key]
            if inner is not None:
                yield from _find_unknown_inside(inner, is_list, value, join_path(path, key))
        elif key not in extra_keys:
            yield {"path": join_path(path, key), "message": format_unknown_key(model, extra_keys)}


def _find_unknown_inside(model: type[BaseModel], is_list: bool, value: Any, path: str) -> Iterator[dict[str, str]]:
    """Yield the unknown keys of an object or a list of objects; the model rejects any other value."""
    if is_list and isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict):
                yield from _find_unknown(model, item, (), join_path(path, index))
    elif not is_list and isinstance(value, dict):
        yield from _find_unknown(model, value, (), path)


def format_unknown_key(model: type[BaseModel], extra_keys: tuple[str, ...] = ()) -> str:
    """Return the error message for a key that a model does not have."""
    return f"unknown key; allowed here: {', '.join([*get_annotations(model), *extra_keys]) or 'none'}"


def get_annotations(model: type[BaseModel]) -> dict[str, Any]:
    """Return the type annotation of each key of a model."""
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


@cache
def _list_submodels(model: type[BaseModel]) -> dict[str, tuple[type[BaseModel] | None, bool]]:
    """Return for each key of a model the nested model, if it has exactly one, and whether it is in a list."""
    return {key: _get_submodel(annotation) for key, annotation in get_annotations(model).items()}


def _get_submodel(annotation: Any) -> tuple[type[BaseModel] | None, bool]:
    models = list(find_models(annotation))
    is_clear = len(models) == 1 and models[0][0].model_config.get("extra") == "forbid"
    return models[0] if is_clear else (None, False)


def find_models(annotation: Any, is_list: bool = False) -> Iterator[tuple[type[BaseModel], bool]]:
    """Yield the models in an annotation, each with whether it is in a list."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation, is_list
        return
    for part in get_args(annotation):
        yield from find_models(part, is_list or get_origin(annotation) is list)
