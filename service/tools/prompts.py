"""Tools that read the prompt library."""

from typing import Any

from pydantic import Field

from ..pipeline import name_resolution
from ..resources import prompts
from ..schemas import Input, Name
from .registry import ToolContext, tool
from .token_limit import TokenLimit, TruncatableResult

Json = dict[str, Any]


class Nothing(Input):
    """The arguments of a tool without arguments."""


class GetPrompt(TokenLimit):
    prompt: Name = Field(description="its name")
    offset: int = Field(0, ge=0, description="character to begin at")


@tool("List the names of the prompts in your organization's library, for get_prompt.", read_only=True)
async def list_prompts(ctx: ToolContext, arguments: Nothing) -> TruncatableResult:
    """List the names of the prompts that have a current version."""
    rows = ctx.lookup(name_resolution.list_prompts)
    return TruncatableResult(
        {"prompts": [row["name"] for row in rows]}, {"prompts": "ask a Solution Architect for the name"}
    )


@tool("Read the current version of a prompt: how a Solution Architect wants work to be done.", read_only=True)
async def get_prompt(ctx: ToolContext, arguments: GetPrompt) -> TruncatableResult:
    """Return the current version of a prompt, found by its id or its name."""
    prompt_id = ctx.lookup(lambda call: name_resolution.find_prompt(call, arguments.prompt))["id"]
    found = await ctx.call(prompts.get_current_prompt, prompt_id=prompt_id)
    content = {"name": found["name"], "version": found["version"], "length": len(found["body"])}
    return TruncatableResult(
        {**content, "body": found["body"][arguments.offset :]}, {}, "ask again with offset, or maxTokens=8000"
    )
