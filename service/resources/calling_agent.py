"""The calling agent: which one a key acts as, and all that it has under way (contract, sections 3 and 7)."""

from ..auth.authentication import Key
from ..auth.context import Call
from ..auth.policies import agent
from ..database.queries import sql
from ..pipeline.routing import routes
from ..schemas import Output
from . import agents, cards, claims, move_requests, questions


class HeldCard(cards.HeldClaim):
    """A card that an agent holds, with the claim."""

    card_id: str
    card_key: str
    title: str
    project_id: str
    column_id: str


class CallingAgent(Output):
    """Who a key acts as: an agent, or none as long as none registered with it, or several did and none was named.

    With all that it has under way, so that one who starts again finds its work.
    """

    key_id: str
    org_id: str
    agent: agents.Agent | None
    claims: list[HeldCard]
    open_requests: list[move_requests.MoveRequest]
    open_questions: list[questions.Question]


@routes.get("/agent/mcp", agent(unregistered=True))
def get_calling_agent(call: Call) -> CallingAgent:
    """Tell whoever calls which agent that is, what it holds and what it has asked for."""
    row = call.tx.one(sql.agents.get, org_id=call.org_id, agent_id=call.actor.id)
    assert isinstance(call.caller, Key)
    held = [HeldCard.of(claim) for claim in claims.list_own_claims(call)]
    asked = [move_requests.MoveRequest.of(request) for request in move_requests.open_of_caller(call)]
    who = {"key_id": call.caller.id, "org_id": call.org_id, "agent": row and agents.Agent.of(row)}
    return CallingAgent(**who, claims=held, open_requests=asked, open_questions=questions.open_of_caller(call))
