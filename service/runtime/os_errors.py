"""Failed system calls: their description in one line for people who run a command, and output that has no reader."""

import contextlib
import os
import sys
import traceback


def describe(error: OSError) -> str:
    """Return what failed: the file, or else the function whose system call was refused."""
    if error.filename:
        return f"cannot use {error.filename}: {error.strerror}"
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return f"{frame.f_globals['__name__']}.{frame.f_code.co_name} failed: {error.strerror or error}"


def discard_output() -> None:
    """Drop output that could not be written, so that Python does not report it again when the process ends."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
