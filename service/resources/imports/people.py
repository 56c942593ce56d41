"""Permission to import, mapping of the people of a snapshot to members, and permissions of a new organization."""

from ...auth.context import Call
from ...auth.policies import SA
from ...database.queries import sql
from ...database.store import Tx
from ...errors import Forbidden
from ...schemas import json_text
from ..permissions import DEFAULT_PERMISSIONS
from .staging import StagedSnapshot

MISSING_MAX = 200  # e-mail addresses that a report lists
ACTIONS = ("read", "create", "update", "delete", "transition", "comment")


def require_import_permission(call: Call, org_id: str) -> None:
    """Raise sa_required if the caller may not import into an existing organization."""
    existing = call.tx.one(sql.imports.get_organization, id=org_id)
    if existing is None:
        return
    if call.tx.value(sql.imports.get_role, org_id=org_id, user_id=call.user_id) != SA:
        message = "The snapshot's organization exists; only its Solution Architects may import into it."
        raise Forbidden("sa_required", message)
    if existing["archived_at"] and existing["owner_id"] != call.user_id:
        raise Forbidden("sa_required", "The snapshot's organization is archived; only its owner may import into it.")


class People:
    """Finds members by id, else by e-mail address."""

    def __init__(self, tx: Tx, org_id: str, staged: StagedSnapshot) -> None:
        self._tx = tx
        self._org_id = org_id
        self._staged = staged
        self._members_by_email: dict[str, str] | None = None  # ids of the snapshot -> members with the same address

    def find_member(self, user_id: str | None) -> str | None:
        """Return the id of the member for a person of the snapshot, or None."""
        if user_id is None or self._is_member(user_id):
            return user_id
        if self._members_by_email is None:
            self._members_by_email = self._match_by_email()
        return self._members_by_email.get(user_id)

    def list_missing(self) -> list[str]:
        """Return the e-mail addresses of the snapshot's people who are no members, at most MISSING_MAX of them."""
        missing: set[str] = set()
        for _, row in self._staged.rows("users"):
            if row["email"] and len(missing) < MISSING_MAX and self.find_member(row["id"]) is None:
                missing.add(row["email"].lower())
        return sorted(missing)

    def _is_member(self, user_id: str) -> bool:
        return self._tx.value(sql.imports.get_role, org_id=self._org_id, user_id=user_id) is not None

    def _match_by_email(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for _, row in self._staged.rows("users"):
            if row["email"]:
                user_id = self._tx.value(sql.users.find_by_email, email_key=row["email"].lower())
                found |= {row["id"]: user_id} if user_id and self._is_member(user_id) else {}
        return found


def copy_permissions(tx: Tx, org_id: str, staged: StagedSnapshot) -> None:
    """Set the permissions of the roles of a new organization to those of the snapshot."""
    for _, row in staged.rows("permissions"):
        if row["resource"] in DEFAULT_PERMISSIONS.get(row["role"], {}):
            actions = json_text([action for action in ACTIONS if action in row["actions"]])
            keys = {"org_id": org_id, "role": row["role"], "resource": row["resource"]}
            tx.run(sql.imports.update_permission, actions=actions, **keys)
