"""Tools to comment on cards."""

from typing import Any

from pydantic import Field

from ..auth.context import CardCall
from ..domain import next_steps
from ..errors import Conflict
from ..resources import claims, comments
from ..schemas import Choice, Id
from ..text.comparison import is_blank
from . import people
from .card_changes import CardArguments, with_claim
from .registry import Elicitation, ToolContext, tool

Json = dict[str, Any]


class AddComment(CardArguments):
    content: comments.Content
    reply_to: Id | None = Field(None, description="id of a comment")


class Ask(CardArguments):
    content: comments.Content
    options: list[Choice] | None = Field(None, description="2 to 10 answers")
    keep_claim: bool = False


@tool(
    "Comment on a card",
    "Say what you did and found, or reply to a comment. Comments cannot be changed. At most 60 a minute.",
)
async def comment(ctx: ToolContext, arguments: AddComment) -> Json:
    """Comment on a card."""
    ctx, body, ids = with_claim(ctx, arguments), {"content": arguments.content}, {"card_id": arguments.card}
    if arguments.reply_to is None:
        created = await ctx.call(comments.create_agent_comment, body, **ids)
    else:
        created = await ctx.call(comments.create_reply, body, comment_id=arguments.reply_to, **ids)
    return {"comment": created["id"], "at": created["createdAt"]} | people.list_mentioned(created)


@tool(
    "Ask a person",
    "Ask a person about a card. Ends your claim (unless keepClaim): go on with other work; claim_next brings the card "
    "back with the answer.",
    elicits=True,
)
async def ask(ctx: ToolContext, arguments: Ask) -> Json | Elicitation:
    """Ask a question on a card; return a form for the user of the client first, if the client can show one."""
    user = ctx.user
    if user.state is not None:
        return await _record_answer(ctx, arguments, user.state)
    body = arguments.model_dump(by_alias=True, exclude={"card", "claim_token"}) | {"asks": True}
    body["keepClaim"] |= user.can_be_asked  # the claim ends later, if the user of the client does not answer
    handler, card_id = comments.create_agent_comment, arguments.card
    created = await with_claim(ctx, arguments).call(handler, body, None, _add_card_title, card_id=card_id)
    if user.can_be_asked:
        message = f"{created['card']}: {arguments.content}"
        return Elicitation(message, _build_form(arguments.options), created["id"])
    return {"comment": created["id"], "state": created["asks"]["state"]}


def _add_card_title(call: CardCall, created: Json) -> Json:
    return {**created, "card": f"{call.card['key']} {call.card['title']}"}


def _build_form(options: list[str] | None) -> Json:
    answer = {"type": "string", "title": "Answer"} | ({"enum": options} if options else {"minLength": 1})
    return {"type": "object", "properties": {"answer": answer}, "required": ["answer"]}


async def _record_answer(ctx: ToolContext, arguments: Ask, comment_id: str) -> Json:
    """Record the answer of the user of the client; without an answer, the question stays open for others."""
    answer = (ctx.user.answer or {}).get("answer")
    ids = {"card_id": arguments.card, "comment_id": comment_id}
    ctx = with_claim(ctx, arguments)
    try:
        if isinstance(answer, str) and not is_blank(answer):
            step = await ctx.call(comments.answer_own_question, {"content": answer}, None, _get_next_step, **ids)
            return {"comment": comment_id, "state": "answered", "answer": answer, **step}
        if not arguments.keep_claim:
            await ctx.call(claims.release_claim, card_id=arguments.card)
    except Conflict as conflict:  # answered on the board, or another agent has the claim
        state = conflict.details.get("state", "open")
        return {"comment": comment_id, "state": state, "note": "get_card shows the question, and an answer."}
    return {"comment": comment_id, "state": "open"}


def _get_next_step(call: CardCall, created: Json) -> Json:
    return next_steps.describe_next_step(call, call.card["id"], "answered")
