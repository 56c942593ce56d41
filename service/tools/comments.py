"""Tools to comment on cards."""

from typing import Any

from pydantic import Field

from ..auth.context import CardCall
from ..errors import Conflict
from ..resources import comments
from ..schemas import Id
from .card_changes import OnCard, held
from .registry import Elicitation, ToolContext, tool

Json = dict[str, Any]
QUESTION = "/cards/{card_id}/comments/{comment_id}/question"


class AddComment(OnCard):
    content: comments.Content


class Ask(AddComment):
    options: list[comments.Option] | None = Field(None, description="2 to 10 answers to choose from")
    keep_claim: bool = False


class AddReply(AddComment):
    comment: Id


@tool("Comment on a card: what you did and found. Comments cannot be changed or removed. At most 60 calls a minute.")
async def comment(ctx: ToolContext, arguments: AddComment) -> Json:
    """Comment on a card."""
    twin, content = "POST /cards/{card_id}/comments/mcp", {"content": arguments.content}
    return _receipt(await held(ctx, arguments).ask(twin, content, card_id=arguments.card))


@tool("Reply to a comment, by its id as context shows it; not to a reply.")
async def reply(ctx: ToolContext, arguments: AddReply) -> Json:
    """Reply to a comment."""
    twin, content = "POST /cards/{card_id}/comments/{comment_id}/replies/mcp", {"content": arguments.content}
    ids = {"card_id": arguments.card, "comment_id": arguments.comment}
    return _receipt(await held(ctx, arguments).ask(twin, content, **ids))


@tool(
    "Ask a person about a card: their reply answers. It ends your claim (unless keepClaim): go on with other work, the "
    'card comes first when it is answered; state "answered" is an answer at once. Example: {"card": "REL-12", '
    '"content": "Which format?", "options": ["CSV", "JSON"]}.',
    inquires=True,
)
async def ask(ctx: ToolContext, arguments: Ask) -> Json | Elicitation:
    """Ask a person about a card: whoever is at the client first, if it asks, and whoever looks at the board."""
    person = ctx.person
    if person.state is not None:
        return await _heard(ctx, arguments, person.state)
    body = arguments.model_dump(by_alias=True, exclude={"card", "claim_token"}) | {"asks": True}
    body["keepClaim"] |= person.can_be_asked  # until it is known whether there is an answer at once
    twin, named = "POST /cards/{card_id}/comments/mcp", {"card_id": arguments.card}
    made = await held(ctx, arguments).ask(twin, body, None, _on_card, **named)
    if person.can_be_asked:
        return Elicitation(f"{made['card']}: {arguments.content}", _form(arguments.options), made["id"])
    return {"comment": made["id"], "state": made["asks"]["state"]}


def _on_card(call: CardCall, made: Json) -> Json:
    return {**made, "card": f"{call.card['key']} {call.card['title']}"}


def _form(options: list[str] | None) -> Json:
    answer = {"type": "string", "title": "Answer"} | ({"enum": options} if options else {"minLength": 1})
    return {"type": "object", "properties": {"answer": answer}, "required": ["answer"]}


async def _heard(ctx: ToolContext, arguments: Ask, comment_id: str) -> Json:
    """Pass on what the person at the client answered; without an answer the question waits for others."""
    answer = (ctx.person.said or {}).get("answer")
    ids = {"card_id": arguments.card, "comment_id": comment_id}
    ctx = held(ctx, arguments)
    try:
        if isinstance(answer, str) and answer.strip():
            await ctx.ask(f"POST {QUESTION}/answer/mcp", {"content": answer}, **ids)
            return {"comment": comment_id, "state": "answered", "answer": answer}
        if not arguments.keep_claim:
            await ctx.ask("DELETE /cards/{card_id}/claim/mcp", card_id=arguments.card)
    except Conflict as conflict:  # somebody answered on the board, or the claim is another's by now
        state = conflict.details.get("state", "open")
        return {"comment": comment_id, "state": state, "note": "context shows what became of the question."}
    return {"comment": comment_id, "state": "open"}


def _receipt(made: Json) -> Json:
    return {"comment": made["id"], "at": made["createdAt"]}
