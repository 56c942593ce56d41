"""The texts that a search looks through: triggers note which cards changed, and the index follows.

To note a card costs a comment 1 µs, to index the comment at once would cost 20. So a search first indexes what was
noted in its organization before it was asked, and in between a task works the notes off a few at a time. What a large
import brings is set aside and indexed by another task, so that no search waits for it.
"""

import asyncio
import logging
from collections.abc import Coroutine
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from ...database.queries import Statement, sql
from ...database.store import Row, Store, Tx
from ...errors import Unavailable
from ...wire import json_text, stored_json
from .scripts import BOUNDARY, apart

PARTS_PER_CARD = 1 << 16  # rows of the index that one may have
COMMENTS_PER_PART = 50  # what is written anew for a new comment must not grow with those before it
CARDS_PER_SEARCH, SEARCH_SECONDS = 1000, 2.0  # that a search indexes, and for which, before it answers
TURN_SECONDS = 0.003  # for which cards are indexed before other writes have their turn
INTERVAL_SECONDS = 1.0  # between two looks at the notes
LOOK_SECONDS = 0.001  # for which cards are indexed at a look: nobody asked, so nobody else should notice
CARDS_PER_LOOK = 50  # that are then indexed, at the most
PAUSE_PER_WORK = 49  # times as long as the last of them took it pauses at the least
BACKLOG_PAUSE_PER_WORK = 4  # likewise with what was set aside, so that others write
# Private characters, of which the index has no others: before and after a hit, and between two texts.
HIT_START, HIT_END, TEXT_SEPARATOR = "\ue000", "\ue001", "\n\ue002\n"
_WITHOUT = str.maketrans(dict.fromkeys(f"\ue000\ue001\ue002{BOUNDARY}", " "))
STANDSTILL_SECONDS = 1.0  # without any commit, after which a search waits no longer for what is to be indexed
T = TypeVar("T")
log = logging.getLogger("service")


async def catch_up(store: Store, noted: list[Row]) -> None:
    """Index the cards that were noted, in portions; where nothing can be written or it takes long, leave the rest."""
    until = monotonic() + SEARCH_SECONDS
    try:
        while noted and monotonic() < until:
            portion = store.write(partial(_portion, seconds=TURN_SECONDS, noted=noted))
            noted = await _unless_all_stands_still(store, portion)
    except Unavailable:
        log.warning("a search shows what was indexed before: nothing can be written at the moment")


async def _unless_all_stands_still(store: Store, write: Coroutine[Any, Any, T]) -> T:
    """Wait for a write for as long as anything is written at all; raise Unavailable otherwise."""
    task = asyncio.create_task(write)
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # it is heard of here, or by nobody
    while not task.done():
        groups = store.figures.groups
        await asyncio.wait({task}, timeout=STANDSTILL_SECONDS)
        if not task.done() and store.figures.groups == groups:
            raise Unavailable(None, "Nothing can be written at the moment; try again in a few seconds.")
    return task.result()


async def keep_up(store: Store) -> None:
    """Index a few noted cards at each look; all of them if nobody else has anything to write. Runs until cancelled."""
    took = 0.0
    while True:
        # A card with 50,000 comments takes long, and while people comment on it it is noted again at once.
        await asyncio.sleep(max(INTERVAL_SECONDS, took * PAUSE_PER_WORK))
        began = monotonic()
        try:
            while noted := store.peek(_some):
                taken, began = store.taken, monotonic()
                await store.write(partial(_portion, seconds=LOOK_SECONDS, noted=noted))
                if store.taken > taken + 1:
                    break
        except Unavailable:
            pass  # the store has told why
        except Exception:
            log.exception("the search index could not be brought up to date; the next search tries again")
        took = monotonic() - began


async def work_off(store: Store) -> None:
    """Index what was set aside, for a fifth of the time at the most. Runs until cancelled."""
    while True:
        began, pause = monotonic(), INTERVAL_SECONDS
        try:
            if noted := store.peek(lambda tx: tx.all(sql.search.backlog, limit=CARDS_PER_LOOK)):
                await store.write(partial(_portion, seconds=TURN_SECONDS, noted=noted, clear=sql.search.clear_backlog))
                pause = (monotonic() - began) * BACKLOG_PAUSE_PER_WORK
        except Unavailable:
            pass  # the store has told why
        except Exception:
            log.exception("what an import brought could not be indexed; the next look tries again")
        await asyncio.sleep(pause)


def span(first: int, last: int) -> dict[str, int]:
    """Give the rows of the index that cards with these numbers have."""
    return {"first": first * PARTS_PER_CARD, "last": (last + 1) * PARTS_PER_CARD - 1}


def _some(tx: Tx) -> list[Row]:
    return tx.all(sql.search.noted_anywhere, limit=CARDS_PER_LOOK)


def _portion(tx: Tx, seconds: float, noted: list[Row], clear: Statement = sql.search.clear_note) -> list[Row]:
    """Index some cards, for as long as others may wait; give those that are left."""
    until = monotonic() + seconds
    for count, row in enumerate(noted, 1):
        if tx.run(clear, **row):
            _index(tx, row["card_id"])
        if monotonic() > until:
            return noted[count:]
    return []


def _index(tx: Tx, card_id: str) -> None:
    """Write what the index does not hold of a card yet."""
    card: Row = tx.one(sql.search.read, card_id=card_id) or {}
    number = card["number"] or tx.value(sql.search.add, card_id=card_id)
    _index_title(tx, number, card)
    held = {row["part"]: row for row in tx.all(sql.search.parts, **span(number, number))}
    for part, (texts, comments) in enumerate(_parts(tx, card_id, card["title"]), number * PARTS_PER_CARD):
        if held.get(part) == {"part": part, **texts}:
            continue
        tx.run(sql.search.remove, part=part)
        contents = _joined([row["content"] for row in tx.all(sql.search.contents, ids=json_text(comments))])
        tx.run(sql.search.write, part=part, **texts, comments=contents)


def _index_title(tx: Tx, number: int, card: Row) -> None:
    if card["part_of"] != card["title"]:
        tx.run(sql.search.remove_title, number=number)
        tx.run(sql.search.write_title, number=number, title=card["title"])


def _parts(tx: Tx, card_id: str, title: str) -> list[tuple[dict[str, str], list[str]]]:
    """Give what each part of a card holds, with the ids of its comments: they never change, so the ids will do."""
    values = tx.all(sql.search.values, card_id=card_id)
    comments = [row["id"] for row in tx.all(sql.search.comments, card_id=card_id)]
    shared = {"title": _clean(title), "fields": _joined([_text(row["value"]) for row in values])}
    fields = [row["field_id"] for row in values]
    starts = range(0, len(comments) or 1, COMMENTS_PER_PART)
    stretches = [comments[start : start + COMMENTS_PER_PART] for start in starts]
    return [(shared | {"sources": json_text({"fields": fields, "comments": ids})}, ids) for ids in stretches]


def _text(value: str) -> str:
    """Give the text of a field value; choices are set apart by commas."""
    found = stored_json(value)
    return ", ".join(found) if isinstance(found, list) else str(found)


def _clean(text: str) -> str:
    return apart(text.translate(_WITHOUT))


def _joined(texts: list[str]) -> str:
    return TEXT_SEPARATOR.join(_clean(text) for text in texts)
