"""Watching of cards by people."""

from functools import partial

import orjson

from ..auth.authentication import Person
from ..auth.context import Call
from ..database.queries import sql
from ..schemas import stored_json


def watch_card(call: Call, card_id: str, user_id: str) -> None:
    """Let a member watch a card; do nothing if the person watches it already, or is no member."""
    if call.tx.run(sql.watchers.create, org_id=call.org_id, card_id=card_id, user_id=user_id):
        _notify(call, card_id, user_id)


def unwatch_card(call: Call, card_id: str, user_id: str) -> None:
    """End the watching of a card by a person; do nothing if the person does not watch it."""
    if call.tx.run(sql.watchers.delete, card_id=card_id, user_id=user_id):
        _notify(call, card_id, user_id)


def watch_as_mentioned(call: Call, card_id: str, mentions: str | None, before: str | None = None) -> None:
    """Let the people in `mentions` (as stored) who are not in `before` watch a card."""
    known = stored_json(before) if before else []
    for type, user_id in stored_json(mentions) if mentions else ():
        if type == "User" and [type, user_id] not in known:
            watch_card(call, card_id, user_id)


def is_watching(call: Call, card_id: str) -> bool:
    """Return whether the caller watches a card; agents and jobs never do."""
    caller = call.caller
    if not isinstance(caller, Person):
        return False
    return bool(call.tx.value(sql.watchers.is_watching, card_id=card_id, user_id=caller.user_id))


def _notify(call: Call, card_id: str, user_id: str) -> None:
    """Send the event to the open streams of the person only, after the commit; it is in no log and has no id."""
    event = {"type": "card.watched", "cardId": card_id, "userId": user_id, "at": call.now}
    frame = b"data: " + orjson.dumps({**event, "actor": stored_json(call.actor.json())}) + b"\n\n"
    call.tx.on_commit(partial(call.service.listeners.send_to, call.org_id, user_id, frame))
