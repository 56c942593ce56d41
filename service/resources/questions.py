"""Questions of agents to people: a comment asks, and the first reply of a person answers."""

from typing import Annotated, Literal

from pydantic import MISSING

from ..auth import leases
from ..auth.context import Call, CardCall
from ..auth.policies import CARD, agent, may
from ..database.queries import sql
from ..database.store import Row
from ..domain import next_steps
from ..errors import Conflict, Forbidden
from ..pipeline.routing import routes
from ..schemas import Actor, Output, Page, PageQuery, StoredJson, json_text
from . import events

State = Literal["open", "answered", "withdrawn"]
OPEN_QUESTIONS_MAX = 100  # at most this many are returned to the agent itself


class Asked(Output):
    """The state of a comment that is a question, and who answered it."""

    state: State
    options: list[str] | None
    answered_by: Actor | None
    answered_at: str | None


class Question(Output):
    """A question of an agent, with the first answer of a person; `next` tells an agent what it can do now."""

    comment_id: str
    card_id: str
    card_key: str
    title: str
    agent_id: str
    content: str
    state: State
    options: Annotated[list[str] | None, StoredJson]
    created_at: str
    answered_by: Annotated[Actor | None, StoredJson]
    answered_at: str | None
    answer: str | None
    next: str | MISSING = MISSING


class QuestionQuery(PageQuery):
    state: State | None = None


@routes.get("/organizations/{org_id}/questions", may("read", "Card"), on_reader_thread=True)
@routes.get("/organizations/{org_id}/questions/mcp", agent(), on_reader_thread=True)
def list_questions(call: Call, org_id: str, query: QuestionQuery) -> Page[Question]:
    """List the questions of agents to people, newest first, in pages.

    Questions on archived cards and on cards in done columns do not count as open.
    """
    filters = {"org_id": org_id, "state": query.state}
    rows = call.tx.all(sql.questions.list, limit=query.page_size, offset=query.offset, **filters)
    total = call.tx.value(sql.questions.count, **filters)
    items = [to_output(call, row) for row in rows]
    return Page[Question](items=items, page=query.page, page_size=query.page_size, total=total)


def to_output(call: Call, row: Row) -> Question:
    """Return a question; for an agent, an answered one with its next step."""
    return Question.of({**row, **next_steps.describe_next_step(call, row["card_id"], row["state"])})


def list_own_open_questions(call: Call) -> list[Question]:
    """Return the open questions of the calling agent, newest first."""
    filters = {"org_id": call.org_id, "agent_id": call.agent_id}
    rows = call.tx.all(sql.questions.list_open_of_agent, limit=OPEN_QUESTIONS_MAX, **filters)
    return [Question.of(row) for row in rows]


def require_no_open_question(call: CardCall) -> None:
    """Raise question_exists if the calling agent already has an open question on the card."""
    filters = {"card_id": call.card["id"], "agent_id": call.agent_id}
    if comment_id := call.tx.value(sql.questions.find_open, **filters):
        message = "You already have an open question on this card; wait for the answer, or withdraw the question."
        raise Conflict("question_exists", message, commentId=comment_id)


def create_question(call: CardCall, comment_id: str, options: list[str] | None) -> str:
    """Create a question for a new comment of the calling agent; return its state as JSON text."""
    about = {"comment_id": comment_id, "card_id": call.card["id"], "agent_id": call.agent_id}
    stored = None if options is None else json_text(options)
    call.tx.run(sql.questions.create, org_id=call.org_id, options=stored, now=call.now, **about)
    events.record(call, "question.asked", **about)
    return json_text({"state": "open", "options": options, "answeredBy": None, "answeredAt": None})


def answer_question(call: Call, card_id: str, comment_id: str, answer_id: str) -> None:
    """Record a reply as the answer to the question of a comment, if that question is open."""
    values = {"answer_id": answer_id, "answered_by": call.actor.json(), "now": call.now}
    for row in call.tx.all(sql.questions.answer, comment_id=comment_id, **values):
        events.record(call, "question.answered", card_id, comment_id=comment_id, agent_id=row["agent_id"])


@routes.delete("/cards/{card_id}/comments/{comment_id}/question/mcp", agent(CARD))
def withdraw_question(call: CardCall, card_id: str, comment_id: str) -> None:
    """Withdraw a question (only the agent that asked it); its comment remains. 409 conflict if it is not open."""
    leases.require_own_session(call, call.card)
    require_own_open_question(call, comment_id)
    call.tx.run(sql.questions.withdraw, comment_id=comment_id)
    events.record(call, "question.withdrawn", card_id, comment_id=comment_id, agent_id=call.agent_id)


def require_own_open_question(call: CardCall, comment_id: str) -> None:
    """Raise an error unless the calling agent asked the question of this comment and it is still open."""
    row = call.require(sql.questions.get, "question", card_id=call.card["id"], comment_id=comment_id)
    if row["agent_id"] != call.agent_id:
        raise Forbidden(None, "Only the agent that asked this question can do this; reply to the question instead.")
    if row["state"] != "open":
        raise Conflict(None, f"The question is already {row['state']}.", state=row["state"])


def mark_answers_seen(call: Call, card_id: str) -> None:
    """Mark the answers on a card as seen by the calling agent, so that the card is no longer listed first."""
    call.tx.run(sql.questions.mark_answers_seen, org_id=call.org_id, card_id=card_id, agent_id=call.agent_id)


def withdraw_questions(call: Call, card_id: str) -> None:
    """Withdraw the open questions of a card."""
    for row in call.tx.all(sql.questions.withdraw_of_card, card_id=card_id):
        about = {"comment_id": row["comment_id"], "agent_id": row["agent_id"]}
        events.record(call, "question.withdrawn", card_id, **about)


def withdraw_question_batch(call: Call, agent_id: str, limit: int) -> int:
    """Withdraw up to `limit` open questions of an agent; return the number."""
    rows = call.tx.all(sql.questions.withdraw_agent, org_id=call.org_id, agent_id=agent_id, limit=limit)
    for row in rows:
        events.record(call, "question.withdrawn", row["card_id"], comment_id=row["comment_id"], agent_id=agent_id)
    return len(rows)
