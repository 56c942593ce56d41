"""Secrets of webhooks: encrypted at rest, still there after a rotation, and in no log and no export."""

import json

import pytest

from service.config import Settings

from ..receivers import SECRET as HOOK_SECRET
from ..receivers import create_webhook, is_signed, receiving, sending, wait_for_deliveries
from ..running import running
from ..world import SECRET, World

FRESH = "fresh-secret-of-at-least-thirty-two-bytes"


def _rotated(settings: Settings, secret: str, previous: str | None = None) -> Settings:
    return settings.model_copy(update={"jwt_secret": secret, "jwt_secret_previous": previous})


def _at_rest(settings: Settings) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(settings.data_path.rglob("*")) if path.is_file())


async def test_a_secret_is_not_readable_at_rest_and_not_in_the_log(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    async with receiving(status=500) as receiver, sending(settings) as world:
        made = await create_webhook(world.sa, receiver.url + "?findable", "project.*")
        (await world.sa.patch(f"/webhooks/{made['id']}", {"secret": HOOK_SECRET[::-1]})).ok()
        await world.board()
        await wait_for_deliveries(world.sa, made, 1, "failed")
        stored = _at_rest(settings)
    for text in (stored, _at_rest(settings), caplog.text.encode()):
        assert HOOK_SECRET.encode() not in text
        assert HOOK_SECRET[::-1].encode() not in text
    assert b"?findable" in stored


async def test_after_a_rotation_the_previous_secret_can_be_thrown_away(settings: Settings) -> None:
    async with receiving() as receiver:
        async with sending(settings) as world:
            await create_webhook(world.sa, receiver.url, "project.*")
        async with sending(_rotated(settings, FRESH, SECRET)) as world:
            await world.board()
            assert is_signed((await receiver.received(1))[0])
        async with sending(_rotated(settings, FRESH)) as world:
            await world.board()
            assert is_signed((await receiver.received(2))[1])


async def test_a_secret_that_nothing_opens_any_more_sends_nothing_until_it_is_set_again(settings: Settings) -> None:
    async with receiving() as receiver:
        async with sending(settings) as world:
            made = await create_webhook(world.sa, receiver.url, "project.*")
        async with sending(_rotated(settings, FRESH)) as world:
            await world.board()
            (delivery,) = await wait_for_deliveries(world.sa, made, 1, "failed")
            assert delivery["error"] == "the secret is lost; set a new one"
            assert receiver.requests == []
            (await world.sa.patch(f"/webhooks/{made['id']}", {"secret": HOOK_SECRET})).ok()
            await world.board()
            assert is_signed((await receiver.received(1))[0])


async def test_webhooks_are_not_in_an_export(settings: Settings) -> None:
    async with running(settings) as world:
        await create_webhook(world.sa, "https://hooks.test/findable", enabled=False)
        snapshot = (await world.sa.get("/admin/export")).ok()
        assert "findable" not in json.dumps(snapshot)
        assert await _imported(world, snapshot) == ["https://hooks.test/findable"]


async def _imported(world: World, snapshot: object) -> list[str]:
    """Import a snapshot and return the webhooks there are then."""
    (await world.sa.post("/admin/import", snapshot)).ok()
    return [one["url"] for one in (await world.sa.get("/webhooks")).ok()]
