"""A person's own settings: password, profile, theme."""

from functools import cache
from typing import Annotated, Literal

from pydantic import MISSING, AfterValidator

from ..auth.context import Call
from ..auth.passwords import check_password, hash_password
from ..auth.policies import person
from ..database.queries import sql
from ..errors import BadRequest
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Input, Name, Output, Password, Success
from . import auth


@cache
def _timezones() -> set[str]:
    from zoneinfo import available_timezones  # a MB that most processes never need

    return available_timezones()


def _known_timezone(name: str) -> str:
    if name not in _timezones():
        raise ValueError("must be an IANA time zone, for example Europe/Berlin")
    return name


class PasswordChange(Input):
    current_password: str
    new_password: Password


class ProfileEdit(Input):
    full_name: Name | MISSING = MISSING
    timezone: Annotated[str, AfterValidator(_known_timezone)] | MISSING = MISSING


class ThemeEdit(Input):
    theme: Literal["light", "dark", "system"]


class Profile(Output):
    """A person's own settings."""

    id: str
    email: str
    full_name: str
    avatar_url: str | None
    theme: str
    timezone: str


@routes.post("/settings/password", person())
async def change_password(operation: Operation[Call], body: PasswordChange) -> Success:
    """Change the caller's password, which ends all their earlier tokens; 400 wrong_password."""
    stored = await operation.read(lambda call: call.tx.value(sql.users.get_password_hash, user_id=call.user_id))
    if not await check_password(body.current_password, stored, operation.limit_key):
        raise BadRequest("wrong_password", "The current password is wrong.")
    fresh = await hash_password(body.new_password, operation.limit_key)
    return await operation.write(lambda call: _store_password(call, stored, fresh))


def _store_password(call: Call, stored: str, fresh: str) -> Success:
    # Only over the hash that was checked: of two changes at once, one must lose.
    about = {"user_id": call.user_id, "now": call.service.clock.following()}
    if not call.tx.run(sql.users.update_password, password_hash=fresh, old_hash=stored, **about):
        raise BadRequest("wrong_password", "The current password is wrong.")
    return Success()


@routes.patch("/settings/profile", person())
def edit_profile(call: Call, body: ProfileEdit) -> Profile:
    """Change the caller's name or time zone."""
    return _edit(call, body.changes())


@routes.patch("/settings/theme", person())
def edit_theme(call: Call, body: ThemeEdit) -> Profile:
    """Change the caller's theme."""
    return _edit(call, body.changes())


def _edit(call: Call, changes: dict[str, str]) -> Profile:
    profile = Profile(**{**auth.get_user(call), **changes})
    call.tx.run(
        sql.users.update,
        user_id=call.user_id,
        full_name=profile.full_name,
        timezone=profile.timezone,
        theme=profile.theme,
    )
    return profile
