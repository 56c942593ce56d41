"""The tool that searches cards."""

from typing import Any

from pydantic import Field

from ..pipeline import name_resolution
from ..resources.search import search as search_route
from ..schemas import Name
from . import naming
from .registry import ToolContext, tool
from .token_limit import TokenLimit, TruncatableResult

Json = dict[str, Any]


class Search(TokenLimit):
    q: str = Field(description='all must occur; "a phrase"; or a card key')
    project: Name | None = None
    page: int = 1
    page_size: int = 10


@tool(
    "Search cards",
    "Find cards by words in titles, fields and comments, best first.",
    read_only=True,
)
async def search(ctx: ToolContext, arguments: Search) -> TruncatableResult:
    """Search the cards of the organization."""
    query = arguments.model_dump(by_alias=True, exclude={"max_tokens", "project"})
    if arguments.project is not None:
        project = arguments.project
        query["projectId"] = [ctx.lookup(lambda call: name_resolution.find_project_filter(call, project))]
    found = await ctx.call(search_route.list_found_cards, None, query)
    items = naming.look_up_names(ctx, {"items": [_render_card(item) for item in found["items"]]})["items"]
    numbers = {key: found[key] for key in ("page", "pageSize", "total")}
    content = {"items": items, **numbers, "ignored": found.get("ignored")}
    return TruncatableResult(
        content, {"items": "ask again with a smaller pageSize, or maxTokens=8000"}, "get_card shows the whole"
    )


def _render_card(item: Json) -> Json:
    keys = ("source", "fieldId", "commentId", "text")
    snippets = [{key: snippet.get(key) for key in keys} for snippet in item["snippets"] if snippet["source"] != "title"]
    card = {key: item[key] for key in ("cardKey", "title", "columnId")}
    return {**card, "snippets": snippets or None}
