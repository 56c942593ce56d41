"""Tools that tell what happened: to anybody's cards as it happens, and to one card until now."""

from typing import Any

from pydantic import Field

from ..pipeline import name_resolution
from ..schemas import Id
from . import naming
from .bounding import BYTES_PER_TOKEN, Bounds, Long
from .registry import ToolContext, tool

Json = dict[str, Any]
BYTES_PER_EVENT = 300  # at the most
AUTHORS_TOLD_MAX = 3
ROWS_DEFAULT = 20


class WaitForChanges(Bounds):
    since: str | None = Field(None, description="'next' of the answer before, or an age (3h); none: begin now")
    project: Id | None = None
    card: Id | None = None
    wait: int = Field(50, ge=0, le=50, description="seconds to wait if nothing has happened yet")


class Inbox(Bounds):
    since: str | None = Field(None, description="an age (3h), or 'next' of an answer; none: since your last call")
    limit: int = Field(20, ge=1, le=100)


class History(Bounds):
    card: Id
    limit: int = Field(ROWS_DEFAULT, ge=1, le=100)
    page: int = Field(1, ge=1, le=1_000_000, description="1 is the newest")


@tool(
    "Wait up to 50 s for something to happen in your organization: cards, comments, moves, claims, decisions. The "
    "first call, without since, gives at once where to begin: call again with since=next. reset: too long ago, look at "
    "everything again.",
    reads=True,
)
async def wait_for_changes(ctx: ToolContext, arguments: WaitForChanges) -> Json:
    """Tell what happened after an event, waiting for it if need be."""
    most = arguments.max_tokens * BYTES_PER_TOKEN // BYTES_PER_EVENT
    query: Json = {"limit": most, "since": arguments.since, "cardId": arguments.card}
    if arguments.project is not None:
        query["projectId"] = ctx.lookup(lambda call: name_resolution.project(call, arguments.project))["id"]
    if arguments.since is not None:
        query["wait"] = arguments.wait
    found = await ctx.ask("GET /organizations/{org_id}/changes/mcp", None, query)
    items = naming.in_names(ctx, {"items": [_event(item) for item in found["items"]]})["items"]
    return {**found, "items": items}


def _event(item: Json) -> Json:
    kept = ("type", "cardKey", "at", "columnId", "fromColumnId", "toColumnId", "agentId", "commentId")
    shown = {key: item[key] for key in kept if key in item}
    if "fromCardKey" in item:
        shown |= {"fromCardKey": item["fromCardKey"], "toCardKey": item["toCardKey"]}
    return shown | {"by": naming.author(item["actor"])}


@tool(
    "Tell what others did that concerns you, folded to one item a card: cards that you hold, held last or are assigned "
    "to, decisions on your requests, answers to your questions, replies, @your-id. Oldest first, each only once; with "
    "hasMore call again.",
    repeatable=True,
)
async def inbox(ctx: ToolContext, arguments: Inbox) -> Long:
    """Tell an agent what concerns it."""
    # What is shown counts as read, so the route itself ends where there is no more room; long texts are cut here.
    query = {"since": arguments.since, "limit": arguments.limit, "maxTokens": arguments.max_tokens}
    found = await ctx.ask("GET /organizations/{org_id}/inbox/mcp", None, query)
    answer = {**found, "items": [_news(item) for item in found["items"]]}
    return Long(answer, {}, "context shows the whole")


def _news(item: Json) -> Json:
    """Tell what happened to a card, by its names."""
    dropped = ("cardId", "projectId", "columnId", "fromColumnId")
    said = {key: value for key, value in item.items() if key not in dropped}
    said["by"] = [naming.author(actor) for actor in item["by"][:AUTHORS_TOLD_MAX]]
    for key, who in (("decision", "decidedBy"), ("answer", "answeredBy")):
        if said.get(key):
            said[key] = {**said[key], who: said[key].get(who) and naming.author(said[key][who])}
    return said


@tool(
    "Show how a card came to be as it is, newest first: who did what when, and what changed from what to what.",
    reads=True,
)
async def history(ctx: ToolContext, arguments: History) -> Long:
    """Show the history of a card."""
    twin, card = "GET /cards/{card_id}/history/mcp", {"card_id": arguments.card}
    query = {"pageSize": arguments.limit, "page": arguments.page, "order": "desc"}
    rows = await ctx.ask(twin, None, query, **card)
    items = naming.in_names(ctx, {"items": [_row(row) for row in rows]})["items"]
    return Long({"items": items}, {"items": "ask again with page or a smaller limit"}, "get_card shows texts")


def _row(row: Json) -> Json:
    return {
        "at": row["createdAt"],
        "by": naming.author(row["actor"]),
        "action": row["action"],
        "changes": row["changes"],
    }
