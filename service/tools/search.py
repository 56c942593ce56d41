"""The tool that searches cards."""

from typing import Any

from pydantic import Field

from ..pipeline import name_resolution
from ..schemas import Id
from . import naming
from .bounding import Bounds, Long
from .registry import ToolContext, tool

Json = dict[str, Any]


class Search(Bounds):
    q: str = Field(description='words that must all occur; "a phrase"')
    project: Id | None = None
    page: int = 1
    page_size: int = 10


@tool(
    "Find cards by words in titles, fields and comments, best first: earlier work, decisions, what was said.",
    reads=True,
)
async def search(ctx: ToolContext, arguments: Search) -> Long:
    """Search the cards of the organization."""
    query = arguments.model_dump(by_alias=True, exclude={"max_tokens", "project"})
    if arguments.project is not None:
        query["projectId"] = ctx.lookup(lambda call: name_resolution.project(call, arguments.project))["id"]
    found = await ctx.ask("GET /organizations/{org_id}/search/mcp", None, query)
    items = naming.in_names(ctx, {"items": [_found(item) for item in found["items"]]})["items"]
    answer = {"items": items, **{key: found[key] for key in ("page", "pageSize", "total")}}
    return Long(answer, {"items": "ask again with a smaller pageSize, or maxTokens=8000"}, "get_card shows the whole")


def _found(item: Json) -> Json:
    kept = ("source", "fieldId", "commentId", "text")
    snippets = [{key: snippet.get(key) for key in kept} for snippet in item["snippets"] if snippet["source"] != "title"]
    shown = {key: item[key] for key in ("cardKey", "title", "columnId")}
    return {**shown, "snippets": snippets or None}
