"""Import of snapshots and Trello boards: routes, parsing, validation, merge and execution."""

from . import execution, imports, trello

__all__ = ["execution", "imports", "trello"]
