"""Changes: the log of events as JSON, for those who ask now and then (contract, section 6)."""

from functools import partial
from time import monotonic
from typing import Annotated

import orjson
from pydantic import BeforeValidator, Field

from ..database.queries import sql
from ..delivery.listeners import Presence
from ..journey.call import Call
from ..journey.gates import agent, may
from ..journey.route import Operation
from ..journey.table import routes
from ..wire import Output, Query, whole
from . import events


class Changes(Output):
    """What happened after an event, oldest first, and the id to ask from next.

    With `reset` the id was too old or unknown: load everything again, then ask from `next`.
    """

    items: list[events.Event]
    next: str
    has_more: bool
    reset: bool


class ChangesQuery(Query):
    since: str | None = None
    limit: Annotated[int, Field(ge=1, le=1000), BeforeValidator(whole)] = 100
    wait: Annotated[int, Field(ge=0, le=50), BeforeValidator(whole)] = 0


@routes.get("/organizations/{org_id}/changes", may("read", "Card"), answers=Changes)
@routes.get("/organizations/{org_id}/changes/mcp", agent(), answers=Changes)
async def browse(operation: Operation[Call], org_id: str, query: ChangesQuery) -> bytes:
    """List what happened in an organization after an event; without `since`, nothing but the id to start from.

    With `wait` an answer that would be empty waits so many seconds for something to happen; who waits counts as a
    listener (503 overloaded, see the events).
    """
    start = operation.peek(partial(events.start, since=query.since))
    if not start.lost:
        await wait(operation, start.after, query.wait)
    return await operation.read(partial(_page, start, query.limit))


async def wait(operation: Operation[Call], last_id: int, seconds: float) -> None:
    """Return once something has happened after an event, or the time is over, or the service stops."""
    if seconds and not operation.peek(partial(_more, last_id)):
        with events.present(operation) as presence:
            await _wait(operation, last_id, seconds, presence)


async def _wait(operation: Operation[Call], last_id: int, seconds: float, presence: Presence) -> None:
    listeners, until = operation.service.listeners, monotonic() + seconds
    while not operation.peek(partial(_more, last_id)):
        left = until - monotonic()
        if left <= 0 or listeners.stopped or presence.has_left:
            return
        await listeners.wait(operation.taken.path["org_id"], left, presence)


def _more(last_id: int, call: Call) -> bool:
    return call.tx.value(sql.changes.exist, org_id=call.org_id, since=last_id) is not None


def _page(start: events.Start, limit: int, call: Call) -> bytes:
    row = call.tx.one(sql.changes.browse, org_id=call.org_id, since=start.after, most=limit)
    assert row is not None
    has_more = row["count"] == limit and _more(row["last_id"], call)
    last_id = row["last_id"] if has_more else events.start(call, None).after
    items = orjson.Fragment(row["items"])
    return orjson.dumps({"items": items, "next": str(last_id), "hasMore": has_more, "reset": start.lost})
