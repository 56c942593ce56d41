"""Units of work in durable transactions: many in one, each as if by itself, or one alone."""

import logging
import sqlite3
from collections.abc import Callable
from typing import Any

from .transaction import Effect, Tx, end, execute, perform

Work = Callable[[Tx], Any]
Outcome = tuple[Any, BaseException | None]
log = logging.getLogger("service")


def alone(work: Work, connection: sqlite3.Connection) -> tuple[list[Outcome], list[Effect]]:
    """Commit one unit that writes very much: a savepoint would keep what it overwrites in memory."""
    tx = Tx(connection, writes=True)
    execute(connection, "BEGIN IMMEDIATE")
    try:
        value, error = _tried(work, tx)
        if error is None:
            execute(connection, "COMMIT")
    finally:
        end(connection)
    return [(value, error)], [] if error else tx.effects


def group(works: list[Work], connection: sqlite3.Connection) -> tuple[list[Outcome], list[Effect]]:
    """Commit many units at once; one that fails takes back only its own changes. Raise if nothing is committed."""
    effects: list[Effect] = []
    execute(connection, "BEGIN IMMEDIATE")
    try:
        outcomes = [_guarded(work, connection, effects) for work in works]
        execute(connection, "COMMIT")
    finally:
        end(connection)
    return outcomes, effects


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
