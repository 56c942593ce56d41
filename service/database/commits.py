"""Group commit: several units of work share one durable transaction, isolated from each other by savepoints."""

import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..errors import TooExpensive
from .deadline import Deadline, too_long
from .transaction import Effect, Tx, execute, roll_back, run_work

Work = Callable[[Tx], Any]
Outcome = tuple[Any, BaseException | None]
log = logging.getLogger("service")


@dataclass(slots=True)
class Committed:
    """The outcomes of the units of a group, and the effects to run after the commit."""

    outcomes: list[Outcome] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)


class _TransactionLost(Exception):
    """A unit, given by its number, was interrupted during a write: SQLite then rolls back the whole transaction."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def commit_group(works: list[Work], connection: sqlite3.Connection, deadline: Deadline) -> Committed:
    """Commit several units in one transaction; raise if nothing is committed.

    A unit that fails rolls back its own changes only. If its failure rolls back the whole transaction, the other units
    are run again without it.
    """
    expired: set[int] = set()
    while True:
        try:
            return _commit(works, connection, deadline, expired)
        except _TransactionLost as lost:
            expired.add(lost.number)


def _commit(works: list[Work], connection: sqlite3.Connection, deadline: Deadline, expired: set[int]) -> Committed:
    committed = Committed()
    execute(connection, "BEGIN IMMEDIATE")
    try:
        for number, work in enumerate(works):
            if number in expired:
                outcome: Outcome = None, too_long()
            elif len(works) == 1:
                outcome = _run_alone(work, connection, deadline, committed.effects)
            else:
                outcome = _run_in_savepoint(work, connection, deadline, committed.effects)
                if not connection.in_transaction:
                    raise _TransactionLost(number)
            committed.outcomes.append(outcome)
        if connection.in_transaction:
            execute(connection, "COMMIT")
    finally:
        roll_back(connection)
    return committed


def _run_alone(work: Work, connection: sqlite3.Connection, deadline: Deadline, effects: list[Effect]) -> Outcome:
    """Run the only unit of a group without a savepoint, which would copy each page that the unit overwrites."""
    outcome = _run(work, connection, deadline, effects)
    if outcome[1] is not None:
        roll_back(connection)
    return outcome


def _run_in_savepoint(work: Work, connection: sqlite3.Connection, deadline: Deadline, effects: list[Effect]) -> Outcome:
    execute(connection, "SAVEPOINT unit")
    value, error = _run(work, connection, deadline, effects)
    if error is not None:
        if connection.in_transaction:
            execute(connection, "ROLLBACK TO unit")
        elif isinstance(error, TooExpensive):
            return None, error
        else:
            raise error  # disk full or I/O error: SQLite has rolled back the whole group
    execute(connection, "RELEASE unit")
    return value, error


def _run(work: Work, connection: sqlite3.Connection, deadline: Deadline, effects: list[Effect]) -> Outcome:
    """Run a unit until its deadline, and collect its effects if it succeeds."""
    tx = Tx(connection, writes=True, deadline=deadline.start())
    try:
        value = run_work(work, tx)
        if deadline.is_over():
            raise too_long()
    except BaseException as error:  # the error belongs to this unit; the rest of the group continues
        return None, deadline.explain(error)
    finally:
        tx.close_cursors()
        deadline.stop()
    effects += tx.effects
    return value, None


def run_effect(effect: Effect) -> None:
    """Run an effect of a commit; log its failure instead of raising it."""
    try:
        effect()
    except Exception:
        log.exception("an effect after a commit failed; the change itself is committed")
