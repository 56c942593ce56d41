"""What the tool server offers beside tools: the prompt library as prompts, and cards, by their keys, as resources."""

from collections.abc import Awaitable
from typing import Any, TypeVar

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from ..errors import ServiceError
from ..pipeline import name_resolution
from . import contexts, wording
from .bounding import TOKENS_MAX, Long, bounded, encoded
from .registry import ToolContext

Context = ServerRequestContext[Any, Any]
T = TypeVar("T")
CARDS = "tandem://cards/"
ITEMS_PER_PAGE = 100


async def list_prompts(context: Context, parameters: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    """List the prompts of the library that have a current version."""
    rows = await _asked(context, _prompts(_visit(context)))
    start = _place(parameters)
    shown = [types.Prompt(name=row["name"]) for row in rows[start : start + ITEMS_PER_PAGE]]
    return types.ListPromptsResult(prompts=shown, next_cursor=_next(start, len(rows)))


async def _prompts(ctx: ToolContext) -> list[Any]:
    return list(ctx.lookup(name_resolution.prompts))


async def get_prompt(context: Context, parameters: types.GetPromptRequestParams) -> types.GetPromptResult:
    """Give the current version of a prompt as what a person would say."""
    body = await _asked(context, _body(_visit(context), parameters.name))
    text = types.TextContent(text=body)
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])


async def _body(ctx: ToolContext, name: str) -> str:
    prompt_id = ctx.lookup(lambda call: name_resolution.prompt(call, name, "name"))["id"]
    return str((await ctx.ask("GET /prompts/{prompt_id}/mcp", prompt_id=prompt_id))["body"])


async def list_resources(
    context: Context, parameters: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    """List the active cards of the organization, a page at a time."""
    start = _place(parameters)
    query = {"page": start // ITEMS_PER_PAGE + 1, "pageSize": ITEMS_PER_PAGE}
    found = await _asked(context, _visit(context).ask("GET /organizations/{org_id}/cards/mcp", None, query))
    shown = [_resource(card) for card in found["items"]]
    return types.ListResourcesResult(resources=shown, next_cursor=_next(start, found["total"]))


def _resource(card: dict[str, Any]) -> types.Resource:
    return types.Resource(uri=CARDS + card["key"], name=card["key"], title=card["title"], mime_type="application/json")


async def list_templates(
    context: Context, parameters: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    """Tell how cards are addressed."""
    told = {"name": "card", "description": "A card with its fields, moves, files and newest comments, by its key"}
    card = types.ResourceTemplate(uri_template=CARDS + "{key}", mime_type="application/json", **told)
    return types.ListResourceTemplatesResult(resource_templates=[card])


async def read(context: Context, parameters: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    """Give a card as the tool get_card shows it, as long as an answer may be."""
    uri = str(parameters.uri)
    if not uri.startswith(CARDS):
        raise MCPError(types.INVALID_PARAMS, "There is no such resource.", {"uri": uri[:500]})
    answer = await _asked(context, _card(_visit(context), uri.removeprefix(CARDS)))
    text = encoded(bounded(answer, TOKENS_MAX))
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type="application/json", text=text)]
    )


async def _card(ctx: ToolContext, key: str) -> Long:
    return await contexts.long(ctx, key)


def _visit(context: Context) -> ToolContext:
    assert context.request is not None
    ctx: ToolContext = context.request.scope["state"]["ctx"]
    return ctx


async def _asked(context: Context, work: Awaitable[T]) -> T:
    """Do the work; a refusal is an error of the protocol, in the words of tools."""
    try:
        return await work
    except ServiceError as error:
        ctx = _visit(context)
        ctx.request_context.code = error.code
        told = wording.told(ctx, error)
        raise MCPError(types.INVALID_PARAMS, told["message"], told) from None


def _place(parameters: types.PaginatedRequestParams | None) -> int:
    cursor = (parameters and parameters.cursor) or "0"
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise MCPError(types.INVALID_PARAMS, "There is no such cursor; take that of the answer before.")
    return int(cursor) // ITEMS_PER_PAGE * ITEMS_PER_PAGE


def _next(start: int, total: int) -> str | None:
    after = start + ITEMS_PER_PAGE
    return str(after) if after < total else None
