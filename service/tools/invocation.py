"""Invocation of a tool by name and arguments, up to the result in the format of the protocol."""

from time import monotonic
from typing import Any

from .. import errors
from ..auth import agent_sessions
from ..pipeline import pipeline
from ..tracebacks import drop_tracebacks
from . import error_messages
from .registry import Elicitation, Tool, ToolContext
from .token_limit import encode_json

Json = dict[str, Any]
FORM = "form"  # key of the only input request in a result


async def invoke(ctx: ToolContext, tool: Tool, arguments: Json) -> Json:
    """Call a tool and return the result of `tools/call`; an error is a result with `isError`.

    There is no structured content: it would repeat the text, and the tools have no output schema.
    """
    request_context, started = ctx.request_context, monotonic()
    request_context.tool = tool.name
    try:
        result = await tool.call(ctx, arguments)
    except Exception as exception:
        error = errors.from_exception(exception, request_context.request_id)
        request_context.code = error.code
        drop_tracebacks(exception)
        content = tool.deprecation | error_messages.render_error(ctx, error)
        return {"content": [_text_block(content)], "isError": True}
    finally:
        # Not every tool calls a route.
        session = ctx.headers.get(agent_sessions.HEADER)
        await pipeline.record_presence(ctx.service, ctx.key, request_context, session)
        ctx.service.counters.count_tool_call(tool.name, request_context.code, monotonic() - started)
    if result.elicitation is not None:
        return _input_required(result.elicitation)
    image = result.image
    images = [{"type": "image", "data": image.base64, "mimeType": image.mime_type}] if image else []
    return {"content": [_text_block(tool.deprecation | result.content), *images], "isError": False}


def _input_required(elicitation: Elicitation) -> Json:
    """Return the result that makes the client show a form and call the tool again."""
    form = {"mode": "form", "message": elicitation.message, "requestedSchema": elicitation.schema}
    requests = {FORM: {"method": "elicitation/create", "params": form}}
    return {"resultType": "input_required", "inputRequests": requests, "requestState": elicitation.state}


def _text_block(content: Json) -> Json:
    return {"type": "text", "text": encode_json(content)}
