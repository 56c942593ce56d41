"""Events: one append-only log of what happened, told live and on request (contract, section 6)."""

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
from ..events.listeners import PRESENCE, News, Presence
from ..pipeline.pipeline import Operation
from ..pipeline.routing import STREAM, routes
from ..schemas import Actor, Output, Query, json_text

EVENTS_PER_READ = 100  # and then sent at a time
HEARTBEAT_SECONDS = 15.0  # between two signs of life on a stream that has nothing to tell
EVENTS_PER_DELETE = 1000  # old ones that are forgotten in one write
DELETE_INTERVAL_SECONDS = 3600  # between two looks for old ones
HEADERS = {
    "Content-Type": STREAM,
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # proxies: pass on what there is
    "X-Content-Type-Options": "nosniff",
}
Pattern = Annotated[str, StringConstraints(max_length=100, pattern=r"^(\*|[a-z][A-Za-z]*\.(\*|[a-z][A-Za-z]*))$")]
log = logging.getLogger("service")


class Event(Output):
    """One thing that happened; what it is not about is left out."""

    id: str
    type: str
    card_id: str | None = None
    card_key: str | None = None
    project_id: str | None = None
    agent_id: str | None = None
    column_id: str | None = None
    from_column_id: str | None = None
    to_column_id: str | None = None
    user_id: str | None = None
    request_id: str | None = None
    comment_id: str | None = None
    from_card_id: str | None = None
    to_card_id: str | None = None
    from_card_key: str | None = None
    to_card_key: str | None = None
    actor: Actor
    at: str


NAMES = {name: str(field.alias) for name, field in Event.model_fields.items()}


class StreamQuery(Query):
    since: str | None = None


def record(
    call: Call,
    type: str,
    card_id: str | None = None,
    project_id: str | None = None,
    org_id: str | None = None,
    **about: str | None,
) -> None:
    """Write down that something happened, by whoever is calling; `type` is <noun>.<verb>, `about` more ids of Event.

    Who listens is told after the commit. A card says its key and its project itself.
    """
    actor, card_key = call.actor, None
    if isinstance(call, CardCall) and card_id is not None and call.card["id"] == card_id:
        card_key, project_id = call.card["key"], call.card["project_id"]
    call.tx.run(
        sql.events.create,
        org_id=org_id or call.org_id,
        type=type,
        card_id=card_id,
        card_key=card_key,
        project_id=project_id,
        about=json_text({NAMES[name]: value for name, value in about.items() if value}) if about else None,
        actor_type=actor.type,
        actor_id=actor.id,
        actor_label=actor.label,
        now=call.now,
    )


@routes.get("/organizations/{org_id}/events", may("read", "Card"), answers=STREAM)
@routes.get("/organizations/{org_id}/events/mcp", agent(), answers=STREAM)
async def stream_events(operation: Operation[Call], org_id: str, query: StreamQuery) -> web.StreamResponse:
    """Tell what happens in an organization as it happens (Server-Sent Events), for as long as the caller may know.

    `Last-Event-ID` (or `since`) goes on after an event, `since` also from a timestamp or an age (10s, 3h) on. The first
    message is a `ready` event with the id from which the stream goes on, or `reset` if the id is too old or unknown:
    then load everything again. All others are plain messages with an event each. There is a sign of life every 15 s.
    Of an organization 500 listen at most and of a caller 100, unless the settings say otherwise (503 overloaded).
    """
    begin = operation.read_inline(
        partial(event_cursor.find_cursor, since=operation.request.headers.get("Last-Event-ID", query.since))
    )
    if operation.request.method == "HEAD":
        return web.Response(headers=HEADERS)
    with register_listener(operation) as presence:
        return await _send_events(operation, begin, presence)


