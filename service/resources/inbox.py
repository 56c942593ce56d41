"""The inbox of an agent: what others did that concerns it, one item a card (contract, section 7)."""

from functools import partial
from typing import Annotated, Any

import orjson
from pydantic import BeforeValidator, Field

from ..auth.context import Call
from ..auth.policies import agent
from ..database.queries import sql
from ..domain import activity_summary, event_cursor, truncation
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Output, Query, whole

Json = dict[str, Any]
FRAME_BYTES = 100  # of an answer, around its items
TEXT_CHARACTERS_COUNTED = 160  # of a note or an answer: who reads can cut it, but tell no card that is missing


class Inbox(Output):
    """What others did that concerns an agent, oldest first, and where to go on."""

    items: list[activity_summary.News]
    next: str
    has_more: bool


class InboxQuery(Query):
    since: str | None = None
    limit: Annotated[int, Field(ge=1, le=100), BeforeValidator(whole)] = 20
    max_tokens: Annotated[int, Field(ge=500, le=100_000), BeforeValidator(whole)] | None = None


@routes.get("/organizations/{org_id}/inbox/mcp", agent(), answers=Inbox)
async def read(operation: Operation[Call], org_id: str, query: InboxQuery) -> bytes:
    """Tell an agent what others did that concerns it, one item a card, oldest first.

    Its concern are cards assigned to it, claimed by it or by it last, those on which it has commented, asked, or asked
    for a move, and where a comment says `@` and its id. `since` is an event id, a moment or an age (`15m`, `3h`, `2d`);
    left out: since the last call, which the service remembers, up to what it showed and no further (with
    `hasMore` ask again); the first begins at registration. `maxTokens` ends the answer sooner, but not before the first
    card: a token counts as 4 bytes of the items, without ids and what notes and answers have beyond 160 characters.
    """
    found, answer = await operation.read(partial(_look, query))
    if query.since is None:
        await operation.write(partial(_remember, found.last_event_id))
    return answer


def _look(query: InboxQuery, call: Call) -> tuple[activity_summary.ActivitySummary, bytes]:
    since = _last(call) if query.since is None else event_cursor.require_event_id(call, query.since)
    found, items = _folded(call, since, query.limit)
    fits = len(items) if query.max_tokens is None else _fitting(items, query.max_tokens)
    if fits < len(items):  # what others did later is told with the cards that come later
        found, items = _folded(call, since, fits)
    return found, orjson.dumps({"items": items, "next": str(found.last_event_id), "hasMore": found.has_more})


def _folded(call: Call, since: int, cards_max: int) -> tuple[activity_summary.ActivitySummary, list[Json]]:
    found = activity_summary.summarize_activity(call, since, call.actor.id, is_agent=True, cards_max=cards_max)
    return found, [card.to_dict(call) for card in found.cards.values()]


def _fitting(items: list[Json], tokens: int) -> int:
    """Tell how many items there is room for, one at the least."""
    room = tokens * truncation.BYTES_PER_TOKEN - FRAME_BYTES
    for number, item in enumerate(items):
        room -= _bytes(item)
        if room < 0:
            return max(number, 1)
    return len(items)


def _bytes(item: Json) -> int:
    """Tell how long an item is for who reads names only, and the beginnings of long texts."""
    words = ((item.get("decision") or {}).get("note") or "", (item.get("answer") or {}).get("content") or "")
    more = sum(max(len(text) - TEXT_CHARACTERS_COUNTED, 0) for text in words)
    return len(orjson.dumps({key: value for key, value in item.items() if not key.endswith("Id")})) - more


def _last(call: Call) -> int:
    mark: int | None = call.tx.value(sql.seen.get, org_id=call.org_id, reader_id=call.actor.id)
    return mark or 0


def _remember(event_id: int, call: Call) -> None:
    call.tx.run(sql.seen.upsert, org_id=call.org_id, reader_id=call.actor.id, card_id="", event_id=event_id)
