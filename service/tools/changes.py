"""Tools that report changes: to the cards of the organization as they happen, and the history of one card."""

from typing import Any

from pydantic import Field

from ..domain.truncation import BYTES_PER_TOKEN
from ..pipeline import name_resolution
from ..resources import changes
from ..resources import history as history_route
from ..resources import inbox as inbox_route
from ..schemas import Id, Name
from . import naming
from .registry import ToolContext, tool
from .token_limit import TokenLimit, TruncatableResult

Json = dict[str, Any]
BYTES_PER_EVENT = 300  # at most
EVENTS_MAX = 100  # in one response
AUTHORS_LISTED_MAX = 3
ROWS_DEFAULT = 20
DECISIONS = ("moveRequest.approved", "moveRequest.rejected", "question.answered")


class WaitForChanges(TokenLimit):
    since: str | None = Field(None, description="'next' of the last result, or an age (3h)")
    project: Name | None = None
    card: Id | None = None
    wait: int = Field(50, ge=0, le=50, description="seconds")


class InboxArguments(TokenLimit):
    since: str | None = Field(None, description="an age (3h), to see things again")
    limit: int = Field(20, ge=1, le=100)
    wait: int = Field(0, ge=0, le=50, description="seconds to wait for news")


class History(TokenLimit):
    card: Id
    limit: int = Field(ROWS_DEFAULT, ge=1, le=100)
    page: int = Field(1, ge=1, le=1_000_000)


@tool(
    "Wait for changes",
    "Wait for any change on the boards; for what concerns you use inbox. Without since it returns the position at "
    "once: call again with since=next. reset: read everything again.",
    read_only=True,
)
async def wait_for_changes(ctx: ToolContext, arguments: WaitForChanges) -> Json:
    """Return the changes after an event; wait for one if there are none."""
    limit = min(arguments.max_tokens * BYTES_PER_TOKEN // BYTES_PER_EVENT, EVENTS_MAX)
    query: Json = {"limit": limit, "since": arguments.since, "cardId": arguments.card}
    if arguments.project is not None:
        project = arguments.project
        query["projectId"] = ctx.lookup(lambda call: name_resolution.find_project_filter(call, project))
    if arguments.since is not None:
        query["wait"] = arguments.wait
    found = await ctx.call(changes.list_changes, None, query)
    items = naming.look_up_names(ctx, {"items": [_render_event(item) for item in found["items"]]})["items"]
    return {**found, "items": items}


def _render_event(item: Json) -> Json:
    keys = ("type", "cardKey", "at", "columnId", "fromColumnId", "toColumnId", "agentId", "commentId")
    event = {key: item[key] for key in keys if key in item}
    if "fromCardKey" in item:
        event |= {"fromCardKey": item["fromCardKey"], "toCardKey": item["toCardKey"]}
    if item["type"] in DECISIONS:
        event["next"] = "get_card shows it, and what you can do now."
    return event | {"by": naming.render_author(item["actor"])}


@tool(
    "Read your inbox",
    "Show what others did that concerns you, each once: decisions on your requests, answers, replies, @your-id. "
    "hasMore: call again.",
    idempotent=True,
)
async def inbox(ctx: ToolContext, arguments: InboxArguments) -> TruncatableResult:
    """Return what concerns the calling agent, and mark it as read."""
    # The route applies the token limit, because returned items count as read. Only a text that exceeds it by itself is
    # truncated here.
    query = arguments.model_dump(by_alias=True)
    found = await ctx.call(inbox_route.get_inbox, None, query)
    content = {**found, "items": [_render_inbox_item(item) for item in found["items"]]}
    return TruncatableResult(content, {}, 'get_card with part="comments" shows the whole')


def _render_inbox_item(item: Json) -> Json:
    """Return the activity on a card, with names instead of ids."""
    id_keys = ("cardId", "projectId", "columnId", "fromColumnId")
    activity = {key: value for key, value in item.items() if key not in id_keys}
    activity["by"] = [naming.render_author(actor) for actor in item["by"][:AUTHORS_LISTED_MAX]]
    for key, author_key in (("decision", "decidedBy"), ("answer", "answeredBy")):
        if activity.get(key):
            author = activity[key].get(author_key)
            activity[key] = {**activity[key], author_key: author and naming.render_author(author)}
    return activity


@tool("Show a card's history", "Show who changed what on a card, newest first.", read_only=True)
async def history(ctx: ToolContext, arguments: History) -> TruncatableResult:
    """Return the history of a card, newest first."""
    query = {"pageSize": arguments.limit, "page": arguments.page, "order": "desc"}
    rows = await ctx.call(history_route.list_history, None, query, card_id=arguments.card)
    items = naming.look_up_names(ctx, {"items": [_render_entry(row) for row in rows]})["items"]
    return TruncatableResult(
        {"items": items}, {"items": "ask again with page or a smaller limit"}, "get_card shows texts"
    )


def _render_entry(row: Json) -> Json:
    return {
        "at": row["createdAt"],
        "by": naming.render_author(row["actor"]),
        "action": row["action"],
        "changes": row["changes"],
        "imported": row["imported"] or None,
    }
