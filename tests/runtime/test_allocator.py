"""Free memory is returned to the system."""

import asyncio
import random
import sys

import pytest

from service.runtime import allocator

MIB = 1 << 20
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only the allocator of glibc has these functions")


def fill(count: int) -> list[bytes]:
    """Take so many MiB in small blocks, in an order in which the last ones are not at the end of the heap."""
    blocks = [bytes(1000) for _ in range(count << 10)]
    random.Random(1).shuffle(blocks)  # noqa: S311
    return blocks


async def reach(mib: float) -> None:
    """Wait until the process has at most so much memory."""
    for _ in range(200):
        if allocator._get_resident_bytes() <= mib * MIB:
            return
        await asyncio.sleep(0.05)
    raise TimeoutError


async def test_what_was_freed_is_returned_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocator, "INTERVAL_SECONDS", 0.05)
    task = asyncio.create_task(allocator.return_free_memory())
    try:
        for _ in range(2):
            before = allocator._get_resident_bytes() / MIB
            blocks = fill(100)
            assert allocator._get_resident_bytes() / MIB > before + 80
            await asyncio.sleep(0.5)  # memory is looked at while it is in use, too
            del blocks[5_000:]
            await reach(before + 30)
            blocks.clear()
    finally:
        task.cancel()


def test_a_function_that_the_c_library_does_not_have_is_left_out() -> None:
    assert allocator._find("malloc_nothing") is None
    assert allocator._find("malloc_trim") is not None
