"""The last backup of the service."""

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
    problem: str | None = Field(description="What is wrong with the last one, as a sentence.")


@routes.get("/admin/backups", architect(), on_reader_thread=True)
def get_backups(call: Call) -> Backups:
    """Return when the last backup was made and verified (SA)."""
    record = copy_ages.read_record(call.service.settings.data_path)
    if record is None:
        return Backups(last=None, next=None, problem=None)
    missing = int(record.get("missing", {}).get(call.org_id, 0))
    last = LastBackup(at=record["at"], verified_at=record.get("verifiedAt"), missing=missing)
    return Backups(last=last, next=None, problem=DAMAGED if record.get("isDamaged") else None)
