"""Questions: an agent asks a person by a comment, and the first reply of a person answers it (contract, section 7)."""

from typing import Annotated, Literal

from ..auth.context import Call, CardCall
from ..auth.policies import CARD, agent, may
from ..database.queries import sql
from ..errors import Conflict, Forbidden, NotFound
from ..pipeline.routing import routes
from ..schemas import Actor, Output, Page, PageQuery, StoredJson, json_text
from . import events

State = Literal["open", "answered", "withdrawn"]
QUESTIONS_TOLD_MAX = 100  # of an agent that are open, by itself


class Asked(Output):
    """What became of the question that a comment asks."""

    state: State
    options: list[str] | None
    answered_by: Actor | None
    answered_at: str | None


class Question(Output):
    """A question of an agent, with the answer of a person once there is one."""

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


class QuestionQuery(PageQuery):
    state: State | None = None


@routes.get("/organizations/{org_id}/questions", may("read", "Card"), bulk=True)
@routes.get("/organizations/{org_id}/questions/mcp", agent(), bulk=True)
def browse(call: Call, org_id: str, query: QuestionQuery) -> Page[Question]:
    """List what agents have asked people, newest first, a page at a time.

    Of a card that is archived or in a done column no question counts as open.
    """
    which = {"org_id": org_id, "state": query.state}
    rows = call.tx.all(sql.questions.list, limit=query.page_size, offset=query.offset, **which)
    total = call.tx.value(sql.questions.count, **which)
    items = [Question.of(row) for row in rows]
    return Page[Question](items=items, page=query.page, page_size=query.page_size, total=total)


def open_of_caller(call: Call) -> list[Question]:
    """Give what the calling agent has asked and nobody has answered, newest first."""
    which = {"org_id": call.org_id, "agent_id": call.agent_id}
    rows = call.tx.all(sql.questions.list_open_of_agent, limit=QUESTIONS_TOLD_MAX, **which)
    return [Question.of(row) for row in rows]


def judge(call: CardCall) -> None:
    """Refuse a second question of an agent on a card while the first is open (question_exists)."""
    which = {"card_id": call.card["id"], "agent_id": call.agent_id}
    if comment_id := call.tx.value(sql.questions.find_open, **which):
        message = "You have asked on this card already, and nobody has answered yet; wait, or withdraw that question."
        raise Conflict("question_exists", message, commentId=comment_id)


def ask(call: CardCall, comment_id: str, options: list[str] | None) -> str:
    """Make a question of a comment that the calling agent has just written, and give it as JSON."""
    about = {"comment_id": comment_id, "card_id": call.card["id"], "agent_id": call.agent_id}
    stored = None if options is None else json_text(options)
    call.tx.run(sql.questions.create, org_id=call.org_id, options=stored, now=call.now, **about)
    events.record(call, "question.asked", **about)
    return json_text({"state": "open", "options": options, "answeredBy": None, "answeredAt": None})


def answer(call: Call, card_id: str, comment_id: str, answer_id: str) -> None:
    """Answer the question that a comment asks by a reply to it that is a person's, if it is open."""
    how = {"answer_id": answer_id, "answered_by": call.actor.json(), "now": call.now}
    for row in call.tx.all(sql.questions.answer, comment_id=comment_id, **how):
        events.record(call, "question.answered", card_id, comment_id=comment_id, agent_id=row["agent_id"])


@routes.delete("/cards/{card_id}/comments/{comment_id}/question/mcp", agent(CARD))
def withdraw(call: CardCall, card_id: str, comment_id: str) -> None:
    """Take a question back, which only the agent that asked may; the comment stays; 409 conflict if it is not open."""
    judge_own(call, comment_id)
    call.tx.run(sql.questions.withdraw, comment_id=comment_id)
    events.record(call, "question.withdrawn", card_id, comment_id=comment_id, agent_id=call.agent_id)


def judge_own(call: CardCall, comment_id: str) -> None:
    """Refuse what only the agent that asked may do with its question, and only while it is open."""
    row = call.tx.one(sql.questions.get, card_id=call.card["id"], comment_id=comment_id)
    if row is None:
        raise NotFound("question")
    if row["agent_id"] != call.agent_id:
        raise Forbidden(None, "Only the agent that asked may do this with the question; reply to it instead.")
    if row["state"] != "open":
        raise Conflict(None, f"The question is {row['state']} already.", state=row["state"])


def take_up(call: Call, card_id: str) -> None:
    """Note that the calling agent goes on with a card: what was answered there puts it first no more."""
    call.tx.run(sql.questions.mark_answers_seen, org_id=call.org_id, card_id=card_id, agent_id=call.agent_id)


def withdraw_some(call: Call, agent_id: str, limit: int) -> int:
    """Withdraw some of what an agent has asked that nobody has answered; return how many."""
    rows = call.tx.all(sql.questions.withdraw_agent, org_id=call.org_id, agent_id=agent_id, limit=limit)
    for row in rows:
        events.record(call, "question.withdrawn", row["card_id"], comment_id=row["comment_id"], agent_id=agent_id)
    return len(rows)
