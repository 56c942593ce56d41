"""Deliveries of events to webhooks and their outcome."""

from typing import Literal

from ..auth.context import Call
from ..auth.policies import architect
from ..database.queries import sql
from ..pipeline.routing import routes
from ..schemas import Output, Page, PageQuery
from . import webhooks

State = Literal["pending", "delivered", "failed"]


class Delivery(Output):
    """The delivery of one event to a webhook: the number of attempts, and the result of the last one."""

    id: str
    event_id: str
    type: str
    state: State
    attempts: int
    status_code: int | None
    error: str | None
    duration_ms: int | None
    next_attempt_at: str | None
    created_at: str
    delivered_at: str | None


class DeliveryQuery(PageQuery):
    state: State | None = None


@routes.get("/webhooks/{webhook_id}/deliveries", architect(), on_reader_thread=True)
def list_deliveries(call: Call, webhook_id: str, query: DeliveryQuery) -> Page[Delivery]:
    """List the deliveries of a webhook (SA), newest first; of the finished ones, the last 1,000 are stored."""
    webhooks.require_webhook(call, webhook_id)
    where = {"webhook_id": webhook_id, "state": query.state}
    rows = call.tx.all(sql.deliveries.list, limit=query.page_size, offset=query.offset, **where)
    items = [Delivery.of({**row, "event_id": str(row["event_id"])}) for row in rows]
    total = call.tx.value(sql.deliveries.count, **where)
    return Page[Delivery](items=items, page=query.page, page_size=query.page_size, total=total)
