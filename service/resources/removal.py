"""Permanent removal: rows first; what lies outside the database goes after the commit."""

from functools import partial

from ..database.queries import sql
from ..journey.call import Call
from . import claims, events


def remove_card(call: Call, card_id: str) -> None:
    """Remove a card with its values, comments, relations, history and files."""
    events.record(call, "card.removed", card_id)
    call.tx.run(sql.cards.remove, card_id=card_id)
    call.tx.after(partial(call.service.blobs.drop_folder, call.org_id, card_id))


def remove_project(call: Call, project_id: str) -> None:
    """Remove a project with all that is inside; its cards first, since they refer to columns and types."""
    for card in call.tx.all(sql.files.cards_of_project, project_id=project_id):
        call.tx.after(partial(call.service.blobs.drop_folder, **card))
    events.record(call, "project.removed", project_id=project_id)
    call.tx.run(sql.projects.remove_cards, project_id=project_id)
    call.tx.run(sql.projects.remove, project_id=project_id)


def remove_team(call: Call, team_id: str) -> None:
    """Remove a team: its agents stop, and its keys are disabled, lest they widen to the organization."""
    claims.take_back(call, sql.claims.release_team, org_id=call.org_id, team_id=team_id)
    call.tx.run(sql.teams.stop_agents, team_id=team_id, now=call.now)
    call.tx.run(sql.teams.disable_keys, team_id=team_id)
    call.tx.run(sql.teams.remove, team_id=team_id)
    events.record(call, "team.removed")


def remove_organization(call: Call, org_id: str) -> None:
    """Remove an organization with all that is inside."""
    call.tx.run(sql.organizations.remove_cards, org_id=org_id)
    call.tx.run(sql.organizations.remove, org_id=org_id)
    call.tx.run(sql.events.remove, org_id=org_id)
    call.tx.after(partial(call.service.blobs.drop_folder, org_id))
