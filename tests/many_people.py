"""People and organizations in large numbers, put into a database before the service starts."""

from collections.abc import Callable
from pathlib import Path

from service.auth.passwords import hash_password_sync
from service.database.queries import sql
from service.database.statement import Statement
from service.database.store import Store, Tx
from service.resources import members, organizations

from .world import PASSWORD, SA

ARCHITECT = "SolutionArchitect"
COLLEAGUES = [f"colleague-{number}@example.test" for number in range(16)]  # of the SA
STRANGERS = [[f"stranger-{number}-{of}@example.test" for number in range(2)] for of in range(8)]  # by organization
HOME = Statement(
    "home", "SELECT m.org_id FROM memberships AS m JOIN users AS u ON u.id = m.user_id WHERE u.email = :email"
)


async def add_architects(path: Path, emails: list[str]) -> None:
    """Add people to the organization of the SA, who may do everything there."""
    await _write(path, lambda tx, password_hash: _add(tx, tx.value(HOME, email=SA), emails, password_hash))


async def add_organizations(path: Path, people: list[list[str]]) -> None:
    """Add an organization for each list of e-mail addresses of people, who may do everything there."""

    def add(tx: Tx, password_hash: str) -> None:
        for first, *others in people:
            owner_id = members.create_user(tx, members.NewUser(first, "Owner", password_hash))
            _add(tx, organizations.insert_organization(tx, owner_id, "An organization"), others, password_hash)

    await _write(path, add)


def _add(tx: Tx, org_id: str, emails: list[str], password_hash: str) -> None:
    for email in emails:
        user_id = members.create_user(tx, members.NewUser(email, email.partition("@")[0], password_hash))
        tx.run(sql.members.create, org_id=org_id, user_id=user_id, role=ARCHITECT, now=tx.now)


async def _write(path: Path, work: Callable[[Tx, str], None]) -> None:
    store = Store(path)
    await store.open()
    try:
        password_hash = hash_password_sync(PASSWORD, cost=4)  # as the others of the tests
        await store.write(lambda tx: work(tx, password_hash))
    finally:
        await store.close()
