"""Changes behind the service's back, for what has no route or would take a wait."""

from typing import Any

from service.database.statement import Statement
from service.database.store import Tx

from .world import World

EVERYTHING = ["read", "create", "update", "delete", "transition", "comment"]


async def execute(world: World, text: str, **parameters: Any) -> None:
    """Run one statement in the database of the service, and let the service forget what it remembers."""
    assert world.service is not None
    service, statement = world.service, Statement("tests", text)

    def work(tx: Tx) -> None:
        tx.run(statement, **parameters)
        tx.on_commit(service.clear_credential_cache)

    await service.store.write(work)


async def rows(world: World, text: str, **parameters: Any) -> list[dict[str, Any]]:
    """Read from the database of the service."""
    assert world.service is not None
    return await world.service.store.read(lambda tx: tx.all(Statement("tests", text), **parameters))
