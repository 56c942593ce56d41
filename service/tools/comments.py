"""Tools to comment on cards."""

from typing import Any

from ..resources import comments
from ..wire import Id
from .card_changes import OnCard, held
from .registry import Visit, tool

Json = dict[str, Any]


class AddComment(OnCard):
    content: comments.Content


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


def _receipt(made: Json) -> Json:
    return {"comment": made["id"], "at": made["createdAt"]}
