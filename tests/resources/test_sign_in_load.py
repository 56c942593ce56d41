"""Signing in goes on while one caller tries passwords on many connections, and while passwords are changed."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable

import pytest

from service import config

from ..world import OUTSIDER, PASSWORD, Answer, World

PROXY = {"SERVICE_TRUSTED_PROXIES": "127.0.0.1"}


@pytest.fixture
def settings(settings: config.Settings) -> config.Settings:
    """Provide settings of a service behind a proxy on this machine."""
    return settings.model_copy(update={"trusted_proxies": config.load(environment=PROXY).trusted_proxies})


async def test_one_caller_on_64_connections_keeps_nobody_from_signing_in(world: World) -> None:
    def sign_in(email: str, password: str, address: str) -> Awaitable[Answer]:
        body = {"email": email, "password": password}
        return world.nobody.post("/auth/login", body, headers={"X-Forwarded-For": address})

    # The unknown e-mails take as long as a real password of cost 12 does.
    wrong = [sign_in(f"{number}@example.test", "wrong", "10.0.0.1") for number in range(64)]
    change = {"currentPassword": "wrong password", "newPassword": "another password"}
    changes = [world.member.post("/settings/password", change) for _ in range(32)]
    tasks = [asyncio.create_task(attempt) for attempt in (*wrong, *changes)]
    await asyncio.sleep(0.1)
    began = time.monotonic()
    (await sign_in(OUTSIDER, PASSWORD, "10.9.9.9")).ok()
    took = time.monotonic() - began
    answers = await asyncio.gather(*tasks)
    assert took < 3  # one second on a quiet machine; in the order of arrival it would be eight
    statuses = Counter(answer.status for answer in answers)
    assert set(statuses) <= {400, 401, 503}
    assert statuses[503] >= 50
    for answer in answers:
        if answer.status == 503:
            answer.refused(503, "overloaded")
            assert int(answer.headers["Retry-After"]) > 0
