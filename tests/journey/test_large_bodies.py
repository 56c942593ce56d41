"""A body that comes faster than it can be taken in leaves others their turn."""

import asyncio
from typing import Any

import pytest

from service.journey import bodies

from ..snapshots import send
from ..world import World

SIZE = 4 << 20
NETWORK_READ = 1 << 18  # of asyncio; uvloop's has 256,000 bytes
PROMISED = NETWORK_READ + bodies.MANY_BYTES  # what was read ahead before


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes came at a time."""
    sizes: list[int] = []
    more = bodies.more

    async def counted(content: Any) -> bytes:
        piece = await more(content)
        sizes.append(len(piece))
        return piece

    monkeypatch.setattr(bodies, "more", counted)
    return sizes


async def test_no_more_of_a_body_is_taken_at_a_time_than_comes_with_one_read(world: World, pieces: list[int]) -> None:
    (await send(world.sa, b"x" * SIZE)).refused(400, "UnknownExceptionDuringParse")
    assert sum(pieces) == SIZE
    assert max(pieces) <= PROMISED


async def test_after_many_bytes_others_have_their_turn(
    world: World, pieces: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "TURN_SECONDS", 0.02)
    began = asyncio.get_running_loop().time()
    (await send(world.sa, b"x" * SIZE)).refused(400, "UnknownExceptionDuringParse")
    many = [piece for piece in pieces if piece >= bodies.MANY_BYTES]
    assert len(many) >= 5
    assert asyncio.get_running_loop().time() - began >= len(many) * 0.02
