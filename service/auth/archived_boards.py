"""The 404 for resources on an archived board: only people who may restore the board can tell it from any other 404."""

from ..database.queries import sql
from ..errors import NotFound
from .context import Call


def not_found_on_board(call: Call, resource: str) -> NotFound:
    """Return the error for a resource on an archived board."""
    may_restore = call.membership is not None and "update" in call.membership.actions.get("Archive", ())
    return NotFound(resource, is_on_archived_board=may_restore)


def not_found(call: Call, resource: str, resource_id: str) -> NotFound:
    """Return the error for an id that names no active resource; it may name one that was archived with its board."""
    is_archived = call.tx.value(sql.access.is_archived_with_board, id=resource_id, org_id=call.org_id)
    return not_found_on_board(call, resource) if is_archived else NotFound(resource)
