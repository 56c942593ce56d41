"""Rolling back: to the copy of the database that was made before it was last migrated."""

from dataclasses import dataclass
from pathlib import Path

from ..clock import now
from ..config import ConfigError, Settings
from ..database import copies
from ..database.queries import sql
from ..database.store import Row
from . import folder


@dataclass(frozen=True)
class Plan:
    """What a rollback would do: which copy it takes, and what was written since."""

    copy: Path
    current: int  # schema versions
    older: int
    lost: list[Row] | None  # by kind; None if neither knows what happened

    def told(self) -> list[str]:
        """Say in lines what is lost."""
        lines = [f"From schema {self.current} back to {self.older}, to {self.copy}."]
        if self.lost is None:
            return [*lines, "What was written since that copy is lost; the databases do not tell what that is."]
        if not self.lost:
            return [*lines, "Nothing was written since."]
        total, last = sum(row["count"] for row in self.lost), max(row["last_at"] for row in self.lost)
        lines.append(f"These {total} changes since then are lost, the last of {last}:")
        return lines + [f"  {row['count']:>8}  {row['type']}" for row in self.lost]


def plan(settings: Settings) -> Plan:
    """Find out what a rollback would do; raise ConfigError if there is no copy of an older schema."""
    if not settings.database.is_file():
        raise ConfigError(f"{settings.database}: there is no database; restore a backup")
    copies.checkpoint(settings.database)
    found = copies.before(settings.database)
    current = copies.version(settings.database)
    if found is None:
        raise ConfigError(f"{settings.database}: has schema {current}, and no copy of an older one is beside it")
    copies.checkpoint(found)
    return Plan(found, current, copies.version(found), _lost(found, settings.database))


def _lost(copy: Path, database: Path) -> list[Row] | None:
    try:
        with copies.looking(copy) as old:
            last = old.value(sql.operations.last_event_id)
        with copies.looking(database) as tx:
            return tx.all(sql.operations.count_events_since, event_id=last)
    except copies.Error:  # a schema that had no events yet
        return None


def carry_out(settings: Settings, planned: Plan) -> Path:
    """Put the copy in the place of the database, and give where the database is kept."""
    if damage := copies.problems(planned.copy):
        raise ConfigError(f"{planned.copy}: is damaged, nothing was changed: {damage[0]}")
    moment = now()[:19].replace(":", "-")
    aside = settings.database.with_name(f"{settings.database.name}.rolled-back-{planned.current:04}-{moment}")
    copies.replace(settings.database, planned.copy, aside)
    folder.through_to_disk(settings.data_path)
    return aside
