"""Accounts: a new password for somebody, and a Solution Architect where there is none; beside a running service too."""

from dataclasses import dataclass

from ..auth.passwords import hash_now, new_password
from ..auth.policies import SA
from ..config import ConfigError, Settings
from ..database import copies, migrate
from ..database.queries import sql
from ..database.store import Row, Tx
from ..resources import members, organizations

TITLE = "My organization"


@dataclass(frozen=True)
class Account:
    """Whose account it is; the password if one was made, and where it is Solution Architect, if it was made one."""

    email: str
    password: str | None
    organization: str | None = None


def _database_of(settings: Settings) -> None:
    """See that the database is one that this program can write; raise ConfigError."""
    if not settings.database.is_file():
        raise ConfigError(f"{settings.database}: there is no database; start the service once, or set data_path")
    with copies.looking(settings.database, is_live=True) as tx:
        found, ours = tx.value(sql.operations.schema_version), migrate.schema_version()
    if found != ours:
        what = "start the service once" if found < ours else "use the version that made it"
        raise ConfigError(f"{settings.database}: has schema {found} and this program {ours}; {what}")


def reset_password(settings: Settings, email: str, given: str | None) -> Account:
    """Give somebody a new password, which ends their sign-ins; raise ConfigError if nobody has that e-mail."""
    _database_of(settings)
    password = given or new_password()
    password_hash = hash_now(password)  # a quarter of a second, not while others wait for the database
    with copies.writing(settings.database) as tx:
        user = tx.one(sql.users.find_by_email, email_key=email.lower())
        if user is None:
            raise ConfigError(f"{email}: nobody has this e-mail; create-admin makes an account")
        stored = {"user_id": user["id"], "old_hash": user["password_hash"]}
        ended_at = max(tx.now, tx.value(sql.operations.latest_timestamp) or "")  # the clock may have gone back
        tx.run(sql.users.update_password, password_hash=password_hash, now=ended_at, **stored)
    return Account(user["email"], None if given else password)


def create_admin(settings: Settings, email: str, org_id: str | None, given: str | None) -> Account:
    """Make somebody Solution Architect of an organization: of the only one, unless one is named.

    Who has an account keeps its password; without any organization one is made. Raises ConfigError if there are
    several and none was named.
    """
    _database_of(settings)
    password = given or new_password()
    password_hash = hash_now(password)
    with copies.writing(settings.database) as tx:
        organization = _chosen(tx, org_id)
        known = tx.one(sql.users.find_by_email, email_key=email.lower())
        user_id = known["id"] if known else members.add_user(tx, members.NewUser(email, _name(email), password_hash))
        title = _membership(tx, user_id, organization)
    return Account(email, None if known or given else password, title)


def _name(email: str) -> str:
    return email.partition("@")[0]


def _chosen(tx: Tx, org_id: str | None) -> Row | None:
    found = tx.all(sql.operations.list_organizations)
    named = [row for row in found if org_id in (None, row["id"])]
    if org_id is not None and not named:
        raise ConfigError(f"{org_id}: there is no such organization; there are {_list(found)}")
    if len(named) > 1:
        raise ConfigError(f"there are several organizations; name one with --organization: {_list(found)}")
    return named[0] if named else None


def _list(found: list[Row]) -> str:
    return ", ".join(f"{row['id']} ({row['title']})" for row in found[:20]) or "none"


def _membership(tx: Tx, user_id: str, organization: Row | None) -> str:
    """Make somebody Solution Architect of an organization, or of a new one, and give its title."""
    if organization is None:
        organizations.found(tx, user_id, TITLE)
        return TITLE
    place = {"org_id": organization["id"], "user_id": user_id}
    is_member = tx.one(sql.members.get, **place) is not None
    if is_member:
        tx.run(sql.members.update, role=SA, **place)
    else:
        tx.run(sql.members.create, role=SA, now=tx.now, **place)
    doer = {"actor_type": "System", "actor_id": "system", "actor_label": None, "now": tx.now}
    type = "member.updated" if is_member else "member.added"
    tx.run(sql.operations.create_event, org_id=organization["id"], type=type, **doer)
    return str(organization["title"])
