"""The board as the page shows it: all that its cards show in one answer, and what changed since in another."""

from typing import Annotated, Any

import orjson
from pydantic import Field

from ..auth.authorization import freeze_of
from ..auth.context import Call
from ..auth.policies import may
from ..database.queries import sql
from ..database.store import Row
from ..domain import activity_summary, event_cursor
from ..http.responses import Answer, content_tag, encode
from ..pipeline.routing import routes
from ..schemas import Actor, Id, Output, Query, StoredJson
from . import agents, card_types, cards, columns, projects, transitions

CARDS_CHANGED_MAX = 2000  # in a delta; where more changed, the whole board is the shorter answer
EVENTS_SEARCHED_MAX = 10_000  # for one delta
EVENTS_UNREAD_MAX = 2000  # that are looked at for what a person has not seen
RELOAD_RESOURCES = {"import", "project"}  # what they do to a board is not told card by card


class OpenRequest(Output):
    """A move that an agent asks for, as the card shows it."""

    id: str
    to_column_id: str
    requested_by: Actor
    note: str | None
    created_at: str


class OpenQuestion(Output):
    """What an agent asks a person, as the card shows it; of several the oldest."""

    comment_id: str
    asked_by: Actor
    content: str
    options: list[str] | None
    created_at: str


class ShownCard(Output):
    """A card as a board shows it; what it has not is left out. Those of a delta name the card above (null: top)."""

    id: str
    number: int  # the key of the project and this: the card's key
    column_id: str
    card_type_id: str
    title: str
    version: int
    updated_at: str
    priority: cards.Priority | None = None
    due_date: str | None = None
    assigned_agent_id: str | None = None
    assigned_user_id: str | None = None
    blocked_by: list[str] | None = None
    request: OpenRequest | None = None
    question: OpenQuestion | None = None
    parent_id: str | None = None
    parts: cards.Parts | None = None
    comments: int | None = None
    files: int | None = None
    unread: int | None = Field(None, description="How often others did something to it since the caller has seen it.")
    after_card_id: str | None = None


class ShownClaim(Output):
    """Which agent works on a card, and until when."""

    card_id: str
    agent_id: str
    claimed_at: str
    renewed_at: str
    expires_at: str


class ShownFreeze(Output):
    """Why agents may not write for now, until when and by whose word."""

    reason: str
    until: str | None
    frozen_at: str
    frozen_by: Annotated[Actor, StoredJson]


class ShownAgent(Output):
    """An agent as faces and lanes show it."""

    id: str
    title: str
    status: agents.Status
    is_online: bool
    last_seen_at: str | None
    llm_version: str | None
    stop_reason: str | None


class ShownPerson(Output):
    id: str
    name: str


class BoardNews(Output):
    """What changed on a board after an event: take all `changed` cards out, and put `cards` back in their order."""

    at: str
    now: str
    claims: list[ShownClaim]
    freeze: ShownFreeze | None
    cards: list[ShownCard]
    nouns: list[str]
    changed: list[str]


class Board(Output):
    """A whole board; `at` is the id of the last event that it contains."""

    at: str
    now: str
    claims: list[ShownClaim]
    freeze: ShownFreeze | None
    cards: list[ShownCard]
    project: projects.Project
    columns: list[columns.Column]
    card_types: list[card_types.CardType]
    transitions: list[transitions.Transition]
    people: list[ShownPerson]
    agents: list[ShownAgent]
    can: dict[str, list[str]]


class BoardQuery(Query):
    project_id: Id
    since: str | None = None


