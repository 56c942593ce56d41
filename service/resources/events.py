"""Events: the append-only log of all changes, and its live stream."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from time import monotonic
from typing import Annotated, Any

from aiohttp import web
from pydantic import StringConstraints

from ..auth.context import Call, CardCall
from ..auth.policies import agent, may
from ..clock import ClockTrust, timestamp
from ..database.queries import sql
from ..database.store import Store, Tx
from ..domain import event_cursor
from ..errors import REQUEST_CONTEXT, ServiceError
from ..events.listeners import PRESENCE, NewEvents, Presence
from ..pipeline.pipeline import Operation
from ..pipeline.routing import STREAM, routes
from ..schemas import Actor, Output, Query, json_text

EVENTS_PER_READ = 100  # they are sent in one piece
HEARTBEAT_SECONDS = 15.0  # between two comments that keep an idle stream open
EVENTS_PER_DELETE = 1000  # per transaction
DELETE_INTERVAL_SECONDS = 3600  # between two searches for old events
HEADERS = {
    "Content-Type": STREAM,
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # disables buffering in nginx
    "X-Content-Type-Options": "nosniff",
}
Pattern = Annotated[str, StringConstraints(max_length=100, pattern=r"^(\*|[a-z][A-Za-z]*\.(\*|[a-z][A-Za-z]*))$")]
log = logging.getLogger("service")


class Event(Output):
    """An event, without the ids that do not apply to its type."""

    id: str
    type: str
    card_id: str | None = None
    card_key: str | None = None
    project_id: str | None = None
    agent_id: str | None = None
    column_id: str | None = None
    from_project_id: str | None = None
    from_column_id: str | None = None
    to_column_id: str | None = None
    user_id: str | None = None
    request_id: str | None = None
    comment_id: str | None = None
    from_card_id: str | None = None
    to_card_id: str | None = None
    from_card_key: str | None = None
    to_card_key: str | None = None
    archive_id: str | None = None
    actor: Actor
    at: str


NAMES = {name: str(field.alias) for name, field in Event.model_fields.items()}


class StreamQuery(Query):
    since: event_cursor.Since = None


def record(
    call: Call,
    type: str,
    card_id: str | None = None,
    project_id: str | None = None,
    org_id: str | None = None,
    **ids: str | None,
) -> None:
    """Write an event of the caller to the log; `type` is <resource>.<verb>, `ids` are further fields of Event.

    Listeners are woken after the commit. If the event is about the card of the call, its key and project are added.
    """
    actor, card_key = call.actor, None
    is_here = "from_project_id" not in ids  # a transferred card is on another board, with another key
    if is_here and isinstance(call, CardCall) and card_id is not None and call.card["id"] == card_id:
        card_key, project_id = call.card["key"], call.card["project_id"]
    call.tx.run(
        sql.events.create,
        org_id=org_id or call.org_id,
        type=type,
        card_id=card_id,
        card_key=card_key,
        project_id=project_id,
        about=json_text({NAMES[name]: value for name, value in ids.items() if value}) if ids else None,
        actor_type=actor.type,
        actor_id=actor.id,
        actor_label=actor.label,
        now=call.now,
    )


@routes.get("/organizations/{org_id}/events", may("read", "Card"), answers=STREAM)
@routes.get("/organizations/{org_id}/events/mcp", agent(), answers=STREAM)
async def stream_events(operation: Operation[Call], org_id: str, query: StreamQuery) -> web.StreamResponse:
    """Stream the events of an organization (Server-Sent Events) until the client leaves or the caller loses access.

    `Last-Event-ID` or `since` continues after an event; `since` can also be a timestamp or an age (10s, 3h). The first
    message is `ready` with the id after which the stream starts, or `reset` if the requested id is too old or unknown:
    then reload everything. Each further message has one event. A comment is sent every 15 s if there are no events. By
    default an organization can have 500 listeners and a caller 100 (503 overloaded).
    """
    last_id = operation.request.headers.get("Last-Event-ID")
    find_cursor = event_cursor.find_cursor if last_id is None else event_cursor.find_cursor_after
    cursor = operation.read_inline(partial(find_cursor, since=query.since if last_id is None else last_id))
    if operation.request.method == "HEAD":
        return web.Response(headers=HEADERS)
    await operation.record_presence()  # a stream can last longer than any lease
    with register_listener(operation) as presence:
        return await _send_events(operation, cursor, presence)


@contextmanager
def register_listener(operation: Operation[Any]) -> Iterator[Presence]:
    """Count the caller as a listener of the organization within the block; raise overloaded if there are too many."""
    settings, org_id = operation.service.settings, operation.parsed.path["org_id"]
    limits = settings.organization_listeners_max, settings.caller_listeners_max
    assert operation.caller is not None
    with operation.service.listeners.register(org_id, operation.caller.id, *limits) as presence:
        if operation.http is not None:
            operation.http[PRESENCE] = presence
        yield presence


async def _send_events(
    operation: Operation[Call], cursor: event_cursor.Cursor, presence: Presence
) -> web.StreamResponse:
    response = await _open_stream(operation.request, cursor)
    try:
        await _follow_events(operation, response, cursor.after, presence)
    except ServiceError as error:
        log.info("event stream closed: %s", error.code)  # the client gets the error when it reconnects
    except TimeoutError:
        if operation.request.transport is not None:
            operation.request.transport.abort()
        raise ConnectionResetError("the client did not read its events in time, or the service is stopping") from None
    return response


async def _open_stream(request: web.Request, cursor: event_cursor.Cursor) -> web.StreamResponse:
    """Send the headers and the first message of a stream, which has its position in the log."""
    response = web.StreamResponse(headers={**HEADERS, "X-Request-Id": request[REQUEST_CONTEXT].request_id})
    await response.prepare(request)
    name = "reset" if cursor.is_lost else "ready"
    await response.write(f'id: {cursor.after}\nevent: {name}\ndata: {{"id":"{cursor.after}"}}\n\n'.encode())
    return response


async def _follow_events(
    operation: Operation[Call], response: web.StreamResponse, last_id: int, presence: Presence
) -> None:
    """Send the events after a given one until the service stops, the client leaves or the caller loses access."""
    listeners, org_id = operation.service.listeners, operation.parsed.path["org_id"]
    is_behind, beat_at = True, monotonic() + HEARTBEAT_SECONDS
    while not listeners.stopped and not presence.has_left:
        begun = listeners.round_number
        number, last_id, frames = await _read_events(operation, org_id, last_id, is_behind)
        own_frames, presence.frames = presence.frames, []
        frames += b"".join(own_frames)
        if frames or monotonic() >= beat_at:
            await listeners.send(response.write(frames or b":\n\n"))
            beat_at = monotonic() + HEARTBEAT_SECONDS
        is_behind = number == EVENTS_PER_READ
        if not is_behind:
            await listeners.wait(org_id, beat_at - monotonic(), presence, begun)


async def _read_events(operation: Operation[Call], org_id: str, last_id: int, is_behind: bool) -> NewEvents:
    """Return the next events; listeners of one round share a read, and one with many events to read uses a thread."""
    listeners = operation.service.listeners
    if shared := listeners.get_shared(org_id, last_id):
        operation.read_inline(lambda call: None)  # raises if the caller has lost access
        return shared
    read, begun = partial(_read_after, last_id), listeners.round_number
    news = await operation.read(read) if is_behind else operation.read_inline(read)
    listeners.share(org_id, last_id, news, begun)
    return news


def _read_after(last_id: int, call: Call) -> NewEvents:
    row = call.tx.one(sql.events.list_frames, org_id=call.org_id, since=last_id, limit=EVENTS_PER_READ)
    assert row is not None
    return NewEvents(row["count"], row["last_id"] or last_id, (row["frames"] or "").encode())


def get_latest_timestamp(tx: Tx) -> str | None:
    """Return the latest timestamp in the database, which the clock must not fall behind; None if there is none."""
    latest: str | None = tx.value(sql.operations.latest_timestamp)
    return latest


async def delete_old_events(store: Store, retention_seconds: int, clock_trust: ClockTrust) -> None:
    """Delete events that are older than the retention time, in batches; repeat every hour, without end."""
    while True:
        before = timestamp(datetime.now(UTC) - timedelta(seconds=retention_seconds))
        after: int | None = 0
        try:
            while after is not None and clock_trust.is_trusted():
                after = await store.write(partial(_delete_batch, before, after))
        except Exception:
            log.exception("cannot delete old events; trying again in an hour")
        await asyncio.sleep(DELETE_INTERVAL_SECONDS)


def _delete_batch(before: str, after: int, tx: Tx) -> int | None:
    """Delete the old events of the next page of the log; return its end, or None if there are no more old events."""
    page = {"after": after, "before": before, "limit": EVENTS_PER_DELETE}
    end: int | None = tx.value(sql.events.find_page_end, **page)
    if end is not None:
        tx.run(sql.events.delete_old, **page)
    return end
