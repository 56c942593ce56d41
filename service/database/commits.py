"""Group commit: several units of work in one durable transaction, each as if by itself."""

import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .transaction import Effect, Tx, end, execute, perform

Work = Callable[[Tx], Any]
Outcome = tuple[Any, BaseException | None]
log = logging.getLogger("service")


@dataclass(slots=True)
class Committed:
    """The outcomes of the units of a group, and the effects to run now that they are durable."""

    outcomes: list[Outcome] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)


def group(works: list[Work], connection: sqlite3.Connection) -> Committed:
    """Commit units at once; one that fails rolls back its own changes only. Raise if nothing is committed."""
    committed = Committed()
    execute(connection, "BEGIN IMMEDIATE")
    try:
        if len(works) == 1:
            committed.outcomes.append(_run_alone(works[0], connection, committed.effects))
        else:
            committed.outcomes += [_run_in_savepoint(work, connection, committed.effects) for work in works]
        if connection.in_transaction:
            execute(connection, "COMMIT")
    finally:
        end(connection)
    return committed


def _run_alone(work: Work, connection: sqlite3.Connection, effects: list[Effect]) -> Outcome:
    """Run the only unit of a group; it needs no savepoint, which would copy each page that it overwrites."""
    tx = Tx(connection, writes=True)
    value, error = _try(work, tx)
    if error is None:
        effects += tx.effects
    else:
        end(connection)
    return value, error


def _run_in_savepoint(work: Work, connection: sqlite3.Connection, effects: list[Effect]) -> Outcome:
    tx = Tx(connection, writes=True)
    execute(connection, "SAVEPOINT unit")
    value, error = _try(work, tx)
    if error is None:
        effects += tx.effects
    elif connection.in_transaction:
        execute(connection, "ROLLBACK TO unit")
    else:
        raise error  # disk full, I/O error: all that the group has written so far is gone
    execute(connection, "RELEASE unit")
    return value, error


def _try(work: Work, tx: Tx) -> Outcome:
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
