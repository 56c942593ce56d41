"""Import: its route, and how a snapshot is read, checked and merged."""

from . import completing, imports

__all__ = ["completing", "imports"]
