"""Teams: groups of agents and members, with an onboarding document for new agents."""

from pydantic import MISSING

from ..auth.context import Call
from ..auth.policies import architect, public
from ..database.queries import sql
from ..errors import NotFound, invalid
from ..ids import new_id
from ..pipeline.routing import routes
from ..schemas import Id, Input, ModeQuery, Output, Success, Text, Title
from . import events, removal
from .agents import Agent

PATH = "/organizations/{org_id}/teams"


class Team(Output):
    """A team."""

    id: str
    name: str
    onboarding_doc: str | None
    member_count: int
    agent_count: int
    created_at: str


class TeamMember(Output):
    id: str
    email: str
    full_name: str
    role: str


class TeamDetail(Team):
    """A team with its members and agents."""

    members: list[TeamMember]
    agents: list[Agent]


class Onboarding(Output):
    """The public part of a team."""

    name: str
    onboarding_doc: str | None


class NewTeam(Input):
    name: Title
    onboarding_doc: Text | None = None


class TeamEdit(Input):
    name: Title | MISSING = MISSING
    onboarding_doc: Text | None | MISSING = MISSING


class OnboardingEdit(Input):
    content: Text


class NewTeamMember(Input):
    user_id: Id


def _require_team(call: Call, team_id: str) -> "sql.teams.GetRow":
    return call.require(sql.teams.get, "team", team_id=team_id, org_id=call.org_id)


@routes.get(PATH, architect())
def list_teams(call: Call, org_id: str) -> list[Team]:
    """List the teams of an organization (SA), oldest first."""
    return [Team.of(row) for row in call.tx.all(sql.teams.list, org_id=org_id)]


@routes.get(PATH + "/{team_id}", architect())
def get_team(call: Call, org_id: str, team_id: str) -> TeamDetail:
    """Return a team with its members and agents (SA)."""
    row = _require_team(call, team_id)
    members = [TeamMember.of(member) for member in call.tx.all(sql.teams.list_members, team_id=team_id)]
    rows = call.tx.all(sql.agents.list, org_id=org_id, team_id=team_id, status=None, now=call.now)
    return TeamDetail(**row, members=members, agents=[Agent.of(agent) for agent in rows])


@routes.post(PATH, architect())
def create_team(call: Call, org_id: str, body: NewTeam) -> TeamDetail:
    """Create a team (SA)."""
    team_id = new_id("team")
    call.tx.run(sql.teams.create, id=team_id, org_id=org_id, now=call.now, **body.model_dump())
    events.record(call, "team.created")
    return get_team(call, org_id, team_id)


@routes.patch(PATH + "/{team_id}", architect())
def update_team(call: Call, org_id: str, team_id: str, body: TeamEdit) -> TeamDetail:
    """Update the name or onboarding document of a team (SA)."""
    return _update(call, team_id, body.changes())


@routes.patch(PATH + "/{team_id}/onboarding", architect())
def update_onboarding(call: Call, org_id: str, team_id: str, body: OnboardingEdit) -> TeamDetail:
    """Replace the onboarding document of a team (SA)."""
    return _update(call, team_id, {"onboarding_doc": body.content})


def _update(call: Call, team_id: str, changes: dict[str, str | None]) -> TeamDetail:
    before = _require_team(call, team_id)
    row = {**before, **changes}
    call.tx.run(sql.teams.update, team_id=team_id, name=row["name"], onboarding_doc=row["onboarding_doc"])
    if row != before:
        events.record(call, "team.updated")
    return get_team(call, call.org_id, team_id)


@routes.delete(PATH + "/{team_id}", architect())
def delete_team(call: Call, org_id: str, team_id: str, query: ModeQuery) -> Success:
    """Archive a team (SA); with mode=permanent, delete it, stop its agents and disable its API keys."""
    _require_team(call, team_id)
    if query.mode == "permanent":
        removal.delete_team(call, team_id)
    else:
        values = {"now": call.now, "archived_by": call.actor.json(), "archive_id": new_id("op")}
        call.tx.run(sql.teams.archive, team_id=team_id, **values)
        events.record(call, "team.archived")
    return Success()


@routes.post(PATH + "/{team_id}/members", architect())
def add_member(call: Call, org_id: str, team_id: str, body: NewTeamMember) -> TeamDetail:
    """Add a member of the organization to a team (SA); without effect if the member is already in it."""
    _require_team(call, team_id)
    if not call.tx.one(sql.members.get, org_id=org_id, user_id=body.user_id):
        raise invalid("userId", "is not the id of a member of the organization")
    if call.tx.run(sql.teams.add_member, team_id=team_id, user_id=body.user_id):
        events.record(call, "team.updated")
    return get_team(call, org_id, team_id)


@routes.delete(PATH + "/{team_id}/members/{user_id}", architect())
def remove_member(call: Call, org_id: str, team_id: str, user_id: str) -> None:
    """Remove a member from a team (SA)."""
    _require_team(call, team_id)
    if not call.tx.run(sql.teams.remove_member, team_id=team_id, user_id=user_id):
        raise NotFound("member")
    events.record(call, "team.updated")


@routes.get("/teams/{team_id}/onboarding", public())
def get_onboarding(call: Call, team_id: str) -> Onboarding:
    """Return the name and onboarding document of a team; public."""
    row = call.require(sql.teams.get_onboarding, "team", team_id=team_id)
    return Onboarding.of(row)
