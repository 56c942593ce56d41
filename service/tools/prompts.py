"""The tool that reads a prompt."""

from pydantic import Field

from ..errors import invalid
from ..wire import Id
from .bounding import Bounded, Bounds
from .registry import Visit, tool
from .written import Written, stretch, written


class GetPrompt(Bounds):
    prompt_id: Id | None = None
    name: str | None = None
    offset: int = Field(0, ge=0, description="character to begin at")


class Prompt(Bounded):
    """The current version of a prompt, or a part of it."""

    texts = "ask again with offset at that character, or maxTokens=8000"
    name: str
    version: str
    body: Written


@tool("Read the current version of a prompt of your organization, by promptId or by name.", Prompt, reads=True)
async def get_prompt(visit: Visit, arguments: GetPrompt) -> Prompt:
    """Show the current version of a prompt, found by its id or its name."""
    if (arguments.prompt_id is None) == (arguments.name is None):
        raise invalid("promptId", "give either promptId or name")
    if arguments.prompt_id is not None:
        found = await visit.ask("GET /prompts/{prompt_id}/mcp", prompt_id=arguments.prompt_id)
    else:
        found = await visit.ask("GET /prompts/mcp", None, {"name": arguments.name})
    body = written("prompt by a Solution Architect", found["body"])
    return Prompt(name=found["name"], version=found["version"], body=stretch(body, arguments.offset))
