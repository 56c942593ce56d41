"""A program under a seccomp filter that refuses system calls, as container runtimes and units do."""

import platform
import sys
from pathlib import Path

import pytest

from .process import RUN

# By their numbers on x86-64, see asm/unistd_64.h.
CALLS = {
    "flock": 73,
    "getpriority": 140,
    "setpriority": 141,
    "setrlimit": 160,
    "sched_setaffinity": 203,
    "sched_getaffinity": 204,
    "epoll_create1": 291,
    "prlimit64": 302,
}
LAUNCHER = """
import ctypes, runpy, struct, sys
filters = [struct.pack("HBBI", 0x20, 0, 0, 0)]  # load the number of the system call
for number in {numbers}:
    filters.append(struct.pack("HBBI", 0x15, 0, 1, number))  # skip the next instruction unless it is this one
    filters.append(struct.pack("HBBI", 0x06, 0, 0, 0x00050000 | 1))  # return EPERM
filters.append(struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000))  # allow
code = ctypes.create_string_buffer(b"".join(filters))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(filters), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
assert libc.prctl(22, 2, ctypes.c_void_p(ctypes.addressof(program))) == 0  # PR_SET_SECCOMP
sys.path.insert(0, {folder!r})
runpy.run_path({run!r}, run_name="__main__")
"""
needs_seccomp = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="the numbers of the system calls are of x86-64"
)


def refusing(folder: Path, *calls: str) -> Path:
    """Write a program that runs run.py with EPERM for some system calls."""
    path = folder / "sandboxed.py"
    numbers = [CALLS[call] for call in calls]
    path.write_text(LAUNCHER.format(numbers=numbers, folder=str(RUN.parent), run=str(RUN)))
    return path
