"""The prompt library: the tool that reads a prompt, and the names of all."""

from pydantic import Field

from ..pipeline import name_resolution
from ..resources import prompts
from ..schemas import Name
from .registry import ToolContext, tool
from .token_limit import TokenLimit, TruncatableResult


class GetPrompt(TokenLimit):
    prompt: Name = Field(description="name")
    offset: int = Field(0, ge=0)


def list_prompts(ctx: ToolContext) -> TruncatableResult:
    """List the names of the prompts that have a current version."""
    rows = ctx.lookup(name_resolution.list_prompts)
    return TruncatableResult({"prompts": [row["name"] for row in rows]}, {"prompts": "ask again with maxTokens=8000"})


@tool(
    "Read a prompt",
    "Read a prompt: how a Solution Architect wants a kind of work to be done.",
    read_only=True,
)
async def get_prompt(ctx: ToolContext, arguments: GetPrompt) -> TruncatableResult:
    """Return the current version of a prompt, found by its id or its name."""
    prompt_id = ctx.lookup(lambda call: name_resolution.find_prompt(call, arguments.prompt))["id"]
    found = await ctx.call(prompts.get_current_prompt, prompt_id=prompt_id)
    content = {"name": found["name"], "version": found["version"], "length": len(found["body"])}
    return TruncatableResult(
        {**content, "body": found["body"][arguments.offset :]}, {}, "ask again with offset, or maxTokens=8000"
    )
