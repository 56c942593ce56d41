"""Tools to comment on cards."""

from typing import Any

from pydantic import Field

from ..resources import comments
from ..wire import Id
from .card_changes import OnCard, held
from .registry import Visit, tool

Json = dict[str, Any]


class AddComment(OnCard):
    content: comments.Content


class Ask(AddComment):
    options: list[comments.Option] | None = Field(None, description="2 to 10 answers to choose from")
    keep_claim: bool = False


class AddReply(AddComment):
    comment: Id


@tool("Comment on a card: what you did and found. Comments cannot be changed or removed. At most 60 calls a minute.")
async def comment(visit: Visit, arguments: AddComment) -> Json:
    """Comment on a card."""
    twin, content = "POST /cards/{card_id}/comments/mcp", {"content": arguments.content}
    return _receipt(await held(visit, arguments).ask(twin, content, card_id=arguments.card))


@tool("Reply to a comment (by its id); not to a reply.")
async def reply(visit: Visit, arguments: AddReply) -> Json:
    """Reply to a comment."""
    twin, content = "POST /cards/{card_id}/comments/{comment_id}/replies/mcp", {"content": arguments.content}
    ids = {"card_id": arguments.card, "comment_id": arguments.comment}
    return _receipt(await held(visit, arguments).ask(twin, content, **ids))


@tool(
    "Ask a person about a card: their reply answers. It ends your claim (unless keepClaim): go on with other work, the "
    'card comes first when it is answered. Example: {"card": "REL-12", "content": "Which format?", "options": ["CSV", '
    '"JSON"]}.'
)
async def ask(visit: Visit, arguments: Ask) -> Json:
    """Ask a person about a card."""
    body = arguments.model_dump(by_alias=True, exclude={"card", "claim_token"}) | {"asks": True}
    made = await held(visit, arguments).ask("POST /cards/{card_id}/comments/mcp", body, card_id=arguments.card)
    return {"comment": made["id"], "state": made["asks"]["state"]}


def _receipt(made: Json) -> Json:
    return {"comment": made["id"], "at": made["createdAt"]}
