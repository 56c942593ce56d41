"""Settings of the memory allocator of glibc, so that memory is given back to the system after large work.

By default each thread gets an arena of its own, whose free memory serves no other thread, and the size from which a
block is returned at once grows with the largest block. Other allocators have no such settings, and are left alone.
"""

import asyncio
import ctypes
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8  # parameters of mallopt
LARGE_BLOCK_BYTES = 4 << 20  # from here on a block is returned when it is freed; smaller ones are reused
FREE_BYTES_MAX = 16 << 20  # kept at the end of the heap
RETURNED_BYTES_MIN = 16 << 20  # less is not worth a call
INTERVAL_SECONDS = 10.0  # between two checks of the free memory
STATM = Path("/proc/self/statm")
USAGE = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")


class _Usage(ctypes.Structure):
    """The result of mallinfo2 (malloc.h); `fordblks` is the number of free bytes."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in USAGE)


def configure() -> None:
    """Let all threads share one arena, and return large blocks at once; call it before the first thread starts."""
    if (set_option := _find("mallopt")) is not None:
        set_option(ARENA_MAX, 1)
        set_option(MMAP_THRESHOLD, LARGE_BLOCK_BYTES)
        set_option(TRIM_THRESHOLD, FREE_BYTES_MAX)


async def return_free_memory() -> None:
    """Return free memory to the system whenever much was freed, or the process has grown. Runs until cancelled."""
    trim, get_usage = _find("malloc_trim"), _find("mallinfo2", _Usage)
    if trim is None or get_usage is None:
        return
    resident, free = _get_resident_bytes(), get_usage().fordblks  # at the last return
    while True:
        await asyncio.sleep(INTERVAL_SECONDS)
        freed, grown = get_usage().fordblks - free, _get_resident_bytes() - resident
        if max(freed, grown) > RETURNED_BYTES_MIN:
            await asyncio.to_thread(trim, 0)
            resident, free = _get_resident_bytes(), get_usage().fordblks
        free = min(free, get_usage().fordblks)


def _get_resident_bytes() -> int:
    return int(STATM.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _find(name: str, result: Any = ctypes.c_int) -> Callable[..., Any] | None:
    """Return a function of glibc, None on another system or with another C library."""
    if sys.platform != "linux":
        return None
    found = getattr(ctypes.CDLL(None), name, None)
    if found is not None:
        found.restype = result
    return found
