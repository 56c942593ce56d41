"""The append-only history of cards: one row per change, none for a change that did not happen."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from ..auth.context import Call, CardCall
from ..auth.policies import CARD, agent, may
from ..clock import after
from ..database.queries import sql
from ..http.responses import Answer, take_fitting
from ..ids import new_id
from ..pipeline.routing import routes
from ..schemas import Actor, Output, PageQuery, StoredJson, json_text
from . import events

ROWS_SHOWN_MAX = 500  # where no page is asked for
Changes = Mapping[str, tuple[Any, Any]]
# What the actions of history are called among events. A relation has two rows, but is one event.
EVENTS = {
    "created": "card.created",
    "updated": "card.updated",
    "moved": "card.moved",
    "ranked": "card.ranked",
    "archived": "card.archived",
    "restored": "card.restored",
    "undone": "card.undone",
    "claimed": "card.claimed",
    "released": "card.released",
    "commented": "comment.created",
    "replied": "comment.replied",
    "fileAdded": "file.added",
    "fileRemoved": "file.removed",
}


class HistoryRow(Output):
    """One change of a card (contract, section 4)."""

    id: str
    card_id: str
    card_key: str
    actor: Annotated[Actor, StoredJson]
    action: str
    changes: Annotated[dict[str, Any], StoredJson]
    created_at: str


class HistoryQuery(PageQuery):
    further: ClassVar[str] = "ask with order=desc"

    order: Literal["asc", "desc"] = "asc"

    @property
    def is_newest(self) -> bool:
        """Tell whether no page is asked for: then the newest rows are shown."""
        return self.model_fields_set.isdisjoint({"page", "page_size"})

    @property
    def is_forward(self) -> bool:
        """Tell whether the rows are read from the oldest on."""
        return self.order == "asc" and not self.is_newest

    @property
    def limit(self) -> int:
        """Give how many rows to show."""
        return ROWS_SHOWN_MAX if self.is_newest else self.page_size


def record(call: Call, card_id: str, action: str, changes: Changes, column_id: str | None = None) -> None:
    """Write down one change of a card by whoever is calling, and tell it to those who listen.

    A card that is archived or restored does not say in its changes where it stands: column_id does.
    """
    write_row(call, card_id, action, changes, column_id)
    events.record(call, EVENTS[action], card_id, **_about(changes, column_id))


def _about(changes: Changes, column_id: str | None) -> dict[str, str | None]:
    """Name what else than the card a change is about: columns, the comment, the agent that holds or held it."""
    about: dict[str, str | None] = {"column_id": column_id} if column_id else {}
    for old, new in filter(None, [changes.get("columnId")]):
        about |= {"from_column_id": old, "to_column_id": new} if old and new else {"column_id": old or new}
    for name, key in (("commentId", "comment_id"), ("claim", "agent_id")):
        for old, new in filter(None, [changes.get(name)]):
            about[key] = new or old
    return about


def get_change_time(call: Call, card_id: str) -> str:
    """Give the time of a change of a card: after the one before, even if the clock has gone back since."""
    if not call.service.clock.was_told(call.now):
        return call.now
    last = call.tx.value(sql.history.last_change, card_id=card_id)
    return max(call.now, after(last)) if last else call.now


def write_row(call: Call, card_id: str, action: str, changes: Changes, column_id: str | None = None) -> None:
    """Write down one change of a card that those who listen hear of in another way."""
    column_change, from_column_id, to_column_id = _column_change(action, changes, column_id)
    text = json_text({name: {"from": old, "to": new} for name, (old, new) in changes.items()})
    call.tx.charge(text)
    call.tx.run(
        sql.history.create,
        id=new_id("his"),
        org_id=call.org_id,
        card_id=card_id,
        actor_type=call.actor.type,
        actor_id=call.actor.id,
        actor_label=call.actor.label,
        action=action,
        changes=text,
        now=get_change_time(call, card_id),
        column_change=column_change,
        from_column_id=from_column_id,
        to_column_id=to_column_id,
    )


def _column_change(action: str, changes: Changes, column_id: str | None) -> tuple[str | None, str | None, str | None]:
    """Tell from which column a change takes its card to which, as analytics count it; an archived card is in none."""
    moved, deed = changes.get("columnId"), _deed(action, changes)
    if deed == "archived":
        return deed, column_id, None
    if deed == "restored":
        return (deed if moved else "returned"), None, column_id
    return (deed, *moved) if moved else (None, None, None)


def _deed(action: str, changes: Changes) -> str:
    """Tell as what a change counts that takes others back."""
    if action != "undone":
        return action
    put_away = changes.get("archivedAt")
    return "moved" if put_away is None else "archived" if put_away[1] else "restored"


@routes.get("/cards/{card_id}/history", may("read", "Card", CARD), bulk=True, answers=list[HistoryRow])
@routes.get("/cards/{card_id}/history/mcp", agent(CARD), bulk=True, answers=list[HistoryRow])
def list_history(call: CardCall, card_id: str, query: HistoryQuery) -> Answer:
    """Show the history of a card, newest last (`order=desc`: first): the newest 500 rows unless a page is asked for.

    An answer ends before a row with which it would be larger than 4 MiB, and then says `X-Truncated: true`: without a
    page the oldest are missing, with one a smaller `pageSize` reads the rest. `X-Total-Count` counts all rows. Pages
    end with the 20,000th row; `order=desc` reads from the other end.
    """
    statement = sql.history.list if query.is_forward else sql.history.list_newest
    rows = call.tx.each(statement, card_id=card_id, limit=query.limit, offset=query.offset)
    items, is_truncated = take_fitting(HistoryRow.encode_row({**row, "card_key": call.card["key"]}) for row in rows)
    if query.is_newest and query.order == "asc":
        items.reverse()
    total = call.tx.value(sql.history.count, card_id=card_id)
    headers = {"X-Total-Count": str(total), **({"X-Truncated": "true"} if is_truncated else {})}
    return Answer(b"[" + b",".join(items) + b"]", headers=headers)
