"""News: what others did since an event, folded to one item a card, for inboxes of agents and catch-up of people."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, Any

from ..auth.context import Call
from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Row
from ..schemas import Actor, Output, StoredJson, stored_json
from . import event_cursor

EVENTS_READ_MAX = 5000  # at a time; what comes after is asked for next
ACTORS_TOLD_MAX = 10  # of a card
FIRST_LOOK = timedelta(days=7)  # what somebody is shown who has never said what they have seen
KINDS = {
    "card.created": "created",
    "card.moved": "moved",
    "comment.created": "commented",
    "comment.replied": "commented",
}
# What else there is to tell of these stands in `decision`, `answer` or among the comments.
TOLD_APART = ("moveRequest.", "question.")


class What(Output):
    """How often what happened to a card."""

    created: int | None = None
    moved: int | None = None
    commented: int | None = None
    updated: int | None = None


class ToldDecision(Output):
    state: str
    note: str | None
    decided_by: Actor | None


class ToldAnswer(Output):
    content: str
    answered_by: Actor | None


class News(Output):
    """What others did on one card; what there is not is left out."""

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
    """What is gathered of one card."""

    card_id: str
    what: dict[str, int] = field(default_factory=dict)
    by: dict[str, Any] = field(default_factory=dict)
    last_at: str = ""
    from_column_id: str | None = None
    request_id: str | None = None
    question_id: str | None = None

    def add(self, row: Row, reader_id: str | None) -> None:
        """Take one event in; of decisions and answers only those that a reader asked for, if there is one."""
        about = stored_json(row["about"]) or {}
        self.last_at = row["created_at"]
        self.by.setdefault(row["actor"], stored_json(row["actor"]))
        if not row["type"].startswith(TOLD_APART):
            kind = KINDS.get(row["type"], "updated")
            self.what[kind] = self.what.get(kind, 0) + 1
        if row["type"] == "card.moved":
            self.from_column_id = self.from_column_id or about.get("fromColumnId")
        if reader_id in (None, about.get("agentId")):
            if row["type"] in ("moveRequest.approved", "moveRequest.rejected"):
                self.request_id = about.get("requestId")
            if row["type"] == "question.answered":
                self.question_id = about.get("commentId")

    def told(self, call: Call) -> dict[str, Any]:
        """Give the item as JSON, with the card as it stands now."""
        named = {"from_column_id": self.from_column_id, "request_id": self.request_id, "question_id": self.question_id}
        row = call.tx.one(sql.activity.get_card, card_id=self.card_id, **named)
        assert row is not None
        by = list(self.by.values())[:ACTORS_TOLD_MAX]
        from_column = None if row["from_column"] == row["column"] else row["from_column"]
        item = News.of({**row, "from_column": from_column, "what": self.what, "by": by, "last_at": self.last_at})
        told = item.model_dump(by_alias=True, exclude={"by", "decision", "answer"}, exclude_none=True) | {"by": by}
        for name in ("decision", "answer"):
            if row[name] is not None:
                told[name] = stored_json(row[name])
        return told


@dataclass
class ActivitySummary:
    """The cards that there is news of, in the order of their first event, and up to which event that goes."""

    cards: dict[str, CardActivity]
    reached: int
    has_more: bool


def summarize_activity(
    call: Call, since: int, reader_id: str, is_agent: bool, cards_max: int | None = None
) -> ActivitySummary:
    """Fold what others did after an event: up to so many cards, and before the event that would bring in one more."""
    span = {"org_id": call.org_id, "since": since, "reader_id": reader_id, "limit": EVENTS_READ_MAX}
    reach = call.tx.one(sql.activity.last_event, **span)
    assert reach is not None
    is_cut = reach["count"] == EVENTS_READ_MAX
    end = reach["last_id"] if is_cut else max(since, event_cursor.get_last_event_id(call))
    found: dict[str, CardActivity] = {}
    for row in call.tx.all(sql.activity.list_events, only_concerning_reader=is_agent, **span):
        if row["card_id"] not in found and len(found) == cards_max:
            return ActivitySummary(found, row["id"] - 1, has_more=True)
        found.setdefault(row["card_id"], CardActivity(row["card_id"])).add(row, reader_id if is_agent else None)
    return ActivitySummary(found, end, has_more=is_cut)


def get_seen_event_id(call: Call) -> int:
    """Give up to which event a person has seen all that happened; without a word of theirs, up to a week ago."""
    mark: int | None = call.tx.value(sql.seen.get, org_id=call.org_id, reader_id=call.user_id)
    return (
        event_cursor.find_last_event_before(call, timestamp(parse_timestamp(call.now) - FIRST_LOOK))
        if mark is None
        else mark
    )
