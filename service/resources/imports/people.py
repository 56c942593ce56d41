"""Who may import, who the people of a snapshot are here, and what their roles may do in an organization that is new."""

from ...auth.context import Call
from ...auth.policies import SA
from ...database.queries import sql
from ...database.store import Tx
from ...errors import Forbidden
from ...schemas import json_text
from ..permissions import SEED
from .staging import Staged

ACTIONS = ("read", "create", "update", "delete", "transition", "comment")


def judge(call: Call, org_id: str) -> None:
    """Refuse whoever may not import into an organization that is there."""
    known = call.tx.one(sql.imports.get_organization, id=org_id)
    if known is None:
        return
    if call.tx.value(sql.imports.get_role, org_id=org_id, user_id=call.user_id) != SA:
        message = "The snapshot's organization exists; only a Solution Architect of it may import into it."
        raise Forbidden("sa_required", message)
    if known["archived_at"] and known["owner_id"] != call.user_id:
        raise Forbidden("sa_required", "The snapshot's organization is archived; only its owner may import into it.")


class People:
    """Finds members: by id, else by e-mail."""

    def __init__(self, tx: Tx, org_id: str, staged: Staged) -> None:
        self._tx = tx
        self._org_id = org_id
        self._staged = staged
        self._others: dict[str, str] | None = None  # ids of the snapshot -> members with the same e-mail

    def member(self, user_id: str | None) -> str | None:
        """Give the member whom an id of the snapshot stands for, or None."""
        if user_id is None or self._is_member(user_id):
            return user_id
        if self._others is None:
            self._others = self._by_email()
        return self._others.get(user_id)

    def _is_member(self, user_id: str) -> bool:
        return self._tx.value(sql.imports.get_role, org_id=self._org_id, user_id=user_id) is not None

    def _by_email(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for _, row in self._staged.rows("users"):
            if row["email"]:
                key = row["email"].lower()
                here = self._tx.value(sql.imports.find_member_by_email, org_id=self._org_id, email_key=key)
                found |= {row["id"]: here} if here else {}
        return found


def permit(tx: Tx, org_id: str, staged: Staged) -> None:
    """Let the roles of a new organization do what they may where the snapshot comes from."""
    for _, row in staged.rows("permissions"):
        if row["resource"] in SEED.get(row["role"], {}):
            actions = json_text([action for action in ACTIONS if action in row["actions"]])
            place = {"org_id": org_id, "role": row["role"], "resource": row["resource"]}
            tx.run(sql.imports.update_permission, actions=actions, **place)
