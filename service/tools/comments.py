"""Tools to comment on cards."""

from ..resources import comments
from ..wire import Id, Output
from .card_changes import OnCard, held
from .registry import Visit, tool


class AddComment(OnCard, comments.NewComment):
    """The arguments of comment."""


class AddReply(AddComment):
    comment_id: Id


class CommentReceipt(Output):
    """What became of a comment."""

    id: str
    card_id: str
    created_at: str


@tool("Comment on a card. Comments cannot be changed or removed. At most 60 calls a minute.", CommentReceipt)
async def comment(visit: Visit, arguments: AddComment) -> CommentReceipt:
    """Comment on a card."""
    twin, content = "POST /cards/{card_id}/comments/mcp", {"content": arguments.content}
    return _receipt(arguments, await held(visit, arguments).ask(twin, content, card_id=arguments.card_id))


@tool("Reply to a comment on a card; not to a reply.", CommentReceipt)
async def reply(visit: Visit, arguments: AddReply) -> CommentReceipt:
    """Reply to a comment."""
    twin, content = "POST /cards/{card_id}/comments/{comment_id}/replies/mcp", {"content": arguments.content}
    ids = {"card_id": arguments.card_id, "comment_id": arguments.comment_id}
    return _receipt(arguments, await held(visit, arguments).ask(twin, content, **ids))


def _receipt(arguments: AddComment, made: dict[str, str]) -> CommentReceipt:
    return CommentReceipt(id=made["id"], card_id=arguments.card_id, created_at=made["createdAt"])
