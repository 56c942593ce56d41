"""Account commands: set a new password, create a Solution Architect. They can run while the service runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..auth.passwords import hash_password_sync, new_password
from ..auth.policies import SA
from ..config import ConfigError, Settings
from ..database import copies, migrate
from ..database.queries import sql
from ..database.store import Row, Tx
from ..resources import members, organizations

TITLE = "My organization"


@dataclass(frozen=True)
class AccountChange:
    """The result of an account command."""

    email: str
    password: str | None  # if it was generated
    organization: str | None = None  # title of the organization, for create_admin


def _require_current_schema(settings: Settings) -> None:
    """Raise ConfigError unless the database exists and has the schema of this program."""
    if not settings.database.is_file():
        raise ConfigError(f"{settings.database}: there is no database; start the service once, or set data_path")
    with copies.open_for_reading(settings.database, is_live=True) as tx:
        found, expected = tx.value(sql.operations.schema_version), migrate.schema_version()
    if found != expected:
        advice = "start the service once" if found < expected else "use the version that created it"
        raise ConfigError(f"{settings.database}: has schema {found}, and this program requires {expected}; {advice}")


def reset_password(settings: Settings, email: str, password: str | None) -> AccountChange:
    """Set a new password, which ends all sessions of the person; raise ConfigError if the account does not exist.

    Generates a password if None is passed.
    """
    _require_current_schema(settings)
    new = password or new_password()
    password_hash = hash_password_sync(new)  # takes 0.25 s, so it runs before the transaction
    with copies.open_for_writing(settings.database) as tx:
        user = tx.one(sql.users.find_by_email, email_key=email.lower())
        if user is None:
            raise ConfigError(f"{email}: no account has this e-mail address; create one with create-admin")
        stored = {"user_id": user["id"], "old_hash": user["password_hash"], "reset_by": None}
        ended_at = max(tx.now, tx.value(sql.operations.latest_timestamp) or "")  # the clock may have gone backwards
        tx.run(sql.users.update_password, password_hash=password_hash, now=ended_at, **stored)
    return AccountChange(user["email"], None if password else new)


def create_admin(settings: Settings, email: str, org_id: str | None, password: str | None) -> AccountChange:
    """Make a person Solution Architect of an organization, by default of the only one.

    An existing account keeps its password. If there is no organization, one is created. Raises ConfigError if there
    are several and `org_id` is None.
    """
    _require_current_schema(settings)
    new = password or new_password()
    password_hash = hash_password_sync(new)
    with copies.open_for_writing(settings.database) as tx:
        organization = _select_organization(tx, org_id)
        user = tx.one(sql.users.find_by_email, email_key=email.lower())
        user_id = user["id"] if user else _create_user(tx, email, password_hash, organization)
        title = _make_architect(tx, user_id, organization)
    return AccountChange(email, None if user or password else new, title)


def _create_user(tx: Tx, email: str, password_hash: str, organization: Row | None) -> str:
    user = members.NewUser(email, email.partition("@")[0], password_hash)
    return members.create_user(tx, user, organization["id"] if organization else None)


def _select_organization(tx: Tx, org_id: str | None) -> Row | None:
    found = tx.all(sql.operations.list_organizations)
    named = [row for row in found if org_id in (None, row["id"])]
    if org_id is not None and not named:
        raise ConfigError(f"{org_id}: no such organization; the organizations are {_format_organizations(found)}")
    if len(named) > 1:
        choices = _format_organizations(found)
        raise ConfigError(f"there are several organizations; name one with --organization: {choices}")
    return named[0] if named else None


def _format_organizations(found: Sequence[Row]) -> str:
    return ", ".join(f"{row['id']} ({row['title']})" for row in found[:20]) or "none"


def _make_architect(tx: Tx, user_id: str, organization: Row | None) -> str:
    """Make a person Solution Architect of an organization, or of a new one, and return its title."""
    if organization is None:
        organizations.insert_organization(tx, user_id, TITLE)
        return TITLE
    key = {"org_id": organization["id"], "user_id": user_id}
    is_member = tx.one(sql.members.get, **key) is not None
    if is_member:
        tx.run(sql.members.update, role=SA, **key)
    else:
        tx.run(sql.members.create, role=SA, now=tx.now, **key)
    actor = {"actor_type": "System", "actor_id": "system", "actor_label": None, "now": tx.now}
    type = "member.updated" if is_member else "member.added"
    tx.run(sql.operations.create_event, org_id=organization["id"], type=type, **actor)
    return str(organization["title"])
