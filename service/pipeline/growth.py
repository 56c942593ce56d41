"""Bounds of what requests may add to the database: the free space on its disk, and the quota of an organization.

Beyond them every write is denied, except on routes without `grows` (see Routes): requests that free space or end work
are still served.
"""

from ..auth.context import Call, Service
from ..errors import Conflict


def require_room(call: Call) -> None:
    """Raise unavailable if the disk of the database is nearly full, quota_exceeded if the organization has no room."""
    call.service.disk_space.require_in_data_folder()
    require_quota(call.service, call.org_id)


def require_quota(service: Service, org_id: str, added_bytes: int = 1) -> None:
    """Raise quota_exceeded if `added_bytes` do not fit into the quota of an organization (database_quota_bytes)."""
    quota, used_bytes = get_quota_bytes(service, org_id), service.database_usage.get_used_bytes(org_id)
    if quota is None or used_bytes + added_bytes <= quota:
        return
    message = (
        f"The organization uses {used_bytes:,} of its {quota:,} bytes of the database, and nothing was changed; delete"
        " archived boards and cards permanently, or ask an operator for more."
    )
    raise Conflict("quota_exceeded", message, resource="database", quotaBytes=quota, usedBytes=used_bytes)


def get_quota_bytes(service: Service, org_id: str) -> int | None:
    """Return the quota of an organization in bytes, or None without any.

    The default does not bind an organization that used more before there was a quota.
    """
    settings = service.settings
    is_exempt = service.database_usage.is_exempt(org_id) and not settings.is_database_quota_set
    return None if is_exempt else settings.database_quota_bytes or None
