"""A credential is checked again after the body: holding a request open beyond its end has no effect."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest

from service.auth.authentication import API_KEY, NONE
from service.pipeline.routing import PREFIX, ROUTES, Route

from .. import forms, raw_http, walk
from ..direct_db import execute
from ..world import PASSWORD, Answer, Client, World

HALF = 30  # bytes of a form that are sent before the credential ends


@dataclass
class OrganizationLocked:
    """A request whose body has not come to its end."""

    name: str
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    rest: bytes

    async def finished(self) -> Answer:
        """Send the rest, and return the answer."""
        self.writer.write(self.rest)
        await self.writer.drain()
        try:
            return await raw_http.read_answer(self.reader)
        finally:
            self.writer.close()


async def hold(
    who: Client, name: str, path: str, body: bytes, kind: str = "application/json", sent: int = 1
) -> OrganizationLocked:
    """Begin a request and keep back the end of its body."""
    address = urlsplit(who.base)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    lines = [f"{name.split(maxsplit=1)[0]} {path} HTTP/1.1", f"Host: {address.netloc}", f"Content-Type: {kind}"]
    lines += [f"Authorization: {who.headers['Authorization']}", f"Content-Length: {len(body)}"]
    lines += ["Accept: application/json, text/event-stream"]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body[:sent])
    await writer.drain()
    return OrganizationLocked(name, reader, writer, body[sent:])


async def hold_all(scheme: str, who: Client, ids: walk.Ids) -> list[OrganizationLocked]:
    """Begin a request of each route of a scheme that takes a body."""
    routes = [route for route in ROUTES if route.policy.scheme == scheme and not route.reads]
    return [await hold(who, walk.name(route), PREFIX + walk.url(route, ids), *_body(route, ids)) for route in routes]


def _body(route: Route, ids: walk.Ids) -> tuple[bytes, str, int]:
    if route.path == "/files/{file_id}/content":
        return b"content", "application/octet-stream", 1
    if route.path in ("/files", "/files/mcp"):
        where = forms.target({"id": ids["card_id"]}, ids["field_id"])
        return where + forms.blob() + forms.END, forms.FORM, HALF
    return json.dumps(walk.smallest_body(route) or {}).encode(), "application/json", 1


async def _change_password(world: World, who: Client) -> None:
    (await who.post("/settings/password", {"currentPassword": PASSWORD, "newPassword": "another one"})).ok()


async def _log_out(world: World, who: Client) -> None:
    (await who.post("/auth/logout")).ok()


PEOPLE: list[Callable[[World, Client], Awaitable[None]]] = [_change_password, _log_out]


@pytest.mark.parametrize("end", PEOPLE)
async def test_no_route_does_what_was_held_open_until_the_token_ended(world: World, end: Any) -> None:
    await world.join(world.outsider, world.sa, "sa@example.test", "SolutionArchitect")  # whom nobody else would miss
    ids, _ = await walk.create_one_of_each(world, world.outsider, "bot")
    assert world.service is not None
    world.service.file_store.get_path(
        world.outsider.org_id, ids["card_id"], ids["file_id"]
    ).unlink()  # some bring back what is lost
    before = await walk.describe_organization(world.outsider, ids)
    held = await hold_all("JWT", world.sa, ids)
    assert len(held) > 60
    await end(world, world.sa)
    for request in held:
        (await request.finished()).refused(401, "unauthorized")
    assert await walk.describe_organization(world.outsider, ids) == before


async def _remove(world: World, key: Client) -> str:
    (await world.sa.delete(f"/settings/api-keys/{key.id}")).ok()
    return "unauthorized"


async def _rotate(world: World, key: Client) -> str:
    (await world.sa.post(f"/settings/api-keys/{key.id}/rotate")).ok()
    return "unauthorized"


async def _disable(world: World, key: Client) -> str:
    (await world.sa.patch(f"/settings/api-keys/{key.id}", {"enabled": False})).ok()
    return "api_key_revoked"


async def _expire(world: World, key: Client) -> str:
    await execute(world, "UPDATE api_keys SET expires_at = '2020-01-01T00:00:00.000Z' WHERE id = :id", id=key.id)
    return "api_key_expired"


@pytest.mark.parametrize("end", [_remove, _rotate, _disable, _expire])
async def test_no_route_and_no_tool_does_what_was_held_open_until_the_key_ended(world: World, end: Any) -> None:
    ids, agent = await walk.create_one_of_each(world, world.sa, "bot")
    agent.id = next(row["id"] for row in (await world.sa.get("/settings/api-keys")).ok())
    held = await hold_all(API_KEY, agent, ids)
    call = {"name": "list_mcp_servers", "arguments": {}}
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
    held.append(await hold(agent, "POST a tool", "/mcp", message))
    assert len(held) >= 16
    code = await end(world, agent)
    before = _without_keys(await walk.describe_organization(world.sa, ids))
    for request in held:
        (await request.finished()).refused(401, code)
    assert _without_keys(await walk.describe_organization(world.sa, ids)) == before


def _without_keys(portrait: list[Any]) -> list[Any]:
    return [body for body in portrait if not (isinstance(body, list) and body and "prefix" in body[0])]


async def test_what_an_architect_takes_from_a_key_counts_for_what_is_held_open_too(world: World) -> None:
    card, script = await world.card(await world.board()), await world.script()
    path = f"{PREFIX}/cards/{card['id']}/comments/mcp"
    held = await hold(script, "POST comment", path, b'{"content": "Late"}')
    (await world.sa.patch(f"/settings/api-keys/{script.id}", {"actsAsItself": False})).ok()
    (await held.finished()).refused(403, "agent_not_registered")


async def test_a_credential_is_judged_in_the_transaction_whatever_is_remembered_of_it(world: World) -> None:
    """Nothing tells the service of this end: it has to look."""
    card, agent = await world.card(await world.board()), await world.agent()
    (await agent.get(f"/cards/{card['id']}/mcp")).ok()
    assert world.service is not None
    world.service.clear_credential_cache = lambda: None  # type: ignore[method-assign]
    for key in (await world.sa.get("/settings/api-keys")).ok():
        (await world.sa.patch(f"/settings/api-keys/{key['id']}", {"enabled": False})).ok()
    (await agent.get(f"/cards/{card['id']}/mcp")).refused(401, "api_key_revoked")
    (await world.member.get(f"/cards/{card['id']}")).ok()
    (await world.member.post("/auth/logout")).ok()
    (await world.member.get(f"/cards/{card['id']}")).refused(401, "unauthorized")


def test_the_tests_cover_every_authentication_scheme() -> None:
    assert {route.policy.scheme for route in ROUTES} == {"JWT", API_KEY, NONE}
