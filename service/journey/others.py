"""Other programs that write to the database: what is remembered of people is forgotten once one has.

The operator's commands do so beside a running service: a new password, another Solution Architect.
"""

import asyncio
import logging

from ..database.queries import sql
from ..errors import Unavailable
from .call import Service

POLL_SECONDS = 1.0
log = logging.getLogger("service")


async def keep_watch(service: Service) -> None:
    """Look once a second whether somebody else has written, and if so look everything up anew. Runs until cancelled."""
    seen: int | None = None
    while True:
        try:
            # Through the writer: the number is about all connections but the one that asks.
            now = await service.store.write(lambda tx: int(tx.value(sql.access.foreign)))
            if seen is not None and now != seen:
                service.forget_people()
                service.boards.clear()  # of organizations without a revision too
                service.pages.clear()
                for org_id in list(service.revisions):
                    service.changed(org_id)
            seen = now
        except Unavailable:
            pass  # the store has told why
        except Exception:
            log.exception("whether others have written could not be told; it is tried again")
        await asyncio.sleep(POLL_SECONDS)
