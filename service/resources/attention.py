"""Attention: one list of what waits for a person (contract, section 6), with all that is needed to act on it."""

from typing import Annotated, Any, Literal, get_args

import orjson
from pydantic import BeforeValidator, Field

from ..auth import authorization
from ..auth.context import Call
from ..auth.policies import may
from ..database.queries import sql
from ..database.store import Row
from ..pipeline.routing import routes
from ..schemas import Output, Query, stored_json, whole
from . import move_requests, moves

Kind = Literal[
    "pending_agent", "stopped_agent", "move_request", "question", "handed_over", "expired_claim", "overdue_card"
]
ITEMS_PER_KIND_MAX = 500  # of each kind, where no limit is asked for
KINDS: tuple[Kind, ...] = get_args(Kind)


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
    """One thing that waits for a person, since when, and what to look at; what it is not about is left out.

    A move request can be decided from here: `allowed` and `blockers` tell what approving would meet. A question is
    answered by a reply to its comment.
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
    """The first things of each kind, and how many of each kind there are."""

    items: list[AttentionItem] = []
    counts: dict[Kind, int]


class AttentionQuery(Query):
    limit: Annotated[int, Field(ge=1, le=200), BeforeValidator(whole)] | None = None
    counts: Literal["true", "false"] = "false"


@routes.get(
    "/organizations/{org_id}/attention", may("read", "Card"), bulk=True, answers=list[AttentionItem] | Attention
)
def list_attention(call: Call, org_id: str, query: AttentionQuery) -> bytes:
    """List what waits for a person, what waits longest first: agents, move requests, questions, cards that agents
    handed over or let go of, overdue cards.

    Stopped agents are listed if cards are assigned to them, or if the runaway guard stopped them, with its reason.
    A card is handed over if an agent moved it where agents may not move it on, and nobody has been asked or has touched
    it since. An expired claim is off the list as soon as anything happens to its card. With `limit` the answer is
    `{items, counts}` with so many of each kind at the most; `counts=true` gives the counts alone.
    """
    only_counts = query.counts == "true"
    rows = call.tx.all(
        sql.attention.list,
        org_id=org_id,
        now=call.now,
        limit_per_kind=1 if only_counts else query.limit or ITEMS_PER_KIND_MAX,
    )
    counts = dict.fromkeys(KINDS, 0) | {row["kind"]: row["of_kind"] for row in rows}
    if only_counts:
        return orjson.dumps({"counts": counts})
    items = [_build_item(call, row) for row in rows]
    return orjson.dumps(items if query.limit is None else {"items": items, "counts": counts})


def _build_item(call: Call, row: Row) -> dict[str, Any]:
    """Put one thing together, and leave out what it is not about."""
    about = {"id": row["card_id"], "key": row["card_key"], "title": row["card_title"], "projectId": row["project_id"]}
    item = {
        "kind": row["kind"],
        "since": row["since"],
        "cardId": row["card_id"],
        "cardKey": row["card_key"],
        "agentId": row["agent_id"],
        "message": row["message"],
        "card": {**about, "columnId": row["column_id"]} if row["card_id"] else None,
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
    """Tell what approving a request would meet."""
    card = call.tx.one(sql.cards.get, card_id=row["card_id"])
    assert card is not None
    destination = moves.destination_of(call, card, row["to_column_id"])
    move = moves.judged(call, card, destination, authorization.missing_permissions(call, move_requests.DECIDES))
    return {"allowed": move.allowed, "blockers": [blocker.model_dump() for blocker in move.blockers]}
