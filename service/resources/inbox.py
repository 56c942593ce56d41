"""The inbox of an agent: activity of others that concerns it, one item per card."""

import asyncio
from functools import partial
from time import monotonic
from typing import Annotated, Any

import orjson
from pydantic import BeforeValidator, Field

from ..auth.context import Call
from ..auth.policies import agent
from ..database.queries import sql
from ..domain import activity_summary, event_cursor, truncation
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Output, PageSize, Query, require_whole_number
from . import changes

Json = dict[str, Any]
FRAME_BYTES = 100  # size of the response without its items
PAUSE_SECONDS = 0.2  # before a waiting request reads again, so that a busy organization does not keep it reading
ALL_EVENTS: changes.Filters = dict.fromkeys(changes.FILTERS)
Found = tuple[activity_summary.ActivitySummary, bytes]


class Inbox(Output):
    """Activity of others that concerns an agent, oldest first, and the cursor of the next page."""

    items: list[activity_summary.News]
    next: str
    has_more: bool


class InboxQuery(Query):
    since: event_cursor.Since = None
    limit: PageSize = 20
    max_tokens: Annotated[int, Field(ge=500, le=100_000), BeforeValidator(require_whole_number)] | None = None
    wait: Annotated[int, Field(ge=0, le=50), BeforeValidator(require_whole_number)] = 0


@routes.get("/organizations/{org_id}/inbox/mcp", agent(), answers=Inbox)
async def get_inbox(operation: Operation[Call], org_id: str, query: InboxQuery) -> bytes:
    """Return the activity of others that concerns the agent, one item per card, oldest first.

    These are cards that are assigned to it, that it claims or was the last to claim, on which it commented, asked a
    question or requested a move, or on which a comment mentions it (`@` and its id). What happened before, such as the
    creation of a card that the agent claimed later, is left out. `since` is an event id, a moment or an age (`15m`,
    `3h`, `2d`); without it, the response continues after the last item of the previous call (with `hasMore` ask again).
    The first call begins at the registration. `maxTokens` ends the answer sooner, but not before the first card: a
    token counts as 4 bytes of the items, without ids. Notes and answers are never cut. With `wait`, a response that
    would be empty is delayed until there is something, at most that number of seconds; the request then counts as a
    listener (503 overloaded, see the event stream).
    """
    found, answer = await _wait_for_activity(operation, query)
    if query.since is None:
        await operation.write(partial(_save_position, found.last_event_id))
    return answer


async def _wait_for_activity(operation: Operation[Call], query: InboxQuery) -> Found:
    """Return the activity that concerns the agent, at the latest when the time to wait is over."""
    deadline = monotonic() + query.wait
    found, answer = await operation.read(partial(_read_inbox, query))
    while not found.cards and (seconds := deadline - monotonic()) > 0:
        position = found.last_event_id
        await changes.wait_for_changes(operation, position, ALL_EVENTS, seconds)
        if not operation.read_inline(partial(changes.has_changes, position, ALL_EVENTS)):
            break
        await asyncio.sleep(PAUSE_SECONDS)
        later = query.model_copy(update={"since": str(position)})
        found, answer = await operation.read(partial(_read_inbox, later))
    return found, answer


def _read_inbox(query: InboxQuery, call: Call) -> Found:
    if query.since is None:
        since = activity_summary.get_seen_event_id(call)
    else:
        since = event_cursor.require_event_id(call, query.since)
    found, items = _summarize(call, since, query.limit)
    fits = len(items) if query.max_tokens is None else _count_fitting(items, query.max_tokens)
    if fits < len(items):  # summarize again, so that later activity is left to the next page
        found, items = _summarize(call, since, fits)
    return found, orjson.dumps({"items": items, "next": str(found.last_event_id), "hasMore": found.has_more})


def _summarize(call: Call, since: int, cards_max: int) -> tuple[activity_summary.ActivitySummary, list[Json]]:
    found = activity_summary.summarize_from_oldest(call, since, cards_max)
    return found, [card.to_dict(call) for card in found.cards.values()]


def _count_fitting(items: list[Json], tokens: int) -> int:
    """Return how many items fit into the tokens, at least one."""
    room = tokens * truncation.BYTES_PER_TOKEN - FRAME_BYTES
    for number, item in enumerate(items):
        room -= _count_bytes(item)
        if room < 0:
            return max(number, 1)
    return len(items)


def _count_bytes(item: Json) -> int:
    """Return the size of an item in bytes, without ids."""
    return len(orjson.dumps({key: value for key, value in item.items() if not key.endswith("Id")}))


def _save_position(event_id: int, call: Call) -> None:
    call.tx.run(sql.seen.upsert, org_id=call.org_id, card_id="", event_id=event_id, **call.reader)
