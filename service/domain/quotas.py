"""Storage quota for the files of an organization (setting files_quota_bytes in bytes; 0: no limit).

The default applies only to organizations that are still below it; an explicitly set quota applies to all.
"""

from ..auth.context import Call
from ..config import Settings
from ..database.queries import sql
from ..errors import Conflict


def require_space(call: Call, added_bytes: int = 1) -> None:
    """Raise quota_exceeded if a file of `added_bytes` does not fit into the quota of the organization."""
    settings = call.service.settings
    if settings.files_quota_bytes:
        size = get_used_bytes(call, call.org_id)
        _require_room(settings, size, size + added_bytes)


def require_within_quota(call: Call) -> None:
    """Raise quota_exceeded if the files of the organization, including rows already written, exceed its quota."""
    require_space(call, 0)


def require_allowed_growth(call: Call, before: int, after: int) -> None:
    """Raise quota_exceeded if the files of the organization have grown beyond its quota; sizes are in bytes."""
    settings = call.service.settings
    if settings.files_quota_bytes and after > before:
        _require_room(settings, before, after)


def _require_room(settings: Settings, before: int, after: int) -> None:
    quota = get_quota_bytes(settings, before)
    if quota is not None and after > quota:
        raise _quota_exceeded(quota)


def get_quota_bytes(settings: Settings, used_bytes: int) -> int | None:
    """Return the quota of an organization that uses this many bytes for files, or None without any."""
    quota = settings.files_quota_bytes
    is_exempt = used_bytes > quota and not settings.is_files_quota_set
    return None if is_exempt else quota or None


def get_used_bytes(call: Call, org_id: str) -> int:
    """Return the total size of the files of an organization in bytes."""
    return int(call.tx.value(sql.files.total_size, org_id=org_id))


def _quota_exceeded(quota: int) -> Conflict:
    message = (
        f"The files of the organization would exceed its quota of {quota:,} bytes; delete some, or ask an operator."
    )
    return Conflict("quota_exceeded", message, quotaBytes=quota)
