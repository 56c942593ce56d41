"""Webhook delivery: one task per webhook, so that no webhook waits for another.

All state is in the event log and the deliveries table, so nothing is lost if the process ends. An attempt whose
outcome was not stored is repeated under the same delivery id.
"""

import asyncio
import hashlib
import hmac
import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from types import TracebackType
from typing import Any, Self

import orjson

from .. import VERSION
from ..clock import now, parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Row, Share, Store, Tx
from ..events.listeners import Listeners
from ..ids import new_id
from .outbound import Outbound, Reply

RETRY_SECONDS = (10, 60, 300, 1800, 7200, 21600)  # pauses before retries; a jitter of up to 20 % is added
REQUESTS_PARALLEL_MAX = 8  # to one webhook
EVENTS_PER_TRANSACTION = 100  # read and enqueued
DELIVERIES_PENDING_MAX = 2000  # per webhook; further events wait in the event log
DELIVERIES_KEPT = 1000  # the newest deliveries of a webhook that are not deleted
BATCHING_SECONDS = 0.1  # collects the events of a busy organization
IDLE_SECONDS_MAX = 3600.0  # between two checks
log = logging.getLogger("service")
_jitter = random.Random()  # noqa: S311  # not used for secrets


class WebhookDispatcher:
    """Runs one sending task per enabled webhook; webhooks of archived organizations have none."""

    def __init__(
        self,
        store: Store,
        decrypt: Callable[[str, str], str | None],
        listeners: Listeners,
        outbound: Outbound,
        clock: Callable[[], str] = now,
    ) -> None:
        self._store = store
        self._decrypt = decrypt
        self._listeners = listeners
        self._clock = clock
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.outbound = outbound
        self.pauses: Sequence[float] = RETRY_SECONDS
        self.outcomes: Counter[str] = Counter()  # attempts by outcome: delivered, again, failed

    async def __aenter__(self) -> Self:
        for row in await self._store.read(lambda tx: tx.all(sql.webhooks.list_enabled, org_id=None)):
            self.start(row["id"])
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def start(self, webhook_id: str) -> None:
        """Start the task of a webhook, unless it runs; the task ends when the webhook is disabled or deleted."""
        if webhook_id not in self._tasks:
            self._tasks[webhook_id] = asyncio.create_task(self._keep_sending(webhook_id))

    async def stop(self) -> None:
        """Cancel all tasks; the next start of the service repeats attempts in progress."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.outbound.close()

    async def _keep_sending(self, webhook_id: str) -> None:
        try:
            while not self._listeners.stopped and await self._step(webhook_id):
                pass
        finally:
            # No `await` since the last check, so a concurrent `start` cannot be missed.
            del self._tasks[webhook_id]

    async def _step(self, webhook_id: str) -> bool:
        """Enqueue events, send due deliveries or wait; return whether the webhook is still enabled."""
        try:
            webhook = self._store.read_inline(
                lambda tx: tx.one(
                    sql.webhooks.delivery_state, webhook_id=webhook_id, pending_max=DELIVERIES_PENDING_MAX
                )
            )
            if webhook is None:
                return False
            pause = self._seconds_until(webhook["next_attempt_at"])
            if webhook["is_behind"]:
                await self._store.write(partial(_enqueue, webhook_id, self._clock()), Share(webhook["org_id"]))
            elif pause:
                await self._listeners.wait(webhook["org_id"], pause)
                await asyncio.sleep(BATCHING_SECONDS)
            if not pause:
                await self._send(webhook)
        except Exception:
            log.exception("webhook %s could not be processed and will be retried", webhook_id)
            await asyncio.sleep(RETRY_SECONDS[0])
        return True

    def _seconds_until(self, timestamp: str | None) -> float:
        """Return the seconds until the next attempt: 0 if it is due."""
        if timestamp is None:
            return IDLE_SECONDS_MAX
        left = parse_timestamp(timestamp) - parse_timestamp(self._clock())
        return min(IDLE_SECONDS_MAX, max(0.0, left.total_seconds()))

    async def _send(self, webhook: "sql.webhooks.DeliveryStateRow") -> None:
        parameters = {"webhook_id": webhook["id"], "now": self._clock(), "limit": REQUESTS_PARALLEL_MAX}
        due = self._store.read_inline(lambda tx: tx.all(sql.deliveries.list_due, **parameters))
        secret = self._decrypt(webhook["secret"], webhook["id"])
        attempts = await asyncio.gather(*[self._attempt(webhook, secret, delivery) for delivery in due])
        await self._store.write(partial(_record_attempts, attempts), Share(webhook["org_id"]))

    async def _attempt(
        self, webhook: "sql.webhooks.DeliveryStateRow", secret: str | None, delivery: Row
    ) -> dict[str, Any]:
        """Send a delivery once, and return the columns to store."""
        body, started_at = _encode_body(webhook, delivery), time.monotonic()
        if secret is None:
            reply = Reply(error="the secret is lost; set a new one")
        else:
            reply = await self.outbound.post(webhook["url"], body, _headers(secret, delivery, body), webhook["org_id"])
        duration = round((time.monotonic() - started_at) * 1000)
        attempts = delivery["attempts"] + 1
        outcome = self._get_outcome(reply, attempts)
        self.outcomes["again" if outcome["state"] == "pending" else outcome["state"]] += 1
        attempt = {"delivery_id": delivery["id"], "attempts": attempts, "duration_ms": duration}
        return attempt | {"status_code": reply.status, "error": reply.error} | outcome

    def _get_outcome(self, reply: Reply, attempts: int) -> dict[str, Any]:
        if reply.error is None:
            return {"state": "delivered", "delivered_at": self._clock(), "next_attempt_at": None}
        if attempts > len(self.pauses):
            return {"state": "failed", "delivered_at": None, "next_attempt_at": None}
        pause = timedelta(seconds=self.pauses[attempts - 1] * _jitter.uniform(1, 1.2))
        next_attempt_at = timestamp(parse_timestamp(self._clock()) + pause)
        return {"state": "pending", "delivered_at": None, "next_attempt_at": next_attempt_at}


def signature(secret: str, at: str, body: bytes) -> str:
    """Return the signature of a request: HMAC-SHA-256 over the timestamp, a dot and the body, in hexadecimal."""
    return hmac.new(secret.encode(), at.encode() + b"." + body, hashlib.sha256).hexdigest()


def _encode_body(webhook: "sql.webhooks.DeliveryStateRow", delivery: Row) -> bytes:
    """Encode the body of a delivery, which is the same for each attempt."""
    event = orjson.Fragment(delivery["event"])
    body = {"id": delivery["id"], "type": delivery["type"], "organizationId": webhook["org_id"], "event": event}
    return orjson.dumps(body)


def _headers(secret: str, delivery: Row, body: bytes) -> dict[str, str]:
    at = str(int(time.time()))
    return {
        "Content-Type": "application/json",
        "User-Agent": f"Tandem/{VERSION}",
        "X-Tandem-Event": delivery["type"],
        "X-Tandem-Delivery": delivery["id"],
        "X-Tandem-Timestamp": at,
        "X-Tandem-Signature": f"sha256={signature(secret, at, body)}",
    }


def _enqueue(webhook_id: str, at: str, tx: Tx) -> None:
    """Create deliveries for the next events that match the webhook's patterns, and delete old deliveries."""
    events = tx.all(sql.webhooks.new_events, webhook_id=webhook_id, limit=EVENTS_PER_TRANSACTION)
    for event in events:
        if _matches_pattern(event["type"], orjson.loads(event["patterns"])):
            values = {"event_id": event["id"], "type": event["type"], "event": event["text"]}
            tx.run(sql.deliveries.create, id=new_id("dlv"), webhook_id=webhook_id, now=at, **values)
    if events:
        tx.run(sql.webhooks.set_last_event, webhook_id=webhook_id, event_id=events[-1]["id"])
        tx.run(
            sql.deliveries.delete_old,
            webhook_id=webhook_id,
            keep_count=DELIVERIES_KEPT,
            limit=2 * EVENTS_PER_TRANSACTION,
        )


def _matches_pattern(type: str, patterns: list[str]) -> bool:
    resource = type.partition(".")[0]
    return not {"*", f"{resource}.*", type}.isdisjoint(patterns)


def _record_attempts(attempts: list[dict[str, Any]], tx: Tx) -> None:
    for attempt in attempts:
        tx.run(sql.deliveries.record_attempt, **attempt)
