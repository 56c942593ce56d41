"""How many bytes the files of an organization may have together (setting files_quota_bytes, 0: no bound).

Unless the setting was set explicitly, an organization that already holds more than its default keeps uploading.
"""

from ..auth.context import Call
from ..config import Settings
from ..database.queries import sql
from ..errors import Conflict


def require_space(call: Call, more: int = 1) -> None:
    """Refuse a file that the organization has no room for (quota_exceeded)."""
    settings = call.service.settings
    if settings.files_quota_bytes:
        size = get_used_bytes(call, call.org_id)
        _require_room(settings, size, size + more)


def require_within_quota(call: Call) -> None:
    """Raise quota_exceeded if the files of the organization have more bytes than they may; their rows count already."""
    require_space(call, 0)


def require_allowed_growth(call: Call, before: int, after: int) -> None:
    """Refuse what makes the files of an organization more than they may be, and more than they were."""
    settings = call.service.settings
    if settings.files_quota_bytes and after > before:
        _require_room(settings, before, after)


def _require_room(settings: Settings, before: int, after: int) -> None:
    quota = settings.files_quota_bytes
    is_spared = before > quota and not settings.is_files_quota_set
    if after > quota and not is_spared:
        raise _quota_exceeded(quota)


def get_used_bytes(call: Call, org_id: str) -> int:
    """Tell how many bytes the files of an organization have."""
    return int(call.tx.value(sql.files.total_size, org_id=org_id))


def _quota_exceeded(quota: int) -> Conflict:
    message = f"The files of the organization may have {quota:,} bytes together; remove some, or ask an operator."
    return Conflict("quota_exceeded", message, quotaBytes=quota)
