"""Changes: the event log as JSON, for polling and long polling."""

from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Annotated, Any

import orjson
from pydantic import BeforeValidator, Field

from ..auth import card_keys
from ..auth.context import Call
from ..auth.policies import agent, may
from ..database.queries import sql
from ..domain import event_cursor
from ..events.listeners import Presence
from ..pipeline import filter_values
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Output, PageSize, Query, require_whole_number
from . import events

EVENTS_SCANNED_MAX = 10_000  # per request with filters, on a reader thread
EVENTS_SCANNED_INLINE_MAX = 200  # to decide whether a long poll ends, on the event loop
FILTERS = ("project_id", "card_id", "type")
Filters = dict[str, Any]


class Changes(Output):
    """The events after a position, oldest first, with `next` as the position for the following request.

    With `reset`, the position was too old or unknown: reload everything, then continue from `next`.
    """

    items: list[events.Event]
    next: str
    has_more: bool
    reset: bool


class ChangesQuery(Query):
    since: event_cursor.Since = None
    project_id: str | None = None
    card_id: str | None = Field(None, description="A card id or card key; events of relationships match at both ends.")
    type: events.Pattern | None = Field(None, description="An event type, as in webhooks: card.moved, card.* or *.")
    limit: PageSize = 100
    wait: Annotated[int, Field(ge=0, le=50), BeforeValidator(require_whole_number)] = 0


@routes.get("/organizations/{org_id}/changes", may("read", "Card"), answers=Changes)
@routes.get("/organizations/{org_id}/changes/mcp", agent(), answers=Changes)
async def list_changes(operation: Operation[Call], org_id: str, query: ChangesQuery) -> bytes:
    """List the events of an organization after `since`; without `since`, return only the current position as `next`.

    With `wait`, a response that would be empty is delayed until there is an event, at most that number of seconds. A
    waiting request counts as a listener (503 overloaded, see the event stream). With filters, one request scans up to
    10,000 events, so a page can be empty and still have `hasMore`, and a wait can end without a result after 200 events
    that do not match.
    """
    cursor, filters = operation.read_inline(partial(_parse_query, query))
    if not cursor.is_lost:
        await wait_for_changes(operation, cursor.after, filters, query.wait)
    return await operation.read(partial(_read_page, cursor, filters, query.limit))


def _parse_query(query: ChangesQuery, call: Call) -> tuple[event_cursor.Cursor, Filters]:
    """Return the cursor and the filters of a query, with a card key replaced by the card's id."""
    filter_values.require_known(call, query)
    filters = query.model_dump(include=set(FILTERS))
    if query.card_id is not None:
        filters["card_id"] = card_keys.resolve_card_filter(call, query.card_id)
    return event_cursor.find_cursor(call, query.since), filters


async def wait_for_changes(operation: Operation[Call], last_id: int, filters: Filters, seconds: float) -> None:
    """Return when there is an event after the given one, the time is over, the client has left or the service stops."""
    is_over = partial(has_changes, last_id, filters)
    if seconds and not operation.read_inline(is_over):
        await operation.record_presence()  # a lease can be shorter than the wait
        with events.register_listener(operation) as presence:
            await _wait_as_listener(operation, is_over, seconds, presence)


async def _wait_as_listener(
    operation: Operation[Call], is_over: Callable[[Call], bool], seconds: float, presence: Presence
) -> None:
    listeners, deadline = operation.service.listeners, monotonic() + seconds
    while not operation.read_inline(is_over):
        seconds_left = deadline - monotonic()
        if seconds_left <= 0 or listeners.stopped or presence.has_left:
            return
        await listeners.wait(operation.parsed.path["org_id"], seconds_left, presence)


def has_changes(last_id: int, filters: Filters, call: Call) -> bool:
    """Return whether events match after the given one, or there are too many to scan on the event loop."""
    scan_limit = EVENTS_SCANNED_INLINE_MAX if any(filters.values()) else 1
    return (
        call.tx.value(sql.changes.has_changes, org_id=call.org_id, since=last_id, scan_limit=scan_limit, **filters)
        is not None
    )


def _read_page(cursor: event_cursor.Cursor, filters: Filters, limit: int, call: Call) -> bytes:
    scan_limit = EVENTS_SCANNED_MAX if any(filters.values()) else limit
    row = call.tx.one(
        sql.changes.list, org_id=call.org_id, since=cursor.after, limit=limit, scan_limit=scan_limit, **filters
    )
    assert row is not None
    end_id = row["last_id"] if row["count"] == limit else row["last_scanned_id"]
    is_cut = row["count"] == limit or row["scanned_count"] == scan_limit
    has_more = is_cut and has_changes(end_id, dict.fromkeys(FILTERS), call)
    next_id = end_id if has_more else event_cursor.get_last_event_id(call)
    items = orjson.Fragment(row["items"])
    return orjson.dumps({"items": items, "next": str(next_id), "hasMore": has_more, "reset": cursor.is_lost})
