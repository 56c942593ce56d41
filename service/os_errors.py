"""Description of failed system calls in one line, for people who run a command."""

import traceback


def describe(error: OSError) -> str:
    """Return what failed: the file, or else the function whose system call was refused."""
    if error.filename:
        return f"cannot use {error.filename}: {error.strerror}"
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return f"{frame.f_globals['__name__']}.{frame.f_code.co_name} failed: {error.strerror or error}"
