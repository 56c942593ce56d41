"""Free memory is returned to the system."""

import subprocess
import sys
from pathlib import Path

import pytest

from service.runtime import allocator

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only the allocator of glibc has these functions")


# In a process of its own, whose memory other tests have not filled before.
PROGRAM = """
import asyncio, random
from service.runtime import allocator

MIB = 1 << 20
allocator.INTERVAL_SECONDS = 0.05


def fill(count):
    # So many MiB in small blocks, in an order in which the last ones are not at the end of the heap.
    blocks = [bytes(1000) for _ in range(count << 10)]
    random.Random(1).shuffle(blocks)
    return blocks


async def reach(mib):
    for _ in range(200):
        if allocator._get_resident_bytes() <= mib * MIB:
            return
        await asyncio.sleep(0.05)
    raise TimeoutError


async def main():
    task = asyncio.create_task(allocator.return_free_memory())
    for _ in range(2):
        before = allocator._get_resident_bytes() / MIB
        blocks = fill(100)
        assert allocator._get_resident_bytes() / MIB > before + 80
        await asyncio.sleep(0.5)  # memory is looked at while it is in use, too
        del blocks[5_000:]
        await reach(before + 30)
        blocks.clear()
    task.cancel()


asyncio.run(main())
"""


def test_what_was_freed_is_returned_again_and_again() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr


def test_a_missing_function_of_the_c_library_is_skipped() -> None:
    assert allocator._find("malloc_nothing") is None
    assert allocator._find("malloc_trim") is not None
