"""The time of the last request of each agent and session, written at most once a minute.

An approved agent is online from its first request until it says that it is offline, or until 10 minutes after its last
request (`online_until` in the database).
"""

import logging
from collections.abc import Awaitable
from functools import partial

from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Share, Tx
from ..errors import RequestContext, Unavailable
from ..schemas import json_text
from .authentication import Caller, Key, Person
from .context import Service
from .recent_requests import WRITE_INTERVAL
from .sessions import update_last_seen

log = logging.getLogger("service")


async def record(service: Service, caller: Caller, request: RequestContext) -> None:
    """Store the time of a request of an agent or in a session, unless that was done within the last minute.

    An approved agent that was offline is online from then on.
    """
    if isinstance(caller, Key) and request.agent_id is not None:
        recording = _record_agent(service, caller.org_id, request.agent_id, request.started)
        await _log_errors(request.agent_id, recording)
    elif isinstance(caller, Person) and caller.session_id is not None:
        record_session(service, caller.org_id, caller.user_id, caller.session_id)


def record_session(service: Service, org_id: str | None, user_id: str, session_id: str) -> None:
    """Store the time of a request in a session in the background, unless that was done within the last minute."""
    now = service.clock()
    if service.recent_requests.take_due((user_id, session_id), now):  # no read of a person waits for the writer
        update = partial(update_last_seen, session_id=session_id, now=now)
        service.recent_requests.start(_log_errors(session_id, service.store.write(update, Share(org_id or ""))))


def set_online(tx: Tx, org_id: str, agent_id: str) -> bool:
    """Record that an agent was seen; return whether it came online, which is an event."""
    agent = {"org_id": org_id, "agent_id": agent_id}
    row = tx.one(sql.agents.get, now=tx.now, **agent)
    comes_online = row is not None and row["status"] == "approved" and not row["is_online"]
    if comes_online:
        ids = {"card_id": None, "card_key": None, "project_id": None, "about": json_text({"agentId": agent_id})}
        actor = {"actor_type": "Agent", "actor_id": agent_id, "actor_label": None}
        tx.run(sql.events.create, org_id=org_id, type="agent.online", now=tx.now, **ids, **actor)
    tx.run(sql.agents.update_last_seen, now=tx.now, **agent)
    return comes_online


def set_offline(service: Service, tx: Tx, org_id: str, agent_id: str) -> None:
    """Record that an agent is offline until its next request; requests that have begun already do not count."""
    # Not after the commit, because an update of a request that is still open may be the next unit of the same commit.
    service.recent_requests.set_offline((org_id, agent_id))
    tx.run(sql.agents.set_offline, org_id=org_id, agent_id=agent_id, now=tx.now)


async def _record_agent(service: Service, org_id: str, agent_id: str, started: float) -> None:
    recent = service.recent_requests

    def update(tx: Tx) -> None:
        tx.clock = service.clock
        if recent.is_after_offline((org_id, agent_id), started) and set_online(tx, org_id, agent_id):
            tx.on_commit(partial(service.notify_change, org_id))

    now = service.clock()
    if not recent.is_due((org_id, agent_id), now):
        return
    if not service.store.read_inline(partial(_is_due, org_id=org_id, agent_id=agent_id, now=now)):
        return
    try:
        await service.store.write(update, Share(org_id))
    except Unavailable:
        # So that not every read waits while nothing can be written.
        recent.take_due((org_id, agent_id), service.clock())
        raise


def _is_due(tx: Tx, org_id: str, agent_id: str, now: str) -> bool:
    recently = timestamp(parse_timestamp(now) - WRITE_INTERVAL)
    return bool(tx.value(sql.agents.is_presence_due, org_id=org_id, agent_id=agent_id, now=now, recently=recently))


async def _log_errors(id: str, recording: Awaitable[None]) -> None:
    """Wait until the time of a request is stored; the request does not fail if that fails."""
    try:
        await recording
    except Unavailable:
        pass  # the store has logged the reason
    except Exception:
        log.exception("the time of the last request of %s could not be stored", id)
