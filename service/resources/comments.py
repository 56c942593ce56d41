"""Comments on cards: append-only, with one level of replies."""

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, StringConstraints
from pydantic.alias_generators import to_snake

from ..auth import leases
from ..auth.context import Call, CardCall
from ..auth.policies import CARD, PICKUP, agent, agent_where, may
from ..database.queries import sql
from ..database.store import Row
from ..domain.mentions import Mention, find_mentions
from ..domain.watching import watch_as_mentioned
from ..errors import CircuitOpen, invalid
from ..http.rate_limits import Limit
from ..http.responses import Answer, encode_page
from ..ids import new_id
from ..pipeline.routing import routes
from ..schemas import Actor, Choice, Input, Output, Page, PageQuery, StoredJson, check_not_blank
from . import claims, guard, history, questions

REPLIES = "/cards/{card_id}/comments/{comment_id}/replies"
QUESTION = "/cards/{card_id}/comments/{comment_id}/question"
POSTING = Limit("agent_comments", by="key", per_minute=60)
OPTIONS_MAX = 10  # of a question
Content = Annotated[str, StringConstraints(min_length=1, max_length=20_000), AfterValidator(check_not_blank)]


class Comment(Output):
    """A comment or a reply to a comment."""

    id: str
    content: str
    actor: Annotated[Actor, StoredJson]
    replies: Annotated[list["Comment"], StoredJson] = Field(description="The first 100 replies.")
    replies_total: int
    asks: Annotated[questions.Asked | None, StoredJson] = Field(
        description="The state of the question that an agent asks with this comment, else null."
    )
    mentions: Annotated[list[Mention], StoredJson] = Field(
        description="The members and agents that the text mentions, as they are now called."
    )
    imported: bool = Field(description="Whether it came with an import and was not written here.")
    created_at: str


class CommentQuery(PageQuery):
    narrowing_hint: ClassVar[str] = "use order=desc"

    order: Literal["asc", "desc"] = "asc"


class NewComment(Input):
    content: Content


class AgentComment(NewComment):
    """A comment of an agent; with `asks` it is a question to a person, with `options` as suggested answers."""

    asks: bool = False
    options: Annotated[list[Choice], Field(min_length=2, max_length=OPTIONS_MAX)] | None = None
    keep_claim: bool = False


@routes.get("/cards/{card_id}/comments", may("read", "Card", CARD), on_reader_thread=True, answers=Page[Comment])
@routes.get("/cards/{card_id}/comments/mcp", agent(CARD), on_reader_thread=True, answers=Page[Comment])
def list_comments(call: Call, card_id: str, query: CommentQuery) -> Answer:
    """List the comments of a card, newest last (`order=desc`: first), each with its first 100 replies.

    A page is cut at 4 MiB and is then `truncated`.
    """
    statement = sql.comments.list if query.order == "asc" else sql.comments.list_newest
    rows = call.tx.each(statement, card_id=card_id, limit=query.page_size, offset=query.offset)
    return encode_page(query, call.tx.value(sql.comments.count, card_id=card_id), map(Comment.encode_row, rows))


def find_content(call: Call, card_id: str, comment_id: str) -> str | None:
    """Return the text of a comment or a reply on a card; None if there is none."""
    content: str | None = call.tx.value(sql.comments.get_content, card_id=card_id, comment_id=comment_id)
    return content


@routes.get(REPLIES, may("read", "Card", CARD), on_reader_thread=True, answers=Page[Comment])
@routes.get(REPLIES + "/mcp", agent(CARD), on_reader_thread=True, answers=Page[Comment])
def list_replies(call: Call, card_id: str, comment_id: str, query: PageQuery) -> Answer:
    """List the replies to a comment, newest last; a page is cut at 4 MiB and is then `truncated`."""
    call.require(sql.comments.get_parent, "comment", card_id=card_id, comment_id=comment_id)
    rows = call.tx.each(sql.comments.list_replies, comment_id=comment_id, limit=query.page_size, offset=query.offset)
    total = call.tx.value(sql.comments.count_replies, comment_id=comment_id)
    return encode_page(query, total, map(Comment.encode_row, rows))


@routes.post("/cards/{card_id}/comments/mcp", agent_where(PICKUP, requires_comments=True), POSTING, answers=Comment)
def create_agent_comment(call: CardCall, card_id: str, body: AgentComment) -> Answer | CircuitOpen:
    """Comment on a card; with `asks`, ask a question, which the first reply of a person answers.

    A question ends the agent's claim on the card unless `keepClaim` is set. 409 question_exists if the agent already
    has an open question on the card, already_claimed if another session of it has claimed the card. 400
    comments_disabled if its card type has comments switched off.
    """
    if not body.asks:
        for key in ("options", "keepClaim"):
            if getattr(body, to_snake(key)):
                raise invalid(key, "is only for questions; send asks: true")
        return create_comment(call, card_id, body)
    leases.require_own_session(call, call.card)
    questions.require_no_open_question(call)
    return guard.check_comment_rate(call, card_id) or _create_question(call, body)


