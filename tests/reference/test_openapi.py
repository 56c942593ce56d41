"""The OpenAPI document: valid, complete, and true to what the service answers."""

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from service import resources
from service.pipeline.routing import ROUTES
from service.reference import openapi
from service.reference.examples import EXAMPLES

from ..world import World

assert resources  # importing them fills the table
DOCUMENT = openapi.document()
OPERATIONS = {
    (method.upper(), re.sub(r"\{\w+\}", "{}", path)): operation
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}

# The endpoints that other programs were written against: method, path, scheme, SA.
SPECIFICATION = """
GET    /admin/about                                          JWT    SA
GET    /admin/export                                         JWT    SA
POST   /admin/import                                         JWT    SA
GET    /cards/{}                                             JWT    -
PATCH  /cards/{}                                             JWT    -
PATCH  /cards/{}/status                                      JWT    -
DELETE /cards/{}                                             JWT    -
POST   /cards/{}/restore                                     JWT    -
GET    /cards/{}/history                                     JWT    -
GET    /cards/{}/mcp                                         ApiKey -
PATCH  /cards/{}/mcp                                         ApiKey -
PATCH  /cards/{}/mcp/status                                  ApiKey -
GET    /organizations/{}/cards                               JWT    -
GET    /organizations/{}/cards/mcp                           ApiKey -
GET    /cards/{}/comments                                    JWT    -
POST   /cards/{}/comments                                    JWT    -
POST   /cards/{}/comments/{}/replies                         JWT    -
POST   /cards/{}/comments/mcp                                ApiKey -
POST   /cards/{}/comments/{}/replies/mcp                     ApiKey -
GET    /organizations/{}/board-flow                          JWT    -
GET    /organizations/{}/board-flow/mcp                      ApiKey -
GET    /organizations/{}/columns                             JWT    -
POST   /organizations/{}/columns                             JWT    SA
PATCH  /organizations/{}/columns/{}                          JWT    SA
DELETE /organizations/{}/columns/{}                          JWT    SA
GET    /organizations/{}/card-types                          JWT    -
POST   /organizations/{}/card-types                          JWT    SA
PATCH  /organizations/{}/card-types/{}                       JWT    SA
DELETE /organizations/{}/card-types/{}                       JWT    SA
GET    /organizations/{}/card-types/{}/fields                JWT    -
POST   /organizations/{}/card-types/{}/fields                JWT    -
PATCH  /organizations/{}/card-types/{}/fields/{}             JWT    -
DELETE /organizations/{}/card-types/{}/fields/{}             JWT    -
GET    /organizations/{}/transitions                         JWT    -
POST   /organizations/{}/transitions                         JWT    -
PATCH  /organizations/{}/transitions/{}                      JWT    -
DELETE /organizations/{}/transitions/{}                      JWT    -
GET    /organizations/{}/relationships                       JWT    -
POST   /organizations/{}/relationships                       JWT    -
DELETE /organizations/{}/relationships/{}                    JWT    -
GET    /prompts                                              JWT    -
GET    /prompts/{}                                           JWT    -
GET    /prompts/{}/mcp                                       ApiKey -
POST   /prompts                                              JWT    SA
PATCH  /prompts/{}                                           JWT    SA
DELETE /prompts/{}                                           JWT    SA
POST   /prompts/{}/versions                                  JWT    SA
PATCH  /prompts/{}/versions/{}                               JWT    SA
GET    /prompt-categories                                    JWT    -
POST   /prompt-categories                                    JWT    SA
DELETE /prompt-categories/{}                                 JWT    SA
GET    /mcp-servers                                          JWT    -
GET    /mcp-servers/{}                                       JWT    -
POST   /mcp-servers                                          JWT    SA
PATCH  /mcp-servers/{}                                       JWT    SA
DELETE /mcp-servers/{}                                       JWT    SA
GET    /organizations                                        JWT    -
GET    /organizations/{}                                     JWT    -
POST   /organizations                                        JWT    -
PATCH  /organizations/{}                                     JWT    SA
DELETE /organizations/{}                                     JWT    SA
GET    /organizations/{}/teams                               JWT    SA
GET    /organizations/{}/teams/{}                            JWT    SA
POST   /organizations/{}/teams                               JWT    SA
PATCH  /organizations/{}/teams/{}                            JWT    SA
PATCH  /organizations/{}/teams/{}/onboarding                 JWT    SA
DELETE /organizations/{}/teams/{}                            JWT    SA
GET    /teams/{}/onboarding                                  none   -
GET    /archive                                              JWT    -
POST   /archive/{}/{}/restore                                JWT    -
DELETE /archive/{}/{}                                        JWT    SA
GET    /settings/shortcuts                                   JWT    -
POST   /settings/shortcuts                                   JWT    -
PATCH  /settings/shortcuts/{}                                JWT    -
DELETE /settings/shortcuts/{}                                JWT    -
POST   /files                                                JWT    -
GET    /files/card/{}/field/{}                               JWT    -
GET    /files/{}/content                                     JWT    -
DELETE /files/{}                                             JWT    SA
GET    /organizations/{}/analytics                           JWT    -
GET    /permissions                                          JWT    -
PATCH  /permissions/{}                                       JWT    SA
GET    /agents/{}/status                                     ApiKey -
POST   /auth/login                                           none   -
"""
LIMITS = {
    ("POST", "/auth/login"): None,  # as set
    ("GET", "/agents/{}/status"): 60,
    ("GET", "/organizations/{}/board-flow/mcp"): 30,
    ("POST", "/cards/{}/comments/mcp"): 60,
}
SPECIFIED = [line.split() for line in SPECIFICATION.strip().splitlines()]


