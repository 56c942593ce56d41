"""Changes: the log of events as JSON, for those who ask now and then (contract, section 6)."""

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
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Output, Query, whole
from . import events

EVENTS_SCANNED_MAX = 10_000  # for those that are wanted, on a thread of their own
EVENTS_SCANNED_INLINE_MAX = 200  # to see whether there is something to tell, on the event loop
FILTERS = ("project_id", "card_id", "type")
Filters = dict[str, Any]


class Changes(Output):
    """What happened after an event, oldest first, and the id to ask from next.

    With `reset` the id was too old or unknown: load everything again, then ask from `next`.
    """

    items: list[events.Event]
    next: str
    has_more: bool
    reset: bool


class ChangesQuery(Query):
    since: str | None = Field(None, description="An event id, a timestamp or an age: 15m, 3h, 2d.")
    project_id: str | None = None
    card_id: str | None = Field(None, description="An id or a key; relations at either end of the card count.")
    type: events.Pattern | None = Field(None, description="As webhooks name them: card.moved, card.* or *.")
    limit: Annotated[int, Field(ge=1, le=1000), BeforeValidator(whole)] = 100
    wait: Annotated[int, Field(ge=0, le=50), BeforeValidator(whole)] = 0


@routes.get("/organizations/{org_id}/changes", may("read", "Card"), answers=Changes)
@routes.get("/organizations/{org_id}/changes/mcp", agent(), answers=Changes)
async def list_changes(operation: Operation[Call], org_id: str, query: ChangesQuery) -> bytes:
    """List what happened in an organization after an event; without `since`, nothing but the id to start from.

    With `wait` an answer that would be empty waits so many seconds for something to happen; who waits counts as a
    listener (503 overloaded, see the events). With filters up to 10,000 events are looked through at a time, so that a
    page may be empty although it `hasMore`, and a wait may end without anything to tell after 200 that do not fit.
    """
    start, wanted = operation.read_inline(partial(_parse_start, query))
    if not start.is_lost:
        await _wait_for_changes(operation, start.after, wanted, query.wait)
    return await operation.read(partial(_read_page, start, wanted, query.limit))


def _parse_start(query: ChangesQuery, call: Call) -> tuple[event_cursor.Cursor, Filters]:
    """Find the place in the log where it begins, and what is wanted from there on."""
    wanted = query.model_dump(include=set(FILTERS))
    if query.card_id is not None:
        wanted["card_id"] = card_keys.card_id(call, query.card_id)
    return event_cursor.find_cursor(call, query.since), wanted


async def _wait_for_changes(operation: Operation[Call], last_id: int, wanted: Filters, seconds: float) -> None:
    """Return once something has happened after an event, or the time is over, or the service stops."""
    more = partial(_has_changes, last_id, wanted)
    if seconds and not operation.read_inline(more):
        with events.register_listener(operation) as presence:
            await _wait_as_listener(operation, more, seconds, presence)


async def _wait_as_listener(
    operation: Operation[Call], more: Callable[[Call], bool], seconds: float, presence: Presence
) -> None:
    listeners, until = operation.service.listeners, monotonic() + seconds
    while not operation.read_inline(more):
        left = until - monotonic()
        if left <= 0 or listeners.stopped or presence.has_left:
            return
        await listeners.wait(operation.parsed.path["org_id"], left, presence)


def _has_changes(last_id: int, wanted: Filters, call: Call) -> bool:
    scan_limit = EVENTS_SCANNED_INLINE_MAX if any(wanted.values()) else 1
    return (
        call.tx.value(sql.changes.has_changes, org_id=call.org_id, since=last_id, scan_limit=scan_limit, **wanted)
        is not None
    )


def _read_page(start: event_cursor.Cursor, wanted: Filters, limit: int, call: Call) -> bytes:
    scan_limit = EVENTS_SCANNED_MAX if any(wanted.values()) else limit
    row = call.tx.one(
        sql.changes.list, org_id=call.org_id, since=start.after, limit=limit, scan_limit=scan_limit, **wanted
    )
    assert row is not None
    reached = row["last_id"] if row["count"] == limit else row["last_scanned_id"]
    is_cut = row["count"] == limit or row["scanned_count"] == scan_limit
    has_more = is_cut and _has_changes(reached, dict.fromkeys(FILTERS), call)
    last_id = reached if has_more else event_cursor.get_last_event_id(call)
    items = orjson.Fragment(row["items"])
    return orjson.dumps({"items": items, "next": str(last_id), "hasMore": has_more, "reset": start.is_lost})
