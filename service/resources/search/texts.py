"""Full-text index of cards. Triggers record the changed texts; they are indexed in the same transaction.

So `/search` and `q` find every acknowledged write at once.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from time import monotonic

from ...database.queries import sql
from ...database.store import Row, Share, Store, Tx
from ...errors import TooExpensive, Unavailable
from ...schemas import json_text, stored_json
from ...text.comparison import fold_text
from .card_texts import CardTexts, replace_markers
from .folding import fold_for_index
from .scripts import separate_scripts

BACKLOG_CARDS_PER_READ = 25
BACKLOG_SECONDS_PER_WRITE = 0.02  # indexing time per transaction, without the COMMIT
INTERVAL_SECONDS = 1.0  # between two checks of the backlog
TITLE, VALUE, COMMENT = "title", "value", "comment"  # kinds of texts in search_pending
log = logging.getLogger("service")


def index_changes(tx: Tx) -> None:
    """Index the texts that the transaction has changed; called before its COMMIT."""
    card_id = None
    for card_id, changes in groupby(tx.each(sql.search.list_pending), itemgetter("card_id")):
        _index_changes(tx, card_id, list(changes))
    if card_id is not None:
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


async def _index_some(store: Store, cards: Sequence[Row]) -> None:
    """Index the first of the cards; a card that exceeds the time limit of a write stays unindexed until it changes."""
    try:
        org_id = cards[0]["org_id"]
        await store.write(partial(_index_first, [card for card in cards if card["org_id"] == org_id]), Share(org_id))
    except TooExpensive:
        if len(cards) > 1:
            await _index_some(store, cards[:1])
            return
        log.error("card %s is not searched until it changes: it takes too long to index", cards[0]["card_id"])
        await store.write(lambda tx: tx.run(sql.search.delete_from_backlog, **cards[0]), Share(cards[0]["org_id"]))


def _index_first(cards: Sequence[Row], tx: Tx) -> None:
    """Index cards for 20 ms, at least one."""
    ends_at = monotonic() + BACKLOG_SECONDS_PER_WRITE
    for row in cards:
        if tx.run(sql.search.delete_from_backlog, **row):
            _index(tx, row["card_id"])
        if monotonic() > ends_at:
            return


def _index_changes(tx: Tx, card_id: str, changes: list[Row]) -> None:
    """Write the changed texts of a card to the index; all if it is not in the index."""
    card: Row = tx.one(sql.search.get_card, card_id=card_id) or {}
    if card["sources"] is None and not card["parts"]:
        _index(tx, card_id)
        return
    texts = CardTexts(tx, card["number"], card["parts"], card["comments_part"])
    if card["sources"] is not None:
        texts.load({name: card[name] for name in ("title", "sources", "fields", "comments")})
    ids = {kind: [row["source_id"] for row in changes if row["kind"] == kind] for kind in (TITLE, VALUE, COMMENT)}
    if ids[TITLE]:
        _set_title(tx, card["number"], texts, card["card_title"])
    if ids[VALUE]:
        rows = tx.all(sql.search.list_values_by_field, card_id=card_id, field_ids=json_text(ids[VALUE]))
        _set_values(texts, dict.fromkeys(ids[VALUE], "") | _get_value_texts(rows))
    if ids[COMMENT]:
        _add_comments(texts, tx.all(sql.search.list_comments_by_id, ids=json_text(ids[COMMENT])))
    texts.save()


def _index(tx: Tx, card_id: str) -> None:
    """Index all texts of a card; what the index has of it is replaced."""
    card: Row = tx.one(sql.search.get_card, card_id=card_id) or {}
    number = card["number"]
    if number is None:
        number = tx.value(sql.search.create_card, card_id=card_id)
    else:
        _delete_rows(tx, number)
    texts = CardTexts(tx, number)
    _set_title(tx, number, texts, card["card_title"])
    _set_values(texts, _get_value_texts(tx.all(sql.search.list_values, card_id=card_id)))
    _add_comments(texts, tx.each(sql.search.list_comments, card_id=card_id))
    texts.save()


def _delete_rows(tx: Tx, number: int) -> None:
    for statement in (sql.search.delete_text, sql.search.delete_parts, sql.search.delete_value_parts):
        tx.run(statement, number=number)
    tx.run(sql.search.update_card, number=number, parts=0, comments_part=None)


def _set_title(tx: Tx, number: int, texts: CardTexts, title: str) -> None:
    """Write the title to the index, and to that of substrings."""
    texts.set_title(_clean(title))
    folded, indexed = fold_text(title), tx.value(sql.search.get_title, number=number)
    if indexed is not None and indexed != folded:
        tx.run(sql.search.delete_title, number=number)
    if indexed != folded:
        tx.run(sql.search.create_title, number=number, title=folded)


def _set_values(texts: CardTexts, values: dict[str, str]) -> None:
    for field_id, text in values.items():
        texts.set_value(field_id, text)


def _get_value_texts(rows: Iterable[Row]) -> dict[str, str]:
    return {row["field_id"]: _clean(get_value_text(row["value"])) for row in rows}


def _add_comments(texts: CardTexts, rows: Iterable[Row]) -> None:
    for row in rows:
        texts.add_comment(row["id"], _clean(row["content"]))


def get_value_text(value: str) -> str:
    """Return the text of a stored field value; several options are joined with commas."""
    found = stored_json(value)
    return ", ".join(found) if isinstance(found, list) else str(found)


def _clean(text: str) -> str:
    return separate_scripts(fold_for_index(replace_markers(text)))
