"""Catch-up: activity of others since a person's last visit, one item per card."""

import orjson

from ..auth import card_keys
from ..auth.context import Call
from ..auth.policies import may
from ..database.queries import sql
from ..domain import activity_summary, event_cursor
from ..errors import invalid
from ..pipeline.routing import routes
from ..schemas import Id, Input, Output, PageSize, Query


class CatchUp(Output):
    """The activity of others between two events, newest first, and the number of cards with activity."""

    since: str
    at: str
    items: list[activity_summary.News]
    total: int
    next: str
    has_more: bool


class CatchUpQuery(Query):
    since: event_cursor.Since = None
    limit: PageSize = 50


class Seen(Input):
    event_id: Id
    card_id: Id | None = None


@routes.get("/organizations/{org_id}/catch-up", may("read", "Card"), on_reader_thread=True, answers=CatchUp)
def get_catch_up(call: Call, org_id: str, query: CatchUpQuery) -> bytes:
    """Return the activity of others since the last seen event, one item per card, newest first.

    The last seen event is at first the newest one when the caller joined the organization. Events on a card up to the
    one that the caller has seen there are left out, unless `since` is given: an event id, a timestamp or an age (`15m`,
    `3h`, `2d`). `total` is the number of all cards with activity (in the newest 200,000 events); with `hasMore` some of
    them are not among the items, because there are more than `limit`, or because only the newest 5,000 events are
    summarized. `next` is the newest event: store it with PUT …/seen when the person has seen everything.
    """
    since = (
        activity_summary.get_seen_event_id(call)
        if query.since is None
        else event_cursor.require_event_id(call, query.since)
    )
    newest, total = activity_summary.summarize_newest(call, since, only_unseen=query.since is None)
    last = event_cursor.get_last_event_id(call)
    shown = {"since": event_cursor.limit_to_known(call, since), "at": last, "next": max(since, last)}
    items = [card.to_dict(call) for card in newest[: query.limit]]
    more = {"total": total, "hasMore": total > len(items)}
    return orjson.dumps({**{name: str(event_id) for name, event_id in shown.items()}, "items": items, **more})


@routes.put("/organizations/{org_id}/seen", may("read", "Card"), grows=False)
def mark_seen(call: Call, org_id: str, body: Seen) -> None:
    """Store the last event that the caller has seen, for a card or the organization; it never moves backwards."""
    last, is_number = event_cursor.get_last_event_id(call), body.event_id.isascii() and body.event_id.isdigit()
    if not is_number or len(body.event_id) > 18 or int(body.event_id) > last:
        raise invalid("eventId", "must be the id of an existing event")
    card_id = "" if body.card_id is None else card_keys.resolve_card_id(call, body.card_id)
    card = call.tx.one(sql.cards.get, card_id=card_id) if card_id else None
    if card_id and (card is None or card["org_id"] != org_id):
        raise invalid("cardId", "names no card")
    call.tx.run(sql.seen.upsert, org_id=org_id, card_id=card_id, event_id=int(body.event_id), **call.reader)
