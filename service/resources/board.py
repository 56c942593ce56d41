"""The board of a project in one response, or only the cards that changed since an earlier response."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import orjson
from pydantic import Field

from ..auth.authorization import find_active_freeze
from ..auth.context import Call
from ..auth.policies import may
from ..database.queries import sql
from ..database.store import Row
from ..domain import activity_summary, due_dates, event_cursor
from ..http.responses import Answer, encode, hash_content
from ..pipeline.routing import routes
from ..schemas import Actor, Id, Output, Query, StoredJson
from . import agents, card_types, cards, columns, projects, transitions

CARDS_CHANGED_MAX = 2000  # in a delta; if more changed, the whole board is the shorter response
EVENTS_SEARCHED_MAX = 10_000  # per delta
EVENTS_UNREAD_MAX = 2000  # the newest events, which are searched for changes that the caller has not seen
RELOAD_RESOURCES = {"import", "project", "field"}  # their events do not name the cards that they change


class OpenRequest(Output):
    """An open move request of an agent, as a board shows it on the card."""

    id: str
    to_column_id: str
    requested_by: Actor
    note: str | None
    created_at: str


class OpenQuestion(Output):
    """The oldest open question of an agent on a card, as a board shows it."""

    comment_id: str
    asked_by: Actor
    content: str
    options: list[str] | None
    created_at: str


class ShownCard(Output):
    """A card as a board shows it, without empty values; in a delta with the id of the card above it (null: top)."""

    id: str
    key: str = Field(description="The project's key and the number: REL-12.")
    number: int
    column_id: str
    card_type_id: str
    title: str
    version: int
    updated_at: str
    priority: cards.Priority | None = None
    due_date: str | None = None
    due_all_day: Literal[True] | None = None
    due_complete: Literal[True] | None = Field(None, description="The checkbox field `due_complete` is set.")
    assigned_agent_id: str | None = None
    assigned_user_id: str | None = None
    blocked_by: list[str] | None = None
    request: OpenRequest | None = None
    question: OpenQuestion | None = None
    parent_id: str | None = None
    parts: cards.Parts | None = None
    comments: int | None = None
    files: int | None = None
    values: dict[str, str | list[str]] | None = Field(
        None, description="Values of the fields that board cards show, by field id; texts are cut to 200 characters."
    )
    unread: int | None = Field(None, description="The number of changes by others that the caller has not seen.")
    after_card_id: str | None = None


class ShownClaim(Output):
    """The claim of an agent on a card, as a board shows it."""

    card_id: str
    card_key: str
    agent_id: str
    claimed_at: str
    renewed_at: str
    expires_at: str


class ShownFreeze(Output):
    """Why agents cannot write, until when, and who froze them."""

    reason: str
    until: str | None
    frozen_at: str
    frozen_by: Annotated[Actor, StoredJson]


class ShownAgent(Output):
    """An agent as a board shows it."""

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
    handle: str


class BoardNews(Output):
    """The changes of a board since an event: remove all cards in `changed`, then insert `cards` in their order."""

    at: str
    now: str
    claims: list[ShownClaim]
    freeze: ShownFreeze | None
    cards: list[ShownCard]
    nouns: list[str]
    changed: list[str]


class Board(Output):
    """A whole board; `at` is the id of the last event that it includes."""

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
    timezone: str = Field(description="That of the organization.")


class BoardQuery(Query):
    project_id: Id
    since: str | None = None


@routes.get(
    "/organizations/{org_id}/board", may("read", "Card"), on_reader_thread=True, answers=Board | BoardNews, tagged=True
)
def get_board(call: Call, org_id: str, query: BoardQuery) -> Answer:
    """Return a board; with `since` (the `at` of an earlier response) only what has changed since.

    In such a delta, `changed` has the ids of all cards that changed, or whose related cards changed. `cards` has those
    of them that are on the board now, in board order. To update a board, remove all cards in `changed`, then insert
    each of `cards` below its `afterCardId`. `nouns` lists the resources of all events since (the first part of each
    event type); reload those that the delta does not contain. If the id is unknown or too old, or too much has changed,
    the response is the whole board: it has `columns`.
    """
    project = projects.require_project(call, query.project_id)
    cursor = event_cursor.find_cursor_after(call, query.since)
    at = event_cursor.get_last_event_id(call)
    if query.since and not cursor.is_lost:
        delta = _find_changes(call, project["id"], cursor.after, at)
        if delta is not None:
            return _encode_board(call, at, project["id"], delta, orjson.dumps(delta["changed"]).decode())
    return _encode_board(call, at, project["id"], _get_design(call, project))


def _encode_board(call: Call, at: int, project_id: str, parts: dict[str, Any], ids: str | None = None) -> Answer:
    """Return a board or a delta as JSON; its ETag covers everything but the time."""
    claims = call.tx.all(sql.board.list_claims, org_id=call.org_id, project_id=project_id, now=call.now)
    freeze = find_active_freeze(call)
    where = {"project_id": project_id, "ids": ids, **_get_unread_range(call, at)}
    cards: bytes = call.tx.value(sql.board.list_cards, **where) or b""
    board = {
        "at": str(at),
        "claims": _encode_rows(ShownClaim, claims),
        "freeze": orjson.Fragment(ShownFreeze.encode_row(freeze)) if freeze else None,
        **parts,
    }
    content = orjson.dumps(board)
    # The cards can have many megabytes, so they are copied only once.
    body = b"".join((b'{"now":"%s",' % call.now.encode(), content[1:-1], b',"cards":[', cards, b"]}"))
    return Answer(body, tag=f"{hash_content(content)}.{hash_content(cards)}")


def _get_unread_range(call: Call, at: int) -> dict[str, Any]:
    """Return the parameters that select events unread by the caller: at most the newest EVENTS_UNREAD_MAX."""
    seen = activity_summary.get_seen_event_id(call)
    if at - seen > EVENTS_UNREAD_MAX:  # ids have gaps, so that there may be fewer events
        recent = call.tx.value(sql.board.find_recent_event, org_id=call.org_id, count=EVENTS_UNREAD_MAX)
        seen = max(seen, recent or 0)
    return {"org_id": call.org_id, **call.reader, "seen": seen}


def _encode_rows(model: type[Output], rows: Sequence[Row]) -> orjson.Fragment:
    return orjson.Fragment(b"[" + b",".join([model.encode_row(row) for row in rows]) + b"]")


def _find_changes(call: Call, project_id: str, since: int, at: int) -> dict[str, Any] | None:
    """Return which cards changed between two events; None if the client has to reload the whole board."""
    event_range = {"org_id": call.org_id, "since": since, "at": at}
    events = call.tx.one(sql.board.count_new_events, limit=EVENTS_SEARCHED_MAX + 1, **event_range)
    assert events is not None
    nouns = orjson.loads(events["nouns"])
    if events["count"] > EVENTS_SEARCHED_MAX or RELOAD_RESOURCES & set(nouns):
        return None
    rows = call.tx.all(sql.board.list_changed_cards, project_id=project_id, limit=CARDS_CHANGED_MAX + 1, **event_range)
    return None if len(rows) > CARDS_CHANGED_MAX else {"nouns": nouns, "changed": [row["id"] for row in rows]}


def _get_design(call: Call, project: "sql.projects.GetRow") -> dict[str, Any]:
    """Return the parts of a board other than its cards: design, people, agents and the caller's permissions."""
    ids = {"org_id": call.org_id, "project_id": project["id"]}
    types = call.tx.all(sql.card_types.list, **ids)
    assert call.membership is not None
    return {
        "project": orjson.Fragment(projects.Project.encode_row(project)),
        "columns": _encode_rows(columns.Column, call.tx.all(sql.columns.list, **ids)),
        "cardTypes": orjson.Fragment(encode([card_types.CardType.of(row) for row in types]).body or b""),
        "transitions": _encode_rows(transitions.Transition, call.tx.all(sql.transitions.list, **ids)),
        "people": _encode_rows(ShownPerson, call.tx.all(sql.board.list_members, org_id=call.org_id)),
        "agents": _encode_rows(ShownAgent, call.tx.all(sql.board.list_agents, org_id=call.org_id, now=call.now)),
        "can": call.membership.actions,
        "timezone": due_dates.get_timezone(call),
    }
