"""How many bytes the files of an organization may have together (setting files_quota_bytes, 0: no bound)."""

from ..database.queries import sql
from ..errors import Conflict
from ..journey.call import Call


def judge(call: Call, more: int = 1) -> None:
    """Refuse a file that the organization has no room for (quota_exceeded)."""
    quota = call.service.settings.files_quota_bytes
    if quota and used(call, call.org_id) + more > quota:
        raise _exceeded(quota)


def require_within(call: Call) -> None:
    """Raise quota_exceeded if the files of the organization have more bytes than they may; their rows count already."""
    judge(call, 0)


def judge_growth(call: Call, before: int, after: int) -> None:
    """Refuse what makes the files of an organization more than they may be, and more than they were."""
    quota = call.service.settings.files_quota_bytes
    if quota and after > max(quota, before):
        raise _exceeded(quota)


def used(call: Call, org_id: str) -> int:
    """Tell how many bytes the files of an organization have."""
    return int(call.tx.value(sql.files.size, org_id=org_id))


def _exceeded(quota: int) -> Conflict:
    message = f"The files of the organization may have {quota:,} bytes together; remove some, or ask an operator."
    return Conflict("quota_exceeded", message, quotaBytes=quota)
