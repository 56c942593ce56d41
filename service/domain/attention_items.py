"""Attention: the rows of the items of each kind, and the sentences about them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, Literal, TypeVar, get_args

from ..auth import authorization
from ..auth.context import Call
from ..auth.policies import architect
from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..database.statement import Statement
from ..database.store import Row
from . import due_dates

Kind = Literal[
    "pending_agent",
    "stopped_agent",
    "agent_creates",
    "backup",
    "move_request",
    "question",
    "handed_over",
    "expired_claim",
    "overdue_card",
]
R = TypeVar("R", bound=Row)
KINDS: tuple[Kind, ...] = get_args(Kind)
ARCHITECT_KINDS: frozenset[Kind] = frozenset({"backup"})  # only Solution Architects see these
CREATES_SHOWN = timedelta(hours=1)  # after an agent last wanted to create too many cards


@dataclass(frozen=True)
class ItemSource(Generic[R]):
    """A statement that lists items of a kind with their total number, and the function that describes an item."""

    kind: Kind
    statement: Statement[R]
    describe: Callable[[R], str]


@dataclass(frozen=True)
class DescribedRow:
    """An item of a kind: its row and the sentence about it."""

    kind: Kind
    row: Row
    message: str

    @property
    def order(self) -> tuple[str, str, str, str]:
        """Return what items are sorted by: the longest waiting first."""
        return (self.row["since"], self.kind, self.row.get("card_id") or "", self.row["agent_id"] or "")


@dataclass(frozen=True)
class ItemsByKind:
    """The first items of each kind in order, the number of all by kind, and of overdue cards by project id."""

    items: list[DescribedRow]
    counts: dict[Kind, int]
    overdue_boards: dict[str, int]


def _describe_pending_agent(row: "sql.attention.ListPendingAgentsRow") -> str:
    return f"The agent {row['agent_title']} waits for approval."


def _describe_stopped_agent(row: "sql.attention.ListStoppedAgentsRow") -> str:
    reason = "" if row["stop_reason"] is None else f": {row['stop_reason']}"
    assigned = f"; cards assigned to it: {row['assigned']}" if row["assigned"] else ""
    return f"The agent {row['agent_title']} is stopped{reason}{assigned}."


def _describe_creating_agent(row: "sql.attention.ListCreatingAgentsRow") -> str:
    return f"The agent {row['agent_title']} wants to create more cards than it may within an hour."


def _describe_lost_files(row: "sql.attention.ListLostFilesRow") -> str:
    count = row["files"]
    return "The contents of a file are lost." if count == 1 else f"The contents of {count:,} files are lost."


def _describe_move_request(row: "sql.attention.ListMoveRequestsRow") -> str:
    return f"A move of {row['card_title']} to {row['column_title']} waits for a decision."


def _describe_question(row: "sql.attention.ListQuestionsRow") -> str:
    return f"The agent {_get_agent_name(row)} asks about {row['card_title']}."


def _describe_handed_over_card(row: "sql.attention.ListHandedOverCardsRow") -> str:
    return f"The agent {_get_agent_name(row)} has handed {row['card_title']} over in {row['column_title']}."


def _describe_rejected_move(row: "sql.attention.ListRejectedMovesRow") -> str:
    stays = f"it stays in {row['column_title']} until a person moves it"
    return f"A move of {row['card_title']} was rejected; {stays}."


def _describe_expired_claim(row: "sql.attention.ListExpiredClaimsRow") -> str:
    return f"The claim on {row['card_title']} ran out before the work was handed over."


def _get_agent_name(row: Row) -> str:
    """Return the title of an agent, or the id of one that is not registered any more."""
    name: str = row["agent_id"] if row["agent_title"] is None else row["agent_title"]
    return name


SOURCES: tuple[ItemSource[Any], ...] = (
    ItemSource("pending_agent", sql.attention.list_pending_agents, _describe_pending_agent),
    ItemSource("stopped_agent", sql.attention.list_stopped_agents, _describe_stopped_agent),
    ItemSource("agent_creates", sql.attention.list_creating_agents, _describe_creating_agent),
    ItemSource("backup", sql.attention.list_lost_files, _describe_lost_files),
    ItemSource("move_request", sql.attention.list_move_requests, _describe_move_request),
    ItemSource("question", sql.attention.list_questions, _describe_question),
    ItemSource("handed_over", sql.attention.list_handed_over_cards, _describe_handed_over_card),
    ItemSource("handed_over", sql.attention.list_rejected_moves, _describe_rejected_move),
    ItemSource("expired_claim", sql.attention.list_expired_claims, _describe_expired_claim),
)


def list_items(call: Call, limit: int) -> ItemsByKind:
    """Return the items of an organization, at most `limit` of each kind."""
    today = due_dates.get_today(call)
    boards = call.tx.all(sql.attention.count_overdue_cards, org_id=call.org_id, now=call.now, today=today)
    counts = dict.fromkeys(KINDS, 0) | {"overdue_card": sum(row["cards"] for row in boards)}
    items = _list_overdue_cards(call, today, limit)
    hidden = ARCHITECT_KINDS if authorization.missing_permissions(call, architect()) else frozenset()
    for kind in KINDS:
        sources = [source for source in SOURCES if source.kind == kind and kind not in hidden]
        of_kind = [_list_source(call, source, limit) for source in sources]
        if kind == "backup" and kind not in hidden:
            of_kind.append(_list_backup_problems(call))
        counts[kind] += sum(rows[0].row["total"] for rows in of_kind if rows)
        items += sorted((item for rows in of_kind for item in rows), key=lambda item: item.order)[:limit]
    items.sort(key=lambda item: item.order)
    return ItemsByKind(items, counts, {row["project_id"]: row["cards"] for row in boards})


def _list_overdue_cards(call: Call, today: str, limit: int) -> list[DescribedRow]:
    rows = call.tx.all(sql.attention.list_overdue_cards, org_id=call.org_id, now=call.now, today=today, limit=limit)
    return [DescribedRow("overdue_card", row, f"{row['card_title']} is overdue.") for row in rows]


def _list_source(call: Call, source: ItemSource[Any], limit: int) -> list[DescribedRow]:
    creates_since = timestamp(parse_timestamp(call.now) - CREATES_SHOWN)
    values = {"org_id": call.org_id, "limit": limit, "now": call.now, "creates_since": creates_since}
    rows = call.tx.all(source.statement, **{name: values[name] for name in source.statement.parameters})
    return [DescribedRow(source.kind, row, source.describe(row)) for row in rows]


def _list_backup_problems(call: Call) -> list[DescribedRow]:
    problem = call.service.scheduled_backups.find_problem()
    if problem is None:
        return []
    row = {"since": problem.since, "agent_id": None, "agent_title": None, "total": 1}
    return [DescribedRow("backup", row, problem.message)]
