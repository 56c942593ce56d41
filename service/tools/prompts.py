"""Tools that read the prompt library."""

from typing import Any

from pydantic import Field

from ..pipeline import name_resolution
from ..schemas import Id, Input
from .bounding import Bounds, Long
from .registry import ToolContext, tool

Json = dict[str, Any]


class Nothing(Input):
    """The arguments of tools that take none."""


class GetPrompt(Bounds):
    prompt: Id = Field(description="its name")
    offset: int = Field(0, ge=0, description="character to begin at")


@tool("List the names of the prompts in your organization's library, for get_prompt.", reads=True)
async def list_prompts(ctx: ToolContext, arguments: Nothing) -> Long:
    """List the prompts that can be read."""
    rows = ctx.lookup(name_resolution.prompts)
    return Long({"prompts": [row["name"] for row in rows]}, {"prompts": "ask a Solution Architect for the name"})


@tool("Read the current version of a prompt: how a Solution Architect wants work to be done.", reads=True)
async def get_prompt(ctx: ToolContext, arguments: GetPrompt) -> Long:
    """Show the current version of a prompt, found by its id or its name."""
    prompt_id = ctx.lookup(lambda call: name_resolution.prompt(call, arguments.prompt))["id"]
    found = await ctx.ask("GET /prompts/{prompt_id}/mcp", prompt_id=prompt_id)
    answer = {"name": found["name"], "version": found["version"], "length": len(found["body"])}
    return Long({**answer, "body": found["body"][arguments.offset :]}, {}, "ask again with offset, or maxTokens=8000")
