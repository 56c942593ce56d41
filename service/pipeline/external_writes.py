"""Other programs that write to the database: what is remembered of people is forgotten once one has.

The operator's commands do so beside a running service: a new password, another Solution Architect.
"""

import asyncio
import logging

from ..auth.context import Service
from ..database.queries import sql
from ..errors import Unavailable

POLL_SECONDS = 1.0
log = logging.getLogger("service")


async def keep_watch(service: Service) -> None:
    """Look once a second whether another program has written, and if so drop all caches. Runs until cancelled."""
    any_commit: int | None = None
    foreign_commit: int | None = None
    while True:
        try:
            # The number is about all connections but the one that asks: only the writer can tell commits of other
            # programs from its own. It is asked only after a commit, so that an idle service leaves it alone.
            if (version := service.store.data_version()) != any_commit:
                found = await service.store.write(lambda tx: int(tx.value(sql.access.data_version)))
                if foreign_commit is not None and found != foreign_commit:
                    _drop_caches(service)
                any_commit, foreign_commit = version, found
        except Unavailable:
            pass  # the store has told why
        except Exception:
            log.exception("whether others have written could not be told; it is tried again")
        await asyncio.sleep(POLL_SECONDS)


def _drop_caches(service: Service) -> None:
    service.forget_people()
    service.boards.clear()  # of organizations without a revision too
    service.pages.clear()
    for org_id in list(service.revisions):
        service.changed(org_id)
