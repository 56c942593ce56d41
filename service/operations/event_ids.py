"""Event ids after a database was replaced by an older copy."""

from pathlib import Path

from ..clock import now
from ..database import copies
from ..database.queries import sql


def skip_used(database: Path, last_id: int = 0) -> None:
    """Let event ids continue at the next multiple of 1,000,000 after those of a database and after `last_id`.

    Clients may know events that the copy does not have. Their positions must not name other events later: positions
    before the event of the restore get `reset`. Nothing else may have the database open.
    """
    with copies.open_for_writing(database) as tx:
        if tx.value(sql.operations.has_events):
            tx.run(sql.operations.create_restore_event, now=now(), last_id=last_id)
    copies.checkpoint(database)


def get_last(database: Path) -> int:
    """Return the id of the last event of a database that nothing writes to; 0 if it has no event log."""
    with copies.open_for_reading(database) as tx:
        return tx.value(sql.operations.last_event_id) if tx.value(sql.operations.has_events) else 0
