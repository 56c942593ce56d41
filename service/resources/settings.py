"""Settings of the signed-in person: password, profile and theme."""

from typing import Annotated, Literal

from pydantic import MISSING, AfterValidator, Field

from ..auth.context import Call
from ..auth.passwords import check_password, hash_password
from ..auth.policies import person
from ..database.queries import sql
from ..errors import BadRequest, Conflict
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Input, Output, Password, Success, Timezone, Title
from ..text.handles import PATTERN, check_handle
from . import auth, sessions

Handle = Annotated[str, AfterValidator(check_handle), Field(json_schema_extra={"pattern": PATTERN})]


class PasswordChange(Input):
    current_password: str
    new_password: Password


class ProfileEdit(Input):
    full_name: Title | MISSING = MISSING
    handle: Handle | MISSING = MISSING
    timezone: Timezone | MISSING = MISSING


class ThemeEdit(Input):
    theme: Literal["light", "dark", "system"]


class Profile(Output):
    """The profile and settings of a person."""

    id: str
    email: str
    full_name: str
    handle: str
    avatar_url: str | None
    theme: str
    timezone: str


@routes.post("/settings/password", person(), grows=False)
async def change_password(operation: Operation[Call], body: PasswordChange) -> Success:
    """Change the password of the caller, which ends all sessions, including the current one; 400 wrong_password."""
    old_hash = await operation.read(lambda call: call.tx.value(sql.users.get_password_hash, user_id=call.user_id))
    if not await check_password(body.current_password, old_hash, operation.limit_key):
        raise BadRequest("wrong_password", "The current password is wrong.")
    new_hash = await hash_password(body.new_password, operation.limit_key)
    return await operation.write(lambda call: _store_password(call, old_hash, new_hash))


def _store_password(call: Call, old_hash: str, new_hash: str) -> Success:
    # The hash that was checked must still be stored, so that only one of two concurrent changes succeeds.
    user = {"user_id": call.user_id, "now": call.service.clock.monotonic_now(), "reset_by": None}
    if not call.tx.run(sql.users.update_password, password_hash=new_hash, old_hash=old_hash, **user):
        raise BadRequest("wrong_password", "The current password is wrong.")
    sessions.end_streams(call, call.user_id)
    return Success()


@routes.patch("/settings/profile", person())
def update_profile(call: Call, body: ProfileEdit) -> Profile:
    """Update the name, handle or time zone of the caller; 409 handle_taken if somebody else has the handle.

    It is taken if another account has it, or if an agent in an organization of the caller has it as id, in any case.

    Others mention the caller as `@handle`. A handle has 2 to 31 of a-z, 0-9 and hyphens, begins with a letter or digit,
    and is unique in the service; words such as `all`, `me` and `none` are reserved. After a change, earlier mentions
    still mention the caller. If the id of an agent equals a handle all the same (of somebody who has joined, or from
    before), `@` and that name mention the person.
    """
    if body.handle is not MISSING:
        _require_free_handle(call, body.handle)
    return _update(call, body.changes())


@routes.patch("/settings/theme", person())
def update_theme(call: Call, body: ThemeEdit) -> Profile:
    """Update the theme of the caller."""
    return _update(call, body.changes())


def _require_free_handle(call: Call, handle: str) -> None:
    """Raise handle_taken if another account or an agent has a handle; the caller's own one is free."""
    owner_id = call.tx.value(sql.users.find_by_handle, handle=handle)
    if owner_id == call.user_id:
        return
    if owner_id is not None:
        raise Conflict("handle_taken", "Another account has this handle; choose another one.")
    if call.tx.value(sql.agents.find_by_handle, handle=handle, user_id=call.user_id) is not None:
        message = "An agent of one of your organizations has this id; choose another handle."
        raise Conflict("handle_taken", message)


def _update(call: Call, changes: dict[str, str]) -> Profile:
    profile = Profile(**{**auth.get_user(call), **changes})
    call.tx.run(
        sql.users.update,
        user_id=call.user_id,
        full_name=profile.full_name,
        handle=profile.handle,
        timezone=profile.timezone,
        theme=profile.theme,
    )
    return profile
