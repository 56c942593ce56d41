"""Webhooks: URLs to which the events of an organization are sent."""

import secrets
from functools import partial
from typing import Annotated, Any

from pydantic import MISSING, AfterValidator, Field, StringConstraints

from ..auth.context import Call
from ..auth.policies import architect
from ..database.queries import sql
from ..database.store import Row
from ..delivery import outbound
from ..errors import Conflict, invalid
from ..ids import new_id
from ..pipeline.routing import routes
from ..schemas import Input, Output, StoredJson, json_text
from . import events

WEBHOOKS_MAX = 50  # per organization

Url = Annotated[str, StringConstraints(max_length=2000), AfterValidator(outbound.check_url)]
Secret = Annotated[str, StringConstraints(min_length=16, max_length=200)]
Patterns = Annotated[list[events.Pattern], Field(min_length=1, max_length=100)]


class Webhook(Output):
    """A webhook without its secret."""

    id: str
    url: str
    events: Annotated[list[str], StoredJson]
    enabled: bool
    created_at: str


class FreshWebhook(Webhook):
    """A new webhook with its secret, which is returned only once."""

    secret: str


class NewWebhook(Input):
    url: Url
    events: Patterns = ["*"]
    secret: Secret | None = None
    enabled: bool = True


class WebhookEdit(Input):
    url: Url | MISSING = MISSING
    events: Patterns | MISSING = MISSING
    secret: Secret | MISSING = MISSING
    enabled: bool | MISSING = MISSING


def resume_webhooks(call: Call, org_id: str) -> None:
    """Resume deliveries to the webhooks of a restored organization."""
    for row in call.tx.all(sql.webhooks.list_enabled, org_id=org_id):
        call.tx.on_commit(partial(call.service.webhook_dispatcher.start, row["id"]))


def require_webhook(call: Call, webhook_id: str) -> "sql.webhooks.GetRow":
    """Return a webhook of the current organization; raise NotFound if there is none."""
    return call.require(sql.webhooks.get, "webhook", webhook_id=webhook_id, org_id=call.org_id)


def _require_allowed_url(call: Call, url: str) -> None:
    if not call.service.settings.webhooks_allow_private and outbound.is_private_host(url):
        raise invalid("url", "must be a public address; this one is in a private network or on this machine")


@routes.get("/webhooks", architect())
def list_webhooks(call: Call) -> list[Webhook]:
    """List the webhooks of the current organization (SA), oldest first."""
    return [Webhook.of(row) for row in call.tx.all(sql.webhooks.list, org_id=call.org_id)]


@routes.post("/webhooks", architect())
def create_webhook(call: Call, body: NewWebhook) -> FreshWebhook:
    """Create a webhook that receives all later events (SA); only this response contains its secret.

    `events` are patterns: `card.moved`, `card.*` or `*`. The first event is the webhook's own `webhook.created`.
    """
    _require_allowed_url(call, body.url)
    if call.tx.value(sql.webhooks.count, org_id=call.org_id) >= WEBHOOKS_MAX:
        message = f"The organization has the maximum of {WEBHOOKS_MAX} webhooks; delete one first."
        raise Conflict(None, message, state="full", limit=WEBHOOKS_MAX)
    webhook_id, secret = new_id("hook"), body.secret or secrets.token_urlsafe(32)
    stored = {"url": body.url, "events": json_text(body.events), "enabled": body.enabled}
    encrypted_secret = call.service.encryptor.encrypt("webhooks.secret", secret, webhook_id)
    call.tx.run(sql.webhooks.create, id=webhook_id, org_id=call.org_id, secret=encrypted_secret, now=call.now, **stored)
    events.record(call, "webhook.created")
    call.tx.on_commit(partial(call.service.webhook_dispatcher.start, webhook_id))
    return FreshWebhook(**{**require_webhook(call, webhook_id), "secret": secret})


@routes.patch("/webhooks/{webhook_id}", architect())
def update_webhook(call: Call, webhook_id: str, body: WebhookEdit) -> Webhook:
    """Update a webhook (SA); a new `url` or `secret` retries all pending deliveries at once.

    A disabled webhook receives no events that happen meanwhile; deliveries that were pending before resume once it is
    enabled.
    """
    before, changes = require_webhook(call, webhook_id), body.changes()
    row = {**before, **_encode_changes(call, webhook_id, changes)}
    if row != before:
        _update_row(call, row, before)
        events.record(call, "webhook.updated")
    return Webhook.of(row)


def _encode_changes(call: Call, webhook_id: str, changes: dict[str, Any]) -> dict[str, Any]:
    """Validate the changes and return them as column values of the table."""
    stored = dict(changes)
    if "url" in changes:
        _require_allowed_url(call, changes["url"])
    if "events" in changes:
        stored["events"] = json_text(changes["events"])
    if "secret" in changes:
        stored["secret"] = call.service.encryptor.encrypt("webhooks.secret", changes["secret"], webhook_id)
    return stored


def _update_row(call: Call, row: Row, before: Row) -> None:
    values = {key: row[key] for key in ("url", "events", "secret", "enabled")}
    call.tx.run(sql.webhooks.update, webhook_id=row["id"], **values)
    if row["enabled"] and not before["enabled"]:
        call.tx.run(sql.webhooks.skip_events, webhook_id=row["id"])
    if (row["url"], row["secret"]) != (before["url"], before["secret"]):
        call.tx.run(sql.deliveries.retry_now, webhook_id=row["id"], now=call.now)
    call.tx.on_commit(partial(call.service.webhook_dispatcher.start, row["id"]))


@routes.delete("/webhooks/{webhook_id}", architect())
def delete_webhook(call: Call, webhook_id: str) -> None:
    """Delete a webhook and its deliveries (SA); pending deliveries are not sent."""
    require_webhook(call, webhook_id)
    call.tx.run(sql.webhooks.delete, webhook_id=webhook_id)
    events.record(call, "webhook.removed")