@pytest.mark.parametrize(("method", "path", "scheme", "role"), SPECIFIED, ids=lambda part: part)
def test_every_route_of_the_specification_is_in_it_with_its_gate(
    method: str, path: str, scheme: str, role: str
) -> None:
    operation = OPERATIONS[method, path]
    policy = operation["x-policy"]
    assert (policy["scheme"], "SA" if policy["sa"] else "-") == (scheme, role)
    names = [next(iter(way)) for way in operation["security"]]
    assert names == {"JWT": ["bearer"], "ApiKey": ["apiKey"], "none": []}[scheme]


def test_the_document_is_valid() -> None:
    validate(DOCUMENT)


def test_the_openapi_document_has_every_route_and_no_other() -> None:
    routes = {(route.method, re.sub(r"\{\w+\}", "{}", route.path)) for route in ROUTES}
    assert routes == OPERATIONS.keys()


def test_every_operation_has_an_id_of_its_own_a_summary_and_an_answer() -> None:
    ids = [operation["operationId"] for operation in OPERATIONS.values()]
    assert len(set(ids)) == len(ids)
    assert [key for key, operation in OPERATIONS.items() if not operation["summary"]] == []
    assert [key for key, operation in OPERATIONS.items() if not {"200", "204"} & operation["responses"].keys()] == []


def test_every_json_answer_has_a_schema() -> None:
    bare = [
        key
        for key, operation in OPERATIONS.items()
        for content in [operation["responses"].get("200", {}).get("content", {})]
        if content.get("application/json", {"schema": True})["schema"] == {}
    ]
    assert bare == []


def test_the_limits_of_the_specification_are_in_it() -> None:
    for key, per_minute in LIMITS.items():
        operation = OPERATIONS[key]
        assert operation["x-rate-limit"]["perMinute"] == per_minute
        assert {"Retry-After", "X-RateLimit-Reset"} <= operation["responses"]["429"]["headers"].keys()
        assert "X-RateLimit-Remaining" in operation["responses"]["200"]["headers"]


