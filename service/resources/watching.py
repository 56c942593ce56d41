"""Watching of a card by the caller."""

from ..auth.context import CardCall
from ..auth.policies import CARD, may
from ..domain import watching
from ..pipeline.routing import routes

PATH = "/cards/{card_id}/watch"


@routes.put(PATH, may("read", "Card", CARD))
def watch_card(call: CardCall, card_id: str) -> None:
    """Watch a card; its answers then say `watching: true` to the caller. Does nothing if the caller watches it already.

    People also watch a card when they create it, comment on it, are assigned, or are mentioned in it. Only the person's
    own event streams get the event `card.watched`, without an id; it is not in `/changes`, and not sent to webhooks.
    """
    watching.watch_card(call, card_id, call.user_id)


@routes.delete(PATH, may("read", "Card", CARD))
def unwatch_card(call: CardCall, card_id: str) -> None:
    """Stop watching a card, until something makes the caller watch it again; does nothing if it is not watched."""
    watching.unwatch_card(call, card_id, call.user_id)
