"""Attention: items that wait for a person, with the data needed to act on them."""

from datetime import timedelta
from typing import Any, Literal, get_args

import orjson

from ..auth import authorization
from ..auth.context import Call
from ..auth.policies import Policy, architect, may
from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Row
from ..domain import due_dates
from ..http.responses import Answer
from ..pipeline.routing import routes
from ..schemas import Output, PageSize, Query, stored_json
from . import move_requests, moves

Kind = Literal[
    "pending_agent",
    "stopped_agent",
    "agent_creates",
    "move_request",
    "question",
    "handed_over",
    "expired_claim",
    "overdue_card",
]
ITEMS_PER_KIND_MAX = 500  # without a limit in the request
CREATES_SHOWN = timedelta(hours=1)  # after an agent last wanted to create too many cards
KINDS: tuple[Kind, ...] = get_args(Kind)
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

    They are pending and stopped agents, agents that wanted to create too many cards, move requests, questions, cards
    handed over by agents, expired claims and overdue cards. A stopped agent is listed if cards are assigned to it or if
    it was stopped with a reason, for example by the runaway guard. A card is handed over if it is in a column that
    agents may not move it out of, and an agent moved it there or a move request was rejected there (then with the
    requested column as `toColumnId` and the reason as `note`); no later request about it exists, and no person has
    changed it since. An expired claim disappears when its card changes. A card is overdue when its due time has passed,
    or, with `dueAllDay`, when its day has ended in the time zone of the organization; never if its checkbox field
    `due_complete` is set, as boards from Trello have it. A question on a card without comments is left out, since
    nobody can answer it.

    With `limit` the response has at most that many items of each kind, and the numbers of all: `counts` by kind,
    `overdueBoards` by project, and in `waiting` what the caller may decide or answer now: move requests, questions, and
    for a Solution Architect pending agents. With `counts=true` it has only the numbers. Without both it is a list of at
    most 500 items of each kind, with `X-Truncated: true` if there are more.
    """
    only_counts = query.counts == "true"
    rows = _list_rows(call, 1 if only_counts else query.limit or ITEMS_PER_KIND_MAX)
    counts: dict[Kind, int] = dict.fromkeys(KINDS, 0) | {row["kind"]: row["of_kind"] for row in rows}
    items = [] if only_counts else [_build_item(call, row) for row in rows]
    if query.limit is None and not only_counts:
        headers = {"X-Truncated": "true"} if max(counts.values()) > ITEMS_PER_KIND_MAX else {}
        return Answer(orjson.dumps(items), headers=headers)
    numbers = {"counts": counts, "waiting": _count_waiting(call, counts), "overdueBoards": _get_overdue_boards(rows)}
    return Answer(orjson.dumps(numbers if only_counts else {"items": items, **numbers}))


def _list_rows(call: Call, limit_per_kind: int) -> list[Row]:
    times = {
        "now": call.now,
        "today": due_dates.get_today(call),
        "creates_since": timestamp(parse_timestamp(call.now) - CREATES_SHOWN),
    }
    return call.tx.all(sql.attention.list, org_id=call.org_id, limit_per_kind=limit_per_kind, **times)


def _get_overdue_boards(rows: list[Row]) -> dict[str, int]:
    """Return the number of overdue cards by project id; the first row of that kind has it."""
    texts = (row["overdue_boards"] for row in rows if row["overdue_boards"])
    overdue: dict[str, int] = stored_json(next(texts, "{}"))
    return overdue


def _count_waiting(call: Call, counts: dict[Kind, int]) -> dict[Kind, int]:
    """Return the number of items that the caller may decide or answer now, by kind."""
    return {
        kind: counts[kind] for kind, policy in DECISIONS.items() if not authorization.missing_permissions(call, policy)
    }


def _build_item(call: Call, row: Row) -> dict[str, Any]:
    """Return one item without its empty members."""
    card = {"id": row["card_id"], "key": row["card_key"], "title": row["card_title"], "projectId": row["project_id"]}
    item = {
        "kind": row["kind"],
        "since": row["since"],
        "cardId": row["card_id"],
        "cardKey": row["card_key"],
        "agentId": row["agent_id"],
        "message": row["message"],
        "card": {**card, "columnId": row["column_id"]} if row["card_id"] else None,
        "agent": {"id": row["agent_id"], "title": row["agent_title"]} if row["agent_title"] else None,
        "requestId": row["request_id"],
        "fromColumnId": row["from_column_id"],
        "toColumnId": row["to_column_id"],
        "note": row["note"],
        "commentId": row["comment_id"],
        "content": row["content"],
        "options": stored_json(row["options"]),
        **(_preview_approval(call, row) if row["request_id"] else {}),
    }
    return {key: value for key, value in item.items() if value is not None}


def _preview_approval(call: Call, row: Row) -> dict[str, Any]:
    """Return whether approving a move request would succeed, and what blocks it."""
    card = call.tx.one(sql.cards.get, card_id=row["card_id"])
    assert card is not None
    destination = moves.require_destination_column(call, card, row["to_column_id"])
    move = moves.build_legal_move(
        call, card, destination, authorization.missing_permissions(call, move_requests.DECISION_POLICY)
    )
    return {"allowed": move.allowed, "blockers": [blocker.model_dump() for blocker in move.blockers]}