@routes.get("/organizations/{org_id}/board", may("read", "Card"), bulk=True, answers=Board | BoardNews, tagged=True)
def get_board(call: Call, org_id: str, query: BoardQuery) -> Answer:
    """Show all that a board shows; with `since` (the `at` of an earlier answer) only what changed after that.

    A delta has `changed`: the ids of all cards that something happened to, themselves or to a card that is related
    to them. Those of them that are on the board stand in `cards`, as they are, in board order, each with the card
    above it: whoever takes all changed ones out and puts these back, each behind its `afterCardId`, has the order of
    the service. `nouns` are the nouns of all events since: what the delta does not carry is read anew if named there.
    Where the id is unknown or too old, or too much has changed, the answer is the whole board: it has `columns`.
    """
    project = projects.row_of(call, query.project_id)
    begin = event_cursor.find_cursor_after(call, query.since)
    at = event_cursor.get_last_event_id(call)
    if query.since and not begin.is_lost and (told := _find_changes(call, project["id"], begin.after, at)) is not None:
        return _encode_board(call, at, project["id"], told, orjson.dumps(told["changed"]).decode())
    return _encode_board(call, at, project["id"], _get_board_frame(call, project))


def _encode_board(call: Call, at: int, project_id: str, more: dict[str, Any], ids: str | None = None) -> Answer:
    """Put an answer together; the time is in it, but not in its tag."""
    living = call.tx.all(sql.board.list_claims, org_id=call.org_id, project_id=project_id, now=call.now)
    freeze = freeze_of(call)
    shown = {
        "at": str(at),
        "claims": _encode_rows(ShownClaim, living),
        "freeze": orjson.Fragment(ShownFreeze.encode_row(freeze)) if freeze else None,
        **more,
        "cards": orjson.Fragment(
            call.tx.value(sql.board.list_cards, project_id=project_id, ids=ids, **_get_unread_range(call, at))
        ),
    }
    content = orjson.dumps(shown)
    return Answer(b'{"now":"%s",%s' % (call.now.encode(), content[1:]), tag=content_tag(content))


def _get_unread_range(call: Call, at: int) -> dict[str, Any]:
    """Say whose news count on cards, and after which event; what is very far back nobody counts."""
    return {
        "org_id": call.org_id,
        "reader_id": call.user_id,
        "seen": max(activity_summary.get_seen_event_id(call), at - EVENTS_UNREAD_MAX),
    }


def _encode_rows(model: type[Output], rows: list[Row]) -> orjson.Fragment:
    return orjson.Fragment(b"[" + b",".join([model.encode_row(row) for row in rows]) + b"]")


def _find_changes(call: Call, project_id: str, since: int, at: int) -> dict[str, Any] | None:
    """Tell which cards changed between two events, or None if that is too much to tell."""
    span = {"org_id": call.org_id, "since": since, "at": at}
    told = call.tx.one(sql.board.count_new_events, limit=EVENTS_SEARCHED_MAX + 1, **span)
    assert told is not None
    nouns = orjson.loads(told["nouns"])
    if told["count"] > EVENTS_SEARCHED_MAX or RELOAD_RESOURCES & set(nouns):
        return None
    rows = call.tx.all(sql.board.list_changed_cards, project_id=project_id, limit=CARDS_CHANGED_MAX + 1, **span)
    return None if len(rows) > CARDS_CHANGED_MAX else {"nouns": nouns, "changed": [row["id"] for row in rows]}


def _get_board_frame(call: Call, project: Row) -> dict[str, Any]:
    """Give what is around the cards."""
    where = {"org_id": call.org_id, "project_id": project["id"]}
    types = call.tx.all(sql.card_types.list, **where)
    assert call.membership is not None
    return {
        "project": orjson.Fragment(projects.Project.encode_row(project)),
        "columns": _encode_rows(columns.Column, call.tx.all(sql.columns.list, **where)),
        "cardTypes": orjson.Fragment(encode([card_types.CardType.of(row) for row in types]).body or b""),
        "transitions": _encode_rows(transitions.Transition, call.tx.all(sql.transitions.list, **where)),
        "people": _encode_rows(ShownPerson, call.tx.all(sql.board.list_members, org_id=call.org_id)),
        "agents": _encode_rows(ShownAgent, call.tx.all(sql.board.list_agents, org_id=call.org_id)),
        "can": call.membership.actions,
    }
