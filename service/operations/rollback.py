"""Rollback to the copy of the database from before the last migration."""

from dataclasses import dataclass
from pathlib import Path

from ..clock import now
from ..config import ConfigError, Settings
from ..database import copies
from ..database.queries import sql
from ..database.store import Row
from . import event_ids, folder


@dataclass(frozen=True)
class RollbackPlan:
    """The copy to which a rollback returns, and the changes since then that it loses."""

    copy: Path
    current: int  # schema versions
    older: int
    lost: list[Row] | None  # number of events by type; None if the copy has no events table

    def describe(self) -> list[str]:
        """Return lines that say what is lost."""
        lines = [f"From schema {self.current} back to {self.older}, to {self.copy}."]
        if self.lost is None:
            return [*lines, "All changes since that copy are lost; the copy is too old to list them."]
        if not self.lost:
            return [*lines, "Nothing was written since."]
        total, last = sum(row["count"] for row in self.lost), max(row["last_at"] for row in self.lost)
        lines.append(f"These {total} changes since then are lost, the last of {last}:")
        return lines + [f"  {row['count']:>8}  {row['type']}" for row in self.lost]


def plan_rollback(settings: Settings) -> RollbackPlan:
    """Return the plan of a rollback; raise ConfigError if there is no copy of an older schema."""
    if not settings.database.is_file():
        raise ConfigError(f"{settings.database}: there is no database; restore a backup")
    copies.checkpoint(settings.database)
    found = copies.find_copy_before_migration(settings.database)
    current = copies.get_schema_version(settings.database)
    if found is None:
        raise ConfigError(f"{settings.database}: has schema {current}, and there is no copy of an older schema")
    copies.checkpoint(found)
    return RollbackPlan(found, current, copies.get_schema_version(found), _lost(found, settings.database))


def _lost(copy: Path, database: Path) -> list[Row] | None:
    try:
        with copies.open_for_reading(copy) as old:
            last = old.value(sql.operations.last_event_id)
        with copies.open_for_reading(database) as tx:
            return tx.all(sql.operations.count_events_since, event_id=last)
    except copies.Error:  # a schema that had no events yet
        return None


def apply(settings: Settings, planned: RollbackPlan) -> Path:
    """Replace the database by the copy, and return the path to which the database was moved."""
    if damage := copies.find_problems(planned.copy):
        raise ConfigError(f"{planned.copy}: is damaged, nothing was changed: {damage[0]}")
    event_ids.skip_used(planned.copy, event_ids.get_last(settings.database))
    time = now()[:19].replace(":", "-")
    aside = settings.database.with_name(f"{settings.database.name}.rolled-back-{planned.current:04}-{time}")
    copies.replace_database(settings.database, planned.copy, aside)
    folder.flush_to_disk(settings.data_path)
    return aside
