"""Keyboard shortcuts of the signed-in person."""

from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from ..auth.context import Call
from ..auth.policies import person
from ..database.queries import sql
from ..errors import Conflict
from ..ids import new_id
from ..pipeline.routing import routes
from ..schemas import Input, Output, Success

MODIFIERS = ("ctrl", "alt", "shift", "meta")


def _normalize_binding(binding: str) -> str:
    *names, key = [part.strip() for part in binding.split("+")]
    if names and names[-1] == key == "":  # the key itself is +, as in ctrl++
        names, key = names[:-1], "+"
    modifiers = [modifier.lower() for modifier in names]
    if not set(modifiers) <= set(MODIFIERS) or len(set(modifiers)) < len(modifiers):
        raise ValueError("must be modifiers (ctrl, alt, shift, meta), each once, joined by +, then the key")
    if not key or key.lower() in MODIFIERS:
        raise ValueError("must end with a key")
    return "+".join([modifier for modifier in MODIFIERS if modifier in modifiers] + [key])


Action = Annotated[str, StringConstraints(max_length=100, pattern=r"^[A-Za-z][A-Za-z0-9_.-]*$")]
Binding = Annotated[str, StringConstraints(min_length=1, max_length=100), AfterValidator(_normalize_binding)]


class Shortcut(Output):
    """A keyboard shortcut: the action that a key combination performs."""

    id: str
    action: str
    binding: str


class NewShortcut(Input):
    action: Action
    binding: Binding


class ShortcutEdit(Input):
    binding: Binding


def _require_shortcut(call: Call, shortcut_id: str) -> "sql.shortcuts.GetRow":
    return call.require(sql.shortcuts.get, "shortcut", shortcut_id=shortcut_id, user_id=call.user_id)


@routes.get("/settings/shortcuts", person())
def list_shortcuts(call: Call) -> list[Shortcut]:
    """List the keyboard shortcuts of the caller, oldest first."""
    return [Shortcut.of(row) for row in call.tx.all(sql.shortcuts.list, user_id=call.user_id)]


@routes.post("/settings/shortcuts", person())
def create_shortcut(call: Call, body: NewShortcut) -> Shortcut:
    """Create a keyboard shortcut for an action; 409 shortcut_exists if the caller already has one for it."""
    if call.tx.one(sql.shortcuts.find, user_id=call.user_id, action=body.action):
        raise Conflict("shortcut_exists", "You already have a shortcut for this action; update that shortcut.")
    shortcut_id = new_id("sc")
    call.tx.run(sql.shortcuts.create, id=shortcut_id, user_id=call.user_id, **body.model_dump())
    return Shortcut.of(_require_shortcut(call, shortcut_id))


@routes.patch("/settings/shortcuts/{shortcut_id}", person())
def update_shortcut(call: Call, shortcut_id: str, body: ShortcutEdit) -> Shortcut:
    """Change the key combination of a keyboard shortcut of the caller."""
    row = {**_require_shortcut(call, shortcut_id), "binding": body.binding}
    call.tx.run(sql.shortcuts.update, shortcut_id=shortcut_id, binding=body.binding)
    return Shortcut.of(row)


@routes.delete("/settings/shortcuts/{shortcut_id}", person())
def delete_shortcut(call: Call, shortcut_id: str) -> Success:
    """Delete a keyboard shortcut of the caller."""
    _require_shortcut(call, shortcut_id)
    call.tx.run(sql.shortcuts.delete, shortcut_id=shortcut_id)
    return Success()
