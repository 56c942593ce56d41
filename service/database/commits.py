"""Units of work in durable transactions: many in one, each as if by itself, or one alone."""

import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from .transaction import Effect, Tx, end, execute, perform

Work = Callable[[Tx], Any]
Outcome = tuple[Any, BaseException | None]
log = logging.getLogger("service")


@dataclass(slots=True)
class Committed:
    """What became of the units of a group, and what is to be done now that they are durable."""

    outcomes: list[Outcome] = field(default_factory=list)  # of the first of them, if the group ended early
    effects: list[Effect] = field(default_factory=list)
    commit_seconds: float = 0.0  # that the COMMIT took, if units shared it


def alone(work: Work, connection: sqlite3.Connection) -> Committed:
    """Commit one unit that writes very much: a savepoint would keep what it overwrites in memory."""
    tx = Tx(connection, writes=True)
    execute(connection, "BEGIN IMMEDIATE")
    try:
        value, error = _tried(work, tx)
        if error is None:
            execute(connection, "COMMIT")
    finally:
        end(connection)
    return Committed([(value, error)], [] if error else tx.effects)


def group(works: list[Work], connection: sqlite3.Connection, is_over: Callable[[int], bool]) -> Committed:
    """Commit many units at once; one that fails takes back only its own changes. Raise if nothing is committed.

    After each it is asked whether the group is over by now, having done so many.
    """
    committed = Committed()
    execute(connection, "BEGIN IMMEDIATE")
    try:
        for work in works:
            committed.outcomes.append(_guarded(work, connection, committed.effects))
            if is_over(len(committed.outcomes)):
                break
        began = monotonic()
        execute(connection, "COMMIT")
        committed.commit_seconds = monotonic() - began
    finally:
        end(connection)
    return committed


def _guarded(work: Work, connection: sqlite3.Connection, effects: list[Effect]) -> Outcome:
    tx = Tx(connection, writes=True)
    execute(connection, "SAVEPOINT unit")
    value, error = _tried(work, tx)
    if error is None:
        effects += tx.effects
    elif connection.in_transaction:
        execute(connection, "ROLLBACK TO unit")
    else:
        raise error  # disk full, I/O error: all that the group has written so far is gone
    execute(connection, "RELEASE unit")
    return value, error


def _tried(work: Work, tx: Tx) -> Outcome:
    try:
        return perform(work, tx), None
    except BaseException as error:  # whatever it is, it concerns nobody else in the group
        return None, error


def run_effect(effect: Effect) -> None:
    """Run one effect of a commit; its failure harms nobody else."""
    try:
        effect()
    except Exception:
        log.exception("an effect after a commit failed; the change itself stands")