def test_errors_follow_from_the_gate() -> None:
    for operation in OPERATIONS.values():
        policy, errors = operation["x-policy"], operation["responses"]
        assert ("401" in errors) == (policy["scheme"] != "none") or operation["operationId"] == "auth.login"
        assert ("403" in errors) >= policy["sa"]
        for status, error in errors.items():
            if status not in ("200", "204", "304"):
                assert error["content"]["application/json"]["schema"]["$ref"].endswith("/Error")


def checked(schema: Any, value: Any) -> list[str]:
    """Say where a value does not keep to a schema of the document."""
    validator = Draft202012Validator({**schema, "components": DOCUMENT["components"]})
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_keep_to_their_schemas_and_are_of_models_that_exist(name: str) -> None:
    assert checked({"$ref": f"#/components/schemas/{name}"}, EXAMPLES[name]) == []


def _answer(method: str, path: str) -> Any:
    return OPERATIONS[method, path]["responses"]["200"]["content"]["application/json"]["schema"]


async def test_answers_keep_to_their_schemas(world: World) -> None:
    board, bot = await world.board(), await world.agent()
    value = {"fieldId": board.field("tags"), "value": ["a"]}
    card = await world.card(board, by=bot, fieldValues=[value], dueDate="2026-11-30", assignedAgentId="bot")
    comment = (await bot.post(f"/cards/{card['id']}/comments/mcp", {"content": "Hello"})).ok()
    (await world.sa.post(f"/cards/{card['id']}/comments/{comment['id']}/replies", {"content": "Hi"})).ok()
    (await world.sa.delete(f"/cards/{(await world.card(board))['id']}")).ok()
    (await bot.post(f"/cards/{card['id']}/claim/mcp")).ok()
    teams = (await world.sa.get(world.sa.org("/teams"))).ok()
    known = {
        "org_id": world.sa.org_id,
        "card_id": card["id"],
        "project_id": board.id,
        "card_type_id": board.card_type["id"],
        "agent_id": "bot",
        "team_id": teams[0]["id"],
        "field_id": board.field("attachments"),
    }
    seen = 0
    for route in ROUTES:
        if route.method != "GET" or not set(re.findall(r"\{(\w+)\}", route.path)) <= known.keys():
            continue
        caller = {"JWT": world.sa, "ApiKey": bot, "none": world.nobody}[route.policy.scheme]
        answer = await caller.get(route.path.format(**known))
        if answer.status != 200 or "json" not in answer.headers["Content-Type"]:
            continue
        schema = _answer("GET", re.sub(r"\{\w+\}", "{}", route.path))
        assert checked(schema, answer.body) == [], route.path
        seen += 1
    assert seen > 30


async def test_refusals_keep_to_the_envelope(world: World) -> None:
    for answer in (await world.nobody.get("/auth/me"), await world.sa.post("/auth/switch", {"x": 1})):
        assert checked({"$ref": "#/components/schemas/Error"}, answer.body) == []


async def test_the_document_is_served_to_anyone_and_not_again_to_who_has_it(world: World) -> None:
    answer = await world.nobody.get("/openapi.json")
    assert answer.ok() == DOCUMENT
    again = await world.nobody.get("/openapi.json", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status == 304


async def test_pages_end_at_100_everywhere_by_the_keywords_that_programs_know(world: World) -> None:
    """The sizes of all pages, also of lists that end with a cursor."""
    sizes = [
        (path, one["name"], next(kind for kind in (*one["schema"].get("anyOf", ()), one["schema"]) if "type" in kind))
        for (_, path), operation in OPERATIONS.items()
        for one in operation.get("parameters", ())
        if one["name"] in ("limit", "pageSize")
    ]
    assert {path for path, *_ in sizes} >= {f"/organizations/{{}}/{name}" for name in ("changes", "catch-up", "cards")}
    for path, name, schema in sizes:
        assert (schema["minimum"], schema["maximum"]) == (1, 100), (path, name)
    assert not re.search(r'"(ge|le|gt|lt)":', json.dumps(DOCUMENT))
