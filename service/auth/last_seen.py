"""When agents were last heard of: every call of one tells, at most once a minute (contract, section 7: claims)."""

import logging
from datetime import timedelta

from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Tx
from .authentication import Caller, Key
from .context import Service

SILENCE = timedelta(minutes=1)  # between two notes about the same agent
AGENTS_REMEMBERED_MAX = 10_000
log = logging.getLogger("service")


async def note(service: Service, caller: Caller, agent_id: str | None) -> None:
    """Write down that an agent has called just now, unless that was written within the last minute."""
    if agent_id is None or not isinstance(caller, Key):
        return
    now, known = service.clock(), (caller.org_id, agent_id)
    if now < service.seen_until.get(known, ""):
        return
    if len(service.seen_until) >= AGENTS_REMEMBERED_MAX:
        service.seen_until.clear()
    service.seen_until[known] = timestamp(parse_timestamp(now) + SILENCE)

    def work(tx: Tx) -> None:
        tx.run(sql.agents.update_last_seen, org_id=known[0], agent_id=known[1], now=now)

    try:
        await service.store.write(work)
    except Exception:
        log.exception("when agent %s was last seen could not be written down", agent_id)
