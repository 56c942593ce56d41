"""Attention: items that wait for a person, with the data needed to act on them."""

from typing import Any, Literal

import orjson

from ..auth import authorization
from ..auth.context import Call
from ..auth.policies import Policy, architect, may
from ..database.queries import sql
from ..database.store import Row
from ..domain.attention_items import DescribedRow, Kind, list_items
from ..http.responses import Answer
from ..pipeline.routing import routes
from ..schemas import Output, PageSize, Query, stored_json
from . import move_requests, moves

ITEMS_PER_KIND_MAX = 500  # without a limit in the request
# Kinds of items that a person decides or answers, with the permission for it; the others need no decision.
DECISIONS: dict[Kind, Policy] = {
    "pending_agent": architect(),
    "move_request": move_requests.DECISION_POLICY,
    "question": may("comment", "Card"),
}


class NamedCard(Output):
    id: str
    key: str
    title: str
    project_id: str
    column_id: str


class NamedAgent(Output):
    id: str
    title: str


class AttentionItem(Output):
    """One item that waits for a person; empty members are left out.

    For a move request, `allowed` and `blockers` show whether approving it would succeed. A question is answered by a
    reply to its comment.
    """

    kind: Kind
    since: str
    card_id: str | None = None
    card_key: str | None = None
    agent_id: str | None = None
    message: str
    card: NamedCard | None = None
    agent: NamedAgent | None = None
    request_id: str | None = None
    from_column_id: str | None = None
    to_column_id: str | None = None
    note: str | None = None
    comment_id: str | None = None
    content: str | None = None
    options: list[str] | None = None
    allowed: bool | None = None
    blockers: list[moves.Blocker] | None = None


class Attention(Output):
    """The first items of each kind, and the number of items of each kind.

    `waiting` has only the kinds of items that the caller may decide or answer, `overdueBoards` the number of overdue
    cards by project id.
    """

    items: list[AttentionItem] = []
    counts: dict[Kind, int]
    waiting: dict[Kind, int]
    overdue_boards: dict[str, int]


class AttentionQuery(Query):
    limit: PageSize | None = None
    counts: Literal["true", "false"] = "false"


@routes.get(
    "/organizations/{org_id}/attention",
    may("read", "Card"),
    on_reader_thread=True,
    answers=list[AttentionItem] | Attention,
)
def list_attention(call: Call, org_id: str, query: AttentionQuery) -> Answer:
    """List the items that wait for a person, the longest waiting first.

    They are pending and stopped agents, agents that wanted to create too many cards, lost contents of files and
    scheduled backups that failed or were not made for 3 days (`backup`, for a Solution Architect), move requests,
    questions, cards handed over by agents, expired claims and overdue cards. A stopped agent is listed if cards are
    assigned to it or if it was stopped with a reason, for example by the runaway guard. A card is handed over if it
    is in a column that agents may not move it out of, and an agent moved it there or a move request was rejected
    there (then with the requested column as `toColumnId` and the reason as `note`); no later request about it
    exists, and no person has changed it since. An expired claim disappears when its card changes. A card is overdue
    when its due time has passed, or, with `dueAllDay`, when its day has ended in the time zone of the organization;
    never if its checkbox field `due_complete` is set, as boards from Trello have it. A question on a card without
    comments is left out, since nobody can answer it.

    With `limit` the response has at most that many items of each kind, and the numbers of all: `counts` by kind,
    `overdueBoards` by project, and in `waiting` what the caller may decide or answer now: move requests, questions, and
    for a Solution Architect pending agents. With `counts=true` it has only the numbers. Without both it is a list of at
    most 500 items of each kind, with `X-Truncated: true` if there are more.
    """
    only_counts = query.counts == "true"
    found = list_items(call, 1 if only_counts else query.limit or ITEMS_PER_KIND_MAX)
    items = [] if only_counts else [_build_item(call, item) for item in found.items]
    if query.limit is None and not only_counts:
        headers = {"X-Truncated": "true"} if max(found.counts.values()) > ITEMS_PER_KIND_MAX else {}
        return Answer(orjson.dumps(items), headers=headers)
    waiting = _count_waiting(call, found.counts)
    numbers = {"counts": found.counts, "waiting": waiting, "overdueBoards": found.overdue_boards}
    return Answer(orjson.dumps(numbers if only_counts else {"items": items, **numbers}))


def _count_waiting(call: Call, counts: dict[Kind, int]) -> dict[Kind, int]:
    """Return the number of items that the caller may decide or answer now, by kind."""
    return {
        kind: counts[kind] for kind, policy in DECISIONS.items() if not authorization.missing_permissions(call, policy)
    }


def _build_item(call: Call, item: DescribedRow) -> dict[str, Any]:
    """Return one item without its empty members."""
    row = item.row
    members = {
        "kind": item.kind,
        "since": row["since"],
        "cardId": row.get("card_id"),
        "cardKey": row.get("card_key"),
        "agentId": row["agent_id"],
        "message": item.message,
        "card": _build_card(row) if "card_id" in row else None,
        "agent": {"id": row["agent_id"], "title": row["agent_title"]} if row["agent_title"] else None,
        "requestId": row.get("request_id"),
        "fromColumnId": row.get("from_column_id"),
        "toColumnId": row.get("to_column_id"),
        "note": row.get("note"),
        "commentId": row.get("comment_id"),
        "content": row.get("content"),
        "options": stored_json(row.get("options")),
        **(_preview_approval(call, row) if "request_id" in row else {}),
    }
    return {key: value for key, value in members.items() if value is not None}


def _build_card(row: Row) -> dict[str, str]:
    names = {"id": "card_id", "key": "card_key", "title": "card_title"}
    names |= {"projectId": "project_id", "columnId": "column_id"}
    return {key: row[column] for key, column in names.items()}


def _preview_approval(call: Call, row: Row) -> dict[str, Any]:
    """Return whether approving a move request would succeed, and what blocks it."""
    card = call.tx.one(sql.cards.get, card_id=row["card_id"])
    assert card is not None
    destination = moves.require_destination_column(call, card, row["to_column_id"])
    move = moves.build_legal_move(
        call, card, destination, authorization.missing_permissions(call, move_requests.DECISION_POLICY)
    )
    return {"allowed": move.allowed, "blockers": [blocker.model_dump() for blocker in move.blockers]}