def _create_question(call: CardCall, body: AgentComment) -> Answer:
    changes = claims.end_claim(call, call.card) if leases.is_held(call.card) and not body.keep_claim else {}
    comment = write_comment(call, call.card["id"], None, body.content, "commented", changes)
    return encode_comment({**comment, "asks": questions.create_question(call, comment["id"], body.options)})


@routes.post("/cards/{card_id}/comments", may("comment", "Card", CARD, requires_comments=True), answers=Comment)
def create_comment(call: Call, card_id: str, body: NewComment) -> Answer | CircuitOpen:
    """Comment on a card; 400 comments_disabled if its card type has comments switched off.

    `@handle` and `@agentId` (U+FF20 too) mention members and agents of the organization, also in rich texts of cards:
    not in code (between fences, in backticks, indented by four blanks outside of lists), comments of HTML or
    addresses, nor after a letter, digit, `.` or `@`; a name ends where no letter, digit or hyphen follows. Letters of
    scripts without blanks between words (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) may stand beside it.
    Capitals do not count in handles. If an agent's id equals a handle, the person is mentioned. The first 50 names of a
    text count.
    """
    return guard.check_comment_rate(call, card_id) or encode_comment(
        write_comment(call, card_id, None, body.content, "commented")
    )


@routes.post(REPLIES, may("comment", "Card", CARD, requires_comments=True), answers=Comment)
@routes.post(REPLIES + "/mcp", agent_where(PICKUP, requires_comments=True), answers=Comment)
def create_reply(call: Call, card_id: str, comment_id: str, body: NewComment) -> Answer | CircuitOpen:
    """Reply to a comment, but not to a reply. The first reply of a person to a question answers it."""
    parent = call.require(sql.comments.get_parent, "comment", card_id=card_id, comment_id=comment_id)
    if parent["parent_id"]:
        raise invalid("commentId", "names a reply; reply to its comment instead")
    if circuit_open := guard.check_comment_rate(call, card_id):
        return circuit_open
    row = write_comment(call, card_id, comment_id, body.content, "replied")
    if not call.is_agent:
        questions.answer_question(call, card_id, comment_id, row["id"])
    return encode_comment(row)


@routes.post(QUESTION + "/answer/mcp", agent_where(PICKUP, requires_comments=True), answers=Comment)
def answer_own_question(call: CardCall, card_id: str, comment_id: str, body: NewComment) -> Answer | CircuitOpen:
    """Answer one's own question with the words of the person at the client; 409 conflict if it is not open.

    The service cannot verify that person, so the author of the reply is the agent, with a label that says that it
    speaks for the person at its client.
    """
    questions.require_own_open_question(call, comment_id)
    if circuit_open := guard.check_comment_rate(call, card_id):
        return circuit_open
    user_call = call.on_behalf_of_user()
    row = write_comment(user_call, card_id, comment_id, body.content, "replied")
    questions.answer_question(user_call, card_id, comment_id, row["id"])
    if leases.is_held(call.card):
        questions.mark_answers_seen(call, card_id)
    return encode_comment(row)


def write_comment(
    call: Call, card_id: str, parent_id: str | None, content: str, action: str, changes: history.Changes | None = None
) -> Row:
    """Write a comment or a reply and its row of the history, with further changes in that row; return the comment."""
    actor, comment_id, now = call.actor, new_id("cmt"), history.get_change_time(call, card_id)
    mentioned = find_mentions(call, content)
    call.tx.run(
        sql.comments.create,
        id=comment_id,
        org_id=call.org_id,
        card_id=card_id,
        parent_id=parent_id,
        content=content,
        actor_type=actor.type,
        actor_id=actor.id,
        actor_label=actor.label,
        mentions=mentioned,
        now=now,
    )
    history.record(call, card_id, action, {"commentId": (None, comment_id), **(changes or {})})
    watch_as_mentioned(call, card_id, mentioned)
    shown = call.tx.value(sql.mentions.list_of_comment, comment_id=comment_id) if mentioned else "[]"
    row = {"id": comment_id, "content": content, "actor": actor.json(), "replies": "[]", "mentions": shown}
    return {**row, "replies_total": 0, "asks": None, "imported": False, "created_at": now}


def encode_comment(row: Row) -> Answer:
    """Return the response for a comment that was just written, without reading or validating it again."""
    return Answer(Comment.encode_row(row))
