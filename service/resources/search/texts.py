"""Full-text index of cards. Triggers record the changed cards; they are indexed in the same transaction.

So `/search` and `q` find every acknowledged write at once. A card has one or more rows in the index (parts). Each part
has the title, the field values and up to 50 comments, so that the cost of a new comment does not grow.
"""

import asyncio
import logging
from functools import partial
from time import monotonic

from ...database.queries import sql
from ...database.store import Row, Store, Tx
from ...errors import TooExpensive, Unavailable
from ...schemas import json_text, stored_json
from ...text_comparison import fold_text
from .folding import fold_for_index
from .scripts import BOUNDARY, separate_scripts

PARTS_PER_CARD = 1 << 16  # index rows that a card can have at most
COMMENTS_PER_PART = 50
BACKLOG_CARDS_PER_READ = 25
BACKLOG_SECONDS_PER_WRITE = 0.02  # indexing time per transaction, without the COMMIT
INTERVAL_SECONDS = 1.0  # between two checks of the backlog
TEXT_TABLES = frozenset({"cards", "fields", "field_values"})  # tables with texts that every part of a card contains
# Private-use characters, which are removed from indexed texts: before and after a hit, and between two texts.
HIT_START, HIT_END, TEXT_SEPARATOR = "\ue000", "\ue001", "\n\ue002\n"
_WITHOUT = str.maketrans(dict.fromkeys(f"\ue000\ue001\ue002{BOUNDARY}", " "))
log = logging.getLogger("service")


def index_changes(tx: Tx) -> None:
    """Index the cards whose texts the transaction has changed; called before its COMMIT."""
    if not (pending := tx.all(sql.search.list_pending)):
        return
    has_only_comments = TEXT_TABLES.isdisjoint(tx.changed)
    for row in pending:
        if not (has_only_comments and _append_comments(tx, row["card_id"])):
            _index(tx, row["card_id"])
    tx.run(sql.search.clear_pending)


async def index_backlog(store: Store) -> None:
    """Index the cards that an older version of the service did not index, a few per write. Runs until cancelled."""
    while True:
        try:
            while cards := store.read_inline(lambda tx: tx.all(sql.search.list_backlog, limit=BACKLOG_CARDS_PER_READ)):
                await _index_some(store, cards)
        except Unavailable:
            pass  # the store has logged why
        except Exception:
            log.exception("cards of an older version could not be indexed; it is tried again")
        await asyncio.sleep(INTERVAL_SECONDS)


async def _index_some(store: Store, cards: list[Row]) -> None:
    """Index the first of the cards; a card that exceeds the time limit of a write stays unindexed until it changes."""
    try:
        await store.write(partial(_index_first, cards))
    except TooExpensive:
        if len(cards) > 1:
            await _index_some(store, cards[:1])
            return
        log.error("card %s is not searched until it changes: it takes too long to index", cards[0]["card_id"])
        await store.write(lambda tx: tx.run(sql.search.delete_from_backlog, **cards[0]))


def _index_first(cards: list[Row], tx: Tx) -> None:
    """Index cards for 20 ms, at least one."""
    ends_at = monotonic() + BACKLOG_SECONDS_PER_WRITE
    for row in cards:
        if tx.run(sql.search.delete_from_backlog, **row):
            _index(tx, row["card_id"], is_outdated=True)
        if monotonic() > ends_at:
            return


def span(first: int, last: int) -> dict[str, int]:
    """Return the range of index rows of the cards with these numbers."""
    return {"first": first * PARTS_PER_CARD, "last": (last + 1) * PARTS_PER_CARD - 1}


def _append_comments(tx: Tx, card_id: str) -> bool:
    """Add new comments to the last part of a card; return False if there is no such part, or no room in it."""
    last = tx.one(sql.search.get_last_part, card_id=card_id)
    if last is None:
        return False
    sources = stored_json(last["sources"])
    known = sources["comments"]
    new = tx.all(sql.search.list_new_comments, card_id=card_id, comment_id=known[-1] if known else None)
    ids = known + [row["id"] for row in new]
    if len(ids) > COMMENTS_PER_PART:
        return False
    contents = ([last["comments"]] if known else []) + [_clean(row["content"]) for row in new]
    texts = {"title": last["title"], "fields": last["fields"], "sources": json_text(sources | {"comments": ids})}
    tx.run(sql.search.delete_part, part=last["part"])
    tx.run(sql.search.create_part, part=last["part"], **texts, comments=TEXT_SEPARATOR.join(contents))
    return True


def _index(tx: Tx, card_id: str, is_outdated: bool = False) -> None:
    """Write the parts of a card that are missing or outdated in the index; all if an older version indexed it."""
    card: Row = tx.one(sql.search.get_card, card_id=card_id) or {}
    is_indexed = card["number"] is not None
    number = card["number"] if is_indexed else tx.value(sql.search.create_card, card_id=card_id)
    _index_title(tx, number, card)
    indexed = {row["part"]: row for row in tx.all(sql.search.list_parts, **span(number, number))} if is_indexed else {}
    for part, (texts, comments) in enumerate(_parts(tx, card_id, card["title"]), number * PARTS_PER_CARD):
        if not is_outdated and indexed.get(part) == {"part": part, **texts}:
            continue
        if part in indexed:
            tx.run(sql.search.delete_part, part=part)
        _write_part(tx, part, texts, comments)


def _write_part(tx: Tx, part: int, texts: dict[str, str], comments: list[str]) -> None:
    contents = tx.all(sql.search.list_comment_contents, ids=json_text(comments)) if comments else []
    tx.run(sql.search.create_part, part=part, **texts, comments=_join_texts([row["content"] for row in contents]))


def _index_title(tx: Tx, number: int, card: Row) -> None:
    title = fold_text(card["title"])
    if card["part_of"] != title:
        if card["part_of"] is not None:
            tx.run(sql.search.delete_title, number=number)
        tx.run(sql.search.create_title, number=number, title=title)


def _parts(tx: Tx, card_id: str, title: str) -> list[tuple[dict[str, str], list[str]]]:
    """Return each part of a card with the ids of its comments.

    Comments never change, so their ids are enough to compare parts.
    """
    values = tx.all(sql.search.list_values, card_id=card_id)
    comments = list(tx.values(sql.search.list_comments, card_id=card_id))  # their number has no limit
    shared = {"title": _clean(title), "fields": _join_texts([get_value_text(row["value"]) for row in values])}
    fields = [row["field_id"] for row in values]
    starts = range(0, len(comments) or 1, COMMENTS_PER_PART)
    groups = [comments[start : start + COMMENTS_PER_PART] for start in starts]
    return [(shared | {"sources": json_text({"fields": fields, "comments": ids})}, ids) for ids in groups]


def get_value_text(value: str) -> str:
    """Return the text of a stored field value; several options are joined with commas."""
    found = stored_json(value)
    return ", ".join(found) if isinstance(found, list) else str(found)


def replace_markers(text: str) -> str:
    """Return a text of the same length without the characters that have a meaning in the index."""
    return text.translate(_WITHOUT)


def _clean(text: str) -> str:
    return separate_scripts(fold_for_index(replace_markers(text)))


def _join_texts(texts: list[str]) -> str:
    return TEXT_SEPARATOR.join(_clean(text) for text in texts)