@contextmanager
def register_listener(operation: Operation[Any]) -> Iterator[Presence]:
    """Count a caller among those who listen in an organization; raise overloaded if there are too many."""
    settings, org_id = operation.service.settings, operation.parsed.path["org_id"]
    most = settings.organization_listeners_max, settings.caller_listeners_max
    assert operation.caller is not None
    with operation.service.listeners.present(org_id, operation.caller.id, *most) as presence:
        if operation.http is not None:
            operation.http[PRESENCE] = presence
        yield presence


async def _send_events(
    operation: Operation[Call], begin: event_cursor.Cursor, presence: Presence
) -> web.StreamResponse:
    response = await _open_stream(operation.request, begin)
    try:
        await _follow_events(operation, response, begin.after, presence)
    except ServiceError as error:
        log.info("a stream of events ends: %s", error.code)  # whoever asks again is told why
    except TimeoutError:
        if operation.request.transport is not None:
            operation.request.transport.abort()
        raise ConnectionResetError("the listener took too long, or the service stops") from None
    return response


async def _open_stream(request: web.Request, begin: event_cursor.Cursor) -> web.StreamResponse:
    """Begin the answer, and say where in the log."""
    response = web.StreamResponse(headers={**HEADERS, "X-Request-Id": request[REQUEST_CONTEXT].request_id})
    await response.prepare(request)
    name = "reset" if begin.is_lost else "ready"
    await response.write(f'id: {begin.after}\nevent: {name}\ndata: {{"id":"{begin.after}"}}\n\n'.encode())
    return response


async def _follow_events(
    operation: Operation[Call], response: web.StreamResponse, last_id: int, presence: Presence
) -> None:
    """Send what happens after an event, until the service stops or the caller may no longer know."""
    listeners, org_id = operation.service.listeners, operation.parsed.path["org_id"]
    is_behind, beat_at = True, monotonic() + HEARTBEAT_SECONDS
    while not listeners.stopped and not presence.has_left:
        begun = listeners.rounds_begun
        number, last_id, frames = await _read_news(operation, org_id, last_id, is_behind)
        if frames or monotonic() >= beat_at:
            await listeners.with_retry(response.write(frames or b":\n\n"))
            beat_at = monotonic() + HEARTBEAT_SECONDS
        is_behind = number == EVENTS_PER_READ
        if not is_behind:
            await listeners.wait(org_id, beat_at - monotonic(), presence, begun)


async def _read_news(operation: Operation[Call], org_id: str, last_id: int, is_behind: bool) -> News:
    """Read the next events: once for all listeners of a round, here or, if many are left, aside."""
    listeners = operation.service.listeners
    if known := listeners.known(org_id, last_id):
        operation.read_inline(lambda call: None)  # may they still know?
        return known
    read, begun = partial(_read_after, last_id), listeners.rounds_begun
    news = await operation.read(read) if is_behind else operation.read_inline(read)
    listeners.share(org_id, last_id, news, begun)
    return news


def _read_after(last_id: int, call: Call) -> News:
    row = call.tx.one(sql.events.list_frames, org_id=call.org_id, since=last_id, limit=EVENTS_PER_READ)
    assert row is not None
    return News(row["count"], row["last_id"] or last_id, (row["frames"] or "").encode())


def get_latest_timestamp(tx: Tx) -> str | None:
    """Tell when the last thing happened, by the clock of then."""
    moment: str | None = tx.value(sql.operations.latest_timestamp)
    return moment


async def delete_old_events(store: Store, kept: int, clock_trust: ClockTrust) -> None:
    """Forget events that are older than so many seconds, a few at a time; look again each hour."""
    while True:
        before = timestamp(datetime.now(UTC) - timedelta(seconds=kept))
        try:
            while (
                clock_trust.is_trusted() and await store.write(partial(_delete_some, before)) >= EVENTS_PER_DELETE - 1
            ):
                pass
        except Exception:
            log.exception("old events could not be forgotten; the next look tries again")
        await asyncio.sleep(DELETE_INTERVAL_SECONDS)


def _delete_some(before: str, tx: Tx) -> int:
    return tx.run(sql.events.delete_old, before=before, limit=EVENTS_PER_DELETE)
