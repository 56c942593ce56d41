"""Request bodies in the OpenAPI document."""

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode

from ..auth.authentication import API_KEY
from ..pipeline.routing import Route

Json = dict[str, Any]
Models = dict[tuple[type[BaseModel], JsonSchemaMode], Json]
JSON = "application/json"
_TEXT: Json = {"type": "string"}
_FORM: Json = {
    "type": "object",
    "properties": {
        "file": {"type": "string", "contentMediaType": "application/octet-stream"},
        "cardId": _TEXT,
        "fieldId": _TEXT,
    },
    "required": ["file", "cardId", "fieldId"],
}
_SNAPSHOT: Json = {"type": "object", "description": "A snapshot from GET /admin/export.", "required": ["meta"]}
_TRELLO: Json = {"type": "object", "description": "The JSON export of a Trello board.", "required": ["lists", "cards"]}
_FILE: Json = {**_FORM, "properties": {"file": _TEXT}, "required": ["file"]}
# Bodies that are read as a stream, without a model.
STREAMED: dict[tuple[str, str], Json] = {
    ("POST", "/files"): {"multipart/form-data": {"schema": _FORM}},
    ("POST", "/files/mcp"): {
        "multipart/form-data": {"schema": {**_FORM, "properties": {**_FORM["properties"], "agentId": _TEXT}}}
    },
    ("POST", "/admin/import"): {
        JSON: {"schema": _SNAPSHOT},
        "multipart/form-data": {"schema": _FILE},
    },
    ("POST", "/admin/import/trello"): {JSON: {"schema": _TRELLO}, "multipart/form-data": {"schema": _FILE}},
}


def describe_body(route: Route, models: Models, components: Json) -> Json | None:
    """Return the description of the body of a route, or None if the route accepts no body."""
    if (route.method, route.path) in STREAMED:
        return {"required": True, "content": STREAMED[route.method, route.path]}
    if route.reads or (route.body is None and route.policy.scheme != API_KEY):
        return None
    schema = _shape(route, route.body, models, components)
    if route.many:
        schema = {"anyOf": [schema, _shape(route, route.many, models, components)]}
    return {"required": route.needs_body, "content": {JSON: {"schema": schema}}}


def _shape(route: Route, model: type[BaseModel] | None, models: Models, components: Json) -> Json:
    schema: Json = models[model, "validation"] if model else {"type": "object", "additionalProperties": False}
    if route.policy.scheme != API_KEY:
        return schema
    shape: Json = components[schema["$ref"].rpartition("/")[2]] if model else schema
    agent = {"type": "string", "description": "The id of the calling agent."}
    return {**shape, "properties": {**shape.get("properties", {}), "agentId": agent}}
