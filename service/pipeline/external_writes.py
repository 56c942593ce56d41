"""Detection of database writes by other programs, which make the caches of the service outdated.

The commands of the operator write beside a running service, for example to set a password.
"""

import asyncio
import logging

from ..auth.context import Service
from ..database.queries import sql
from ..errors import Unavailable

POLL_SECONDS = 1.0
log = logging.getLogger("service")


async def watch_external_writes(service: Service) -> None:
    """Check every second whether another program has written, and if so clear all caches. Run until cancelled."""
    any_commit: int | None = None
    foreign_commit: int | None = None
    while True:
        try:
            # PRAGMA data_version ignores commits of its own connection, so only the writer can tell commits of other
            # programs from those of the service. It is used only after a commit, so an idle service does no work.
            if (version := service.store.data_version()) != any_commit:
                found = await service.store.write(lambda tx: int(tx.value(sql.access.data_version)))
                if foreign_commit is not None and found != foreign_commit:
                    _drop_caches(service)
                any_commit, foreign_commit = version, found
        except Unavailable:
            pass  # the store has logged the reason
        except Exception:
            log.exception("the check for writes of other programs failed and will be retried")
        await asyncio.sleep(POLL_SECONDS)


def _drop_caches(service: Service) -> None:
    service.clear_credential_cache()
    service.board_cache.clear()  # includes organizations without a revision
    service.card_page_cache.clear()
    for org_id in list(service.revisions):
        service.notify_change(org_id)
