"""Units of work in durable transactions: many in one, each as if by itself, or one alone."""

import logging
import sqlite3
from collections.abc import Callable
from typing import Any

from .transaction import Effect, Tx, execute, perform

Work = Callable[[Tx], Any]
Outcome = tuple[Any, Exception | None]
Run = Callable[[Work, sqlite3.Connection, list[Effect]], Outcome]
log = logging.getLogger("service")


def alone(work: Work, connection: sqlite3.Connection) -> tuple[list[Outcome], list[Effect]]:
    """Commit one unit that writes very much: a savepoint would keep what it overwrites in memory."""
    tx = Tx(connection, writes=True)
    execute(connection, "BEGIN IMMEDIATE")
    try:
        value, error = _tried(work, tx)
        execute(connection, "ROLLBACK" if error else "COMMIT")
    except BaseException:
        undo(connection)
        raise
    return [(value, error)], [] if error else tx.effects


def _tried(work: Work, tx: Tx) -> Outcome:
    try:
        return perform(work, tx), None
    except Exception as exception:
        return None, exception


class Undo(Exception):
    """A unit has written and then failed: the group must be done again, with a savepoint for each unit."""


def group(works: list[Work], connection: sqlite3.Connection) -> tuple[list[Outcome], list[Effect]]:
    """Commit many units at once; one that fails takes back only its own changes.

    Savepoints cost a copy of each page a unit changes, and nearly every unit that fails does so before
    its first change. So at first there are none; if one is missed after all, everything is done again with them.
    """
    try:
        return _committed(works, connection, unguarded)
    except Undo:
        return _committed(works, connection, _guarded)


def _committed(works: list[Work], connection: sqlite3.Connection, run: Run) -> tuple[list[Outcome], list[Effect]]:
    execute(connection, "BEGIN IMMEDIATE")
    effects: list[Effect] = []
    try:
        outcomes = [run(work, connection, effects) for work in works]
        execute(connection, "COMMIT")
    except BaseException:
        undo(connection)
        raise
    return outcomes, effects


def begin(connection: sqlite3.Connection) -> None:
    """Begin a group whose units another thread runs."""
    execute(connection, "BEGIN IMMEDIATE")


def commit(connection: sqlite3.Connection) -> None:
    """Make such a group durable; if that fails, nothing of it is left."""
    try:
        execute(connection, "COMMIT")
    except BaseException:
        undo(connection)
        raise


def undo(connection: sqlite3.Connection) -> None:
    """Take back what is not committed."""
    if connection.in_transaction:
        execute(connection, "ROLLBACK")


def unguarded(work: Work, connection: sqlite3.Connection, effects: list[Effect]) -> Outcome:
    """Run one unit of a group that has begun; raise Undo if it has written and then failed."""
    before = connection.total_changes
    tx = Tx(connection, writes=True)
    try:
        value = perform(work, tx)
    except Exception as exception:
        if not connection.in_transaction:  # the whole group is lost (disk full, I/O error)
            raise
        if connection.total_changes != before:
            raise Undo from exception
        return None, exception
    effects += tx.effects
    return value, None


def _guarded(work: Work, connection: sqlite3.Connection, effects: list[Effect]) -> Outcome:
    tx = Tx(connection, writes=True)
    execute(connection, "SAVEPOINT unit")
    try:
        value, error = perform(work, tx), None
        effects += tx.effects
    except Exception as exception:
        if not connection.in_transaction:
            raise
        execute(connection, "ROLLBACK TO unit")
        value, error = None, exception
    execute(connection, "RELEASE unit")
    return value, error


def run_effect(effect: Effect) -> None:
    """Run one effect of a commit; its failure harms nobody else."""
    try:
        effect()
    except Exception:
        log.exception("an effect after a commit failed; the change itself stands")
