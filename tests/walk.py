"""Helpers for tests of every route: an organization with one resource of each kind, and valid bodies."""

import re
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel

from service.pipeline.routing import ROUTES, Route

from . import forms
from .world import Answer, Board, Client, World

# By key where the kind of a value is not enough.
SAMPLES: dict[str, Any] = {
    "email": "new@example.test",
    "color": "#123456",
    "newPassword": "long enough",
    "eventId": "1",
    "from": "2026-01-01T00:00:00.000Z",
    "url": "https://hooks.test",
    "parts": [{"title": "Part"}],
    "operations": [{"cardId": "nothing", "archive": True}],
}
BY_KIND: dict[str, Any] = {"string": "something", "boolean": True, "integer": 1, "number": 1, "array": [], "object": {}}

Ids = dict[str, str]


def name(route: Route) -> str:
    """Name a route as the specification does."""
    return f"{route.method} {route.path}"


def with_bodies() -> list[Route]:
    """List the routes that read a JSON body, or refuse one."""
    return [route for route in ROUTES if not route.reads and not route.streams]


def list_early_denials() -> list[Route]:
    """List the routes that judge their caller before they look at what only they understand (uploads)."""
    return [route for route in ROUTES if route.reads or route in with_bodies()]


def parameters(route: Route) -> list[str]:
    """Name the parameters in the path of a route."""
    return re.findall(r"\{(\w+)\}", route.path)


def url(route: Route, ids: Ids) -> str:
    """Fill in the path of a route; a kind of thing that is not there is called nothing."""
    return re.sub(r"\{(\w+)\}", lambda match: ids.get(match[1], "nothing"), route.path)


def smallest_body(route: Route) -> dict[str, Any] | None:
    """Make a body that has only the keys that must be there."""
    if route.reads:
        return None
    return make_smallest_input(route.body) if route.body else {}


def make_smallest_input(model: type[BaseModel]) -> dict[str, Any]:
    """Make an input that has only the keys that must be there."""
    schema = model.model_json_schema()
    return {key: _sample(key, schema["properties"][key]) for key in schema.get("required", [])}


def _sample(key: str, schema: dict[str, Any]) -> Any:
    kinds = schema.get("anyOf", [schema])
    if {"type": "null"} in kinds:
        return None
    return SAMPLES.get(key) or kinds[0].get("enum", [None])[0] or BY_KIND[kinds[0].get("type", "string")]


async def call(who: Client, route: Route, ids: Ids) -> Answer:
    """Call any route with the smallest that it takes, uploads too."""
    if route.path in ("/files", "/files/mcp"):
        form = forms.target({"id": ids["card_id"]}, ids["field_id"]) + forms.blob() + forms.END
        return await send(who, route, ids, data=form, headers={"Content-Type": forms.FORM})
    if route not in list_early_denials():  # an import, or contents of a file
        return await send(who, route, ids, data=b"{}", headers={"Content-Type": "application/json"})
    return await send(who, route, ids)


async def send(who: Client, route: Route, ids: Ids, body: Any = None, **options: Any) -> Answer:
    """Call a route with the smallest body and query that it takes, unless there is another body."""
    json = smallest_body(route) if body is None and "data" not in options else body
    params = _named(make_smallest_input(route.query), ids) | options.pop("params", {})
    return await who.call(route.method, url(route, ids), json, params=params, **options)


def _named(params: dict[str, Any], ids: Ids) -> dict[str, Any]:
    """Let a query that must name a thing name one that is there."""
    return {key: ids.get(re.sub("([A-Z])", r"_\1", key).lower(), value) for key, value in params.items()}


async def create_one_of_each(world: World, architect: Client, agent_id: str) -> tuple[Ids, Client]:
    """Put one thing of every kind into an organization; return the ids by path parameter, and its agent."""
    board = await world.board(architect)
    card = await world.card(board, by=architect)
    comment = (await architect.post(f"/cards/{card['id']}/comments", {"content": "Here"})).ok()
    other = await world.card(board, by=architect)
    agent = await world.agent(agent_id, architect)
    agents = (await architect.get(architect.org("/agents"))).ok()
    keys = (await architect.get("/settings/api-keys")).ok()
    return {
        "org_id": architect.org_id,
        "user_id": architect.id,
        "project_id": board.id,
        "column_id": board.columns["Todo"],
        "transition_id": board.transitions["Todo", "In Progress"],
        "card_type_id": board.card_type["id"],
        "field_id": board.field("attachments"),
        "card_id": card["id"],
        "comment_id": comment["id"],
        "team_id": agents[0]["teamId"],
        "agent_id": agent_id,
        "key_id": keys[0]["id"],
        **await _file(architect, board, card),
        "move_request_id": await _asked(architect, agent, board, card["id"]),
        **await _belongings(architect, board, card["id"], other["id"]),
        "session_id": await _sign_in_again(world, architect),
    }, agent


