"""Requests during an import wait until it ends, and no longer."""

import asyncio

import pytest

from service.auth.import_locks import WAIT_SECONDS, ImportLocks, OrganizationLocked

ORG_ID = "org_imported"


class Request:
    """A request that finds its organization locked a number of times."""

    def __init__(self, times: int) -> None:
        self.left = times

    async def __call__(self) -> str:
        if not self.left:
            return "answered"
        self.left -= 1
        raise OrganizationLocked(ORG_ID)


async def test_who_waits_for_an_import_goes_on_as_soon_as_it_ends() -> None:
    holds = ImportLocks()
    with holds.hold(ORG_ID):
        waiting = asyncio.create_task(holds.with_retry(Request(1)))
        await asyncio.sleep(0.01)
        assert not waiting.done()
    assert await asyncio.wait_for(waiting, WAIT_SECONDS / 2) == "answered"


async def test_requests_during_an_interrupted_import_are_asked_to_retry() -> None:
    with pytest.raises(OrganizationLocked):
        await ImportLocks().with_retry(Request(2))
