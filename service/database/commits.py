"""Group commit: several units of work share one durable transaction, isolated from each other by savepoints."""

import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import Any

from ..errors import TooExpensive
from .deadline import Deadline, too_long
from .transaction import Effect, Tx, execute, roll_back, run_work

GROUP_SECONDS_MAX = 0.05  # then a group begins no further unit
Work = Callable[[Tx], Any]
Outcome = tuple[Any, BaseException | None]
log = logging.getLogger("service")


@dataclass(slots=True)
class Committed:
    """The outcomes of the first units of a group, their durations in seconds, and the effects to run after the commit.

    The other units were not begun.
    """

    outcomes: list[Outcome] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


class _TransactionLost(Exception):
    """The unit at a position was interrupted during a write: SQLite then rolls back the whole transaction."""

    def __init__(self, position: int, seconds: float) -> None:
        super().__init__()
        self.position, self.seconds = position, seconds


def commit_group(works: list[Work], connection: sqlite3.Connection, deadline: Deadline) -> Committed:
    """Commit units in one transaction until GROUP_SECONDS_MAX have passed; raise if nothing is committed.

    A unit that fails rolls back its own changes only. If its failure rolls back the whole transaction, the units before
    it are run again without it.
    """
    expired: dict[int, float] = {}  # position of the unit: its duration
    while True:
        try:
            return _commit(works, connection, deadline, expired)
        except _TransactionLost as lost:
            expired[lost.position] = lost.seconds
            works = works[: lost.position + 1]


def _commit(
    works: list[Work], connection: sqlite3.Connection, deadline: Deadline, expired: dict[int, float]
) -> Committed:
    committed = Committed()
    ends_at = inf if expired else monotonic() + GROUP_SECONDS_MAX  # units that are run again were begun in time
    execute(connection, "BEGIN IMMEDIATE")
    try:
        for position, work in enumerate(works):
            began = monotonic()
            if position and began > ends_at:
                break
            if position in expired:
                committed.outcomes.append((None, too_long()))
                committed.seconds.append(expired[position])
                continue
            run = _run_alone if len(works) == 1 else _run_in_savepoint
            outcome = run(work, connection, deadline, committed.effects)
            if len(works) > 1 and not connection.in_transaction:
                raise _TransactionLost(position, monotonic() - began)
            committed.outcomes.append(outcome)
            committed.seconds.append(monotonic() - began)
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
    deadline.start()
    tx = Tx(connection, writes=True, deadline=deadline)
    try:
        value = run_work(work, tx)
        deadline.require_time()
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
