"""The last backup of the service."""

from typing import Any

from pydantic import Field

from ..auth.context import Call
from ..auth.policies import architect
from ..pipeline.routing import routes
from ..runtime import copy_ages
from ..schemas import Output

DAMAGED = "The last backup is damaged. The operator has to make another one."


class LastBackup(Output):
    """The last backup that the service knows."""

    at: str
    verified_at: str | None = Field(description="When it was last verified; null if it was not, or is damaged.")
    missing: int = Field(description="Files of the current organization whose contents it lacks.")


class Backups(Output):
    """The state of the backups of the service."""

    last: LastBackup | None
    next: str | None = Field(description="When the service makes the next one; null without a schedule.")
    problem: str | None = Field(description="What is wrong with the last one or the schedule, as a sentence.")


@routes.get("/admin/backups", architect(), on_reader_thread=True)
def get_backups(call: Call) -> Backups:
    """Return when the last backup was made and verified (SA)."""
    schedule, record = call.service.scheduled_backups, copy_ages.read_record(call.service.settings.data_path)
    found = schedule.find_problem()
    problem = found.message if found else DAMAGED if record and record.get("isDamaged") else None
    return Backups(last=_build_last(call, record) if record else None, next=schedule.get_next(), problem=problem)


def _build_last(call: Call, record: dict[str, Any]) -> LastBackup:
    missing = int(record.get("missing", {}).get(call.org_id, 0))
    return LastBackup(at=record["at"], verified_at=record.get("verifiedAt"), missing=missing)
