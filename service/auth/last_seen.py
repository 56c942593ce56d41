"""The time of the last request of each agent, written at most once a minute (contract, section 7: claims)."""

import logging
from datetime import timedelta

from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Tx
from .authentication import Caller, Key
from .context import Service

WRITE_INTERVAL = timedelta(minutes=1)  # per agent
CACHED_AGENTS_MAX = 10_000
log = logging.getLogger("service")


async def record(service: Service, caller: Caller, agent_id: str | None) -> None:
    """Store the time of a request of an agent, unless that was done within the last minute."""
    if agent_id is None or not isinstance(caller, Key):
        return
    now, agent = service.clock(), (caller.org_id, agent_id)
    if now < service.last_seen_due.get(agent, ""):
        return
    if len(service.last_seen_due) >= CACHED_AGENTS_MAX:
        service.last_seen_due.clear()
    service.last_seen_due[agent] = timestamp(parse_timestamp(now) + WRITE_INTERVAL)

    def work(tx: Tx) -> None:
        tx.run(sql.agents.update_last_seen, org_id=agent[0], agent_id=agent[1], now=now)

    try:
        await service.store.write(work)
    except Exception:
        log.exception("the time of the last request of agent %s could not be stored", agent_id)
