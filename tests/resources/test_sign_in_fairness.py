"""Signing in goes on while others try passwords: from many addresses, and by changing their own."""

import asyncio
from collections.abc import Awaitable

import pytest

from service import config

from ..world import PASSWORD, Answer, World


@pytest.fixture
def settings(settings: config.Settings) -> config.Settings:
    """Settings of a service behind a proxy on this machine."""
    return settings.model_copy(update={"trusted_proxies": config.load(environment=PROXY).trusted_proxies})


PROXY = {"SERVICE_TRUSTED_PROXIES": "127.0.0.1"}


async def test_a_login_stands_behind_neither_wrong_ones_nor_changes_of_passwords(world: World) -> None:
    judged = 0
    newcomers = ["one@example.test", "two@example.test"]  # whose passwords nobody tried in the minute before
    for email in newcomers:
        body = {"email": email, "role": "Member", "password": PASSWORD}
        (await world.sa.post(world.sa.org("/members"), body)).ok()

    async def noted(answer: Awaitable[Answer]) -> Answer:
        nonlocal judged
        result = await answer
        judged += result.status == 401
        return result

    def sign_in(email: str, password: str, address: str) -> Awaitable[Answer]:
        body = {"email": email, "password": password}
        return world.nobody.post("/auth/login", body, headers={"X-Forwarded-For": address})

    wrong = [sign_in(f"{number}@example.test", "wrong", f"10.0.0.{number % 20}") for number in range(100)]
    change = {"currentPassword": "wrong password", "newPassword": "another password"}
    changes = [world.member.post("/settings/password", change) for _ in range(60)]
    tasks = [asyncio.create_task(noted(attempt)) for attempt in wrong]
    tasks += [asyncio.create_task(noted(attempt)) for attempt in changes]
    await asyncio.sleep(0.5)
    before = judged
    for email in newcomers:
        (await sign_in(email, PASSWORD, "10.9.9.9")).ok()
    between = judged - before
    statuses = [answer.status for answer in await asyncio.gather(*tasks)]
    assert between < 10  # of the 32 that wait: those under way, and not one of whoever waits
    assert statuses.count(503) > 0
    assert set(statuses) <= {400, 401, 503}
