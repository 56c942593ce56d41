"""The calling agent and its current work."""

from ..auth.authentication import Key
from ..auth.context import Call
from ..auth.policies import agent
from ..pipeline.routing import routes
from ..schemas import Output
from . import agents, cards, claims, move_requests, questions


class HeldCard(cards.HeldClaim):
    """A card that the agent has claimed, with the claim."""

    card_id: str
    card_key: str
    title: str
    project_id: str
    column_id: str


class OtherClaim(Output):
    """A card that another session of the agent has claimed."""

    card_id: str
    key: str
    title: str
    session: str
    renewed_at: str
    expires_at: str


class CallingAgent(Output):
    """The agent that an API key acts as, with its current work, so that a restarted agent can continue.

    The agent is null if none has registered with the key, or if several have and the request names none.
    """

    key_id: str
    org_id: str
    agent: agents.Agent | None
    claims: list[HeldCard]
    other_claims: list[OtherClaim]
    open_requests: list[move_requests.MoveRequest]
    open_questions: list[questions.Question]


@routes.get("/agent/mcp", agent(allows_unregistered_keys=True))
def get_calling_agent(call: Call) -> CallingAgent:
    """Return the calling agent with its claims, and its newest 100 open move requests and open questions.

    `otherClaims` are those of its other sessions, if the request names a session.
    """
    row = agents.find_agent(call, call.actor.id)
    assert isinstance(call.caller, Key)
    own, others = claims.list_claims_by_session(call)
    requests = [move_requests.MoveRequest.of(request) for request in move_requests.list_open_of_caller(call)]
    agent_row = row and agents.Agent.of(agents.mark_caller_online(row))
    identity = {"key_id": call.caller.id, "org_id": call.org_id, "agent": agent_row}
    return CallingAgent(
        **identity,
        claims=[HeldCard.of(claim) for claim in own],
        other_claims=[OtherClaim.of({**claim, "key": claim["card_key"]}) for claim in others],
        open_requests=requests,
        open_questions=questions.list_own_open_questions(call),
    )
