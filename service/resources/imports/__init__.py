"""Import: its routes, and how a snapshot or a board of elsewhere is read, checked and merged."""

from . import completing, imports, trello

__all__ = ["completing", "imports", "trello"]
