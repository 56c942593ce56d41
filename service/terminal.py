"""Questions to the person who runs a command."""

import sys


def is_interactive() -> bool:
    """Return whether somebody can answer a question."""
    return sys.stdin is not None and sys.stdin.isatty()


def confirm(question: str) -> bool:
    """Ask a question and return whether the answer is yes."""
    try:
        return input(f"{question} Type yes: ").strip().lower() == "yes"
    except EOFError:
        return False
