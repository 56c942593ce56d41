"""The tool that waits for something to happen."""

from typing import Any

from pydantic import Field

from ..wire import Output
from .bounding import Bounds
from .registry import Visit, tool

TOKENS_PER_EVENT = 220  # at the most, in text and in structured content


class WaitForChanges(Bounds):
    since: str | None = Field(None, description="'next' of the answer before; none: begin now")
    wait: int = Field(50, ge=0, le=50, description="seconds to wait if nothing has happened yet")


class Event(Output):
    """One thing that happened: what it is about has to be read."""

    id: str
    type: str
    card_id: str | None = None
    project_id: str | None = None
    actor: str
    at: str


class Changes(Output):
    """What happened, and where to go on."""

    items: list[Event]
    next: str
    has_more: bool
    reset: bool


@tool(
    "Wait up to 50 s for something to happen in your organization: cards, comments, moves, claims, decisions. "
    "The first call, without since, gives at once where to begin: call again with since=next. reset: too long ago, "
    "look at everything again.",
    Changes,
    reads=True,
)
async def wait_for_changes(visit: Visit, arguments: WaitForChanges) -> Changes:
    """Tell what happened after an event, waiting for it if need be."""
    query = {"limit": arguments.max_tokens // TOKENS_PER_EVENT, "since": arguments.since}
    if arguments.since is not None:
        query["wait"] = arguments.wait
    found = await visit.ask("GET /organizations/{org_id}/changes/mcp", None, query)
    return Changes.of({**found, "items": [_event(item) for item in found["items"]]})


def _event(item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "actor": f"{item['actor']['type']} {item['actor']['id']}"}
