"""The time of the last request of each agent and session, written at most once a minute (contract, sections 7, 8.4)."""

import asyncio
import logging
from collections.abc import Callable
from datetime import timedelta

from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Tx
from ..errors import Unavailable
from .authentication import Caller, Key, Person
from .context import Service
from .sessions import update_last_seen

WRITE_INTERVAL = timedelta(minutes=1)  # per agent and session
CACHED_MAX = 10_000
log = logging.getLogger("service")


async def record(service: Service, caller: Caller, agent_id: str | None) -> None:
    """Store the time of a request of an agent or in a session, unless that was done within the last minute."""
    if isinstance(caller, Key) and agent_id is not None:
        if now := _take_due(service, caller.org_id, agent_id):
            await _record(service, caller.org_id, agent_id, now, _update_agent)
    elif isinstance(caller, Person) and caller.session_id is not None:
        record_session(service, caller.user_id, caller.session_id)


def record_session(service: Service, user_id: str, session_id: str) -> None:
    """Store the time of a request in a session in the background, unless that was done within the last minute."""
    if now := _take_due(service, user_id, session_id):  # no read of a person waits for the writer
        task = asyncio.create_task(_record(service, user_id, session_id, now, _update_session))
        service.last_seen_tasks.add(task)
        task.add_done_callback(service.last_seen_tasks.discard)


def _update_agent(tx: Tx, org_id: str, agent_id: str, now: str) -> None:
    tx.run(sql.agents.update_last_seen, org_id=org_id, agent_id=agent_id, now=now)


def _update_session(tx: Tx, user_id: str, session_id: str, now: str) -> None:
    update_last_seen(tx, session_id, now)


def _take_due(service: Service, owner_id: str, id: str) -> str | None:
    """Return the time if it is to be stored now, and then not again within a minute."""
    name, now = (owner_id, id), service.clock()
    if now < service.last_seen_due.get(name, ""):
        return None
    if len(service.last_seen_due) >= CACHED_MAX:
        service.last_seen_due.clear()
    service.last_seen_due[name] = timestamp(parse_timestamp(now) + WRITE_INTERVAL)
    return now


async def _record(
    service: Service, owner_id: str, id: str, now: str, update: Callable[[Tx, str, str, str], None]
) -> None:
    try:
        await service.store.write(lambda tx: update(tx, owner_id, id, now))
    except Unavailable:
        pass  # the store has logged the reason
    except Exception:
        log.exception("the time of the last request of %s could not be stored", id)
