"""Activity since an event, summarized to one item per card, for inboxes of agents and catch-up of people."""

from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import MISSING

from ..auth.context import Call
from ..database.queries import sql
from ..database.store import Row
from ..schemas import Actor, Output, StoredJson, stored_json
from . import event_cursor, next_steps

EVENTS_READ_MAX = 5000  # per request
EVENTS_COUNTED_MAX = 200_000  # per request, to count cards; takes about half a second
ACTORS_PER_CARD_MAX = 10
KINDS = {
    "card.created": "created",
    "card.moved": "moved",
    "card.transferred": "moved",
    "comment.created": "commented",
    "comment.replied": "commented",
}
# These events are not counted in `what`: the item shows them in `decision`, `answer` or as comments.
UNCOUNTED_PREFIXES = ("moveRequest.", "question.")


class What(Output):
    """The number of events on a card by kind; kinds without events are left out."""

    created: int | None = None
    moved: int | None = None
    commented: int | None = None
    updated: int | None = None


class ToldDecision(Output):
    """A decision on a move request; `next` tells an agent what it can do now."""

    state: str
    note: str | None
    decided_by: Actor | None
    next: str | MISSING = MISSING


class ToldAnswer(Output):
    """The answer to a question; `next` tells an agent what it can do now."""

    content: str
    answered_by: Actor | None
    next: str | MISSING = MISSING


class News(Output):
    """The activity of others on one card; empty members are left out."""

    card_id: str
    card_key: str
    title: str
    project_id: str
    column_id: str
    column: str
    from_column: str | None = None
    what: What
    by: list[Actor]
    last_at: str
    decision: Annotated[ToldDecision | None, StoredJson] = None
    answer: Annotated[ToldAnswer | None, StoredJson] = None


@dataclass
class CardActivity:
    """The activity on one card, accumulated event by event."""

    card_id: str
    what: dict[str, int] = field(default_factory=dict)
    by: dict[str, Any] = field(default_factory=dict)
    last_at: str = ""
    from_column_id: str | None = None
    request_id: str | None = None
    question_id: str | None = None

    def add_event(self, row: Row, agent_id: str | None) -> None:
        """Add one event; with `agent_id`, ignore decisions and answers to requests of other agents."""
        about = stored_json(row["about"]) or {}
        self.last_at = row["created_at"]
        self.by.setdefault(row["actor"], stored_json(row["actor"]))
        if not row["type"].startswith(UNCOUNTED_PREFIXES):
            kind = KINDS.get(row["type"], "updated")
            self.what[kind] = self.what.get(kind, 0) + 1
        if row["type"] in ("card.moved", "card.transferred"):
            self.from_column_id = self.from_column_id or about.get("fromColumnId")
        if agent_id in (None, about.get("agentId")):
            if row["type"] in ("moveRequest.approved", "moveRequest.rejected"):
                self.request_id = about.get("requestId")
            if row["type"] == "question.answered":
                self.question_id = about.get("commentId")

    def to_dict(self, call: Call) -> dict[str, Any]:
        """Return the JSON item, with the current title and column of the card."""
        ids = {"from_column_id": self.from_column_id, "request_id": self.request_id, "question_id": self.question_id}
        row = call.tx.one(sql.activity.get_card, card_id=self.card_id, **ids)
        assert row is not None
        by = list(self.by.values())[:ACTORS_PER_CARD_MAX]
        from_column = None if row["from_column"] == row["column"] else row["from_column"]
        item = News.of({**row, "from_column": from_column, "what": self.what, "by": by, "last_at": self.last_at})
        output = item.model_dump(by_alias=True, exclude={"by", "decision", "answer"}, exclude_none=True) | {"by": by}
        for name in ("decision", "answer"):
            if (told := stored_json(row[name])) is not None:
                state = told.get("state", "answered")
                output[name] = told | next_steps.describe_next_step(call, self.card_id, state)
        return output


@dataclass
class ActivitySummary:
    """Cards with activity, in the order of their first event, and the id of the last event included."""

    cards: dict[str, CardActivity]
    last_event_id: int
    has_more: bool


def summarize_from_oldest(call: Call, since: int, cards_max: int) -> ActivitySummary:
    """Summarize what others did after an event and what concerns the calling agent, for at most `cards_max` cards.

    The summary ends before the first event of a further card, and after EVENTS_READ_MAX events.
    """
    span = {"org_id": call.org_id, "since": since, "limit": EVENTS_READ_MAX, **call.reader}
    scanned = call.tx.one(sql.activity.last_event, **span)
    assert scanned is not None
    is_cut = scanned["count"] == EVENTS_READ_MAX
    end = scanned["last_id"] if is_cut else max(since, event_cursor.get_last_event_id(call))
    cards: dict[str, CardActivity] = {}
    for row in call.tx.all(sql.activity.list_events, only_concerning_reader=True, only_unseen=False, **span):
        if row["card_id"] not in cards and len(cards) == cards_max:
            return ActivitySummary(cards, row["id"] - 1, has_more=True)
        cards.setdefault(row["card_id"], CardActivity(row["card_id"])).add_event(row, call.agent_id)
    return ActivitySummary(cards, end, has_more=is_cut)


def summarize_newest(call: Call, since: int, only_unseen: bool) -> tuple[list[CardActivity], int]:
    """Summarize the newest EVENTS_READ_MAX events of others after an event, newest card first.

    Return the cards, and how many there would be with EVENTS_COUNTED_MAX events. With `only_unseen`, leave out the
    events up to the one that the reader has seen on a card.
    """
    span = {"org_id": call.org_id, "limit": EVENTS_READ_MAX, **call.reader}
    scanned = call.tx.one(sql.activity.first_event, since=since, **span)
    assert scanned is not None
    is_cut = scanned["count"] == EVENTS_READ_MAX
    begin = scanned["first_id"] - 1 if is_cut else since
    cards: dict[str, CardActivity] = {}
    which = {"only_concerning_reader": False, "only_unseen": only_unseen}
    for row in call.tx.all(sql.activity.list_events, since=begin, **which, **span):
        cards.setdefault(row["card_id"], CardActivity(row["card_id"])).add_event(row, None)
    newest = sorted(cards.values(), key=lambda card: (card.last_at, card.card_id), reverse=True)
    if not is_cut:
        return newest, len(newest)
    span |= {"since": since, "limit": EVENTS_COUNTED_MAX}
    return newest, int(call.tx.value(sql.activity.count_cards, only_unseen=only_unseen, **span))


def get_seen_event_id(call: Call) -> int:
    """Return the id of the last event that the caller has seen.

    It is stored when a person joins the organization and when an agent is registered.
    """
    event_id: int | None = call.tx.value(sql.seen.get, org_id=call.org_id, **call.reader)
    return event_id or 0
