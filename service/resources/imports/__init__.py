"""Import: its route, and how a snapshot is read, checked and merged."""

from . import imports

__all__ = ["imports"]