async def _sign_in_again(world: World, architect: Client) -> str:
    """Sign an architect in once more, and return the id of that session."""
    again = await world.login((await architect.get("/auth/me")).ok()["email"])
    return str(next(row["id"] for row in (await again.get("/settings/sessions")).ok() if row["current"]))


async def _file(architect: Client, board: Board, card: Any) -> Ids:
    """Upload a file, and make a link to it."""
    parts = forms.target(card, board.field("attachments")), forms.blob()
    file_id = (await forms.send(architect, *parts)).ok()["id"]
    url = (await architect.post(f"/files/{file_id}/link")).ok()["url"]
    return {"file_id": file_id, "token": url.partition("token=")[2]}


async def _asked(architect: Client, agent: Client, board: Board, card_id: str) -> str:
    """Let the agent ask for a move that needs approval, over a transition that is there for it."""
    edge = {"fromColumnId": board.columns["Todo"], "toColumnId": board.columns["Done"], "requiresApproval": True}
    (await architect.post(architect.org("/transitions"), edge)).ok()
    body = {"toColumnId": board.columns["Done"], "note": "Finished"}
    return str((await agent.post(f"/cards/{card_id}/move-requests/mcp", body)).ok()["id"])


async def _belongings(architect: Client, board: Board, card_id: str, other_id: str) -> Ids:
    """Add what stands beside cards; the other card goes to the archive."""
    relation = {"fromCardId": card_id, "toCardId": other_id, "kind": "relatesTo"}
    preset = {"cardTypeId": board.card_type["id"], "presetName": "P", "fieldId": board.field("tags"), "value": ["x"]}
    made = {
        "relationship_id": await architect.post(architect.org("/relationships"), relation),
        "category_id": await architect.post("/prompt-categories", {"name": "Category"}),
        "prompt_id": await architect.post("/prompts", {"name": "Prompt", "body": "Text"}),
        "server_id": await architect.post("/mcp-servers", {"name": "S", "transport": "stdio", "command": "run"}),
        "preset_field_id": await architect.post("/preset-fields", preset),
        "webhook_id": await architect.post("/webhooks", {"url": "https://hooks.test", "enabled": False}),
        "shortcut_id": await architect.post("/settings/shortcuts", {"action": "card.archive", "binding": "ctrl+k"}),
    }
    ids = {name: str(answer.ok()["id"]) for name, answer in made.items()}
    prompt = (await architect.get(f"/prompts/{ids['prompt_id']}")).ok()
    permissions = (await architect.get("/permissions")).ok()
    (await architect.delete(f"/cards/{other_id}")).ok()
    rest = {"version_id": prompt["versions"][0]["id"], "permission_id": permissions[0]["id"]}
    return ids | rest | {"type": "card", "id": other_id, "name": "Prompt"}


async def describe_organization(architect: Client, ids: Ids) -> list[Any]:
    """Show all of an organization, to see later whether something changed."""
    board = architect.org(f"/board-flow?projectId={ids['project_id']}")
    paths = [architect.org(), board, f"/cards/{ids['card_id']}", f"/cards/{ids['card_id']}/history"]
    paths += [architect.org(f"/{noun}") for noun in ("projects", "columns", "members", "agents", "teams")]
    paths += [architect.org(f"/teams/{ids['team_id']}"), architect.org("/relationships"), "/archive"]
    paths += [architect.org("/move-requests")]
    paths += ["/prompts", "/prompt-categories", "/mcp-servers", "/preset-fields", "/settings/shortcuts"]
    paths += [f"/prompts/{ids['prompt_id']}", "/settings/api-keys", "/permissions"]
    return [_timeless((await architect.get(path)).ok()) for path in paths]


def _timeless(body: Any) -> Any:
    """Leave out when somebody was last heard of, and whether that is just now."""
    if isinstance(body, dict):
        heard = ("lastUsedAt", "lastSeenAt", "isOnline")
        return {key: _timeless(value) for key, value in body.items() if key not in heard}
    return [_timeless(item) for item in body] if isinstance(body, list) else body


def list_unexpected(answers: Iterable[tuple[str, Answer]], *expected: tuple[int, str]) -> list[tuple[str, int, Any]]:
    """Return the answers that are no refusal with one of the expected statuses and codes."""
    return [
        (route, answer.status, answer.body)
        for route, answer in answers
        if answer.status < 400 or (answer.status, answer.body["error"]["code"]) not in expected
    ]
