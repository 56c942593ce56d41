"""How much room the data of an organization takes, for its Solution Architects."""

from pydantic import Field

from ..auth.context import Call
from ..auth.policies import architect
from ..domain import quotas
from ..pipeline import growth
from ..pipeline.routing import routes
from ..schemas import Output


class Use(Output):
    """Bytes that are used, and how many may be."""

    used_bytes: int
    quota_bytes: int | None = Field(description="null if no quota is in force for the organization.")


class Storage(Output):
    """The use of the database, which is an estimate, and of the uploaded files."""

    database: Use
    files: Use


@routes.get("/admin/storage", architect())
def get_storage(call: Call) -> Storage:
    """Return how many bytes the current organization uses in the database and for files, with its quotas (SA).

    The use of the database is an estimate: the bytes by which it grew with each change of the organization.
    """
    service, files_bytes = call.service, quotas.get_used_bytes(call, call.org_id)
    database_bytes = service.database_usage.get_used_bytes(call.org_id)
    return Storage(
        database=Use(used_bytes=database_bytes, quota_bytes=growth.get_quota_bytes(service, call.org_id)),
        files=Use(used_bytes=files_bytes, quota_bytes=quotas.get_quota_bytes(service.settings, files_bytes)),
    )
