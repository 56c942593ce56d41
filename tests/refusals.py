"""Who is turned away, and which bodies are not taken: words for what every route must refuse."""

from typing import Any

from .world import Answer, World

LEFT_OUT: Any = type("LeftOut", (), {"__repr__": lambda self: "left out"})()
NUL = "before\0after"


def change_body(body: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """Return a body with some keys changed, added or left out."""
    return {key: value for key, value in {**body, **change}.items() if value is not LEFT_OUT}


def expect_invalid(answer: Answer, path: str) -> None:
    """Expect validation_failed that names this path."""
    fields = answer.refused(400, "validation_failed")["fields"]
    assert path in [field["path"] for field in fields], fields
    assert all(field["message"] for field in fields)


async def people_only(world: World, method: str, path: str, body: Any = None) -> None:
    """Expect that a route for people turns away who has no token, or a key."""
    for caller in (world.nobody, await world.key()):
        answer = await caller.call(method, path, body)
        answer.refused(401, "unauthorized")
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


async def agents_only(world: World, method: str, path: str, body: Any = None) -> None:
    """Expect that a route for agents turns away who has no key, or a token."""
    for caller in (world.nobody, world.sa):
        answer = await caller.call(method, path, body)
        answer.refused(401, "unauthorized")
        assert answer.headers["WWW-Authenticate"].startswith("ApiKey")


async def expect_hidden(world: World, method: str, path: str, body: Any = None) -> None:
    """Expect that a thing is not there for an SA of another organization, wherever they say that they are."""
    (await world.outsider.call(method, path, body)).refused(404, "not_found")
    intruding = {"X-Organization-Id": world.sa.org_id}
    (await world.outsider.call(method, path, body, headers=intruding)).refused(404, "not_found")
