"""First start: creates a Solution Architect and an organization if the database has no users."""

from dataclasses import dataclass

from ..auth import passwords
from ..config import Settings
from ..database.queries import sql
from ..database.store import Store, Tx
from ..resources import members, organizations

EMAIL, NAME, ORGANIZATION = "admin@localhost", "Administrator", "My organization"


@dataclass(frozen=True)
class FirstUser:
    """The account that was created, with its password if that was generated."""

    email: str
    password: str | None


async def create_first_user(store: Store, settings: Settings) -> FirstUser | None:
    """Create the first user and organization and return the user, or None if there are users."""
    if store.read_inline(lambda tx: tx.value(sql.users.exists)):
        return None
    generated = None if settings.sa_bootstrap_password else passwords.new_password()
    email = settings.sa_bootstrap_email or EMAIL
    password_hash = await passwords.hash_password(settings.sa_bootstrap_password or generated or "", email)
    user = members.NewUser(email, settings.sa_bootstrap_name or NAME, password_hash)
    await store.write(lambda tx: _create_organization(tx, user, settings.sa_bootstrap_organization or ORGANIZATION))
    return FirstUser(email, generated)


def _create_organization(tx: Tx, user: members.NewUser, title: str) -> None:
    organizations.insert_organization(tx, members.create_user(tx, user), title)
