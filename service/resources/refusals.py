"""Refusals: what agents were refused, by which rule and how often (contract, section 7)."""

import asyncio
import logging
from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from itertools import groupby
from typing import Annotated, Any

from ..auth.context import Call, Service
from ..auth.denied_requests import DeniedRequest
from ..auth.policies import may
from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Tx
from ..ids import new_id
from ..pipeline.routing import routes
from ..schemas import Output, Page, PageQuery, StoredJson, Timestamp, json_text
from . import moves

INTERVAL_SECONDS = 1.0  # between two looks at what was gathered
TOLD_AGAIN_AFTER = timedelta(minutes=1)  # between two events about the same row
RETENTION = timedelta(days=7)
ROWS_PER_WRITE = 100
FORGOTTEN_PER_WRITE = 2 * ROWS_PER_WRITE  # more than come in
CARDS_TOLD_APART_MAX = 500  # of one agent, in one look: a runaway must not fill the disk
log = logging.getLogger("service")


class ShownRefusal(Output):
    """What an agent was refused on a card by one rule within an hour."""

    id: str
    agent_id: str
    card_id: str | None
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
    card_id: str | None = None
    since: Timestamp | None = None


@routes.get("/organizations/{org_id}/refusals", may("read", "Card"), on_reader_thread=True)
def browse(call: Call, org_id: str, query: RefusalQuery) -> Page[ShownRefusal]:
    """List what agents were refused in the last 7 days, the latest first, a page at a time.

    One row an agent, card, code and hour, with the last message, its blockers and the column that it was last about.
    """
    filters = {"org_id": org_id, **query.model_dump(include={"agent_id", "card_id", "since"})}
    rows = call.tx.all(sql.refusals.list, limit=query.page_size, offset=query.offset, **filters)
    total = call.tx.value(sql.refusals.count, **filters)
    items = [ShownRefusal.of(row) for row in rows]
    return Page[ShownRefusal](items=items, page=query.page, page_size=query.page_size, total=total)


async def keep_up(service: Service) -> None:
    """Write down what was gathered, once a second if there is something; runs until cancelled."""
    while True:
        await asyncio.sleep(INTERVAL_SECONDS)
        try:
            await write_down(service)
        except Exception:
            log.exception("refusals could not be written down; the next look tries again with what came since")


async def write_down(service: Service) -> None:
    """Write down what was gathered so far."""
    gathered = [service.denied_requests.popleft() for _ in range(len(service.denied_requests))]
    rows = list(_rows(gathered))
    for start in range(0, len(rows), ROWS_PER_WRITE):
        await service.store.write(partial(_written, service=service, rows=rows[start : start + ROWS_PER_WRITE]))


def _written(tx: Tx, service: Service, rows: list[dict[str, Any]]) -> None:
    tx.clock = service.clock
    told = {row["org_id"] for row in map(partial(_counted, tx), rows) if row["is_new"]}
    tx.run(sql.refusals.delete_old, before=timestamp(parse_timestamp(tx.now) - RETENTION), limit=FORGOTTEN_PER_WRITE)
    for org_id in told:
        tx.on_commit(partial(service.notify_change, org_id))


def _rows(gathered: list[DeniedRequest]) -> Iterable[dict[str, Any]]:
    """Put what is the same but for its time into one row each."""
    cards: dict[tuple[str, str], set[str]] = {}

    def key(refusal: DeniedRequest) -> tuple[str, ...]:
        known = cards.setdefault((refusal.org_id, refusal.agent_id), set())
        if len(known) < CARDS_TOLD_APART_MAX:
            known.add(refusal.card_id)
        card_id = refusal.card_id if refusal.card_id in known else ""
        return refusal.org_id, refusal.agent_id, card_id, refusal.code, refusal.at[:13]

    for (org_id, agent_id, card_id, code, hour), same in groupby(sorted(gathered, key=key), key=key):
        one = list(same)
        columns = [refusal.to_column_id for refusal in one if refusal.to_column_id]
        yield {
            "org_id": org_id,
            "agent_id": agent_id,
            "card_id": card_id,
            "code": code,
            "hour": hour,
            "to_column_id": columns[-1] if columns else None,
            "message": one[-1].message,
            "blockers": json_text(one[-1].blockers),
            "count": len(one),
            "first_at": one[0].at,
            "last_at": one[-1].at,
        }


def _counted(tx: Tx, row: dict[str, Any]) -> dict[str, Any]:
    """Count one row, and tell of it unless that was done just now."""
    silent_since = timestamp(parse_timestamp(tx.now) - TOLD_AGAIN_AFTER)
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
