"""Permanent deletion: rows in batches; files are deleted after the commit."""

from functools import partial

from ..auth.context import Call
from ..database.queries import sql
from ..database.statement import Row, Statement
from ..pipeline.jobs import Job, batches
from ..schemas import json_text
from . import claims, events

CARDS_PER_BATCH, EVENTS_PER_BATCH = 20, 500


def delete_card(call: Call, card_id: str) -> None:
    """Delete a card with its values, comments, relations, history and files."""
    events.record(call, "card.removed", card_id)
    call.tx.run(sql.cards.delete, card_id=card_id)
    call.tx.on_commit(partial(call.service.file_store.remove_folder_later, call.org_id, card_id))


@batches("remove_project", "removing")
def delete_project_batch(call: Call, job: Job) -> bool:
    """Delete one batch of cards of a project; after the last, the project with everything in it."""
    if not _delete_some_cards(call, sql.removal.list_cards_of_project, job.resource_id):
        return False
    events.record(call, "project.removed", project_id=job.resource_id)
    call.tx.run(sql.projects.delete, project_id=job.resource_id)
    return True


@batches("remove_organization", "removing")
def delete_organization_batch(call: Call, job: Job) -> bool:
    """Delete one batch of cards or events of an organization; after the last, the organization."""
    if not _delete_some_cards(call, sql.removal.list_cards_of_organization, job.resource_id):
        return False
    if call.tx.run(sql.removal.delete_events, org_id=job.resource_id, limit=EVENTS_PER_BATCH) == EVENTS_PER_BATCH:
        return False
    call.tx.run(sql.organizations.delete, org_id=job.resource_id)
    call.tx.on_commit(partial(call.service.file_store.remove_folder_later, job.resource_id))
    return True


def _delete_some_cards(call: Call, statement: Statement[Row], id: str) -> bool:
    """Delete one batch of cards, before the columns and types that they refer to; return whether none are left."""
    cards = call.tx.all(statement, id=id, limit=CARDS_PER_BATCH)
    for card in cards:
        if card["has_files"]:
            call.tx.on_commit(partial(call.service.file_store.remove_folder_later, card["org_id"], card["id"]))
    call.tx.run(sql.removal.delete_cards, card_ids=json_text([card["id"] for card in cards]))
    return len(cards) < CARDS_PER_BATCH


def delete_team(call: Call, team_id: str) -> None:
    """Delete a team: stop its agents and disable its API keys, which would otherwise apply to all teams."""
    claims.release_claims(call, sql.claims.release_team, org_id=call.org_id, team_id=team_id)
    call.tx.run(sql.teams.stop_agents, team_id=team_id, now=call.now)
    call.tx.run(sql.teams.disable_keys, team_id=team_id)
    call.tx.run(sql.teams.delete, team_id=team_id)
    events.record(call, "team.removed")
