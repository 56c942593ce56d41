"""The append-only history of cards: one row per change, none for a request that changes nothing."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..auth.context import Call, CardCall
from ..auth.policies import CARD, agent, may
from ..clock import next_millisecond
from ..database.queries import sql
from ..domain.watching import watch_card
from ..http.responses import Answer, list_fitting
from ..ids import new_id
from ..pipeline.routing import routes
from ..schemas import Actor, Output, PageQuery, StoredJson, json_text
from . import events

NEWEST_ROWS_MAX = 500  # in a response to a request without page and pageSize
Changes = Mapping[str, tuple[Any, Any]]
# Event type by action of history. Relations are missing: they have two rows of history, but one event.
EVENTS = {
    "created": "card.created",
    "updated": "card.updated",
    "moved": "card.moved",
    "transferred": "card.transferred",
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
WATCHING_ACTIONS = ("created", "commented", "replied")  # a person who does this watches the card from then on


class HistoryRow(Output):
    """One change of a card."""

    id: str
    card_id: str
    card_key: str
    actor: Annotated[Actor, StoredJson]
    action: str
    changes: Annotated[dict[str, Any], StoredJson]
    imported: bool = Field(description="Whether the row came with an import and was not recorded by this service.")
    created_at: str


class RecordedChange(BaseModel):
    """A value before and after a change."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)

    old: str | list[str] | int | None = Field(alias="from")
    new: str | list[str] | int | None = Field(alias="to")


class RecordedText(RecordedChange):
    """A text before and after a change."""

    old: str | None = Field(alias="from")
    new: str | None = Field(alias="to")


class RecordedChanges(BaseModel):
    """The changes of a history row by their names. A row that came with an import can contain anything else."""

    model_config = ConfigDict(extra="allow", strict=True, defer_build=True)
    __pydantic_extra__: dict[str, RecordedChange]

    # Named like the keys, so that no other key can have the name of a field.
    title: RecordedText = None  # type: ignore[assignment]  # it is absent
    assignedAgentId: RecordedText = None  # type: ignore[assignment]  # noqa: N815
    assignedUserId: RecordedText = None  # type: ignore[assignment]  # noqa: N815
    priority: RecordedText = None  # type: ignore[assignment]
    dueDate: RecordedText = None  # type: ignore[assignment]  # noqa: N815
    columnId: RecordedText = None  # type: ignore[assignment]  # noqa: N815
    archivedAt: RecordedText = None  # type: ignore[assignment]  # noqa: N815

    @classmethod
    def find(cls, text: str) -> Self | None:
        """Return the changes of a stored row, or None if they have another form."""
        try:
            return cls.model_validate_json(text)
        except ValidationError:
            return None

    def by_name(self) -> dict[str, RecordedChange | None]:
        """Return the changes by name."""
        return {name: change for name, change in self if name in self.model_fields_set}

    def to_dict(self) -> dict[str, Any]:
        """Return the changes by name in the form in which they are stored."""
        return self.model_dump(by_alias=True, exclude_unset=True)


class HistoryQuery(PageQuery):
    narrowing_hint: ClassVar[str] = "ask with order=desc"

    order: Literal["asc", "desc"] = "asc"

    @property
    def is_newest(self) -> bool:
        """Return whether no page is requested: then the newest rows are listed."""
        return self.model_fields_set.isdisjoint({"page", "page_size"})

    @property
    def is_forward(self) -> bool:
        """Return whether rows are read from the oldest to the newest."""
        return self.order == "asc" and not self.is_newest

    @property
    def limit(self) -> int:
        """Return the maximum number of rows in the response."""
        return NEWEST_ROWS_MAX if self.is_newest else self.page_size


def record(
    call: Call,
    card_id: str,
    action: str,
    changes: Changes,
    column_id: str | None = None,
    archive_id: str | None = None,
) -> None:
    """Record a change of a card by the caller: one row of history and one event.

    `column_id` is the column of a card that is archived or restored; its changes do not contain the column.
    `archive_id` is the operation that archived its whole board: then the event is no news of the card.
    """
    write_row(call, card_id, action, changes, column_id)
    ids = _get_event_ids(changes, column_id)
    events.record(call, EVENTS[action], card_id, **ids, **({"archive_id": archive_id} if archive_id else {}))


