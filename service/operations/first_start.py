"""The first start: with no users in the database, a Solution Architect and an organization are made."""

from dataclasses import dataclass

from ..auth import passwords
from ..config import Settings
from ..database.queries import sql
from ..database.store import Store, Tx
from ..resources import members, organizations

EMAIL, NAME, ORGANIZATION = "admin@localhost", "Administrator", "My organization"


@dataclass(frozen=True)
class Welcome:
    """Who was made, with the password if it was made too."""

    email: str
    password: str | None


async def bootstrap(store: Store, settings: Settings) -> Welcome | None:
    """Make the first user if there is none; the password is given back only if nobody set it."""
    if store.read_inline(lambda tx: tx.value(sql.users.exists)):
        return None
    made = None if settings.sa_bootstrap_password else passwords.new_password()
    email = settings.sa_bootstrap_email or EMAIL
    password_hash = await passwords.hash_password(settings.sa_bootstrap_password or made or "", email)
    user = members.NewUser(email, settings.sa_bootstrap_name or NAME, password_hash)
    await store.write(lambda tx: _found(tx, user, settings.sa_bootstrap_organization or ORGANIZATION))
    return Welcome(email, made)


def _found(tx: Tx, user: members.NewUser, title: str) -> None:
    organizations.found(tx, members.add_user(tx, user), title)
