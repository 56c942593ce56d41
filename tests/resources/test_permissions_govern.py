"""Which action of which resource governs which route."""

from typing import Any

import pytest

from ..builders import permit
from ..world import World
from .test_permissions import SEED

TYPE = "{org}/card-types/none"
SERVER = {"name": "S", "transport": "stdio", "command": "x"}
RELATION = {"fromCardId": "x", "toCardId": "y", "kind": "blocks"}
ROUTES: list[tuple[str, str, str, str, Any]] = [
    ("Card", "read", "GET", "{card}", None),
    ("Card", "read", "GET", "{card}/history", None),
    ("Card", "read", "GET", "{card}/comments", None),
    ("Card", "read", "GET", "{org}/cards", None),
    ("Card", "read", "GET", "{org}/board-flow", None),
    ("Card", "create", "POST", "{org}/cards", {"projectId": "x", "cardTypeId": "y", "title": "T"}),
    ("Card", "update", "PATCH", "{card}", {"title": "T"}),
    ("Card", "update", "PATCH", "{card}/rank", {"afterCardId": None}),
    ("Card", "update", "POST", "{card}/restore", None),
    ("Card", "transition", "PATCH", "{card}/status", {"toColumnId": "x"}),
    ("Card", "delete", "DELETE", "{card}", None),
    ("Card", "comment", "POST", "{card}/comments", {"content": "C"}),
    ("Card", "comment", "POST", "{card}/comments/none/replies", {"content": "C"}),
    ("Project", "read", "GET", "{org}/projects", None),
    ("Project", "read", "GET", "{org}/projects/none", None),
    ("Project", "create", "POST", "{org}/projects", {"title": "P"}),
    ("Project", "update", "PATCH", "{org}/projects/none", {"title": "P"}),
    ("Project", "delete", "DELETE", "{org}/projects/none", None),
    ("Column", "read", "GET", "{org}/columns", None),
    ("Column", "create", "POST", "{org}/columns", {"projectId": "x", "title": "C"}),
    ("Column", "update", "PATCH", "{org}/columns/none", {"title": "C"}),
    ("Column", "delete", "DELETE", "{org}/columns/none", None),
    ("CardType", "read", "GET", "{org}/card-types", None),
    ("CardType", "create", "POST", "{org}/card-types", {"title": "T"}),
    ("CardType", "update", "PATCH", TYPE, {"title": "T"}),
    ("CardType", "delete", "DELETE", TYPE, None),
    ("Field", "read", "GET", TYPE + "/fields", None),
    ("Field", "create", "POST", TYPE + "/fields", {"name": "f", "kind": "text"}),
    ("Field", "update", "PATCH", TYPE + "/fields/none", {"label": "F"}),
    ("Field", "delete", "DELETE", TYPE + "/fields/none", None),
    ("Transition", "read", "GET", "{org}/transitions", None),
    ("Transition", "create", "POST", "{org}/transitions", {"fromColumnId": "x", "toColumnId": "y"}),
    ("Transition", "update", "PATCH", "{org}/transitions/none", {"requiresApproval": True}),
    ("Transition", "delete", "DELETE", "{org}/transitions/none", None),
    ("Relationship", "read", "GET", "{org}/relationships", None),
    ("Relationship", "create", "POST", "{org}/relationships", RELATION),
    ("Relationship", "delete", "DELETE", "{org}/relationships/none", None),
    ("Prompt", "read", "GET", "/prompts", None),
    ("Prompt", "read", "GET", "/prompts/none", None),
    ("Prompt", "read", "GET", "/prompt-categories", None),
    ("Prompt", "create", "POST", "/prompts", {"name": "P", "body": "x"}),
    ("Prompt", "update", "PATCH", "/prompts/none", {"name": "P"}),
    ("Prompt", "delete", "DELETE", "/prompts/none", None),
    ("Prompt", "create", "POST", "/prompt-categories", {"name": "C"}),
    ("Prompt", "update", "PATCH", "/prompt-categories/none", {"name": "C"}),
    ("Prompt", "delete", "DELETE", "/prompt-categories/none", None),
    ("ToolServer", "read", "GET", "/mcp-servers", None),
    ("ToolServer", "read", "GET", "/mcp-servers/none", None),
    ("ToolServer", "create", "POST", "/mcp-servers", SERVER),
    ("ToolServer", "update", "PATCH", "/mcp-servers/none", {"name": "S"}),
    ("ToolServer", "delete", "DELETE", "/mcp-servers/none", None),
    ("Archive", "read", "GET", "/archive", None),
    ("Archive", "update", "POST", "/archive/card/none/restore", None),
    ("Archive", "delete", "DELETE", "/archive/card/none", None),
]


@pytest.mark.parametrize(("resource", "action"), sorted({(resource, action) for resource, action, *_ in ROUTES}))
async def test_without_the_action_every_route_that_it_governs_is_closed(
    world: World, resource: str, action: str
) -> None:
    card = await world.card(await world.board())
    everything = SEED["SolutionArchitect", resource]
    governed = [(method, path, body) for of, needed, method, path, body in ROUTES if (of, needed) == (resource, action)]
    for method, route, body in governed:
        path = route.format(org=world.sa.org(), card=f"/cards/{card['id']}")
        await permit(world, "SolutionArchitect", resource, *sorted(everything - {action}))
        refusal = (await world.sa.call(method, path, body)).refused(403, "permission_denied")
        refusal.pop("blockers", None)  # of a move
        assert refusal == {"resource": resource, "action": action}
        await permit(world, "SolutionArchitect", resource, action)
        assert (await world.sa.call(method, path, body)).status != 403
        if (method, route) == ("DELETE", "{card}"):
            assert (await world.sa.get("/archive")).ok()["total"] == 1
