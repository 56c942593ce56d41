"""Keyboard shortcuts of the person who is signed in."""

from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from ..auth.context import Call
from ..auth.policies import person
from ..database.queries import sql
from ..database.store import Row
from ..errors import Conflict, NotFound
from ..ids import new_id
from ..pipeline.routing import routes
from ..schemas import Input, Output, Success

MODIFIERS = ("ctrl", "alt", "shift", "meta")


def _normalized(binding: str) -> str:
    *named, key = [part.strip() for part in binding.split("+")]
    if named and named[-1] == key == "":  # the key itself is +, as in ctrl++
        named, key = named[:-1], "+"
    modifiers = [modifier.lower() for modifier in named]
    if not set(modifiers) <= set(MODIFIERS) or len(set(modifiers)) < len(modifiers):
        raise ValueError("must be modifiers (ctrl, alt, shift, meta), each once, joined by +, then the key")
    if not key or key.lower() in MODIFIERS:
        raise ValueError("must end with a key")
    return "+".join([modifier for modifier in MODIFIERS if modifier in modifiers] + [key])


Action = Annotated[str, StringConstraints(max_length=100, pattern=r"^[A-Za-z][A-Za-z0-9_.-]*$")]
Binding = Annotated[str, StringConstraints(min_length=1, max_length=100), AfterValidator(_normalized)]


class Shortcut(Output):
    """What a key combination does for its user."""

    id: str
    action: str
    binding: str


class NewShortcut(Input):
    action: Action
    binding: Binding


class ShortcutEdit(Input):
    binding: Binding


def _row(call: Call, shortcut_id: str) -> Row:
    row = call.tx.one(sql.shortcuts.get, shortcut_id=shortcut_id, user_id=call.user_id)
    if row is None:
        raise NotFound("shortcut")
    return row


@routes.get("/settings/shortcuts", person())
def browse(call: Call) -> list[Shortcut]:
    """List the caller's shortcuts, oldest first."""
    return [Shortcut.of(row) for row in call.tx.all(sql.shortcuts.list, user_id=call.user_id)]


@routes.post("/settings/shortcuts", person())
def add(call: Call, body: NewShortcut) -> Shortcut:
    """Bind an action of the caller to a key combination; 409 shortcut_exists if it is bound already."""
    if call.tx.one(sql.shortcuts.find, user_id=call.user_id, action=body.action):
        raise Conflict("shortcut_exists", "You have a shortcut for that action; change that one.")
    shortcut_id = new_id("sc")
    call.tx.run(sql.shortcuts.create, id=shortcut_id, user_id=call.user_id, **body.model_dump())
    return Shortcut.of(_row(call, shortcut_id))


@routes.patch("/settings/shortcuts/{shortcut_id}", person())
def edit(call: Call, shortcut_id: str, body: ShortcutEdit) -> Shortcut:
    """Bind a shortcut of the caller to another key combination."""
    row = {**_row(call, shortcut_id), "binding": body.binding}
    call.tx.run(sql.shortcuts.update, shortcut_id=shortcut_id, binding=body.binding)
    return Shortcut.of(row)


@routes.delete("/settings/shortcuts/{shortcut_id}", person())
def remove(call: Call, shortcut_id: str) -> Success:
    """Remove a shortcut of the caller."""
    _row(call, shortcut_id)
    call.tx.run(sql.shortcuts.delete, shortcut_id=shortcut_id)
    return Success()
