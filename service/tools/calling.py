"""The call of a tool: from its name and arguments to its result, as the protocol has it in both eras."""

from time import monotonic
from typing import Any

from .. import errors
from ..tracebacks import drop_tracebacks
from . import wording
from .bounding import encoded
from .registry import Elicitation, Tool, ToolContext

Json = dict[str, Any]
FORM = "form"  # the one thing that a tool has asked


async def result_of(ctx: ToolContext, tool: Tool, arguments: Json) -> Json:
    """Call a tool and give its result: an answer or an error, once, as text.

    Structured content would say it again, and has no schema to be checked by.
    """
    request_context, began = ctx.request_context, monotonic()
    request_context.tool = tool.name
    try:
        done = await tool.call(ctx, arguments)
    except Exception as exception:
        error = errors.from_exception(exception, request_context.request_id)
        request_context.code = error.code
        drop_tracebacks(exception)
        return {"content": [_text(wording.told(ctx, error))], "isError": True}
    finally:
        ctx.service.counters.count_tool_call(tool.name, request_context.code, monotonic() - began)
    if done.inquiry is not None:
        return _asking(done.inquiry)
    block = done.block
    image = [{"type": "image", "data": block.base64, "mimeType": block.mime_type}] if block else []
    return {"content": [_text(done.answer), *image], "isError": False}


def _asking(inquiry: Elicitation) -> Json:
    """Have the client ask the person at it, and call again with the answer."""
    form = {"mode": "form", "message": inquiry.message, "requestedSchema": inquiry.schema}
    requests = {FORM: {"method": "elicitation/create", "params": form}}
    return {"resultType": "input_required", "inputRequests": requests, "requestState": inquiry.state}


def _text(answer: Json) -> Json:
    return {"type": "text", "text": encoded(answer)}
