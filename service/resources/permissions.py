"""Permissions: the actions that each role is allowed on each resource."""

from typing import Annotated, Literal

from pydantic import Field

from ..auth.context import Call
from ..auth.policies import architect, member
from ..database.queries import sql
from ..database.store import Tx
from ..ids import new_id
from ..pipeline.routing import routes
from ..schemas import Input, Output, StoredJson, json_text
from . import events

_ALL = ["read", "create", "update", "delete"]
DEFAULT_PERMISSIONS = {
    "SolutionArchitect": {
        "Card": [*_ALL, "transition", "comment"],
        "Project": _ALL,
        "Column": _ALL,
        "CardType": _ALL,
        "Field": _ALL,
        "Transition": _ALL,
        "Relationship": _ALL,
        "File": ["read", "create", "delete"],
        "Prompt": _ALL,
        "ToolServer": _ALL,
        "Analytics": ["read"],
        "Archive": ["read", "update", "delete"],
    },
    "Member": {
        "Card": ["read", "create", "update", "transition", "comment"],
        "Project": ["read"],
        "Column": ["read"],
        "CardType": ["read"],
        "Field": ["read"],
        "Transition": ["read"],
        "Relationship": ["read", "create", "delete"],
        "File": ["read", "create"],
        "Prompt": ["read"],
        "ToolServer": ["read"],
        "Analytics": ["read"],
        "Archive": ["read", "update"],
    },
}


class Permission(Output):
    """The actions that one role is allowed on one resource."""

    id: str
    role: str
    resource: str
    actions: Annotated[list[str], StoredJson]


class PermissionEdit(Input):
    actions: Annotated[
        list[Literal["read", "create", "update", "delete", "transition", "comment"]], Field(max_length=100)
    ]


def create_default_permissions(tx: Tx, org_id: str) -> None:
    """Create the default permissions of a new organization."""
    for role, resources in DEFAULT_PERMISSIONS.items():
        for resource, actions in resources.items():
            tx.run(
                sql.permissions.create,
                id=new_id("perm"),
                org_id=org_id,
                role=role,
                resource=resource,
                actions=json_text(actions),
            )


@routes.get("/permissions", member(), tagged=True)
def list_permissions(call: Call) -> list[Permission]:
    """List the permissions of the current organization."""
    return [Permission.of(row) for row in call.tx.all(sql.permissions.list, org_id=call.org_id)]


@routes.patch("/permissions/{permission_id}", architect())
def update_permission(call: Call, permission_id: str, body: PermissionEdit) -> Permission:
    """Replace the actions that a role is allowed on a resource (SA).

    The role and the resource cannot be changed. An unknown action fails with 400.
    """
    row = call.require(sql.permissions.get, "permission", permission_id=permission_id, org_id=call.org_id)
    actions = json_text(list(dict.fromkeys(body.actions)))
    call.tx.run(sql.permissions.update, permission_id=permission_id, actions=actions)
    if actions != row["actions"]:
        events.record(call, "permission.updated")
    return Permission.of({**row, "actions": actions})