def _get_event_ids(changes: Changes, column_id: str | None) -> dict[str, str | None]:
    """Return the other ids of the event: columns, former board, the comment, the agent that claims or claimed it."""
    ids: dict[str, str | None] = {"column_id": column_id} if column_id else {}
    if "projectId" in changes:
        ids["from_project_id"] = changes["projectId"][0]
    for old, new in filter(None, [changes.get("columnId")]):
        ids |= {"from_column_id": old, "to_column_id": new} if old and new else {"column_id": old or new}
    for name, key in (("commentId", "comment_id"), ("claim", "agent_id")):
        for old, new in filter(None, [changes.get(name)]):
            ids[key] = new or old
    return ids


def get_change_time(call: Call, card_id: str) -> str:
    """Return the time of a change: later than the previous change of the card, even if the clock went back since."""
    if not call.service.clock.may_have_gone_backwards(call.now):
        return call.now
    last = call.tx.value(sql.history.last_change, card_id=card_id)
    return max(call.now, next_millisecond(last)) if last else call.now


def write_row(call: Call, card_id: str, action: str, changes: Changes, column_id: str | None = None) -> None:
    """Write a row of history without an event, for changes whose event is recorded by the caller of this function.

    People who create a card, comment on it or are assigned watch it from then on.
    """
    column_change, from_column_id, to_column_id = _column_change(action, changes, column_id)
    text = json_text({name: {"from": old, "to": new} for name, (old, new) in changes.items()})
    call.tx.count_changes(text)
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
    _watch(call, card_id, action, changes)


def _watch(call: Call, card_id: str, action: str, changes: Changes) -> None:
    if action in WATCHING_ACTIONS and call.actor.type == "User":
        watch_card(call, card_id, call.actor.id)
    if assignee := changes.get("assignedUserId", (None, None))[1]:
        watch_card(call, card_id, assignee)


def _column_change(action: str, changes: Changes, column_id: str | None) -> tuple[str | None, str | None, str | None]:
    """Return (kind, from column, to column) of a change as analytics count it; an archived card is in no column."""
    moved, kind = changes.get("columnId"), _get_effective_action(action, changes)
    if kind == "archived":
        return kind, column_id, None
    if kind == "restored":
        return (kind if moved else "returned"), None, column_id
    return (kind, *moved) if moved else (None, None, None)


def _get_effective_action(action: str, changes: Changes) -> str:
    """Return the action of a change; an undo counts as the move, transfer, archiving or restoration that it causes."""
    if action != "undone":
        return action
    archived_at = changes.get("archivedAt")
    if "projectId" in changes:
        return "transferred"
    return "moved" if archived_at is None else "archived" if archived_at[1] else "restored"


@routes.get("/cards/{card_id}/history", may("read", "Card", CARD), on_reader_thread=True, answers=list[HistoryRow])
@routes.get("/cards/{card_id}/history/mcp", agent(CARD), on_reader_thread=True, answers=list[HistoryRow])
def list_history(call: CardCall, card_id: str, query: HistoryQuery) -> Answer:
    """List the history of a card, newest last (`order=desc`: first): the newest 500 rows unless a page is requested.

    A response is at most 4 MiB; if rows are left out for that, it has `X-Truncated: true`. Without a page the oldest
    rows are left out; with one, a smaller `pageSize` returns the rest. `X-Total-Count` is the number of all rows. Pages
    end at row 20,000; `order=desc` reads from the other end.
    """
    statement = sql.history.list if query.is_forward else sql.history.list_newest
    rows = call.tx.each(statement, card_id=card_id, limit=query.limit, offset=query.offset)
    items, is_truncated = list_fitting(HistoryRow.encode_row({**row, "card_key": call.card["key"]}) for row in rows)
    if query.is_newest and query.order == "asc":
        items.reverse()
    total = call.tx.value(sql.history.count, card_id=card_id)
    headers = {"X-Total-Count": str(total), **({"X-Truncated": "true"} if is_truncated else {})}
    return Answer(b"[" + b",".join(items) + b"]", headers=headers)
