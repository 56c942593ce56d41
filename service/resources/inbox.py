"""The inbox of an agent: what others did that concerns it, one item a card (contract, section 7)."""

from functools import partial
from typing import Annotated

import orjson
from pydantic import BeforeValidator, Field

from ..database.queries import sql
from ..journey.call import Call
from ..journey.gates import agent
from ..journey.route import Operation
from ..journey.table import routes
from ..wire import Output, Query, whole
from . import news


class Inbox(Output):
    """What others did that concerns an agent, oldest first, and where to go on."""

    items: list[news.News]
    next: str
    has_more: bool


class InboxQuery(Query):
    since: str | None = None
    limit: Annotated[int, Field(ge=1, le=100), BeforeValidator(whole)] = 20


@routes.get("/organizations/{org_id}/inbox/mcp", agent(), answers=Inbox)
async def read(operation: Operation[Call], org_id: str, query: InboxQuery) -> bytes:
    """Tell an agent what others did that concerns it, one item a card, oldest first.

    Its concern are cards assigned to it, claimed by it or by it last, those on which it has commented, asked, or asked
    for a move, and where a comment says `@` and its id. `since` is an event id, a moment or an age (`15m`, `3h`, `2d`);
    left out: since the last call, which the service remembers, up to what it showed and no further (with
    `hasMore` ask again); the first begins at registration.
    """
    found, answer = await operation.read(partial(_look, query))
    if query.since is None:
        await operation.write(partial(_remember, found.reached))
    return answer


def _look(query: InboxQuery, call: Call) -> tuple[news.Folded, bytes]:
    since = (_last(call)) if query.since is None else news.place(call, query.since)
    found = news.fold(call, since, call.actor.id, is_agent=True, cards_max=query.limit)
    items = [card.told(call) for card in found.cards.values()]
    return found, orjson.dumps({"items": items, "next": str(found.reached), "hasMore": found.has_more})


def _last(call: Call) -> int:
    mark: int | None = call.tx.value(sql.seen.read, org_id=call.org_id, reader_id=call.actor.id)
    return mark or 0


def _remember(event_id: int, call: Call) -> None:
    call.tx.run(sql.seen.mark, org_id=call.org_id, reader_id=call.actor.id, card_id="", event_id=event_id)
