"""Denied writes of agents: which rule denied them, and how often."""

import asyncio
import logging
from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Annotated, Any

from pydantic import Field

from ..auth import card_keys
from ..auth.context import Call, Service
from ..auth.denied_requests import DeniedRequest
from ..auth.policies import may
from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Share, Tx
from ..domain import event_cursor
from ..ids import new_id
from ..pipeline import filter_values
from ..pipeline.routing import routes
from ..schemas import Output, Page, PageQuery, StoredJson, json_text
from . import moves

INTERVAL_SECONDS = 1.0  # between two writes of pending refusals
REPORT_INTERVAL = timedelta(minutes=1)  # between two events about the same row
RETENTION = timedelta(days=7)
ROWS_PER_WRITE = 100
DELETIONS_PER_WRITE = 2 * ROWS_PER_WRITE  # more than are added
CARDS_PER_AGENT_MAX = 500  # separate rows per agent and interval, so that a runaway agent cannot fill the disk
log = logging.getLogger("service")


class ShownRefusal(Output):
    """The writes of an agent to a card that one rule denied within an hour."""

    id: str
    agent_id: str
    card_id: str | None
    card_key: str | None
    title: str | None
    to_column_id: str | None
    code: str
    message: str
    blockers: Annotated[list[moves.Blocker], StoredJson]
    count: int
    first_at: str
    last_at: str


class RefusalQuery(PageQuery):
    agent_id: str | None = None
    card_id: str | None = Field(None, description="A card id or card key.")
    since: str | None = Field(None, description="A timestamp or an age: 15m, 3h, 2d.")


@routes.get("/organizations/{org_id}/refusals", may("read", "Card"), on_reader_thread=True)
def list_refusals(call: Call, org_id: str, query: RefusalQuery) -> Page[ShownRefusal]:
    """List the denied writes of agents in the last 7 days, newest first, in pages.

    There is one row per agent, card, error code and hour, with the last message, blockers and target column.
    """
    filter_values.require_known(call, query)
    filters = {
        "org_id": org_id,
        "agent_id": query.agent_id,
        "card_id": None if query.card_id is None else card_keys.resolve_card_filter(call, query.card_id),
        "since": None if query.since is None else event_cursor.require_time(call, query.since),
    }
    rows = call.tx.all(sql.refusals.list, limit=query.page_size, offset=query.offset, **filters)
    total = call.tx.value(sql.refusals.count, **filters)
    items = [ShownRefusal.of(row) for row in rows]
    return Page[ShownRefusal](items=items, page=query.page, page_size=query.page_size, total=total)


async def keep_storing_refusals(service: Service) -> None:
    """Store pending refusals once a second; runs until cancelled."""
    while True:
        await asyncio.sleep(INTERVAL_SECONDS)
        try:
            await store_refusals(service)
        except Exception:
            log.exception("storing refusals failed; this batch is lost, later refusals are stored at the next attempt")


async def store_refusals(service: Service) -> None:
    """Store the pending refusals."""
    refusals = [service.denied_requests.popleft() for _ in range(len(service.denied_requests))]
    for org_id, group in groupby(_group_refusals(refusals), key=itemgetter("org_id")):
        rows = list(group)
        for start in range(0, len(rows), ROWS_PER_WRITE):
            store_rows = partial(_store_rows, service=service, rows=rows[start : start + ROWS_PER_WRITE])
            await service.store.write(store_rows, Share(org_id))


def _store_rows(tx: Tx, service: Service, rows: list[dict[str, Any]]) -> None:
    tx.clock = service.clock
    changed_org_ids = {row["org_id"] for row in map(partial(_upsert_refusal, tx), rows) if row["is_new"]}
    tx.run(sql.refusals.delete_old, before=timestamp(parse_timestamp(tx.now) - RETENTION), limit=DELETIONS_PER_WRITE)
    for org_id in changed_org_ids:
        tx.on_commit(partial(service.notify_change, org_id))


def _group_refusals(refusals: list[DeniedRequest]) -> Iterable[dict[str, Any]]:
    """Combine refusals that differ only in their time within an hour into one row each."""
    cards: dict[tuple[str, str], set[str]] = {}

    def key(refusal: DeniedRequest) -> tuple[str, ...]:
        card_ids = cards.setdefault((refusal.org_id, refusal.agent_id), set())
        if len(card_ids) < CARDS_PER_AGENT_MAX:
            card_ids.add(refusal.card_id)
        card_id = refusal.card_id if refusal.card_id in card_ids else ""
        return refusal.org_id, refusal.agent_id, card_id, refusal.code, refusal.at[:13]

    for (org_id, agent_id, card_id, code, hour), members in groupby(sorted(refusals, key=key), key=key):
        group = list(members)
        columns = [refusal.to_column_id for refusal in group if refusal.to_column_id]
        yield {
            "org_id": org_id,
            "agent_id": agent_id,
            "card_id": card_id,
            "code": code,
            "hour": hour,
            "to_column_id": columns[-1] if columns else None,
            "message": group[-1].message,
            "blockers": json_text(group[-1].blockers),
            "count": len(group),
            "first_at": group[0].at,
            "last_at": group[-1].at,
        }


def _upsert_refusal(tx: Tx, row: dict[str, Any]) -> dict[str, Any]:
    """Add a row to the stored counts; create an event unless one was created for it within REPORT_INTERVAL."""
    silent_since = timestamp(parse_timestamp(tx.now) - REPORT_INTERVAL)
    found = tx.one(sql.refusals.upsert, id=new_id("rfs"), silent_since=silent_since, **row)
    is_new = found is not None and not found["was_reported"]
    if found is not None and is_new:
        tx.run(sql.refusals.mark_reported, id=found["id"], now=tx.now)
        tx.run(
            sql.events.create,
            org_id=row["org_id"],
            type="agent.refused",
            card_id=row["card_id"] or None,
            card_key=None,
            project_id=None,
            about=json_text({"agentId": row["agent_id"]}),
            actor_type="Agent",
            actor_id=row["agent_id"],
            actor_label=None,
            now=tx.now,
        )
    return {**row, "is_new": is_new}
