"""Detection of database writes by other programs, which make the caches of the service outdated.

Operator commands, for example to set a password, write to the database while the service runs.
"""

import asyncio
import logging

from ..auth.context import Service
from ..database.queries import sql
from ..errors import Unavailable

POLL_SECONDS = 0.5
log = logging.getLogger("service")


async def watch_external_writes(service: Service) -> None:
    """Check twice a second whether another program has written, and if so clear all caches. Runs until cancelled."""
    last_commit: int | None = None
    last_external_commit: int | None = None
    while True:
        try:
            # PRAGMA data_version ignores commits of its own connection, so only the writer can tell commits of other
            # programs from those of the service. It is used only after a commit, so an idle service does no work.
            if (version := service.store.data_version()) != last_commit:
                found = await service.store.write(lambda tx: int(tx.value(sql.access.data_version)))
                if last_external_commit is not None and found != last_external_commit:
                    _clear_caches(service)
                last_commit, last_external_commit = version, found
        except Unavailable:
            pass  # the store has logged the reason
        except Exception:
            log.exception("the check for writes of other programs failed and will be retried")
        await asyncio.sleep(POLL_SECONDS)


def _clear_caches(service: Service) -> None:
    service.clear_credential_cache()
    service.board_cache.clear()  # entries of all organizations, also of those without a revision
    service.card_page_cache.clear()
    for org_id in list(service.revisions):
        service.notify_change(org_id)
    service.listeners.check_all_access()
