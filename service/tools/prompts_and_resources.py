"""Prompts and resources of the tool server: the prompt library as prompts, and cards, by key, as resources."""

from collections.abc import Awaitable
from typing import Any, TypeVar

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from ..errors import ServiceError
from ..pipeline import name_resolution
from ..resources import cards, prompts
from . import card_context, error_messages
from .registry import ToolContext
from .token_limit import TOKENS_MAX, encode_json, truncate

Context = ServerRequestContext[Any, Any]
T = TypeVar("T")
CARD_URI = "tandem://cards/"
ITEMS_PER_PAGE = 100


async def list_prompts(context: Context, parameters: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    """List the prompts of the library that have a current version."""
    rows = await _translate_errors(context, _list_prompts(_get_tool_context(context)))
    start = _parse_cursor(parameters)
    page = [types.Prompt(name=row["name"]) for row in rows[start : start + ITEMS_PER_PAGE]]
    return types.ListPromptsResult(prompts=page, next_cursor=_next_cursor(start, len(rows)))


async def _list_prompts(ctx: ToolContext) -> list[Any]:
    return list(ctx.lookup(name_resolution.list_prompts))


async def get_prompt(context: Context, parameters: types.GetPromptRequestParams) -> types.GetPromptResult:
    """Return the current version of a prompt as a message of the user."""
    body = await _translate_errors(context, _get_prompt_body(_get_tool_context(context), parameters.name))
    text = types.TextContent(text=body)
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])


async def _get_prompt_body(ctx: ToolContext, name: str) -> str:
    prompt_id = ctx.lookup(lambda call: name_resolution.find_prompt(call, name, "name"))["id"]
    return str((await ctx.call(prompts.get_current_prompt, prompt_id=prompt_id))["body"])


async def list_resources(
    context: Context, parameters: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    """List the active cards of the organization, a page at a time."""
    start = _parse_cursor(parameters)
    query = {"page": start // ITEMS_PER_PAGE + 1, "pageSize": ITEMS_PER_PAGE}
    found = await _translate_errors(context, _get_tool_context(context).call(cards.list_cards, None, query))
    page = [_to_resource(card) for card in found["items"]]
    return types.ListResourcesResult(resources=page, next_cursor=_next_cursor(start, found["total"]))


def _to_resource(card: dict[str, Any]) -> types.Resource:
    return types.Resource(
        uri=CARD_URI + card["key"], name=card["key"], title=card["title"], mime_type="application/json"
    )


async def list_resource_templates(
    context: Context, parameters: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    """List the URI template of cards."""
    texts = {
        "name": "card",
        "description": "A card by its key, with all that is needed to work on it",
    }
    card = types.ResourceTemplate(uri_template=CARD_URI + "{key}", mime_type="application/json", **texts)
    return types.ListResourceTemplatesResult(resource_templates=[card])


async def read_resource(context: Context, parameters: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    """Return the context of a card, up to the maximum token limit."""
    uri = str(parameters.uri)
    if not uri.startswith(CARD_URI):
        raise MCPError(
            types.INVALID_PARAMS,
            "There is no such resource; the uri of a card is tandem://cards/ and its key.",
            {"uri": uri[:500]},
        )
    key = uri.removeprefix(CARD_URI)
    result = await _translate_errors(context, card_context.get_context(_get_tool_context(context), key))
    text = encode_json(truncate(result, TOKENS_MAX))
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type="application/json", text=text)]
    )


def _get_tool_context(context: Context) -> ToolContext:
    assert context.request is not None
    ctx: ToolContext = context.request.scope["state"]["ctx"]
    return ctx


async def _translate_errors(context: Context, work: Awaitable[T]) -> T:
    """Await the work; raise its ServiceError as an MCPError with the message of tools."""
    try:
        return await work
    except ServiceError as error:
        ctx = _get_tool_context(context)
        ctx.request_context.code = error.code
        data = error_messages.render_error(ctx, error)
        raise MCPError(types.INVALID_PARAMS, data["message"], data) from None


def _parse_cursor(parameters: types.PaginatedRequestParams | None) -> int:
    cursor = (parameters and parameters.cursor) or "0"
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise MCPError(
            types.INVALID_PARAMS,
            "There is no such cursor: send nextCursor of the last page, or none for the first one.",
        )
    return int(cursor) // ITEMS_PER_PAGE * ITEMS_PER_PAGE


def _next_cursor(start: int, total: int) -> str | None:
    after = start + ITEMS_PER_PAGE
    return str(after) if after < total else None
